/* How the workgroups of a tile hand their partial sums to the last one, in every kernel where they do: the checks have
 * nothing against it in any order of workgroups, and nothing that keeps order in it can be left out, nor a cache be
 * trusted, unnoticed. */
#define _GNU_SOURCE /* memmem */
#include "tests/unit/mutate_fixture.h"

static const struct {
    enum emu_order order;
    uint64_t seed;
    unsigned threads;
} orders[] = {{EMU_ORDER_FORWARD, 0, 1}, {EMU_ORDER_REVERSE, 0, 1}, {EMU_ORDER_RANDOM, 1, 1},
              {EMU_ORDER_RANDOM, 2, 1},  {EMU_ORDER_RANDOM, 3, 1},  {EMU_ORDER_RANDOM, 4, 4}};
enum { ORDERS = sizeof orders / sizeof orders[0], MUTATED = 3 /* the first of them */ };

/* Two tiles, the second mostly outside. */
static mxg_problem two_tiles(const struct mxg_variant *v)
{
    mxg_problem p = MXG_PROBLEM_INIT, own;
    p.m = v->tile_m, p.n = v->tile_n + 16, p.k = (int64_t)v->split * v->slice_k;
    p.a_format = (int32_t)v->a_format, p.c_format = (int32_t)v->c_format;
    p.b_layout = p.scale_layout = MXG_LAYOUT_SHUFFLED;
    if (mxg_problem_take(&p, &own)) test_fail(__FILE__, __LINE__, "%s: %s", v->name, mxg_last_error());
    return own;
}

static struct emu_launch in_order(const struct own *own, unsigned n)
{
    struct emu_launch launch = own->launch;
    launch.checks = EMU_CHECK_ALL;
    launch.xnack = 1; /* the objects are for devices of either setting */
    launch.order = orders[n].order, launch.order_seed = orders[n].seed, launch.threads = orders[n].threads;
    return launch;
}

/* 0, or -1 with the finding. */
static int run(struct own *own, unsigned order, struct emu_stats *stats, struct emu_error *error)
{
    struct emu_launch launch = in_order(own, order);
    launch.count = stats != NULL;
    if (prepare(&own->problem, error)) abort();
    return emu_launch(emu, &launch, stats, error);
}

static void passes_in_all_orders(const struct mxg_variant *v, struct own *own)
{
    uint64_t first = EMU_DIGEST;
    for (unsigned n = 0; n < ORDERS; n++) {
        struct emu_error error;
        uint64_t sum = EMU_DIGEST;
        if (run(own, n, NULL, &error))
            test_fail(__FILE__, __LINE__, "%s, order %u: %s", v->name, n, error.text);
        else if (digest(&own->problem, &sum, &error))
            abort();
        if (n == 0) first = sum;
        if (sum != first) test_fail(__FILE__, __LINE__, "%s, order %u: other results than in the first", v->name, n);
    }
}

/* ---- Stores that go past the L2 -----------------------------------------------------------------------------------*/

/* The bit sc1 in the first dword of a MUBUF or FLAT instruction, as LLVM encodes gfx940's. 0: neither. */
static uint32_t sc1_bit(uint32_t dword)
{
    return dword >> 26 == 0x38 ? 1u << 15 : dword >> 26 == 0x37 ? 1u << 25 : 0;
}

/* Without sc1 a store stays in its XCD's L2. In some order of the workgroups that must be a finding. */
static void stays_in_cache(const struct mxg_pack_entry *entry, const struct own *own, const struct emu_pc *pc)
{
    const struct emu_kernel *kernel = own->launch.kernel;
    uint8_t *code = malloc(kernel->code_bytes), *image = malloc(entry->blob_bytes);
    struct emu_error error;
    struct emu_object *weak;
    uint32_t dword;
    bool noticed = false;
    if (!code || !image || emu_read(emu, kernel->entry, code, kernel->code_bytes, &error)) abort();
    memcpy(image, entry->blob, entry->blob_bytes);
    uint8_t *at = memmem(image, entry->blob_bytes, code, kernel->code_bytes);
    if (!at) abort();
    memcpy(&dword, at + pc->offset, sizeof dword);
    if (!(dword & sc1_bit(dword))) test_fail(__FILE__, __LINE__, "%s is no access that is known", pc->text);
    dword &= ~sc1_bit(dword);
    memcpy(at + pc->offset, &dword, sizeof dword);
    if (emu_object_load(emu, image, entry->blob_bytes, &weak, &error)) abort();
    struct own weakened = *own;
    weakened.launch.kernel = emu_object_kernel(weak, kernel->name);
    for (unsigned n = 0; n < ORDERS && !noticed; n++) {
        struct emu_launch launch = in_order(&weakened, n);
        if (prepare(&weakened.problem, &error)) abort();
        noticed = emu_launch(emu, &launch, NULL, &error) != 0 && strncmp(error.text, "order: ", 7) == 0;
    }
    if (!noticed) test_fail(__FILE__, __LINE__, "%s: %s without sc1 is not noticed", entry->variant.name, pc->text);
    emu_object_unload(weak);
    free(code);
    free(image);
}

/* ---- Instructions that only keep order ----------------------------------------------------------------------------*/

