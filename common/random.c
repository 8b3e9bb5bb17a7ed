#include "common/random.h"

#include <stdint.h>

static uint32_t next_random(uint32_t *state) /* xorshift */
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    return *state = x ^ x << 5;
}

void mxg_random_bytes(void *data, size_t bytes, unsigned least, unsigned most)
{
    unsigned char *to = data;
    uint32_t random = 1;
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(least + (next_random(&random) >> 8) % (most - least + 1));
}

/* Exponents from 2^-7 to 2^0. */
void mxg_random_bf16(void *data, size_t count)
{
    uint16_t *to = data;
    uint32_t random = 2;
    for (size_t i = 0; i < count; i++) {
        uint32_t x = next_random(&random);
        to[i] = (uint16_t)((x & 0x8000) | (120 + (x >> 16 & 7)) << 7 | (x & 0x7f));
    }
}
