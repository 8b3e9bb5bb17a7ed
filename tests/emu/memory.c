#define _DEFAULT_SOURCE /* mmap flags */
#include "tests/emu/memory.h"
#include "tests/emu/emu.h"
#include "tests/emu/error.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Addresses that no Linux process maps by itself, a stretch a device; a granule starts at most one allocation, and at
 * least one granule of gap follows each, so that every address finds its allocation, if any, in one look. */
#define FIRST_ADDRESS UINT64_C(0x400000000000)
enum { GRANULE_BITS = 16, GRANULES = 1 << 24 };
#define GRANULE_BYTES ((uint64_t)1 << GRANULE_BITS)
#define DEVICE_STRETCH (GRANULES * GRANULE_BYTES)

struct emu {
    pthread_mutex_t lock;
    uint64_t first_address;
    struct emu_region **granule; /* GRANULES entries, lazily paged in by the kernel */
    struct emu_region *mapped;   /* memory of the host's */
    uint64_t next;               /* first granule never given out */
    size_t allocated;
    uint64_t serial;  /* of the newest allocation */
    uint64_t assumed; /* atomic; of the newest that counts as written */
};

struct emu *emu_create(unsigned device)
{
    struct emu *emu = calloc(1, sizeof *emu);
    if (!emu || device >= EMU_MAX_DEVICES) {
        free(emu);
        return NULL;
    }
    emu->first_address = FIRST_ADDRESS + device * DEVICE_STRETCH;
    void *table = mmap(NULL, GRANULES * sizeof *emu->granule, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED || pthread_mutex_init(&emu->lock, NULL) != 0) {
        if (table != MAP_FAILED) munmap(table, GRANULES * sizeof *emu->granule);
        free(emu);
        return NULL;
    }
    emu->granule = table;
    return emu;
}

/* ---- Allocations --------------------------------------------------------------------------------------------------
 * One mapping on the host holds the data, the state of each page and that of each byte; of all three, the kernel backs
 * only what is touched. */

static size_t page_count(size_t bytes)
{
    return (bytes >> EMU_PAGE_BITS) + (bytes % ((size_t)1 << EMU_PAGE_BITS) != 0);
}

static size_t in_whole_pages(size_t bytes)
{
    return page_count(bytes) << EMU_PAGE_BITS;
}

static size_t mapping_bytes(size_t bytes)
{
    return 2 * in_whole_pages(bytes) + in_whole_pages(page_count(bytes));
}

