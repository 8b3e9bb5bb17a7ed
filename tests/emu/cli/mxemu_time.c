/* mxemu time */
#include "tests/emu/cli/mxemu_time.h"

#include <stdio.h>

enum mxemu_exit mxemu_time(int argc, char **argv)
{
    struct mxemu_launch l;
    struct emu_error error;
    struct emu_trace *trace = NULL;
    struct emu_time time;
    enum mxemu_exit status = mxemu_launch_open(&l, "time", MXEMU_TAKES_JSON | MXEMU_TAKES_MACHINE, argc, argv);
    if (status == MXEMU_DONE) status = mxemu_launch_prepare(&l);
    if (status == MXEMU_DONE) {
        const struct emu_launch how = mxemu_launch_how(&l);
        if (emu_trace(l.loaded.emu, &how, &trace, &error) || emu_time(trace, &l.machine, l.from, &time, &error))
            status = mxemu_fail(MXEMU_FAILED, "%s", error.text);
    }
    if (status == MXEMU_DONE) {
        const struct emu_main_loop loop = emu_trace_main_loop(trace);
        (l.json ? mxemu_print_time_json : mxemu_print_time)(&l, &time, &loop);
        if (fflush(stdout)) status = mxemu_fail(MXEMU_FAILED, "the prediction could not be written");
    }
    emu_trace_free(trace);
    mxemu_launch_close(&l);
    return status;
}
