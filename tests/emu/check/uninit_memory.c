#include "tests/emu/check/uninit_state.h"

#include <stdlib.h>

void uninit_reset_memory(struct wave *w)
{
    w->uninit->scratch_used = 0;
}

/* ---- Many lanes at once -------------------------------------------------------------------------------------------
 * Each lane has its place in an array of bytes. Lanes that do not take part have that of one that does. */

static void use_first(u64 offset[LANES], u64 mask)
{
    const u64 first = offset[__builtin_ctzll(mask)];
    for (unsigned l = 0; mask != UINT64_MAX && l < LANES; l++)
        if (!(mask >> l & 1)) offset[l] = first;
}

static inline __attribute__((always_inline)) int differ_by_size(const unsigned char *from, const u64 offset[LANES],
                                                                size_t bytes, u64 value)
{
    u64 differ = 0;
    for (unsigned l = 0; l < LANES; l++) {
        u64 part[2] = {value, value};
        memcpy(part, from + offset[l], bytes);
        differ |= (part[0] ^ value) | (part[1] ^ value);
    }
    return differ != 0;
}

/* value: eight times the same byte. */
static int differ(const unsigned char *from, const u64 offset[LANES], unsigned bytes, u64 value)
{
    switch (bytes) {
    case 1: return differ_by_size(from, offset, 1, value);
    case 2: return differ_by_size(from, offset, 2, value);
    case 4: return differ_by_size(from, offset, 4, value);
    case 8: return differ_by_size(from, offset, 8, value);
    case 12: return differ_by_size(from, offset, 12, value);
    default: return differ_by_size(from, offset, 16, value);
    }
}

static inline __attribute__((always_inline)) void set_by_size(unsigned char *to, const u64 offset[LANES], size_t bytes,
                                                              u64 value)
{
    const u64 part[2] = {value, value};
    for (unsigned l = 0; l < LANES; l++) memcpy(to + offset[l], part, bytes);
}

static void set(unsigned char *to, const u64 offset[LANES], unsigned bytes, u64 value)
{
    switch (bytes) {
    case 1: set_by_size(to, offset, 1, value); break;
    case 2: set_by_size(to, offset, 2, value); break;
    case 4: set_by_size(to, offset, 4, value); break;
    case 8: set_by_size(to, offset, 8, value); break;
    case 12: set_by_size(to, offset, 12, value); break;
    default: set_by_size(to, offset, 16, value); break;
    }
}

/* ---- Trials -------------------------------------------------------------------------------------------------------*/

/* The masks of the bytes of a lane. */
static unsigned char *masks(struct wave *w, enum space space, unsigned lane, u64 at)
{
    if (space == SPACE_LDS) return w->workgroup->uninit->lds + at;
    return w->uninit->scratch + (size_t)lane * w->scratch_bytes + at;
}

static void read_global_masks(struct wave *w, u64 address, unsigned bytes, unsigned char *out)
{
    struct emu_region hit = w->hit;
    if (!emu_memory(w->workgroup->run->emu, &hit, address, bytes)) return;
    for (unsigned b = 0; b < bytes && hit.serial > w->workgroup->uninit->assumed; b++)
        out[b] = emu_region_is_written(&hit, address - hit.address + b, 1) ? 0 : 0xff;
}

/* Once for all trials, as the memory may change meanwhile. */
static void begin_access(struct wave *w, struct trial_access *x, const struct access *a)
{
    memset(x->was, 0, sizeof x->was);
    memset(x->undefined, 0, sizeof x->undefined);
    memset(x->copy, 0, sizeof x->copy);
    memset(x->differing, 0, sizeof x->differing);
    for (unsigned l = 0; l < LANES && x->kind != EMU_STORE; l++) {
        if (!(x->reached >> l & 1)) continue;
        memcpy(x->was[l], a->host[l], x->bytes);
        if (x->space == SPACE_GLOBAL)
            read_global_masks(w, x->at[l], x->bytes, x->undefined[l]);
        else
            memcpy(x->undefined[l], masks(w, x->space, l, x->at[l]), x->bytes);
    }
}

