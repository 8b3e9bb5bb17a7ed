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
    TEST(assumed);
    emu_destroy(emu);
    return test_end();
}
