/* The caches of the order check: what the XCDs see of each other's stores. */
#include "tests/emu/check/l2.h"
#include "tests/emu/memory.h"
#include "tests/test.h"

#include <stdlib.h>

enum { BYTES = 2 * PAGE_BYTES + 200 }; /* ends within a line */

static struct emu *emu;
static struct l2 *l2;
static uint64_t start;

static void begin(void)
{
    struct emu_error error;
    if (emu_alloc(emu, BYTES, &start, &error) || emu_fill(emu, start, 1, BYTES, &error) || !(l2 = l2_create(emu))) {
        printf("# %s\n", error.text);
        exit(1);
    }
}

static void end(void)
{
    l2_destroy(l2);
    emu_free(emu, start, NULL);
}

static struct page *page_at(uint64_t offset)
{
    struct page *page = l2_make_page(l2, start + offset);
    if (!page || l2_find_page(l2, start + offset) != page) abort();
    return page;
}

/* One byte, as a plain load, a plain store, and both past the L2. */
static int load(unsigned xcd, uint64_t offset)
{
    struct page *page = page_at(offset);
    int copied = l2_read(l2, page, line_number(start + offset), xcd);
    return copied ? *l2_copy(page, start + offset, xcd) : *l2_memory(page, start + offset);
}

static void store(unsigned xcd, uint64_t offset, int value)
{
    struct page *page = page_at(offset);
    l2_write(l2, page, line_number(start + offset), xcd, (line_bytes)1 << offset % LINE_BYTES);
    *l2_copy(page, start + offset, xcd) = (unsigned char)value;
}

static int load_past(unsigned xcd, uint64_t offset)
{
    l2_pass(l2, page_at(offset), line_number(start + offset), xcd, 0);
    return *l2_memory(page_at(offset), start + offset);
}

static void store_past(unsigned xcd, uint64_t offset, int value)
{
    l2_pass(l2, page_at(offset), line_number(start + offset), xcd, 1);
    *l2_memory(page_at(offset), start + offset) = (unsigned char)value;
}

static int memory(uint64_t offset)
{
    unsigned char byte = 0;
    CHECK(emu_read(emu, start + offset, &byte, 1, NULL) == 0);
    return byte;
}

static void stores_stay_until_write_back(void)
{
    begin();
    store(0, 5, 2);
    CHECK_EQ(load(0, 5), 2);
    CHECK_EQ(load(0, 6), 1);
    CHECK_EQ(memory(5), 1);
    CHECK_EQ(load(2, 5), 1);
    l2_write_back(l2, 1);
    CHECK_EQ(memory(5), 1);
    l2_write_back(l2, 0);
    CHECK_EQ(memory(5), 2);
    CHECK_EQ(load(1, 5), 2); /* the first time that this XCD looks */
    end();
}

static void loads_are_stale_until_invalidation(void)
{
    begin();
    CHECK_EQ(load(1, 5), 1); /* all of the line is held from here on */
    store(0, 5, 2);
    store(0, 100, 3);
    l2_write_back(l2, 0);
    CHECK_EQ(load(1, 5), 1);
    CHECK_EQ(load(1, 100), 1);
    CHECK_EQ(load(1, LINE_BYTES), 1);
    l2_invalidate(l2, 2);
    CHECK_EQ(load(1, 5), 1);
    l2_invalidate(l2, 1);
    CHECK_EQ(load(1, 5), 2);
    CHECK_EQ(load(1, 100), 3);
    end();
}

/* What was invalidated before the other's store is not held at it. */
static void invalidation_comes_first(void)
{
    begin();
    CHECK_EQ(load(1, 5), 1);
    l2_invalidate(l2, 1);
    store(0, 5, 2);
    l2_write_back(l2, 0);
    CHECK_EQ(load(1, 5), 2);
    end();
}

static void own_stores_survive_invalidation(void)
{
    begin();
    store(0, 5, 2);
    store_past(1, 6, 3);
    CHECK_EQ(load(0, 6), 1);
    l2_invalidate(l2, 0);
    CHECK_EQ(memory(5), 1);
    CHECK_EQ(load(0, 5), 2);
    CHECK_EQ(load(0, 6), 3);
    l2_write_back(l2, 0);
    CHECK_EQ(memory(5), 2);
    CHECK_EQ(memory(6), 3);
    end();
}

static void stores_beside_each_other(void)
{
    begin();
    for (unsigned xcd = 0; xcd < XCDS; xcd++) store(xcd, xcd, 10 + (int)xcd);
    for (unsigned xcd = 0; xcd < XCDS; xcd++)
        for (unsigned n = 0; n < XCDS; n++) CHECK_EQ(load(xcd, n), n == xcd ? 10 + (int)xcd : 1);
    for (unsigned xcd = 0; xcd < XCDS; xcd++) l2_write_back(l2, xcd);
    for (unsigned n = 0; n < XCDS; n++) CHECK_EQ(memory(n), 10 + (int)n);
    CHECK_EQ(load(0, 7), 1);
    end();
}

static void past_the_l2(void)
{
    begin();
    CHECK_EQ(load(1, 5), 1);
    store_past(0, 5, 2);
    CHECK_EQ(memory(5), 2);
    CHECK_EQ(load(1, 5), 1);
    CHECK_EQ(load_past(1, 5), 2);
    CHECK_EQ(load(1, 5), 2); /* that dropped what it held */
    store(1, 6, 3);
    CHECK_EQ(load_past(1, 6), 3); /* its own store goes out first */
    CHECK_EQ(memory(6), 3);
    end();
}

/* An access across lines finds all of it in one place. */
static void copies_lie_side_by_side(void)
{
    begin();
    for (uint64_t edge = LINE_BYTES; edge <= PAGE_BYTES; edge += PAGE_BYTES - LINE_BYTES) {
        struct page *first = page_at(edge - 1), *second = page_at(edge);
        store(3, edge - 1, 7);
        l2_read_copy(l2, second, line_number(start + edge), 3);
        const unsigned char *copy = l2_copy(first, start + edge - 1, 3);
        CHECK_EQ(copy[0], 7);
        CHECK_EQ(copy[1], 1);
        store_past(0, edge, 9);
        CHECK_EQ(copy[1], 1);
    }
    end();
}

static void the_end_writes_back(void)
{
    begin();
    store(4, 0, 2);
    store(4, BYTES - 1, 3);
    store(5, BYTES - 2, 4);
    l2_destroy(l2);
    CHECK_EQ(memory(0), 2);
    CHECK_EQ(memory(BYTES - 1), 3);
    CHECK_EQ(memory(BYTES - 2), 4);
    CHECK_EQ(memory(BYTES - 3), 1);
    emu_free(emu, start, NULL);
}

int main(void)
{
    emu = emu_create(0);
    if (!emu) return 1;
    TEST(stores_stay_until_write_back);
    TEST(loads_are_stale_until_invalidation);
    TEST(invalidation_comes_first);
    TEST(own_stores_survive_invalidation);
    TEST(stores_beside_each_other);
    TEST(past_the_l2);
    TEST(copies_lie_side_by_side);
    TEST(the_end_writes_back);
    emu_destroy(emu);
    return test_end();
}
