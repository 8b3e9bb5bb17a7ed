#include "tests/emu/check/coherence_state.h"

#include "tests/emu/check/pending.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Readers: only of whole dwords, as others may store beside a part of one --------------------------------------*/

/* Bits 0, 4, 8 ... side by side. */
static uint32_t every_fourth(uint64_t x)
{
    x &= UINT64_C(0x1111111111111111);
    x = (x | x >> 3) & UINT64_C(0x0303030303030303);
    x = (x | x >> 6) & UINT64_C(0x000f000f000f000f);
    x = (x | x >> 12) & UINT64_C(0x000000ff000000ff);
    return (uint32_t)((x | x >> 24) & 0xffff);
}

static uint32_t dwords(line_bytes bytes)
{
    return every_fourth((uint64_t)bytes) | every_fourth((uint64_t)(bytes >> 64)) << 16;
}

static uint32_t whole_dwords(line_bytes bytes)
{
    if (bytes == ~(line_bytes)0) return UINT32_MAX;
    bytes &= bytes >> 1;
    return dwords(bytes & bytes >> 2);
}

static uint32_t touched_dwords(line_bytes bytes)
{
    bytes |= bytes >> 1;
    return dwords(bytes | bytes >> 2);
}

static uint32_t load(const uint32_t *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static void store(uint32_t *to, uint32_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

int line_is_noted(const struct coherence_workgroup *cw, const struct page *page, unsigned n, line_bytes bytes)
{
    const struct line *line = &page->line[n];
    if (!l2_holds(cw->c->l2, page, n, cw->xcd) || __atomic_load_n(&line->written, __ATOMIC_ACQUIRE)) return 0;
    uint32_t unknown = whole_dwords(bytes) & ~load(&line->many);
    for (int r = 0; unknown && r < 2; r++)
        if (load(&line->reader[r].workgroup) == cw->number + 1) unknown &= ~load(&line->reader[r].dwords);
    return !unknown;
}

/* Where what the workgroup reads is noted; null: two others are already. */
static struct reader *find_reader(struct line *line, uint32_t workgroup)
{
    for (int r = 0; r < 2; r++)
        if (line->reader[r].workgroup == workgroup) return &line->reader[r];
    return NULL;
}

/* Of a third workgroup only what others have read too is noted. */
void line_note_read(const struct use *u, struct page *page, unsigned n, line_bytes bytes)
{
    struct line *line = &page->line[n];
    const struct wave *w = u->w;
    const uint32_t whole = whole_dwords(bytes), me = w->workgroup->coherence->number + 1;
    const uint64_t number = pending_issued(w, QUEUE_VM);
    struct reader *own = find_reader(line, me);
    if (!own) own = find_reader(line, 0);
    if (!own) {
        store(&line->many, line->many | (whole & (line->reader[0].dwords | line->reader[1].dwords)));
        return;
    }
    if (!own->workgroup) own->wave = w->index + 1;
    if (own->wave != w->index + 1) own->wave = SEVERAL_WAVES;
    own->number = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    store(&own->workgroup, me);
    store(&own->dwords, own->dwords | whole);
}

/* Who overwrites what others have read comes after them, as has been checked, and so does who reads it next. */
static void forget_readers(struct line *line, uint32_t writer, uint32_t whole)
{
    for (int r = 0; r < 2; r++) {
        struct reader *reader = &line->reader[r];
        if (reader->workgroup == writer + 1) continue;
        store(&reader->dwords, reader->dwords & ~whole);
        if (!reader->dwords) store(&reader->workgroup, 0);
    }
    store(&line->many, line->many & ~whole);
}

/* ---- Reports ------------------------------------------------------------------------------------------------------*/

static void describe_workgroup(const struct use *u, uint64_t number, char text[64])
{
    const uint32_t *grid = u->w->workgroup->run->launch->grid;
    snprintf(text, 64, "workgroup %" PRIu64 ",%" PRIu64 ",%" PRIu64, number % grid[0], number / grid[0] % grid[1],
             number / grid[0] / grid[1]);
}

/* What the lane that accesses one of those bytes does with what others have done. */
static void report(const struct use *u, const struct page *page, unsigned n, line_bytes bytes, const char *what)
{
    u64 line = page->address + (u64)n * LINE_BYTES;
    int lane = 0;
    for (int l = 0; l < LANES; l++)
        for (unsigned b = 0; b < u->bytes && (u->reached >> l & 1); b++)
            if (u->address[l] + b - line < LINE_BYTES && bytes >> (u->address[l] + b - line) & 1) {
                lane = l;
                goto found;
            }
found:;
    char where[160];
    emu_describe(u->w->workgroup->run->emu, u->address[lane], u->bytes, where, sizeof where);
    wave_fault(u->w, u->i, "order", u->scalar ? -1 : lane, "%s%s of %s, %s", u->scalar ? "scalar " : "",
               emu_access_name(u->kind), where, what);
}

static int is_own(const struct use *u, const struct write *write)
{
    const struct coherence_workgroup *cw = u->w->workgroup->coherence;
    return write->wave / cw->c->waves == cw->number;
}

static int is_visible(const struct known *known, const struct write *write)
{
    const struct bound *b = known_of(known, write->wave);
    return b && (write->past ? write->number <= b->completed : write->number < b->plain);
}

static int knows_workgroup(const struct use *u, uint64_t number)
{
    unsigned waves = u->w->workgroup->coherence->c->waves;
    return known_any(knower_of(u->w)->seen, number * waves, number * waves + waves - 1);
}

static const char *what_is_missing(const struct use *u, const struct write *write)
{
    const struct knower *k = knower_of(u->w);
    const struct bound *b = known_of(k->seen, write->wave);
    if (is_own(u, write)) return "no s_barrier between";
    if (is_visible(k->fresh, write)) return "no s_dcache_inv since";
    if (is_visible(k->seen, write)) return "no buffer_inv sc1 since it was seen to be released";
    if (!write->past && b && b->completed >= write->number)
        return "not written back (buffer_wbl2 sc1) before the release that this wave has seen";
    if (knows_workgroup(u, write->wave / u->w->workgroup->coherence->c->waves))
        return "not written back, or not by s_waitcnt and s_barrier, before the release that this wave has seen";
    return "its workgroup has made no release since that this wave has seen";
}

static void report_write(const struct use *u, const struct page *page, unsigned n, line_bytes bytes,
                         const struct write *write, const char *does)
{
    const struct coherence *c = u->w->workgroup->coherence->c;
    char workgroup[64], what[384];
    describe_workgroup(u, write->wave / c->waves, workgroup);
    snprintf(what, sizeof what, "%s what %s wave %u stored at pc 0x%" PRIx64 ": %s", does, workgroup,
             (unsigned)(write->wave % c->waves), write->pc - u->w->workgroup->run->kernel->entry,
             what_is_missing(u, write));
    report(u, page, n, bytes, what);
}

/* ---- Earlier accesses ---------------------------------------------------------------------------------------------*/

/* Whether another wave of the workgroup has stored it before the last barrier, or before what this one has seen. The
 * waves share a CU, where stores are seen in the order they were issued in. */
static int is_ordered_inside(const struct use *u, const struct write *write)
{
    const struct coherence_workgroup *cw = u->w->workgroup->coherence;
    const unsigned wave = (unsigned)(write->wave % cw->c->waves);
    const struct bound *b = known_of(knower_of(u->w)->seen, write->wave);
    return wave == u->w->index || u->past || write->past || write->number <= cw->wave[wave].issued ||
           (b && write->number <= b->completed);
}

/* What another wave of the workgroup has stored, seen by a load that looks for that (sc0: workgroup scope) or by an
 * atomic operation: then so is all it has stored before. */
static void see_inside(struct use *u, const struct write *write)
{
    const struct bound bound = {.wave = write->wave, .completed = write->number};
    if (known_add_bounds(&u->prior, &bound, 1)) u->w->workgroup->coherence->c->l2->failed = 1;
}

int line_check_read(struct use *u, const struct page *page, unsigned n, line_bytes bytes)
{
    const struct knower *k = knower_of(u->w);
    const struct known *known = u->past ? k->seen : u->scalar ? k->scalar_fresh : k->fresh;
    for (const struct write *write = page->line[n].written->newest; write; write = write->next) {
        if (!(write->bytes & bytes)) continue;
        const int own = is_own(u, write), both_past = u->past && write->past;
        const int sees = both_past || (own && u->kind == EMU_LOAD && u->i->flags & INSN_SC0);
        if (sees && own) see_inside(u, write);
        if (both_past) coherence_add(u->w->workgroup->coherence->c, &u->prior, write->published);
        if (sees || (own ? is_ordered_inside(u, write) : is_visible(known, write))) continue;
        report_write(u, page, n, write->bytes & bytes, write, "reads");
        return 0;
    }
    return 1;
}

/* Whether a release that came after the reader's loads has been seen. */
static int knows_reader(const struct use *u, const struct reader *reader)
{
    const uint64_t workgroup = reader->workgroup - 1;
    if (reader->wave == SEVERAL_WAVES) return knows_workgroup(u, workgroup);
    const struct bound *b = known_of(knower_of(u->w)->seen,
                                     workgroup * u->w->workgroup->coherence->c->waves + reader->wave - 1);
    return b && b->read >= reader->number;
}

static int check_readers(const struct use *u, const struct page *page, unsigned n, line_bytes bytes)
{
    const struct line *line = &page->line[n];
    const struct coherence_workgroup *cw = u->w->workgroup->coherence;
    uint32_t touched = touched_dwords(bytes);
    char workgroup[64], what[384];
    for (int r = 0; r < 2; r++) {
        uint32_t reader = line->reader[r].workgroup - 1;
        if (!(line->reader[r].dwords & touched) || reader == cw->number || knows_reader(u, &line->reader[r])) continue;
        describe_workgroup(u, reader, workgroup);
        snprintf(what, sizeof what, "overwrites what %s has read: it has made no release since that this wave has seen",
                 workgroup);
        report(u, page, n, bytes, what);
        return 0;
    }
    const struct known *seen = knower_of(u->w)->seen;
    uint64_t first = (uint64_t)cw->number * cw->c->waves;
    if (!(line->many & touched) || (first && known_any(seen, 0, first - 1)) ||
        known_any(seen, first + cw->c->waves, UINT64_MAX))
        return 1;
    report(u, page, n, bytes, "overwrites what other workgroups have read: this wave has seen no release of any");
    return 0;
}

/* An atomic operation has read first, which is checked as such. Who sees an sc1 store has seen the releases before it
 * in the same place, too. */
int line_check_write(struct use *u, const struct page *page, unsigned n, line_bytes bytes)
{
    if (!check_readers(u, page, n, bytes)) return 0;
    if (u->kind == EMU_ATOMIC || !page->line[n].written) return 1;
    for (const struct write *write = page->line[n].written->newest; write; write = write->next) {
        if (!(write->bytes & bytes)) continue;
        if (u->past && write->past) {
            coherence_add(u->w->workgroup->coherence->c, &u->prior, write->published);
        } else if (write->past != u->past && !is_own(u, write) && !is_visible(knower_of(u->w)->seen, write)) {
            report_write(u, page, n, write->bytes & bytes, write, "overwrites");
            return 0;
        }
    }
    return 1;
}

/* ---- Writers ------------------------------------------------------------------------------------------------------*/

enum { BLOCK_WRITES = 256 };

struct write_block {
    struct write_block *next;
    struct write write[BLOCK_WRITES];
};

static struct write *new_write(struct coherence *c)
{
    if (!c->spare) {
        struct write_block *block = calloc(1, sizeof *block);
        if (!block) {
            c->l2->failed = 1;
            return NULL;
        }
        block->next = c->blocks;
        c->blocks = block;
        for (unsigned n = 0; n < BLOCK_WRITES; n++) {
            block->write[n].next = c->spare;
            c->spare = &block->write[n];
        }
    }
    struct write *write = c->spare;
    c->spare = write->next;
    return write;
}

void line_note_write(const struct use *u, struct page *page, unsigned n, line_bytes bytes, struct known *published)
{
    struct coherence *c = u->w->workgroup->coherence->c;
    struct written *written = l2_make_written(c->l2, &page->line[n]);
    struct write *write;
    if (!written) return;
    forget_readers(&page->line[n], u->w->workgroup->coherence->number, whole_dwords(bytes));
    for (struct write **at = &written->newest; (write = *at) != NULL;) {
        write->bytes &= ~bytes;
        if (write->bytes) {
            at = &write->next;
            continue;
        }
        known_drop(&write->published);
        *at = write->next;
        write->next = c->spare;
        c->spare = write;
    }
    if (!(write = new_write(c))) return;
    write->bytes = bytes;
    write->wave = (uint64_t)u->w->workgroup->coherence->number * c->waves + u->w->index;
    write->number = pending_issued(u->w, QUEUE_VM);
    write->pc = u->w->pc;
    write->past = u->past;
    known_set(&write->published, published);
    write->next = written->newest;
    written->newest = write;
}

void writes_destroy(struct coherence *c)
{
    for (struct write_block *block = c->blocks, *next; block; block = next) {
        next = block->next;
        for (unsigned n = 0; n < BLOCK_WRITES; n++) known_drop(&block->write[n].published);
        free(block);
    }
}
