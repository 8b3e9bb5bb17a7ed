/* Atomic operations: what each makes of memory, through every instruction that has it. */
#include "tests/isa/memory_fixture.h"
#include "tests/isa/rows.h"

#include <pthread.h>

/* ---- Operations: old, data, data2, what memory then holds ---------------------------------------------------------*/

struct operation {
    const char *name;
    uint64_t old, data, data2, becomes;
};

static const struct operation operations[] = {
    {"swap_b32", 1, 0xfffffffe, 3, 0xfffffffe},
    {"cmpswap_b32", 7, 8, 7, 8},
    {"cmpswap_b32", 7, 8, 8, 7},
    {"cmpst_b32", 7, 7, 8, 8},
    {"cmpst_b32", 7, 8, 8, 7},
    {"cmpst_f32", 0, 0x80000000, 0x3f800000, 0x3f800000}, /* +0 == -0 */
    {"cmpst_f32", 0x7fc00000, 0x7fc00000, 0x3f800000, 0x7fc00000},
    {"cmpst_f32", 0x7f800001, 0x3f800000, 0x3f800000, 0x7f800001},
    {"add_u32", 0xfffffffe, 3, 0, 1},
    {"sub_u32", 2, 3, 0, 0xffffffff},
    {"rsub_u32", 2, 3, 0, 1},
    {"inc_u32", 4, 5, 0, 5},
    {"inc_u32", 5, 5, 0, 0},
    {"inc_u32", 0xffffffff, 5, 0, 0},
    {"inc_u32", 0xffffffff, 0xffffffff, 0, 0},
    {"dec_u32", 0, 9, 0, 9},
    {"dec_u32", 10, 9, 0, 9},
    {"dec_u32", 9, 9, 0, 8},
    {"min_i32", 1, 0x80000000, 0, 0x80000000},
    {"min_i32", 1, 2, 0, 1},
    {"max_i32", 1, 0x80000000, 0, 1},
    {"max_i32", 1, 2, 0, 2},
    {"min_u32", 1, 0x80000000, 0, 1},
    {"max_u32", 1, 0x80000000, 0, 0x80000000},
    {"and_b32", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {"or_b32", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {"xor_b32", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {"mskor_b32", 0x12345678, 0x0000ffff, 0x00010002, 0x12350002},
    {"wrap_b32", 5, 3, 100, 2},
    {"wrap_b32", 2, 3, 100, 102},
    {"add_f32", 0x3fc00000, 0x40100000, 0, 0x40700000},
    {"add_f32", 0x4b800000, 0x3f800000, 0, 0x4b800000}, /* 2^24 + 1: tie to even */
    {"add_f32", 0x4b800001, 0x3f800000, 0, 0x4b800002},
    {"add_f32", 0x80000000, 0, 0, 0},
    {"add_f32", 1, 0x007fffff, 0, 0x00800000}, /* denormals */
    {"add_f32", 0x7f7fffff, 0x7f7fffff, 0, 0x7f800000},
    {"add_f32", 0x7f800000, 0xff800000, 0, 0x7fc00000},
    {"add_f32", 0x7f800001, 0x3f800000, 0, 0x7fc00001},
    {"add_f32", 0x3f800000, 0xff800123, 0, 0xffc00123},
    {"add_f32", 0x7fc00011, 0x7fc00022, 0, 0x7fc00011},
    {"min_f32", 0x3f800000, 0xbf800000, 0, 0xbf800000},
    {"min_f32", 0, 0x80000000, 0, 0x80000000},
    {"min_f32", 0x80000000, 0, 0, 0x80000000},
    {"min_f32", 0x7fc00000, 0x40a00000, 0, 0x40a00000},
    {"min_f32", 0x7f800001, 0x40a00000, 0, 0x7fc00001},
    {"min_f32", 0x40a00000, 0x7f800001, 0, 0x7fc00001},
    {"max_f32", 0x3f800000, 0xbf800000, 0, 0x3f800000},
    {"max_f32", 0, 0x80000000, 0, 0},
    {"max_f32", 0x40a00000, 0x7fc00000, 0, 0x40a00000},
    {"max_f32", 0x40a00000, 0xff800001, 0, 0xffc00001},
    {"max_f32", 0xff800000, 0x80000001, 0, 0x80000001},
    {"pk_add_f16", 0x7bff3c00, 0x4c003c00, 0, 0x7c004000}, /* the largest half + 16 is infinite */
    {"pk_add_f16", 0x68006801, 0x3c003c00, 0, 0x68006802}, /* ties */
    {"pk_add_f16", 0x00018000, 0x00010000, 0, 0x00020000},
    {"pk_add_f16", 0x7c017c00, 0x3c00fc00, 0, 0x7e017e00},
    {"pk_add_bf16", 0x3f804380, 0x3f803f80, 0, 0x40004380},
    {"pk_add_bf16", 0x43810001, 0x3f800001, 0, 0x43820002},
    {"pk_add_bf16", 0x7f817f7f, 0x3f807f7f, 0, 0x7fc17f80},
    {"swap_b64", 1, UINT64_MAX - 1, 3, UINT64_MAX - 1},
    {"cmpswap_b64", 7ull << 32, 8, 7ull << 32, 8},
    {"cmpswap_b64", 7ull << 32, 8, 7, 7ull << 32},
    {"cmpst_b64", 7ull << 32, 7ull << 32, 8, 8},
    {"cmpst_b64", 7ull << 32, 8, 7ull << 32, 7ull << 32},
    {"cmpst_f64", 0, 1ull << 63, 5, 5},
    {"cmpst_f64", 0x7ff8ull << 48, 0x7ff8ull << 48, 5, 0x7ff8ull << 48},
    {"add_u64", 0xffffffffffffffff, 3, 0, 2},
    {"add_u64", 0xffffffff, 1, 0, 0x100000000},
    {"sub_u64", 0x100000000, 1, 0, 0xffffffff},
    {"rsub_u64", 1, 0x100000000, 0, 0xffffffff},
    {"inc_u64", 0x1ffffffff, 0x200000000, 0, 0x200000000},
    {"inc_u64", 0x200000000, 0x200000000, 0, 0},
    {"dec_u64", 0, 0x200000000, 0, 0x200000000},
    {"dec_u64", 0x200000001, 0x200000000, 0, 0x200000000},
    {"dec_u64", 0x100000000, 0x200000000, 0, 0xffffffff},
    {"min_i64", 1, 1ull << 63, 0, 1ull << 63},
    {"max_i64", 1, 1ull << 63, 0, 1},
    {"min_u64", 1, 1ull << 63, 0, 1},
    {"max_u64", 1, 1ull << 63, 0, 1ull << 63},
    {"and_b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0x0f000f000f000f00},
    {"or_b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xfff0fff0fff0fff0},
    {"xor_b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xf0f0f0f0f0f0f0f0},
    {"mskor_b64", 0x123456789abcdef0, 0xffff, 1ull << 63, 0x923456789abc0000},
    {"add_f64", 0x3ff8000000000000, 0x4002000000000000, 0, 0x400e000000000000}, /* 1.5 + 2.25 */
    {"add_f64", 0x4340000000000000, 0x3ff0000000000000, 0, 0x4340000000000000}, /* 2^53 + 1 */
    {"add_f64", 1, 0x000fffffffffffff, 0, 0x0010000000000000},
    {"add_f64", 0x7ff0000000000000, 0xfff0000000000000, 0, 0x7ff8000000000000},
    {"add_f64", 0x7ff0000000000001, 0x3ff0000000000000, 0, 0x7ff8000000000001},
    {"min_f64", 0x3ff0000000000000, 0xbff0000000000000, 0, 0xbff0000000000000},
    {"min_f64", 0, 1ull << 63, 0, 1ull << 63},
    {"min_f64", 0x7ff8000000000000, 5, 0, 5},
    {"min_f64", 5, 0x7ff0000000000001, 0, 0x7ff8000000000001},
    {"max_f64", 0x3ff0000000000000, 0xbff0000000000000, 0, 0x3ff0000000000000},
    {"max_f64", 1ull << 63, 0, 0, 0},
    {"max_f64", 5, 0xfff8000000000000, 0, 5},
};

/* ---- Instructions: address v10, data from v2 on; that return, to v4 -----------------------------------------------*/

struct atomic_case {
    const char *text;
    uint32_t code[2];
    unsigned returning; /* DS: the opcode that also returns; 0: this one does */
    const char *operation;
};

static const struct atomic_case ds_cases[] = {
    {"ds_add_u32 v10, v2 offset:256", {0xd8000100, 0x0000020a}, 32, "add_u32"},
    {"ds_sub_u32 v10, v2 offset:256", {0xd8020100, 0x0000020a}, 33, "sub_u32"},
    {"ds_rsub_u32 v10, v2 offset:256", {0xd8040100, 0x0000020a}, 34, "rsub_u32"},
    {"ds_inc_u32 v10, v2 offset:256", {0xd8060100, 0x0000020a}, 35, "inc_u32"},
    {"ds_dec_u32 v10, v2 offset:256", {0xd8080100, 0x0000020a}, 36, "dec_u32"},
    {"ds_min_i32 v10, v2 offset:256", {0xd80a0100, 0x0000020a}, 37, "min_i32"},
    {"ds_max_i32 v10, v2 offset:256", {0xd80c0100, 0x0000020a}, 38, "max_i32"},
    {"ds_min_u32 v10, v2 offset:256", {0xd80e0100, 0x0000020a}, 39, "min_u32"},
    {"ds_max_u32 v10, v2 offset:256", {0xd8100100, 0x0000020a}, 40, "max_u32"},
    {"ds_and_b32 v10, v2 offset:256", {0xd8120100, 0x0000020a}, 41, "and_b32"},
    {"ds_or_b32 v10, v2 offset:256", {0xd8140100, 0x0000020a}, 42, "or_b32"},
    {"ds_xor_b32 v10, v2 offset:256", {0xd8160100, 0x0000020a}, 43, "xor_b32"},
    {"ds_mskor_b32 v10, v2, v6 offset:256", {0xd8180100, 0x0006020a}, 44, "mskor_b32"},
    {"ds_cmpst_b32 v10, v2, v6 offset:256", {0xd8200100, 0x0006020a}, 48, "cmpst_b32"},
    {"ds_cmpst_f32 v10, v2, v6 offset:256", {0xd8220100, 0x0006020a}, 49, "cmpst_f32"},
    {"ds_min_f32 v10, v2 offset:256", {0xd8240100, 0x0000020a}, 50, "min_f32"},
    {"ds_max_f32 v10, v2 offset:256", {0xd8260100, 0x0000020a}, 51, "max_f32"},
    {"ds_add_f32 v10, v2 offset:256", {0xd82a0100, 0x0000020a}, 53, "add_f32"},
    {"ds_pk_add_f16 v10, v2 offset:256", {0xd82e0100, 0x0000020a}, 183, "pk_add_f16"},
    {"ds_pk_add_bf16 v10, v2 offset:256", {0xd8300100, 0x0000020a}, 184, "pk_add_bf16"},
    {"ds_wrxchg_rtn_b32 v4, v10, v2 offset:256", {0xd85a0100, 0x0400020a}, 0, "swap_b32"},
    {"ds_wrap_rtn_b32 v4, v10, v2, v6 offset:256", {0xd8680100, 0x0406020a}, 0, "wrap_b32"},
    {"ds_add_u64 v10, v[2:3] offset:256", {0xd8800100, 0x0000020a}, 96, "add_u64"},
    {"ds_sub_u64 v10, v[2:3] offset:256", {0xd8820100, 0x0000020a}, 97, "sub_u64"},
    {"ds_rsub_u64 v10, v[2:3] offset:256", {0xd8840100, 0x0000020a}, 98, "rsub_u64"},
    {"ds_inc_u64 v10, v[2:3] offset:256", {0xd8860100, 0x0000020a}, 99, "inc_u64"},
    {"ds_dec_u64 v10, v[2:3] offset:256", {0xd8880100, 0x0000020a}, 100, "dec_u64"},
    {"ds_min_i64 v10, v[2:3] offset:256", {0xd88a0100, 0x0000020a}, 101, "min_i64"},
    {"ds_max_i64 v10, v[2:3] offset:256", {0xd88c0100, 0x0000020a}, 102, "max_i64"},
    {"ds_min_u64 v10, v[2:3] offset:256", {0xd88e0100, 0x0000020a}, 103, "min_u64"},
    {"ds_max_u64 v10, v[2:3] offset:256", {0xd8900100, 0x0000020a}, 104, "max_u64"},
    {"ds_and_b64 v10, v[2:3] offset:256", {0xd8920100, 0x0000020a}, 105, "and_b64"},
    {"ds_or_b64 v10, v[2:3] offset:256", {0xd8940100, 0x0000020a}, 106, "or_b64"},
    {"ds_xor_b64 v10, v[2:3] offset:256", {0xd8960100, 0x0000020a}, 107, "xor_b64"},
    {"ds_mskor_b64 v10, v[2:3], v[6:7] offset:256", {0xd8980100, 0x0006020a}, 108, "mskor_b64"},
    {"ds_cmpst_b64 v10, v[2:3], v[6:7] offset:256", {0xd8a00100, 0x0006020a}, 112, "cmpst_b64"},
    {"ds_cmpst_f64 v10, v[2:3], v[6:7] offset:256", {0xd8a20100, 0x0006020a}, 113, "cmpst_f64"},
    {"ds_min_f64 v10, v[2:3] offset:256", {0xd8a40100, 0x0000020a}, 114, "min_f64"},
    {"ds_max_f64 v10, v[2:3] offset:256", {0xd8a60100, 0x0000020a}, 115, "max_f64"},
    {"ds_add_f64 v10, v[2:3] offset:256", {0xd8b80100, 0x0000020a}, 124, "add_f64"},
    {"ds_wrxchg_rtn_b64 v[4:5], v10, v[2:3] offset:256", {0xd8da0100, 0x0400020a}, 0, "swap_b64"},
};

static const struct atomic_case global_cases[] = {
    {"global_atomic_swap v[10:11], v2, off offset:256", {0xdd008100, 0x007f020a}, 0, "swap_b32"},
    {"global_atomic_cmpswap v[10:11], v[2:3], off offset:256", {0xdd048100, 0x007f020a}, 0, "cmpswap_b32"},
    {"global_atomic_add v[10:11], v2, off offset:256", {0xdd088100, 0x007f020a}, 0, "add_u32"},
    {"global_atomic_sub v[10:11], v2, off offset:256", {0xdd0c8100, 0x007f020a}, 0, "sub_u32"},
    {"global_atomic_smin v[10:11], v2, off offset:256", {0xdd108100, 0x007f020a}, 0, "min_i32"},
    {"global_atomic_umin v[10:11], v2, off offset:256", {0xdd148100, 0x007f020a}, 0, "min_u32"},
    {"global_atomic_smax v[10:11], v2, off offset:256", {0xdd188100, 0x007f020a}, 0, "max_i32"},
    {"global_atomic_umax v[10:11], v2, off offset:256", {0xdd1c8100, 0x007f020a}, 0, "max_u32"},
    {"global_atomic_and v[10:11], v2, off offset:256", {0xdd208100, 0x007f020a}, 0, "and_b32"},
    {"global_atomic_or v[10:11], v2, off offset:256", {0xdd248100, 0x007f020a}, 0, "or_b32"},
    {"global_atomic_xor v[10:11], v2, off offset:256", {0xdd288100, 0x007f020a}, 0, "xor_b32"},
    {"global_atomic_inc v[10:11], v2, off offset:256", {0xdd2c8100, 0x007f020a}, 0, "inc_u32"},
    {"global_atomic_dec v[10:11], v2, off offset:256", {0xdd308100, 0x007f020a}, 0, "dec_u32"},
    {"global_atomic_add_f32 v[10:11], v2, off offset:256", {0xdd348100, 0x007f020a}, 0, "add_f32"},
    {"global_atomic_pk_add_f16 v[10:11], v2, off offset:256", {0xdd388100, 0x007f020a}, 0, "pk_add_f16"},
    {"global_atomic_add_f64 v[10:11], v[2:3], off offset:256", {0xdd3c8100, 0x007f020a}, 0, "add_f64"},
    {"global_atomic_min_f64 v[10:11], v[2:3], off offset:256", {0xdd408100, 0x007f020a}, 0, "min_f64"},
    {"global_atomic_max_f64 v[10:11], v[2:3], off offset:256", {0xdd448100, 0x007f020a}, 0, "max_f64"},
    {"global_atomic_pk_add_bf16 v[10:11], v2, off offset:256", {0xdd488100, 0x007f020a}, 0, "pk_add_bf16"},
    {"global_atomic_swap_x2 v[10:11], v[2:3], off offset:256", {0xdd808100, 0x007f020a}, 0, "swap_b64"},
    {"global_atomic_cmpswap_x2 v[10:11], v[2:5], off offset:256", {0xdd848100, 0x007f020a}, 0, "cmpswap_b64"},
    {"global_atomic_add_x2 v[10:11], v[2:3], off offset:256", {0xdd888100, 0x007f020a}, 0, "add_u64"},
    {"global_atomic_sub_x2 v[10:11], v[2:3], off offset:256", {0xdd8c8100, 0x007f020a}, 0, "sub_u64"},
    {"global_atomic_smin_x2 v[10:11], v[2:3], off offset:256", {0xdd908100, 0x007f020a}, 0, "min_i64"},
    {"global_atomic_umin_x2 v[10:11], v[2:3], off offset:256", {0xdd948100, 0x007f020a}, 0, "min_u64"},
    {"global_atomic_smax_x2 v[10:11], v[2:3], off offset:256", {0xdd988100, 0x007f020a}, 0, "max_i64"},
    {"global_atomic_umax_x2 v[10:11], v[2:3], off offset:256", {0xdd9c8100, 0x007f020a}, 0, "max_u64"},
    {"global_atomic_and_x2 v[10:11], v[2:3], off offset:256", {0xdda08100, 0x007f020a}, 0, "and_b64"},
    {"global_atomic_or_x2 v[10:11], v[2:3], off offset:256", {0xdda48100, 0x007f020a}, 0, "or_b64"},
    {"global_atomic_xor_x2 v[10:11], v[2:3], off offset:256", {0xdda88100, 0x007f020a}, 0, "xor_b64"},
    {"global_atomic_inc_x2 v[10:11], v[2:3], off offset:256", {0xddac8100, 0x007f020a}, 0, "inc_u64"},
    {"global_atomic_dec_x2 v[10:11], v[2:3], off offset:256", {0xddb08100, 0x007f020a}, 0, "dec_u64"},
};

enum { ADDRESS = 10, DST = 14, OFFSET = 256, STEP = 16, MEMORY_BYTES = OFFSET + STEP * LANES };
static const uint64_t some_lanes = 0x1000000000000008;

/* memory: where lane 0's address 0 lies. second: the register of the second operand. */
static void run_case(struct fixture *f, const struct atomic_case *c, const uint32_t code[2], int returns,
                     unsigned char *memory, unsigned second)
{
    unsigned bytes = strstr(c->operation, "64") ? 8 : 4, found = 0;
    uint64_t mask = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    for (size_t n = 0; n < sizeof operations / sizeof operations[0]; n++) {
        const struct operation *o = &operations[n];
        unsigned char expected[MEMORY_BYTES];
        if (strcmp(o->name, c->operation) != 0) continue;
        found++;
        fill_pattern(memory, MEMORY_BYTES, 3);
        memcpy(expected, memory, MEMORY_BYTES);
        for (unsigned l = 0; l < LANES; l++) {
            fixture_set_v64(f, DST, l, MOVE_SENTINEL);
            fixture_set_v64(f, MOVE_DATA, l, o->data);
            fixture_set_v64(f, second, l, o->data2);
            if (!(some_lanes >> l & 1)) continue;
            memcpy(memory + OFFSET + STEP * l, &o->old, bytes);
            memcpy(expected + OFFSET + STEP * l, &o->becomes, bytes);
        }
        f->wave.exec = some_lanes;
        CHECK(fixture_run(f, code, 2));
        if (!CHECK_STR(f->error.text, "") || !CHECK_MEM(memory, expected, MEMORY_BYTES) ||
            !CHECK_EQ(fixture_v64(f, DST, 60) & mask, returns ? o->old : MOVE_SENTINEL) ||
            !CHECK_EQ(fixture_v64(f, DST, 4), MOVE_SENTINEL))
            printf("# %s, old 0x%" PRIx64 ", data 0x%" PRIx64 "\n", c->text, o->old, o->data);
    }
    if (!found) test_fail(__FILE__, __LINE__, "%s: no case of %s", c->text, c->operation);
}

static void in_lds(void)
{
    struct fixture *f = fixture_create();
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, ADDRESS, l, STEP * l);
    for (size_t n = 0; n < sizeof ds_cases / sizeof ds_cases[0]; n++) {
        const struct atomic_case *c = &ds_cases[n];
        uint32_t code[2] = {c->code[0], (c->code[1] & 0xffffff) | DST << 24};
        if (c->returning) {
            run_case(f, c, c->code, 0, f->workgroup.lds, 6);
            code[0] = (code[0] & ~(0xffu << 17)) | c->returning << 17;
        }
        run_case(f, c, code, 1, f->workgroup.lds, 6);
    }
    fixture_destroy(f);
}

/* FLAT is GLOBAL without bit 15, saddr 0; of MUBUF one encoding is taken, with the same opcode field. */
static void in_memory(void)
{
    static const struct move_case buffer = {
        "buffer_atomic_swap v2, v10, s[8:11], 0 offen offset:256", {0xe1001100, 0x8002020a}, B32};
    struct fixture *f = fixture_create();
    uint64_t address;
    REQUIRE(emu_alloc(f->run.emu, MEMORY_BYTES, &address, NULL) == 0);
    unsigned char *memory = emu_memory(f->run.emu, &f->wave.hit, address, MEMORY_BYTES);
    f->wave.sgpr[10] = MEMORY_BYTES;
    for (size_t n = 0; n < sizeof global_cases / sizeof global_cases[0]; n++) {
        const struct atomic_case *c = &global_cases[n];
        unsigned second = strstr(c->operation, "64") ? 4 : 3;
        for (unsigned l = 0; l < LANES; l++) fixture_set_v64(f, ADDRESS, l, address + STEP * l);
        uint32_t code[2] = {c->code[0] | 1u << 16, c->code[1] | (uint32_t)DST << 24}; /* sc0 */
        run_case(f, c, c->code, 0, memory, second);
        run_case(f, c, code, 1, memory, second);
        code[0] &= ~(1u << 15);
        code[1] &= ~(0x7fu << 16);
        run_case(f, c, code, 1, memory, second);
        for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, ADDRESS, l, STEP * l);
        fixture_set_s64(f, 8, address);
        code[0] = (buffer.code[0] & ~(0x7fu << 18)) | (c->code[0] & 0x7fu << 18);
        run_case(f, c, (uint32_t[]){code[0], buffer.code[1]}, 0, memory, second);
    }
    fixture_destroy(f);
}

/* With sc0 a buffer atomic returns to its data registers. */
static void buffer_returns(void)
{
    static const struct move_case c = {
        "buffer_atomic_add_x2 v[2:3], off, s[8:11], 0 sc0", {0xe1884000, 0x80020200}, B64};
    struct fixture *f = fixture_create();
    uint64_t address, sum;
    REQUIRE(emu_alloc(f->run.emu, 8, &address, NULL) == 0);
    fixture_set_s64(f, 8, address);
    f->wave.sgpr[10] = 8;
    for (unsigned l = 0; l < LANES; l++) fixture_set_v64(f, 2, l, UINT64_C(1) << 32 | l);
    CHECK(fixture_run(f, c.code, 2));
    emu_read(f->run.emu, address, &sum, sizeof sum, NULL);
    CHECK_EQ(sum, (UINT64_C(64) << 32) + 63 * 64 / 2);
    CHECK_EQ(fixture_v64(f, 2, 0), 0);
    CHECK_EQ(fixture_v64(f, 2, 3), (UINT64_C(3) << 32) + 3);
    f->wave.sgpr[10] = 4; /* its first dword alone is in range: nothing happens */
    fixture_fill_v(f, 2, 1);
    CHECK(fixture_run(f, c.code, 2));
    emu_read(f->run.emu, address, &sum, sizeof sum, NULL);
    CHECK_EQ(sum, (UINT64_C(64) << 32) + 63 * 64 / 2);
    CHECK_EQ(fixture_v64(f, 2, 0), 0);
    fixture_destroy(f);
}

static void misaligned(void)
{
    struct fixture *f = fixture_create();
    fixture_fill_v(f, ADDRESS, 6);
    check_fault(f, ds_cases[0].text, ds_cases[0].code, "align", "atomic of 4 bytes");
    fixture_destroy(f);
}

/* ---- Host threads -------------------------------------------------------------------------------------------------*/

enum { ROUNDS = 2000 };

static void *add_often(void *fixture)
{
    for (int n = 0; n < ROUNDS; n++) fixture_run(fixture, global_cases[2].code, 2);
    return NULL;
}

static void by_two_threads(void)
{
    struct fixture *f[2] = {fixture_create(), fixture_create()};
    struct emu *own = f[1]->run.emu;
    pthread_t thread;
    uint64_t address;
    uint32_t sum;
    f[1]->run.emu = f[0]->run.emu;
    REQUIRE(emu_alloc(f[0]->run.emu, OFFSET + 4, &address, NULL) == 0);
    for (int t = 0; t < 2; t++)
        for (unsigned l = 0; l < LANES; l++) {
            fixture_set_v64(f[t], ADDRESS, l, address);
            fixture_set_v(f[t], MOVE_DATA, l, 1);
        }
    REQUIRE(pthread_create(&thread, NULL, add_often, f[1]) == 0);
    add_often(f[0]);
    pthread_join(thread, NULL);
    emu_read(f[0]->run.emu, address + OFFSET, &sum, sizeof sum, NULL);
    CHECK_EQ(sum, 2 * ROUNDS * LANES);
    f[1]->run.emu = own;
    fixture_destroy(f[0]);
    fixture_destroy(f[1]);
}

static void every_row(void)
{
    all_rows_ran("atomic");
}

int main(void)
{
    TEST(in_lds);
    TEST(in_memory);
    TEST(buffer_returns);
    TEST(misaligned);
    TEST(by_two_threads);
    TEST(every_row);
    return test_end();
}
