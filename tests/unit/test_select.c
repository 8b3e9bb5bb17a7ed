/* Selection: what is refused and in which words, and that anyone else gets an answer, always the same. What is chosen
 * is in test_choice.c. */
#include "select_fixture.h"

static void illegal_problems(void)
{
    open_pack(4);
    seal_and_open();
    mxg_problem p;
#define REFUSES(change, says)                                                                                          \
    p = problem_of(4, 64, 512);                                                                                        \
    change;                                                                                                            \
    check_refused(&p, MXG_ERROR_ARGUMENT, says)
    REFUSES(p.k = 33, "k is 33: it must be a multiple of 32");
    REFUSES(p.k = 0, "k is 0");
    REFUSES(p.k = -32, "k is -32");
    REFUSES(p.m = -1, "m is -1");
    REFUSES(p.n = INT64_MIN, "n is -9223372036854775808");
    REFUSES(p.m = INT64_C(1) << 31, "m is 2147483648");
    REFUSES(p.k = INT32_MAX - 127 + 32, "k is 2147483552");
    REFUSES(p.lda = 511, "lda is 511, below k 512");
    REFUSES(p.lda = -512, "lda is -512");
    REFUSES(p.ldb = 510, "ldb is 510, below k 512");
    REFUSES(p.ldb = 513, "ldb is 513");
    REFUSES(p.ld_a_scale = 16, "ld_a_scale is 16, but A is bf16");
    REFUSES(p.ldc = 63, "ldc is 63, below n 64");
    REFUSES(p.ld_b_scale = 15, "ld_b_scale is 15, below the 16");
    REFUSES(p.lda = INT64_MAX, "m and lda are 4 and 9223372036854775807");
    REFUSES(p.ldc = INT64_MAX / 4, "ldc");
    REFUSES(p.ldb = INT64_MAX - 1, "ldb");
    REFUSES(p.ld_b_scale = INT64_MAX, "ld_b_scale");
    REFUSES(p.a_format = MXG_FORMAT_F16, "a_format is 2 (f16)");
    REFUSES(p.a_format = 77, "a_format is 77");
    REFUSES(p.c_format = MXG_FORMAT_MXFP4, "c_format is 4 (mxfp4)");
    REFUSES(p.b_layout = 3, "b_layout is 3");
    REFUSES(p.scale_layout = -1, "scale_layout is -1");
    REFUSES((p.b_layout = MXG_LAYOUT_SHUFFLED, p.n = 24), "n is 24: shuffled B exists for multiples of 16 only");
    REFUSES((p.b_layout = MXG_LAYOUT_SHUFFLED, p.k = 96), "k is 96: shuffled B exists for multiples of 64 only");
    REFUSES((p.b_layout = MXG_LAYOUT_SHUFFLED, p.ldb = 514), "ldb is 514: shuffled B has no rows");
    REFUSES((p.scale_layout = MXG_LAYOUT_SHUFFLED, p.ld_b_scale = 17), "ld_b_scale is 17: shuffled");
    REFUSES(p.split = -1, "split is -1");
    REFUSES(p.split = 5, "split is 5, above the 4 K-steps of 128 in k 512");
    REFUSES(p.reserved = 1, "reserved is 1");
    REFUSES(p.struct_bytes = 0, "struct_bytes is 0");
#define REFUSES_MXFP4(change, says) REFUSES((p.a_format = MXG_FORMAT_MXFP4, change), says)
    REFUSES_MXFP4(p.lda = 511, "lda is 511, below k 512");
    REFUSES_MXFP4(p.lda = 513, "lda is 513: rows of codes are whole bytes, so it must be even");
    REFUSES_MXFP4(p.lda = INT64_MAX - 1, "m and lda are 4 and 9223372036854775806");
    REFUSES_MXFP4(p.ld_a_scale = 15, "ld_a_scale is 15, below the 16 scales in a row of k 512");
    REFUSES_MXFP4(p.ld_a_scale = -16, "ld_a_scale is -16, below");
    REFUSES_MXFP4(p.ld_a_scale = INT64_MAX, "m and ld_a_scale are 4 and 9223372036854775807");
    REFUSES_MXFP4((p.scale_layout = MXG_LAYOUT_SHUFFLED, p.ld_a_scale = 17), "ld_a_scale is 17: shuffled scales have");
#undef REFUSES_MXFP4
#undef REFUSES
    check_refused(NULL, MXG_ERROR_ARGUMENT, "problem is NULL");
    uint32_t index;
    p = problem_of(4, 64, 512);
    CHECK_EQ(mxg_library_select(NULL, &p, NULL, &index), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_select(library, &p, NULL, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_select(library, &p, ON_CUS(0), &index), MXG_ERROR_ARGUMENT);
    close_pack();
}

static void legal_problems(void)
{
    open_pack(4);
    seal_and_open();
    const mxg_problem cases[] = {
        problem_of(1, 1, 32),          problem_of(1, 64, 32),      problem_of(17, 48, 96),
        problem_of(33, 80, 160),       problem_of(0, 64, 512),     problem_of(64, 0, 512),
        problem_of(65, 129, 1824),     problem_of(1, 57344, 8192), problem_of(1048577, 64, 32),
        problem_of(4, 64, 2147483520),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t index;
        if (!CHECK_EQ(choose(&cases[i], &index), MXG_OK)) printf("# case %zu: %s\n", i, mxg_last_error());
    }
    mxg_problem wide = problem_of(5, 48, 192);
    wide.lda = 1000, wide.ldb = 1000, wide.ldc = 77, wide.ld_b_scale = 99;
    uint32_t index;
    CHECK_EQ(choose(&wide, &index), MXG_OK);
    mxg_problem zeros = {0}; /* all defaults are zeros, so this is enough */
    zeros.struct_bytes = sizeof zeros, zeros.m = 1, zeros.n = 1, zeros.k = 32;
    CHECK_EQ(choose(&zeros, &index), MXG_OK);
    close_pack();
}

static void what_no_variant_does(void)
{
    open_pack(4);
    seal_and_open();
    mxg_problem p = problem_of(4, 64, 512);
    p.a_format = MXG_FORMAT_MXFP4;
    check_refused(
        &p, MXG_ERROR_NO_VARIANT,
        "no variant of this pack does m 4, n 64, k 512 with A mxfp4, B row, scales row, C bf16: 4 by a_format (v0 "
        "takes A as bf16, not mxfp4)");
    p = problem_of(4, 64, 512);
    p.c_format = MXG_FORMAT_F32;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "4 by c_format (v0 writes C as bf16, not f32)");
    p = problem_of(4, 64, 512);
    p.split = 3;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "4 by split (v0 has split 1, not 3)");
    p = problem_of(4, 64, 512);
    p.variant = "nope";
    check_refused(&p, MXG_ERROR_NO_VARIANT, "no variant named nope");
    p.variant = "v3"; /* of split 8 */
    check_refused(&p, MXG_ERROR_NO_VARIANT, "variant v3 does not do m 4");
    CHECK_HAS(mxg_last_error(), "split 8, above the 4 steps of 128 in K");
    uint32_t index;
    p.variant = "v2";
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 2);
    p.split = 2;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "has split 4, not 2");
    close_pack();

    open_pack(2);
    pack_set(&pack, 0, RECORD_B_LAYOUTS, 1);
    pack_set(&pack, 1, RECORD_SCALE_LAYOUTS, 1);
    seal_and_open();
    p = problem_of(4, 64, 512);
    p.b_layout = p.scale_layout = MXG_LAYOUT_SHUFFLED;
    check_refused(&p, MXG_ERROR_NO_VARIANT,
                  "1 by b_layout (v0 does not take B in layout shuffled), 1 by scale_layout (v1 does not take scales");
    p.scale_layout = MXG_LAYOUT_ROW;
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 1);
    close_pack();

    open_pack(1);
    pack_set(&pack, 0, RECORD_KERNARG_BYTES, 129);
    seal_and_open();
    p = problem_of(4, 64, 512);
    check_refused(&p, MXG_ERROR_NO_VARIANT, "takes 129 bytes of arguments, this library passes 128");
    close_pack();

    open_pack(0);
    seal_and_open();
    check_refused(&p, MXG_ERROR_NO_VARIANT, "no variants");
    close_pack();
}

