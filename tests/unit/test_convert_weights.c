/* mxg_convert_weights() and the functions that are special cases of it: all formats and layouts at odd sizes, strides,
 * addresses and numbers of threads, between guard bytes, against the oracle; and what is refused. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "loader/weights.h"
#include "tests/random.h"
#include "tests/test.h"
#include "weights_oracle.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* In the place of libc's: counts threads, and makes no more once there are as many as allowed. */
static int threads_made, threads_allowed = 1000;
static bool signals_open; /* a thread could get a signal */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof real);
    if (threads_made == threads_allowed) return EAGAIN;
    threads_made++;
    sigset_t blocked;
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || !sigismember(&blocked, SIGTERM)) signals_open = true;
    return real(thread, attributes, run, argument);
}

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

static uint64_t seed = 1;

/* Memory of any bytes at an odd place, with guards at both sides. */
struct buffer {
    uint8_t *memory, *data;
    size_t bytes;
};

static struct buffer take(size_t bytes, size_t shift)
{
    struct buffer buffer = {.bytes = bytes};
    buffer.memory = malloc(bytes + 2 * GUARD + 64);
    if (!buffer.memory) exit(1);
    memset(buffer.memory, GUARD_BYTE, bytes + 2 * GUARD + 64);
    buffer.data = buffer.memory + GUARD + shift;
    return buffer;
}

static void fill(struct buffer *buffer, bool weights)
{
    for (size_t i = 0; i < buffer->bytes; i++) buffer->data[i] = (uint8_t)random_next(&seed);
    if (weights) /* no NaN in most blocks, exponents that are near each other */
        for (size_t i = 1; i < buffer->bytes; i += 2)
            buffer->data[i] = (uint8_t)(0x38 | (buffer->data[i] & (random_below(&seed, 900) ? 0x83 : 0xff)));
}

static void give_back(struct buffer *buffer, size_t shift)
{
    bool whole = true;
    for (size_t i = 0; i < GUARD + shift; i++) whole = whole && buffer->memory[i] == GUARD_BYTE;
    for (size_t i = 0; i < GUARD; i++) whole = whole && buffer->data[buffer->bytes + i] == GUARD_BYTE;
    CHECK(whole);
    free(buffer->memory);
}

struct shape {
    int64_t rows, k, ld;
};

static bool shuffles(const struct shape *s)
{
    return s->rows % 16 == 0 && s->k % 64 == 0;
}

/* What the oracle makes of `in`, each code byte and scale at its place; padding is 127. */
static void expect(const mxg_weights *w, uint8_t *codes, uint8_t *scales)
{
    size_t k = (size_t)w->k, rows = (size_t)w->rows, element_bytes = oracle_element_bytes(w->in_format);
    memset(scales, 127, oracle_scale_bytes(w->scale_layout, rows, k));
    for (size_t r = 0; r < rows; r++)
        for (size_t g = 0; g < k / 32; g++) {
            uint8_t block[16];
            const uint8_t *in = (const uint8_t *)w->in + (r * (size_t)w->ld_in + g * 32) * element_bytes;
            scales[oracle_scale_at(w->scale_layout, r, g, k)] = oracle_quantize(w->in_format, in, block);
            for (size_t b = 0; b < 16; b++) codes[oracle_code_at(w->layout, r, g * 16 + b, k)] = block[b];
        }
}

static void check_quantising(int32_t format, int32_t layout, int32_t scale_layout, const struct shape *s, int threads)
{
    size_t element_bytes = oracle_element_bytes(format), shift = random_below(&seed, 60);
    struct buffer in = take((size_t)((s->rows - 1) * s->ld + s->k) * element_bytes, shift / 4 * element_bytes);
    struct buffer codes = take((size_t)(s->rows * s->k / 2), shift);
    struct buffer scales = take(oracle_scale_bytes(scale_layout, (size_t)s->rows, (size_t)s->k), shift / 2);
    uint8_t *expected_codes = malloc(codes.bytes), *expected_scales = malloc(scales.bytes);
    if (!expected_codes || !expected_scales) exit(1);
    fill(&in, true);
    mxg_weights w = MXG_WEIGHTS_INIT;
    w.rows = s->rows, w.k = s->k, w.ld_in = s->ld, w.in_format = format, w.layout = layout;
    w.scale_layout = scale_layout, w.threads = threads, w.in = in.data, w.codes = codes.data, w.scales = scales.data;
    expect(&w, expected_codes, expected_scales);
    if (!CHECK_EQ(mxg_convert_weights(&w), MXG_OK) || !CHECK_MEM(codes.data, expected_codes, codes.bytes) ||
        !CHECK_MEM(scales.data, expected_scales, scales.bytes))
        printf("# format %d, layouts %d and %d, %d x %d of %d, %d threads\n", format, layout, scale_layout,
               (int)s->rows, (int)s->k, (int)s->ld, threads);
    free(expected_codes), free(expected_scales);
    give_back(&in, shift / 4 * element_bytes), give_back(&codes, shift), give_back(&scales, shift / 2);
}

