/* Device memory: allocations at addresses of the emulator's own, found by a table with one entry a granule. */
#ifndef EMU_MEMORY_H
#define EMU_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct emu;

/* A live allocation, or an empty one (bytes 0). */
struct emu_region {
    uint64_t address;
    size_t bytes;
    unsigned char *data;     /* on the host */
    unsigned char *pages;    /* for the uninit check: 1 where all of a page is known to be written, */
    unsigned char *written;  /* and elsewhere 1 for each byte that is. Both null: memory of the host's */
    uint64_t serial;         /* grows with each allocation; 0: memory of the host's */
    struct emu_region *next; /* of the host's memory */
};

/* The allocation that holds [address, address + bytes) entirely: its host bytes; NULL: no allocation does. hit caches
 * the last one found; start with a zeroed one. An entry stays valid while nothing is freed, which holds in a launch. */
unsigned char *emu_memory(struct emu *emu, struct emu_region *hit, uint64_t address, size_t bytes);

/* ---- What has been written ----------------------------------------------------------------------------------------
 * Kept for each byte of an allocation, from nothing on. The host's writes are noted here, stores of kernels by the
 * uninit check, and so only under it: a launch without it lets all that is allocated by then count as written. */

enum { EMU_PAGE_BITS = 12 };

void emu_region_write(const struct emu_region *r, size_t offset, size_t bytes);
/* At least one byte. */
int emu_region_is_written(const struct emu_region *r, size_t offset, size_t bytes);

void emu_assume_written(struct emu *emu);
/* Allocations with a serial up to this one count as written. */
uint64_t emu_assumed_written(struct emu *emu);

/* Frees what the emulator itself allocated for a launch, the newest first: then the addresses are used again, or a
 * long-lived process would run out of them. */
void emu_free_newest(struct emu *emu, uint64_t address);

/* A sentence on where an address lies, for reports: "3 bytes past the end of 4096 bytes at 0x...". */
void emu_describe(struct emu *emu, uint64_t address, size_t bytes, char *text, size_t text_bytes);

#endif
