/* Atomic operations of all address spaces. Floating point follows "Float Memory Atomics" of the CDNA4 ISA. Denormals
 * are kept: by LDS, as the mode that HIP sets says, and by memory, as the instructions' own pages and LLVM have it;
 * only the table of that chapter says that memory flushes those of f32. */
#include "tests/emu/access.h"

/* ---- Rules of floating point: the first NaN operand is the result, made quiet -------------------------------------*/

#define FLOAT_RULES(type, bits_of, of_bits, quiet_bit, default_nan)                                                    \
    static inline type quiet_##type(type x)                                                                            \
    {                                                                                                                  \
        return of_bits(bits_of(x) | (quiet_bit));                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    static inline int is_signaling_##type(type x)                                                                      \
    {                                                                                                                  \
        return isnan(x) && !(bits_of(x) & (quiet_bit));                                                                \
    }                                                                                                                  \
                                                                                                                       \
    static inline type float_add_##type(type a, type b)                                                                \
    {                                                                                                                  \
        if (isnan(a)) return quiet_##type(a);                                                                          \
        if (isnan(b)) return quiet_##type(b);                                                                          \
        type sum = a + b;                                                                                              \
        return isnan(sum) ? of_bits(default_nan) : sum;                                                                \
    }                                                                                                                  \
                                                                                                                       \
    /* A quiet NaN loses against a number, a signaling one wins; -0 is below +0. */                                    \
    static inline type float_min_##type(type a, type b)                                                                \
    {                                                                                                                  \
        if (is_signaling_##type(a)) return quiet_##type(a);                                                            \
        if (is_signaling_##type(b)) return quiet_##type(b);                                                            \
        if (isnan(a) || isnan(b)) return isnan(b) ? a : b;                                                             \
        return a < b || (a == b && signbit(a)) ? a : b;                                                                \
    }                                                                                                                  \
                                                                                                                       \
    static inline type float_max_##type(type a, type b)                                                                \
    {                                                                                                                  \
        if (is_signaling_##type(a)) return quiet_##type(a);                                                            \
        if (is_signaling_##type(b)) return quiet_##type(b);                                                            \
        if (isnan(a) || isnan(b)) return isnan(b) ? a : b;                                                             \
        return a > b || (a == b && !signbit(a)) ? a : b;                                                               \
    }

FLOAT_RULES(f32, float_bits, bits_float, 0x00400000u, 0x7fc00000u)
FLOAT_RULES(f64, double_bits, bits_double, UINT64_C(1) << 51, UINT64_C(0x7ff8) << 48)

/* A sum of two halves, rounded to f32 first, rounds to the right half: f32 has more than twice its digits. */
static inline u32 packed_add_f16(u32 a, u32 b)
{
    u32 sum = 0;
    for (int shift = 0; shift < 32; shift += 16)
        sum |= (u32)float_to_half(float_add_f32(half_to_float((u16)(a >> shift)), half_to_float((u16)(b >> shift))))
               << shift;
    return sum;
}

static inline u32 packed_add_bf16(u32 a, u32 b)
{
    u32 sum = 0;
    for (int shift = 0; shift < 32; shift += 16)
        sum |= (u32)float_to_bf16(float_add_f32(bf16_to_float((u16)(a >> shift)), bf16_to_float((u16)(b >> shift))))
               << shift;
    return sum;
}

/* ---- Operations: a loop of compare and exchange each --------------------------------------------------------------*/

#define BITS_u32(x) (x)
#define BITS_i32(x) (u32)(x)
#define BITS_f32(x) float_bits(x)
#define BITS_u64(x) (x)
#define BITS_i64(x) (u64)(x)
#define BITS_f64(x) double_bits(x)
#define VALUE_u32(x) (u32)(x)
#define VALUE_i32(x) (i32)(x)
#define VALUE_f32(x) bits_float((u32)(x))
#define VALUE_u64(x) (x)
#define VALUE_i64(x) (i64)(x)
#define VALUE_f64(x) bits_double(x)
#define WORD_u32 u32
#define WORD_i32 u32
#define WORD_f32 u32
#define WORD_u64 u64
#define WORD_i64 u64
#define WORD_f64 u64

static inline u64 operand(const lanes *in, int l, size_t bytes)
{
    return bytes == 4 ? in->u32[l] : in[0].u32[l] | (u64)in[1].u32[l] << 32;
}

static inline void put_old(lanes *out, int l, size_t bytes, u64 value)
{
    out->u32[l] = (u32)value;
    if (bytes > 4) out[1].u32[l] = (u32)(value >> 32);
}

#define OP(name, type, operands, meaning)                                                                              \
    static void apply_##name(const struct access *a, const lanes *data_in, const lanes *data2_in, lanes *old_out)      \
    {                                                                                                                  \
        for (int l = 0; l < LANES; l++) {                                                                              \
            if (!(a->reached >> l & 1)) continue;                                                                      \
            type data = VALUE_##type(operand(data_in, l, sizeof(type)));                                               \
            type data2 = VALUE_##type(operand(data2_in, l, sizeof(type)));                                             \
            WORD_##type *memory = (WORD_##type *)(void *)a->host[l], was = __atomic_load_n(memory, __ATOMIC_RELAXED);  \
            WORD_##type becomes;                                                                                       \
            do {                                                                                                       \
                type old = VALUE_##type(was);                                                                          \
                (void)old, (void)data, (void)data2;                                                                    \
                becomes = BITS_##type(meaning);                                                                        \
            } while (!__atomic_compare_exchange_n(memory, &was, becomes, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));      \
            put_old(old_out, l, sizeof(type), was);                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    const struct atomic atomic_##name = {apply_##name, sizeof(type)};
#include "tests/emu/isa/atomic.def"
#undef OP
