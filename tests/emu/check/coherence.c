#include "tests/emu/check/coherence_state.h"

#include <stdlib.h>

/* ---- State --------------------------------------------------------------------------------------------------------*/

struct coherence *coherence_create(const struct run *run)
{
    const uint32_t *block = run->launch->block;
    struct coherence *c = calloc(1, sizeof *c);
    if (!c || !(c->l2 = l2_create(run->emu))) {
        free(c);
        return NULL;
    }
    c->waves = (block[0] * block[1] * block[2] + LANES - 1) / LANES;
    return c;
}

void coherence_destroy(struct coherence *c)
{
    if (!c) return;
    writes_destroy(c);
    l2_destroy(c->l2);
    free(c);
}

struct coherence_workgroup *coherence_create_workgroup(const struct workgroup *wg)
{
    struct coherence *c = wg->run->coherence;
    struct coherence_workgroup *cw = calloc(1, sizeof *cw + c->waves * sizeof *cw->wave);
    if (cw) cw->c = c;
    return cw;
}

void coherence_lock(struct coherence_workgroup *cw)
{
    if (!cw->locked) pthread_mutex_lock(&cw->c->l2->lock);
    cw->locked = 1;
}

void coherence_unlock(struct coherence_workgroup *cw)
{
    if (cw->locked) pthread_mutex_unlock(&cw->c->l2->lock);
    cw->locked = 0;
}

void coherence_done(struct workgroup *wg)
{
    coherence_unlock(wg->coherence);
}

static void forget_all(struct coherence_workgroup *cw)
{
    coherence_lock(cw);
    for (unsigned n = 0; n < cw->c->waves; n++) knower_forget(&cw->wave[n]);
    coherence_unlock(cw);
}

void coherence_destroy_workgroup(struct coherence_workgroup *cw)
{
    if (!cw) return;
    forget_all(cw);
    for (unsigned n = 0; n < cw->c->waves; n++) free(cw->wave[n].under_way);
    free(cw);
}

void coherence_start_workgroup(struct workgroup *wg)
{
    const uint32_t *grid = wg->run->launch->grid;
    struct coherence_workgroup *cw = wg->coherence;
    forget_all(cw);
    cw->number = wg->id[0] + grid[0] * (wg->id[1] + grid[1] * wg->id[2]);
    cw->xcd = cw->number % XCDS;
}

/* ---- Accesses -----------------------------------------------------------------------------------------------------*/

/* Bytes of one line that lanes access. */
struct touch {
    u64 line;
    line_bytes bytes;
};

/* Whether lane l is at (l / rows) times step from lane l % rows. */
static inline int is_in_rows(const u64 address[LANES], unsigned rows, u64 step)
{
    u64 differs = 0;
    for (unsigned n = 1; n < LANES / rows; n++)
        for (unsigned row = 0; row < rows; row++) differs |= address[n * rows + row] ^ (address[row] + n * step);
    return !differs;
}

/* The bytes from at on, which may begin or end in other lines. */
static line_bytes part_of_line(u64 line, u64 at, u64 bytes)
{
    u64 from = at > line ? at - line : 0, end = at + bytes - line < LINE_BYTES ? at + bytes - line : LINE_BYTES;
    return (~(line_bytes)0 >> (LINE_BYTES - (end - from))) << from;
}

static unsigned add_range(struct touch *t, u64 at, u64 bytes)
{
    unsigned count = 0;
    for (u64 line = at - at % LINE_BYTES; line < at + bytes; line += LINE_BYTES)
        t[count++] = (struct touch){line, part_of_line(line, at, bytes)};
    return count;
}

