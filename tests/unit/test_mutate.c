/* What the checks are worth: each s_waitcnt, s_barrier, s_nop and cache control instruction is left out in turn. Every
 * removal is noticed, or the instruction does nothing in any of the problems, and then the report says why.
 *
 * The project's own kernels, and with MXG_ORIGIN the origin's. */
#include "tests/gemm/origin.h"
#include "tests/unit/mutate_fixture.h"

struct tally {
    size_t instructions, noticed, no_effect, not_executed, differs;
    size_t waits_noticed;   /* s_waitcnt and s_barrier */
    size_t order_no_effect; /* barriers and cache control: neither s_waitcnt nor s_nop */
};

static bool is(const struct emu_mutant *m, const char *mnemonic)
{
    return strncmp(m->text, mnemonic, strlen(mnemonic)) == 0;
}

/* Prints what was not noticed by a check, and adds up. */
static void conclude(const char *kernel, struct verdicts *all, struct tally *t)
{
    for (size_t n = 0; n < all->count; n++) {
        const struct emu_mutant *m = &all->mutants[n];
        t->instructions++;
        t->noticed += m->outcome == EMU_MUTANT_NOTICED;
        t->differs += m->outcome == EMU_MUTANT_DIFFERS;
        t->no_effect += m->outcome == EMU_MUTANT_NO_EFFECT;
        t->not_executed += m->outcome == EMU_MUTANT_NOT_EXECUTED;
        t->waits_noticed += m->outcome == EMU_MUTANT_NOTICED && (is(m, "s_waitcnt") || is(m, "s_barrier"));
        t->order_no_effect += m->outcome == EMU_MUTANT_NO_EFFECT && !is(m, "s_waitcnt") && !is(m, "s_nop");
        if (m->outcome == EMU_MUTANT_NOTICED) continue;
        printf("# %s 0x%" PRIx64 " %s, executed %" PRIu64 " times: %s%s\n", kernel, m->offset, m->text, m->executed,
               m->outcome == EMU_MUTANT_NO_EFFECT      ? "no effect: "
               : m->outcome == EMU_MUTANT_NOT_EXECUTED ? "not executed"
               : m->outcome == EMU_MUTANT_DIFFERS      ? "no finding, but another result"
                                                       : "not noticed",
               m->report);
    }
    free(all->mutants);
    *all = (struct verdicts){0};
}

/* Of the instructions that are executed. */
static double percent_noticed(const struct tally *t)
{
    return 100 * (double)t->noticed / (double)(t->instructions - t->not_executed);
}

/* What is executed is noticed by a check, or has no effect. */
static void judge(const struct tally *t)
{
    printf("# %zu instructions: %zu noticed, %zu without effect, %zu not executed, %zu by other results only;\n"
           "# noticed %.1f%% of those executed; without effect %zu barriers and cache controls\n",
           t->instructions, t->noticed, t->no_effect, t->not_executed, t->differs, percent_noticed(t),
           t->order_no_effect);
    CHECK(t->instructions > 0);
    CHECK_EQ(t->noticed + t->no_effect, t->instructions - t->not_executed);
}

/* ---- The project's kernels ----------------------------------------------------------------------------------------*/

/* Each kernel has something to wait for: where nothing is noticed, the checks are blind. */
static void conclude_own(const char *kernel, struct verdicts *all, struct tally *t)
{
    const size_t before = t->waits_noticed;
    if (all->count == 0) return;
    conclude(kernel, all, t);
    if (t->waits_noticed == before) test_fail(__FILE__, __LINE__, "%s: no wait is noticed", kernel);
}

/* Sizes that are no multiples of the tile, slices of unequal length, all layouts, K long enough for every loop. */
struct shape {
    int m;     /* rows; if not above 0, a tile's and so many more */
    int n;     /* columns beyond a tile's */
    int steps; /* of K for each slice, beyond those of all memory round trips but one */
    int half;  /* half a one more where it may be */
    int shuffled;
    int bias;
};

static const struct shape shapes[] = {
    {1, 3, 11, 1, 0, 1},
    {0, 5, 2, 1, 0, 0},
    /* whole pairs of K-steps, an odd and an even number */
    {-3, 16, 11, 0, 1, 1},
    {1, 16, 13, 0, 1, 0},
    /* and not */
    {0, 16, 9, 1, 1, 0},
    {0, 16, 11, 1, 1, 0},
};

static mxg_problem problem_of(const struct mxg_variant *v, const struct shape *shape)
{
    mxg_problem p = MXG_PROBLEM_INIT, own;
    p.m = shape->m > 0 ? shape->m : (int)v->tile_m + shape->m;
    p.n = (int)v->tile_n + shape->n;
    p.k = (int)v->split * (shape->steps + (int)v->round_trip_steps - 1) * MXG_K_STEP +
          (shape->half && v->k_multiple <= 64 ? 64 : 0);
    p.a_format = (int32_t)v->a_format, p.c_format = (int32_t)v->c_format;
    p.b_layout = p.scale_layout = shape->shuffled ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
    if (mxg_problem_take(&p, &own)) test_fail(__FILE__, __LINE__, "%s: %s", v->name, mxg_last_error());
    return own;
}

static bool does(const mxg_library *library, uint32_t variant, const struct shape *shape)
{
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    mxg_problem problem = problem_of(&library->entries[variant].variant, shape);
    return mxg_library_explain(library, &problem, NULL, variant, &candidate) == MXG_OK &&
           candidate.accepted;
}

