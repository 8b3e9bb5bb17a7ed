/* The work of weights_portable.c on x86 processors with AVX2. Whole blocks are done in registers; those that need
 * denormals of bf16 are left to mxg_quantize_words(). */
#include "loader/weights.h"

#ifdef __x86_64__

#include "common/variant.h"
#include "loader/layout.h"

#include <cpuid.h>
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 __attribute__((always_inline)) static inline

enum { LINE = 64 }; /* bytes of a cache line */

enum { WORD_BLOCK = 2 * MXG_BLOCK, F32_BLOCK = 4 * MXG_BLOCK }; /* bytes */
enum { EIGHT = 8 }; /* blocks that are quantised together: as many as an SSE register has words */

AVX2_INLINE __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

AVX2_INLINE __m256i magnitudes(__m256i words)
{
    return _mm256_and_si256(words, _mm256_set1_epi16(0x7fff));
}

/* The largest of each word with its neighbours: halves of `a` and `b` in turn. */
AVX2_INLINE __m256i merge(__m256i a, __m256i b)
{
    return _mm256_max_epi16(_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b));
}

/* The largest magnitude of each of eight blocks, by number. */
AVX2_INLINE __m128i largest(const uint8_t *words)
{
    __m256i block[EIGHT];
#pragma GCC unroll 8
    for (int i = 0; i < EIGHT; i++)
        block[i] = _mm256_max_epi16(magnitudes(load(words + i * 64)), magnitudes(load(words + i * 64 + 32)));
    __m256i even = merge(merge(block[0], block[4]), merge(block[2], block[6]));
    __m256i odd = merge(merge(block[1], block[5]), merge(block[3], block[7]));
    __m256i all = merge(even, odd);
    return _mm_max_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

/* What stands for the codes of 16 words, by which quarter of a binade they are in. A binade is 2^fraction_bits here, as
 * in a bf16 (7) or an f16 (10). `base` is the scale's number of binades, less one: a magnitude less it is one binade
 * and the logarithm of |x| / 2^E with a straight fraction. All middles between two codes lie at multiples of a quarter.
 * In every second half they belong to what is above them, and to what is below in the others: that is to nearest even.
 * The result is 4 for |x| = 2^E. */
AVX2_INLINE __m256i quarters_of(__m256i words, __m256i base, int fraction_bits)
{
    __m256i t = _mm256_sub_epi16(magnitudes(words), base);
    __m256i above = _mm256_and_si256(_mm256_srai_epi16(t, fraction_bits - 1), _mm256_set1_epi16(1));
    t = _mm256_add_epi16(t, _mm256_set1_epi16((short)((1 << (fraction_bits - 2)) - 1)));
    return _mm256_srai_epi16(_mm256_add_epi16(t, above), fraction_bits - 2);
}

/* The codes of a block, two a word. The table is of quarters from 0 on; from -3 to -1 the code is 1, below it is 0. */
AVX2_INLINE __m256i codes_of(const uint8_t *words, uint16_t base, int fraction_bits)
{
    const __m256i table = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
    __m256i low = load(words), high = load(words + 32), all = _mm256_set1_epi16((short)base);
    __m256i quarter = _mm256_packs_epi16(quarters_of(low, all, fraction_bits), quarters_of(high, all, fraction_bits));
    __m256i some = _mm256_abs_epi8(_mm256_cmpgt_epi8(quarter, _mm256_set1_epi8(-4)));
    __m256i code = _mm256_max_epu8(_mm256_shuffle_epi8(table, quarter), some); /* of negative ones 0 */
    __m256i sign = _mm256_srli_epi16(_mm256_packs_epi16(low, high), 4);
    code = _mm256_or_si256(code, _mm256_and_si256(sign, _mm256_set1_epi8(8)));
    return _mm256_maddubs_epi16(code, _mm256_set1_epi16(0x1001)); /* a byte, and 16 times the next */
}

/* Eight blocks of words and the largest magnitude of each. `bias`: from their exponents to those of bf16. */
AVX2_INLINE void quantize_eight(const uint8_t *words, __m128i amax, int fraction_bits, int bias, uint8_t *codes,
                                uint8_t *scales)
{
    __m128i scale = _mm_add_epi16(amax, _mm_set1_epi16((short)(1 << (fraction_bits - 2))));
    scale = _mm_subs_epu16(_mm_srli_epi16(scale, fraction_bits), _mm_set1_epi16(2));
    __m128i far = _mm_srli_epi16(_mm_cmpeq_epi16(amax, _mm_setzero_si128()), 1); /* of zeros all codes are 0 */
    uint16_t base[EIGHT];
    _mm_storeu_si128((__m128i *)base, _mm_sub_epi16(_mm_or_si128(_mm_slli_epi16(scale, fraction_bits), far),
                                                    _mm_set1_epi16((short)(1 << fraction_bits))));
    scale = _mm_add_epi16(scale, _mm_set1_epi16((short)bias));
    _mm_storel_epi64((__m128i *)scales, _mm_packus_epi16(scale, scale));
#pragma GCC unroll 4
    for (int i = 0; i < EIGHT; i += 2) {
        __m256i two = _mm256_packus_epi16(codes_of(words + i * 64, base[i], fraction_bits),
                                          codes_of(words + i * 64 + 64, base[i + 1], fraction_bits));
        two = _mm256_permutevar8x32_epi32(two, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)); /* packs keep to halves */
        _mm256_storeu_si256((__m256i *)(codes + i * 16), two);
    }
}

