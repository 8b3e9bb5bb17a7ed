#include "tests/emu/lanes.h"

const uint32_t inline_constant[256] = {
#define TEN(n) [n] = (n) - 128, [(n) + 1] = (n) - 127, [(n) + 2] = (n) - 126, [(n) + 3] = (n) - 125, \
               [(n) + 4] = (n) - 124, [(n) + 5] = (n) - 123, [(n) + 6] = (n) - 122, [(n) + 7] = (n) - 121
    TEN(128), TEN(136), TEN(144), TEN(152), TEN(160), TEN(168), TEN(176), TEN(184), [192] = 64,
#undef TEN
    [193] = ~0u, [194] = ~1u, [195] = ~2u, [196] = ~3u, [197] = ~4u, [198] = ~5u, [199] = ~6u, [200] = ~7u,
    [201] = ~8u, [202] = ~9u, [203] = ~10u, [204] = ~11u, [205] = ~12u, [206] = ~13u, [207] = ~14u, [208] = ~15u,
    [240] = 0x3f000000, [241] = 0xbf000000, [242] = 0x3f800000, [243] = 0xbf800000, [244] = 0x40000000,
    [245] = 0xc0000000, [246] = 0x40800000, [247] = 0xc0800000, [248] = 0x3e22f983,
};

/* 240..248 where the instruction computes with halves. */
static const uint16_t half_constant[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};

/* Address windows through which FLAT instructions reach LDS and scratch: the high dword of the 64-bit address. */
enum { SHARED_APERTURE = 0x2, PRIVATE_APERTURE = 0x1 };

uint32_t scalar_special(struct wave *w, unsigned code)
{
    switch (code) {
    case OPERAND_SHARED_BASE: return SHARED_APERTURE;
    case OPERAND_PRIVATE_BASE: return PRIVATE_APERTURE;
    case OPERAND_SHARED_LIMIT:
    case OPERAND_PRIVATE_LIMIT: return ~0u;
    case OPERAND_VCCZ: return w->vcc == 0;
    case OPERAND_EXECZ: return w->exec == 0;
    case OPERAND_SCC: return w->scc;
    default: return 0;
    }
}

/* ---- SDWA and DPP -------------------------------------------------------------------------------------------------*/

static void select_part(lanes *x, unsigned sel, int sign)
{
    if (sel == SDWA_DWORD) return;
    unsigned shift = sel < SDWA_WORD0 ? sel * 8 : (sel - SDWA_WORD0) * 16, width = sel < SDWA_WORD0 ? 8 : 16;
    for (int l = 0; l < LANES; l++) {
        uint32_t part = x->u32[l] >> shift << (32 - width);
        x->u32[l] = sign ? (uint32_t)((int32_t)part >> (32 - width)) : part >> (32 - width);
    }
}

/* source[l]: the lane that DPP control sends to lane l, or -1. A row is 16 lanes. */
static void dpp_sources(unsigned ctrl, int source[LANES])
{
    const int n = (int)(ctrl & 15);
#define EACH(from)                                                                                                     \
    do {                                                                                                               \
        for (int l = 0; l < LANES; l++) {                                                                              \
            const int row = l & 48, in_row = l & 15;                                                                   \
            (void)row, (void)in_row;                                                                                   \
            source[l] = (from);                                                                                        \
        }                                                                                                              \
        return;                                                                                                        \
    } while (0)
    if (ctrl <= 0xff) EACH((l & 60) | (int)(ctrl >> (l & 3) * 2 & 3));         /* quad_perm */
    if (ctrl >= 0x101 && ctrl <= 0x10f) EACH(in_row + n < 16 ? l + n : -1);    /* row_shl */
    if (ctrl >= 0x111 && ctrl <= 0x11f) EACH(in_row - n >= 0 ? l - n : -1);    /* row_shr */
    if (ctrl >= 0x121 && ctrl <= 0x12f) EACH(row | ((in_row - n) & 15));       /* row_ror */
    if (ctrl >= 0x150 && ctrl <= 0x15f) EACH(row | n);                         /* row_newbcast */
    switch (ctrl) {
    case 0x130: EACH(l + 1 < LANES ? l + 1 : -1); /* wave_shl:1 */
    case 0x134: EACH((l + 1) % LANES);            /* wave_rol:1 */
    case 0x138: EACH(l - 1);                      /* wave_shr:1 */
    case 0x13c: EACH((l + LANES - 1) % LANES);    /* wave_ror:1 */
    case 0x140: EACH(row | (15 - in_row));        /* row_mirror */
    case 0x141: EACH((l & 56) | (7 - (l & 7)));   /* row_half_mirror */
    case 0x142: EACH(l >= 16 ? row - 1 : -1);     /* row_bcast:15, the last lane of the row before */
    case 0x143: EACH(l >= 32 ? 31 : -1);          /* row_bcast:31 */
    }
#undef EACH
}

