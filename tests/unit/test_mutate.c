/* What the checks are worth: each s_waitcnt, s_barrier, s_nop and cache control instruction is left out in turn. Every
 * removal is noticed, or the instruction does nothing in any of the problems, and then the report says why.
 *
 * The project's own kernels, and with MXG_ORIGIN the origin's. */
#include "common/kernarg.h"
#include "loader/pack.h"
#include "loader/select.h"
#include "tests/emu/check/mutate.h"
#include "tests/gemm/data.h"
#include "tests/gemm/origin.h"
#include "tests/test.h"
#include "tests/unit/emu_host.h"

enum { MAX_BUFFERS = 8 };

static struct emu *emu;

/* ---- A problem: its buffers are filled again before each run ------------------------------------------------------*/

struct buffer {
    void *pointer;    /* in the kernel's arguments, of 64 bits */
    const void *data; /* what it begins with; NULL: 0xff */
    size_t bytes;
    int compared; /* it is a result */
};

struct problem {
    struct buffer buffer[MAX_BUFFERS];
    size_t buffers;
};

static void add_buffer(struct problem *p, void *pointer, const void *data, size_t bytes, int compared)
{
    memset(pointer, 0, sizeof(uint64_t));
    p->buffer[p->buffers++] = (struct buffer){pointer, data, bytes, compared};
}

static uint64_t address_of(const struct buffer *b)
{
    uint64_t address;
    memcpy(&address, b->pointer, sizeof address);
    return address;
}

static int prepare(void *user, struct emu_error *error)
{
    struct problem *p = user;
    for (struct buffer *b = p->buffer; b < p->buffer + p->buffers; b++) {
        uint64_t address = address_of(b);
        if (!address && emu_alloc(emu, b->bytes, &address, error)) return -1;
        memcpy(b->pointer, &address, sizeof address);
        if (b->data ? emu_write(emu, address, b->data, b->bytes, error)
                    : emu_fill(emu, address, 0xff, b->bytes, error))
            return -1;
    }
    return 0;
}

static int digest(void *user, uint64_t *sum, struct emu_error *error)
{
    struct problem *p = user;
    for (struct buffer *b = p->buffer; b < p->buffer + p->buffers; b++)
        if (b->compared && emu_digest(emu, address_of(b), b->bytes, sum, error)) return -1;
    return 0;
}

static void drop(struct problem *p)
{
    for (struct buffer *b = p->buffer; b < p->buffer + p->buffers; b++)
        if (address_of(b)) emu_free(emu, address_of(b), NULL);
    p->buffers = 0;
}

/* ---- Several problems together ------------------------------------------------------------------------------------*/

struct tally {
    size_t instructions, noticed, no_effect, not_executed, differs;
    size_t waits_noticed; /* s_waitcnt and s_barrier */
};

struct verdicts {
    struct emu_mutant *mutants; /* the most telling outcome of all problems so far */
    size_t count;
};

/* An earlier outcome stays unless the later one tells more. */
static void merge(struct verdicts *all, struct emu_mutant *mutants, size_t count)
{
    static const int telling[] = {[EMU_MUTANT_NOTICED] = 4,
                                  [EMU_MUTANT_DIFFERS] = 3,
                                  [EMU_MUTANT_UNNOTICED] = 2,
                                  [EMU_MUTANT_NO_EFFECT] = 1,
                                  [EMU_MUTANT_NOT_EXECUTED] = 0};
    if (!all->mutants) {
        *all = (struct verdicts){mutants, count};
        return;
    }
    for (size_t n = 0; n < count; n++)
        if (telling[mutants[n].outcome] > telling[all->mutants[n].outcome]) all->mutants[n] = mutants[n];
    free(mutants);
}