static int try_access(struct wave *w, enum space space, const u64 at[LANES], unsigned bytes, enum emu_access kind,
                      struct access *a)
{
    struct trial *t = &w->workgroup->uninit->trial;
    if (t->next_access == MAX_ACCESSES) return 0;
    unsigned number = t->next_access++;
    struct trial_access *x = &t->access[number];
    if (number >= t->accesses) {
        t->accesses++;
        x->space = space;
        x->kind = kind;
        x->bytes = bytes;
        x->reached = a->reached;
        memcpy(x->at, at, sizeof x->at);
        begin_access(w, x, a);
    }
    for (unsigned l = 0; l < LANES; l++) {
        if (!(x->reached >> l & 1)) continue;
        const u32 pattern = trial_pattern(t->number, MAX_TOUCHED + number, l);
        for (unsigned b = 0; b < bytes; b++) {
            unsigned char mask = x->undefined[l][b];
            x->copy[l][b] = (unsigned char)((x->was[l][b] & ~mask) | (pattern >> 8 * (b & 3) & mask));
        }
        a->host[l] = x->copy[l];
    }
    return 1;
}

int uninit_origin_read(const struct trial *t, struct origin *origin)
{
    for (unsigned n = 0; n < t->accesses; n++)
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned b = 0; b < MAX_ACCESS_BYTES; b++)
                if (t->access[n].undefined[l][b]) {
                    *origin = (struct origin){t->access[n].at[l] + b, t->access[n].space};
                    return 1;
                }
    return 0;
}

static void set_masks(struct wave *w, const struct trial_access *x, unsigned lane)
{
    struct emu_region hit = w->hit;
    if (x->space != SPACE_GLOBAL)
        memcpy(masks(w, x->space, lane, x->at[lane]), x->differing[lane], x->bytes);
    else if (emu_memory(w->workgroup->run->emu, &hit, x->at[lane], x->bytes))
        emu_region_write(&hit, x->at[lane] - hit.address, x->bytes);
}

const struct trial_access *uninit_settle_accesses(struct wave *w, int stores_report, int *lane)
{
    static const unsigned char zeros[MAX_ACCESS_BYTES];
    const struct trial *t = &w->workgroup->uninit->trial;
    for (unsigned n = 0; n < t->accesses; n++) {
        const struct trial_access *x = &t->access[n];
        int must_be_defined = x->space == SPACE_GLOBAL || (x->space == SPACE_LDS && stores_report);
        for (unsigned l = 0; x->kind != EMU_LOAD && l < LANES; l++) {
            if (!(x->reached >> l & 1)) continue;
            *lane = (int)l;
            if (must_be_defined && memcmp(x->differing[l], zeros, sizeof zeros) != 0) return x;
            set_masks(w, x, l);
        }
    }
    return NULL;
}

/* ---- LDS and scratch ----------------------------------------------------------------------------------------------*/

/* Notes what the access does to the masks, or that it reads undefined bytes. */
static void follow(struct wave *w, unsigned char *all_masks, u64 offset[LANES], u64 reached, unsigned bytes,
                   enum emu_access kind)
{
    if (!reached) return;
    use_first(offset, reached);
    if (kind == EMU_STORE)
        set(all_masks, offset, bytes, 0);
    else if (differ(all_masks, offset, bytes, 0))
        w->uninit->met_undefined = 1;
}

int uninit_lds(struct wave *w, const struct insn *i, const u32 address[LANES], unsigned bytes, enum emu_access kind,
               struct access *a)
{
    u64 at[LANES];
    for (unsigned l = 0; l < LANES; l++) at[l] = address[l];
    if (w->trial) return try_access(w, SPACE_LDS, at, bytes, kind, a);
    follow(w, w->workgroup->uninit->lds, at, a->reached, bytes, kind);
    return 1;
}

int uninit_private(struct wave *w, const struct insn *i, const i64 offset[LANES], unsigned bytes, enum emu_access kind,
                   struct access *a)
{
    u64 at[LANES];
    if (w->trial) return try_access(w, SPACE_SCRATCH, (const u64 *)offset, bytes, kind, a);
    if (!w->uninit->scratch_used) memset(w->uninit->scratch, 0xff, LANES * (size_t)w->scratch_bytes);
    w->uninit->scratch_used = 1;
    for (unsigned l = 0; l < LANES; l++) at[l] = (u64)l * w->scratch_bytes + (u64)offset[l];
    follow(w, w->uninit->scratch, at, a->reached, bytes, kind);
    return 1;
}

/* ---- Global memory ------------------------------------------------------------------------------------------------*/

