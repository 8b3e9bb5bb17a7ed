#include "common/sha256_blocks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

int mxg_sha256_has_x86(void)
{
    const unsigned needed = bit_SSSE3 | bit_SSE4_1;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & needed) != needed) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* The instructions want the state as the dwords F E B A and H G D C, the first lowest; sha256rnds2 does two rounds with
 * the two lowest dwords of message + constant, sha256msg1 and msg2 the two parts of the message schedule. */
__attribute__((target("sha,ssse3,sse4.1"))) void mxg_sha256_blocks_x86(uint32_t state[8], const unsigned char *blocks,
                                                                       size_t count)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)state);
    const __m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; count > 0; count--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4]; /* the last 16 words of the schedule, in a ring */
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i)), big_endian);
#if defined(__clang__)
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 16
#endif
        for (int i = 0; i < 16; i++) {
            const __m128i constants = _mm_loadu_si128((const __m128i *)(const void *)(mxg_sha256_constants + 4 * i));
            const __m128i sum = _mm_add_epi32(w[i % 4], constants);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            if (i >= 12) continue; /* no more words are needed */
            const __m128i seven_back = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
            const __m128i part = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), seven_back);
            w[i % 4] = _mm_sha256msg2_epu32(part, w[(i + 3) % 4]);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#else

int mxg_sha256_has_x86(void)
{
    return 0;
}

void mxg_sha256_blocks_x86(uint32_t state[8], const unsigned char *blocks, size_t count)
{
    mxg_sha256_blocks_portable(state, blocks, count);
}

#endif
