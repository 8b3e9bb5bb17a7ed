/* Modifiers, for every row that may have them: an instruction with modifiers does what the plain one does to operands
 * changed beforehand, or its result is the plain one's, changed afterwards. */
#include "tests/isa/encode.h"
#include "tests/test.h"

enum { DWORDS = 4 }; /* of operands and results that are compared */
enum { SIGN_HALF = 0x8000 };

static uint32_t random_state = 1;

static uint32_t random_bits(uint32_t count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> (32 - count);
}

/* ---- One run ------------------------------------------------------------------------------------------------------*/

struct operands {
    lanes source[3][DWORDS], dst[DWORDS];
    uint64_t exec;
};

struct results {
    lanes dst[DWORDS];
    uint64_t mask, exec;
    char fault[160];
};

static const uint64_t vcc = 0x5a3c00ff9696f00f;

static void run(struct fixture *f, const struct encoded *e, const struct operands *in, struct results *out)
{
    for (unsigned n = 0; n < 3; n++) memcpy(&f->wave.vgpr[SRC0 + 8 * n], in->source[n], sizeof in->source[n]);
    memcpy(&f->wave.vgpr[DST], in->dst, sizeof in->dst);
    f->wave.exec = in->exec;
    f->wave.vcc = vcc;
    fixture_set_s64(f, MASK_IN, vcc);
    fixture_set_s64(f, MASK, 0);
    out->fault[0] = 0;
    if (!fixture_run(f, e->dwords, e->count))
        strcpy(out->fault, "does not decode");
    else if (fixture_faulted(f))
        snprintf(out->fault, sizeof out->fault, "%.150s", f->error.text);
    memcpy(out->dst, &f->wave.vgpr[DST], sizeof out->dst);
    int to_mask = f->insn.op->flags & OP_SDST || f->insn.format == FORMAT_VOPC;
    out->mask = !to_mask ? 0 : f->insn.sdst == OPERAND_VCC ? f->wave.vcc : fixture_s64(f, MASK);
    out->exec = f->wave.exec;
}

/* Random bits, and numbers at the edges of f16 (in pairs), f32 and f64 (their high dwords). */
static uint32_t operand(void)
{
    static const uint32_t edges[] = {
        0x3c00bc00, 0x38003800, 0x7c008000, 0x0001fc00, 0x7e00fe00, 0x7c01fc01, 0x00003555, 0x42002e66,
        0x3f800000, 0xbf800000, 0x3f000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0xff800001,
        0x00000001, 0x807fffff, 0x40400000, 0x3e800000, 0x3ff00000, 0xbff00000, 0x3fe80000, 0x7ff00000,
        0xfff80000, 0x40080000, 0x00000000, 0xffffffff, 0x7fffffff, 0x00000020, 0x0000001f, 0x00000007,
    };
    uint32_t kind = random_bits(2);
    if (kind == 0) return random_bits(32);
    if (kind == 1) return 0x3e000000 + random_bits(26); /* f32 from 2^-3 on, also f16 */
    return edges[random_bits(5)];
}

static void randomize(struct operands *in)
{
    for (unsigned d = 0; d < DWORDS; d++)
        for (unsigned l = 0; l < LANES; l++) {
            in->dst[d].u32[l] = operand();
            for (unsigned n = 0; n < 3; n++) in->source[n][d].u32[l] = operand();
        }
    in->exec = (uint64_t)random_bits(32) << 32 | random_bits(32) | 1;
}

/* ---- What is compared ---------------------------------------------------------------------------------------------*/

struct row {
    enum format format;
    uint32_t opcode;
    const struct op *op;
};

static int is_float(unsigned shape)
{
    return (shape & SHAPE_FLOAT) != 0;
}

static int is_half(unsigned shape)
{
    return (shape & (SHAPE_HALF | SHAPE_DWORDS)) == (SHAPE_HALF | 1);
}

