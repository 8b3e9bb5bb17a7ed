/* Many independent computations, spread over processes: the emulator runs in each as in a program of its own, and what
 * is computed does not depend on how many there are. */
#ifndef TESTS_BENCH_TASKS_H
#define TESTS_BENCH_TASKS_H

#include <stddef.h>

enum { TASK_NAME_BYTES = 160 };

struct tasks {
    size_t count, result_bytes;
    unsigned jobs; /* processes; 0: as many as there are processors */
    void (*run)(const void *context, size_t n, void *result); /* result: zeroed. Fails by bench_fail() */
    void (*name)(const void *context, size_t n, char name[TASK_NAME_BYTES]);
    const void *context;
};

/* The results, one after the other, until the program ends. Progress goes to stderr. A task that fails ends the
 * program, after the others that had begun. */
void *tasks_run(const struct tasks *tasks);

#endif