/* Of bf16, and once more what needs it: blocks in which denormals may count, whose scale is at most 2 but not that of
 * zeros, and those that are not finite. */
AVX2 __attribute__((noinline)) static void quantize_words(const uint8_t *words, __m128i amax, uint8_t *codes,
                                                          uint8_t *scales)
{
    quantize_eight(words, amax, 7, 0, codes, scales);
    __m128i low =
        _mm_and_si128(_mm_cmpgt_epi16(_mm_set1_epi16(0x260), amax), _mm_cmpgt_epi16(amax, _mm_setzero_si128()));
    int slow = _mm_movemask_epi8(_mm_or_si128(low, _mm_cmpgt_epi16(amax, _mm_set1_epi16(0x7f7f))));
    for (int i = 0; slow != 0 && i < EIGHT; i++) {
        if (!(slow >> 2 * i & 1)) continue;
        uint16_t block[MXG_BLOCK];
        memcpy(block, words + i * 64, sizeof block);
        scales[i] = mxg_quantize_words(block, codes + i * 16);
    }
}

AVX2_INLINE void eight_of_bf16(const uint8_t *in, uint8_t *codes, uint8_t *scales)
{
    quantize_words(in, largest(in), codes, scales);
}

/* Sixteen f32 to words, with the bits cut off collected in the lowest. */
AVX2_INLINE __m256i words_of_f32(__m256i first, __m256i second)
{
    __m256i mask = _mm256_set1_epi32(0xffff);
    __m256i cut = _mm256_packus_epi32(_mm256_and_si256(first, mask), _mm256_and_si256(second, mask));
    __m256i kept = _mm256_packus_epi32(_mm256_srli_epi32(first, 16), _mm256_srli_epi32(second, 16));
    kept = _mm256_or_si256(kept, _mm256_min_epu16(cut, _mm256_set1_epi16(1)));
    return _mm256_permute4x64_epi64(kept, 0xd8);
}

AVX2_INLINE void eight_of_f32(const uint8_t *in, uint8_t *codes, uint8_t *scales)
{
    uint8_t words[EIGHT * 64];
    for (int i = 0; i < EIGHT * 2; i++)
        _mm256_storeu_si256((__m256i *)(words + i * 32), words_of_f32(load(in + i * 64), load(in + i * 64 + 32)));
    quantize_words(words, largest(words), codes, scales);
}

enum { F16_INFINITE = 0x7c00, F16_SMALL = 0x1400 }; /* small: 2^-10 */

