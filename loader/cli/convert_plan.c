#define _POSIX_C_SOURCE 200809L
#include "common/variant.h"
#include "loader/cli/convert.h"
#include "loader/layout.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Matrices of linear layers as common checkpoints name them, without what keeps its precision in them: embeddings,
 * norms, output heads and routers by their effect on quality, parts that see or hear, and GPT-2's c_proj, whose K comes
 * first. */
static const char *const quantized[] = {"*_proj.weight", "*_proj_with_mqa.weight", "*.w[123].weight",
                                        "*.w[qkvo].weight", NULL};
static const char *const not_quantized[] = {"*embed*",  "*norm*",  "*head*",          "*router*", "*vision*",
                                            "*visual*", "*audio*", "*.c_proj.weight", NULL};

/* MXFP4 as published, with what its order is known from. In all of them a byte has the lower k in its low nibble, a
 * scale is E8M0 with bias 127, and K is the last dimension. */
enum { U8 = 1 << SAFETENSORS_U8, I8 = 1 << SAFETENSORS_I8, F4 = 1 << SAFETENSORS_F4, E8M0 = 1 << SAFETENSORS_F8_E8M0 };
static const struct published {
    const char *codes, *scales; /* ends of the names */
    unsigned code_dtypes, scale_dtypes;
    bool blocks; /* codes are [..., rows, K / 32, 16] */
} published[] = {
    /* gpt-oss on Hugging Face: convert_moe_packed_tensors of transformers' integrations/mxfp4.py */
    {"_blocks", "_scales", U8, U8 | E8M0, true},
    /* gpt-oss from OpenAI: gpt_oss/torch/weights.py */
    {".blocks", ".scales", U8, U8 | E8M0, true},
    /* AMD Quark: Pack_fp4 of its torch/utils/pack.py, quark_ocp_mx.py of vLLM. F4 is the format's own dtype, whose
       shape counts elements, in the order of torch's Float4_e2m1fn_x2.h */
    {".weight", ".weight_scale", U8 | F4, U8 | E8M0, false},
    /* compressed-tensors' mxfp4-pack-quantized: its compressors/mxfp4/base.py and nvfp4/helpers.py */
    {".weight_packed", ".weight_scale", U8, U8 | E8M0, false},
    /* DeepSeek-V4: cast_e2m1fn_to_e4m3fn of its inference/convert.py */
    {".weight", ".scale", I8 | F4, E8M0, false},
    /* MLX has U32 and U8, which is known for no half of another, and left alone */
    {".weight", ".scales", 0, U8, false},
};
enum { PUBLISHED = sizeof published / sizeof *published };

/* A second scale for the whole matrix: NVFP4, by its producers. */
static const char *const second_scales[] = {".weight_scale_2", ".weight_global_scale", NULL};

enum { BLOCK_BYTES = MXG_BLOCK / 2 };

static const char as_it_is[] = "; --exclude copies it as it is";

static bool refuse(const char *name, const char *what, const char *other, const char *advice)
{
    char shown[SAFETENSORS_SHOWN_BYTES], other_shown[SAFETENSORS_SHOWN_BYTES];
    return cli_fail("tensor \"%s\" %s \"%s\"%s", safetensors_shown(name, shown), what,
                    safetensors_shown(other, other_shown), advice);
}

static bool ends_with(const char *name, const char *end)
{
    size_t bytes = strlen(name), end_bytes = strlen(end);
    return bytes > end_bytes && strcmp(name + bytes - end_bytes, end) == 0;
}

struct chooser {
    const struct safetensors *file;
    const struct cli_args *args;
    char *name; /* room for any name of the file and another end */
};

/* The tensor whose name has `to` where this one has `from`, its end; that name is chooser->name then. */
static const struct safetensors_tensor *find_other(const struct chooser *chooser, const char *name, const char *from,
                                                   const char *to)
{
    size_t stem = strlen(name) - strlen(from);
    memcpy(chooser->name, name, stem);
    strcpy(chooser->name + stem, to);
    return safetensors_find(chooser->file, chooser->name);
}

static bool matches_any(const char *name, const char *const *globs)
{
    while (*globs && fnmatch(*globs, name, 0) != 0) globs++;
    return *globs != NULL;
}

