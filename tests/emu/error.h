/* Filling a struct emu_error. */
#ifndef EMU_ERROR_H
#define EMU_ERROR_H

#include "tests/emu/emu.h"

/* Writes the sentence (error may be NULL) and returns -1, so that a failing function can return it. */
int emu_fail(struct emu_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
