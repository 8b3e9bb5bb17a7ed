#include "loader/log2.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "double is computed as double");

static const double LN2 = 0.69314718055994530942;

double mxg_log2(double x)
{
    int exponent;
    double mantissa = frexp(x, &exponent); /* exact; from a half to one */
    if (mantissa < 0.70710678118654752440) mantissa *= 2, exponent--;
    /* ln m = 2 artanh z = 2 z (1 + z^2/3 + z^4/5 + ...), |z| below 0.172: what follows z^19 is below 2^-55. In pairs of
     * terms, that few of them wait for each other. */
    const double z = (mantissa - 1) / (mantissa + 1), s = z * z, s2 = s * s, s4 = s2 * s2;
    const double low = 1 + s * (1.0 / 3) + s2 * (1.0 / 5 + s * (1.0 / 7));
    const double middle = 1.0 / 9 + s * (1.0 / 11) + s2 * (1.0 / 13 + s * (1.0 / 15));
    const double high = 1.0 / 17 + s * (1.0 / 19);
    return exponent + 2 / LN2 * z * (low + s4 * (middle + s4 * high));
}

double mxg_exp2(double x)
{
    const double whole = x + 0x1.8p52 - 0x1.8p52; /* the nearest whole number */
    /* e^y = 1 + y + y^2/2! + ..., |y| below 0.347: what follows y^11 is below 2^-47. In pairs of terms. */
    const double y = (x - whole) * LN2, y2 = y * y, y4 = y2 * y2;
    const double low = 1 + y + y2 * (1.0 / 2 + y * (1.0 / 6));
    const double middle = 1.0 / 24 + y * (1.0 / 120) + y2 * (1.0 / 720 + y * (1.0 / 5040));
    const double high = 1.0 / 40320 + y * (1.0 / 362880) + y2 * (1.0 / 3628800 + y * (1.0 / 39916800));
    double power;
    const uint64_t bits = (uint64_t)((int)whole + DBL_MAX_EXP - 1) << (DBL_MANT_DIG - 1); /* 2^whole, exactly */
    memcpy(&power, &bits, sizeof power);
    return (low + y4 * (middle + y4 * high)) * power;
}
