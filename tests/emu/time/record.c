/* Recording what waves execute, for a trace. */
#include "tests/emu/time/record.h"
#include "tests/emu/check/lds_banks.h"
#include "tests/emu/object.h"
#include "tests/emu/time/trace.h"

#include <stdlib.h>

#define SCRATCH_LINES UINT32_C(0xc0000000)

/* Of workgroups that run: 4 GiB. Those that wait for one that does not run would take all there is. */
enum { MOST_WORDS = 1 << 30 };

struct words {
    uint32_t *of;
    size_t count, room;
};

struct of_wave {
    struct words places, records;
    size_t now; /* the record of the instruction that executes */
};

/* The passes of an access to LDS depend on where its lanes lie towards each other and in the row of all banks: mostly
 * as when the instruction was last executed. */
struct banks {
    uint64_t key;
    unsigned passes;
};

struct recorder {
    struct emu_trace *trace;
    struct workgroup_trace *to;
    unsigned waves;
    struct of_wave *wave;
    struct banks *banks; /* of each place of the code */
    int failed;          /* out of memory, or of MOST_WORDS */
};

struct recorder *recorder_create(const struct workgroup *wg)
{
    struct recorder *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->trace = wg->run->launch->trace;
    r->waves = wg->wave_count;
    r->wave = calloc(r->waves, sizeof *r->wave);
    r->banks = calloc(r->trace->code->bytes / 4 + 1, sizeof *r->banks);
    if (r->wave && r->banks) return r;
    recorder_destroy(r);
    return NULL;
}

