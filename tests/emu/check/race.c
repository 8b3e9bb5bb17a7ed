#include "tests/emu/check/divergence.h"
#include "tests/emu/check/pending.h"
#include "tests/emu/check/race.h"
#include "tests/emu/effects.h"

#include <inttypes.h>
#include <stdlib.h>

/* Who has touched a place since the last barrier: the barriers' count in the high half, a bit for each wave in the low
 * one. A tag of an older count says nothing any more: the barrier has put those accesses in order, all but what had not
 * completed when it opened, which is marked again with the new count. */
typedef u32 tag;

enum { WAVES = EMU_WORKGROUP_THREADS / LANES, TAG_WAVES = 0xffff, TAG_STEP = TAG_WAVES + 1 };
_Static_assert(WAVES <= 16, "a tag has a bit for each wave");

/* One each for loads, stores and atomics, by enum emu_access, and one for loads that were issued before the last
 * barrier and had not completed when it opened. A load from memory to LDS does not meet those: it takes longer than LDS
 * needs to read (aiter's kernels, which run on MI355X, count on that). */
enum { LATE_LOAD = EMU_ACCESSES, TAG_KINDS };

struct tags {
    tag *of[TAG_KINDS];
};

/* An access, to be marked again if it is under way when a barrier opens, and to be named in reports. */
struct record {
    uint64_t number; /* in its queue */
    tag now;         /* then */
    uint64_t pc;
    const struct insn *insn;
    u64 mask;
    u32 address[LANES];
    uint8_t bytes, kind;
};

enum { RECORDS = 64 }; /* no fewer than a counter of s_waitcnt can hold */

struct history {
    struct record record[2][RECORDS]; /* of QUEUE_VM (loads to LDS) and QUEUE_LDS */
    unsigned next[2];
};

struct race {
    tag now;
    u32 bytes;
    /* Dwords are marked as a whole until one is touched in part; from then on, until the next workgroup, its bytes. */
    struct tags dword, byte;
    unsigned char *split; /* by dword */
    int any_split;
    struct history *history; /* by wave */
    struct divergence *divergence;
    unsigned ended;      /* a bit for each wave that had when the last barrier opened */
    unsigned char *left; /* by byte: the wave, plus one, that stored there and ended before the next barrier */
    int any_left;
};

static int create_tags(struct tags *t, size_t count)
{
    for (int kind = 0; kind < TAG_KINDS; kind++)
        if (!(t->of[kind] = malloc(count * sizeof(tag)))) return -1;
    return 0;
}

struct race *race_create(const struct workgroup *wg)
{
    struct race *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->bytes = (wg->lds_bytes + 3) & ~3u;
    r->split = malloc(r->bytes / 4 + 1);
    r->history = malloc(wg->wave_count * sizeof *r->history);
    r->divergence = divergence_create();
    r->left = calloc(r->bytes + 1, 1);
    if (create_tags(&r->dword, r->bytes / 4 + 1) || create_tags(&r->byte, r->bytes + 1) || !r->split || !r->history ||
        !r->divergence || !r->left) {
        race_destroy(r);
        return NULL;
    }
    return r;
}

void race_destroy(struct race *r)
{
    if (!r) return;
    for (int kind = 0; kind < TAG_KINDS; kind++) {
        free(r->dword.of[kind]);
        free(r->byte.of[kind]);
    }
    free(r->split);
    free(r->history);
    free(r->left);
    divergence_destroy(r->divergence);
    free(r);
}

static void forget_all(struct race *r)
{
    for (int kind = 0; kind < TAG_KINDS; kind++) memset(r->dword.of[kind], 0, r->bytes);
    memset(r->split, 0, r->bytes / 4);
    r->any_split = 0;
    r->now = TAG_STEP;
}

void race_start(struct workgroup *wg)
{
    forget_all(wg->race);
    divergence_start(wg->race->divergence);
    if (wg->race->any_left) memset(wg->race->left, 0, wg->race->bytes);
    wg->race->any_left = 0;
    wg->race->ended = 0;
    for (unsigned n = 0; n < wg->wave_count; n++) {
        struct history *h = &wg->race->history[n];
        h->next[0] = h->next[1] = 0;
        for (unsigned k = 0; k < RECORDS; k++) h->record[0][k].mask = h->record[1][k].mask = 0;
    }
}

/* ---- Marking ------------------------------------------------------------------------------------------------------*/

static inline tag others(tag t, tag now, tag me)
{
    return t - now < TAG_STEP ? t & TAG_WAVES & ~me : 0;
}

