/* The kernel's quantiser against vectors made apart from the project. */
#ifndef TESTS_GEMM_GOLDEN_H
#define TESTS_GEMM_GOLDEN_H

#include "loader/mxgemm.h"

/* Multiplies the blocks of tests/golden/quant_in by the identity, which brings out what the kernel made of each
 * element, and compares with quant_codes and quant_scale. Returns 1, or 0 with a sentence in *why. */
int golden_quantiser(mxg_context *context, char why[512]);

#endif
