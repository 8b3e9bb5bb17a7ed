/* Memory of the device that tests of graphs write and look at: a few words, zero at first. */
#ifndef MXG_TESTS_HIP_WORDS_H
#define MXG_TESTS_HIP_WORDS_H

#include "tests/unit/hip_host.h"

enum { WORDS = 8, BYTES = WORDS * 4 };

static inline uint32_t *device_words(void)
{
    void *pointer = NULL;
    CHECK_HIP(api.hipMalloc(&pointer, BYTES), hipSuccess);
    CHECK_HIP(api.hipMemset(pointer, 0, BYTES), hipSuccess);
    return pointer;
}

static inline uint32_t word_at(const uint32_t *pointer)
{
    uint32_t word = 0;
    CHECK_HIP(api.hipMemcpy(&word, pointer, sizeof word, hipMemcpyDeviceToHost), hipSuccess);
    return word;
}

#endif