/* Pairs of halves in their VOP2 encoding: signs are for both. */
static int of_pairs(const struct op *op)
{
    return strstr(op->mnemonic, "_dot2c_") || strstr(op->mnemonic, "_pk_fmac_");
}

static uint32_t sign_bit(const struct op *op, unsigned n)
{
    return is_half(op->src[n]) ? SIGN_HALF : 0x80000000;
}

static void change_sign(struct operands *in, const struct op *op, unsigned n, uint32_t neg, uint32_t abs)
{
    if (!is_float(op->src[n])) return;
    uint32_t bit = sign_bit(op, n);
    lanes *top = &in->source[n][(op->src[n] & SHAPE_DWORDS) - 1];
    for (unsigned l = 0; l < LANES; l++) {
        if (abs) top->u32[l] &= ~bit;
        if (neg) top->u32[l] ^= bit;
    }
}

static const lanes *first_difference(const struct results *a, const struct results *b, unsigned *lane)
{
    for (unsigned reg = 0; reg < DWORDS; reg++)
        for (*lane = 0; *lane < LANES; *lane += 1)
            if (a->dst[reg].u32[*lane] != b->dst[reg].u32[*lane]) return &a->dst[reg];
    return NULL;
}

static struct operands plain_in, in;
static struct results plain, got, unmodified;
static int changing; /* checks in which the modifiers made a difference */

/* got is what plain is, of the instruction e with modifiers, which is run without as well. */
static void compare(struct fixture *f, const struct row *r, const char *what, const struct encoded *e)
{
    unsigned l = 0;
    const lanes *differs = first_difference(&got, &plain, &l);
    if (differs || got.mask != plain.mask || got.exec != plain.exec || got.fault[0] || plain.fault[0])
        test_fail(__FILE__, __LINE__, "%s with %s: 0x%08x in lane %u; masks 0x%" PRIx64 ", not 0x%" PRIx64 " %s%s",
                  r->op->mnemonic, what, differs ? differs->u32[l] : 0, l, got.mask, plain.mask, got.fault,
                  plain.fault);
    run(f, e, &in, &unmodified);
    changing += first_difference(&got, &unmodified, &l) || got.mask != unmodified.mask;
}

/* ---- The VOP3 encoding --------------------------------------------------------------------------------------------*/

static void check_signs(struct fixture *f, const struct row *r)
{
    if (!(r->op->modifiers & (MOD_SIGNS | MOD_SIGN_0)) || of_pairs(r->op)) return;
    if (strstr(r->op->mnemonic, "_scalef32_")) return; /* not known where a source is two numbers */
    struct encoded e = encode(r->format, r->opcode, E64), signs = e;
    uint32_t sources = 0;
    for (unsigned n = 0; n < 3; n++) sources |= (uint32_t)is_float(r->op->src[n]) << n;
    uint32_t neg = random_bits(3) & sources, abs = r->op->flags & OP_SDST ? 0 : random_bits(3) & sources;
    randomize(&in);
    plain_in = in;
    for (unsigned n = 0; n < 3; n++) change_sign(&plain_in, r->op, n, neg >> n & 1, abs >> n & 1);
    signs.dwords[0] |= abs << 8;
    signs.dwords[1] |= neg << 29;
    run(f, &e, &plain_in, &plain);
    run(f, &signs, &in, &got);
    compare(f, r, "neg and abs", &e);
}

/* The mode of HIP keeps denormals: no factors. */
static void check_omod(struct fixture *f, const struct row *r)
{
    if (!(r->op->modifiers & MOD_OMOD)) return;
    struct encoded e = encode(r->format, r->opcode, E64), omod = e;
    omod.dwords[1] |= (1 + random_bits(1)) << 27;
    randomize(&in);
    run(f, &e, &in, &plain);
    run(f, &omod, &in, &got);
    compare(f, r, "omod", &e);
}

/* 0 to 1; NaN becomes 0. */
static uint32_t clamped_half(uint32_t x)
{
    return x & SIGN_HALF || x > 0x7c00 ? 0 : x > 0x3c00 ? 0x3c00 : x;
}

