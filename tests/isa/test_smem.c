/* SMEM: what is loaded, from where, and what becomes of addresses outside. */
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { DWORDS = 32, BUFFER_BYTES = DWORDS * 4 };

/* A buffer with dword n being 0x100 + n, its address in s[2:3]. */
static struct fixture *with_buffer(uint64_t *address)
{
    struct fixture *f = fixture_create();
    uint32_t data[DWORDS];
    for (uint32_t n = 0; n < DWORDS; n++) data[n] = 0x100 + n;
    CHECK(emu_alloc(f->run.emu, BUFFER_BYTES, address, NULL) == 0);
    CHECK(emu_write(f->run.emu, *address, data, BUFFER_BYTES, NULL) == 0);
    fixture_set_s64(f, 2, *address);
    return f;
}

/* The instruction loads dwords that follow each other from `first` on, and touches no register around them. */
static void check_load(struct fixture *f, const char *text, uint32_t lo, uint32_t hi, unsigned destination,
                       unsigned count, uint32_t first)
{
    uint32_t want[SGPR_SPARE + 128];
    memcpy(want, f->wave.sgpr, sizeof want);
    for (unsigned n = 0; n < count; n++) want[destination + n] = 0x100 + first + n;
    REQUIRE(fixture_run(f, (uint32_t[]){lo, hi}, 2));
    if (fixture_faulted(f) || memcmp(f->wave.sgpr, want, sizeof want))
        test_fail(__FILE__, __LINE__, "%s: %s", text, f->error.text[0] ? f->error.text : "other data than expected");
}

static void loads(void)
{
    uint64_t address;
    struct fixture *f = with_buffer(&address);
    check_load(f, "s_load_dword s8, s[2:3], 0x10", 0xc0020201, 0x10, 8, 1, 4);
    check_load(f, "s_load_dword s8, s[2:3], 0x10 glc", 0xc0030201, 0x10, 8, 1, 4);
    check_load(f, "s_load_dwordx2 s[8:9], s[2:3], 0x10", 0xc0060201, 0x10, 8, 2, 4);
    check_load(f, "s_load_dwordx2 vcc, s[2:3], 0x10", 0xc0061a81, 0x10, OPERAND_VCC, 2, 4);
    check_load(f, "s_load_dwordx4 s[8:11], s[2:3], 0x10", 0xc00a0201, 0x10, 8, 4, 4);
    check_load(f, "s_load_dwordx8 s[8:15], s[2:3], 0x10", 0xc00e0201, 0x10, 8, 8, 4);
    check_load(f, "s_load_dwordx16 s[8:23], s[2:3], 0x10", 0xc0120201, 0x10, 8, 16, 4);
    f->wave.sgpr[4] = 8;
    f->wave.m0 = 12;
    check_load(f, "s_load_dword s8, s[2:3], s4", 0xc0000201, 0x04, 8, 1, 2);
    check_load(f, "s_load_dword s8, s[2:3], m0", 0xc0000201, 0x7c, 8, 1, 3);
    check_load(f, "s_load_dword s8, s[2:3], s4 offset:0x10", 0xc0024201, 0x08000010, 8, 1, 6);
    fixture_set_s64(f, 2, address + 8);
    check_load(f, "s_load_dword s8, s[2:3], -4", 0xc0020201, 0x1ffffc, 8, 1, 1);
    fixture_set_s64(f, 2, address);
    check_load(f, "s_load_dword s2, s[2:3], 0x10", 0xc0020081, 0x10, 2, 1, 4);
    fixture_set_s64(f, 2, address);
    check_load(f, "s_load_dwordx2 s[2:3], s[2:3], 0x0", 0xc0060081, 0, 2, 2, 0);
    fixture_destroy(f);
}

static void ignores_low_bits_of_addresses(void)
{
    uint64_t address;
    struct fixture *f = with_buffer(&address);
    fixture_set_s64(f, 2, address + 3);
    f->wave.sgpr[4] = 3;
    check_load(f, "s_load_dword s8, s[2:3], 0x12", 0xc0020201, 0x12, 8, 1, 4);
    check_load(f, "s_load_dword s8, s[2:3], s4", 0xc0000201, 0x04, 8, 1, 0);
    check_load(f, "s_load_dword s8, s[2:3], s4 offset:0x10", 0xc0024201, 0x08000010, 8, 1, 4);
    fixture_destroy(f);
}