/* The lines of bytes, at most half a line, at each address; those met a short while ago are found again. */
static unsigned add_each(struct touch *t, const u64 address[LANES], u64 which, unsigned bytes)
{
    enum { SLOTS = 64 };
    uint8_t slot[SLOTS] = {0};
    const line_bytes mask = ((line_bytes)1 << bytes) - 1;
    unsigned count = 0;
    for (; which; which &= which - 1) {
        u64 at = address[__builtin_ctzll(which)], from = at % LINE_BYTES, line = at - from;
        uint8_t *known = &slot[line / LINE_BYTES % SLOTS];
        if (*known >= count || t[*known].line != line) {
            *known = (uint8_t)count;
            t[count++] = (struct touch){line, 0};
        }
        t[*known].bytes |= mask << from;
        if (from + bytes > LINE_BYTES) t[count++] = (struct touch){line + LINE_BYTES, mask >> (LINE_BYTES - from)};
    }
    return count;
}

/* Lanes are often side by side, all at one address, or, as matrix instructions want them, in 16 or 32 rows. */
static unsigned find_lines(const struct use *u, struct touch t[2 * LANES])
{
    if (u->reached != UINT64_MAX) return add_each(t, u->address, u->reached, u->bytes);
    if (is_in_rows(u->address, 1, u->bytes)) return add_range(t, u->address[0], (u64)LANES * u->bytes);
    if (is_in_rows(u->address, 1, 0)) return add_range(t, u->address[0], u->bytes);
    if (is_in_rows(u->address, 16, u->bytes)) return add_each(t, u->address, UINT16_MAX, 4 * u->bytes);
    if (is_in_rows(u->address, 32, u->bytes)) return add_each(t, u->address, UINT32_MAX, 2 * u->bytes);
    return add_each(t, u->address, UINT64_MAX, u->bytes);
}

/* Null: it is not there yet. */
static struct page *find_page(struct coherence_workgroup *cw, u64 address)
{
    struct page **recent = &cw->recent[address / PAGE_BYTES % RECENT_PAGES];
    if (!*recent || (*recent)->address != address - address % PAGE_BYTES) *recent = l2_find_page(cw->c->l2, address);
    return *recent;
}

static struct page *make_page(struct coherence_workgroup *cw, u64 address)
{
    struct page *page = find_page(cw, address);
    return page ? page : l2_make_page(cw->c->l2, address);
}

/* How many of the lines the common case does for: loads of what nobody writes, seen before. */
static unsigned skip_noted(struct coherence_workgroup *cw, const struct touch *t, unsigned count)
{
    unsigned n = 0;
    for (; n < count; n++) {
        const struct page *page = find_page(cw, t[n].line);
        if (!page || !line_is_noted(cw, page, line_number(t[n].line), t[n].bytes)) break;
    }
    return n;
}

/* 0 after a fault. */
static int use_line(struct use *u, struct page *page, unsigned n, line_bytes bytes, int *copied)
{
    const struct coherence_workgroup *cw = u->w->workgroup->coherence;
    int writes = u->kind != EMU_LOAD;
    if (u->kind != EMU_STORE && page->line[n].written && !line_check_read(u, page, n, bytes)) return 0;
    if (writes && !line_check_write(u, page, n, bytes)) return 0;
    if (u->past) {
        l2_pass(cw->c->l2, page, n, cw->xcd, writes);
    } else if (writes) {
        l2_write(cw->c->l2, page, n, cw->xcd, bytes);
        *copied = 1;
    } else {
        line_note_read(u, page, n, bytes);
        if (!l2_holds(cw->c->l2, page, n, cw->xcd) || page->line[n].copied)
            *copied |= l2_read(cw->c->l2, page, n, cw->xcd);
    }
    return 1;
}

/* A release also passes on what earlier ones in the same place have published. */
static void note_writes(const struct use *u, const struct touch *t, unsigned count)
{
    struct coherence_workgroup *cw = u->w->workgroup->coherence;
    struct known *published = NULL;
    if (u->past) {
        known_set(&published, knower_publish(u->w));
        coherence_add(cw->c, &published, u->prior);
    }
    for (unsigned n = 0; n < count; n++)
        line_note_write(u, find_page(cw, t[n].line), line_number(t[n].line), t[n].bytes, published);
    known_drop(&published);
}