static void clamp(struct results *out, const struct row *r, uint64_t exec)
{
    unsigned dwords = r->op->dst & SHAPE_DWORDS;
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t *low = &out->dst[0].u32[l], *high = &out->dst[1].u32[l];
        if (!(exec >> l & 1)) continue;
        if (strstr(r->op->mnemonic, "_pk_fmac_") || strstr(r->op->mnemonic, "_cvt_pkrtz_"))
            *low = clamped_half(*low & 0xffff) | clamped_half(*low >> 16) << 16;
        else if (is_half(r->op->dst))
            *low = (*low & 0xffff0000) | clamped_half(*low & 0xffff);
        else if (dwords == 2 && !(r->op->dst & SHAPE_HALF) && !strstr(r->op->mnemonic, "_pk_")) {
            uint64_t x = *low | (uint64_t)*high << 32, one = 0x3ff0000000000000, infinity = 0x7ff0000000000000;
            x = x >> 63 || x > infinity ? 0 : x > one ? one : x;
            *low = (uint32_t)x;
            *high = (uint32_t)(x >> 32);
        } else
            for (unsigned n = 0; n < dwords; n++) {
                uint32_t *x = &out->dst[n].u32[l];
                *x = *x >> 31 || *x > 0x7f800000 ? 0 : *x > 0x3f800000 ? 0x3f800000 : *x;
            }
    }
}

static int has_float_clamp(const struct op *op)
{
    return op->modifiers & MOD_CLAMP && is_float(op->dst);
}

static void check_clamp(struct fixture *f, const struct row *r)
{
    if (!has_float_clamp(r->op)) return;
    struct encoded e = encode(r->format, r->opcode, E64), with = e;
    with.dwords[0] |= 1 << 15;
    randomize(&in);
    run(f, &e, &in, &plain);
    clamp(&plain, r, in.exec);
    run(f, &with, &in, &got);
    compare(f, r, "clamp", &e);
}

/* A bit for each source that is a half, one for the destination, whose other half stays. */
static void check_op_sel(struct fixture *f, const struct row *r)
{
    const struct op *op = r->op;
    if (!(op->modifiers & MOD_SEL) || strstr(op->mnemonic, "_cvt_")) return; /* those: test_convert_rows.c */
    struct encoded e = encode(r->format, r->opcode, E64), sel = e;
    uint32_t bits = op->src[2] ? random_bits(4) : random_bits(4) & 11;
    randomize(&in);
    plain_in = in;
    for (unsigned n = 0; n < 3; n++)
        for (unsigned l = 0; l < LANES && bits >> n & 1 && is_half(op->src[n]); l++)
            plain_in.source[n][0].u32[l] >>= 16;
    sel.dwords[0] |= bits << 11;
    run(f, &e, &plain_in, &plain);
    run(f, &sel, &in, &got);
    for (unsigned l = 0; l < LANES && bits >> 3 && is_half(op->dst); l++)
        if (in.exec >> l & 1) plain.dst[0].u32[l] = (in.dst[0].u32[l] & 0xffff) | plain.dst[0].u32[l] << 16;
    compare(f, r, "op_sel", &e);
}

/* ---- SDWA and DPP -------------------------------------------------------------------------------------------------*/

static uint32_t part_of(uint32_t x, uint32_t sel, uint32_t sign)
{
    if (sel == 6) return x;
    uint32_t bits = sel < 4 ? 8 : 16, part = x >> (sel < 4 ? sel * 8 : (sel - 4) * 16) & ((1u << bits) - 1);
    return sign && part >> (bits - 1) ? part | ~0u << bits : part;
}