/* v1 has two slices, which begin at multiples of 256: neither may be empty. */
static void slices(void)
{
    open_pack(2);
    pack_set(&pack, 1, RECORD_SLICE_K, 256);
    seal_and_open();
    uint32_t index;
    mxg_problem p = problem_of(4, 64, 256);
    p.split = 2;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "by split (v0 has split 1, not 2)");
    CHECK_HAS(mxg_last_error(), "2 by split");
    p.variant = "v1";
    check_refused(&p, MXG_ERROR_NO_VARIANT, "has split 2, above the 1 steps of 256 in K");
    p.k = 256 + 32;
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 1);
    close_pack();
}

/* v0 takes A in MXFP4, v1 any K and strides; v2 whole K-steps and strides up to 1000. A host that was built before A in
 * MXFP4 had a stride of scales has none in its struct. */
static void predicates(void)
{
    open_pack(3);
    pack_set(&pack, 0, RECORD_A_FORMAT, MXG_FORMAT_MXFP4);
    pack_set(&pack, 2, RECORD_K_MULTIPLE, 128);
    pack_set(&pack, 2, RECORD_HIGHEST_STRIDE, 1000);
    pack_set(&pack, 2, RECORD_ROUND_TRIP_STEPS, 8); /* preferred where it may be */
    seal_and_open();
    uint32_t index;
    mxg_problem p = problem_of(4, 64, 512);
    p.a_format = MXG_FORMAT_MXFP4;
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 0);
    p.lda = 514, p.ld_a_scale = 17;
    CHECK_EQ(choose(&p, &index), MXG_OK);
    p.ld_a_scale = INT64_MAX;
    p.struct_bytes = offsetof(mxg_problem, ld_a_scale);
    CHECK_EQ(choose(&p, &index), MXG_OK);

    p = problem_of(4, 64, 512);
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 2);
    p.k = 512 + 64; /* for others only */
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 1);
    p.variant = "v2";
    check_refused(&p, MXG_ERROR_NO_VARIANT, "takes K in multiples of 128, not 576");
