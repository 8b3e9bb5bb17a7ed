/* T5 for the quantiser that is a kernel of its own: its bytes are the oracle's. */
#include "tests/gemm/blocks.h"
#include "tests/gemm/device.h"
#include "tests/gemm/session.h"
#include "tests/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Gaps and offsets are in elements of `in`, and in bytes of the others. */
static const struct {
    int rows, k; /* rows 0: every bf16 as a block's largest */
    int in_gap, code_gap, scale_gap, misaligned;
    mxg_layout layout;
} quantised[] = {
    {0, 512, 0, 0, 0, 0, MXG_LAYOUT_ROW},   {0, 512, 0, 0, 0, 0, MXG_LAYOUT_SHUFFLED},
    {33, 96, 0, 0, 0, 0, MXG_LAYOUT_ROW},   {33, 96, 0, 0, 0, 1, MXG_LAYOUT_SHUFFLED},
    {65, 1856, 7, 3, 5, 1, MXG_LAYOUT_ROW}, {65, 1856, 8, 16, 0, 0, MXG_LAYOUT_SHUFFLED},
    {1, 32, 0, 0, 0, 0, MXG_LAYOUT_ROW},    {1, 7168, 0, 0, 0, 0, MXG_LAYOUT_SHUFFLED},
    {31, 2080, 1, 1, 1, 1, MXG_LAYOUT_ROW}, {130, 288, 0, 0, 0, 0, MXG_LAYOUT_SHUFFLED},
};

enum { FILL = 0xee };

static void *take(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) abort();
    return memory;
}

/* What each buffer has to hold in the end, gaps as they were. */
struct image {
    unsigned char *right, *got, *device, *allocation;
    size_t bytes;
};

static struct image make_image(size_t bytes, int offset)
{
    struct image i = {.right = take(bytes), .got = take(bytes), .bytes = bytes};
    memset(i.right, FILL, bytes);
    i.allocation = device_alloc(bytes + (size_t)offset);
    i.device = i.allocation + offset;
    device_write(i.device, i.right, bytes);
    return i;
}

static int image_right(struct image *i, const char *what, char why[512])
{
    device_read(i->got, i->device, i->bytes);
    for (size_t at = 0; at < i->bytes; at++)
        if (i->got[at] != i->right[at]) {
            snprintf(why, 512, "byte %zu of %s is 0x%02x, right is 0x%02x", at, what, i->got[at], i->right[at]);
            return 0;
        }
    return 1;
}

static void free_image(struct image *i)
{
    free(i->right);
    free(i->got);
    device_free(i->allocation);
}

static uint16_t *make_input(int *rows, int k, size_t stride)
{
    uint64_t state = 9;
    if (*rows == 0) {
        *rows = AMAX_BLOCKS * BLOCK / k;
        return amax_blocks()[0]; /* it has no gaps */
    }
    size_t count = (size_t)(*rows - 1) * stride + (size_t)k;
    uint16_t *in = take(count * 2);
    for (size_t i = 0; i < count; i++) /* exponents near each other, here and there a NaN or an infinity */
        in[i] = (uint16_t)((random_next(&state) & 0x83ff) |
                           (random_below(&state, 500) ? 0x3c00u + (i / 32 % 8 << 10) % 0x4000u : 0x7f80u));
    return in;
}

static void quantise_rows(const uint16_t *in, size_t in_stride, int rows, int k, struct image *codes,
                          size_t code_stride, uint8_t *scale)
{
    const size_t groups = (size_t)k / BLOCK;
    for (size_t row = 0; row < (size_t)rows; row++)
        for (size_t g = 0; g < groups; g++)
            oracle_quantise_bytes(in + row * in_stride + g * BLOCK, codes->right + row * code_stride + g * (BLOCK / 2),
                                  scale + row * groups + g);
}

static unsigned quantizer_units(const struct session *s)
{
    (void)s;
    return COUNT(quantised);
}

static void run_quantizer(struct session *s, unsigned unit)
{
    int rows = quantised[unit].rows;
    const int k = quantised[unit].k, offset = quantised[unit].misaligned;
    const mxg_layout layout = quantised[unit].layout;
    const size_t in_stride = (size_t)(k + quantised[unit].in_gap), groups = (size_t)k / BLOCK;
    const size_t code_stride = (size_t)(k / 2 + quantised[unit].code_gap);
    const size_t scale_stride = groups + (size_t)quantised[unit].scale_gap;
    uint16_t *in = make_input(&rows, k, in_stride);
    const size_t in_bytes = ((size_t)(rows - 1) * in_stride + (size_t)k) * 2;
    char name[256], why[512] = "";
    mxg_variant_info info;
    uint32_t variant = 0; /* the pack's first quantiser, as the library takes it */
    while (session_variant(s, variant, &info), info.kind == 0 && variant + 1 < session_variants(s)) variant++;
    if (info.kind == 0) info.name = "of which there is none";
    snprintf(name, sizeof name, "T5: quantiser's bytes of %dx%d, scales %s, gaps %d %d %d%s, %s", rows, k,
             layout == MXG_LAYOUT_ROW ? "row" : "shuffled", quantised[unit].in_gap, quantised[unit].code_gap,
             quantised[unit].scale_gap, offset ? ", misaligned" : "", info.name);
    if (!session_wants(s, name)) {
        free(in);
        return;
    }

    struct image codes = make_image((size_t)(rows - 1) * code_stride + (size_t)k / 2, offset);
    struct image scales = make_image(layout == MXG_LAYOUT_ROW ? (size_t)(rows - 1) * scale_stride + groups
                                                              : oracle_shuffled_scale_bytes(rows, k),
                                     offset);
    uint8_t *scale = take((size_t)rows * groups);
    quantise_rows(in, in_stride, rows, k, &codes, code_stride, scale);
    if (layout == MXG_LAYOUT_SHUFFLED) oracle_shuffle_scale(rows, k, scale, scales.right, 127);
    for (size_t row = 0; layout == MXG_LAYOUT_ROW && row < (size_t)rows; row++)
        memcpy(scales.right + row * scale_stride, scale + row * groups, groups);

    unsigned char *device_in = device_alloc(in_bytes + 2 * (size_t)offset);
    device_write(device_in + 2 * offset, in, in_bytes);
    mxg_quantize_args args = MXG_QUANTIZE_ARGS_INIT;
    args.rows = rows, args.k = k, args.scale_layout = (int32_t)layout;
    args.ld_in = (int64_t)in_stride, args.ld_codes = 2 * (int64_t)code_stride;
    args.ld_scale = layout == MXG_LAYOUT_ROW ? (int64_t)scale_stride : 0;
    args.in = device_in + 2 * offset, args.codes = codes.device, args.scale = scales.device;
    mxg_quantizer *quantizer = NULL;
    int right = 0;
    if (mxg_quantizer_create(s->context, &quantizer) || mxg_quantize(quantizer, &args, NULL)) {
        snprintf(why, sizeof why, "%s", mxg_last_error());
    } else {
        device_wait();
        right = image_right(&codes, "the codes", why) && image_right(&scales, "the scales", why);
    }
    session_report(s, right, name, why);
    mxg_quantizer_destroy(quantizer);
    free_image(&codes);
    free_image(&scales);
    device_free(device_in);
    free(scale);
    free(in);
}

const struct suite quantizer_suites[] = {{TIER_QUICK, quantizer_units, run_quantizer}};
const size_t quantizer_suite_count = COUNT(quantizer_suites);
