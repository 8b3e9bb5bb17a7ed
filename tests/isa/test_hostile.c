/* Random instructions on random registers: whatever they name, no byte changes that the wave does not have, and under
 * the sanitizers none is read. */
#include "tests/emu/effects.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

static uint64_t random_state;

static uint32_t random32(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 32);
}

/* What a wave may write ends within a page or an allocation, behind which all bytes stay zero. */
enum { MEMORY_BYTES = 1000, MEMORY_HOST_BYTES = 4096, LDS_BYTES = 1000 };

struct surroundings {
    uint64_t address;
    const unsigned char *memory;
};

static struct surroundings surround(struct fixture *f)
{
    struct surroundings s;
    struct emu_region hit = {0};
    if (emu_alloc(f->run.emu, MEMORY_BYTES, &s.address, NULL)) abort();
    s.memory = emu_memory(f->run.emu, &hit, s.address, MEMORY_BYTES);
    f->workgroup.lds_bytes = LDS_BYTES;
    return s;
}

static int all_zero(const unsigned char *bytes, size_t count)
{
    size_t n = 0;
    while (n < count && bytes[n] == 0) n++;
    return n == count;
}

/* In turns addresses at the edges of memory, addresses at those of LDS and scratch, and anything. */
static void randomise(struct fixture *f, uint64_t address)
{
    uint32_t kind = random32() % 3;
    for (unsigned reg = 0; reg < 512; reg++)
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t edge = random32() % 40 - 20 + (random32() & 1 ? MEMORY_BYTES : 0);
            uint64_t at = kind == 0 ? address + (uint64_t)(int32_t)edge : edge;
            fixture_set_v(f, reg, l, kind == 2 ? random32() : (uint32_t)(at >> (reg & 1 ? 32 : 0)));
        }
    for (unsigned reg = 0; reg < 128; reg++)
        f->wave.sgpr[reg] = random32() & 1 ? random32() : (uint32_t)(address >> (reg & 1 ? 32 : 0));
    f->wave.m0 = random32() & 1 ? random32() : random32() % 128;
    f->wave.exec = random32() & 1 ? UINT64_MAX : (uint64_t)random32() << 32 | random32();
}

/* The encodings, by bits that are theirs; all others are random. */
static const struct {
    uint32_t mask, match;
} encodings[] = {
    {0xff800000, 0xbe800000}, {0xff800000, 0xbf000000}, {0xff800000, 0xbf800000}, {0xf0000000, 0xb0000000},
    {0xc0000000, 0x80000000}, {0xfe000000, 0x7e000000}, {0xfe000000, 0x7c000000}, {0x80000000, 0x00000000},
    {0xff800000, 0xd3800000}, {0xfc000000, 0xd0000000}, {0xfc000000, 0xc0000000}, {0xfc000000, 0xd8000000},
    {0xfc00c000, 0xdc000000}, {0xfc00c000, 0xdc004000}, {0xfc00c000, 0xdc008000}, {0xfc000000, 0xe0000000},
    {0xffff0000, 0xd3ac0000}, {0xfe0001ff, 0x7e0000f9}, {0xfe0001ff, 0x7e0000fa}, {0x800001ff, 0x000000f9},
    {0x800001ff, 0x000000fa}, {0xfe0001ff, 0x7c0000f9},
};

static void random_code(uint32_t code[4], unsigned n)
{
    unsigned kind = n % (sizeof encodings / sizeof encodings[0]);
    for (int d = 0; d < 4; d++) code[d] = random32() | (d % 2 && random32() & 1 ? 0x04020100 : 0); /* vector sources */
    code[0] = encodings[kind].match | (code[0] & ~encodings[kind].mask);
    if ((code[0] & 0xffff0000) == 0xd3ac0000) code[2] = 0xd3ad0000 | (code[2] & 0x1ffff); /* the product to scale */
}

static void run_random(struct fixture *f, unsigned n)
{
    uint32_t code[4];
    unsigned dwords = 1;
    random_code(code, n);
    while (dwords <= 4 && !fixture_run(f, code, dwords)) dwords++;
}

static void nothing_else_changes(void)
{
    struct fixture *f = fixture_create();
    struct surroundings s = surround(f);
    const struct wave before = f->wave;
    random_state = 4;
    for (unsigned n = 0; n < 400000; n++) {
        if (n % 512 == 0) {
            randomise(f, s.address);
            f->launch.checks = random32() % 4 ? 0 : EMU_CHECK_ALL;
        }
        run_random(f, n);
        int intact = f->wave.workgroup == before.workgroup && f->wave.index == before.index &&
                     f->wave.code == before.code && f->wave.scratch == before.scratch &&
                     f->wave.scratch_bytes == before.scratch_bytes && f->wave.vgpr == before.vgpr;
        REQUIRE(intact);
        if (f->wave.exec == 0) f->wave.exec = UINT64_MAX;
        if (n % 1024 == 0) {
            REQUIRE(all_zero(s.memory + MEMORY_BYTES, MEMORY_HOST_BYTES - MEMORY_BYTES));
            REQUIRE(all_zero(f->workgroup.lds + LDS_BYTES, FIXTURE_LDS_BYTES - LDS_BYTES));
        }
    }
    fixture_destroy(f);
}

/* What it says of itself names no register beyond the last of a file, which the checks keep things for. */
static int effects_are_of_registers(const struct insn *i)
{
    struct effects e;
    insn_effects(i, &e);
    for (unsigned n = 0; n < e.count; n++) {
        unsigned first = e.effect[n].reg, last = first + e.effect[n].count - 1;
        int scalar = last < OPERAND_INT0 || (first == last && (first == REGISTER_SCC || first == REGISTER_MODE));
        int vector = first >= OPERAND_VGPR && last < OPERAND_AGPR;
        int accumulation = first >= OPERAND_AGPR && last < OPERAND_AGPR + 256;
        if (e.effect[n].count == 0 || !(scalar || vector || accumulation)) return 0;
    }
    return 1;
}

static void effects_end_with_the_registers(void)
{
    random_state = 5;
    for (unsigned n = 0; n < 400000; n++) {
        uint32_t code[4];
        unsigned char bytes[sizeof code];
        struct insn i;
        random_code(code, n);
        memcpy(bytes, code, sizeof bytes);
        unsigned length = insn_decode(bytes, sizeof bytes, &i);
        if (length && !CHECK(effects_are_of_registers(&i))) printf("# %08x %08x\n", code[0], code[1]);
    }
}

/* v_readfirstlane_b32, v_readlane_b32 and v_cmp_gt_i32 write scalar registers, which end at 127. */
static void no_scalar_destination_behind_the_last(void)
{
    char mnemonic[64];
    for (uint32_t dst = 0; dst < 256; dst++) {
        const uint32_t code[3][2] = {
            {0x7e000500 | dst << 17}, {0xd2890000 | dst, 0x00000301}, {0xd0c40000 | dst, 0x00020301}};
        for (int n = 0; n < 3; n++) {
            unsigned length = emu_decode(code[n], sizeof code[n], mnemonic);
            if (dst >= 128) CHECK_EQ(length, 0);
            if (dst < 100 && dst % 2 == 0) CHECK_EQ(length, n == 0 ? 4 : 8);
        }
    }
}

int main(void)
{
    TEST(nothing_else_changes);
    TEST(effects_end_with_the_registers);
    TEST(no_scalar_destination_behind_the_last);
    return test_end();
}
