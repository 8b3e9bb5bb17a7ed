/* SOP1 and SOP2: one instruction at a time, results after the pseudo-code of the CDNA4 ISA document. */
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

#define ONES UINT64_MAX
#define OLD UINT64_C(0x0123456789abcdef) /* in s[4:5] before */
enum { ANY = 2, KEPT = 3 };              /* of SCC: every row with ANY runs with both */

/* Sources are s[2:3] and s[6:7], the destination s4 or s[4:5] as the text says; a 32-bit one leaves s5 alone. */
struct salu_case {
    const char *text;
    uint32_t code;
    int scc;
    uint64_t a, b, want;
    int want_scc;
};

/* Columns: instruction, encoding, SCC, a, b, result, new SCC. */
static const struct salu_case sop1_cases[] = {
    {"s_mov_b32 s4, s2",       0xbe840002, ANY, 0xdeadbeef, 0, 0xdeadbeef, KEPT},
    {"s_mov_b32 s4, -16",      0xbe8400d0, ANY,          0, 0, 0xfffffff0, KEPT},
    {"s_mov_b32 s4, 64",       0xbe8400c0, ANY,          0, 0,         64, KEPT},
    {"s_mov_b32 s4, 1.0",      0xbe8400f2, ANY,          0, 0, 0x3f800000, KEPT},
    {"s_cmov_b32 s4, s2",      0xbe840202,   1,          5, 0,          5,    1},
    {"s_cmov_b32 s4, s2",      0xbe840202,   0,          5, 0, 0x89abcdef,    0},
    {"s_not_b32 s4, s2",       0xbe840402, ANY, 0xffffffff, 0,          0,    0},
    {"s_not_b32 s4, s2",       0xbe840402, ANY,          0, 0, 0xffffffff,    1},
    {"s_wqm_b32 s4, s2",       0xbe840602, ANY, 0x80010000, 0, 0xf00f0000,    1},
    {"s_brev_b32 s4, s2",      0xbe840802, ANY, 0x00000013, 0, 0xc8000000, KEPT},
    {"s_bcnt0_i32_b32 s4, s2", 0xbe840a02, ANY, 0xcccccccc, 0,         16,    1},
    {"s_bcnt0_i32_b32 s4, s2", 0xbe840a02, ANY, 0xffffffff, 0,          0,    0},
    {"s_bcnt1_i32_b32 s4, s2", 0xbe840c02, ANY, 0xffffffff, 0,         32,    1},
    {"s_bcnt1_i32_b32 s4, s2", 0xbe840c02, ANY,          0, 0,          0,    0},
    {"s_ff0_i32_b32 s4, s2",   0xbe840e02, ANY, 0xfffeffff, 0,         16, KEPT},
    {"s_ff0_i32_b32 s4, s2",   0xbe840e02, ANY, 0xffffffff, 0, 0xffffffff, KEPT},
    {"s_ff1_i32_b32 s4, s2",   0xbe841002, ANY, 0x80000000, 0,         31, KEPT},
    {"s_ff1_i32_b32 s4, s2",   0xbe841002, ANY,          0, 0, 0xffffffff, KEPT},
    {"s_flbit_i32_b32 s4, s2", 0xbe841202, ANY, 0x0000cccc, 0,         16, KEPT},
    {"s_flbit_i32_b32 s4, s2", 0xbe841202, ANY,          0, 0, 0xffffffff, KEPT},
    {"s_flbit_i32 s4, s2",     0xbe841402, ANY, 0xffff3333, 0,         16, KEPT},
    {"s_flbit_i32 s4, s2",     0xbe841402, ANY, 0x80000000, 0,          1, KEPT},
    {"s_flbit_i32 s4, s2",     0xbe841402, ANY, 0xffffffff, 0, 0xffffffff, KEPT},
    {"s_flbit_i32 s4, s2",     0xbe841402, ANY,          0, 0, 0xffffffff, KEPT},
    {"s_sext_i32_i8 s4, s2",   0xbe841602, ANY, 0x12345680, 0, 0xffffff80, KEPT},
    {"s_sext_i32_i16 s4, s2",  0xbe841702, ANY, 0xffff7fff, 0,     0x7fff, KEPT},
    {"s_bitset0_b32 s4, s2",   0xbe841802, ANY,         63, 0, 0x09abcdef, KEPT},
    {"s_bitset1_b32 s4, s2",   0xbe841a02, ANY,         30, 0, 0xc9abcdef, KEPT},
    {"s_quadmask_b32 s4, s2",  0xbe842802, ANY, 0x80000104, 0,       0x85,    1},
    {"s_abs_i32 s4, s2",       0xbe843002, ANY, 0xffffffff, 0,          1,    1},
    {"s_abs_i32 s4, s2",       0xbe843002, ANY, 0x80000000, 0, 0x80000000,    1},
    {"s_abs_i32 s4, s2",       0xbe843002, ANY,          0, 0,          0,    0},
    {"s_mov_b64 s[4:5], s[2:3]",          0xbe840102, ANY, 0xfedcba9876543210, 0, 0xfedcba9876543210, KEPT},
    {"s_mov_b64 s[4:5], -1",              0xbe8401c1, ANY,                  0, 0,               ONES, KEPT},
    {"s_cmov_b64 s[4:5], s[2:3]",         0xbe840302,   1,               ONES, 0,               ONES,    1},
    {"s_cmov_b64 s[4:5], s[2:3]",         0xbe840302,   0,               ONES, 0,                OLD,    0},
    {"s_not_b64 s[4:5], s[2:3]",          0xbe840502, ANY,               ONES, 0,                  0,    0},
    {"s_not_b64 s[4:5], s[2:3]",          0xbe840502, ANY,         0xffffffff, 0, 0xffffffff00000000,    1},
    {"s_wqm_b64 s[4:5], s[2:3]",          0xbe840702, ANY, 0x2000000000000041, 0, 0xf0000000000000ff,    1},
    {"s_wqm_b64 s[4:5], s[2:3]",          0xbe840702, ANY,                  0, 0,                  0,    0},
    {"s_brev_b64 s[4:5], s[2:3]",         0xbe840902, ANY, 0x8000000000000002, 0, 0x4000000000000001, KEPT},
    {"s_bcnt0_i32_b64 s4, s[2:3]",        0xbe840b02, ANY,                  0, 0,                 64,    1},
    {"s_bcnt0_i32_b64 s4, s[2:3]",        0xbe840b02, ANY,               ONES, 0,                  0,    0},
    {"s_bcnt1_i32_b64 s4, s[2:3]",        0xbe840d02, ANY, 0x8000000000000000, 0,                  1,    1},
    {"s_bcnt1_i32_b64 s4, s[2:3]",        0xbe840d02, ANY,                  0, 0,                  0,    0},
    {"s_ff0_i32_b64 s4, s[2:3]",          0xbe840f02, ANY, 0x7fffffffffffffff, 0,                 63, KEPT},
    {"s_ff0_i32_b64 s4, s[2:3]",          0xbe840f02, ANY,               ONES, 0,         0xffffffff, KEPT},
    {"s_ff1_i32_b64 s4, s[2:3]",          0xbe841102, ANY,        0x100000000, 0,                 32, KEPT},
    {"s_ff1_i32_b64 s4, s[2:3]",          0xbe841102, ANY,                  0, 0,         0xffffffff, KEPT},
    {"s_flbit_i32_b64 s4, s[2:3]",        0xbe841302, ANY,                  1, 0,                 63, KEPT},
    {"s_flbit_i32_b64 s4, s[2:3]",        0xbe841302, ANY,                  0, 0,         0xffffffff, KEPT},
    {"s_flbit_i32_i64 s4, s[2:3]",        0xbe841502, ANY, 0xffffffff00000000, 0,                 32, KEPT},
    {"s_flbit_i32_i64 s4, s[2:3]",        0xbe841502, ANY,               ONES, 0,         0xffffffff, KEPT},
    {"s_bitset0_b64 s[4:5], s2",          0xbe841902, ANY,                 56, 0, 0x0023456789abcdef, KEPT},
    {"s_bitset1_b64 s[4:5], s2",          0xbe841b02, ANY,               0x7f, 0, 0x8123456789abcdef, KEPT},
    {"s_quadmask_b64 s[4:5], s[2:3]",     0xbe842902, ANY, 0x1000000000000010, 0,             0x8002,    1},
    {"s_quadmask_b64 s[4:5], s[2:3]",     0xbe842902, ANY,                  0, 0,                  0,    0},
    {"s_bitreplicate_b64_b32 s[4:5], s2", 0xbe843702, ANY,         0x80000005, 0, 0xc000000000000033, KEPT},
    {"s_wqm_b32 s4, s2", 0xbe840602, ANY, 0, 0, 0, 0},
    {"s_quadmask_b32 s4, s2", 0xbe842802, ANY, 0, 0, 0, 0},
    {"s_brev_b32 s4, s2", 0xbe840802, ANY, 0xffffffff, 0, 0xffffffff, KEPT},
    {"s_flbit_i32_b32 s4, s2", 0xbe841202, ANY, 0x80000000, 0, 0, KEPT},
    {"s_flbit_i32_b64 s4, s[2:3]", 0xbe841302, ANY, 0x8000000000000000, 0, 0, KEPT},
    {"s_flbit_i32_i64 s4, s[2:3]", 0xbe841502, ANY, 0, 0, 0xffffffff, KEPT},
    {"s_flbit_i32_i64 s4, s[2:3]", 0xbe841502, ANY, 0x8000000000000000, 0, 1, KEPT},
    {"s_ff0_i32_b32 s4, s2", 0xbe840e02, ANY, 0xfffffffe, 0, 0, KEPT},
    {"s_ff1_i32_b64 s4, s[2:3]", 0xbe841102, ANY, 0x8000000000000000, 0, 63, KEPT},
    {"s_bitset0_b32 s4, s2", 0xbe841802, ANY, 0xffffffe0, 0, 0x89abcdee, KEPT},
    {"s_bitset1_b64 s[4:5], s2", 0xbe841b02, ANY, 0xffffffc4, 0, 0x0123456789abcdff, KEPT},
    {"s_bitreplicate_b64_b32 s[4:5], s2", 0xbe843702, ANY, 0, 0, 0, KEPT},
};

