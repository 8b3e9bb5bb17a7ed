/* Which addresses belong to which allocation. */
#include "tests/emu/hip/hip_state.h"

#include <stdlib.h>

/* The first range that ends behind the address. */
static size_t position(const struct hip_ranges *ranges, uintptr_t address)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct hip_range *range = &ranges->ranges[middle];
        if (address >= range->address && address - range->address >= range->bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int hip_range_add(struct hip_ranges *ranges, const struct hip_range *range)
{
    if (ranges->count == ranges->capacity) {
        size_t capacity = ranges->capacity ? 2 * ranges->capacity : 64;
        struct hip_range *grown = realloc(ranges->ranges, capacity * sizeof *grown);
        if (!grown) return -1;
        ranges->ranges = grown;
        ranges->capacity = capacity;
    }
    struct hip_range *at = &ranges->ranges[position(ranges, range->address)];
    memmove(at + 1, at, (size_t)(ranges->ranges + ranges->count - at) * sizeof *at);
    *at = *range;
    ranges->count++;
    return 0;
}

int hip_range_add_device(int device, const struct hip_range *range)
{
    uintptr_t end = range->address + range->bytes;
    if (hip_range_add(&hip_library.devices[device].allocations, range)) return -1;
    if (!hip_library.lowest || range->address < hip_library.lowest) hip_library.lowest = range->address;
    if (end > hip_library.highest) hip_library.highest = end;
    return 0;
}

const struct hip_range *hip_range_find(const struct hip_ranges *ranges, uintptr_t address)
{
    size_t at = position(ranges, address);
    return at < ranges->count && ranges->ranges[at].address <= address ? &ranges->ranges[at] : NULL;
}

int hip_range_overlaps(const struct hip_ranges *ranges, uintptr_t address, size_t bytes)
{
    size_t at = position(ranges, address);
    return at < ranges->count && ranges->ranges[at].address < address + bytes;
}

void hip_range_remove(struct hip_ranges *ranges, const struct hip_range *range)
{
    struct hip_range *at = &ranges->ranges[range - ranges->ranges];
    ranges->count--;
    memmove(at, at + 1, (size_t)(ranges->ranges + ranges->count - at) * sizeof *at);
}

static int found(const struct hip_ranges *ranges, uintptr_t address, enum hip_space space, int device,
                 struct hip_place *place)
{
    const struct hip_range *range = hip_range_find(ranges, address);
    if (!range) return 0;
    *place = (struct hip_place){space, device, *range, range->bytes - (address - range->address)};
    return 1;
}

void hip_locate(const void *pointer, struct hip_place *place)
{
    uintptr_t address = (uintptr_t)pointer;
    int first = hip_thread.device;
    hip_lock();
    int known = found(&hip_library.devices[first].allocations, address, HIP_SPACE_DEVICE, first, place);
    for (int i = 0; !known && i < hip_library.config.devices; i++)
        known = found(&hip_library.devices[i].allocations, address, HIP_SPACE_DEVICE, i, place);
    if (!known) known = found(&hip_library.pinned, address, HIP_SPACE_PINNED, 0, place);
    if (!known) {
        int stale = address >= hip_library.lowest && address < hip_library.highest;
        *place = (struct hip_place){.space = stale ? HIP_SPACE_STALE : HIP_SPACE_HOST, .left = SIZE_MAX};
    }
    hip_unlock();
}