static inline tag marked(tag t, tag now, tag me)
{
    return (t - now < TAG_STEP ? t : now) | me;
}

/* Marks count places from the n-th on and returns the other waves whose accesses are not in order with this one. Loads
 * get along with loads and atomics with atomics. */
static inline tag touch(const struct tags *t, size_t n, unsigned count, unsigned kind, int from_memory, tag now, tag me)
{
    tag found = 0;
    for (size_t at = n; at < n + count; at++) {
        if (kind != EMU_LOAD && kind != LATE_LOAD) {
            found |= others(t->of[EMU_LOAD][at], now, me);
            if (!from_memory) found |= others(t->of[LATE_LOAD][at], now, me);
        }
        if (kind != EMU_ATOMIC) found |= others(t->of[EMU_ATOMIC][at], now, me);
        found |= others(t->of[EMU_STORE][at], now, me);
        t->of[kind][at] = marked(t->of[kind][at], now, me);
    }
    return found;
}

static void split(struct race *r, size_t dword)
{
    if (r->split[dword]) return;
    r->split[dword] = 1;
    r->any_split = 1;
    for (int kind = 0; kind < TAG_KINDS; kind++)
        for (size_t byte = dword * 4; byte < dword * 4 + 4; byte++) r->byte.of[kind][byte] = r->dword.of[kind][dword];
}

/* An access in part of dwords, or to dwords of which a part has been touched. */
static tag touch_bytes(struct race *r, u32 address, unsigned bytes, unsigned kind, int from_memory, tag me)
{
    tag found = 0;
    for (u32 at = address; at < address + bytes;) {
        u32 left = address + bytes - at;
        if (at % 4 == 0 && left >= 4 && !r->split[at / 4]) {
            found |= touch(&r->dword, at / 4, 1, kind, from_memory, r->now, me);
            at += 4;
        } else {
            split(r, at / 4);
            found |= touch(&r->byte, at, 1, kind, from_memory, r->now, me);
            at++;
        }
    }
    return found;
}

static inline tag touch_lanes(struct race *r, const u32 address[LANES], u64 mask, unsigned dwords, unsigned kind,
                              tag me)
{
    tag found = 0;
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1) found |= touch(&r->dword, address[l] / 4, dwords, kind, 0, r->now, me);
    return found;
}

static tag touch_all(struct race *r, const u32 address[LANES], u64 mask, unsigned bytes, unsigned kind, int from_memory,
                     tag me)
{
    u32 odd = bytes % 4 || r->any_split;
    for (int l = 0; l < LANES; l++) odd |= mask >> l & 1 ? address[l] % 4 : 0;
    if (!odd && kind == EMU_LOAD && bytes == 16) return touch_lanes(r, address, mask, 4, EMU_LOAD, me);
    if (!odd && kind == EMU_LOAD) return touch_lanes(r, address, mask, bytes / 4, EMU_LOAD, me);
    if (!odd && kind == EMU_STORE && !from_memory) return touch_lanes(r, address, mask, bytes / 4, EMU_STORE, me);
    tag found = 0;
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1) found |= touch_bytes(r, address[l], bytes, kind, from_memory, me);
    return found;
}

/* ---- Waves that end -----------------------------------------------------------------------------------------------
 * A barrier does not wait for them, so it does not put in order what they stored behind the one before: who reads that
 * has no barrier to count on. Nobody stores after them too early, though: the hardware has seen them end. */

static tag stored_now(const struct race *r, u32 byte)
{
    const struct tags *t = r->split[byte / 4] ? &r->byte : &r->dword;
    const size_t at = r->split[byte / 4] ? byte : byte / 4;
    return others(t->of[EMU_STORE][at], r->now, 0) | others(t->of[EMU_ATOMIC][at], r->now, 0);
}

static void keep_stores_of(struct race *r, unsigned wave)
{
    for (u32 byte = 0; byte < r->bytes; byte++)
        if (stored_now(r, byte) >> wave & 1) {
            r->left[byte] = (unsigned char)(wave + 1);
            r->any_left = 1;
        }
}

static tag meet_left(struct race *r, const u32 address[LANES], u64 mask, unsigned bytes, enum emu_access kind)
{
    tag found = 0;
    for (int l = 0; l < LANES; l++)
        for (u32 byte = address[l]; mask >> l & 1 && byte < address[l] + bytes; byte++) {
            if (r->left[byte] && kind != EMU_STORE) found |= 1u << (r->left[byte] - 1);
            if (kind != EMU_LOAD) r->left[byte] = 0;
        }
    return found;
}