static const struct salu_case sop2_cases[] = {
    {"s_add_u32 s4, s2, s6",         0x80040602, ANY, 0xffffffff,          1,          0,    1},
    {"s_add_u32 s4, s2, s6",         0x80040602, ANY, 0x7fffffff,          1, 0x80000000,    0},
    {"s_sub_u32 s4, s2, s6",         0x80840602, ANY,          1,          2, 0xffffffff,    1},
    {"s_sub_u32 s4, s2, s6",         0x80840602, ANY,          2,          2,          0,    0},
    {"s_sub_u32 s4, s2, s6",         0x80840602, ANY, 0x80000000,          1, 0x7fffffff,    0},
    {"s_add_i32 s4, s2, s6",         0x81040602, ANY, 0x7fffffff,          1, 0x80000000,    1},
    {"s_add_i32 s4, s2, s6",         0x81040602, ANY, 0x80000000, 0xffffffff, 0x7fffffff,    1},
    {"s_add_i32 s4, s2, s6",         0x81040602, ANY, 0xffffffff,          1,          0,    0},
    {"s_sub_i32 s4, s2, s6",         0x81840602, ANY, 0x80000000,          1, 0x7fffffff,    1},
    {"s_sub_i32 s4, s2, s6",         0x81840602, ANY,          0, 0x80000000, 0x80000000,    1},
    {"s_sub_i32 s4, s2, s6",         0x81840602, ANY,          1,          2, 0xffffffff,    0},
    {"s_addc_u32 s4, s2, s6",        0x82040602,   1, 0xffffffff,          0,          0,    1},
    {"s_addc_u32 s4, s2, s6",        0x82040602,   0, 0xffffffff,          0, 0xffffffff,    0},
    {"s_addc_u32 s4, s2, s6",        0x82040602,   1, 0xffffffff, 0xffffffff, 0xffffffff,    1},
    {"s_addc_u32 s4, s2, s6",        0x82040602,   1,          5,          6,         12,    0},
    {"s_addc_u32 s4, s2, s6",        0x82040602,   0, 0xffffffff,          1,          0,    1},
    {"s_subb_u32 s4, s2, s6",        0x82840602,   1,          5,          5, 0xffffffff,    1},
    {"s_subb_u32 s4, s2, s6",        0x82840602,   0,          5,          5,          0,    0},
    {"s_subb_u32 s4, s2, s6",        0x82840602,   1,          0, 0xffffffff,          0,    1},
    {"s_subb_u32 s4, s2, s6",        0x82840602,   1, 0x80000000,          3, 0x7ffffffc,    0},
    {"s_subb_u32 s4, s2, s6",        0x82840602,   0,          1,          2, 0xffffffff,    1},
    {"s_min_i32 s4, s2, s6",         0x83040602, ANY, 0xffffffff,          0, 0xffffffff,    1},
    {"s_min_i32 s4, s2, s6",         0x83040602, ANY,          3,          3,          3,    0},
    {"s_min_u32 s4, s2, s6",         0x83840602, ANY, 0xffffffff,          0,          0,    0},
    {"s_min_u32 s4, s2, s6",         0x83840602, ANY,          1,          2,          1,    1},
    {"s_max_i32 s4, s2, s6",         0x84040602, ANY, 0xffffffff,          0,          0,    0},
    {"s_max_i32 s4, s2, s6",         0x84040602, ANY,          3,          3,          3,    1},
    {"s_max_u32 s4, s2, s6",         0x84840602, ANY, 0xffffffff,          0, 0xffffffff,    1},
    {"s_max_u32 s4, s2, s6",         0x84840602, ANY,          1,          2,          2,    0},
    {"s_cselect_b32 s4, s2, s6",     0x85040602,   1,          7,          8,          7,    1},
    {"s_cselect_b32 s4, s2, s6",     0x85040602,   0,          7,          8,          8,    0},
    {"s_and_b32 s4, s2, s6",         0x86040602, ANY,     0xf0f0,     0x0f0f,          0,    0},
    {"s_and_b32 s4, s2, s6",         0x86040602, ANY,     0xffff, 0x8000000f,        0xf,    1},
    {"s_or_b32 s4, s2, s6",          0x87040602, ANY,          1, 0x80000000, 0x80000001,    1},
    {"s_xor_b32 s4, s2, s6",         0x88040602, ANY,       0x55,       0x55,          0,    0},
    {"s_andn2_b32 s4, s2, s6",       0x89040602, ANY,       0xff,       0x0f,       0xf0,    1},
    {"s_orn2_b32 s4, s2, s6",        0x8a040602, ANY,          0, 0xffffffff,          0,    0},
    {"s_nand_b32 s4, s2, s6",        0x8b040602, ANY, 0xffffffff, 0xffffffff,          0,    0},
    {"s_nor_b32 s4, s2, s6",         0x8c040602, ANY, 0xf0f0f0f0, 0x0f0f0f0f,          0,    0},
    {"s_xnor_b32 s4, s2, s6",        0x8d040602, ANY,          0, 0xffffffff,          0,    0},
    {"s_lshl_b32 s4, s2, s6",        0x8e040602, ANY,          3,         48,    0x30000,    1},
    {"s_lshl_b32 s4, s2, s6",        0x8e040602, ANY, 0x80000000,          1,          0,    0},
    {"s_lshr_b32 s4, s2, s6",        0x8f040602, ANY, 0x80000000,         31,          1,    1},
    {"s_lshr_b32 s4, s2, s6",        0x8f040602, ANY, 0x80000000,         32, 0x80000000,    1},
    {"s_ashr_i32 s4, s2, s6",        0x90040602, ANY, 0x80000000,         31, 0xffffffff,    1},
    {"s_ashr_i32 s4, s2, s6",        0x90040602, ANY,          1,          1,          0,    0},
    {"s_bfm_b32 s4, s2, s6",         0x91040602, ANY,          4,          8,      0xf00, KEPT},
    {"s_bfm_b32 s4, s2, s6",         0x91040602, ANY,         32,          8,          0, KEPT},
    {"s_bfm_b32 s4, s2, s6",         0x91040602, ANY,         31,         31, 0x80000000, KEPT},
    {"s_mul_i32 s4, s2, s6",         0x92040602, ANY, 0xffffffff,    0x10001, 0xfffeffff, KEPT},
    {"s_bfe_u32 s4, s2, s6",         0x92840602, ANY, 0x12345678, 0x00080004,       0x67,    1},
    {"s_bfe_u32 s4, s2, s6",         0x92840602, ANY, 0xffffffff, 0x00000004,          0,    0},
    {"s_bfe_u32 s4, s2, s6",         0x92840602, ANY, 0xf0000000, 0x0020001c,        0xf,    1},
    {"s_bfe_i32 s4, s2, s6",         0x93040602, ANY, 0x00000800, 0x00040008, 0xfffffff8,    1},
    {"s_bfe_i32 s4, s2, s6",         0x93040602, ANY, 0x80000000, 0x0010001c, 0xfffffff8,    1},
    {"s_bfe_i32 s4, s2, s6",         0x93040602, ANY, 0xffffffff, 0x00000000,          0,    0},
    {"s_absdiff_i32 s4, s2, s6",     0x95040602, ANY,          2,          5,          3,    1},
    {"s_absdiff_i32 s4, s2, s6",     0x95040602, ANY, 0x80000000, 0xfffffffe, 0x7ffffffe,    1},
    {"s_absdiff_i32 s4, s2, s6",     0x95040602, ANY,          9,          9,          0,    0},
    {"s_mul_hi_u32 s4, s2, s6",      0x96040602, ANY, 0xffffffff, 0xffffffff, 0xfffffffe, KEPT},
    {"s_mul_hi_i32 s4, s2, s6",      0x96840602, ANY, 0xffffffff,          1, 0xffffffff, KEPT},
    {"s_lshl1_add_u32 s4, s2, s6",   0x97040602, ANY, 0x80000000,          1,          1,    1},
    {"s_lshl2_add_u32 s4, s2, s6",   0x97840602, ANY, 0x3fffffff,          3, 0xffffffff,    0},
    {"s_lshl3_add_u32 s4, s2, s6",   0x98040602, ANY, 0x1fffffff,          8,          0,    1},
    {"s_lshl4_add_u32 s4, s2, s6",   0x98840602, ANY,          5,          3,         83,    0},
    {"s_pack_ll_b32_b16 s4, s2, s6", 0x99040602, ANY, 0x11112222, 0x33334444, 0x44442222, KEPT},
    {"s_pack_lh_b32_b16 s4, s2, s6", 0x99840602, ANY, 0x11112222, 0x33334444, 0x33332222, KEPT},
    {"s_pack_hh_b32_b16 s4, s2, s6", 0x9a040602, ANY, 0x11112222, 0x33334444, 0x33331111, KEPT},
    {"s_cselect_b64 s[4:5], s[2:3], s[6:7]", 0x85840602,   1,               ONES,          8,               ONES,    1},
    {"s_cselect_b64 s[4:5], s[2:3], s[6:7]", 0x85840602,   1,                  0,       ONES,                  0,    1},
    {"s_cselect_b64 s[4:5], -1, 0",          0x858480c1,   0,                  0,          0,                  0,    0},
    {"s_cselect_b64 s[4:5], 1.0, 0",         0x858480f2,   1,                  0,          0, 0x3ff0000000000000,    1},
    {"s_and_b64 s[4:5], s[2:3], s[6:7]",     0x86840602, ANY, 0x8000000000000000,       ONES, 0x8000000000000000,    1},
    {"s_or_b64 s[4:5], s[2:3], s[6:7]",      0x87840602, ANY,                  0,          0,                  0,    0},
    {"s_xor_b64 s[4:5], s[2:3], s[6:7]",     0x88840602, ANY,               ONES,          1, 0xfffffffffffffffe,    1},
    {"s_andn2_b64 s[4:5], s[2:3], s[6:7]",   0x89840602, ANY,               0xff,       0xff,                  0,    0},
    {"s_orn2_b64 s[4:5], s[2:3], s[6:7]",    0x8a840602, ANY,                  1, 0xffffffff, 0xffffffff00000001,    1},
    {"s_nand_b64 s[4:5], s[2:3], s[6:7]",    0x8b840602, ANY,                  1,          3, 0xfffffffffffffffe,    1},
    {"s_nor_b64 s[4:5], s[2:3], s[6:7]",     0x8c840602, ANY,                  1,          2, 0xfffffffffffffffc,    1},
    {"s_xnor_b64 s[4:5], s[2:3], s[6:7]",    0x8d840602, ANY,                  5,          5,               ONES,    1},
    {"s_lshl_b64 s[4:5], s[2:3], s6",        0x8e840602, ANY,                  3, 0xffffffff, 0x8000000000000000,    1},
    {"s_lshr_b64 s[4:5], s[2:3], s6",        0x8f840602, ANY, 0x8000000000000000,         32,         0x80000000,    1},
    {"s_lshr_b64 s[4:5], s[2:3], s6",        0x8f840602, ANY,                  1,          1,                  0,    0},
    {"s_ashr_i64 s[4:5], s[2:3], s6",        0x90840602, ANY, 0x8000000000000000,         63,               ONES,    1},
    {"s_bfm_b64 s[4:5], s2, s6",             0x91840602, ANY,                 40,          4, 0x00000ffffffffff0, KEPT},
    {"s_bfe_u64 s[4:5], s[2:3], s6",         0x93840602, ANY, 0x123456789abcdef0, 0x00240008,        0x6789abcde,    1},
    {"s_bfe_u64 s[4:5], s[2:3], s6",         0x93840602, ANY, 0x123456789abcdef0, 0x00080028,               0x56,    1},
    {"s_bfe_u64 s[4:5], s[2:3], s6",         0x93840602, ANY,               ONES, 0x00400000,               ONES,    1},
    {"s_bfe_i64 s[4:5], s[2:3], s6",         0x94040602, ANY, 0x0000008000000000, 0x00080020, 0xffffffffffffff80,    1},
    {"s_bfe_i64 s[4:5], s[2:3], s6",         0x94040602, ANY,               0x7f, 0x00080008,                  0,    0},
    {"s_and_b64 s[4:5], s[2:3], s[6:7]", 0x86840602, ANY, 0xffffffff, 0xffffffff00000000, 0, 0},
    {"s_or_b32 s4, s2, s6", 0x87040602, ANY, 0, 0, 0, 0},
    {"s_or_b64 s[4:5], s[2:3], s[6:7]", 0x87840602, ANY, 0x8000000000000000, 1, 0x8000000000000001, 1},
    {"s_xor_b32 s4, s2, s6", 0x88040602, ANY, 0xffffffff, 1, 0xfffffffe, 1},
    {"s_xor_b64 s[4:5], s[2:3], s[6:7]", 0x88840602, ANY, ONES, ONES, 0, 0},
    {"s_andn2_b32 s4, s2, s6", 0x89040602, ANY, 0x80000000, 0x80000000, 0, 0},
    {"s_andn2_b64 s[4:5], s[2:3], s[6:7]", 0x89840602, ANY, ONES, 0xffffffff, 0xffffffff00000000, 1},
    {"s_orn2_b32 s4, s2, s6", 0x8a040602, ANY, 0, 0x7fffffff, 0x80000000, 1},
    {"s_orn2_b64 s[4:5], s[2:3], s[6:7]", 0x8a840602, ANY, 0, ONES, 0, 0},
    {"s_nand_b32 s4, s2, s6", 0x8b040602, ANY, 0xffffffff, 1, 0xfffffffe, 1},
    {"s_nand_b64 s[4:5], s[2:3], s[6:7]", 0x8b840602, ANY, ONES, ONES, 0, 0},
    {"s_nor_b32 s4, s2, s6", 0x8c040602, ANY, 0, 0x7fffffff, 0x80000000, 1},
    {"s_nor_b64 s[4:5], s[2:3], s[6:7]", 0x8c840602, ANY, ONES, 0, 0, 0},
    {"s_xnor_b32 s4, s2, s6", 0x8d040602, ANY, 0x80000000, 0x80000000, 0xffffffff, 1},
    {"s_xnor_b64 s[4:5], s[2:3], s[6:7]", 0x8d840602, ANY, ONES, 0, 0, 0},
    {"s_lshl_b64 s[4:5], s[2:3], s6", 0x8e840602, ANY, 0x8000000000000000, 65, 0, 0},
    {"s_lshl_b64 s[4:5], s[2:3], s6", 0x8e840602, ANY, 1, 64, 1, 1},
    {"s_lshr_b32 s4, s2, s6", 0x8f040602, ANY, 1, 33, 0, 0},
    {"s_ashr_i32 s4, s2, s6", 0x90040602, ANY, 0x80000000, 0xffffffe0, 0x80000000, 1},
    {"s_ashr_i64 s[4:5], s[2:3], s6", 0x90840602, ANY, 0x7fffffffffffffff, 63, 0, 0},
    {"s_ashr_i64 s[4:5], s[2:3], s6", 0x90840602, ANY, 0x8000000000000000, 64, 0x8000000000000000, 1},
    {"s_bfe_u64 s[4:5], s[2:3], s6", 0x93840602, ANY, ONES, 0, 0, 0},
    {"s_bfe_u64 s[4:5], s[2:3], s6", 0x93840602, ANY, ONES, 0x007f003f, 1, 1},
    {"s_bfe_i32 s4, s2, s6", 0x93040602, ANY, 0x80000000, 0x007f0000, 0x80000000, 1},
    {"s_bfe_u32 s4, s2, s6", 0x92840602, ANY, 0x80000000, 0x0001003f, 1, 1},
    {"s_bfm_b64 s[4:5], s2, s6", 0x91840602, ANY, 0xffffffff, 63, 0x8000000000000000, KEPT},
    {"s_bfm_b64 s[4:5], s2, s6", 0x91840602, ANY, 64, 5, 0, KEPT},
    {"s_mul_i32 s4, s2, s6", 0x92040602, ANY, 0x80000000, 2, 0, KEPT},
    {"s_mul_hi_i32 s4, s2, s6", 0x96840602, ANY, 0x80000000, 0x80000000, 0x40000000, KEPT},
    {"s_mul_hi_u32 s4, s2, s6", 0x96040602, ANY, 0x80000000, 2, 1, KEPT},
    {"s_lshl1_add_u32 s4, s2, s6", 0x97040602, ANY, 0x7fffffff, 1, 0xffffffff, 0},
    {"s_lshl2_add_u32 s4, s2, s6", 0x97840602, ANY, 0x40000000, 0, 0, 1},
    {"s_lshl3_add_u32 s4, s2, s6", 0x98040602, ANY, 0x1fffffff, 7, 0xffffffff, 0},
    {"s_lshl4_add_u32 s4, s2, s6", 0x98840602, ANY, 0x0fffffff, 16, 0, 1},
    {"s_absdiff_i32 s4, s2, s6", 0x95040602, ANY, 0x80000000, 1, 0x7fffffff, 1},
    {"s_absdiff_i32 s4, s2, s6", 0x95040602, ANY, 0x80000000, 0, 0x80000000, 1},
    {"s_min_i32 s4, s2, s6", 0x83040602, ANY, 0x80000000, 0x7fffffff, 0x80000000, 1},
    {"s_max_i32 s4, s2, s6", 0x84040602, ANY, 0x80000000, 0x7fffffff, 0x7fffffff, 0},
    {"s_sub_u32 s4, s2, s6", 0x80840602, ANY, 0, 0xffffffff, 1, 1},
    {"s_sub_i32 s4, s2, s6", 0x81840602, ANY, 0x7fffffff, 0xffffffff, 0x80000000, 1},
};