static int use_lines(struct use *u, const struct touch *t, unsigned count, int *copied)
{
    struct coherence_workgroup *cw = u->w->workgroup->coherence;
    const struct l2 *l2 = cw->c->l2;
    int ordered = 1;
    coherence_lock(cw);
    knower_settle(u->w);
    for (unsigned n = 0; ordered && !l2->failed && n < count; n++) {
        struct page *page = make_page(cw, t[n].line);
        ordered = !page || use_line(u, page, line_number(t[n].line), t[n].bytes, copied);
    }
    if (ordered && !l2->failed) {
        int sees = u->kind == EMU_LOAD || (u->kind == EMU_ATOMIC && u->i->flags & INSN_SC0);
        if (sees) knower_expect(u->w, u->prior);
        if (u->kind != EMU_LOAD) note_writes(u, t, count);
    }
    known_drop(&u->prior);
    if (l2->failed) wave_fault(u->w, u->i, "order", -1, "out of memory for the caches' contents");
    return ordered && !l2->failed;
}

/* Where the bytes are as the XCD sees them; null: in memory. */
static unsigned char *find_copy(struct coherence_workgroup *cw, u64 address, unsigned bytes)
{
    u64 last = address + bytes - 1;
    struct l2 *l2 = cw->c->l2;
    struct page *page = find_page(cw, address), *end = find_page(cw, last);
    unsigned n = line_number(address), m = line_number(last);
    if (!((page->line[n].copied | end->line[m].copied) >> cw->xcd & 1)) return NULL;
    if (address / LINE_BYTES != last / LINE_BYTES) {
        l2_read_copy(l2, page, n, cw->xcd);
        l2_read_copy(l2, end, m, cw->xcd);
    }
    return l2_copy(page, address, cw->xcd);
}

/* The lock is kept where lanes are led to copies, and where the order of accesses to memory has to be that in which
 * they were noted. */
int coherence_memory(struct wave *w, const struct insn *i, const u64 address[LANES], unsigned bytes,
                     enum emu_access kind, struct access *a)
{
    struct coherence_workgroup *cw = w->workgroup->coherence;
    struct use u = {.w = w, .i = i, .address = address, .reached = a->reached, .bytes = bytes, .kind = kind};
    struct touch t[2 * LANES];
    unsigned count = find_lines(&u, t), noted = 0;
    int copied = 0;
    u.past = kind == EMU_ATOMIC || i->flags & INSN_SC1;
    if (kind == EMU_LOAD && !u.past) noted = skip_noted(cw, t, count);
    if (noted == count) return 1;
    if (!use_lines(&u, t + noted, count - noted, &copied)) return 0;
    for (int l = 0; copied && l < LANES; l++) {
        unsigned char *copy = a->reached >> l & 1 ? find_copy(cw, address[l], bytes) : NULL;
        if (copy) a->host[l] = copy;
    }
    if (!copied && !u.past) coherence_unlock(cw);
    return 1;
}

const unsigned char *coherence_scalar_load(struct wave *w, const struct insn *i, u64 address, unsigned dwords,
                                           const unsigned char *from)
{
    struct coherence_workgroup *cw = w->workgroup->coherence;
    struct use u = {.w = w, .i = i, .address = &address, .reached = 1, .bytes = 4 * dwords, .scalar = 1};
    struct touch t[2];
    unsigned count = add_range(t, address, u.bytes), noted = skip_noted(cw, t, count);
    int copied = 0;
    if (noted == count) return from;
    if (!use_lines(&u, t + noted, count - noted, &copied)) return NULL;
    unsigned char *copy = copied ? find_copy(cw, address, u.bytes) : NULL;
    if (!copied) coherence_unlock(cw);
    return copy ? copy : from;
}
