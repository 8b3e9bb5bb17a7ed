/* Problems for kernels of which instructions are left out: their buffers are filled again before each run. With the
 * project's own, as the loader would launch them. */
#ifndef TESTS_MUTATE_FIXTURE_H
#define TESTS_MUTATE_FIXTURE_H

#include "common/kernarg.h"
#include "loader/pack.h"
#include "loader/select.h"
#include "tests/emu/check/mutate.h"
#include "tests/gemm/data.h"
#include "tests/test.h"
#include "tests/unit/emu_host.h"

enum { MAX_BUFFERS = 9 };

static struct emu *emu;

/* ---- Buffers ------------------------------------------------------------------------------------------------------*/

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

static inline void add_buffer(struct problem *p, void *pointer, const void *data, size_t bytes, int compared)
{
    memset(pointer, 0, sizeof(uint64_t));
    p->buffer[p->buffers++] = (struct buffer){pointer, data, bytes, compared};
}

static inline uint64_t address_of(const struct buffer *b)
{
    uint64_t address;
    memcpy(&address, b->pointer, sizeof address);
    return address;
}

static inline int prepare(void *user, struct emu_error *error)
{
    struct problem *p = user;
    for (struct buffer *b = p->buffer; b < p->buffer + p->buffers; b++) {
        uint64_t address = address_of(b);
        if (!address && emu_alloc(emu, b->bytes, &address, error)) return -1;
        memcpy(b->pointer, &address, sizeof address);
        if (b->data ? emu_write(emu, address, b->data, b->bytes, error) : emu_fill(emu, address, 0xff, b->bytes, error))
            return -1;
    }
    return 0;
}

static inline int digest(void *user, uint64_t *sum, struct emu_error *error)
{
    struct problem *p = user;
    for (struct buffer *b = p->buffer; b < p->buffer + p->buffers; b++)
        if (b->compared && emu_digest(emu, address_of(b), b->bytes, sum, error)) return -1;
    return 0;
}

static inline void drop(struct problem *p)
{
    for (struct buffer *b = p->buffer; b < p->buffer + p->buffers; b++)
        if (address_of(b)) emu_free(emu, address_of(b), NULL);
    p->buffers = 0;
}

/* ---- The project's kernels ----------------------------------------------------------------------------------------*/

/* Of a variant's name without what it ends in: the number of slices and the format of C. */
static inline size_t stem_length(const char *name)
{
    const char *slices = NULL;
    for (const char *at = name; (at = strstr(at, "_s")); at++) slices = at;
    return slices ? (size_t)(slices - name) : strlen(name);
}

/* Whether all but these are alike, and both or neither split K. */
static inline bool same_kernel(const struct mxg_variant *a, const struct mxg_variant *b)
{
    const size_t length = stem_length(a->name);
    return length == stem_length(b->name) && strncmp(a->name, b->name, length) == 0 && (a->split > 1) == (b->split > 1);
}

/* A variant's problem on the device. */
struct own {
    struct problem problem;
    struct mxg_kernarg args;
    struct mxg_grid grid;
    struct emu_launch launch; /* of the GEMM kernel */
    struct data *data;
    uint8_t *b, *b_scale, *a_scale; /* shuffled, or NULL */
};

/* Scales in a layout; into *shuffled, which the caller frees, if it is that. */
static inline const uint8_t *own_scales(const uint8_t *scale, int rows, int k, int shuffle, uint8_t **shuffled)
{
    if (!shuffle || !scale) return scale;
    *shuffled = malloc(oracle_shuffled_scale_bytes(rows, k));
    if (!*shuffled) abort();
    oracle_shuffle_scale(rows, k, scale, *shuffled, 127);
    return *shuffled;
}

/* Data that every order of sums gives the same result for, rows without gaps. *own must stay where it is until
 * own_free(). */
