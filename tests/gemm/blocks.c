#include "tests/gemm/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* In units of the scale, where two codes are equally near. */
static const float ties[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5};

static uint16_t bf16_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* A block whose largest magnitude is that of the bf16 `amax`, with all ties that it leaves room for, for either scale
 * that its exponent may lead to, and their neighbours. */
static void tie_block(uint16_t amax, uint16_t block[BLOCK])
{
    const uint16_t largest = amax & 0x7fff;
    const int exponent = (largest >> 7) - 127;
    unsigned i = 0;
    for (size_t t = 0; t < COUNT(ties); t++)
        for (int up = 0; up < 2; up++)
            for (int beside = 0; beside < 2; beside++, i++) {
                uint16_t x = bf16_of((float)ldexp((double)ties[t], exponent - 2 + up));
                if (beside) x = (uint16_t)(t % 2 ? x + 1 : x - (x > 0));
                if (x > largest) x = largest >> up;
                block[i] = x | (uint16_t)((i / 2 + t + (amax >> 15)) % 2 << 15);
            }
    for (; i < BLOCK; i++) block[i] = (uint16_t)((largest >> (i - 27)) | (i % 2 << 15)); /* anything smaller */
    block[(amax * 7u) % BLOCK] = amax;
}

uint16_t (*amax_blocks(void))[BLOCK]
{
    uint16_t(*blocks)[BLOCK] = malloc(AMAX_BLOCKS * sizeof *blocks);
    if (!blocks) abort();
    for (unsigned amax = 0; amax < AMAX_BLOCKS; amax++) tie_block((uint16_t)amax, blocks[amax]);
    return blocks;
}
