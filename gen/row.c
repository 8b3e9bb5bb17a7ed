#include "gen/row.h"

#include "gen/machine.h"

#include <stdio.h>
#include <string.h>

/* Offsets within a tile stay below 2^31, from where on they mean nowhere: that of its last row of C, of f32 at most, is
 * the highest, and those of A and B are lower. */
static uint32_t offsets_fit(const struct gen_row *row)
{
    return (uint32_t)INT32_MAX / 4 / (row->tile_m > row->tile_n ? row->tile_m : row->tile_n);
}

/* Quantised A in the order of the MFMA operand: 16 bytes of codes and one scale byte a lane, 16 rows a fragment. */
static uint32_t plain_lds_bytes(const struct gen_row *row)
{
    return row->tile_m / GEN_MFMA_ROWS * GEN_WAVE_LANES * (16 + 1);
}

/* The sums of waves that share K, in f32. */
static uint32_t stream_lds_bytes(const struct gen_row *row)
{
    return row->waves_k > 1 ? row->waves_k * row->tile_m * row->tile_n * 4 : 0;
}

/* A of two K-steps in the order of the MFMA operand, two of them; the scales of A in MXFP4 do not go through LDS. */
static uint32_t tile_lds_bytes(const struct gen_row *row)
{
    uint32_t codes_and_scale = row->a->element == MXG_ELEMENT_MXFP4 ? 16 : 16 + 1;
    return 2 * 2 * row->tile_m / GEN_MFMA_ROWS * GEN_WAVE_LANES * codes_and_scale;
}

/* A's codes of `depth` K-steps. */
static uint32_t wide_lds_bytes(const struct gen_row *row)
{
    return row->depth * row->tile_m * (MXG_K_STEP / 2);
}

enum { ROW = MXG_LAYOUT_BIT_ROW, SHUFFLED = MXG_LAYOUT_BIT_SHUFFLED };
enum {
    BF16 = GEN_FORMAT_BIT(MXG_ELEMENT_BF16),
    F16 = GEN_FORMAT_BIT(MXG_ELEMENT_F16),
    F32 = GEN_FORMAT_BIT(MXG_ELEMENT_F32),
    MXFP4 = GEN_FORMAT_BIT(MXG_ELEMENT_MXFP4)
};

const struct gen_template gen_templates[] = {
    {.name = "plain",
     .files = {"prelude", "mxfp4", "plain"},
     .a_formats = BF16 | MXFP4,
     .c_formats = BF16 | F16 | F32,
     .wave_m = GEN_MFMA_ROWS,
     .wave_n = GEN_MFMA_ROWS,
     .tile_m = {16, 1024},
     .tile_n = {16, 1024},
     .waves_m = {1, 16},
     .waves_n = {1, 16},
     .waves_k = {1, 1},
     .depth = {1, 1},
     .split = {1, 64},
     .b_layouts = ROW | SHUFFLED,
     .scale_layouts = ROW | SHUFFLED,
     .reduction = MXG_REDUCTION_SECOND_LAUNCH,
     .grid_order = MXG_GRID_TILES,
     .k_multiple = 32,
     .slice_k = 128,
     .lds_bytes = plain_lds_bytes},
    {.name = "stream",
     .files = {"prelude", "mxfp4", "handoff", "stream"},
     .a_formats = BF16 | MXFP4,
     .c_formats = BF16 | F16 | F32,
     .wave_m = GEN_MFMA_ROWS,
     .wave_n = GEN_MFMA_ROWS,
     .tile_m = {16, 1024},
     .tile_n = {16, 1024},
     .waves_m = {1, 1},
     .waves_n = {1, 1},
     .waves_k = {1, 16},
     .depth = {1, 16},
     .split = {1, 64},
     .b_layouts = SHUFFLED,
     .scale_layouts = SHUFFLED,
     .reduction = MXG_REDUCTION_LAST_WORKGROUP,
     .grid_order = MXG_GRID_XCD,
     .k_multiple = 64,
     .slice_k = 128,
     .highest_stride = offsets_fit,
     .lds_bytes = stream_lds_bytes},
    {.name = "tile",
     .files = {"prelude", "mxfp4", "handoff", "tile"},
     .a_formats = BF16 | MXFP4,
     .c_formats = BF16 | F16 | F32,
     .wave_m = 32,
     .wave_n = GEN_MFMA_ROWS,
     .tile_m = {32, 512},
     .tile_n = {32, 512},
     .waves_m = {1, 16},
     .waves_n = {1, 16},
     .waves_k = {1, 1},
     .depth = {2, 8},
     .split = {1, 64},
     .b_layouts = SHUFFLED,
     .scale_layouts = SHUFFLED,
     .reduction = MXG_REDUCTION_LAST_WORKGROUP,
     .grid_order = MXG_GRID_XCD,
     .k_multiple = 64,
     .slice_k = 256,
     .highest_stride = offsets_fit,
     .lds_bytes = tile_lds_bytes},
    {.name = "wide",
     .files = {"prelude", "mxfp4", "wide"},
     .a_formats = MXFP4,
     .c_formats = BF16 | F16 | F32,
     .wave_m = 2 * GEN_MFMA_ROWS,
     .wave_n = 2 * GEN_MFMA_ROWS,
     .tile_m = {32, 1024},
     .tile_n = {32, 1024},
     .waves_m = {1, 16},
     .waves_n = {1, 16},
     .waves_k = {1, 1},
     .depth = {4, 4},
     .split = {1, 1},
     .b_layouts = SHUFFLED,
     .scale_layouts = SHUFFLED,
     .reduction = MXG_REDUCTION_NONE,
     .grid_order = MXG_GRID_XCD,
     .k_multiple = 128,
     .slice_k = 128,
     .highest_stride = offsets_fit,
     .lds_bytes = wide_lds_bytes},
    /* Rows and columns of a tile are those of the tiles that shuffled scales lie in, the row's b_layouts its codes'. */
    {.name = "quantise",
     .kind = MXG_KIND_QUANTIZE,
     .files = {"prelude", "mxfp4", "quantise"},
     .a_formats = BF16,
     .c_formats = MXFP4,
     .wave_m = 8,
     .wave_n = 256,
     .tile_m = {32, 32},
     .tile_n = {256, 256},
     .waves_m = {1, 16},
     .waves_n = {1, 16},
     .waves_k = {1, 1},
     .depth = {1, 1},
     .split = {1, 1},
     .b_layouts = ROW,
     .scale_layouts = ROW | SHUFFLED,
     .reduction = MXG_REDUCTION_NONE,
     .grid_order = MXG_GRID_TILES,
     .k_multiple = 32,
     .slice_k = 128},
};
const size_t gen_template_count = sizeof gen_templates / sizeof gen_templates[0];