/* Lanes whose result DPP lets be written; the others keep their old value. A source outside EXEC is none. */
static uint64_t dpp_write_mask(struct wave *w, const struct insn *i)
{
    int source[LANES];
    u32 on[LANES];
    u8 writes[LANES];
    dpp_sources(i->dpp_ctrl, source);
    spread_mask(w->exec, on);
    for (int l = 0; l < LANES; l++) {
        u32 enabled = (u32)i->row_mask >> (l >> 4) & (u32)i->bank_mask >> (l >> 2 & 3) & 1;
        u32 valid = (source[l] >= 0) & on[source[l] & (LANES - 1)];
        writes[l] = (u8)(enabled & (valid | (i->bound_ctrl != 0)));
    }
    return lane_mask(writes);
}

static void permute(struct wave *w, const struct insn *i, lanes *x)
{
    int source[LANES];
    lanes from = {0};
    dpp_sources(i->dpp_ctrl, source);
    blend(&from, x, w->exec);
    for (int l = 0; l < LANES; l++) x->u32[l] = source[l] >= 0 ? from.u32[source[l] & (LANES - 1)] : 0;
}

const lanes *fetch_special(struct wave *w, const struct insn *i, int n, lanes *buffer, int is16)
{
    unsigned code = i->src[n];
    if (code >= OPERAND_VGPR) {
        memcpy(buffer, vector_register(w, code), sizeof *buffer);
    } else {
        uint32_t value = scalar32(w, i, code);
        if (is16 && code >= OPERAND_FLOAT0 && code <= OPERAND_FLOAT0 + 8) value = half_constant[code - OPERAND_FLOAT0];
        for (int l = 0; l < LANES; l++) buffer->u32[l] = value;
    }
    if (i->flags & INSN_SDWA && n < 2) select_part(buffer, i->src_sel[n], i->sext >> n & 1);
    if (i->flags & INSN_DPP && n == 0) permute(w, i, buffer);
    return buffer;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------*/

const u32 *fetch_u32(struct wave *w, const struct insn *i, int n, lanes *buffer)
{
    return fetch_raw(w, i, n, buffer)->u32;
}

static int has_modifier(const struct insn *i, int n)
{
    return (i->neg | i->abs) >> n & 1;
}

const lanes *fetch_signed(struct wave *w, const struct insn *i, int n, lanes *buffer)
{
    const lanes *raw = fetch_raw(w, i, n, buffer);
    if (!has_modifier(i, n)) return raw;
    uint32_t keep = i->abs >> n & 1 ? 0x7fffffffu : ~0u, flip = i->neg >> n & 1 ? 0x80000000u : 0;
    for (int l = 0; l < LANES; l++) buffer->u32[l] = (raw->u32[l] & keep) ^ flip;
    return buffer;
}

const f32 *denormals_in(const struct wave *w, const f32 in[LANES], f32 buffer[LANES])
{
    if (w->mode & MODE_F32_DENORMALS_IN) return in;
    for (int l = 0; l < LANES; l++) buffer[l] = flush_f32(in[l]);
    return buffer;
}

const f32 *fetch_f32(struct wave *w, const struct insn *i, int n, lanes *buffer)
{
    return denormals_in(w, fetch_signed(w, i, n, buffer)->f32, buffer->f32);
}

void fetch_u64(struct wave *w, const struct insn *i, int n, u64 out[LANES])
{
    unsigned code = i->src[n];
    if (code < OPERAND_VGPR) {
        uint64_t value = code == OPERAND_LITERAL ? i->literal : scalar64(w, i, code);
        for (int l = 0; l < LANES; l++) out[l] = value;
        return;
    }
    lanes low = *vector_register(w, code), high = *vector_register(w, code + 1);
    if (i->flags & INSN_DPP && n == 0) {
        permute(w, i, &low);
        permute(w, i, &high);
    }
    for (int l = 0; l < LANES; l++) out[l] = low.u32[l] | (uint64_t)high.u32[l] << 32;
}

void fetch_i64(struct wave *w, const struct insn *i, int n, i64 out[LANES])
{
    fetch_u64(w, i, n, (u64 *)out);
    if (i->src[n] == OPERAND_LITERAL) /* extends with its sign here, with zeros where unsigned */
        for (int l = 0; l < LANES; l++) out[l] = (i32)i->literal;
}

void fetch_f64(struct wave *w, const struct insn *i, int n, f64 out[LANES])
{
    unsigned code = i->src[n];
    u64 bits[LANES];
    fetch_u64(w, i, n, bits);
    uint64_t keep = i->abs >> n & 1 ? INT64_MAX : UINT64_MAX, flip = i->neg >> n & 1 ? UINT64_C(1) << 63 : 0;
    for (int l = 0; l < LANES; l++) {
        if (code == OPERAND_LITERAL) bits[l] = (uint64_t)i->literal << 32; /* a literal is the high half of an f64 */
        out[l] = bits_double((bits[l] & keep) ^ flip);
    }
}

static void fetch_half(struct wave *w, const struct insn *i, int n, u16 out[LANES], int floats)
{
    lanes buffer;
    const lanes *raw = i->src[n] < OPERAND_VGPR ? fetch_special(w, i, n, &buffer, floats) : fetch_raw(w, i, n, &buffer);
    unsigned shift = i->op_sel >> n & 1 ? 16 : 0;
    for (int l = 0; l < LANES; l++) out[l] = (u16)(raw->u32[l] >> shift);
}

void fetch_u16(struct wave *w, const struct insn *i, int n, u16 out[LANES])
{
    fetch_half(w, i, n, out, 0);
}

void fetch_f16_bits(struct wave *w, const struct insn *i, int n, u16 out[LANES])
{
    fetch_half(w, i, n, out, 1);
}

void fetch_f16(struct wave *w, const struct insn *i, int n, f16 out[LANES])
{
    u16 bits[LANES];
    fetch_f16_bits(w, i, n, bits);
    uint32_t keep = i->abs >> n & 1 ? 0x7fff : 0xffff, flip = i->neg >> n & 1 ? 0x8000 : 0;
    for (int l = 0; l < LANES; l++) out[l] = half_to_float((u16)((bits[l] & keep) ^ flip));
}

/* ---- Writing ------------------------------------------------------------------------------------------------------*/

void blend(lanes *to, const lanes *from, uint64_t mask)
{
    if (mask == UINT64_MAX) {
        *to = *from;
        return;
    }
    u32 bits[LANES];
    spread_mask(mask, bits);
    for (int l = 0; l < LANES; l++) to->u32[l] = bits[l] ? from->u32[l] : to->u32[l];
}

static uint64_t write_mask(struct wave *w, const struct insn *i)
{
    return i->flags & INSN_DPP ? w->exec & dpp_write_mask(w, i) : w->exec;
}

/* SDWA places the result in a part of the destination: dst_unused 0 clears the rest, 1 extends the sign, 2 keeps. */
static void place_part(struct wave *w, const struct insn *i, const lanes *from, lanes *to)
{
    unsigned sel = i->dst_sel, width = sel < SDWA_WORD0 ? 8 : 16;
    unsigned shift = sel < SDWA_WORD0 ? sel * 8 : (sel - SDWA_WORD0) * 16;
    uint32_t field = ((1u << width) - 1) << shift;
    const lanes *old = vector_register(w, i->dst);
    for (int l = 0; l < LANES; l++) {
        uint32_t part = from->u32[l] << shift & field, rest = 0;
        if (i->dst_unused == 1 && (from->u32[l] >> (width - 1) & 1)) rest = ~(field | (field - 1));
        if (i->dst_unused == 2) rest = old->u32[l] & ~field;
        to->u32[l] = part | rest;
    }
}

void put_u32(struct wave *w, const struct insn *i, const lanes *result)
{
    lanes placed;
    if (i->flags & INSN_SDWA && i->dst_sel != SDWA_DWORD) {
        place_part(w, i, result, &placed);
        result = &placed;
    }
    blend(vector_register(w, i->dst), result, write_mask(w, i));
}

/* The factors of 2, 4 and 0.5 (omod) count only where results may not be denormal and IEEE mode is off (CDNA4 ISA,
 * "Instruction Outputs"); of f16 and f64 results always may. */
static void flush_and_scale(const struct wave *w, const struct insn *i, lanes *result)
{
    static const f32 factors[4] = {1, 2, 4, 0.5f};
    f32 factor = w->mode & MODE_IEEE ? 1 : factors[i->omod & 3];
    for (int l = 0; l < LANES; l++) result->f32[l] = flush_f32(flush_f32(result->f32[l]) * factor);
}

void put_f32(struct wave *w, const struct insn *i, lanes *result)
{
    if (!(w->mode & MODE_F32_DENORMALS_OUT)) flush_and_scale(w, i, result);
    if (i->clamp)
        for (int l = 0; l < LANES; l++) result->f32[l] = (float)clamped_float(w, result->f32[l]);
    put_u32(w, i, result);
}

void put_u64(struct wave *w, const struct insn *i, const u64 result[LANES])
{
    lanes low, high;
    for (int l = 0; l < LANES; l++) {
        low.u32[l] = (u32)result[l];
        high.u32[l] = (u32)(result[l] >> 32);
    }
    uint64_t mask = write_mask(w, i);
    blend(vector_register(w, i->dst), &low, mask);
    blend(vector_register(w, i->dst + 1), &high, mask);
}

void put_f64(struct wave *w, const struct insn *i, f64 result[LANES])
{
    u64 bits[LANES];
    for (int l = 0; l < LANES; l++) bits[l] = double_bits(i->clamp ? clamped_float(w, result[l]) : result[l]);
    put_u64(w, i, bits);
}

/* Halves: the VOP3 encoding writes one half and keeps the other if op_sel names the high one; otherwise the high half
 * is cleared, but on gfx9 some rows keep it (CDNA4 ISA, V_FMA_F16; LLVM's zeroesHigh16BitsOfDest). */
void put_u16(struct wave *w, const struct insn *i, const u16 result[LANES])
{
    const lanes *old = vector_register(w, i->dst);
    int high = i->op_sel >> 3 & 1;
    u32 kept = high ? 0xffff : i->op->flags & OP_KEEPS_DST ? 0xffff0000 : 0;
    unsigned shift = high ? 16 : 0;
    lanes wide;
    for (int l = 0; l < LANES; l++) wide.u32[l] = (old->u32[l] & kept) | (u32)result[l] << shift;
    put_u32(w, i, &wide);
}

void put_f16(struct wave *w, const struct insn *i, f16 result[LANES])
{
    u16 bits[LANES];
    for (int l = 0; i->clamp && l < LANES; l++) result[l] = (f16)clamped_float(w, result[l]);
    for (int l = 0; l < LANES; l++) bits[l] = float_to_half(result[l]);
    put_u16(w, i, bits);
}