static inline void own_make(struct own *own, const struct mxg_variant *v, struct emu_object *object,
                            const mxg_problem *problem, int bias)
{
    static const uint32_t zeros[MXG_COUNTERS];
    const int m = (int)problem->m, n = (int)problem->n, k = (int)problem->k;
    const int a_mxfp4 = v->a_format == MXG_ELEMENT_MXFP4;
    const int b_shuffled = problem->b_layout == MXG_LAYOUT_SHUFFLED;
    const int scale_shuffled = problem->scale_layout == MXG_LAYOUT_SHUFFLED;
    const size_t rows = (size_t)m, columns = (size_t)n, row = (size_t)k / 2, groups = (size_t)k / 32;
    const int64_t stride = scale_shuffled ? (int64_t)(groups + 7) / 8 * 8 : (int64_t)groups;
    const size_t a_scale_bytes = scale_shuffled ? oracle_shuffled_scale_bytes(m, k) : rows * groups;
    const size_t b_scale_bytes = scale_shuffled ? oracle_shuffled_scale_bytes(n, k) : columns * groups;
    char why[256] = "";
    struct data *d = data_make(&(struct data_recipe){m, n, k, DATA_EXACT, a_mxfp4, 1, 0.5f, 3});
    *own = (struct own){.data = d};
    own->args = (struct mxg_kernarg){.lda = a_mxfp4 ? k / 2 : k * 2,
                                     .ldb = k / 2,
                                     .ld_b_scale = stride,
                                     .ld_a_scale = stride,
                                     .ldc = n,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = 0.5f};
    if (b_shuffled) {
        own->args.layout |= MXG_KERNARG_B_SHUFFLED;
        own->b = malloc(columns * row);
        if (!own->b) abort();
        oracle_shuffle_b(n, k, d->b, own->b);
    }
    if (scale_shuffled) own->args.layout |= MXG_KERNARG_SCALE_SHUFFLED;
    if (!mxg_grid_of(v, problem, &own->grid, why, sizeof why)) test_fail(__FILE__, __LINE__, "%s: %s", v->name, why);
    struct problem *p = &own->problem;
    if (a_mxfp4) {
        add_buffer(p, &own->args.a, d->a_codes, rows * row, 0);
        add_buffer(p, &own->args.a_scale, own_scales(d->a_scale, m, k, scale_shuffled, &own->a_scale), a_scale_bytes,
                   0);
    } else {
        add_buffer(p, &own->args.a, d->a, rows * (size_t)k * 2, 0);
    }
    add_buffer(p, &own->args.b, b_shuffled ? own->b : d->b, columns * row, 0);
    add_buffer(p, &own->args.b_scale, own_scales(d->b_scale, n, k, scale_shuffled, &own->b_scale), b_scale_bytes, 0);
    add_buffer(p, &own->args.c, NULL, rows * columns * (v->c_format == MXG_ELEMENT_F32 ? 4 : 2), 1);
    if (bias) add_buffer(p, &own->args.bias, d->bias, columns * 4, 0);
    if (own->grid.counters_bytes) add_buffer(p, &own->args.counters, zeros, own->grid.counters_bytes, 1);
    if (own->grid.partials_bytes) add_buffer(p, &own->args.partials, NULL, own->grid.partials_bytes, 1);
    own->launch = (struct emu_launch){.kernel = emu_object_kernel(object, v->name),
                                      .grid = {own->grid.gemm_x, own->grid.gemm_y, own->grid.gemm_z},
                                      .block = {v->workgroup_threads, 1, 1},
                                      .kernarg = &own->args,
                                      .kernarg_bytes = v->kernarg_bytes};
}

static inline void own_free(struct own *own)
{
    drop(&own->problem);
    free(own->b);
    free(own->b_scale);
    free(own->a_scale);
    data_free(own->data);
}

/* ---- Several problems together ------------------------------------------------------------------------------------*/

struct verdicts {
    struct emu_mutant *mutants; /* the most telling outcome of all problems so far */
    size_t count;
};

/* An earlier outcome stays unless the later one tells more. */
static inline void merge(struct verdicts *all, struct emu_mutant *mutants, size_t count)
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

static inline void mutate(struct verdicts *all, struct problem *p, const struct emu_launch *launch)
{
    struct emu_error error;
    struct emu_mutant *mutants;
    size_t count;
    const struct emu_problem how = {p, prepare, digest, NULL, all->mutants};
    struct emu_launch checked = *launch;
    checked.checks = EMU_CHECK_ALL;
    checked.xnack = 1; /* the objects are for devices of either setting */
    checked.max_wave_instructions = 1000000;
    if (emu_mutate(emu, &checked, &how, &mutants, &count, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    else
        merge(all, mutants, count);
}

#endif