static int map(struct emu_region *region, size_t bytes)
{
    void *mapping =
        mmap(NULL, mapping_bytes(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return -1;
    region->bytes = bytes;
    region->data = mapping;
    region->written = region->data + in_whole_pages(bytes);
    region->pages = region->written + in_whole_pages(bytes);
    return 0;
}

static void unlink_mapped(struct emu *emu, struct emu_region *region)
{
    struct emu_region **link = &emu->mapped;
    while (*link != region) link = &(*link)->next;
    __atomic_store_n(link, region->next, __ATOMIC_RELEASE);
    free(region);
}

static void release(struct emu *emu, struct emu_region *region)
{
    uint64_t first = (region->address - emu->first_address) >> GRANULE_BITS;
    uint64_t last = (region->address - emu->first_address + region->bytes - 1) >> GRANULE_BITS;
    for (uint64_t g = first; g <= last; g++) __atomic_store_n(&emu->granule[g], NULL, __ATOMIC_RELEASE);
    emu->allocated -= region->bytes;
    munmap(region->data, mapping_bytes(region->bytes));
    free(region);
}

void emu_destroy(struct emu *emu)
{
    if (!emu) return;
    for (uint64_t g = 0; g < emu->next; g++)
        if (emu->granule[g]) release(emu, emu->granule[g]);
    while (emu->mapped) unlink_mapped(emu, emu->mapped);
    munmap(emu->granule, GRANULES * sizeof *emu->granule);
    pthread_mutex_destroy(&emu->lock);
    free(emu);
}

int emu_alloc(struct emu *emu, size_t bytes, uint64_t *address, struct emu_error *error)
{
    if (bytes == 0) return emu_fail(error, "an allocation of 0 bytes is not possible");
    struct emu_region *region = malloc(sizeof *region);
    pthread_mutex_lock(&emu->lock);
    uint64_t granules = (bytes >> GRANULE_BITS) + 1 + (bytes % GRANULE_BYTES != 0);
    if (!region || bytes > EMU_MEMORY_BYTES - emu->allocated || granules > GRANULES - emu->next) goto full;
    if (map(region, bytes)) goto full;
    region->address = emu->first_address + (emu->next << GRANULE_BITS);
    region->serial = ++emu->serial;
    for (uint64_t g = emu->next; g < emu->next + granules - 1; g++)
        __atomic_store_n(&emu->granule[g], region, __ATOMIC_RELEASE);
    emu->next += granules;
    emu->allocated += bytes;
    pthread_mutex_unlock(&emu->lock);
    *address = region->address;
    return 0;
full:;
    size_t allocated = emu->allocated;
    pthread_mutex_unlock(&emu->lock);
    free(region);
    return emu_fail(error, "out of device memory: %zu bytes asked for, %zu allocated", bytes, allocated);
}

int emu_map(struct emu *emu, void *memory, size_t bytes, struct emu_error *error)
{
    struct emu_region *region = malloc(sizeof *region);
    if (!region) return emu_fail(error, "out of host memory");
    *region = (struct emu_region){.address = (uintptr_t)memory, .bytes = bytes, .data = memory};
    pthread_mutex_lock(&emu->lock);
    region->next = emu->mapped;
    __atomic_store_n(&emu->mapped, region, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&emu->lock);
    return 0;
}

static struct emu_region *find(struct emu *emu, uint64_t address)
{
    uint64_t g = (address - emu->first_address) >> GRANULE_BITS;
    if (address >= emu->first_address && g < GRANULES) return __atomic_load_n(&emu->granule[g], __ATOMIC_ACQUIRE);
    struct emu_region *region = __atomic_load_n(&emu->mapped, __ATOMIC_ACQUIRE);
    while (region && address - region->address >= region->bytes) region = region->next;
    return region;
}

int emu_free(struct emu *emu, uint64_t address, struct emu_error *error)
{
    pthread_mutex_lock(&emu->lock);
    struct emu_region *region = find(emu, address);
    int known = region && region->address == address;
    if (known && region->pages)
        release(emu, region);
    else if (known)
        unlink_mapped(emu, region);
    pthread_mutex_unlock(&emu->lock);
    return known ? 0 : emu_fail(error, "0x%" PRIx64 " is not the start of an allocation", address);
}

void emu_free_newest(struct emu *emu, uint64_t address)
{
    pthread_mutex_lock(&emu->lock);
    struct emu_region *region = find(emu, address);
    uint64_t first = (address - emu->first_address) >> GRANULE_BITS;
    if (region && region->address == address) {
        uint64_t granules = (region->bytes + GRANULE_BYTES - 1) / GRANULE_BYTES + 1;
        release(emu, region);
        if (first + granules == emu->next) emu->next = first;
    }
    pthread_mutex_unlock(&emu->lock);
}

unsigned char *emu_memory(struct emu *emu, struct emu_region *hit, uint64_t address, size_t bytes)
{
    if (address - hit->address < hit->bytes && bytes <= hit->bytes - (address - hit->address))
        return hit->data + (address - hit->address);
    const struct emu_region *region = find(emu, address);
    if (!region || address - region->address >= region->bytes || bytes > region->bytes - (address - region->address))
        return NULL;
    *hit = *region;
    return region->data + (address - region->address);
}

void emu_describe(struct emu *emu, uint64_t address, size_t bytes, char *text, size_t text_bytes)
{
    const struct emu_region *region = find(emu, address);
    for (uint64_t back = 1; !region && back <= 2; back++) region = find(emu, address - back * GRANULE_BYTES);
    if (region && address >= region->address + region->bytes)
        snprintf(text, text_bytes,
                 "%zu bytes at 0x%" PRIx64 ", which is %" PRIu64 " bytes past the end of the %zu bytes at 0x%" PRIx64,
                 bytes, address, address - region->address - region->bytes, region->bytes, region->address);
    else if (region)
        snprintf(text, text_bytes,
                 "%zu bytes at 0x%" PRIx64 ", which is offset %" PRIu64 " in the %zu bytes at 0x%" PRIx64, bytes,
                 address, address - region->address, region->bytes, region->address);
    else
        snprintf(text, text_bytes, "%zu bytes at 0x%" PRIx64 ", which is in no allocation", bytes, address);
}

size_t emu_allocated_bytes(struct emu *emu)
{
    pthread_mutex_lock(&emu->lock);
    size_t allocated = emu->allocated;
    pthread_mutex_unlock(&emu->lock);
    return allocated;
}

/* ---- What has been written ----------------------------------------------------------------------------------------*/

/* Threads may do so for the same bytes at once: all write the same. */
void emu_region_write(const struct emu_region *r, size_t offset, size_t bytes)
{
    const size_t page = (size_t)1 << EMU_PAGE_BITS, end = offset + bytes;
    if (!r->pages) return;
    size_t first = page_count(offset), last = end == r->bytes ? page_count(end) : end >> EMU_PAGE_BITS;
    if (first < last) {
        memset(r->pages + first, 1, last - first);
        memset(r->written + offset, 1, first * page - offset);
        if (last * page < end) memset(r->written + last * page, 1, end - last * page);
    } else {
        memset(r->written + offset, 1, bytes);
    }
}

int emu_region_is_written(const struct emu_region *r, size_t offset, size_t bytes)
{
    for (size_t n = offset; r->pages && n < offset + bytes; n++)
        if (!r->pages[n >> EMU_PAGE_BITS] && !r->written[n]) return 0;
    return 1;
}

/* Gives bytes of one page the state of as many others. */
static void copy_state(const struct emu_region *to, size_t to_offset, const struct emu_region *from, size_t from_offset,
                       size_t bytes)
{
    const size_t page = (size_t)1 << EMU_PAGE_BITS, first = to_offset >> EMU_PAGE_BITS;
    for (size_t p = first; p <= (to_offset + bytes - 1) >> EMU_PAGE_BITS; p++) {
        if (to->pages[p]) memset(to->written + p * page, 1, page);
        to->pages[p] = 0;
    }
    memmove(to->written + to_offset, from->written + from_offset, bytes);
}

void emu_assume_written(struct emu *emu)
{
    pthread_mutex_lock(&emu->lock);
    __atomic_store_n(&emu->assumed, emu->serial, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&emu->lock);
}

uint64_t emu_assumed_written(struct emu *emu)
{
    return __atomic_load_n(&emu->assumed, __ATOMIC_ACQUIRE);
}

/* ---- The host's copies --------------------------------------------------------------------------------------------*/

static unsigned char *host_range(struct emu *emu, struct emu_region *hit, uint64_t address, size_t bytes,
                                 struct emu_error *error)
{
    unsigned char *data = emu_memory(emu, hit, address, bytes);
    char where[200];
    if (!data) {
        emu_describe(emu, address, bytes, where, sizeof where);
        emu_fail(error, "not in one allocation: %s", where);
    }
    return data;
}

/* The same, for writing. */
static unsigned char *host_target(struct emu *emu, uint64_t address, size_t bytes, struct emu_error *error)
{
    struct emu_region hit = {0};
    unsigned char *data = host_range(emu, &hit, address, bytes, error);
    if (data) emu_region_write(&hit, address - hit.address, bytes);
    return data;
}

int emu_write(struct emu *emu, uint64_t address, const void *data, size_t bytes, struct emu_error *error)
{
    unsigned char *to = host_target(emu, address, bytes, error);
    if (!to) return -1;
    memcpy(to, data, bytes);
    return 0;
}

int emu_read(struct emu *emu, uint64_t address, void *data, size_t bytes, struct emu_error *error)
{
    struct emu_region hit = {0};
    const unsigned char *from = host_range(emu, &hit, address, bytes, error);
    if (!from) return -1;
    memcpy(data, from, bytes);
    return 0;
}

int emu_copy(struct emu *to_emu, uint64_t to, struct emu *from_emu, uint64_t from, size_t bytes,
             struct emu_error *error)
{
    struct emu_region target = {0}, source = {0};
    unsigned char *to_data = host_range(to_emu, &target, to, bytes, error);
    if (!to_data) return -1;
    const unsigned char *from_data = host_range(from_emu, &source, from, bytes, error);
    if (!from_data) return -1;
    memmove(to_data, from_data, bytes);
    for (size_t done = 0, some; done < bytes; done += some) {
        const size_t page = (size_t)1 << EMU_PAGE_BITS;
        const size_t at = from - source.address + done, target_at = to - target.address + done;
        some = page - at % page < bytes - done ? page - at % page : bytes - done;
        if (source.serial <= emu_assumed_written(from_emu) || source.pages[at >> EMU_PAGE_BITS] || !target.pages)
            emu_region_write(&target, target_at, some);
        else
            copy_state(&target, target_at, &source, at, some);
    }
    return 0;
}

int emu_fill(struct emu *emu, uint64_t address, int byte, size_t bytes, struct emu_error *error)
{
    unsigned char *to = host_target(emu, address, bytes, error);
    if (!to) return -1;
    memset(to, byte, bytes);
    return 0;
}
