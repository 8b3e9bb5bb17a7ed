/* Passes of the LDS banks and their conflicts, for each width: what lds_banks.c says, by hand. */
#include "tests/isa/asm_kernel.h"

struct lds_case {
    const char *name, *text;
    enum emu_access access;
    uint64_t instructions, bytes, passes, conflicts;
};

/* v1: so many bytes, a multiple of 4, times the lane. */
#define STRIDE(bytes) "v_mul_u32_u24 v1, " #bytes "/4, v0\n"
#define LANES(mask) "s_mov_b64 exec, " #mask "\n"

static const struct lds_case read_cases[] = {
    {"b32, side by side", "ds_read_b32 v2, v0", EMU_LOAD, 1, 256, 1, 0},
    {"b32, every other", STRIDE(8) "ds_read_b32 v2, v1", EMU_LOAD, 1, 256, 2, 1},
    {"b32, every fourth", STRIDE(16) "ds_read_b32 v2, v1", EMU_LOAD, 1, 256, 4, 3},
    {"b32, odd stride", STRIDE(12) "ds_read_b32 v2, v1", EMU_LOAD, 1, 256, 1, 0},
    {"b32, one bank", STRIDE(256) "ds_read_b32 v2, v1", EMU_LOAD, 1, 256, 64, 63},
    {"b32, one word", "v_mov_b32 v1, 0\nds_read_b32 v2, v1", EMU_LOAD, 1, 256, 1, 0},
    {"b32, half of the lanes", STRIDE(256) "s_mov_b32 exec_hi, 0\nds_read_b32 v2, v1", EMU_LOAD, 1, 128, 32, 31},
    {"b32, no lanes", "s_mov_b64 exec, 0\nds_read_b32 v2, v0", EMU_LOAD, 0, 0, 0, 0},
    {"b32, across words", "ds_read_b32 v2, v0 offset:2", EMU_LOAD, 1, 256, 2, 1},
    {"bytes, four in a word", "v_lshrrev_b32 v1, 2, v0\nds_read_u8 v2, v1", EMU_LOAD, 1, 64, 1, 0},
    {"halves, one bank", STRIDE(256) "ds_read_u16 v2, v1", EMU_LOAD, 1, 128, 64, 63},

    {"b64, side by side", STRIDE(8) "ds_read_b64 v[2:3], v1", EMU_LOAD, 1, 512, 2, 0},
    {"b64, every other", STRIDE(16) "ds_read_b64 v[2:3], v1", EMU_LOAD, 1, 512, 4, 2},
    {"b64, one bank", STRIDE(256) "ds_read_b64 v[2:3], v1", EMU_LOAD, 1, 512, 64, 62},
    {"b64, one half of the wave", STRIDE(8) "s_mov_b32 exec_lo, 0\nds_read_b64 v[2:3], v1", EMU_LOAD, 1, 256, 1, 0},
    {"b64, lanes 0 and 31", LANES(0x80000001) STRIDE(256) "ds_read_b64 v[2:3], v1", EMU_LOAD, 1, 16, 2, 1},
    {"b64, lanes 0 and 32", "s_mov_b32 exec_lo, 1\ns_mov_b32 exec_hi, 1\n" STRIDE(256) "ds_read_b64 v[2:3], v1",
     EMU_LOAD, 1, 16, 2, 0},

    /* Lanes 0-3 with 20-23 and so on, 32 banks: 16 bytes a lane fill all but every fourth bank; with 12, words 60-71
     * of lanes 20-23 meet words 0-11. */
    {"b96, in slots of 16", STRIDE(16) "ds_read_b96 v[4:6], v1", EMU_LOAD, 1, 768, 8, 0},
    {"b96, side by side", STRIDE(12) "ds_read_b96 v[4:6], v1", EMU_LOAD, 1, 768, 16, 8},
    {"b96, lanes 0 and 20", LANES(0x100001) STRIDE(128) "ds_read_b96 v[4:6], v1", EMU_LOAD, 1, 24, 2, 1},
    {"b96, lanes 0 and 4", LANES(0x11) STRIDE(128) "ds_read_b96 v[4:6], v1", EMU_LOAD, 1, 24, 2, 0},

    /* Lanes 0-3 with 12-15 and 20-27 and so on: at 16 bytes a lane they have banks 0-15, 48-63 and 16-47; at 32, words
     * 0-31, 96-127 and 160-223, each bank twice. */
    {"b128, side by side", STRIDE(16) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 1024, 4, 0},
    {"b128, every other", STRIDE(32) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 1024, 8, 4},
    {"b128, one bank", STRIDE(256) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 1024, 64, 60},
    {"b128, one place", "v_mov_b32 v1, 0\nds_read_b128 v[4:7], v1", EMU_LOAD, 1, 1024, 4, 0},
    {"b128, lanes 0 and 4", LANES(0x11) STRIDE(256) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 32, 2, 0},
    {"b128, lanes 0 and 12", LANES(0x1001) STRIDE(256) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 32, 2, 1},
    {"b128, lanes 3, 15, 20 and 27", LANES(0x8108008) STRIDE(256) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 64, 4, 3},
    {"b128, lanes 4, 11, 16 and 31", LANES(0x80010810) STRIDE(256) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 64, 4, 3},
    {"b128, lanes 12 and 16", LANES(0x11000) STRIDE(256) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 32, 2, 0},
    {"b128, lanes 19 and 20", LANES(0x180000) STRIDE(256) "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 32, 2, 0},
    {"b128, lanes 44 and 59", "s_mov_b32 exec_lo, 0\ns_mov_b32 exec_hi, 0x8001000\n" STRIDE(256)
     "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 32, 2, 1},
    {"b128, lanes 43 and 60", "s_mov_b32 exec_lo, 0\ns_mov_b32 exec_hi, 0x10000800\n" STRIDE(256)
     "ds_read_b128 v[4:7], v1", EMU_LOAD, 1, 32, 2, 1},
};

static const struct lds_case write_cases[] = {
    {"b32, side by side", "ds_write_b32 v0, v0", EMU_STORE, 1, 256, 2, 0},
    {"b32, every other", STRIDE(8) "ds_write_b32 v1, v0", EMU_STORE, 1, 256, 4, 2},
    {"b32, one bank of 32", STRIDE(128) "ds_write_b32 v1, v0", EMU_STORE, 1, 256, 64, 62},
    {"bytes", "ds_write_b8 v0, v0", EMU_STORE, 1, 64, 2, 0},
    {"b64, side by side", STRIDE(8) "ds_write_b64 v1, v[2:3]", EMU_STORE, 1, 512, 4, 0},
    {"b64, every other", STRIDE(16) "ds_write_b64 v1, v[2:3]", EMU_STORE, 1, 512, 8, 4},
    {"b64, lanes 0 and 15", LANES(0x8001) STRIDE(128) "ds_write_b64 v1, v[2:3]", EMU_STORE, 1, 16, 2, 1},
    {"b64, lanes 15 and 16", LANES(0x18000) STRIDE(128) "ds_write_b64 v1, v[2:3]", EMU_STORE, 1, 16, 2, 0},
    {"b96, side by side", STRIDE(12) "ds_write_b96 v1, v[4:6]", EMU_STORE, 1, 768, 8, 0},
    {"b128, side by side", STRIDE(16) "ds_write_b128 v1, v[4:7]", EMU_STORE, 1, 1024, 8, 0},
    {"b128, every other", STRIDE(32) "ds_write_b128 v1, v[4:7]", EMU_STORE, 1, 1024, 16, 8},
    {"b128, lanes 0 and 7", LANES(0x81) STRIDE(128) "ds_write_b128 v1, v[4:7]", EMU_STORE, 1, 32, 2, 1},
    {"b128, lanes 7 and 8", LANES(0x180) STRIDE(128) "ds_write_b128 v1, v[4:7]", EMU_STORE, 1, 32, 2, 0},
    {"a write is no read", "ds_write_b32 v0, v0", EMU_LOAD, 0, 0, 0, 0},
};

static const struct lds_case other_cases[] = {
    {"two reads", "ds_read2_b32 v[2:3], v0 offset1:64", EMU_LOAD, 1, 512, 2, 0},
    {"two reads far apart", STRIDE(8) "ds_read2st64_b64 v[4:7], v1 offset1:1", EMU_LOAD, 1, 1024, 4, 0},
    {"two reads that conflict", STRIDE(8) "ds_read2_b32 v[2:3], v1 offset1:1", EMU_LOAD, 1, 512, 4, 2},
    {"two writes", "ds_write2_b32 v0, v2, v3 offset1:64", EMU_STORE, 1, 512, 4, 0},
    {"two writes to one place", "ds_write2_b32 v0, v2, v3", EMU_STORE, 1, 256, 2, 0},
    {"two reads of one place", "ds_read2_b32 v[2:3], v0", EMU_LOAD, 1, 512, 2, 0},
    {"an atomic", "ds_add_u32 v0, v0", EMU_ATOMIC, 1, 256, 2, 0},
    {"an atomic that returns", "ds_add_rtn_u32 v2, v0, v0", EMU_ATOMIC, 1, 256, 2, 0},
    {"transposed", STRIDE(8) "ds_read_b64_tr_b16 v[2:3], v1", EMU_LOAD, 1, 512, 2, 0},
    {"from memory", "global_load_lds_dword v0, s[0:1]", EMU_STORE, 1, 256, 2, 0},
    {"from memory, four dwords", STRIDE(16) "global_load_lds_dwordx4 v1, s[0:1]", EMU_STORE, 1, 1024, 8, 0},
    {"between lanes", "ds_bpermute_b32 v2, v0, v0\nds_swizzle_b32 v2, v0", EMU_LOAD, 0, 0, 0, 0},
};

static void judge(const struct lds_case *cases, size_t count)
{
    const struct emu_launch how = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .threads = 1, .count = 1};
    for (size_t n = 0; n < count; n++) {
        const struct lds_case *c = &cases[n];
        struct emu_stats stats;
        struct emu_error report;
        asm_launch(c->name, c->text, how, &stats, &report);
        const struct emu_traffic *t = &stats.memory.traffic[EMU_LDS][c->access];
        if (report.text[0]) test_fail(__FILE__, __LINE__, "%s: %s", c->name, report.text);
        if (t->instructions != c->instructions || t->bytes != c->bytes || t->passes != c->passes ||
            t->conflicts != c->conflicts)
            test_fail(__FILE__, __LINE__,
                      "%s: %" PRIu64 " instructions, %" PRIu64 " bytes, %" PRIu64 " passes, %" PRIu64
                      " conflicts, not %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                      c->name, t->instructions, t->bytes, t->passes, t->conflicts, c->instructions, c->bytes, c->passes,
                      c->conflicts);
        emu_stats_free(&stats);
    }
}

static void reads(void)
{
    judge(read_cases, sizeof read_cases / sizeof read_cases[0]);
}

static void writes(void)
{
    judge(write_cases, sizeof write_cases / sizeof write_cases[0]);
}

static void others(void)
{
    judge(other_cases, sizeof other_cases / sizeof other_cases[0]);
}

int main(void)
{
    TEST(reads);
    TEST(writes);
    TEST(others);
    return test_end();
}
