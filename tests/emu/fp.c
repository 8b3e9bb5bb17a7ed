#include "tests/emu/fp.h"

#include <math.h>

uint16_t float_to_bf16(float x)
{
    uint32_t bits = float_bits(x);
    if (isnan(x)) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
