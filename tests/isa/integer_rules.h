/* What integer rows compute, as formulas without bounds: for test_integer_rows.c. From the pseudo-code of the CDNA4
 * ISA; nothing here is the emulator's. */
#ifndef TESTS_INTEGER_RULES_H
#define TESTS_INTEGER_RULES_H

#include <stdint.h>

__extension__ typedef __int128 wide;

static inline wide U(uint64_t x, int bits)
{
    return bits == 64 ? (wide)x : (wide)(x & ((UINT64_C(1) << bits) - 1));
}

static inline wide S(uint64_t x, int bits)
{
    wide value = U(x, bits), half = (wide)1 << (bits - 1);
    return value >= half ? value - 2 * half : value;
}

static inline wide least(wide x, wide y)
{
    return x < y ? x : y;
}

static inline wide most(wide x, wide y)
{
    return x < y ? y : x;
}

static inline wide middle(wide x, wide y, wide z)
{
    return x + y + z - least(least(x, y), z) - most(most(x, y), z);
}

static inline wide power(unsigned exponent)
{
    return (wide)1 << exponent;
}

/* x over 2 to the count, toward minus infinity. */
static inline wide shifted(wide x, uint64_t count)
{
    wide by = power((unsigned)count);
    return (x - (x % by + by) % by) / by;
}

/* The low bits of x. */
static inline wide field(wide x, uint64_t bits)
{
    wide by = power((unsigned)bits);
    return (x % by + by) % by;
}

static inline wide distance(wide x, wide y)
{
    return x < y ? y - x : x - y;
}

static inline wide byte(uint64_t x, int n)
{
    return U(x >> 8 * n, 8);
}

static inline wide distances(uint64_t a, uint64_t b, int masked)
{
    wide sum = 0;
    for (int n = 0; n < 4; n++) sum += masked && byte(b, n) == 0 ? 0 : distance(byte(a, n), byte(b, n));
    return sum;
}

static inline wide averages(uint64_t a, uint64_t b, uint64_t c)
{
    wide result = 0;
    for (int n = 3; n >= 0; n--) result = result * 256 + (byte(a, n) + byte(b, n) + byte(c, n) % 2) / 2;
    return result;
}

static inline wide permutation(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t both = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    wide result = 0;
    for (int n = 3; n >= 0; n--) {
        wide selector = byte(c, n), part = 255;
        if (selector < 8) part = byte(both, (int)selector);
        if (selector >= 8 && selector < 12) part = byte(both, (int)(selector - 8) * 2 + 1) / 128 * 255;
        if (selector == 12) part = 0;
        result = result * 256 + part;
    }
    return result;
}

static inline wide dot(uint64_t a, uint64_t b, wide c, int bits, wide (*part)(uint64_t, int))
{
    for (int n = 0; n < 32; n += bits) c += part((uint32_t)a >> n, bits) * part((uint32_t)b >> n, bits);
    return c;
}

static inline wide ones(uint64_t x)
{
    int count = 0;
    for (int n = 0; n < 32; n++) count += (int)(x >> n & 1);
    return count;
}

static inline wide bits_reversed(uint64_t x)
{
    wide result = 0;
    for (int n = 0; n < 32; n++) result = result * 2 + (wide)(x >> n & 1);
    return result;
}

/* How far from the top, or the bottom, the first bit is that is not like the sign; -1: there is none. */
static inline wide first_from_top(uint32_t x, int sign)
{
    for (int n = 31; n >= 0; n--)
        if ((int)(x >> n & 1) != sign) return 31 - n;
    return -1;
}

static inline wide first_from_bottom(uint32_t x)
{
    for (int n = 0; n < 32; n++)
        if (x >> n & 1) return n;
    return -1;
}

static inline wide saturated(wide x, wide low, wide high)
{
    return least(most(x, low), high);
}

