/* mxemu run */
#include "tests/emu/cli/mxemu_stats.h"

#include <stdlib.h>

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

/* All files or, as far as the file system lets us, none. */
static enum mxemu_exit write_results(struct mxemu_launch *l, const struct emu_stats *stats)
{
    enum mxemu_exit status = MXEMU_DONE;
    struct mxg_output stats_file = {0};
    for (uint32_t n = 0; status == MXEMU_DONE && n < l->arg_count; n++)
        if (l->args[n].output) status = write_buffer(l->loaded.emu, &l->args[n]);
    if (status == MXEMU_DONE && l->stats) status = mxemu_write_stats(l, stats, &stats_file);
    for (uint32_t n = 0; status == MXEMU_DONE && n < l->arg_count; n++)
        status = mxemu_commit_output(&l->args[n].file);
    if (status == MXEMU_DONE) status = mxemu_commit_output(&stats_file);
    mxg_output_drop(&stats_file);
    return status;
}

/* ---- The run ------------------------------------------------------------------------------------------------------*/

static enum mxemu_exit launch(struct mxemu_launch *l)
{
    struct emu_error error;
    struct emu_stats stats;
    struct emu_launch how = mxemu_launch_how(l);
    how.count = l->stats != NULL;
    int launched = emu_launch(l->loaded.emu, &how, &stats, &error);
    enum mxemu_exit status = launched == 0 ? write_results(l, &stats) : mxemu_fail(MXEMU_FAILED, "%s", error.text);
    emu_stats_free(&stats);
    return status;
}

enum mxemu_exit mxemu_run(int argc, char **argv)
{
    struct mxemu_launch l;
    enum mxemu_exit status = mxemu_launch_open(&l, "run", MXEMU_TAKES_STATS | MXEMU_TAKES_CHECKS, argc, argv);
    if (status == MXEMU_DONE) status = mxemu_launch_prepare(&l);
    if (status == MXEMU_DONE) status = launch(&l);
    mxemu_launch_close(&l);
    return status;
}