static void run_case(struct fixture *f, const struct salu_case *c, int scc)
{
    int wide = strstr(c->text, " s[4:5],") != NULL;
    uint64_t want = wide ? c->want : (OLD & ~UINT64_C(0xffffffff)) | (uint32_t)c->want;
    uint32_t want_scc = (uint32_t)(c->want_scc == KEPT ? scc : c->want_scc);
    fixture_set_s64(f, 2, c->a);
    fixture_set_s64(f, 4, OLD);
    fixture_set_s64(f, 6, c->b);
    f->wave.scc = (uint32_t)scc;
    if (!fixture_run(f, &c->code, 1)) {
        test_fail(__FILE__, __LINE__, "%s is not decoded", c->text);
        return;
    }
    if (fixture_s64(f, 4) != want || f->wave.scc != want_scc)
        test_fail(__FILE__, __LINE__,
                  "%s with a 0x%" PRIx64 ", b 0x%" PRIx64 ", SCC %d gives 0x%" PRIx64 ", SCC %u, not 0x%" PRIx64
                  ", SCC %u",
                  c->text, c->a, c->b, scc, fixture_s64(f, 4), f->wave.scc, want, want_scc);
    CHECK(f->wave.stop == WAVE_RUNS && f->wave.exec == ONES);
}