static void reports_loads_outside(void)
{
    uint64_t address;
    struct fixture *f = with_buffer(&address);
    fixture_set_s64(f, 2, address + BUFFER_BYTES - 0x10);
    f->wave.sgpr[8] = 5;
    REQUIRE(fixture_run(f, (uint32_t[]){0xc0020201, 0x10}, 2)); /* s_load_dword s8, s[2:3], 0x10 */
    CHECK(fixture_faulted(f) && f->wave.sgpr[8] == 5);
    CHECK_HAS(f->error.text, "bounds: scalar load of 4 bytes at 0x");
    CHECK_HAS(f->error.text, "0 bytes past the end of the 128 bytes");
    f->launch.checks = 0;
    REQUIRE(fixture_run(f, (uint32_t[]){0xc0020201, 0x10}, 2));
    CHECK(!fixture_faulted(f) && f->wave.sgpr[8] == 0);
    fixture_set_s64(f, 2, address + BUFFER_BYTES - 0x14);
    fixture_set_s64(f, 8, UINT64_MAX);
    REQUIRE(fixture_run(f, (uint32_t[]){0xc0060201, 0x10}, 2)); /* s_load_dwordx2: one dword in, one outside */
    CHECK(!fixture_faulted(f));
    CHECK_EQ(fixture_s64(f, 8), 0x100 + DWORDS - 1);
    fixture_set_s64(f, 2, 0);
    REQUIRE(fixture_run(f, (uint32_t[]){0xc0060201, 0x10}, 2)); /* null */
    CHECK(!fixture_faulted(f) && fixture_s64(f, 8) == 0);
    fixture_destroy(f);
}

/* Nothing but s0..s105 and VCC can be loaded to, at the alignment of the size. */
static void reports_bad_destinations(void)
{
    static const struct {
        const char *text;
        uint32_t code;
    } cases[] = {
        {"s_load_dword m0",              0xc0020001 | 124 << 6},
        {"s_load_dwordx2 exec",          0xc0060001 | 126 << 6},
        {"s_load_dwordx2 s[9:10]",       0xc0060001 | 9 << 6  },
        {"s_load_dwordx4 s[10:13]",      0xc00a0001 | 10 << 6 },
        {"s_load_dwordx16 s[96:111]",    0xc0120001 | 96 << 6 },
        {"s_load_dwordx16 from 127 on",  0xc0120001 | 127 << 6},
        {"s_buffer_load_dwordx16 s[96:]", 0xc0320001 | 96 << 6},
        {"s_memtime exec",               0xc0900000 | 126 << 6},
    };
    uint64_t address;
    struct fixture *f = with_buffer(&address);
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        uint32_t before[SGPR_SPARE + 128];
        memcpy(before, f->wave.sgpr, sizeof before);
        int decodes = fixture_run(f, (uint32_t[]){cases[n].code, 0}, 2);
        if (decodes && !fixture_faulted(f)) test_fail(__FILE__, __LINE__, "%s is not reported", cases[n].text);
        CHECK_MEM(f->wave.sgpr, before, sizeof before);
    }
    fixture_destroy(f);
}

/* Descriptor in s[4:7]. */
static void set_descriptor(struct fixture *f, uint64_t base, uint32_t stride, uint32_t records)
{
    f->wave.sgpr[4] = (uint32_t)base;
    f->wave.sgpr[5] = (uint32_t)(base >> 32) | stride << 16;
    f->wave.sgpr[6] = records;
    f->wave.sgpr[7] = 0x27000;
}

static void buffer_loads(void)
{
    uint64_t address;
    struct fixture *f = with_buffer(&address);
    set_descriptor(f, address, 0, BUFFER_BYTES);
    check_load(f, "s_buffer_load_dword s8, s[4:7], 0x10", 0xc0220202, 0x10, 8, 1, 4);
    check_load(f, "s_buffer_load_dwordx2 s[8:9], s[4:7], 0x10", 0xc0260202, 0x10, 8, 2, 4);
    check_load(f, "s_buffer_load_dwordx4 s[8:11], s[4:7], 0x10", 0xc02a0202, 0x10, 8, 4, 4);
    check_load(f, "s_buffer_load_dwordx8 s[8:15], s[4:7], 0x10", 0xc02e0202, 0x10, 8, 8, 4);
    check_load(f, "s_buffer_load_dwordx16 s[8:23], s[4:7], 0x10", 0xc0320202, 0x10, 8, 16, 4);
    f->wave.sgpr[2] = 8;
    check_load(f, "s_buffer_load_dword s8, s[4:7], s2", 0xc0200202, 0x02, 8, 1, 2);
    check_load(f, "s_buffer_load_dword s8, s[4:7], s2 offset:0x10", 0xc0224202, 0x04000010, 8, 1, 6);
    set_descriptor(f, address + 2, 0x4000, BUFFER_BYTES); /* low bits of the base and the swizzle bit do not count */
    f->wave.sgpr[2] = 7;
    check_load(f, "s_buffer_load_dword s8, s[4:7], s2 offset:0x10", 0xc0224202, 0x04000010, 8, 1, 5);
    set_descriptor(f, address, 16, 2); /* two elements of 16 bytes */
    f->wave.sgpr[2] = 28;
    check_load(f, "s_buffer_load_dword s8, s[4:7], s2", 0xc0200202, 0x02, 8, 1, 7);
    check_load(f, "s_buffer_load_dwordx4 s[4:7], s[4:7], 0x0", 0xc02a0102, 0, 4, 4, 0);
    fixture_destroy(f);
}