/* ---- Reports ------------------------------------------------------------------------------------------------------*/

static int overlaps(const struct record *o, u32 address, unsigned bytes)
{
    for (int l = 0; l < LANES; l++)
        if (o->mask >> l & 1 && address < o->address[l] + o->bytes && o->address[l] < address + bytes) return 1;
    return 0;
}

/* The other wave's latest access to these bytes that does not get along with kind. */
static const struct record *find_other(const struct history *h, u32 address, unsigned bytes, enum emu_access kind)
{
    for (int q = 0; q < 2; q++)
        for (unsigned back = 1; back <= RECORDS; back++) {
            const struct record *o = &h->record[q][(h->next[q] - back) % RECORDS];
            if (o->mask && (o->kind != kind || kind == EMU_STORE) && overlaps(o, address, bytes)) return o;
        }
    return NULL;
}

static void report(struct wave *w, const struct insn *i, const u32 address[LANES], u64 mask, unsigned bytes,
                   enum emu_access kind, tag found)
{
    const struct race *r = w->workgroup->race;
    unsigned other = (unsigned)__builtin_ctz(found);
    for (int l = 0; l < LANES; l++) {
        const struct record *o =
            mask >> l & 1 ? find_other(&r->history[other], address[l], bytes, kind) : NULL;
        if (!o) continue;
        char text[160];
        insn_text(o->insn, o->pc, text, sizeof text);
        wave_fault(w, i, "race", l,
                   "%s of %u bytes at LDS offset 0x%x, which wave %u touched by %s of pc 0x%" PRIx64
                   " with no barrier between%s",
                   emu_access_name(kind), bytes, address[l], other, text, o->pc - w->workgroup->run->kernel->entry,
                   r->ended >> other & 1 ? ": it has ended before the next one"
                   : o->now != r->now    ? " that follows its completion"
                                         : "");
        return;
    }
    wave_fault(w, i, "race", -1, "%s of %u bytes in LDS, some of which wave %u touched with no barrier between",
               emu_access_name(kind), bytes, other);
}

/* ---- Accesses and barriers ----------------------------------------------------------------------------------------*/

int race_access(struct wave *w, const struct insn *i, const u32 address[LANES], u64 mask, unsigned bytes,
                enum emu_access kind)
{
    struct race *r = w->workgroup->race;
    struct history *h = &r->history[w->index];
    enum queue q = i->format == FORMAT_DS ? QUEUE_LDS : QUEUE_VM;
    if (!mask) return 1;
    tag found = touch_all(r, address, mask, bytes, kind, q == QUEUE_VM && kind == EMU_STORE, 1u << w->index);
    if (r->any_left) found |= meet_left(r, address, mask, bytes, kind);
    struct record *o = &h->record[q][h->next[q]++ % RECORDS];
    o->number = pending_issued(w, q);
    o->now = r->now;
    o->pc = w->pc;
    o->insn = i;
    o->mask = mask;
    o->bytes = (uint8_t)bytes;
    o->kind = (uint8_t)kind;
    memcpy(o->address, address, sizeof o->address);
    if (found) report(w, i, address, mask, bytes, kind, found);
    return !found && (kind == EMU_LOAD || divergence_store(r->divergence, w, i));
}

int race_store(struct wave *w, const struct insn *i)
{
    return divergence_store(w->workgroup->race->divergence, w, i);
}

/* A barrier orders what has completed before it. */
void race_open_barrier(struct workgroup *wg)
{
    struct race *r = wg->race;
    unsigned ended = 0;
    for (unsigned n = 0; n < wg->wave_count; n++) ended |= (unsigned)(wg->waves[n].stop == WAVE_ENDED) << n;
    divergence_open_barrier(r->divergence, ended & ~r->ended);
    for (unsigned n = 0; n < wg->wave_count; n++)
        if ((ended & ~r->ended) >> n & 1) keep_stores_of(r, n);
    r->ended = ended;
    if (r->now > UINT32_MAX - 2 * TAG_STEP)
        forget_all(r);
    else
        r->now += TAG_STEP;
    for (unsigned n = 0; n < wg->wave_count; n++)
        for (int q = 0; q < 2; q++)
            for (unsigned k = 0; k < RECORDS; k++) {
                const struct record *o = &r->history[n].record[q][k];
                const unsigned kind = o->kind == EMU_LOAD ? LATE_LOAD : o->kind;
                if (o->mask && o->number > pending_completed(&wg->waves[n], (enum queue)q))
                    touch_all(r, o->address, o->mask, o->bytes, kind, 0, 1u << n);
            }
}
