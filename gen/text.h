/* Growing byte strings and the one way mxgen, and what else uses these files, complains. Running out of memory ends
 * the program: a generator that is short of memory has nothing better to do. */
#ifndef MXG_GEN_TEXT_H
#define MXG_GEN_TEXT_H

#include <stdarg.h>
#include <stddef.h>

struct gen_text {
    char *data; /* always followed by a NUL that is not counted; null while nothing was ever added */
    size_t bytes, room;
};

void gen_text_add(struct gen_text *text, const void *data, size_t bytes);
void gen_text_print(struct gen_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_text_print_list(struct gen_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void gen_text_free(struct gen_text *text);

void *gen_alloc(size_t count, size_t size); /* zeroed */
void gen_out_of_memory(void) __attribute__((noreturn)); /* says so and ends the program */

/* "PROGRAM: ...\n" to stderr, by the name that it was called by. Returns -1, so that a function can complain and fail
 * in one statement. */
int gen_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