static void mutate_variant(const struct mxg_variant *v, struct emu_object *object, const struct shape *shape,
                           struct verdicts *gemm, struct verdicts *reduce)
{
    const mxg_problem problem = problem_of(v, shape);
    struct own own;
    own_make(&own, v, object, &problem, shape->bias);
    mutate(gemm, &own.problem, &own.launch);
    if (own.grid.reduce_x) {
        char name[MXG_VARIANT_NAME_BYTES + sizeof MXG_REDUCE_SUFFIX];
        struct emu_launch launch = own.launch;
        snprintf(name, sizeof name, "%s%s", v->name, MXG_REDUCE_SUFFIX);
        launch.kernel = emu_object_kernel(object, name);
        launch.grid[0] = own.grid.reduce_x, launch.grid[1] = own.grid.reduce_y, launch.grid[2] = 1;
        launch.block[0] = v->reduce_threads;
        mutate(reduce, &own.problem, &launch);
    }
    own_free(&own);
}

static void own_kernels(void)
{
    mxg_library *library = NULL;
    struct tally tally = {0};
    REQUIRE(mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library) == MXG_OK);
    for (uint32_t n = 0; n < library->count; n++) {
        const struct mxg_pack_entry *entry = &library->entries[n];
        bool seen = entry->variant.kind != MXG_KIND_GEMM;
        for (uint32_t i = 0; !seen && i < n; i++) seen = same_kernel(&library->entries[i].variant, &entry->variant);
        if (seen) continue;
        struct verdicts gemm = {0}, reduce = {0};
        struct emu_error error;
        struct emu_object *object;
        if (emu_object_load(emu, entry->blob, entry->blob_bytes, &object, &error)) {
            test_fail(__FILE__, __LINE__, "%s: %s", entry->variant.name, error.text);
            continue;
        }
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            if (does(library, n, &shapes[s])) mutate_variant(&entry->variant, object, &shapes[s], &gemm, &reduce);
        CHECK(gemm.count > 0);
        conclude_own(entry->variant.name, &gemm, &tally);
        conclude_own(MXG_REDUCE_SUFFIX, &reduce, &tally);
        emu_object_unload(object);
    }
    judge(&tally);
    /* The compiler waits more often than it must, as where a branch may have loaded the bias. All else is needed. */
    CHECK_EQ(tally.order_no_effect, 0);
    CHECK(percent_noticed(&tally) >= 80); /* else the checks are blind, or the problems too small */
    mxg_library_close(library);
}

/* ---- The origin's -------------------------------------------------------------------------------------------------*/

static void mutate_origin(struct emu_object *object, int m, int n, int k, int split, int self_cleaning,
                          struct verdicts *all)
{
    const size_t row = (size_t)k / 2, c_elements = (size_t)m * (size_t)n;
    struct data *d = data_make(&(struct data_recipe){m, n, k, DATA_EXACT, 0, 0, 1, 11});
    uint8_t *scale = malloc(oracle_shuffled_scale_bytes(n, k)), *b = calloc(ORIGIN_TILE_N, row);
    static const uint32_t zero[1];
    struct origin_gemm_kernarg args = {.m = m,
                                       .n = n,
                                       .k = k,
                                       .a_stride = k,
                                       .b_stride = (int32_t)row,
                                       .scale_n = (k / 32 + 7) / 8 * 8,
                                       .k_chunk = k / split};
    struct problem p = {0};
    if (!scale || !b) abort();
    memcpy(b, d->b, (size_t)n * row);
    oracle_shuffle_scale(n, k, d->b_scale, scale, 127);
    add_buffer(&p, &args.a, d->a, (size_t)m * (size_t)k * 2, 0);
    add_buffer(&p, &args.b, b, ORIGIN_TILE_N * row, 0); /* its loads pass the end of B */
    add_buffer(&p, &args.b_scale, scale, oracle_shuffled_scale_bytes(n, k), 0);
    add_buffer(&p, &args.c, NULL, c_elements * 2, 1);
    add_buffer(&p, &args.partials, NULL, c_elements * 4 * (size_t)split, 1);
    if (self_cleaning) add_buffer(&p, &args.counters, zero, sizeof zero, 1);
    struct emu_launch launch = {.kernel = emu_object_kernel(object, "fused_mxfp4_gemm_kernel"),
                                .grid = {1, 1, (uint32_t)split},
                                .block = {ORIGIN_GEMM_THREADS, 1, 1},
                                .dynamic_lds_bytes = origin_lds_bytes(args.k_chunk),
                                .kernarg = &args,
                                .kernarg_bytes = ORIGIN_GEMM_KERNARG_BYTES};
    mutate(all, &p, &launch);
    drop(&p);
    free(scale);
    free(b);
    data_free(d);
}

static void origin_kernel(void)
{
    const char *path = getenv("MXG_ORIGIN");
    if (!path || !*path) SKIP("MXG_ORIGIN names no code object");
    struct emu_object *object = emu_host_object(emu, path);
    struct verdicts all = {0};
    struct tally tally = {0};
    mutate_origin(object, 9, ORIGIN_TILE_N, 640, 1, 0, &all); /* M below the tile, an odd number of steps */
    mutate_origin(object, 16, ORIGIN_TILE_N, 1024, 2, 0, &all);
    /* The self-cleaning path lacks a barrier (test_origin_order.c). With so few columns only the first wave has
     * something to store, and the kernel as it is makes no mistake. */
    mutate_origin(object, 16, 16, 1024, 2, 1, &all);
    conclude("fused_mxfp4_gemm_kernel", &all, &tally);
    judge(&tally);
    /* Of two write-backs and of two invalidations in a row each makes the other superfluous. */
    CHECK(percent_noticed(&tally) >= 90);
    CHECK_EQ(tally.not_executed, 0);
    CHECK_EQ(tally.waits_noticed, 25);
    emu_object_unload(object);
}

int main(void)
{
    emu = emu_create(0);
    if (!emu) return 1;
    TEST(own_kernels);
    TEST(origin_kernel);
    emu_destroy(emu);
    return test_end();
}
