/* What is wrong with a file, all of it and in the file's order, however it was found. */
#ifndef MXG_GEN_COMPLAINT_H
#define MXG_GEN_COMPLAINT_H

#include "gen/row.h"

#include <stddef.h>

/* A zeroed one with a path has none. */
struct gen_complaints {
    const char *path;
    struct gen_complaint *all;
    size_t count, room;
};

/* Keeps one sentence, without the place. */
void gen_complain(struct gen_complaints *complaints, struct gen_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says them on stderr, as "FILE:LINE:COLUMN: sentence", and frees them. Of hundreds only the first ones. -1 if there
 * was any, else 0. */
int gen_complaints_tell(struct gen_complaints *complaints);

/* Bytes from outside as a message shows them: cut where they are many, and what does not print as \xHH. */
enum { GEN_SHOWN_BYTES = 80 };
const char *gen_shown(const char *text, size_t length, char shown[GEN_SHOWN_BYTES]);

#endif
