/* Random numbers for tests of instructions, the same in each run. */
#ifndef TESTS_RANDOM32_H
#define TESTS_RANDOM32_H

#include "tests/random.h"

static uint64_t random32_state;

static inline uint32_t random32(void)
{
    return (uint32_t)(random_next(&random32_state) >> 32);
}

static inline uint32_t below(uint32_t n)
{
    return random32() % n;
}

#endif
