/* Reading the vectors in tests/golden, which were made apart from the project. For programs run in the top directory. */
#ifndef MXG_TESTS_GOLDEN_H
#define MXG_TESTS_GOLDEN_H

#include <stdio.h>

/* Whether tests/golden/`name` has exactly so many bytes; they are in data then. Says what is wrong otherwise. */
static inline int golden_read(const char *name, void *data, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof path, "tests/golden/%s", name);
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(data, 1, bytes, file) : 0;
    int ends = file && fgetc(file) == EOF;
    if (file) fclose(file);
    if (got == bytes && ends) return 1;
    printf("# %s does not have exactly %zu bytes\n", path, bytes);
    return 0;
}

#endif
