/* mxemu run */
#include "tests/emu/cli/mxemu_arg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const char *object, *kernel, *stats;
    uint32_t grid[3], block[3]; /* 0: not given */
    uint32_t lds_bytes;
    unsigned checks, threads;
    enum emu_order order;
    uint64_t order_seed;
    struct mxemu_arg *args;
    uint32_t arg_count;
};

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

static enum mxemu_exit option(struct run *run, const char *name, const char *value)
{
    struct emu_error error;
    uint64_t number;
    if (strcmp(name, "--grid") == 0 || strcmp(name, "--block") == 0) {
        if (!parse_dimensions(value, name[2] == 'g' ? run->grid : run->block))
            return mxemu_fail(MXEMU_MISUSED, "%s %s is not X[,Y[,Z]] of numbers from 1", name, value);
    } else if (strcmp(name, "--lds") == 0) {
        if (!mxemu_parse_number(value, UINT32_MAX, &number))
            return mxemu_fail(MXEMU_MISUSED, "--lds %s is not a number of bytes", value);
        run->lds_bytes = (uint32_t)number;
    } else if (strcmp(name, "--threads") == 0) {
        if (!mxemu_parse_number(value, MAX_THREADS, &number))
            return mxemu_fail(MXEMU_MISUSED, "--threads %s is not a number from 0 to %d", value, MAX_THREADS);
        run->threads = (unsigned)number;
    } else if (strcmp(name, "--check") == 0) {
        if (emu_parse_checks(value, &run->checks, &error) != 0)
            return mxemu_fail(MXEMU_MISUSED, "--check %s: %s", value, error.text);
    } else if (strcmp(name, "--order") == 0) {
        if (emu_parse_order(value, &run->order, &run->order_seed, &error) != 0)
            return mxemu_fail(MXEMU_MISUSED, "--order %s: %s", value, error.text);
    } else if (strcmp(name, "--stats") == 0) {
        run->stats = value;
    } else if (strcmp(name, "--arg") == 0) {
        return mxemu_arg_parse(&run->args[run->arg_count++], value);
    } else {
        return mxemu_fail(MXEMU_MISUSED, "run has no option %s; see mxemu --help", name);
    }
    return MXEMU_DONE;
}

/* run->args has room for argc of them. */
static enum mxemu_exit parse(struct run *run, int argc, char **argv)
{
    int words = 0;
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] == '-') {
            if (i + 1 == argc) return mxemu_fail(MXEMU_MISUSED, "%s has no value; see mxemu --help", argv[i]);
            enum mxemu_exit status = option(run, argv[i], argv[i + 1]);
            if (status != MXEMU_DONE) return status;
            i++;
        } else if (words == 2) {
            return mxemu_fail(MXEMU_MISUSED, "%s is one word too many; see mxemu --help", argv[i]);
        } else {
            *(words++ == 0 ? &run->object : &run->kernel) = argv[i];
        }
    }
    if (words < 2) return mxemu_fail(MXEMU_MISUSED, "run needs a code object and a kernel; see mxemu --help");
    if (!run->grid[0] || !run->block[0])
        return mxemu_fail(MXEMU_MISUSED, "run needs --%s", run->grid[0] ? "block" : "grid");
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
static enum mxemu_exit check_args(const struct run *run, const struct emu_kernel *kernel)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        if (!emu_arg_is_explicit(&kernel->args[i])) continue;
        if (n < run->arg_count) {
            enum mxemu_exit status = check_arg(kernel, n, &kernel->args[i], &run->args[n]);
            if (status != MXEMU_DONE) return status;
        }
        n++;
    }
    if (n == run->arg_count) return MXEMU_DONE;
    return mxemu_fail(MXEMU_MISUSED, "%s has %u arguments, %u are given; see mxemu list", kernel->name, n,
                      run->arg_count);
}

/* A buffer of no bytes is the null pointer. */
static enum mxemu_exit make_buffer(struct emu *emu, struct mxemu_arg *arg)
{
    struct emu_error error;
    struct mxemu_bytes file = {NULL, 0};
    enum mxemu_exit status = arg->input ? mxemu_read_file(arg->input, &file) : MXEMU_DONE;
    if (status != MXEMU_DONE) return status;
    if (arg->input) arg->bytes = file.bytes;
    int done = arg->bytes ? emu_alloc(emu, arg->bytes, &arg->address, &error) : 0;
    if (done == 0 && file.bytes) done = emu_write(emu, arg->address, file.data, file.bytes, &error);
    if (done == 0 && arg->bytes && arg->fill >= 0) done = emu_fill(emu, arg->address, arg->fill, arg->bytes, &error);
    free(file.data);
    return done == 0 ? MXEMU_DONE : mxemu_fail(MXEMU_FAILED, "--arg %s: %s", arg->spec, error.text);
}

/* Makes all buffers and writes the explicit arguments where they belong; kernarg has room for them. */
static enum mxemu_exit make_args(struct emu *emu, struct run *run, const struct emu_kernel *kernel,
                                 unsigned char *kernarg)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        const struct emu_arg *wanted = &kernel->args[i];
        if (!emu_arg_is_explicit(wanted)) continue;
        struct mxemu_arg *given = &run->args[n++];
        enum mxemu_exit status = given->form == MXEMU_VALUE ? MXEMU_DONE : make_buffer(emu, given);
        if (status != MXEMU_DONE) return status;
        const uint64_t *value = given->form == MXEMU_VALUE ? &given->bits : &given->address;
        memcpy(kernarg + wanted->offset, value, wanted->bytes < sizeof *value ? wanted->bytes : sizeof *value);
    }
    return MXEMU_DONE;
}

