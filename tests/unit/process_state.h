/* What a process holds of the system, for tests that it does not grow. */
#ifndef MXG_TESTS_PROCESS_STATE_H
#define MXG_TESTS_PROCESS_STATE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* Memory in KiB; 0 where the system does not say. By the exact count: that of /proc/self/statm is put together from the
 * processors' own ones now and then, and off by some dozens of pages. */
static inline long resident_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (!file) return 0;
    while (kib == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %ld kB", &kib) != 1) kib = 0;
    (void)fclose(file);
    return kib;
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