static void run_cases(const struct salu_case *cases, size_t count)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < count; n++)
        for (int scc = 0; scc < 2; scc++)
            if (cases[n].scc == ANY || cases[n].scc == scc) run_case(f, &cases[n], scc);
    fixture_destroy(f);
}

static void one_source(void)
{
    run_cases(sop1_cases, sizeof sop1_cases / sizeof sop1_cases[0]);
}

static void two_sources(void)
{
    run_cases(sop2_cases, sizeof sop2_cases / sizeof sop2_cases[0]);
}

/* Instructions that change EXEC: it, the result and SCC. */
static const struct {
    const char *text;
    uint32_t code;
    uint64_t a, exec, want, want_exec;
} mask_cases[] = {
    {"s_and_saveexec_b64 s[4:5], s[2:3]",   0xbe842002, 0x0c, 0x0a, 0x0a,            0x08},
    {"s_and_saveexec_b64 s[4:5], s[2:3]",   0xbe842002, 0x0c, 0x03, 0x03,               0},
    {"s_or_saveexec_b64 s[4:5], s[2:3]",    0xbe842102, 0x0c, 0x0a, 0x0a,            0x0e},
    {"s_xor_saveexec_b64 s[4:5], s[2:3]",   0xbe842202, 0x0c, 0x0c, 0x0c,               0},
    {"s_andn2_saveexec_b64 s[4:5], s[2:3]", 0xbe842302, 0x0c, 0x0a, 0x0a,            0x04},
    {"s_orn2_saveexec_b64 s[4:5], s[2:3]",  0xbe842402, 0x0c, 0x0a, 0x0a, ~UINT64_C(0x02)},
    {"s_nand_saveexec_b64 s[4:5], s[2:3]",  0xbe842502, 0x0c, 0x0a, 0x0a, ~UINT64_C(0x08)},
    {"s_nor_saveexec_b64 s[4:5], s[2:3]",   0xbe842602, 0x0c, 0x0a, 0x0a, ~UINT64_C(0x0e)},
    {"s_nor_saveexec_b64 s[4:5], s[2:3]",   0xbe842602, ONES, 0x0a, 0x0a,               0},
    {"s_xnor_saveexec_b64 s[4:5], s[2:3]",  0xbe842702, 0x0c, 0x0a, 0x0a, ~UINT64_C(0x06)},
    {"s_andn1_saveexec_b64 s[4:5], s[2:3]", 0xbe843302, 0x0c, 0x0a, 0x0a,            0x02},
    {"s_orn1_saveexec_b64 s[4:5], s[2:3]",  0xbe843402, 0x0c, 0x0a, 0x0a, ~UINT64_C(0x04)},
    {"s_andn1_wrexec_b64 s[4:5], s[2:3]",   0xbe843502, 0x0c, 0x0a, 0x02,            0x02},
    {"s_andn1_wrexec_b64 s[4:5], s[2:3]",   0xbe843502, 0x0f, 0x0a,    0,               0},
    {"s_andn2_wrexec_b64 s[4:5], s[2:3]",   0xbe843602, 0x0c, 0x0a, 0x04,            0x04},
    {"s_or_saveexec_b64 s[4:5], s[2:3]", 0xbe842102, 0, 0, 0, 0},
    {"s_xor_saveexec_b64 s[4:5], s[2:3]", 0xbe842202, ONES, 1, 1, ~UINT64_C(1)},
    {"s_andn2_saveexec_b64 s[4:5], s[2:3]", 0xbe842302, 0x0a, 0x0e, 0x0e, 0},
    {"s_orn2_saveexec_b64 s[4:5], s[2:3]", 0xbe842402, 0, ONES, ONES, 0},
    {"s_nand_saveexec_b64 s[4:5], s[2:3]", 0xbe842502, ONES, ONES, ONES, 0},
    {"s_xnor_saveexec_b64 s[4:5], s[2:3]", 0xbe842702, 0xf0, ~UINT64_C(0xf0), ~UINT64_C(0xf0), 0},
    {"s_andn1_saveexec_b64 s[4:5], s[2:3]", 0xbe843302, ONES, 0x0a, 0x0a, 0},
    {"s_orn1_saveexec_b64 s[4:5], s[2:3]", 0xbe843402, ONES, 0, 0, 0},
    {"s_andn2_wrexec_b64 s[4:5], s[2:3]", 0xbe843602, 0x0a, 0x0a, 0, 0},
    {"s_and_saveexec_b64 s[4:5], s[2:3]", 0xbe842002, 0x8000000000000000, ONES, ONES, 0x8000000000000000},
    {"s_and_saveexec_b64 s[2:3], s[2:3]",   0xbe822002, 0x0c, 0x0a, 0x0a,            0x08},
};