/* unused: 0 clears what is around the part, 1 extends its sign upwards, 2 keeps it. */
static uint32_t placed(uint32_t old, uint32_t x, uint32_t sel, uint32_t unused)
{
    if (sel == 6) return x;
    uint32_t bits = sel < 4 ? 8 : 16, shift = sel < 4 ? sel * 8 : (sel - 4) * 16, field = ((1u << bits) - 1) << shift;
    uint32_t part = x << shift & field, above = bits + shift == 32 ? 0 : ~0u << (bits + shift);
    if (unused == 2) return (old & ~field) | part;
    return unused == 1 && x >> (bits - 1) & 1 ? part | above : part;
}

/* Changes a source of plain_in by what it returns, the SDWA byte for that source. */
static uint32_t select_source(const struct op *op, unsigned n, int absent)
{
    uint32_t sel = random_bits(16) % 7, sext = 0, signs = 0;
    if (absent) return 0;
    if (!is_float(op->src[n])) sext = random_bits(1);
    if (is_float(op->src[n]) && op->modifiers & MOD_SIGNS && !of_pairs(op)) signs = random_bits(2);
    for (unsigned l = 0; l < LANES; l++)
        plain_in.source[n][0].u32[l] = part_of(plain_in.source[n][0].u32[l], sel, sext);
    change_sign(&plain_in, op, n, signs & 1, signs >> 1);
    return sel | sext << 3 | signs << 4;
}

static void check_sdwa(struct fixture *f, const struct row *r)
{
    const struct op *op = r->op;
    if (!(op->modifiers & MOD_SDWA)) return;
    struct encoded e = encode(r->format, r->opcode, E32), sdwa = encode(r->format, r->opcode, SDWA);
    uint32_t dst_sel = r->format == FORMAT_VOPC || op->modifiers & MOD_WHOLE ? 6 : random_bits(16) % 7;
    uint32_t unused = random_bits(16) % 3, last = SRC0 | (r->format == FORMAT_VOPC ? 0 : dst_sel << 8 | unused << 11);
    randomize(&in);
    plain_in = in;
    for (unsigned n = 0; n < 2; n++) last |= select_source(op, n, n && r->format == FORMAT_VOP1) << (16 + 8 * n);
    sdwa.dwords[1] = last;
    run(f, &e, &plain_in, &plain);
    run(f, &sdwa, &in, &got);
    for (unsigned l = 0; l < LANES; l++)
        if (in.exec >> l & 1 && op->dst)
            plain.dst[0].u32[l] = placed(in.dst[0].u32[l], plain.dst[0].u32[l], dst_sel, unused);
    compare(f, r, "SDWA", &e);
}

/* row_shr:1, of which a row's first lane has no source, or where operands are of 64 bits row_newbcast; with masks. */
static void check_dpp(struct fixture *f, const struct row *r)
{
    const struct op *op = r->op;
    if (!(op->modifiers & MOD_DPP)) return;
    struct encoded e = encode(r->format, r->opcode, E32), dpp = encode(r->format, r->opcode, DPP);
    uint32_t bound = random_bits(1), rows = random_bits(4) | 2, banks = random_bits(4) | 1, lane = random_bits(4);
    int wide = ((op->dst | op->src[0] | op->src[1]) & 2) != 0;
    dpp.dwords[1] = SRC0 | (wide ? 0x150 | lane : 0x111) << 8 | bound << 19 | banks << 24 | rows << 28;
    randomize(&in);
    plain_in = in;
    for (unsigned l = 0; l < LANES; l++) {
        unsigned from = wide ? l / 16 * 16 + lane : l - 1;
        int there = (wide || l % 16 != 0) && in.exec >> from & 1;
        for (unsigned d = 0; d < DWORDS; d++)
            plain_in.source[0][d].u32[l] = there ? in.source[0][d].u32[from] : 0;
        if (!(rows >> l / 16 & 1) || !(banks >> l / 4 % 4 & 1) || (!there && !bound))
            plain_in.exec &= ~(UINT64_C(1) << l);
    }
    run(f, &e, &plain_in, &plain);
    run(f, &dpp, &in, &got);
    plain.exec = got.exec;
    got.mask &= plain_in.exec; /* nobody says what is in a mask for lanes that are not written */
    compare(f, r, "DPP", &e);
}