static void buffer_range(void)
{
    uint64_t address;
    struct fixture *f = with_buffer(&address);
    set_descriptor(f, address, 0, 14); /* three dwords and a half: the fourth is out of range */
    for (unsigned n = 8; n < 13; n++) f->wave.sgpr[n] = 5;
    REQUIRE(fixture_run(f, (uint32_t[]){0xc02a0202, 0}, 2)); /* s_buffer_load_dwordx4 s[8:11], s[4:7], 0x0 */
    CHECK(!fixture_faulted(f));
    CHECK_MEM(&f->wave.sgpr[8], ((uint32_t[]){0x100, 0x101, 0x102, 0, 5}), 20);
    static const uint32_t outside[] = {12, 16, 0x7ffffffc, 0xfffffffc, 0xffffffff};
    for (size_t n = 0; n < sizeof outside / sizeof outside[0]; n++) {
        f->wave.sgpr[2] = outside[n];
        f->wave.sgpr[8] = 5;
        REQUIRE(fixture_run(f, (uint32_t[]){0xc0200202, 0x02}, 2)); /* s_buffer_load_dword s8, s[4:7], s2 */
        CHECK(!fixture_faulted(f) && f->wave.sgpr[8] == 0);
    }
    set_descriptor(f, address, 0, 0);
    REQUIRE(fixture_run(f, (uint32_t[]){0xc0320202, 0}, 2)); /* s_buffer_load_dwordx16 s[8:23], s[4:7], 0x0 */
    CHECK(!fixture_faulted(f) && f->wave.sgpr[8] == 0 && f->wave.sgpr[23] == 0);
    set_descriptor(f, address, 0, BUFFER_BYTES + 4); /* the descriptor allows more than there is */
    f->wave.sgpr[2] = BUFFER_BYTES;
    REQUIRE(fixture_run(f, (uint32_t[]){0xc0200202, 0x02}, 2));
    CHECK(fixture_faulted(f));
    CHECK_HAS(f->error.text, "bounds: ");
    fixture_destroy(f);
}

static void caches_and_clocks(void)
{
    static const uint32_t caches[] = {0xc0800000, 0xc0840000, 0xc0880000, 0xc08c0000}; /* inv, wb, inv_vol, wb_vol */
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof caches / sizeof caches[0]; n++) {
        REQUIRE(fixture_run(f, (uint32_t[]){caches[n], 0}, 2));
        CHECK(!fixture_faulted(f));
    }
    static const uint32_t clocks[] = {0xc0900200, 0xc0940200}; /* s_memtime, s_memrealtime s[8:9] */
    for (size_t n = 0; n < sizeof clocks / sizeof clocks[0]; n++) {
        uint64_t first;
        REQUIRE(fixture_run(f, (uint32_t[]){clocks[n], 0}, 2));
        first = fixture_s64(f, 8);
        CHECK(first != 0);
        for (int tries = 0; tries < 10000000 && fixture_s64(f, 8) == first; tries++)
            REQUIRE(fixture_run(f, (uint32_t[]){clocks[n], 0}, 2));
        CHECK(fixture_s64(f, 8) > first);
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("smem");
}

int main(void)
{
    TEST(loads);
    TEST(ignores_low_bits_of_addresses);
    TEST(reports_loads_outside);
    TEST(reports_bad_destinations);
    TEST(buffer_loads);
    TEST(buffer_range);
    TEST(caches_and_clocks);
    TEST(every_row);
    return test_end();
}
