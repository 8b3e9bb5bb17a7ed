/* The L2 caches of the eight XCDs, which are not coherent, as LLVM's AMDGPUUsage describes them (memory model gfx942):
 * each holds the lines that its XCD has read or written until it is told to write back or to forget. What is stored
 * goes to the XCD's own L2 and stays there; loads hit what it holds, however stale.
 *
 * A line that an XCD holds but that nobody has changed lies nowhere but in memory. It gets a copy of its own when the
 * XCD stores to it, or when memory changes under it. Copies lie as far apart as the lines in memory, so that an access
 * across lines finds its bytes side by side. */
#ifndef EMU_L2_H
#define EMU_L2_H

#include "tests/emu/emu.h"

#include <pthread.h>

enum { XCDS = EMU_XCDS, LINE_BYTES = EMU_LINE_BYTES, PAGE_BYTES = 4096, PAGE_LINES = PAGE_BYTES / LINE_BYTES };

__extension__ typedef unsigned __int128 line_bytes; /* a bit a byte of a line */

struct write; /* coherence.c */

/* Of a line that was written in this launch. */
struct written {
    line_bytes dirty[XCDS]; /* bytes stored by the XCD that memory has not got */
    uint8_t listed;         /* a bit an XCD: the line is on its list of dirty lines */
    struct write *newest;   /* who has written which of its bytes last */
};

enum { SEVERAL_WAVES = UINT16_MAX };

struct line {
    uint8_t held;   /* a bit an XCD: its L2 has all of the line ... */
    uint8_t copied; /* ... as a copy; without this bit it is what memory has */
    /* Workgroups, plus one, that have read it, and the dwords; those that also others have read are in many. */
    struct reader {
        uint32_t workgroup, dwords;
        uint32_t wave;   /* of it, plus one; or SEVERAL_WAVES */
        uint32_t number; /* of its last load, as in pending.h */
    } reader[2];
    uint32_t many;
    struct written *written; /* null: by nobody */
};

struct page {
    uint64_t address;
    struct region *region;
    uint32_t generation[XCDS]; /* held and copied bits of another generation than the L2's count as clear */
    struct line line[PAGE_LINES];
};

struct dirty_line {
    struct page *page;
    unsigned n;
};

struct dirty_list {
    struct dirty_line *line;
    size_t count, capacity;
};

struct l2 {
    pthread_mutex_t lock;
    uint32_t generation[XCDS]; /* goes up when the L2 forgets */
    int failed;                /* out of memory; what was asked for was not done */
    /* Inside. */
    struct emu *emu;
    void *root; /* pages by address */
    struct region *regions;
    struct dirty_list dirty[XCDS];
};

struct l2 *l2_create(struct emu *emu); /* NULL: out of memory */
void l2_destroy(struct l2 *l2);        /* writes all back first */

static inline unsigned line_number(uint64_t address)
{
    return (unsigned)(address / LINE_BYTES % PAGE_LINES);
}

/* The page of an address; null: nobody has touched it yet. */
struct page *l2_find_page(const struct l2 *l2, uint64_t address);

static inline int l2_holds(const struct l2 *l2, const struct page *page, unsigned n, unsigned xcd)
{
    return __atomic_load_n(&page->generation[xcd], __ATOMIC_ACQUIRE) ==
               __atomic_load_n(&l2->generation[xcd], __ATOMIC_RELAXED) &&
           __atomic_load_n(&page->line[n].held, __ATOMIC_RELAXED) >> xcd & 1;
}

/* ---- With the lock held -------------------------------------------------------------------------------------------*/

struct page *l2_make_page(struct l2 *l2, uint64_t address); /* of live memory; NULL: out of memory */

struct written *l2_make_written(struct l2 *l2, struct line *line); /* NULL: out of memory */

/* Where the bytes at the address lie in memory, and where in the XCD's copies (null: it has none near it). */
unsigned char *l2_memory(const struct page *page, uint64_t address);
unsigned char *l2_copy(const struct page *page, uint64_t address, unsigned xcd);

/* The XCD loads from the line: whether its bytes are in its copy. */
int l2_read(struct l2 *l2, struct page *page, unsigned n, unsigned xcd);
/* The same where they have to be. */
void l2_read_copy(struct l2 *l2, struct page *page, unsigned n, unsigned xcd);

/* The XCD is about to store those bytes of the line, in its copy. */
void l2_write(struct l2 *l2, struct page *page, unsigned n, unsigned xcd, line_bytes bytes);

/* The XCD is about to access the line in memory, past its L2: what it has stored there goes out first, and it holds the
 * line no more. The others keep what they hold. */
void l2_pass(struct l2 *l2, struct page *page, unsigned n, unsigned xcd, int writes);

void l2_write_back(struct l2 *l2, unsigned xcd); /* all that is dirty */
void l2_invalidate(struct l2 *l2, unsigned xcd); /* all that is clean */

#endif
