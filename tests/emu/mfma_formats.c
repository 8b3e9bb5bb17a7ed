/* Number formats of the matrices' elements, and the operands of matrix instructions. */
#include "tests/emu/mfma.h"
#include "tests/emu/small_float.h"

const uint8_t element_bits[ELEMENT_COUNT] = {
    [ELEMENT_F32] = 32, [ELEMENT_F16] = 16, [ELEMENT_BF16] = 16, [ELEMENT_I8] = 8,  [ELEMENT_FP8] = 8,
    [ELEMENT_BF8] = 8,  [ELEMENT_FP6] = 6,  [ELEMENT_BF6] = 6,   [ELEMENT_FP4] = 4, [ELEMENT_F64] = 64,
};

/* Element e of each lane, from below; a 6-bit one can straddle two registers. */
static void extract(const lanes *from, int e, int width, u32 out[LANES])
{
    int at = e * width, shift = at % 32;
    const u32 *low = from[at / 32].u32, *high = shift + width > 32 ? from[at / 32 + 1].u32 : low;
    u32 mask = width == 32 ? UINT32_MAX : (1u << width) - 1;
    for (int l = 0; l < LANES; l++) out[l] = (u32)((low[l] | (u64)high[l] << 32) >> shift) & mask;
}

void read_elements(enum element kind, const lanes *from, int count, f32 (*out)[LANES])
{
    for (int e = 0; e < count; e++) {
        lanes code, value;
        extract(from, e, element_bits[kind], code.u32);
        switch (kind) {
        case ELEMENT_F32: value = code; break;
        case ELEMENT_F16:
            for (int l = 0; l < LANES; l++) value.f32[l] = half_to_float((u16)code.u32[l]);
            break;
        case ELEMENT_BF16:
            for (int l = 0; l < LANES; l++) value.u32[l] = code.u32[l] << 16;
            break;
        case ELEMENT_I8:
            for (int l = 0; l < LANES; l++) value.f32[l] = (f32)((i32)(code.u32[l] << 24) >> 24);
            break;
        case ELEMENT_FP8:
            for (int l = 0; l < LANES; l++) value.f32[l] = float_from_small(&fp8, code.u32[l]);
            break;
        case ELEMENT_BF8:
            for (int l = 0; l < LANES; l++) value.f32[l] = float_from_small(&bf8, code.u32[l]);
            break;
        case ELEMENT_FP6:
            for (int l = 0; l < LANES; l++) value.f32[l] = float_from_small(&fp6, code.u32[l]);
            break;
        case ELEMENT_BF6:
            for (int l = 0; l < LANES; l++) value.f32[l] = float_from_small(&bf6, code.u32[l]);
            break;
        default:
            for (int l = 0; l < LANES; l++) value.f32[l] = float_from_small(&fp4, code.u32[l]);
            break;
        }
        memcpy(out[e], value.f32, sizeof value.f32);
    }
}

void find_accumulator(struct wave *w, const struct insn *i, struct accumulator *c)
{
    unsigned code = i->src[2];
    c->step = code >= OPERAND_VGPR;
    c->at = c->step ? vector_register(w, code) : &c->constant;
    if (!c->step)
        for (int l = 0; l < LANES; l++) c->constant.u32[l] = scalar32(w, i, code);
}