/* ---- Packed -------------------------------------------------------------------------------------------------------*/

/* op_sel and op_sel_hi: from which half, or dword, the low and the high result come; neg_lo and neg_hi: signs of these.
 * Without modifiers op_sel_hi is all ones. */
static void check_packed(struct fixture *f, const struct row *r)
{
    const struct op *op = r->op;
    if (!(op->modifiers & (MOD_PACKED | MOD_DOT)) || op->flags & (OP_WORD | OP_MFMA)) return;
    struct encoded e = encode(r->format, r->opcode, E32), with;
    int dwords = (op->flags & OP_WORDS) != 0, signs = dwords || strstr(op->mnemonic, "f16");
    int dot = strstr(op->mnemonic, "_dot") != NULL; /* of halves as they are, and the third is one number */
    uint32_t sources = dot || !op->src[2] ? 2 : 3;
    uint32_t lo = dot ? 0 : random_bits(sources), hi = dot ? 7 : random_bits(3);
    uint32_t neg_lo = signs ? random_bits(sources) : 0, neg_hi = signs ? random_bits(sources) : 0;
    with = e;
    e.dwords[0] |= 1 << 14;
    e.dwords[1] |= 3 << 27;
    with.dwords[0] |= neg_hi << 8 | lo << 11 | hi >> 2 << 14;
    with.dwords[1] |= (hi & 3) << 27 | neg_lo << 29;
    randomize(&in);
    plain_in = in;
    for (unsigned n = 0; n < 3; n++)
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t *x = &plain_in.source[n][0].u32[l], *y = &plain_in.source[n][1].u32[l], top = 0x80000000;
            uint32_t low = dwords ? *x : *x & 0xffff, high = dwords ? *y : *x >> 16, sign = dwords ? top : SIGN_HALF;
            uint32_t to_low = (lo >> n & 1 ? high : low) ^ (neg_lo >> n & 1 ? sign : 0);
            uint32_t to_high = (hi >> n & 1 ? high : low) ^ (neg_hi >> n & 1 ? sign : 0);
            *x = dwords ? to_low : to_low | to_high << 16;
            if (dwords) *y = to_high;
        }
    run(f, &e, &plain_in, &plain);
    run(f, &with, &in, &got);
    compare(f, r, "op_sel, op_sel_hi, neg_lo and neg_hi", &e);
}

/* ---- All rows -----------------------------------------------------------------------------------------------------*/

static void each_row(void (*check)(struct fixture *f, const struct row *r), int rounds, int at_least)
{
    struct fixture *f = fixture_create();
    changing = 0;
    for (int format = FORMAT_VOP1; format <= FORMAT_VOP3P; format++)
        for (uint32_t opcode = 0; opcode < tables[format].count; opcode++) {
            struct row r = {(enum format)format, opcode, &tables[format].ops[opcode]};
            if (!r.op->mnemonic || r.op->exec == exec_unknown) continue;
            for (int n = 0; n < rounds; n++) check(f, &r);
        }
    CHECK(changing >= at_least);
    printf("# %d made a difference\n", changing);
    fixture_destroy(f);
}

static void signs(void)
{
    each_row(check_signs, 4, 500);
}

static void omod(void)
{
    each_row(check_omod, 1, 0);
}

static void clamps(void)
{
    each_row(check_clamp, 2, 200);
}

static void op_sel(void)
{
    each_row(check_op_sel, 6, 100);
}

static void sdwa(void)
{
    each_row(check_sdwa, 12, 2000);
}

static void dpp(void)
{
    each_row(check_dpp, 3, 300);
}

static void packed(void)
{
    each_row(check_packed, 6, 100);
}

int main(void)
{
    TEST(signs);
    TEST(omod);
    TEST(clamps);
    TEST(op_sel);
    TEST(sdwa);
    TEST(dpp);
    TEST(packed);
    return test_end();
}