static bool matches(const char *name, const struct cli_globs *globs)
{
    for (int i = 0; i < globs->count; i++)
        if (fnmatch(globs->glob[i], name, 0) == 0) return true;
    return false;
}

/* ---- MXFP4 ------------------------------------------------------------------------------------------------------- */

static bool is_codes(const struct published *form, const struct safetensors_tensor *tensor)
{
    uint32_t dims = tensor->dims;
    if (!ends_with(tensor->name, form->codes) || !(form->code_dtypes >> tensor->dtype & 1)) return false;
    if (form->blocks) return dims >= 3 && tensor->shape[dims - 1] == BLOCK_BYTES;
    return dims >= 2 && tensor->shape[dims - 1] % (tensor->dtype == SAFETENSORS_F4 ? MXG_BLOCK : BLOCK_BYTES) == 0;
}

/* One scale a block. */
static bool scales_fit(const struct published *form, const struct safetensors_tensor *codes,
                       const struct safetensors_tensor *scales)
{
    uint32_t dims = scales->dims;
    if (!(form->scale_dtypes >> scales->dtype & 1) || codes->dims != dims + form->blocks) return false;
    for (uint32_t i = 0; i + 1 < dims; i++)
        if (codes->shape[i] != scales->shape[i]) return false;
    uint64_t blocks = codes->shape[dims - 1];
    if (!form->blocks) blocks /= codes->dtype == SAFETENSORS_F4 ? MXG_BLOCK : BLOCK_BYTES;
    return blocks > 0 && blocks == scales->shape[dims - 1];
}

/* Finds the scales of what may be codes, and refuses codes whose scales are elsewhere; in_scales stays NULL for what is
 * no codes. I8 without scales is nobody's MXFP4 for certain, and may be copied. */
static bool find_scales(const struct chooser *chooser, struct convert_item *item)
{
    const struct safetensors_tensor *in = item->in;
    const struct published *alone = NULL;
    for (const struct published *form = published; form < published + PUBLISHED; form++) {
        if (!is_codes(form, in)) continue;
        const struct safetensors_tensor *scales = find_other(chooser, in->name, form->codes, form->scales);
        if (!scales) {
            if (!alone) alone = form;
            continue;
        }
        item->left = "its scales are not one E8M0 byte a block of 32";
        if (!scales_fit(form, in, scales)) continue;
        item->left = NULL;
        for (const char *const *second = second_scales; *second; second++)
            if (find_other(chooser, in->name, form->codes, *second))
                item->left = "it has a second scale, so it is not MXFP4";
        if (!item->left) item->in_scales = scales;
        return true;
    }
    if (!alone || item->left || in->dtype == SAFETENSORS_I8) return true;
    (void)find_other(chooser, in->name, alone->codes, alone->scales);
    return refuse(in->name, "looks like MXFP4 without its scales: the file has no", chooser->name, as_it_is);
}

/* Refuses scales whose codes are elsewhere. */
static bool check_scales(const struct chooser *chooser, const struct safetensors_tensor *tensor)
{
    const struct published *alone = NULL;
    for (const struct published *form = published; form < published + PUBLISHED; form++) {
        if (!ends_with(tensor->name, form->scales) || !(form->scale_dtypes >> tensor->dtype & 1) || tensor->dims < 2)
            continue;
        if (find_other(chooser, tensor->name, form->scales, form->codes)) return true;
        if (!alone) alone = form;
    }
    if (!alone) return true;
    (void)find_other(chooser, tensor->name, alone->scales, alone->codes);
    return refuse(tensor->name, "looks like scales of MXFP4 without their codes: the file has no", chooser->name,
                  as_it_is);
}

/* ---- one tensor -------------------------------------------------------------------------------------------------- */

static int32_t format_of(enum safetensors_dtype dtype)
{
    return dtype == SAFETENSORS_BF16  ? MXG_FORMAT_BF16
           : dtype == SAFETENSORS_F16 ? MXG_FORMAT_F16
           : dtype == SAFETENSORS_F32 ? MXG_FORMAT_F32
                                      : 0;
}