#define HIGHEST(field, highest, says)                                                                                  \
    p = problem_of(4, 64, 512), p.variant = "v2", p.field = highest;                                                   \
    CHECK_EQ(choose(&p, &index), MXG_OK);                                                                              \
    p.field++;                                                                                                         \
    check_refused(&p, MXG_ERROR_NO_VARIANT, says);                                                                     \
    p.variant = NULL;                                                                                                  \
    CHECK_EQ(choose(&p, &index), MXG_OK);                                                                              \
    CHECK_EQ(index, 1)
    HIGHEST(lda, 1000, "has lda up to 1000, not 1001");
    HIGHEST(ldc, 1000, "has ldc up to 1000, not 1001");
#undef HIGHEST
    p = problem_of(4, 64, 1024), p.variant = "v2"; /* whose lda is K */
    check_refused(&p, MXG_ERROR_NO_VARIANT, "has lda up to 1000, not 1024");
    close_pack();

    open_pack(1);
    pack_set_quantizer(&pack, 0);
    seal_and_open();
    p = problem_of(4, 64, 512);
    check_refused(&p, MXG_ERROR_NO_VARIANT, "1 by kind (v0 is a quantiser, no GEMM)");
    p.variant = "v0";
    check_refused(&p, MXG_ERROR_NO_VARIANT, "variant v0 does not do m 4, n 64, k 512");
    CHECK_HAS(mxg_last_error(), "is a quantiser, no GEMM");
    close_pack();
}

