/* The lines of a small file, without comments. */
#ifndef TESTS_BENCH_LINES_H
#define TESTS_BENCH_LINES_H

#include "gen/text.h"

struct lines {
    const char *path;
    struct gen_text text;
    char *rest;
    size_t number; /* of the line that was given last */
};

/* A file that cannot be read ends the program by bench_fail(). */
void lines_open(struct lines *lines, const char *path);

/* The next line that is not blank, without what follows a #; NULL after the last. The caller may change it. */
char *lines_next(struct lines *lines);

void lines_close(struct lines *lines);

#endif
