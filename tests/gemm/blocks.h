/* Blocks that try a quantiser: each of all bf16 values as the largest of its block. */
#ifndef TESTS_GEMM_BLOCKS_H
#define TESTS_GEMM_BLOCKS_H

#include <stdint.h>

enum { BLOCK = 32, AMAX_BLOCKS = 65536 };

/* Block n has the bf16 of bits n, nothing larger, and all ties between codes that this leaves room for. The caller
 * frees them. */
uint16_t (*amax_blocks(void))[BLOCK];

#endif