const struct gen_format gen_a_formats[] = {
    {"bf16", MXG_ELEMENT_BF16, "__bf16"},
    {"mxfp4", MXG_ELEMENT_MXFP4, "u8"},
};
const size_t gen_a_format_count = sizeof gen_a_formats / sizeof gen_a_formats[0];

const struct gen_format gen_c_formats[] = {
    {"bf16", MXG_ELEMENT_BF16, "__bf16"},
    {"f16", MXG_ELEMENT_F16, "f16"},
    {"f32", MXG_ELEMENT_F32, "float"},
    {"mxfp4", MXG_ELEMENT_MXFP4, "u8"}, /* of a quantiser */
};
const size_t gen_c_format_count = sizeof gen_c_formats / sizeof gen_c_formats[0];

uint32_t gen_row_threads(const struct gen_row *row)
{
    return row->waves_m * row->waves_n * row->waves_k * GEN_WAVE_LANES;
}

uint32_t gen_row_lds_bytes(const struct gen_row *row)
{
    return row->kernel->lds_bytes ? row->kernel->lds_bytes(row) : 0;
}

int gen_row_has_reduce(const struct gen_row *row)
{
    return row->split > 1 && row->kernel->reduction == MXG_REDUCTION_SECOND_LAUNCH;
}

/* What most rows have is left out: A in bf16, all waves on the same K-steps, a depth of 1. */
static int name_gemm(struct gen_row *row)
{
    char a[16] = "", waves_k[16] = "", depth[16] = "";
    if (row->a->element != MXG_ELEMENT_BF16) snprintf(a, sizeof a, "%s_", row->a->name);
    if (row->waves_k > 1) snprintf(waves_k, sizeof waves_k, "x%u", row->waves_k);
    if (row->depth > 1) snprintf(depth, sizeof depth, "_d%u", row->depth);
    int length =
        snprintf(row->name, sizeof row->name, "gemm_%s_%sm%un%u_w%ux%u%s%s_s%u_%s", row->kernel->name, a, row->tile_m,
                 row->tile_n, row->waves_m, row->waves_n, waves_k, depth, row->split, row->c->name);
    if (length >= MXG_VARIANT_NAME_BYTES || strrchr(row->name, '_') - row->name >= GEN_FAMILY_BYTES) return -1;
    gen_family(row->name, row->family);
    return 0;
}

int gen_row_name(struct gen_row *row)
{
    if (row->kernel->kind == MXG_KIND_GEMM) return name_gemm(row);
    snprintf(row->name, sizeof row->name, "%s_m%un%u_w%ux%u", row->kernel->name, row->tile_m, row->tile_n, row->waves_m,
             row->waves_n);
    return 0;
}

void gen_family(const char *name, char family[GEN_FAMILY_BYTES])
{
    const char *format = strrchr(name, '_');
    snprintf(family, GEN_FAMILY_BYTES, "%.*s", format ? (int)(format - name) : GEN_FAMILY_BYTES, name);
}

void gen_row_words(const struct gen_row *row, char words[GEN_ROW_WORDS_BYTES])
{
    snprintf(words, GEN_ROW_WORDS_BYTES,
             "template=%s a=%s tile_m=%u tile_n=%u waves_m=%u waves_n=%u waves_k=%u depth=%u split=%u c=%s",
             row->kernel->name, row->a->name, row->tile_m, row->tile_n, row->waves_m, row->waves_n, row->waves_k,
             row->depth, row->split, row->c->name);
}
