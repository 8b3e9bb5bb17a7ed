#include "tests/emu/cli/mxemu_launch.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024 };

/* ---- The command line ---------------------------------------------------------------------------------------------*/

static int parse_dimensions(const char *text, uint32_t dimensions[3])
{
    char field[32];
    dimensions[0] = dimensions[1] = dimensions[2] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        size_t length = strcspn(text, ",");
        if (length >= sizeof field) return 0;
        memcpy(field, text, length);
        field[length] = 0;
        if (!mxemu_parse_number(field, UINT32_MAX, &value) || value == 0) return 0;
        dimensions[i] = (uint32_t)value;
        text += length;
        if (!*text) return 1;
        text++;
    }
    return 0; /* a fourth */
}

static enum mxemu_exit option(struct mxemu_launch *l, const char *name, const char *value)
{
    struct emu_error error;
    uint64_t number;
    if (strcmp(name, "--grid") == 0 || strcmp(name, "--block") == 0) {
        if (!parse_dimensions(value, name[2] == 'g' ? l->grid : l->block))
            return mxemu_fail(MXEMU_MISUSED, "%s %s is not X[,Y[,Z]] of numbers from 1", name, value);
    } else if (strcmp(name, "--lds") == 0) {
        if (!mxemu_parse_number(value, UINT32_MAX, &number))
            return mxemu_fail(MXEMU_MISUSED, "--lds %s is not a number of bytes", value);
        l->lds_bytes = (uint32_t)number;
    } else if (strcmp(name, "--threads") == 0) {
        if (!mxemu_parse_number(value, MAX_THREADS, &number))
            return mxemu_fail(MXEMU_MISUSED, "--threads %s is not a number from 0 to %d", value, MAX_THREADS);
        l->threads = (unsigned)number;
    } else if (strcmp(name, "--check") == 0 && l->flags & MXEMU_TAKES_CHECKS) {
        if (emu_parse_checks(value, &l->checks, &error) != 0)
            return mxemu_fail(MXEMU_MISUSED, "--check %s: %s", value, error.text);
    } else if (strcmp(name, "--order") == 0 && l->flags & MXEMU_TAKES_CHECKS) {
        if (emu_parse_order(value, &l->order, &l->order_seed, &error) != 0)
            return mxemu_fail(MXEMU_MISUSED, "--order %s: %s", value, error.text);
    } else if (strcmp(name, "--stats") == 0 && l->flags & MXEMU_TAKES_STATS) {
        l->stats = value;
    } else if (strcmp(name, "--from") == 0 && l->flags & MXEMU_TAKES_MACHINE) {
        if (emu_parse_residency(value, &l->from, &error) != 0)
            return mxemu_fail(MXEMU_MISUSED, "--from %s: %s", value, error.text);
    } else if (strcmp(name, "--machine") == 0 && l->flags & MXEMU_TAKES_MACHINE) {
        if (emu_machine_set(&l->machine, value, &error) != 0)
            return mxemu_fail(MXEMU_MISUSED, "--machine %s: %s; see mxemu machine", value, error.text);
    } else if (strcmp(name, "--arg") == 0) {
        return mxemu_arg_parse(&l->args[l->arg_count++], value);
    } else {
        return mxemu_fail(MXEMU_MISUSED, "%s has no option %s; see mxemu --help", l->command, name);
    }
    return MXEMU_DONE;
}

/* Options without a value. */
static int flag(struct mxemu_launch *l, const char *name)
{
    if (strcmp(name, "--json") == 0 && l->flags & MXEMU_TAKES_JSON) return l->json = 1;
    if (strcmp(name, "--per-pc") == 0 && l->flags & MXEMU_TAKES_STATS) return l->per_pc = 1;
    return strcmp(name, "--xnack") == 0 && l->flags & MXEMU_TAKES_CHECKS && (l->xnack = 1);
}

/* l->args has room for argc of them. */
static enum mxemu_exit parse(struct mxemu_launch *l, int argc, char **argv)
{
    int words = 0;
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] == '-') {
            if (flag(l, argv[i])) continue;
            if (i + 1 == argc) return mxemu_fail(MXEMU_MISUSED, "%s has no value; see mxemu --help", argv[i]);
            enum mxemu_exit status = option(l, argv[i], argv[i + 1]);
            if (status != MXEMU_DONE) return status;
            i++;
        } else if (words == 2) {
            return mxemu_fail(MXEMU_MISUSED, "%s is one word too many; see mxemu --help", argv[i]);
        } else {
            *(words++ == 0 ? &l->object_path : &l->kernel_name) = argv[i];
        }
    }
    if (words < 2)
        return mxemu_fail(MXEMU_MISUSED, "%s needs a code object and a kernel; see mxemu --help", l->command);
    if (!l->grid[0] || !l->block[0])
        return mxemu_fail(MXEMU_MISUSED, "%s needs --%s", l->command, l->grid[0] ? "block" : "grid");
    if (l->per_pc && !l->stats) return mxemu_fail(MXEMU_MISUSED, "--per-pc needs --stats, which says where to");
    return MXEMU_DONE;
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------*/

