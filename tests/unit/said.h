/* What a call says on stderr. */
#ifndef MXG_TESTS_SAID_H
#define MXG_TESTS_SAID_H

#include "gen/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct gen_text said;

/* Runs `call` and keeps in `said` what it says on stderr. */
#define QUIETLY(call)                                                                                                  \
    do {                                                                                                               \
        FILE *said_file = tmpfile();                                                                                   \
        int said_kept = stderr_to(said_file);                                                                          \
        call;                                                                                                          \
        stderr_back(said_file, said_kept);                                                                             \
    } while (0)

static inline int stderr_to(FILE *file)
{
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    if (kept < 0 || !file || dup2(fileno(file), STDERR_FILENO) < 0) abort();
    return kept;
}

static inline void stderr_back(FILE *file, int kept)
{
    fflush(stderr);
    if (dup2(kept, STDERR_FILENO) < 0 || close(kept) != 0) abort();
    char part[256];
    rewind(file);
    gen_text_free(&said);
    gen_text_add(&said, "", 0);
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) gen_text_add(&said, part, got);
    fclose(file);
}

#endif