/* From the first store of partial sums to the instruction behind which a wave may load those of all: the last barrier
 * or invalidation. */
struct handoff {
    uint64_t from, to, last_store;
    int64_t announced; /* by this instruction, the first atomic operation */
    size_t stores;     /* of partial sums */
    size_t barriers, waits, invalidations;
};

static bool is_past_l2(const struct emu_pc *pc)
{
    return strstr(pc->text, "store") && strstr(pc->text, " sc1");
}

/* A store of the counter, behind the announcement, is for the next launch, before which everything is written back. */
static struct handoff find_handoff(const struct emu_stats *stats)
{
    struct handoff h = {0};
    for (size_t n = 0; n < stats->pc_count; n++) {
        const struct emu_pc *pc = &stats->pcs[n];
        if (strstr(pc->text, "_atomic_") && !h.announced) h.announced = pc->offset;
        if (strncmp(pc->text, "s_barrier", 9) == 0 || strncmp(pc->text, "buffer_inv", 10) == 0)
            h.to = (uint64_t)pc->offset;
        if (h.announced || !is_past_l2(pc)) continue;
        h.last_store = (uint64_t)pc->offset;
        if (h.stores++ == 0) h.from = h.last_store;
    }
    return h;
}

/* Among the stores a wait may be for what is loaded into the next one's registers on another way through the kernel: on
 * this one nothing is under way. It is no part of the handoff, for which nothing is complete before the last store. */
static bool waits_for_operands(const struct emu_mutant *m, const struct handoff *h)
{
    return m->offset < h->last_store && m->outcome == EMU_MUTANT_NO_EFFECT && strncmp(m->text, "s_waitcnt", 9) == 0;
}

static void mutates(const struct mxg_variant *v, struct own *own, struct handoff *h)
{
    struct verdicts all = {0};
    for (unsigned n = 0; n < MUTATED; n++) {
        const struct emu_launch launch = in_order(own, n);
        mutate(&all, &own->problem, &launch);
    }
    for (size_t n = 0; n < all.count; n++) {
        const struct emu_mutant *m = &all.mutants[n];
        if (m->offset < h->from || m->offset > h->to || strncmp(m->text, "s_nop", 5) == 0) continue;
        h->barriers += strncmp(m->text, "s_barrier", 9) == 0;
        h->waits += strncmp(m->text, "s_waitcnt", 9) == 0;
        h->invalidations += strncmp(m->text, "buffer_inv", 10) == 0;
        if (waits_for_operands(m, h)) continue;
        if (m->outcome != EMU_MUTANT_NOTICED)
            test_fail(__FILE__, __LINE__, "%s: without %s at 0x%" PRIx64 ": %s", v->name, m->text, m->offset,
                      m->outcome == EMU_MUTANT_DIFFERS ? "other results, but no finding" : m->report);
    }
    free(all.mutants);
}

static void check_variant(const struct mxg_pack_entry *entry)
{
    const struct mxg_variant *v = &entry->variant;
    const mxg_problem problem = two_tiles(v);
    struct emu_error error;
    struct emu_object *object;
    struct emu_stats stats = {0};
    struct own own;
    if (emu_object_load(emu, entry->blob, entry->blob_bytes, &object, &error)) {
        test_fail(__FILE__, __LINE__, "%s: %s", v->name, error.text);
        return;
    }
    own_make(&own, v, object, &problem, 0);
    passes_in_all_orders(v, &own);
    if (run(&own, 0, &stats, &error)) test_fail(__FILE__, __LINE__, "%s: %s", v->name, error.text);
    struct handoff h = find_handoff(&stats);
    for (size_t n = 0; n < stats.pc_count && stats.pcs[n].offset < h.announced; n++)
        if (is_past_l2(&stats.pcs[n])) stays_in_cache(entry, &own, &stats.pcs[n]);
    mutates(v, &own, &h);
    CHECK(h.stores > 0 && h.invalidations == 1);
    CHECK(h.waits >= 2); /* for the partial sums before they are announced, and for the count */
    printf("# %s: %zu stores of partial sums, %zu waits, %zu barriers, %zu invalidation\n", v->name, h.stores, h.waits,
           h.barriers, h.invalidations);
    emu_stats_free(&stats);
    own_free(&own);
    emu_object_unload(object);
}

static void every_handoff(void)
{
    mxg_library *library = NULL;
    unsigned checked = 0;
    REQUIRE(mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library) == MXG_OK);
    for (uint32_t n = 0; n < library->count; n++) {
        const struct mxg_variant *v = &library->entries[n].variant;
        if (v->kind != MXG_KIND_GEMM || v->reduction != MXG_REDUCTION_LAST_WORKGROUP || v->split == 1) continue;
        bool seen = false;
        for (uint32_t i = 0; !seen && i < n; i++) seen = same_kernel(&library->entries[i].variant, v);
        if (seen) continue;
        check_variant(&library->entries[n]);
        checked++;
    }
    CHECK(checked > 0);
    mxg_library_close(library);
}

int main(void)
{
    emu = emu_create(0);
    if (!emu) return 1;
    TEST(every_handoff);
    emu_destroy(emu);
    return test_end();
}