/* Four sums of 16 bits; those of the four windows of a. */
static inline wide quad(uint64_t a, uint64_t b, uint64_t c, int masked)
{
    wide result = 0;
    for (int n = 3; n >= 0; n--)
        result = result * 65536 + field(distances(a >> 8 * n, b, masked) + U(c >> 16 * n, 16), 16);
    return result;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------
 * R(mnemonic, type, clamp, mask, formula): the type of the result, whether the clamp bit saturates it, what goes to the
 * mask, and the formula in a, b, c, in d, the old destination, which is c, and in the lane's bit of the mask given. */

enum mask { NONE, OUTSIDE, NEGATIVE }; /* nothing, whether the formula is outside of the type, whether it is negative */

#define UNARY(R)                                                                                                       \
    R(v_mov_b32, u32, 0, NONE, U(a, 32))                                                                               \
    R(v_not_b32, u32, 0, NONE, -1 - U(a, 32))                                                                          \
    R(v_bfrev_b32, u32, 0, NONE, bits_reversed(a))                                                                     \
    R(v_ffbh_u32, u32, 0, NONE, first_from_top((uint32_t)a, 0))                                                        \
    R(v_ffbl_b32, u32, 0, NONE, first_from_bottom((uint32_t)a))                                                        \
    R(v_ffbh_i32, u32, 0, NONE, first_from_top((uint32_t)a, (int)(a >> 31 & 1)))                                       \
    R(v_sat_pk_u8_i16, u32, 0, NONE, saturated(S(a, 16), 0, 255) + 256 * saturated(S(a >> 16, 16), 0, 255))            \
    R(v_prng_b32, u32, 0, NONE, field(2 * U(a, 32), 32) ^ (S(a, 32) < 0 ? 197 : 0))                                    \
    R(v_mov_b64, u64, 0, NONE, U(a, 64))

#define BINARY(R)                                                                                                      \
    R(v_mul_i32_i24, i32, 1, NONE, S(a, 24) * S(b, 24))                                                                \
    R(v_mul_hi_i32_i24, i32, 0, NONE, shifted(S(a, 24) * S(b, 24), 32))                                                \
    R(v_mul_u32_u24, u32, 1, NONE, U(a, 24) * U(b, 24))                                                                \
    R(v_mul_hi_u32_u24, u32, 0, NONE, shifted(U(a, 24) * U(b, 24), 32))                                                \
    R(v_min_i32, i32, 0, NONE, least(S(a, 32), S(b, 32)))                                                              \
    R(v_max_i32, i32, 0, NONE, most(S(a, 32), S(b, 32)))                                                               \
    R(v_min_u32, u32, 0, NONE, least(U(a, 32), U(b, 32)))                                                              \
    R(v_max_u32, u32, 0, NONE, most(U(a, 32), U(b, 32)))                                                               \
    R(v_lshrrev_b32, u32, 0, NONE, shifted(U(b, 32), a % 32))                                                          \
    R(v_ashrrev_i32, i32, 0, NONE, shifted(S(b, 32), a % 32))                                                          \
    R(v_lshlrev_b32, u32, 0, NONE, U(b, 32) * power(a % 32))                                                           \
    R(v_and_b32, u32, 0, NONE, U(a & b, 32))                                                                           \
    R(v_or_b32, u32, 0, NONE, U(a, 32) + U(b, 32) - U(a & b, 32))                                                      \
    R(v_xor_b32, u32, 0, NONE, U(a, 32) + U(b, 32) - 2 * U(a & b, 32))                                                 \
    R(v_xnor_b32, u32, 0, NONE, -1 - U(a, 32) - U(b, 32) + 2 * U(a & b, 32))                                           \
    R(v_add_co_u32, u32, 1, OUTSIDE, U(a, 32) + U(b, 32))                                                              \
    R(v_sub_co_u32, u32, 1, OUTSIDE, U(a, 32) - U(b, 32))                                                              \
    R(v_subrev_co_u32, u32, 1, OUTSIDE, U(b, 32) - U(a, 32))                                                           \
    R(v_addc_co_u32, u32, 1, OUTSIDE, U(a, 32) + U(b, 32) + bit)                                                       \
    R(v_subb_co_u32, u32, 1, OUTSIDE, U(a, 32) - U(b, 32) - bit)                                                       \
    R(v_subbrev_co_u32, u32, 1, OUTSIDE, U(b, 32) - U(a, 32) - bit)                                                    \
    R(v_add_u16, u16, 1, NONE, U(a, 16) + U(b, 16))                                                                    \
    R(v_sub_u16, u16, 1, NONE, U(a, 16) - U(b, 16))                                                                    \
    R(v_subrev_u16, u16, 1, NONE, U(b, 16) - U(a, 16))                                                                 \
    R(v_mul_lo_u16, u16, 1, NONE, U(a, 16) * U(b, 16))                                                                 \
    R(v_lshlrev_b16, u16, 0, NONE, U(b, 16) * power(a % 16))                                                           \
    R(v_lshrrev_b16, u16, 0, NONE, shifted(U(b, 16), a % 16))                                                          \
    R(v_ashrrev_i16, i16, 0, NONE, shifted(S(b, 16), a % 16))                                                          \
    R(v_max_u16, u16, 0, NONE, most(U(a, 16), U(b, 16)))                                                               \
    R(v_max_i16, i16, 0, NONE, most(S(a, 16), S(b, 16)))                                                               \
    R(v_min_u16, u16, 0, NONE, least(U(a, 16), U(b, 16)))                                                              \
    R(v_min_i16, i16, 0, NONE, least(S(a, 16), S(b, 16)))                                                              \
    R(v_add_u32, u32, 1, NONE, U(a, 32) + U(b, 32))                                                                    \
    R(v_sub_u32, u32, 1, NONE, U(a, 32) - U(b, 32))                                                                    \
    R(v_subrev_u32, u32, 1, NONE, U(b, 32) - U(a, 32))                                                                 \
    R(v_mul_lo_u32, u32, 0, NONE, U(a, 32) * U(b, 32))                                                                 \
    R(v_mul_hi_u32, u32, 0, NONE, shifted(U(a, 32) * U(b, 32), 32))                                                    \
    R(v_mul_hi_i32, i32, 0, NONE, shifted(S(a, 32) * S(b, 32), 32))                                                    \
    R(v_bcnt_u32_b32, u32, 0, NONE, ones(a) + U(b, 32))                                                                \
    R(v_lshlrev_b64, u64, 0, NONE, field(U(b, 64), 64 - a % 64) * power(a % 64))                                       \
    R(v_lshrrev_b64, u64, 0, NONE, shifted(U(b, 64), a % 64))                                                          \
    R(v_ashrrev_i64, i64, 0, NONE, shifted(S(b, 64), a % 64))                                                          \
    R(v_bfm_b32, u32, 0, NONE, (power(a % 32) - 1) * power(b % 32))                                                    \
    R(v_cvt_pk_u16_u32, u32, 0, NONE, least(U(a, 32), 65535) + 65536 * least(U(b, 32), 65535))                         \
    R(v_cvt_pk_i16_i32, u32, 0, NONE,                                                                                  \
      field(saturated(S(a, 32), -32768, 32767), 16) + 65536 * saturated(S(b, 32), -32768, 32767))                      \
    R(v_add_i32, i32, 1, NONE, S(a, 32) + S(b, 32))                                                                    \
    R(v_sub_i32, i32, 1, NONE, S(a, 32) - S(b, 32))                                                                    \
    R(v_add_i16, i16, 1, NONE, S(a, 16) + S(b, 16))                                                                    \
    R(v_sub_i16, i16, 1, NONE, S(a, 16) - S(b, 16))                                                                    \
    R(v_pack_b32_f16, u32, 0, NONE, U(a, 16) + 65536 * U(b, 16))

#define TERNARY(R)                                                                                                     \
    R(v_mad_i32_i24, i32, 1, NONE, S(a, 24) * S(b, 24) + S(c, 32))                                                     \
    R(v_mad_u32_u24, u32, 1, NONE, U(a, 24) * U(b, 24) + U(c, 32))                                                     \
    R(v_bfe_u32, u32, 0, NONE, field(shifted(U(a, 32), b % 32), c % 32))                                               \
    R(v_bfe_i32, i32, 0, NONE,                                                                                         \
      c % 32 ? S((uint64_t)field(shifted(S(a, 32), b % 32), c % 32), (int)(c % 32)) : 0)                               \
    R(v_bfi_b32, u32, 0, NONE, U(a & b, 32) + U(c, 32) - U(a & c, 32))                                                 \
    R(v_lerp_u8, u32, 0, NONE, averages(a, b, c))                                                                      \
    R(v_alignbit_b32, u32, 0, NONE, shifted(U(a, 32) * power(32) + U(b, 32), c % 32))                                  \
    R(v_alignbyte_b32, u32, 0, NONE, shifted(U(a, 32) * power(32) + U(b, 32), c % 4 * 8))                              \
    R(v_min3_i32, i32, 0, NONE, least(least(S(a, 32), S(b, 32)), S(c, 32)))                                            \
    R(v_min3_u32, u32, 0, NONE, least(least(U(a, 32), U(b, 32)), U(c, 32)))                                            \
    R(v_max3_i32, i32, 0, NONE, most(most(S(a, 32), S(b, 32)), S(c, 32)))                                              \
    R(v_max3_u32, u32, 0, NONE, most(most(U(a, 32), U(b, 32)), U(c, 32)))                                              \
    R(v_med3_i32, i32, 0, NONE, middle(S(a, 32), S(b, 32), S(c, 32)))                                                  \
    R(v_med3_u32, u32, 0, NONE, middle(U(a, 32), U(b, 32), U(c, 32)))                                                  \
    R(v_sad_u8, u32, 1, NONE, distances(a, b, 0) + U(c, 32))                                                           \
    R(v_sad_hi_u8, u32, 1, NONE, distances(a, b, 0) * 65536 + U(c, 32))                                                \
    R(v_sad_u16, u32, 1, NONE,                                                                                         \
      distance(U(a, 16), U(b, 16)) + distance(U(a >> 16, 16), U(b >> 16, 16)) + U(c, 32))                              \
    R(v_sad_u32, u32, 1, NONE, distance(U(a, 32), U(b, 32)) + U(c, 32))                                                \
    R(v_msad_u8, u32, 1, NONE, distances(a, b, 1) + U(c, 32))                                                          \
    R(v_qsad_pk_u16_u8, u64, 0, NONE, quad(a, b, c, 0))                                                                \
    R(v_mqsad_pk_u16_u8, u64, 0, NONE, quad(a, b, c, 1))                                                               \
    R(v_mad_u64_u32, u64, 1, OUTSIDE, U(a, 32) * U(b, 32) + U(c, 64))                                                  \
    R(v_mad_i64_i32, i64, 1, NEGATIVE, S(a, 32) * S(b, 32) + S(c, 64))                                                 \
    R(v_mad_legacy_u16, u16, 1, NONE, U(a, 16) * U(b, 16) + U(c, 16))                                                  \
    R(v_mad_legacy_i16, i16, 1, NONE, S(a, 16) * S(b, 16) + S(c, 16))                                                  \
    R(v_perm_b32, u32, 0, NONE, permutation(a, b, c))                                                                  \
    R(v_mad_u32_u16, u32, 1, NONE, U(a, 16) * U(b, 16) + U(c, 32))                                                     \
    R(v_mad_i32_i16, i32, 1, NONE, S(a, 16) * S(b, 16) + S(c, 32))                                                     \
    R(v_xad_u32, u32, 0, NONE, U(a ^ b, 32) + U(c, 32))                                                                \
    R(v_min3_i16, i16, 0, NONE, least(least(S(a, 16), S(b, 16)), S(c, 16)))                                            \
    R(v_min3_u16, u16, 0, NONE, least(least(U(a, 16), U(b, 16)), U(c, 16)))                                            \
    R(v_max3_i16, i16, 0, NONE, most(most(S(a, 16), S(b, 16)), S(c, 16)))                                              \
    R(v_max3_u16, u16, 0, NONE, most(most(U(a, 16), U(b, 16)), U(c, 16)))                                              \
    R(v_med3_i16, i16, 0, NONE, middle(S(a, 16), S(b, 16), S(c, 16)))                                                  \
    R(v_med3_u16, u16, 0, NONE, middle(U(a, 16), U(b, 16), U(c, 16)))                                                  \
    R(v_lshl_add_u32, u32, 0, NONE, U(a, 32) * power(b % 32) + U(c, 32))                                               \
    R(v_add_lshl_u32, u32, 0, NONE, (U(a, 32) + U(b, 32)) * power(c % 32))                                             \
    R(v_add3_u32, u32, 0, NONE, U(a, 32) + U(b, 32) + U(c, 32))                                                        \
    R(v_lshl_or_b32, u32, 0, NONE, U((uint64_t)(U(a, 32) * power(b % 32)) | c, 32))                                    \
    R(v_and_or_b32, u32, 0, NONE, U((a & b) | c, 32))                                                                  \
    R(v_or3_b32, u32, 0, NONE, U(a | b | c, 32))                                                                       \
    R(v_mad_u16, u16_kept, 1, NONE, U(a, 16) * U(b, 16) + U(c, 16))                                                    \
    R(v_mad_i16, i16_kept, 1, NONE, S(a, 16) * S(b, 16) + S(c, 16))                                                    \
    R(v_lshl_add_u64, u64, 0, NONE, U(a, 64) * (b % 8 <= 4 ? power(b % 8) : 1) + U(c, 64))

#define ACCUMULATING(R)                                                                                                \
    R(v_dot2c_i32_i16, i32, 1, NONE, dot(a, b, S(d, 32), 16, S))                                                       \
    R(v_dot4c_i32_i8, i32, 1, NONE, dot(a, b, S(d, 32), 8, S))                                                         \
    R(v_dot8c_i32_i4, i32, 1, NONE, dot(a, b, S(d, 32), 4, S))

#define PACKED(R)                                                                                                      \
    R(v_dot2_i32_i16, i32, 1, NONE, dot(a, b, S(c, 32), 16, S))                                                        \
    R(v_dot2_u32_u16, u32, 1, NONE, dot(a, b, U(c, 32), 16, U))                                                        \
    R(v_dot4_i32_i8, i32, 1, NONE, dot(a, b, S(c, 32), 8, S))                                                          \
    R(v_dot4_u32_u8, u32, 1, NONE, dot(a, b, U(c, 32), 8, U))                                                          \
    R(v_dot8_i32_i4, i32, 1, NONE, dot(a, b, S(c, 32), 4, S))                                                          \
    R(v_dot8_u32_u4, u32, 1, NONE, dot(a, b, U(c, 32), 4, U))                                                          \
    R(v_pk_mad_i16, pk_i16, 1, NONE, S(a, 16) * S(b, 16) + S(c, 16))                                                   \
    R(v_pk_mul_lo_u16, pk_u16, 1, NONE, U(a, 16) * U(b, 16))                                                           \
    R(v_pk_add_i16, pk_i16, 1, NONE, S(a, 16) + S(b, 16))                                                              \
    R(v_pk_sub_i16, pk_i16, 1, NONE, S(a, 16) - S(b, 16))                                                              \
    R(v_pk_lshlrev_b16, pk_u16, 0, NONE, U(b, 16) * power(a % 16))                                                     \
    R(v_pk_lshrrev_b16, pk_u16, 0, NONE, shifted(U(b, 16), a % 16))                                                    \
    R(v_pk_ashrrev_i16, pk_i16, 0, NONE, shifted(S(b, 16), a % 16))                                                    \
    R(v_pk_max_i16, pk_i16, 0, NONE, most(S(a, 16), S(b, 16)))                                                         \
    R(v_pk_min_i16, pk_i16, 0, NONE, least(S(a, 16), S(b, 16)))                                                        \
    R(v_pk_mad_u16, pk_u16, 1, NONE, U(a, 16) * U(b, 16) + U(c, 16))                                                   \
    R(v_pk_add_u16, pk_u16, 1, NONE, U(a, 16) + U(b, 16))                                                              \
    R(v_pk_sub_u16, pk_u16, 1, NONE, U(a, 16) - U(b, 16))                                                              \
    R(v_pk_max_u16, pk_u16, 0, NONE, most(U(a, 16), U(b, 16)))                                                         \
    R(v_pk_min_u16, pk_u16, 0, NONE, least(U(a, 16), U(b, 16)))

#define ALL(R) UNARY(R) BINARY(R) TERNARY(R) ACCUMULATING(R) PACKED(R)

#endif