void recorder_destroy(struct recorder *r)
{
    if (!r) return;
    for (unsigned n = 0; r->wave && n < r->waves; n++) {
        free(r->wave[n].places.of);
        free(r->wave[n].records.of);
    }
    free(r->wave);
    free(r->banks);
    free(r);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

void recorder_start(struct workgroup *wg)
{
    struct recorder *r = wg->recorder;
    const uint32_t *grid = wg->run->launch->grid, key = wg->id[0] + grid[0] * (wg->id[1] + grid[1] * wg->id[2]);
    const uint32_t *at = bsearch(&key, r->trace->numbers, r->trace->count, sizeof key, compare_numbers);
    r->to = &r->trace->of[at - r->trace->numbers];
    for (unsigned n = 0; n < r->waves; n++) r->wave[n].places.count = r->wave[n].records.count = 0;
}

static void push(struct recorder *r, struct words *words, uint32_t word)
{
    if (words->count == words->room) {
        const size_t room = words->room ? 2 * words->room : 4096, more = room - words->room;
        const size_t all = __atomic_add_fetch(&r->trace->words, more, __ATOMIC_RELAXED);
        uint32_t *of = all > MOST_WORDS ? NULL : realloc(words->of, room * sizeof *of);
        if (!of) {
            r->failed = 1;
            return;
        }
        words->of = of;
        words->room = room;
    }
    words->of[words->count++] = word;
}

void recorder_step(struct wave *w, const struct effects *e)
{
    struct recorder *r = w->workgroup->recorder;
    struct of_wave *of = &r->wave[w->index];
    if (r->failed) {
        wave_fault(w, NULL, "trace", -1,
                   "no memory for all that the workgroups execute that run at the same time here");
        return;
    }
    push(r, &of->places, (uint32_t)(e - w->code->effects));
    if (!has_record(e)) return;
    of->now = of->records.count;
    push(r, &of->records, 0);
}

/* ---- What an instruction does -------------------------------------------------------------------------------------*/

static void add_line(struct recorder *r, struct of_wave *of, uint32_t line)
{
    for (size_t n = of->records.count; n-- > of->now + 1;)
        if (of->records.of[n] == line) return;
    push(r, &of->records, line);
    of->records.of[of->now]++;
}

static void add_range(struct recorder *r, struct of_wave *of, u64 address, u64 bytes)
{
    for (u64 line = address / EMU_LINE_BYTES; line <= (address + bytes - 1) / EMU_LINE_BYTES; line++)
        add_line(r, of, (uint32_t)line);
}

void recorder_memory(struct wave *w, const u64 address[LANES], unsigned bytes, const struct access *a)
{
    struct recorder *r = w->workgroup->recorder;
    struct of_wave *of = &r->wave[w->index];
    if (r->failed) return;
    for (u64 left = a->reached; left; left &= left - 1) add_range(r, of, address[__builtin_ctzll(left)], bytes);
}

/* Where the first lane lies turns the banks, and changes nothing else, as long as it is a whole number of dwords. */
static uint64_t bank_key(const u32 address[LANES], u64 reached, unsigned bytes, enum emu_access kind)
{
    const u32 first = address[__builtin_ctzll(reached)] & ~3u;
    uint64_t key = (reached * 64 + bytes) * EMU_ACCESSES + (unsigned)kind + 1;
    for (unsigned n = 0; n < LANES; n++)
        key += (reached >> n & 1) * (address[n] - first + 1) * (UINT64_C(0x9e3779b97f4a7c15) * (2 * n + 1));
    return key;
}

void recorder_lds(struct wave *w, const u32 address[LANES], unsigned bytes, enum emu_access kind,
                  const struct access *a)
{
    struct recorder *r = w->workgroup->recorder;
    struct of_wave *of = &r->wave[w->index];
    if (r->failed || !a->reached) return;
    struct banks *banks = &r->banks[of->places.of[of->places.count - 1]];
    const uint64_t key = bank_key(address, a->reached, bytes, kind);
    if (banks->key != key)
        *banks = (struct banks){key, lds_passes(address, a->reached, bytes, kind != EMU_LOAD).passes};
    uint32_t *word = &of->records.of[of->now];
    const unsigned sum = (*word >> RECORD_PASSES_SHIFT & RECORD_PASSES) + banks->passes;
    *word &= ~((uint32_t)RECORD_PASSES << RECORD_PASSES_SHIFT);
    *word |= (sum < RECORD_PASSES ? sum : RECORD_PASSES) << RECORD_PASSES_SHIFT;
}

/* A lane's scratch lies in dwords that alternate with those of the other lanes (counters.c). Two waves share no line,
 * as far as they run at the same time. */
void recorder_private(struct wave *w, const i64 offset[LANES], unsigned bytes, const struct access *a)
{
    struct recorder *r = w->workgroup->recorder;
    struct of_wave *of = &r->wave[w->index];
    if (r->failed) return;
    const u64 lines_of_wave = ((u64)w->scratch_bytes * LANES + EMU_LINE_BYTES - 1) / EMU_LINE_BYTES;
    const u64 base = ((u64)(r->to - r->trace->of) * r->waves + w->index) * lines_of_wave;
    for (u64 left = a->reached; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const u64 at = (u64)offset[lane], end = (at + bytes - 1) / 4;
        for (u64 dword = at / 4; dword <= end; dword++)
            add_line(r, of,
                     SCRATCH_LINES + (uint32_t)((base + (dword * LANES + lane) * 4 / EMU_LINE_BYTES) %
                                                (UINT32_MAX - SCRATCH_LINES)));
    }
}

void recorder_scalar_load(struct wave *w, u64 address, unsigned dwords)
{
    struct recorder *r = w->workgroup->recorder;
    struct of_wave *of = &r->wave[w->index];
    if (r->failed) return;
    add_range(r, of, address, dwords * 4);
}

/* ---- Handing over -------------------------------------------------------------------------------------------------*/

static uint64_t hash_places(const struct words *places)
{
    uint64_t hash = places->count;
    for (size_t n = 0; n < places->count; n++)
        hash = (hash ^ places->of[n]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    return hash;
}

/* How many iterations are played: fewer of those that have at least so many instructions. */
enum { MANY_INSTRUCTIONS = 400 };
static const struct sections many = {4, 12, 4}, few = {2, 2, 2}, none = {0, 0, 0};

/* Where iteration n begins in the path. */
static size_t iteration(const struct loop *loop, uint64_t n)
{
    return loop->begin + loop->length * (size_t)n;
}

/* Copies of[0..to) and of[from..count). */
static uint32_t *copy_parts(const uint32_t *of, size_t to, size_t from, size_t count)
{
    uint32_t *copy = malloc((to + count - from + 1) * sizeof *copy);
    if (!copy) return NULL;
    if (to) memcpy(copy, of, to * sizeof *copy);
    if (count > from) memcpy(copy + to, of + from, (count - from) * sizeof *copy);
    return copy;
}

static uint64_t count_barriers(const struct code *code, const struct path *path)
{
    uint64_t barriers = 0;
    for (size_t n = 0; path->loop.iterations && n < path->loop.length; n++) {
        const struct op *op = code->insns[path->place[path->loop.begin + n]].op;
        barriers += op && strcmp(op->mnemonic, "s_barrier") == 0;
    }
    return barriers;
}

static struct path *create_path(const struct emu_trace *trace, const struct words *places, uint64_t hash)
{
    struct path *path = calloc(1, sizeof *path);
    if (!path) return NULL;
    path->hash = hash;
    path->count = places->count;
    path->place = copy_parts(places->of, 0, 0, places->count);
    if (!path->place || find_loop(path->place, path->count, sections_kept(&few), &path->loop)) {
        free(path->place);
        free(path);
        return NULL;
    }
    path->barriers = count_barriers(trace->code, path);
    find_main_loop(trace->code, path);
    return path;
}

static struct path *shared_path(struct emu_trace *trace, const struct words *places)
{
    const uint64_t hash = hash_places(places);
    pthread_mutex_lock(&trace->lock);
    struct path *path = trace->paths;
    while (path && !(path->hash == hash && path->count == places->count &&
                     memcmp(path->place, places->of, places->count * sizeof *places->of) == 0))
        path = path->next;
    if (!path && (path = create_path(trace, places, hash))) {
        path->next = trace->paths;
        trace->paths = path;
    }
    pthread_mutex_unlock(&trace->lock);
    return path;
}

static int take_records(const struct emu_trace *trace, const struct words *records, const struct sections *s,
                        struct wave_trace *to)
{
    const struct path *path = to->path;
    size_t last = 0;
    if (s->longer) {
        const size_t place_left_out = iteration(&path->loop, s->first + s->longer);
        const size_t place_last = iteration(&path->loop, path->loop.iterations - s->last);
        for (size_t n = 0; n < place_last; n++) {
            if (n == place_left_out) to->last_records = last;
            if (has_record(&trace->code->effects[path->place[n]])) last += 1 + (records->of[last] & RECORD_LINES);
        }
    }
    to->records = copy_parts(records->of, to->last_records, last, records->count);
    return to->records ? 0 : -1;
}

/* Iterations can be left out of all waves of a workgroup or of none: they must come to as many barriers. */
static struct sections choose_sections(const struct wave_trace *waves, unsigned count)
{
    const struct path *first = waves[0].path;
    size_t length = SIZE_MAX;
    for (unsigned n = 0; n < count; n++) {
        const struct path *path = waves[n].path;
        if (path->loop.iterations != first->loop.iterations || path->barriers != first->barriers) return none;
        if (path->loop.length < length) length = path->loop.length;
    }
    const struct sections *s = length < MANY_INSTRUCTIONS ? &many : &few;
    return first->loop.iterations > sections_kept(s) ? *s : none;
}

int recorder_end(struct workgroup *wg)
{
    struct recorder *r = wg->recorder;
    struct wave_trace *waves = calloc(r->waves, sizeof *waves);
    r->to->waves = waves;
    if (!waves || r->failed) return -1;
    for (unsigned n = 0; n < r->waves; n++)
        if (!(waves[n].path = shared_path(r->trace, &r->wave[n].places))) return -1;
    r->to->sections = choose_sections(waves, r->waves);
    for (unsigned n = 0; n < r->waves; n++)
        if (take_records(r->trace, &r->wave[n].records, &r->to->sections, &waves[n])) return -1;
    return 0;
}
