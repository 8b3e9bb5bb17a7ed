/* The user's measured choices: which variant to take for a problem on a device, CHOICES.md. They are read when a
 * library is opened, and sorted: to look one up takes a few comparisons. */
#ifndef MXG_LOADER_CHOICES_H
#define MXG_LOADER_CHOICES_H

#include "loader/pack.h"

#define MXG_CHOICES_FIRST_LINE "mxgemm-choices 1"
enum { MXG_CHOICES_MAX_BYTES = 16 << 20, MXG_CHOICES_MAX_LINE = 1024 };

/* A line. */
struct mxg_choice {
    uint64_t key[3]; /* what must be equal, of problem and device: see choices.c */
    const char *processor;
    const char *name;   /* of the variant */
    uint32_t variant;   /* its index; UINT32_MAX: this pack has none, and the choice is ignored */
    uint32_t line;      /* from 1 */
    uint32_t ns;        /* measured; 0: not said */
    const char *source; /* of ns; "": not said */
};

struct mxg_choices {
    char *name;               /* of the file */
    char *text;               /* of it, which the strings of the choices point into */
    struct mxg_choice *lines; /* by processor and key */
    uint32_t count;
};

/* Of a library whose index has been read. On an error it has no choices, and the sentence begins with FILE:LINE.
 * mxg_choices_parse() is for text that lies in memory, which `name` names; it is copied. */
mxg_status mxg_choices_read(mxg_library *library, const char *path);
mxg_status mxg_choices_parse(mxg_library *library, const char *text, size_t bytes, const char *name);
void mxg_choices_release(mxg_library *library);

/* The line for a problem that mxg_problem_take() has accepted, on a device; NULL where there is none, or none of a
 * variant of this pack. None is looked for where the problem itself asks for a variant or a split. */
const struct mxg_choice *mxg_choices_find(const mxg_library *library, const mxg_problem *problem,
                                          const mxg_device *device);

#endif
