#include "tests/emu/error.h"

#include <stdarg.h>
#include <stdio.h>

int emu_fail(struct emu_error *error, const char *format, ...)
{
    if (!error) return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return -1;
}