/* ---- Results ------------------------------------------------------------------------------------------------------*/

static enum mxemu_exit write_buffer(struct emu *emu, struct mxemu_arg *arg)
{
    struct emu_error error;
    unsigned char *data = malloc(arg->bytes + 1);
    if (!data) return mxemu_fail(MXEMU_FAILED, "%s: out of memory", arg->output);
    enum mxemu_exit status = MXEMU_DONE;
    if (arg->bytes && emu_read(emu, arg->address, data, arg->bytes, &error) != 0)
        status = mxemu_fail(MXEMU_FAILED, "--arg %s: %s", arg->spec, error.text);
    if (status == MXEMU_DONE) status = mxemu_write_output(&arg->file, arg->output, data, arg->bytes);
    free(data);
    return status;
}

/* As a JSON string's contents; kernels have names that need no escape, unless somebody wants to be funny. */
static void escape(char *to, size_t room, const char *text)
{
    for (; *text && room > 2; text++) {
        if (*text == '"' || *text == '\\') *to++ = '\\', room--;
        *to++ = (unsigned char)*text < ' ' ? '?' : *text, room--;
    }
    *to = 0;
}

static enum mxemu_exit write_stats(const struct run *run, const struct emu_stats *stats, struct mxg_output *file)
{
    char text[1024], name[600];
    escape(name, sizeof name, run->kernel);
    int length =
        snprintf(text, sizeof text,
                 "{\n  \"kernel\": \"%s\",\n  \"grid\": [%u, %u, %u],\n  \"block\": [%u, %u, %u],\n"
                 "  \"workgroups\": %" PRIu64 ",\n  \"waves\": %" PRIu64 ",\n  \"instructions\": %" PRIu64 "\n}\n",
                 name, run->grid[0], run->grid[1], run->grid[2], run->block[0], run->block[1], run->block[2],
                 stats->workgroups, stats->waves, stats->instructions);
    return mxemu_write_output(file, run->stats, text, (size_t)length);
}

/* All files or, as far as the file system lets us, none. */
static enum mxemu_exit write_results(struct emu *emu, struct run *run, const struct emu_stats *stats)
{
    enum mxemu_exit status = MXEMU_DONE;
    struct mxg_output stats_file = {0};
    for (uint32_t n = 0; status == MXEMU_DONE && n < run->arg_count; n++)
        if (run->args[n].output) status = write_buffer(emu, &run->args[n]);
    if (status == MXEMU_DONE && run->stats) status = write_stats(run, stats, &stats_file);
    for (uint32_t n = 0; status == MXEMU_DONE && n < run->arg_count; n++)
        status = mxemu_commit_output(&run->args[n].file);
    if (status == MXEMU_DONE) status = mxemu_commit_output(&stats_file);
    mxg_output_drop(&stats_file);
    return status;
}

/* ---- The run ------------------------------------------------------------------------------------------------------*/

static enum mxemu_exit launch(struct emu *emu, struct run *run, const struct emu_kernel *kernel,
                              const unsigned char *kernarg)
{
    struct emu_error error;
    struct emu_stats stats;
    const struct emu_launch how = {
        .kernel = kernel,
        .grid = {run->grid[0], run->grid[1], run->grid[2]},
        .block = {run->block[0], run->block[1], run->block[2]},
        .dynamic_lds_bytes = run->lds_bytes,
        .kernarg = kernarg,
        .kernarg_bytes = kernel->kernarg_bytes,
        .checks = run->checks,
        .threads = run->threads,
        .order = run->order,
        .order_seed = run->order_seed,
    };
    if (emu_launch(emu, &how, &stats, &error) != 0) return mxemu_fail(MXEMU_FAILED, "%s", error.text);
    return write_results(emu, run, &stats);
}

static enum mxemu_exit run_kernel(struct run *run)
{
    struct mxemu_loaded loaded;
    enum mxemu_exit status = mxemu_load(&loaded, run->object);
    if (status != MXEMU_DONE) return status;
    const struct emu_kernel *kernel = emu_object_kernel(loaded.object, run->kernel);
    unsigned char *kernarg = kernel ? calloc(1, (size_t)kernel->kernarg_bytes + 1) : NULL;
    if (!kernel)
        status = mxemu_fail(MXEMU_FAILED, "%s has no kernel %s; see mxemu list", run->object, run->kernel);
    else if (!kernarg)
        status = mxemu_fail(MXEMU_FAILED, "out of memory");
    if (status == MXEMU_DONE) status = check_args(run, kernel);
    if (status == MXEMU_DONE) status = make_args(loaded.emu, run, kernel, kernarg);
    if (status == MXEMU_DONE) status = launch(loaded.emu, run, kernel, kernarg);
    free(kernarg);
    mxemu_close(&loaded);
    return status;
}

enum mxemu_exit mxemu_run(int argc, char **argv)
{
    struct run run = {.checks = EMU_CHECK_ALL};
    run.args = calloc((size_t)argc + 1, sizeof *run.args);
    if (!run.args) return mxemu_fail(MXEMU_FAILED, "out of memory");
    enum mxemu_exit status = parse(&run, argc, argv);
    if (status == MXEMU_DONE) status = run_kernel(&run);
    for (uint32_t n = 0; n < run.arg_count; n++) mxemu_arg_free(&run.args[n]);
    free(run.args);
    return status;
}