/* Limits of a grid: another variant or a reason, never a launch that is cut short (L19). */
static void grids(void)
{
    open_pack(2); /* tiles of 16 x 64, split 1 and 2; 256 threads */
    seal_and_open();
    uint32_t index;
    mxg_problem p = problem_of(1, 65535 * 64, 128);
    CHECK_EQ(choose(&p, &index), MXG_OK);
    p.n++;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "v0 it would need 65536 workgroups in y, above 65535");
    p = problem_of((INT64_C(1) << 24) * 16 - 16, 1, 128); /* x * 256 just below 2^32 */
    CHECK_EQ(choose(&p, &index), MXG_OK);
    p.m++;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "16777216 workgroups of 256 in x");
    p = problem_of(INT32_MAX, 1, 128);
    check_refused(&p, MXG_ERROR_NO_VARIANT, "passes 2^31 - 1");

    p = problem_of(1 << 24, 64, 256); /* the reduction has a row of C a workgroup */
    p.split = 2;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "its reduction would need 16777216 workgroups of 256 in x");
    p.m--;
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 1);
    p = problem_of(1, 16000000, 256);
    p.split = 2;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "by grid (v1 it would need 250000 workgroups in y");
    close_pack();

    open_pack(2); /* 4096 counters of tiles of 16 x 64; y has rows of tiles in the order by XCDs */
    pack_set(&pack, 0, RECORD_GRID_ORDER, 1);
    pack_set_last_workgroup(&pack, 1);
    seal_and_open();
    p = problem_of(64 * 16, 64 * 64, 256);
    p.variant = "v1";
    CHECK_EQ(choose(&p, &index), MXG_OK);
    p.n++;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "it would need 4160 counters of tiles, above 4096");
    p = problem_of(65535 * 16, 64, 256);
    p.variant = "v0";
    CHECK_EQ(choose(&p, &index), MXG_OK);
    p.m++;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "it would need 65536 workgroups in y, above 65535");
    p = problem_of(16, 8 * 65535 * 64, 256);
    p.variant = "v0";
    CHECK_EQ(choose(&p, &index), MXG_OK);
    p.n++;
    check_refused(&p, MXG_ERROR_NO_VARIANT, "it would need 65536 workgroups in z, above 65535");
    close_pack();
}

/* Any problem and any number of compute units: a variant or a sentence (T9). */
static void everyone_gets_an_answer(void)
{
    if (mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library)) abort();
    static const int64_t ms[] = {1, 3, 16, 100, 1024, 5000}, ns[] = {1, 64, 2112, 57344},
                         ks[] = {32, 96, 512, 7168, 28672};
    static const uint32_t cus[] = {1, 128, 256, 304};
    for (int m = 0; m < 6; m++)
        for (int n = 0; n < 4; n++)
            for (int k = 0; k < 5; k++)
                for (int c = 0; c < 4; c++)
                    for (int32_t format = MXG_FORMAT_BF16; format <= MXG_FORMAT_F32; format++) {
                        mxg_problem p = problem_of(ms[m], ns[n], ks[k]);
                        p.c_format = format;
                        uint32_t first = 0, second = 0;
                        CHECK_EQ(mxg_library_select(library, &p, ON_CUS(cus[c]), &first), MXG_OK);
                        CHECK_EQ(mxg_library_select(library, &p, ON_CUS(cus[c]), &second), MXG_OK);
                        CHECK_EQ(first, second);
                    }
    mxg_library_close(library);
}

int main(void)
{
    TEST(illegal_problems);
    TEST(legal_problems);
    TEST(what_no_variant_does);
    TEST(slices);
    TEST(predicates);
    TEST(grids);
    TEST(everyone_gets_an_answer);
    return test_end();
}
