#include "tests/fuzz/target.h"

#include "common/kernarg.h"
#include "gen/io.h"
#include "loader/mxgemm.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Objects of the pack ------------------------------------------------------------------------------------------*/

/* Two tiles, the last of them and of K not full. */
enum { M = 3, N = 70, K = 160 };
enum { BUFFER_A, BUFFER_B, BUFFER_B_SCALE, BUFFER_C, BUFFER_PARTIALS, BUFFER_BIAS, OWN_BUFFERS };

static void set_buffer(struct target *t, unsigned n, const void *data, size_t bytes)
{
    t->buffer[n].data = data;
    t->buffer[n].bytes = bytes;
}

static void own_target(struct target *t, const mxg_variant_info *info)
{
    static const uint32_t pointers[OWN_BUFFERS] = {
        offsetof(struct mxg_kernarg, a), offsetof(struct mxg_kernarg, b),        offsetof(struct mxg_kernarg, b_scale),
        offsetof(struct mxg_kernarg, c), offsetof(struct mxg_kernarg, partials), offsetof(struct mxg_kernarg, bias)};
    struct mxg_kernarg arguments = {
        .lda = 2 * K, .ldb = K / 2, .ld_b_scale = K / 32, .ldc = N, .m = M, .n = N, .k = K, .alpha = 1};
    struct shape shape = {.threads = info->workgroup_threads, .argument_bytes = sizeof arguments};
    memcpy(shape.arguments, &arguments, sizeof arguments);
    memcpy(shape.pointer, pointers, sizeof pointers);
    shape.pointers = OWN_BUFFERS;
    shape.grid[0] = (M - 1) / info->tile_m + 1;
    shape.grid[1] = (N - 1) / info->tile_n + 1;
    shape.grid[2] = info->split;
    *t = (struct target){.object = info->code_object,
                         .bytes = info->code_object_bytes,
                         .shape = {shape, shape},
                         .shapes = 1 + (info->reduction == 1),
                         .buffers = OWN_BUFFERS,
                         .c_format = (enum oracle_format)info->c_format};
    (void)snprintf(t->name, sizeof t->name, "%s", info->name);
    t->shape[1].threads = info->reduce_threads;
    t->shape[1].grid[0] = M;
    t->shape[1].grid[1] = info->reduce_threads ? (N - 1) / info->reduce_threads + 1 : 1;
    t->shape[1].grid[2] = 1;
    t->data = data_make(&(struct data_recipe){M, N, K, DATA_EXACT, 0, 1, 1, 3});
    set_buffer(t, BUFFER_A, t->data->a, (size_t)M * K * 2);
    set_buffer(t, BUFFER_B, t->data->b, (size_t)N * K / 2);
    set_buffer(t, BUFFER_B_SCALE, t->data->b_scale, (size_t)N * K / 32);
    set_buffer(t, BUFFER_C, NULL, (size_t)M * N * (t->c_format == ORACLE_F32 ? 4 : 2));
    set_buffer(t, BUFFER_PARTIALS, NULL, (size_t)info->split * M * N * 4);
    set_buffer(t, BUFFER_BIAS, t->data->bias, N * sizeof(float));
}

/* Row-major, with A in bf16. */
static int does_problem(const mxg_library *library, uint32_t index, const mxg_variant_info *info)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    problem.m = M, problem.n = N, problem.k = K;
    problem.c_format = (int32_t)info->c_format;
    return mxg_library_explain(library, &problem, NULL, index, &candidate) == MXG_OK && candidate.accepted;
}

unsigned targets_of_pack(struct target targets[2])
{
    mxg_library *library;
    unsigned found = 0;
    if (mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library)) return 0;
    for (uint32_t reduction = 0; reduction < 2; reduction++) {
        mxg_variant_info best = {0}, info = {.struct_bytes = sizeof info};
        for (uint32_t n = 0; mxg_library_variant(library, n, &info) == MXG_OK; n++)
            if (info.reduction == reduction && does_problem(library, n, &info) &&
                (!best.name || info.code_object_bytes < best.code_object_bytes))
                best = info;
        if (!best.name) continue;
        own_target(&targets[found], &best); /* the code object is the embedded one, which stays */
        if (places_find(&targets[found].places, targets[found].object, targets[found].bytes) == 0) found++;
    }
    mxg_library_close(library);
    return found;
}

