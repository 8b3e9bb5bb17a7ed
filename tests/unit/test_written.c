/* What the emulator knows to be written of its memory by the host. */
#include "tests/emu/emu.h"
#include "tests/emu/memory.h"
#include "tests/test.h"

#include <stdlib.h>

enum { PAGE = 1 << EMU_PAGE_BITS };

static struct emu *emu;

static struct emu_region allocate(size_t bytes)
{
    struct emu_region hit = {0};
    uint64_t address;
    if (emu_alloc(emu, bytes, &address, NULL) || !emu_memory(emu, &hit, address, bytes)) abort();
    return hit;
}

/* Exactly the bytes [from, to). */
static int written_are(const struct emu_region *r, size_t from, size_t to)
{
    for (size_t n = 0; n < r->bytes; n++)
        if (emu_region_is_written(r, n, 1) != (n >= from && n < to)) return 0;
    return 1;
}

static void ranges(void)
{
    static const size_t cases[][3] = {
        /* bytes, from, to */
        {100, 0, 0},
        {100, 0, 100},
        {100, 10, 100},
        {100, 99, 100},
        {3 * PAGE, 0, PAGE},
        {3 * PAGE, PAGE, 2 * PAGE},
        {3 * PAGE, 1, PAGE},
        {3 * PAGE, 1, 2 * PAGE + 1},
        {3 * PAGE, PAGE - 1, PAGE + 1},
        {3 * PAGE, PAGE, 3 * PAGE - 1},
        {2 * PAGE + 7, 0, 2 * PAGE + 7},
        {2 * PAGE + 7, 2 * PAGE, 2 * PAGE + 7},
        {2 * PAGE + 7, 2 * PAGE, 2 * PAGE + 6},
    };
    static const unsigned char data[3 * PAGE];
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++)
        for (int fill = 0; fill < 2; fill++) {
            size_t from = cases[n][1], to = cases[n][2];
            struct emu_region r = allocate(cases[n][0]);
            CHECK_EQ(fill ? emu_fill(emu, r.address + from, 1, to - from, NULL)
                          : emu_write(emu, r.address + from, data, to - from, NULL),
                     0);
            if (!CHECK(written_are(&r, from, to))) printf("# case %zu\n", n);
            CHECK_EQ(emu_free(emu, r.address, NULL), 0);
        }
}

static void two_writes_make_one(void)
{
    struct emu_region r = allocate(2 * PAGE);
    emu_fill(emu, r.address, 0, 100, NULL);
    CHECK(!emu_region_is_written(&r, 0, 200));
    emu_fill(emu, r.address + 100, 0, 100, NULL);
    CHECK(emu_region_is_written(&r, 0, 200));
    CHECK(!emu_region_is_written(&r, 0, 201));
    CHECK_EQ(emu_free(emu, r.address, NULL), 0);
}

/* The largest allocation costs no more than what is touched of it. */
static void of_the_whole_device(void)
{
    struct emu_region r = allocate(EMU_MEMORY_BYTES);
    CHECK_EQ(emu_fill(emu, r.address + r.bytes - 3, 0, 3, NULL), 0);
    CHECK_EQ(emu_fill(emu, r.address, 0, 2, NULL), 0);
    CHECK(emu_region_is_written(&r, r.bytes - 3, 3));
    CHECK(!emu_region_is_written(&r, r.bytes - 4, 1));
    CHECK(emu_region_is_written(&r, 0, 2));
    CHECK(!emu_region_is_written(&r, 2, 1));
    CHECK(!emu_region_is_written(&r, r.bytes / 2, 1));
    CHECK_EQ(emu_free(emu, r.address, NULL), 0);
}

