#include "tests/emu/fp.h"

#include <math.h>

uint16_t double_to_half(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    double magnitude = fabs(x);
    if (isnan(x)) return (uint16_t)(sign | 0x7e00 | (double_bits(x) >> 42 & 0x3ff));
    if (magnitude == 0) return sign;
    if (magnitude >= 65520.0) return (uint16_t)(sign | 0x7c00); /* halfway above the largest half */
    int exponent;
    frexp(magnitude, &exponent); /* magnitude in [2^(exponent-1), 2^exponent) */
    int quantum = (exponent < -13 ? -13 : exponent) - 11;
    double units = nearbyint(ldexp(magnitude, -quantum)); /* exact scaling, one rounding */
    /* units can reach the next power of two, which carries into the exponent field as it should */
    return (uint16_t)(sign | (uint16_t)((quantum + 24) * 1024 + (int)units));
}

uint16_t float_to_bf16(float x)
{
    uint32_t bits = float_bits(x);
    if (isnan(x)) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
