#include "loader/log2.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

_Static_assert(FLT_EVAL_METHOD == 0, "double is computed as double");

static const double LN2 = 0.69314718055994530942;

double mxg_log2(double x)
{
    int exponent;
    double mantissa = frexp(x, &exponent); /* exact; from a half to one */
    if (mantissa < 0.70710678118654752440) mantissa *= 2, exponent--;
    /* ln m = 2 artanh z = 2 (z + z^3/3 + z^5/5 ...), |z| below 0.172: what follows z^19 is below 2^-55 */
    static const double odd[] = {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1};
    double z = (mantissa - 1) / (mantissa + 1), sum = 0;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) sum = sum * (z * z) + odd[i];
    return exponent + 2 / LN2 * z * sum;
}

double mxg_exp2(double x)
{
    int whole = (int)(x < 0 ? x - 0.5 : x + 0.5);
    /* e^y = 1 + y/1 (1 + y/2 (1 + ...)), |y| below 0.347: what follows y^13 is below 2^-57 */
    double y = (x - whole) * LN2, product = 1;
    for (int i = 13; i >= 1; i--) product = 1 + y / i * product;
    return ldexp(product, whole); /* exact */
}
