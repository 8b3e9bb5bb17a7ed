/* mxgemm convert: a .safetensors file into one whose weights have the layouts of the kernels. */
#define _GNU_SOURCE /* fallocate */
#include "loader/cli/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_header(struct convert_files *files, uint64_t file_bytes, struct safetensors *tensors)
{
    struct safetensors_error error;
    unsigned char prefix[SAFETENSORS_PREFIX_BYTES] = {0};
    uint64_t bytes = 0;
    if (file_bytes >= sizeof prefix && !convert_read(files, prefix, sizeof prefix, 0)) return false;
    if (!safetensors_header_bytes(prefix, file_bytes, &bytes, &error))
        return cli_fail("%s: %s", files->in_path, error.text);
    char *header = malloc((size_t)bytes + 1);
    if (!header) return cli_fail("no memory for the header of %s", files->in_path);
    files->in_data = sizeof prefix + bytes;
    bool good = convert_read(files, header, bytes, sizeof prefix) &&
                (safetensors_parse(header, (size_t)bytes, file_bytes - files->in_data, tensors, &error) ||
                 cli_fail("%s: %s", files->in_path, error.text));
    free(header);
    return good;
}

/* ---- writing, so that nothing is left of a work that did not end ------------------------------------------------- */

/* What a signal that ends the program removes before; "" for nothing. */
static char unfinished[PATH_MAX];

static void remove_unfinished(int number)
{
    if (*unfinished) (void)unlink(unfinished);
    (void)raise(number); /* SA_RESETHAND: this time it ends the program, once the handler has returned */
}

static void guard_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}; /* a pipe, of progress */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now, then = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND};
        (void)sigemptyset(&then.sa_mask);
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &then, NULL);
    }
}

/* The temporary file and the name that a signal removes appear at once, as far as signals can see. */
static bool create(struct mxg_output *output, const char *path, int *file)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    int result = mxg_output_create(output, path, file), why = errno;
    if (result == 0) (void)snprintf(unfinished, sizeof unfinished, "%s", output->temporary);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return result == 0 || cli_fail("cannot write %s: %s", path, strerror(why));
}

/* Finds out about a full disk before the work, where the file system can tell. */
static bool take_room(const struct convert_files *files, uint64_t bytes)
{
    if (fallocate(files->out, 0, 0, (off_t)bytes) == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR)
        return true;
    return cli_fail("cannot write the %" PRIu64 " bytes of %s: %s", bytes, files->out_path, strerror(errno));
}

static bool write_result(const struct convert_plan *plan, struct convert_files *files, int32_t threads)
{
    struct mxg_output output = {0};
    char *header = NULL;
    size_t header_bytes;
    guard_signals();
    bool good = convert_header(plan, &header, &header_bytes) && create(&output, files->out_path, &files->out);
    if (good) {
        files->out_data = header_bytes;
        good = take_room(files, header_bytes + plan->data_bytes) && convert_write(files, header, header_bytes, 0) &&
               convert_move(plan, files, threads);
        if (!good)
            (void)close(files->out); /* it is dropped */
        else if (mxg_output_close(&output, files->out) != 0)
            good = cli_fail("cannot write %s: %s", files->out_path, strerror(errno));
        good = good && cli_commit_output(&output);
        mxg_output_drop(&output);
    }
    free(header);
    return good;
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

static const char *const done[CONVERT_ACTIONS] = {"copied", "MXFP4", "quantised"};

static void list(const struct convert_plan *plan, bool all)
{
    char shown[SAFETENSORS_SHOWN_BYTES];
    for (size_t i = 0; i < plan->count; i++) {
        const struct convert_item *item = &plan->items[i];
        if (item->left)
            (void)printf("copied     %s: %s\n", safetensors_shown(item->in->name, shown), item->left);
        else if (all && item->action == CONVERT_COPY)
            (void)printf("copied     %s\n", safetensors_shown(item->in->name, shown));
        else if (all)
            (void)printf("%-9s  %s: %" PRId64 " x %" PRId64 " x %" PRId64 ", codes %s, scales %s\n", done[item->action],
                         safetensors_shown(item->in->name, shown), item->matrices, item->rows, item->k,
                         cli_layouts_text((uint32_t)item->layout), cli_layouts_text((uint32_t)item->scale_layout));
    }
}

static void sum_up(const struct convert_plan *plan, const char *what)
{
    size_t counts[CONVERT_ACTIONS] = {0}, rows = 0;
    for (size_t i = 0; i < plan->count; i++) {
        counts[plan->items[i].action]++;
        rows += plan->items[i].action != CONVERT_COPY && plan->items[i].layout == MXG_LAYOUT_ROW;
    }
    (void)printf("%s: %zu weights of MXFP4 converted, %zu quantised", what, counts[CONVERT_SHUFFLE],
                 counts[CONVERT_QUANTIZE]);
    if (rows > 0) (void)printf(" (%zu of them in row-major codes)", rows);
    (void)printf(", %zu tensors copied, %.1f MiB\n", counts[CONVERT_COPY], (double)plan->data_bytes / 0x1p20);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool check_paths(const struct cli_args *args, int in, uint64_t *in_bytes)
{
    struct stat about, out;
    if (fstat(in, &about) != 0) return cli_fail("cannot read %s: %s", args->in, strerror(errno));
    if (!S_ISREG(about.st_mode)) return cli_fail("%s is not a regular file", args->in);
    *in_bytes = (uint64_t)about.st_size;
    if (stat(args->out, &out) != 0) return true;
    if (!S_ISREG(out.st_mode)) return cli_fail("%s is not a regular file", args->out);
    if (out.st_dev == about.st_dev && out.st_ino == about.st_ino)
        return cli_fail("%s is the input: give --out another name", args->out);
    return true;
}

static bool convert_open_file(const struct cli_args *args, struct convert_files *files)
{
    struct safetensors tensors = {0};
    struct convert_plan plan = {0};
    uint64_t bytes = 0;
    bool good = check_paths(args, files->in, &bytes) && read_header(files, bytes, &tensors) &&
                convert_plan(&tensors, args, &plan) && (args->dry_run || write_result(&plan, files, args->threads));
    if (good) {
        list(&plan, args->dry_run);
        sum_up(&plan, args->dry_run ? "nothing written" : args->out);
    }
    convert_plan_free(&plan);
    safetensors_free(&tensors);
    return good;
}

enum cli_exit cli_convert(const struct cli_args *args)
{
    struct convert_files files = {.in_path = args->in, .out_path = args->out, .out = -1};
    files.in = open(args->in, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* or a FIFO would wait for its writer */
    if (files.in < 0) {
        (void)cli_fail("cannot open %s: %s", args->in, strerror(errno));
        return CLI_FAILED;
    }
    bool good = convert_open_file(args, &files);
    (void)close(files.in); /* read only: nothing can be lost */
    return good ? CLI_DONE : CLI_FAILED;
}