#define ALL_WRITTEN UINT64_C(0x0101010101010101)

/* Lanes that lie in pages of which some bytes are not known to be written. *crossing: a lane has such a page and one
 * that is. */
static u64 in_mixed_pages(const struct emu_region *r, const u64 offset[LANES], unsigned bytes, int *crossing)
{
    u64 mixed = 0;
    *crossing = 0;
    for (unsigned l = 0; l < LANES; l++) {
        unsigned char first = r->pages[offset[l] >> EMU_PAGE_BITS];
        unsigned char last = r->pages[(offset[l] + bytes - 1) >> EMU_PAGE_BITS];
        mixed |= (u64)!(first & last) << l;
        *crossing |= first ^ last;
    }
    return mixed;
}

static int is_written(struct wave *w, u64 address, unsigned bytes)
{
    return emu_memory(w->workgroup->run->emu, &w->hit, address, bytes) &&
           (w->hit.serial <= w->workgroup->uninit->assumed ||
            emu_region_is_written(&w->hit, address - w->hit.address, bytes));
}

static void follow_lane_by_lane(struct wave *w, const u64 address[LANES], u64 reached, unsigned bytes,
                                enum emu_access kind)
{
    for (unsigned l = 0; l < LANES; l++) {
        if (!(reached >> l & 1) || is_written(w, address[l], bytes)) continue;
        if (kind == EMU_STORE)
            emu_region_write(&w->hit, address[l] - w->hit.address, bytes);
        else
            w->uninit->met_undefined = 1;
    }
}

static void follow_global(struct wave *w, const u64 address[LANES], u64 reached, unsigned bytes, enum emu_access kind)
{
    const struct emu_region *r = &w->hit;
    u64 offset[LANES], low = UINT64_MAX, high = 0;
    for (unsigned l = 0; l < LANES; l++) offset[l] = address[l] - r->address;
    use_first(offset, reached);
    for (unsigned l = 0; l < LANES; l++) {
        low = offset[l] < low ? offset[l] : low;
        high = offset[l] > high ? offset[l] : high;
    }
    if (high >= r->bytes || bytes > r->bytes - high) { /* the lanes are in several allocations */
        follow_lane_by_lane(w, address, reached, bytes, kind);
        return;
    }
    if (r->serial <= w->workgroup->uninit->assumed) return;
    const size_t first = low >> EMU_PAGE_BITS, last = (high + bytes - 1) >> EMU_PAGE_BITS;
    if (!memchr(r->pages + first, 0, last - first + 1)) return;
    int crossing;
    u64 mixed = in_mixed_pages(r, offset, bytes, &crossing);
    if (crossing) {
        follow_lane_by_lane(w, address, reached, bytes, kind);
    } else if (mixed) {
        use_first(offset, mixed);
        if (kind == EMU_STORE)
            set(r->written, offset, bytes, ALL_WRITTEN);
        else if (differ(r->written, offset, bytes, ALL_WRITTEN))
            w->uninit->met_undefined = 1;
    }
}

int uninit_memory(struct wave *w, const struct insn *i, const u64 address[LANES], unsigned bytes, enum emu_access kind,
                  struct access *a)
{
    if (w->trial) return try_access(w, SPACE_GLOBAL, address, bytes, kind, a);
    if (a->reached) follow_global(w, address, a->reached, bytes, kind);
    return 1;
}

/* In trials each dword is a lane. */
const unsigned char *uninit_scalar_load(struct wave *w, const struct insn *i, u64 address, unsigned dwords,
                                        const unsigned char *from)
{
    if (!w->trial) {
        if (!is_written(w, address, dwords * 4)) w->uninit->met_undefined = 1;
        return from;
    }
    struct trial *t = &w->workgroup->uninit->trial;
    struct access a = {.reached = (UINT64_C(1) << dwords) - 1};
    unsigned char part[MAX_ACCESS_BYTES * 4];
    u64 at[LANES] = {0};
    memcpy(part, from, dwords * 4);
    for (unsigned l = 0; l < dwords; l++) {
        a.host[l] = part + 4 * l;
        at[l] = address + 4 * l;
    }
    if (!try_access(w, SPACE_GLOBAL, at, 4, EMU_LOAD, &a)) return NULL;
    for (unsigned l = 0; l < dwords; l++) memcpy(t->scalars + 4 * l, a.host[l], 4);
    return t->scalars;
}
