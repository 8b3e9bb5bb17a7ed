#define _DEFAULT_SOURCE /* mmap flags */
#include "tests/emu/check/l2.h"

#include "tests/emu/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* An allocation, and the copies that XCDs have of its lines. */
struct region {
    struct region *next;
    struct emu_region memory;
    unsigned char *copy[XCDS]; /* as long as the allocation, lazily paged in by the kernel; null: none */
};

/* ---- Pages: a tree of three levels by bits 47 to 12 of the address ------------------------------------------------*/

enum { LEVELS = 3, LEVEL_BITS = 12, PAGE_BITS = 12 };

static unsigned index_at(uint64_t address, int level)
{
    return (unsigned)(address >> (PAGE_BITS + level * LEVEL_BITS)) & ((1u << LEVEL_BITS) - 1);
}

struct page *l2_find_page(const struct l2 *l2, uint64_t address)
{
    void *node = l2->root;
    for (int level = LEVELS - 1; node && level >= 0; level--)
        node = __atomic_load_n((void **)node + index_at(address, level), __ATOMIC_ACQUIRE);
    return node;
}

static void *allocate(struct l2 *l2, size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p) l2->failed = 1;
    return p;
}

static struct region *find_region(struct l2 *l2, uint64_t address)
{
    struct emu_region memory = {0};
    for (struct region *r = l2->regions; r; r = r->next)
        if (address - r->memory.address < r->memory.bytes) return r;
    struct region *r = allocate(l2, sizeof *r);
    if (!r || !emu_memory(l2->emu, &memory, address, 1)) {
        l2->failed = 1;
        free(r);
        return NULL;
    }
    r->memory = memory;
    r->next = l2->regions;
    return l2->regions = r;
}

struct page *l2_make_page(struct l2 *l2, uint64_t address)
{
    void **node = l2->root;
    for (int level = LEVELS - 1; level > 0; level--) {
        void **next = &node[index_at(address, level)];
        if (!*next) __atomic_store_n(next, allocate(l2, sizeof *node << LEVEL_BITS), __ATOMIC_RELEASE);
        if (!*next) return NULL;
        node = *next;
    }
    struct page **leaf = (struct page **)&node[index_at(address, 0)];
    if (*leaf) return *leaf;
    struct region *region = find_region(l2, address);
    struct page *page = region ? allocate(l2, sizeof *page) : NULL;
    if (!page) return NULL;
    page->address = address - address % PAGE_BYTES;
    page->region = region;
    memcpy(page->generation, l2->generation, sizeof page->generation);
    __atomic_store_n(leaf, page, __ATOMIC_RELEASE);
    return page;
}

struct written *l2_make_written(struct l2 *l2, struct line *line)
{
    if (!line->written) __atomic_store_n(&line->written, allocate(l2, sizeof *line->written), __ATOMIC_RELEASE);
    return line->written;
}

struct l2 *l2_create(struct emu *emu)
{
    struct l2 *l2 = calloc(1, sizeof *l2);
    if (!l2) return NULL;
    l2->emu = emu;
    l2->root = calloc(1u << LEVEL_BITS, sizeof(void *));
    if (!l2->root || pthread_mutex_init(&l2->lock, NULL) != 0) {
        free(l2->root);
        free(l2);
        return NULL;
    }
    return l2;
}

static void free_node(void *node, int level)
{
    if (!node) return;
    for (size_t n = 0; level > 0 && n < 1u << LEVEL_BITS; n++) free_node(((void **)node)[n], level - 1);
    if (level == 0)
        for (unsigned n = 0; n < PAGE_LINES; n++) free(((struct page *)node)->line[n].written);
    free(node);
}

void l2_destroy(struct l2 *l2)
{
    if (!l2) return;
    for (unsigned xcd = 0; xcd < XCDS; xcd++) {
        l2_write_back(l2, xcd);
        free(l2->dirty[xcd].line);
    }
    for (struct region *r = l2->regions, *next; r; r = next) {
        next = r->next;
        for (unsigned xcd = 0; xcd < XCDS; xcd++)
            if (r->copy[xcd]) munmap(r->copy[xcd], r->memory.bytes);
        free(r);
    }
    free_node(l2->root, LEVELS);
    pthread_mutex_destroy(&l2->lock);
    free(l2);
}

/* ---- Lines --------------------------------------------------------------------------------------------------------*/

unsigned char *l2_memory(const struct page *page, uint64_t address)
{
    return page->region->memory.data + (address - page->region->memory.address);
}

unsigned char *l2_copy(const struct page *page, uint64_t address, unsigned xcd)
{
    unsigned char *copy = page->region->copy[xcd];
    return copy ? copy + (address - page->region->memory.address) : NULL;
}

static int has_copies(struct l2 *l2, struct region *r, unsigned xcd)
{
    if (r->copy[xcd]) return 1;
    void *copy =
        mmap(NULL, r->memory.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED)
        l2->failed = 1;
    else
        r->copy[xcd] = copy;
    return copy != MAP_FAILED;
}

/* Allocations may end within a line. */
static void copy_bytes(const struct page *page, unsigned n, unsigned char *to, const unsigned char *from,
                       line_bytes bytes)
{
    uint64_t offset = page->address + (uint64_t)n * LINE_BYTES - page->region->memory.address;
    size_t left = page->region->memory.bytes - offset, count = left < LINE_BYTES ? left : LINE_BYTES;
    for (size_t at = 0; at < count; at += 8, bytes >>= 8)
        if ((uint8_t)bytes == 0xff && count - at >= 8)
            memcpy(to + at, from + at, 8);
        else
            for (size_t b = at; b < at + 8 && b < count; b++)
                if (bytes >> (b - at) & 1) to[b] = from[b];
}