/* Eight f16 to f32, exactly and without a denormal f32 on the way; what is not finite stays so. */
AVX2_INLINE __m256i f32_of_f16(__m128i halves)
{
    __m256i all = _mm256_cvtepu16_epi32(halves), magnitude = _mm256_and_si256(all, _mm256_set1_epi32(0x7fff));
    __m256i sign = _mm256_slli_epi32(_mm256_xor_si256(all, magnitude), 16);
    __m256i normal = _mm256_add_epi32(_mm256_slli_epi32(magnitude, 13), _mm256_set1_epi32((127 - 15) << 23));
    __m256i denormal = _mm256_sub_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(magnitude)), /* a multiple of 2^-24 */
                                        _mm256_set1_epi32(24 << 23));
    __m256i value = _mm256_blendv_epi8(normal, denormal, _mm256_cmpgt_epi32(_mm256_set1_epi32(0x400), magnitude));
    value = _mm256_andnot_si256(_mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256()), value);
    __m256i infinite = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(F16_INFINITE - 1));
    value = _mm256_or_si256(value, _mm256_and_si256(infinite, _mm256_set1_epi32(0x7f800000)));
    return _mm256_or_si256(value, sign);
}

AVX2_INLINE __m256i words_of_f16(__m256i halves)
{
    return words_of_f32(f32_of_f16(_mm256_castsi256_si128(halves)), f32_of_f16(_mm256_extracti128_si256(halves, 1)));
}

/* Beside an amax of F16_SMALL denormals have code 0, whatever they are taken for: then f16 go as they are. */
AVX2_INLINE void eight_of_f16(const uint8_t *in, uint8_t *codes, uint8_t *scales)
{
    __m128i amax = largest(in);
    __m128i odd = _mm_or_si128(_mm_cmpgt_epi16(_mm_set1_epi16(F16_SMALL), amax),
                               _mm_cmpgt_epi16(amax, _mm_set1_epi16(F16_INFINITE - 1)));
    if (_mm_movemask_epi8(odd) == 0) {
        quantize_eight(in, amax, 10, 127 - 15, codes, scales);
        return;
    }
    uint8_t words[EIGHT * 64];
    for (int i = 0; i < EIGHT * 2; i++)
        _mm256_storeu_si256((__m256i *)(words + i * 32), words_of_f16(load(in + i * 32)));
    quantize_words(words, largest(words), codes, scales);
}

/* To the second cache: the first has buffers to keep. */
static inline void prefetch(uintptr_t at, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += LINE) __builtin_prefetch((const void *)(at + line), 0, 2);
}

/* Eight blocks at a time, at the end with zeros in the place of those that are missing. `ahead`, the way to where the
 * input goes on after this, says which lines to ask for. */
AVX2_INLINE void quantize(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead,
                          size_t block_bytes, void (*eight)(const uint8_t *, uint8_t *, uint8_t *))
{
    uint8_t last[EIGHT * F32_BLOCK], last_codes[EIGHT * 16], last_scales[EIGHT];
    for (int64_t g = 0; g < blocks; g += EIGHT) {
        const uint8_t *from = (const uint8_t *)in + (size_t)g * block_bytes;
        const size_t left = (size_t)(blocks - g);
        const bool whole = left >= EIGHT;
        if (whole) {
            prefetch((uintptr_t)from + (uintptr_t)ahead, EIGHT * block_bytes);
        } else {
            memset(last, 0, sizeof last);
            memcpy(last, from, left * block_bytes);
        }
        eight(whole ? from : last, whole ? codes + g * 16 : last_codes, whole ? scales + g : last_scales);
        if (whole) continue;
        memcpy(codes + g * 16, last_codes, left * 16);
        memcpy(scales + g, last_scales, left);
    }
}

AVX2 static void quantize_bf16(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead)
{
    quantize(in, blocks, codes, scales, ahead, WORD_BLOCK, eight_of_bf16);
}

AVX2 static void quantize_f16(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead)
{
    quantize(in, blocks, codes, scales, ahead, WORD_BLOCK, eight_of_f16);
}

AVX2 static void quantize_f32(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead)
{
    quantize(in, blocks, codes, scales, ahead, F32_BLOCK, eight_of_f32);
}

/* A 4 x 4 matrix of doublewords, turned over. */
AVX2_INLINE void transpose(__m128i rows[4])
{
    __m128i a = _mm_unpacklo_epi32(rows[0], rows[1]), b = _mm_unpacklo_epi32(rows[2], rows[3]);
    __m128i c = _mm_unpackhi_epi32(rows[0], rows[1]), d = _mm_unpackhi_epi32(rows[2], rows[3]);
    rows[0] = _mm_unpacklo_epi64(a, b);
    rows[1] = _mm_unpackhi_epi64(a, b);
    rows[2] = _mm_unpacklo_epi64(c, d);
    rows[3] = _mm_unpackhi_epi64(c, d);
}