/* ---- Objects of others --------------------------------------------------------------------------------------------*/

static void foreign_shape(struct target *t, struct shape *shape, const struct emu_kernel *kernel)
{
    /* Sizes and strides of a small product, in turns. */
    static const int64_t values[] = {16, 128, 256, 256, 128, 8, 256};
    enum { BUFFER_BYTES = 16384, DYNAMIC_LDS = 8192, VALUES = sizeof values / sizeof values[0] };
    unsigned given = 0;
    *shape = (struct shape){.grid = {2, 1, 1}, .threads = kernel->max_workgroup ? kernel->max_workgroup : 64};
    shape->dynamic_lds = kernel->lds_bytes <= EMU_LDS_BYTES - DYNAMIC_LDS ? DYNAMIC_LDS : 0;
    for (uint32_t n = 0; n < kernel->arg_count; n++) {
        const struct emu_arg *arg = &kernel->args[n];
        if (!emu_arg_is_explicit(arg) || arg->offset + arg->bytes > ARGUMENT_BYTES) continue;
        if (arg->offset + arg->bytes > shape->argument_bytes) shape->argument_bytes = arg->offset + arg->bytes;
        if (arg->kind == EMU_ARG_GLOBAL_BUFFER && arg->bytes == 8 && shape->pointers < MOST_BUFFERS)
            shape->pointer[shape->pointers++] = arg->offset;
        else if (arg->kind == EMU_ARG_BY_VALUE && arg->bytes <= sizeof values[0])
            memcpy(shape->arguments + arg->offset, &values[given++ % VALUES], arg->bytes);
    }
    if (shape->pointers > t->buffers) t->buffers = shape->pointers;
    for (unsigned n = 0; n < t->buffers; n++) set_buffer(t, n, NULL, BUFFER_BYTES);
}

int target_of_file(struct target *t, const char *path)
{
    struct emu *emu = emu_create(0);
    struct emu_object *object = NULL;
    struct gen_text image = {0};
    struct emu_error error = {"it cannot be read, or has no fields to corrupt"};
    memset(t, 0, sizeof *t);
    (void)snprintf(t->name, sizeof t->name, "%s", path);
    if (gen_read_file(path, &image) == 0) {
        t->object = (const unsigned char *)image.data; /* which stays, as that of the pack does */
        t->bytes = image.bytes;
    }
    if (emu && t->bytes && places_find(&t->places, t->object, t->bytes) == 0)
        (void)emu_object_load(emu, t->object, t->bytes, &object, &error);
    if (!object) printf("# %s: %s\n", path, error.text);
    for (; object && t->shapes < MOST_LAUNCHES && t->shapes < emu_object_kernel_count(object); t->shapes++)
        foreign_shape(t, &t->shape[t->shapes], emu_object_kernel_at(object, t->shapes));
    emu_object_unload(object);
    emu_destroy(emu);
    return t->shapes ? 0 : -1;
}

/* ---- Buffers ------------------------------------------------------------------------------------------------------*/

int target_buffers_make(const struct target *t, struct emu *emu, uint64_t address[MOST_BUFFERS])
{
    for (unsigned n = 0; n < t->buffers; n++) {
        size_t bytes = t->buffer[n].bytes;
        if (emu_alloc(emu, bytes, &address[n], NULL)) return -1;
        if (t->buffer[n].data ? emu_write(emu, address[n], t->buffer[n].data, bytes, NULL)
                              : emu_fill(emu, address[n], 0xff, bytes, NULL))
            return -1;
    }
    return 0;
}

void target_buffers_free(const struct target *t, struct emu *emu, const uint64_t address[MOST_BUFFERS])
{
    for (unsigned n = 0; n < t->buffers; n++) emu_free(emu, address[n], NULL);
}

int target_is_right(const struct target *t, struct emu *emu, const uint64_t address[MOST_BUFFERS])
{
    unsigned char c[M * N * sizeof(float)];
    if (!t->data) return 1;
    if (emu_read(emu, address[BUFFER_C], c, t->buffer[BUFFER_C].bytes, NULL)) return 0;
    for (size_t n = 0; n < M * N; n++)
        if (oracle_load(c, n, t->c_format) != oracle_round(t->data->exact[n], t->c_format)) return 0;
    return 1;
}