static void exec_masks(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof mask_cases / sizeof mask_cases[0]; n++)
        for (uint32_t scc = 0; scc < 2; scc++) {
            unsigned destination = strstr(mask_cases[n].text, " s[4:5],") ? 4 : 2;
            f->wave.exec = mask_cases[n].exec;
            f->wave.scc = scc;
            fixture_set_s64(f, 2, mask_cases[n].a);
            REQUIRE(fixture_run(f, &mask_cases[n].code, 1));
            if (fixture_s64(f, destination) != mask_cases[n].want || f->wave.exec != mask_cases[n].want_exec ||
                f->wave.scc != (mask_cases[n].want_exec != 0))
                test_fail(__FILE__, __LINE__, "%s gives 0x%" PRIx64 ", EXEC 0x%" PRIx64 ", SCC %u",
                          mask_cases[n].text, fixture_s64(f, destination), f->wave.exec, f->wave.scc);
        }
    fixture_destroy(f);
}

/* Literals; VCC, M0, EXEC and the bits that tell of them. */
static void special_operands(void)
{
    struct fixture *f = fixture_create();
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe8400ff, 0x12345678}, 2)); /* s_mov_b32 s4, 0x12345678 */
    CHECK_EQ(f->wave.sgpr[4], 0x12345678);
    f->wave.sgpr[2] = 0x10001;
    REQUIRE(fixture_run(f, (uint32_t[]){0x8004ff02, 0xffff0000}, 2)); /* s_add_u32 s4, s2, 0xffff0000 */
    CHECK(f->wave.sgpr[4] == 1 && f->wave.scc == 1);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe8401ff, 0x80000000}, 2)); /* s_mov_b64 s[4:5], 0x80000000 */
    CHECK_EQ(fixture_s64(f, 4), UINT64_C(0x80000000)); /* extended by zeros */
    f->wave.sgpr[2] = 4;
    REQUIRE(fixture_run(f, (uint32_t[]){0x908402ff, 0x80000000}, 2)); /* s_ashr_i64 s[4:5], 0x80000000, s2 */
    CHECK_EQ(fixture_s64(f, 4), UINT64_C(0xfffffffff8000000)); /* a signed source: by its sign */
    f->wave.vcc = 3;
    f->wave.m0 = 4;
    REQUIRE(fixture_run(f, (uint32_t[]){0x807c6a7c}, 1)); /* s_add_u32 m0, m0, vcc_lo */
    CHECK_EQ(f->wave.m0, 7);
    f->wave.vcc = ONES;
    REQUIRE(fixture_run(f, (uint32_t[]){0xbeea056a}, 1)); /* s_not_b64 vcc, vcc */
    CHECK(f->wave.vcc == 0 && f->wave.scc == 0);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe8400fb}, 1)); /* s_mov_b32 s4, src_vccz */
    CHECK_EQ(f->wave.sgpr[4], 1);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe8400fc}, 1)); /* s_mov_b32 s4, src_execz */
    CHECK_EQ(f->wave.sgpr[4], 0);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbefe057e}, 1)); /* s_not_b64 exec, exec */
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe8400fc}, 1)); /* s_mov_b32 s4, src_execz */
    CHECK(f->wave.exec == 0 && f->wave.sgpr[4] == 1);
    f->wave.scc = 1;
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe8500fd}, 1)); /* s_mov_b32 s5, src_scc */
    CHECK_EQ(f->wave.sgpr[5], 1);
    fixture_destroy(f);
}

