/* Which loop takes most of a wave's instructions, and which stretch of them computes the product. */
#include "tests/emu/check/pending.h"
#include "tests/emu/time/trace.h"

#include <stdlib.h>

/* A jump back: behind place[at]. Jumps between the same two places belong to one loop. */
struct jump {
    uint64_t edge;
    size_t at;
};

static int compare(const void *a, const void *b)
{
    const struct jump *left = a, *right = b;
    if (left->edge != right->edge) return left->edge < right->edge ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

enum { BASE = 0x01000193 }; /* of polynomial hashes, odd */

/* hash[n]: of the first n places; power[n]: BASE to the n. */
static uint64_t hash_of(const uint64_t *hash, const uint64_t *power, size_t from, size_t to)
{
    return hash[to] - hash[from] * power[to - from];
}

static void take_longer(struct loop *best, const struct loop *run, uint64_t kept)
{
    if (run->iterations > kept && run->length * (run->iterations - kept) > best->length * (best->iterations - kept))
        *best = *run;
}

/* Of the jumps of one edge: the longest run of equal distances with equal instructions between. */
static void find_run(const struct jump *jumps, size_t count, const uint64_t *hash, const uint64_t *power, uint64_t kept,
                     struct loop *best)
{
    struct loop run = {0, 0, 0};
    uint64_t of_run = 0;
    for (size_t n = 0; n + 1 < count; n++) {
        const size_t from = jumps[n].at + 1, to = jumps[n + 1].at + 1;
        const uint64_t h = hash_of(hash, power, from, to);
        if (run.iterations && to - from == run.length && h == of_run) {
            run.iterations++;
            continue;
        }
        take_longer(best, &run, kept);
        run = (struct loop){from, to - from, 1};
        of_run = h;
    }
    take_longer(best, &run, kept);
}

int find_loop(const uint32_t *place, size_t count, uint64_t kept, struct loop *loop)
{
    *loop = (struct loop){0, 0, kept};
    size_t jumps = 0;
    struct jump *jump = malloc((count + 1) * sizeof *jump);
    uint64_t *hash = malloc((count + 1) * 2 * sizeof *hash), *power = hash ? hash + count + 1 : NULL;
    if (!jump || !hash) {
        free(jump);
        free(hash);
        return -1;
    }
    hash[0] = 0;
    power[0] = 1;
    for (size_t n = 0; n < count; n++) {
        hash[n + 1] = hash[n] * BASE + place[n] + 1;
        power[n + 1] = power[n] * BASE;
        if (n + 1 < count && place[n + 1] <= place[n])
            jump[jumps++] = (struct jump){(uint64_t)place[n] << 32 | place[n + 1], n};
    }
    qsort(jump, jumps, sizeof *jump, compare);
    for (size_t n = 0, end; n < jumps; n = end) {
        for (end = n + 1; end < jumps && jump[end].edge == jump[n].edge;) end++;
        find_run(jump + n, end - n, hash, power, kept, loop);
    }
    if (loop->length == 0) loop->iterations = 0;
    free(jump);
    free(hash);
    return 0;
}

/* Whether an s_waitcnt leaves fewer vector memory operations under way than there are; *under_way: after the
 * instruction. */
static int waits_for_memory(const struct insn *i, const struct effects *e, unsigned *under_way)
{
    if (e->flags & COUNTS_VM) ++*under_way;
    if (i->exec != exec_s_waitcnt || waitcnt_vm(i) >= *under_way) return 0;
    *under_way = waitcnt_vm(i);
    return 1;
}

void find_main_loop(const struct code *code, struct path *path)
{
    unsigned under_way = 0;
    path->main_begin = path->main_end = 0;
    path->mfmas = 0;
    for (size_t n = 0; n < path->count; n++) {
        const uint32_t place = path->place[n];
        const int waits = waits_for_memory(&code->insns[place], &code->effects[place], &under_way);
        if (code->effects[place].unit == UNIT_MFMA) {
            if (!path->main_begin) path->main_begin = n; /* the operands of this one came some other way */
            path->main_end = n + 1;
            path->mfmas++;
        } else if (waits && !path->main_begin) {
            path->main_begin = n + 1;
        }
    }
    if (!path->mfmas) path->main_begin = 0;
}