/* Rows r and r + 16 of a tile hold, in doubleword g % 4 at r * 4 of each 64 bytes, block g and g + 4 of both. */
AVX2 static void shuffle_scales(const uint8_t *in, int64_t ld, int64_t tiles, uint8_t *out, int64_t ahead)
{
    const __m128i mix = _mm_setr_epi8(0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15);
    uintptr_t next = (uintptr_t)in + (uintptr_t)ahead;
    for (int64_t tile = 0; tile < tiles; tile++, in += MXG_SCALE_TILE_BLOCKS, out += MXG_SCALE_TILE_BYTES) {
        prefetch(next + (uintptr_t)tile * MXG_SCALE_TILE_BYTES, MXG_SCALE_TILE_BYTES);
        for (int r = 0; r < 16; r += 4) {
            __m128i rows[4];
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                const uint8_t *row = in + (r + i) * ld;
                __m128i two = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)row),
                                                 _mm_loadl_epi64((const __m128i *)(row + 16 * ld)));
                rows[i] = _mm_shuffle_epi8(two, mix);
            }
            transpose(rows);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) _mm_storeu_si128((__m128i *)(out + i * 64 + r * 4), rows[i]);
        }
    }
}

AVX2 static void unshuffle_scales(const uint8_t *in, int64_t tiles, uint8_t *out, int64_t ld)
{
    const __m128i sort = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15);
    for (int64_t tile = 0; tile < tiles; tile++, in += MXG_SCALE_TILE_BYTES, out += MXG_SCALE_TILE_BLOCKS)
        for (int r = 0; r < 16; r += 4) {
            __m128i rows[4];
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) rows[i] = _mm_loadu_si128((const __m128i *)(in + i * 64 + r * 4));
            transpose(rows);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                uint8_t *row = out + (r + i) * ld;
                __m128i two = _mm_shuffle_epi8(rows[i], sort);
                _mm_storel_epi64((__m128i *)row, two);
                _mm_storel_epi64((__m128i *)(row + 16 * ld), _mm_unpackhi_epi64(two, two));
            }
        }
}

/* Whole cache lines go past the caches; a line that is begun and not ended would cost more than it saves. */
AVX2 static void write_through(void *to, const void *from, size_t bytes, uintptr_t next)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    size_t head = -(uintptr_t)out % LINE;
    if (bytes < head + LINE) {
        memcpy(out, in, bytes);
        return;
    }
    memcpy(out, in, head);
    out += head, in += head, bytes -= head;
    for (; bytes >= LINE; out += LINE, in += LINE, bytes -= LINE) {
        if (next) __builtin_prefetch((const void *)next), next += LINE;
        __m256i first = load(in), second = load(in + LINE / 2);
        _mm256_stream_si256((__m256i *)out, first);
        _mm256_stream_si256((__m256i *)(out + LINE / 2), second);
    }
    memcpy(out, in, bytes);
}

/* The processor has it, and the system keeps the registers. __builtin_cpu_supports() asks the same with five kilobytes
 * of tables. Asked at each conversion, which takes far longer. */
static bool works(void)
{
    enum { XMM_AND_YMM = 6 }; /* of XCR0 */
    const unsigned needed = bit_OSXSAVE | bit_AVX;
    unsigned a, b, c, d, kept, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & needed) != needed) return false;
    __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    return (kept & XMM_AND_YMM) == XMM_AND_YMM && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

static void finish(void)
{
    _mm_sfence();
}

const struct mxg_weights_way mxg_weights_avx2 = {
    .name = "avx2",
    .works = works,
    .quantize_bf16 = quantize_bf16,
    .quantize_f16 = quantize_f16,
    .quantize_f32 = quantize_f32,
    .shuffle_scales = shuffle_scales,
    .unshuffle_scales = unshuffle_scales,
    .write_through = write_through,
    .finish = finish,
};

#endif
