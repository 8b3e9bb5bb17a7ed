/* What a process holds of the system, for tests that it does not grow. */
#ifndef MXG_TESTS_PROCESS_STATE_H
#define MXG_TESTS_PROCESS_STATE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* Pages in memory; 0 where the system does not say. */
static inline long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
    (void)fclose(file);
    return resident;
}

static inline int open_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) return 0;
    while (readdir(directory)) count++;
    (void)closedir(directory);
    return count;
}

/* Sanitizers keep what is freed for a while: a process that does not grow looks as if it did. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEMORY_IS_KEPT = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { MEMORY_IS_KEPT = 1 };
#else
enum { MEMORY_IS_KEPT = 0 };
#endif
#else
enum { MEMORY_IS_KEPT = 0 };
#endif

#endif
