/* Runs one task for each of many items in forked processes, several at a time. comgr lets only one thread of a process
 * compile, so threads would not do. */
#ifndef MXG_GEN_WORKERS_H
#define MXG_GEN_WORKERS_H

#include <stddef.h>

struct gen_workers {
    unsigned jobs;                              /* processes at a time */
    int (*task)(const void *context, size_t i); /* in a process of its own; 0 is success, stderr is captured */
    const char *(*name)(const void *context, size_t i);
    const void *context;
};

/* Runs the tasks of the items listed, showing progress. What a task wrote to stderr is shown when it ends. Sets
 * failed[item] for each that failed or died and returns their number, or -1 if processes cannot be made. */
int gen_workers_run(const struct gen_workers *workers, const size_t *items, size_t count, unsigned char *failed);

#endif