static void indexed_registers(void)
{
    struct fixture *f = fixture_create();
    f->wave.m0 = 10;
    f->wave.sgpr[17] = 17;
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe852a07}, 1)); /* s_movrels_b32 s5, s7 */
    CHECK_EQ(f->wave.sgpr[5], 17);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe852c07}, 1)); /* s_movreld_b32 s5, s7 */
    CHECK_EQ(f->wave.sgpr[15], f->wave.sgpr[7]);
    fixture_set_s64(f, 12, ONES - 1);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe842b02}, 1)); /* s_movrels_b64 s[4:5], s[2:3] */
    CHECK_EQ(fixture_s64(f, 4), ONES - 1);
    fixture_set_s64(f, 2, 5);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe842d02}, 1)); /* s_movreld_b64 s[4:5], s[2:3] */
    CHECK_EQ(fixture_s64(f, 14), 5);
    f->wave.m0 = 100;
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe842d02}, 1)); /* s104 does not exist */
    CHECK(fixture_faulted(f));
    CHECK_HAS(f->error.text, "s104");
    f->wave.m0 = ~6u;
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe852a07}, 1)); /* s0 */
    CHECK(!fixture_faulted(f));
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe852c07}, 1)); /* s[-2] */
    CHECK(fixture_faulted(f));
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("salu");
}

int main(void)
{
    TEST(one_source);
    TEST(two_sources);
    TEST(exec_masks);
    TEST(special_operands);
    TEST(indexed_registers);
    TEST(every_row);
    return test_end();
}
