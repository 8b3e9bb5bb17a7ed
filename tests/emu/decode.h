/* Decoding: decode.c has the encodings, decode_extra.c what may stand behind one. */
#ifndef EMU_DECODE_H
#define EMU_DECODE_H

#include "tests/emu/insn.h"

static inline uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

static inline uint32_t load32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* What follows the i->bytes that have been decoded, if anything: adds its fields and its length. Returns the length of
 * all; 0: there is none such, or not so many bytes. */
unsigned decode_extra_dword(const unsigned char *code, size_t bytes, struct insn *i);

#endif