static void mutate(struct verdicts *all, struct problem *p, const struct emu_launch *launch)
{
    struct emu_error error;
    struct emu_mutant *mutants;
    size_t count;
    const struct emu_problem how = {p, prepare, digest, NULL};
    struct emu_launch checked = *launch;
    checked.checks = EMU_CHECK_ALL;
    checked.xnack = 1; /* the objects are for devices of either setting */
    checked.max_wave_instructions = 1000000;
    if (emu_mutate(emu, &checked, &how, &mutants, &count, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    else
        merge(all, mutants, count);
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
        t->waits_noticed += m->outcome == EMU_MUTANT_NOTICED &&
                            (strncmp(m->text, "s_waitcnt", 9) == 0 || strncmp(m->text, "s_barrier", 9) == 0);
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

/* At least percent of the instructions that are executed are noticed, and the rest has no effect. */
static void judge(const struct tally *t, unsigned percent)
{
    size_t executed = t->instructions - t->not_executed;
    printf("# %zu instructions: %zu noticed, %zu without effect, %zu not executed, %zu by other results only\n",
           t->instructions, t->noticed, t->no_effect, t->not_executed, t->differs);
    CHECK(t->instructions > 0);
    CHECK_EQ(t->noticed + t->no_effect, executed);
    CHECK(t->noticed * 100 >= executed * percent);
}

/* ---- The project's kernels ----------------------------------------------------------------------------------------*/

/* Sizes that are no multiples of the tile, slices of unequal length, all layouts. */
struct shape {
    int m;     /* rows; if not above 0, a tile's and so many more */
    int n;     /* columns beyond a tile's */
    int steps; /* of K for each slice; half a one more in all */
    unsigned layout;
    int bias;
};

static const struct shape shapes[] = {
    {1, 3, 3, 0, 1},
    {0, 5, 2, 0, 0},
    {-3, 0, 3, MXG_KERNARG_B_SHUFFLED | MXG_KERNARG_SCALE_SHUFFLED, 1},
};

static void mutate_variant(const struct mxg_variant *v, struct emu_object *object, const struct shape *shape,
                           struct verdicts *gemm, struct verdicts *reduce)
{
    const int m = shape->m > 0 ? shape->m : (int)v->tile_m + shape->m;
    const int n = (int)v->tile_n + (shape->layout ? 16 : shape->n), k = (int)v->split * shape->steps * 128 + 64;
    const size_t row = (size_t)k / 2, groups = ((size_t)k / 32 + 7) / 8 * 8, c_element = v->c_format == 3 ? 4 : 2;
    struct data *d = data_make(m, n, k, k, DATA_EXACT, 1, 0.5f, 3);
    uint8_t *b = malloc((size_t)n * row), *scale = malloc(oracle_shuffled_scale_bytes(n, k));
    struct mxg_kernarg args = {.lda = k,
                               .ldb = (int64_t)row,
                               .ld_b_scale = shape->layout ? (int64_t)groups : k / 32,
                               .ldc = n,
                               .m = m,
                               .n = n,
                               .k = k,
                               .alpha = 0.5f,
                               .layout = shape->layout};
    struct mxg_grid grid;
    struct problem p = {0};
    mxg_problem problem = MXG_PROBLEM_INIT;
    char why[256] = "";
    problem.m = m, problem.n = n, problem.k = k;
    if (!b || !scale) abort();
    if (shape->layout) {
        oracle_shuffle_b(n, k, d->b, b);
        oracle_shuffle_scale(n, k, d->b_scale, scale, 127);
    }
    if (!mxg_grid_of(v, &problem, &grid, why, sizeof why)) test_fail(__FILE__, __LINE__, "%s: %s", v->name, why);
    add_buffer(&p, &args.a, d->a, (size_t)m * (size_t)k * 2, 0);
    add_buffer(&p, &args.b, shape->layout ? b : d->b, (size_t)n * row, 0);
    add_buffer(&p, &args.b_scale, shape->layout ? scale : d->b_scale,
               shape->layout ? oracle_shuffled_scale_bytes(n, k) : (size_t)n * (size_t)k / 32, 0);
    add_buffer(&p, &args.c, NULL, (size_t)m * (size_t)n * c_element, 1);
    if (shape->bias) add_buffer(&p, &args.bias, d->bias, (size_t)n * 4, 0);
    if (grid.partials_bytes) add_buffer(&p, &args.partials, NULL, grid.partials_bytes, 1);
    struct emu_launch launch = {.kernel = emu_object_kernel(object, v->name),
                                .grid = {grid.gemm_x, grid.gemm_y, grid.gemm_z},
                                .block = {v->workgroup_threads, 1, 1},
                                .kernarg = &args,
                                .kernarg_bytes = sizeof args};
    mutate(gemm, &p, &launch);
    if (grid.partials_bytes) {
        char name[MXG_VARIANT_NAME_BYTES + sizeof MXG_REDUCE_SUFFIX];
        snprintf(name, sizeof name, "%s%s", v->name, MXG_REDUCE_SUFFIX);
        launch.kernel = emu_object_kernel(object, name);
        launch.grid[0] = grid.reduce_x, launch.grid[1] = grid.reduce_y, launch.grid[2] = 1;
        launch.block[0] = v->reduce_threads;
        mutate(reduce, &p, &launch);
    }
    drop(&p);
    free(b);
    free(scale);
    data_free(d);
}

static void own_kernels(void)
{
    mxg_library *library = NULL;
    struct tally tally = {0};
    REQUIRE(mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library) == MXG_OK);
    for (uint32_t n = 0; n < library->count; n++) {
        const struct mxg_pack_entry *entry = &library->entries[n];
        struct verdicts gemm = {0}, reduce = {0};
        struct emu_error error;
        struct emu_object *object;
        if (emu_object_load(emu, entry->blob, entry->blob_bytes, &object, &error)) {
            test_fail(__FILE__, __LINE__, "%s: %s", entry->variant.name, error.text);
            continue;
        }
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            mutate_variant(&entry->variant, object, &shapes[s], &gemm, &reduce);
        conclude(entry->variant.name, &gemm, &tally);
        conclude(MXG_REDUCE_SUFFIX, &reduce, &tally);
        emu_object_unload(object);
    }
    judge(&tally, 98);
    mxg_library_close(library);
}

/* ---- The origin's -------------------------------------------------------------------------------------------------*/

static void mutate_origin(struct emu_object *object, int m, int n, int k, int split, int self_cleaning,
                          struct verdicts *all)
{
    const size_t row = (size_t)k / 2, c_elements = (size_t)m * (size_t)n;
    struct data *d = data_make(m, n, k, k, DATA_EXACT, 0, 1, 11);
    uint8_t *scale = malloc(oracle_shuffled_scale_bytes(n, k)), *b = calloc(ORIGIN_TILE_N, row);
    static const uint32_t zero[1];
    struct origin_gemm_kernarg args = {.m = m, .n = n, .k = k, .a_stride = k, .b_stride = (int32_t)row,
                               .scale_n = (k / 32 + 7) / 8 * 8, .k_chunk = k / split};
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
    mutate_origin(object, 9, ORIGIN_TILE_N, 640, 1, 0, &all);   /* M below the tile, an odd number of steps */
    mutate_origin(object, 16, ORIGIN_TILE_N, 1024, 2, 0, &all);
    /* The self-cleaning path lacks a barrier (test_origin_order.c). With so few columns only the first wave has
     * something to store, and the kernel as it is makes no mistake. */
    mutate_origin(object, 16, 16, 1024, 2, 1, &all);
    conclude("fused_mxfp4_gemm_kernel", &all, &tally);
    judge(&tally, 90); /* of two write-backs and of two invalidations in a row each makes the other superfluous */
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
