/* How far memory can be read, where a caller cannot say how large what it gives is. */
#ifndef EMU_READABLE_H
#define EMU_READABLE_H

#include <stddef.h>

/* So many bytes from start on, at most `bytes`, can be read without a fault. */
size_t emu_readable(const void *start, size_t bytes);

#endif