/* From a source of which [from, to) is written to a target of which all or nothing is. */
static void copies_carry_it(void)
{
    static const size_t cases[][5] = {
        /* from, to, at of the source, at of the target, bytes */
        {0, 0, 0, 0, 3 * PAGE},
        {0, 3 * PAGE, 0, 0, 3 * PAGE},
        {10, 20, 0, 0, 3 * PAGE},
        {10, 20, 5, 100, 10},
        {PAGE, 2 * PAGE, 0, 0, 3 * PAGE},
        {PAGE - 1, 2 * PAGE + 1, 1, 0, 3 * PAGE - 1},
        {PAGE, 2 * PAGE, 7, PAGE + 9, 2 * PAGE - 9},
        {2 * PAGE - 3, 2 * PAGE, 2 * PAGE - 10, PAGE - 5, 10},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++)
        for (int full = 0; full < 2; full++) {
            const size_t *c = cases[n];
            struct emu_region source = allocate(3 * PAGE), target = allocate(3 * PAGE);
            unsigned char byte = 0;
            int wrong = 0;
            if (c[1] > c[0]) CHECK_EQ(emu_fill(emu, source.address + c[0], 7, c[1] - c[0], NULL), 0);
            if (full) CHECK_EQ(emu_fill(emu, target.address, 0, 3 * PAGE, NULL), 0);
            CHECK_EQ(emu_copy(emu, target.address + c[3], emu, source.address + c[2], c[4], NULL), 0);
            for (size_t i = 0; i < 3 * PAGE; i++) {
                size_t at = i - c[3] + c[2]; /* of the source */
                int copied = i >= c[3] && i < c[3] + c[4], data = copied && at >= c[0] && at < c[1];
                wrong += emu_region_is_written(&target, i, 1) != (copied ? data : full);
                wrong += emu_read(emu, target.address + i, &byte, 1, NULL) != 0 || byte != (data ? 7 : 0);
            }
            if (!CHECK_EQ(wrong, 0)) printf("# case %zu, target %s\n", n, full ? "written" : "not written");
            CHECK_EQ(emu_free(emu, source.address, NULL), 0);
            CHECK_EQ(emu_free(emu, target.address, NULL), 0);
        }
    struct emu_region small = allocate(16), large = allocate(32);
    CHECK_EQ(emu_copy(emu, small.address, emu, large.address, 17, NULL), -1);
    CHECK_EQ(emu_copy(emu, large.address, emu, small.address, 17, NULL), -1);
    CHECK_EQ(emu_free(emu, small.address, NULL), 0);
    CHECK_EQ(emu_free(emu, large.address, NULL), 0);
}

static void memory_of_the_host(void)
{
    static unsigned char memory[100];
    const uint64_t address = (uintptr_t)memory;
    struct emu_region hit = {0}, device = allocate(100);
    CHECK(!emu_memory(emu, &hit, address, 1));
    CHECK_EQ(emu_map(emu, memory, sizeof memory, NULL), 0);
    CHECK(emu_memory(emu, &hit, address + 3, 97) == memory + 3);
    CHECK(emu_region_is_written(&hit, 0, 100));
    CHECK(!emu_memory(emu, &(struct emu_region){0}, address + 3, 98));
    CHECK(!emu_memory(emu, &(struct emu_region){0}, address - 1, 1));
    CHECK_EQ(emu_fill(emu, address + 1, 9, 2, NULL), 0);
    CHECK(memory[0] == 0 && memory[1] == 9 && memory[2] == 9 && memory[3] == 0);
    CHECK_EQ(emu_copy(emu, device.address, emu, address, 100, NULL), 0);
    CHECK(emu_region_is_written(&device, 0, 100));
    CHECK_EQ(emu_free(emu, address + 1, NULL), -1);
    CHECK_EQ(emu_free(emu, address, NULL), 0);
    CHECK_EQ(emu_free(emu, address, NULL), -1);
    CHECK(!emu_memory(emu, &(struct emu_region){0}, address, 1));
    CHECK_EQ(emu_free(emu, device.address, NULL), 0);
    CHECK_EQ(emu_map(emu, memory, sizeof memory, NULL), 0); /* and is left to emu_destroy */
}

static void assumed(void)
{
    struct emu_region before = allocate(10);
    CHECK(before.serial > emu_assumed_written(emu));
    emu_assume_written(emu);
    struct emu_region after = allocate(10);
    CHECK(before.serial <= emu_assumed_written(emu));
    CHECK(after.serial > emu_assumed_written(emu));
    CHECK_EQ(emu_free(emu, before.address, NULL), 0);
    CHECK_EQ(emu_free(emu, after.address, NULL), 0);
}

int main(void)
{
    emu = emu_create(0);
    if (!emu) return 1;
    TEST(ranges);
    TEST(two_writes_make_one);
    TEST(of_the_whole_device);
    TEST(copies_carry_it);
    TEST(memory_of_the_host);
    TEST(assumed);
    emu_destroy(emu);
    return test_end();
}