static unsigned char *memory_of(const struct page *page, unsigned n)
{
    return l2_memory(page, page->address + (uint64_t)n * LINE_BYTES);
}

static unsigned char *copy_of(const struct page *page, unsigned n, unsigned xcd)
{
    return l2_copy(page, page->address + (uint64_t)n * LINE_BYTES, xcd);
}

static line_bytes dirty_bytes(const struct line *line, unsigned xcd)
{
    return line->written ? line->written->dirty[xcd] : 0;
}

/* Makes the bits of the XCD true. Others may look at held without the lock. */
static void bring_up_to_date(const struct l2 *l2, struct page *page, unsigned xcd)
{
    uint8_t others = (uint8_t) ~(1u << xcd);
    if (page->generation[xcd] == l2->generation[xcd]) return;
    for (unsigned n = 0; n < PAGE_LINES; n++) {
        page->line[n].copied &= others;
        __atomic_fetch_and(&page->line[n].held, others, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&page->generation[xcd], l2->generation[xcd], __ATOMIC_RELEASE);
}

static void make_copy(struct l2 *l2, struct page *page, unsigned n, unsigned xcd)
{
    struct line *line = &page->line[n];
    if (line->copied >> xcd & 1 || !has_copies(l2, page->region, xcd)) return;
    copy_bytes(page, n, copy_of(page, n, xcd), memory_of(page, n), ~dirty_bytes(line, xcd));
    line->copied |= (uint8_t)(1u << xcd);
}

int l2_read(struct l2 *l2, struct page *page, unsigned n, unsigned xcd)
{
    struct line *line = &page->line[n];
    bring_up_to_date(l2, page, xcd);
    if (dirty_bytes(line, xcd)) make_copy(l2, page, n, xcd);
    __atomic_fetch_or(&line->held, (uint8_t)(1u << xcd), __ATOMIC_RELAXED);
    return line->copied >> xcd & 1;
}

void l2_read_copy(struct l2 *l2, struct page *page, unsigned n, unsigned xcd)
{
    l2_read(l2, page, n, xcd);
    make_copy(l2, page, n, xcd);
}

static void add_dirty(struct l2 *l2, struct page *page, unsigned n, unsigned xcd)
{
    struct dirty_list *d = &l2->dirty[xcd];
    struct written *written = page->line[n].written;
    if (written->listed >> xcd & 1) return;
    if (d->count == d->capacity) {
        size_t capacity = d->capacity ? 2 * d->capacity : 256;
        struct dirty_line *line = realloc(d->line, capacity * sizeof *line);
        if (!line) {
            l2->failed = 1;
            return;
        }
        d->line = line;
        d->capacity = capacity;
    }
    d->line[d->count++] = (struct dirty_line){page, n};
    written->listed |= (uint8_t)(1u << xcd);
}

void l2_write(struct l2 *l2, struct page *page, unsigned n, unsigned xcd, line_bytes bytes)
{
    struct written *written = l2_make_written(l2, &page->line[n]);
    l2_read_copy(l2, page, n, xcd);
    if (!written) return;
    add_dirty(l2, page, n, xcd);
    written->dirty[xcd] |= bytes;
}

/* Memory is about to change: those that hold the line as it is there take a copy. */
static void keep_held(struct l2 *l2, struct page *page, unsigned n)
{
    for (unsigned xcd = 0; xcd < XCDS; xcd++) {
        bring_up_to_date(l2, page, xcd);
        if (page->line[n].held >> xcd & 1) make_copy(l2, page, n, xcd);
    }
}

static void write_back_line(struct l2 *l2, struct page *page, unsigned n, unsigned xcd)
{
    line_bytes dirty = dirty_bytes(&page->line[n], xcd);
    if (!dirty || !copy_of(page, n, xcd)) return;
    keep_held(l2, page, n);
    copy_bytes(page, n, memory_of(page, n), copy_of(page, n, xcd), dirty);
    page->line[n].written->dirty[xcd] = 0;
}

void l2_pass(struct l2 *l2, struct page *page, unsigned n, unsigned xcd, int writes)
{
    uint8_t others = (uint8_t) ~(1u << xcd);
    bring_up_to_date(l2, page, xcd);
    write_back_line(l2, page, n, xcd);
    page->line[n].copied &= others;
    __atomic_fetch_and(&page->line[n].held, others, __ATOMIC_RELAXED);
    if (writes) keep_held(l2, page, n);
}

void l2_write_back(struct l2 *l2, unsigned xcd)
{
    struct dirty_list *d = &l2->dirty[xcd];
    for (size_t k = 0; k < d->count; k++) {
        write_back_line(l2, d->line[k].page, d->line[k].n, xcd);
        d->line[k].page->line[d->line[k].n].written->listed &= (uint8_t) ~(1u << xcd);
    }
    d->count = 0;
}

void l2_invalidate(struct l2 *l2, unsigned xcd)
{
    __atomic_store_n(&l2->generation[xcd], l2->generation[xcd] + 1, __ATOMIC_RELAXED);
}