static enum mxemu_exit check_arg(const struct emu_kernel *kernel, uint32_t n, const struct emu_arg *wanted,
                                 const struct mxemu_arg *given)
{
    if (given->form == MXEMU_VALUE && given->value_bytes != wanted->bytes)
        return mxemu_fail(MXEMU_MISUSED, "--arg %s has %u bytes, but argument %u of %s (%s) has %u", given->spec,
                          given->value_bytes, n, kernel->name, wanted->name, wanted->bytes);
    if (given->form != MXEMU_VALUE && wanted->kind != EMU_ARG_GLOBAL_BUFFER)
        return mxemu_fail(MXEMU_MISUSED, "--arg %s is a buffer, but argument %u of %s (%s) is a %s", given->spec, n,
                          kernel->name, wanted->name, mxemu_kind_name(wanted->kind));
    return MXEMU_DONE;
}

/* Matches the arguments given with those of the kernel. */
static enum mxemu_exit check_args(const struct mxemu_launch *l, const struct emu_kernel *kernel)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        if (!emu_arg_is_explicit(&kernel->args[i])) continue;
        if (n < l->arg_count) {
            enum mxemu_exit status = check_arg(kernel, n, &kernel->args[i], &l->args[n]);
            if (status != MXEMU_DONE) return status;
        }
        n++;
    }
    if (n == l->arg_count) return MXEMU_DONE;
    return mxemu_fail(MXEMU_MISUSED, "%s has %u arguments, %u are given; see mxemu list", kernel->name, n,
                      l->arg_count);
}

/* A buffer of no bytes is the null pointer. One that was made before is made again: what it held is not defined. */
static enum mxemu_exit make_buffer(struct emu *emu, struct mxemu_arg *arg)
{
    struct emu_error error;
    struct mxemu_bytes file = {NULL, 0};
    enum mxemu_exit status = arg->input ? mxemu_read_file(arg->input, &file) : MXEMU_DONE;
    if (status != MXEMU_DONE) return status;
    if (arg->input) arg->bytes = file.bytes;
    int done = arg->address ? emu_free(emu, arg->address, &error) : 0;
    arg->address = 0;
    if (done == 0 && arg->bytes) done = emu_alloc(emu, arg->bytes, &arg->address, &error);
    if (done == 0 && file.bytes) done = emu_write(emu, arg->address, file.data, file.bytes, &error);
    if (done == 0 && arg->bytes && arg->fill >= 0) done = emu_fill(emu, arg->address, arg->fill, arg->bytes, &error);
    free(file.data);
    return done == 0 ? MXEMU_DONE : mxemu_fail(MXEMU_FAILED, "--arg %s: %s", arg->spec, error.text);
}

enum mxemu_exit mxemu_launch_prepare(struct mxemu_launch *l)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->kernel->arg_count; i++) {
        const struct emu_arg *wanted = &l->kernel->args[i];
        if (!emu_arg_is_explicit(wanted)) continue;
        struct mxemu_arg *given = &l->args[n++];
        enum mxemu_exit status = given->form == MXEMU_VALUE ? MXEMU_DONE : make_buffer(l->loaded.emu, given);
        if (status != MXEMU_DONE) return status;
        const uint64_t *value = given->form == MXEMU_VALUE ? &given->bits : &given->address;
        memcpy(l->kernarg + wanted->offset, value, wanted->bytes < sizeof *value ? wanted->bytes : sizeof *value);
    }
    return MXEMU_DONE;
}

/* ---- The launch ---------------------------------------------------------------------------------------------------*/

enum mxemu_exit mxemu_launch_open(struct mxemu_launch *l, const char *command, int flags, int argc, char **argv)
{
    *l = (struct mxemu_launch){
        .command = command, .flags = flags, .checks = EMU_CHECK_ALL, .machine = emu_machine_default()};
    l->args = calloc((size_t)argc + 1, sizeof *l->args);
    if (!l->args) return mxemu_fail(MXEMU_FAILED, "out of memory");
    enum mxemu_exit status = parse(l, argc, argv);
    if (status == MXEMU_DONE) status = mxemu_load(&l->loaded, l->object_path);
    if (status != MXEMU_DONE) return status;
    l->kernel = emu_object_kernel(l->loaded.object, l->kernel_name);
    if (!l->kernel)
        return mxemu_fail(MXEMU_FAILED, "%s has no kernel %s; see mxemu list", l->object_path, l->kernel_name);
    l->kernarg = calloc(1, (size_t)l->kernel->kernarg_bytes + 1);
    if (!l->kernarg) return mxemu_fail(MXEMU_FAILED, "out of memory");
    return check_args(l, l->kernel);
}

void mxemu_launch_close(struct mxemu_launch *l)
{
    mxemu_close(&l->loaded);
    for (uint32_t n = 0; n < l->arg_count; n++) mxemu_arg_free(&l->args[n]);
    free(l->args);
    free(l->kernarg);
}

struct emu_launch mxemu_launch_how(const struct mxemu_launch *l)
{
    return (struct emu_launch){
        .kernel = l->kernel,
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .dynamic_lds_bytes = l->lds_bytes,
        .kernarg = l->kernarg,
        .kernarg_bytes = l->kernel->kernarg_bytes,
        .checks = l->checks,
        .threads = l->threads,
        .xnack = l->xnack,
        .order = l->order,
        .order_seed = l->order_seed,
    };
}