static void choose_quantized(const struct cli_args *args, struct convert_item *item)
{
    const struct safetensors_tensor *in = item->in;
    const char *name = in->name;
    bool asked = matches(name, &args->include);
    if (!format_of(in->dtype) || in->dims < 2) return;
    if (args->include.count > 0 ? !asked : !matches_any(name, quantized) || matches_any(name, not_quantized)) return;
    uint64_t k = in->shape[in->dims - 1];
    if (in->dims > 2 && !asked) /* x * W or W * x: files have both, and nothing in them says which */
        item->left = "it has more than two dimensions, and K may not be the last; --include takes it for that";
    else if (k == 0 || k % MXG_BLOCK != 0)
        item->left = "its last dimension is no multiple of 32";
    else
        item->action = CONVERT_QUANTIZE;
}

static bool set_output(struct convert_output *out, const char *name, enum safetensors_dtype dtype, uint32_t dims,
                       const uint64_t *shape)
{
    out->name = name, out->dtype = dtype, out->dims = dims;
    out->shape = calloc(dims + 1u, sizeof *out->shape);
    if (!out->shape) return cli_fail("no memory for shapes");
    memcpy(out->shape, shape, dims * sizeof *shape);
    /* Codes are of whole 16 bytes and shuffled scales of 256, so all that follows keeps its alignment. */
    out->rank = 64 - safetensors_dtype_bits(dtype) + 2;
    return true;
}

static bool set_converted(const struct chooser *chooser, struct convert_item *item)
{
    const struct cli_args *args = chooser->args;
    const struct safetensors_tensor *in = item->in;
    uint32_t dims = item->in_scales ? item->in_scales->dims : in->dims;
    uint64_t scale_bytes, k = item->in_scales ? item->in_scales->shape[dims - 1] * MXG_BLOCK : in->shape[dims - 1];
    item->rows = (int64_t)in->shape[dims - 2], item->k = (int64_t)k, item->matrices = 1;
    for (uint32_t i = 0; i + 2 < dims; i++) item->matrices *= (int64_t)in->shape[i];
    item->in_format = item->in_scales ? MXG_FORMAT_MXFP4 : format_of(in->dtype);
    item->scale_layout = args->scale_layout ? args->scale_layout : MXG_LAYOUT_SHUFFLED;
    item->layout = args->b_layout ? args->b_layout : MXG_LAYOUT_SHUFFLED;
    if (item->rows % MXG_B_TILE_N != 0 || item->k % MXG_B_TILE_K != 0) item->layout = MXG_LAYOUT_ROW;
    if (!cli_check(mxg_scale_bytes(item->rows, item->k, item->scale_layout, &scale_bytes))) return false;

    if (!item->in_scales) {
        const struct safetensors_tensor *found = find_other(chooser, in->name, "", "_scale");
        if (found) return refuse(in->name, "gets scales of a name that the file has already,", found->name, "");
        item->scales_name = strdup(chooser->name);
        if (!item->scales_name) return cli_fail("no memory for names");
    }
    if (!set_output(&item->out, in->name, SAFETENSORS_U8, dims, in->shape) ||
        !set_output(&item->out_scales, item->in_scales ? item->in_scales->name : item->scales_name, SAFETENSORS_U8,
                    dims, in->shape))
        return false;
    uint64_t *shape = item->out_scales.shape;
    item->out.shape[dims - 1] = k / 2, shape[dims - 1] = k / MXG_BLOCK;
    item->out.rank = 0;
    if (item->scale_layout == MXG_LAYOUT_SHUFFLED) {
        shape[dims - 2] = (uint64_t)mxg_round_up(item->rows, MXG_SCALE_TILE_ROWS);
        shape[dims - 1] = (uint64_t)mxg_round_up((int64_t)shape[dims - 1], MXG_SCALE_TILE_BLOCKS);
        item->out_scales.rank = 1;
    }
    /* Made of bytes that the file has, only padding can overflow. */
    item->out.bytes = (uint64_t)item->matrices * (uint64_t)item->rows * (k / 2);
    if (__builtin_mul_overflow((uint64_t)item->matrices, scale_bytes, &item->out_scales.bytes))
        return refuse(in->name, "has more scales than 64 bits count, in", item->out_scales.name, "");
    return true;
}