static const struct shape shapes[] = {{1, 32, 32},    {1, 288, 290},    {2, 32, 33},     {15, 96, 96},
                                      {16, 64, 64},   {16, 128, 130},   {32, 256, 256},  {33, 96, 1000},
                                      {48, 320, 320}, {80, 2112, 2114}, {7, 4160, 4160}, {16, 4160, 4161},
                                      {64, 64, 64},   {95, 224, 225},   {320, 64, 64}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void quantises_all_formats_and_layouts(void)
{
    for (int i = 0; i < SHAPES; i++)
        for (int32_t format = MXG_FORMAT_BF16; format <= MXG_FORMAT_F32; format++)
            for (int32_t layout = MXG_LAYOUT_ROW; layout <= (shuffles(&shapes[i]) ? 2 : 1); layout++)
                for (int32_t scale_layout = MXG_LAYOUT_ROW; scale_layout <= MXG_LAYOUT_SHUFFLED; scale_layout++)
                    check_quantising(format, layout, scale_layout, &shapes[i], 1 + i % 3);
}

static void threads_give_the_same(void)
{
    const struct shape shape = {320, 192, 200};
    for (int threads = 1; threads <= 9; threads++) {
        threads_made = 0;
        check_quantising(MXG_FORMAT_BF16, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_SHUFFLED, &shape, threads);
        CHECK_EQ(threads_made, threads - 1);
    }
    threads_made = 0;
    check_quantising(MXG_FORMAT_F32, MXG_LAYOUT_ROW, MXG_LAYOUT_ROW, &shape, 1000);
    CHECK_EQ(threads_made, 9); /* of ten bands of rows */
    threads_made = 0;
    check_quantising(MXG_FORMAT_F16, MXG_LAYOUT_ROW, MXG_LAYOUT_ROW, &shape, 0);
    CHECK_EQ(threads_made, 0); /* so little is not worth one */
    CHECK(!signals_open);
}

static void without_threads_the_caller_does_it(void)
{
    const struct shape shape = {320, 192, 192};
    for (threads_allowed = 0; threads_allowed < 4; threads_allowed++) {
        threads_made = 0;
        check_quantising(MXG_FORMAT_BF16, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_ROW, &shape, 6);
        CHECK_EQ(threads_made, threads_allowed);
    }
    threads_allowed = 1000;
}

/* MXFP4 from one layout to another. want: bit 0 codes, bit 1 scales. */
static void check_relayout(const struct shape *s, int32_t from, int32_t to, int32_t scale_from, int32_t scale_to,
                           int want, int threads)
{
    size_t k = (size_t)s->k, rows = (size_t)s->rows, ld = from == MXG_LAYOUT_ROW ? (size_t)s->ld / 2 * 2 : k;
    size_t shift = random_below(&seed, 60);
    struct buffer in = take(((rows - 1) * ld + k) / 2, shift), codes = take(rows * k / 2, shift / 3);
    struct buffer in_scales = take(oracle_scale_bytes(scale_from, rows, k), shift);
    struct buffer scales = take(oracle_scale_bytes(scale_to, rows, k), shift / 2);
    fill(&in, false), fill(&in_scales, false);
    mxg_weights w = MXG_WEIGHTS_INIT;
    w.rows = s->rows, w.k = s->k, w.ld_in = (int64_t)ld, w.in_format = MXG_FORMAT_MXFP4, w.threads = threads;
    w.in_layout = from, w.layout = to, w.in_scale_layout = scale_from, w.scale_layout = scale_to;
    if (want & 1) w.in = in.data, w.codes = codes.data;
    if (want & 2) w.in_scales = in_scales.data, w.scales = scales.data;
    CHECK_EQ(mxg_convert_weights(&w), MXG_OK);
    bool good = true;
    for (size_t r = 0; r < rows && want & 1; r++)
        for (size_t b = 0; b < k / 2 && good; b++)
            good = CHECK_EQ(codes.data[oracle_code_at(to, r, b, k)],
                            in.data[from == MXG_LAYOUT_ROW ? r * ld / 2 + b : oracle_code_at(from, r, b, k)]);
    size_t padded_rows = want & 2 ? (scale_to == MXG_LAYOUT_ROW ? rows : (rows + 31) / 32 * 32) : 0;
    size_t padded_blocks = scale_to == MXG_LAYOUT_ROW ? k / 32 : (k / 32 + 7) / 8 * 8;
    for (size_t r = 0; r < padded_rows; r++)
        for (size_t g = 0; g < padded_blocks && good; g++)
            good = CHECK_EQ(scales.data[oracle_scale_at(scale_to, r, g, k)],
                            r < rows && g < k / 32 ? in_scales.data[oracle_scale_at(scale_from, r, g, k)] : 127);
    if (!good) printf("# %dx%d from %d %d to %d %d\n", (int)rows, (int)k, from, scale_from, to, scale_to);
    give_back(&in, shift), give_back(&codes, shift / 3), give_back(&in_scales, shift), give_back(&scales, shift / 2);
}

static void changes_all_layouts(void)
{
    for (int i = 0; i < SHAPES; i++)
        for (int layouts = 0; layouts < 16; layouts++) {
            int32_t from = 1 + (layouts & 1), to = 1 + (layouts >> 1 & 1);
            if ((from == 2 || to == 2) && !shuffles(&shapes[i])) continue;
            for (int want = 1; want <= 3; want++)
                check_relayout(&shapes[i], from, to, 1 + (layouts >> 2 & 1), 1 + (layouts >> 3), want, 1 + i % 4);
        }
}

/* So much that it is written past the caches, by rows that end within cache lines and at their ends. */
static void large(void)
{
    const struct shape wide = {1024, 8256, 8258}, tall = {16400, 544, 544}, long_rows = {4128, 33024, 33024};
    for (int layouts = 0; layouts < 4; layouts++)
        check_relayout(&wide, 1 + (layouts & 1), 1 + (layouts >> 1), 1 + (layouts >> 1), 1 + (layouts & 1), 3, 2);
    check_relayout(&tall, 1, 1, 1, 1, 1, 2);
    check_relayout(&long_rows, 1, 1, 2, 1, 2, 2);
    check_relayout(&long_rows, 1, 1, 1, 2, 2, 2);
    check_quantising(MXG_FORMAT_BF16, MXG_LAYOUT_ROW, MXG_LAYOUT_ROW, &tall, 2);
    check_quantising(MXG_FORMAT_F32, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_SHUFFLED, &wide, 2);
}

/* The short functions are the same conversions, in the calling thread, however large. */
static void short_functions(void)
{
    enum { ROWS = 2048, K = 1024 };
    static uint16_t in[ROWS * K];
    static uint8_t codes[ROWS * K / 2], shuffled[ROWS * K / 2], scales[ROWS * K / 32], back[ROWS * K / 32];
    static uint8_t shuffled_scales[ROWS * K / 32];
    threads_made = 0;
    CHECK_EQ(mxg_quantize_bf16(ROWS, K, in, 0, codes, scales, MXG_LAYOUT_ROW), MXG_OK);
    CHECK_EQ(mxg_shuffle_b(ROWS, K, codes, shuffled), MXG_OK);
    CHECK_EQ(mxg_unshuffle_b(ROWS, K, shuffled, codes), MXG_OK);
    CHECK_EQ(mxg_shuffle_scales(ROWS, K, scales, shuffled_scales), MXG_OK);
    CHECK_EQ(mxg_unshuffle_scales(ROWS, K, shuffled_scales, back), MXG_OK);
    CHECK_EQ(threads_made, 0);
    CHECK_EQ(mxg_shuffle_scales(0, 32, NULL, NULL), MXG_OK);
    CHECK_EQ(mxg_unshuffle_b(0, 64, NULL, NULL), MXG_OK);
}

/* Scales as hipBLASLt wants them pre-swizzled are these shuffled ones, where it needs no padding and where it does: the
 * oracle's order of axes is that of its own test data. Its padding is 0, which is not read. */
static void hipblaslt_scales(void)
{
    const struct shape unpadded = {64, 512, 512}, padded = {37, 96, 96};
    check_relayout(&unpadded, 1, 1, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED, 2, 1);
    check_relayout(&unpadded, 1, 1, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_ROW, 2, 1);
    check_relayout(&padded, 1, 1, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED, 2, 1);
    check_relayout(&padded, 1, 1, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_ROW, 2, 1);
}

static void refusals(void)
{
    static uint8_t in[64 * 64 * 4 + 8], codes[64 * 32], scales[64 * 8], in_scales[64 * 8];
    const mxg_weights fresh = MXG_WEIGHTS_INIT;
    mxg_weights good = fresh, w;
    good.rows = 16, good.k = 64, good.in = in, good.codes = codes, good.scales = scales;
    CHECK_EQ(mxg_convert_weights(&good), MXG_OK);
#define REFUSES(change, says)                                                                                          \
    w = good;                                                                                                          \
    change;                                                                                                            \
    CHECK_EQ(mxg_convert_weights(&w), MXG_ERROR_ARGUMENT);                                                             \
    CHECK_HAS(mxg_last_error(), "weights");                                                                            \
    CHECK_HAS(mxg_last_error(), says)
    CHECK_EQ(mxg_convert_weights(NULL), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "weights is NULL");
    REFUSES(w.struct_bytes = 0, "struct_bytes is 0");
    REFUSES(w.rows = -1, "rows is -1");
    REFUSES(w.k = 0, "k is 0");
    REFUSES(w.k = -64, "k is -64");
    REFUSES(w.k = 48, "k is 48");
    REFUSES(w.rows = INT64_MAX, "larger than any memory");
    REFUSES((w.rows = INT64_C(1) << 40, w.k = INT64_C(1) << 40), "k 1099511627776 is larger than any memory");
    REFUSES(w.ld_in = 63, "ld_in is 63, below k 64");
    REFUSES(w.ld_in = -1, "ld_in is -1");
    REFUSES(w.ld_in = INT64_MAX, "ld_in 9223372036854775807 is larger than any memory");
    REFUSES(w.in_format = 5, "in_format is 5");
    REFUSES(w.in_format = -1, "in_format is -1");
    REFUSES(w.in_layout = 3, "in_layout is 3");
    REFUSES(w.in_layout = MXG_LAYOUT_SHUFFLED, "in_layout is shuffled (2), but in is bf16");
    REFUSES((w.in_format = MXG_FORMAT_F32, w.in_scale_layout = 2), "in_scale_layout is shuffled (2), but in is f32");
    REFUSES(w.in_scale_layout = 4, "in_scale_layout is 4");
    REFUSES(w.layout = 3, ": layout is 3");
    REFUSES(w.scale_layout = -2, "scale_layout is -2");
    REFUSES(w.in_scales = in_scales, "in_scales is set, but in is bf16");
    REFUSES(w.threads = -1, "threads is -1");
    REFUSES(w.in = NULL, "in is NULL");
    REFUSES(w.codes = NULL, "codes is NULL");
    REFUSES(w.scales = NULL, "scales is NULL");
    REFUSES(w.in = in + 1, "is not aligned to its element of 2 bytes");
    REFUSES((w.in_format = MXG_FORMAT_F32, w.in = in + 2), "is not aligned to its element of 4 bytes");
    REFUSES((w.layout = 2, w.rows = 15), "rows is 15, not a multiple of 16");
    REFUSES((w.layout = 2, w.k = 32), "k is 32, not a multiple of 64");
    REFUSES(w.codes = in + 16 * 64 * 2 - 1, "in at ");
    REFUSES(w.scales = codes, "codes at ");
    REFUSES(w.scales = codes + 16 * 32 - 1, "overlap");
    good.in_format = MXG_FORMAT_MXFP4, good.in_scales = in_scales;
    CHECK_EQ(mxg_convert_weights(&good), MXG_OK);
    REFUSES(w.in = NULL, ": in is NULL");
    REFUSES(w.in_scales = NULL, "in_scales is NULL");
    REFUSES((w.codes = NULL, w.scales = NULL), "codes and scales are NULL");
    REFUSES(w.ld_in = 65, "ld_in is 65");
    REFUSES((w.in_layout = 2, w.ld_in = 128), "ld_in is 128: shuffled codes have no rows");
    REFUSES((w.in_layout = 2, w.rows = 8), "rows is 8");
    REFUSES(w.scales = in_scales, "in_scales at ");
#undef REFUSES
    w = good; /* a later version's struct, whose new field is 0, then set */
    struct {
        mxg_weights weights;
        uint64_t later;
    } larger = {good, 0};
    larger.weights.struct_bytes = sizeof larger;
    CHECK_EQ(mxg_convert_weights(&larger.weights), MXG_OK);
    larger.later = 1;
    CHECK_EQ(mxg_convert_weights(&larger.weights), MXG_ERROR_ARGUMENT);
    mxg_weights none = fresh; /* no rows: pointers do not matter */
    none.k = 32;
    CHECK_EQ(mxg_convert_weights(&none), MXG_OK);
    CHECK_EQ(mxg_shuffle_b(16, 64, in, NULL), MXG_ERROR_ARGUMENT);
    CHECK_STR(mxg_last_error(), "mxg_shuffle_b: out is NULL");
    CHECK_EQ(mxg_shuffle_b(16, 64, in, in + 16), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "mxg_shuffle_b: in at ");
    CHECK_EQ(mxg_unshuffle_scales(16, 64, NULL, scales), MXG_ERROR_ARGUMENT);
    CHECK_STR(mxg_last_error(), "mxg_unshuffle_scales: in is NULL");
}

int main(void)
{
    TEST(quantises_all_formats_and_layouts);
    TEST(threads_give_the_same);
    TEST(without_threads_the_caller_does_it);
    TEST(changes_all_layouts);
    TEST(large);
    TEST(short_functions);
    TEST(hipblaslt_scales);
    TEST(refusals);
    return test_end();
}
