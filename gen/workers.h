/* Runs one task for each of many items in processes that take one item after the other, several at a time: comgr lets
 * only one thread of a process compile, so threads would not do. A process that dies costs its item alone. */
#ifndef MXG_GEN_WORKERS_H
#define MXG_GEN_WORKERS_H

#include "gen/text.h"

struct gen_done {
    size_t item;
    int failed;
    double seconds;
    struct gen_text result; /* what the task made */
    struct gen_text said;   /* what it wrote to stderr, and how its process died */
};

struct gen_workers {
    unsigned jobs; /* processes at a time, at most; a jobserver of make may allow fewer */
    void *context;
    /* In another process: appends what it makes of the item to `result`; 0 is success. What it writes to stderr is
     * captured. */
    int (*task)(const void *context, size_t item, struct gen_text *result);
    /* In this process, when an item ended, while others run on. -1 stops everything. */
    int (*ended)(void *context, const struct gen_done *done);
    const char *(*name)(const void *context, size_t item);
    double (*weight)(const void *context, size_t item); /* how much work an item is, above 0; a bar's unit */
};

/* Runs the tasks of the items in the order listed, showing progress, until all ended, `ended` returned -1 or one of the
 * signals of gen_signals_hold(), whose file `signals` is, is pending. -1 if it did not come to the end; no process is
 * left in any case. */
int gen_workers_run(const struct gen_workers *workers, const size_t *items, size_t count, int signals);

#endif