static bool choose(const struct chooser *chooser, struct convert_item *item)
{
    const struct safetensors_tensor *in = item->in;
    const struct cli_globs *exclude = &chooser->args->exclude;
    if (in->begin < in->end && !matches(in->name, exclude)) { /* an empty one has nothing to convert */
        if (!find_scales(chooser, item) || !check_scales(chooser, in)) return false;
        if (item->in_scales && matches(item->in_scales->name, exclude)) item->in_scales = NULL;
        if (item->in_scales)
            item->action = CONVERT_SHUFFLE;
        else
            choose_quantized(chooser->args, item);
    }
    if (item->action != CONVERT_COPY) return set_converted(chooser, item);
    item->out.bytes = in->end - in->begin;
    return set_output(&item->out, in->name, in->dtype, in->dims, in->shape);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int by_rank(const void *left, const void *right)
{
    const struct convert_output *const *a = left, *const *b = right;
    if ((*a)->rank != (*b)->rank) return (*a)->rank < (*b)->rank ? -1 : 1;
    return *a < *b ? -1 : *a > *b; /* all lie in one array of items */
}

static bool place_outputs(struct convert_plan *plan)
{
    plan->outputs = calloc(plan->count * 2 + 1, sizeof *plan->outputs);
    if (!plan->outputs) return cli_fail("no memory for %zu tensors", plan->count);
    for (size_t i = 0; i < plan->count; i++) {
        struct convert_item *item = &plan->items[i];
        plan->outputs[plan->outputs_count++] = &item->out;
        if (item->action != CONVERT_COPY) plan->outputs[plan->outputs_count++] = &item->out_scales;
    }
    qsort(plan->outputs, plan->outputs_count, sizeof *plan->outputs, by_rank);
    for (size_t i = 0; i < plan->outputs_count; i++) {
        plan->outputs[i]->begin = plan->data_bytes;
        if (__builtin_add_overflow(plan->data_bytes, plan->outputs[i]->bytes, &plan->data_bytes) ||
            plan->data_bytes > INT64_MAX / 2)
            return cli_fail("the result would be larger than any file");
    }
    return true;
}

static bool is_converted(const struct safetensors *file)
{
    for (size_t i = 0; i < file->metadata_count; i++)
        if (strncmp(file->metadata[i].key, "mxgemm.", 7) == 0) return true;
    return false;
}

/* Decides for every tensor, and leaves no item for scales that belong to another. */
static bool choose_all(const struct chooser *chooser, struct convert_plan *plan, bool *paired)
{
    const struct safetensors *file = chooser->file;
    for (size_t i = 0; i < file->count; i++) {
        struct convert_item *item = &plan->items[plan->count++];
        item->in = &file->tensors[i];
        if (!choose(chooser, item)) return false;
        if (!item->in_scales) continue;
        bool *taken = &paired[item->in_scales - file->tensors];
        if (*taken) return refuse(item->in->name, "shares its scales with another:", item->in_scales->name, "");
        *taken = true;
    }
    plan->count = 0;
    for (size_t i = 0; i < file->count; i++) {
        if (paired[i])
            free(plan->items[i].out.shape);
        else
            plan->items[plan->count++] = plan->items[i];
    }
    return true;
}

bool convert_plan(const struct safetensors *file, const struct cli_args *args, struct convert_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->file = file;
    if (is_converted(file)) return cli_fail("%s: its metadata says that mxgemm has converted it already", args->in);
    size_t longest = 0;
    for (size_t i = 0; i < file->count; i++) {
        size_t length = strlen(file->tensors[i].name);
        if (length > longest) longest = length;
    }
    struct chooser chooser = {.file = file, .args = args, .name = malloc(longest + 32)};
    plan->items = calloc(file->count + 1, sizeof *plan->items);
    bool *paired = calloc(file->count + 1, sizeof *paired);
    bool good = ((chooser.name && plan->items && paired) || cli_fail("no memory for %zu tensors", file->count)) &&
                choose_all(&chooser, plan, paired) && place_outputs(plan);
    free(chooser.name);
    free(paired);
    return good;
}

void convert_plan_free(struct convert_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->items[i].scales_name);
        free(plan->items[i].out.shape);
        free(plan->items[i].out_scales.shape);
    }
    free(plan->items);
    free(plan->outputs);
    memset(plan, 0, sizeof *plan);
}
