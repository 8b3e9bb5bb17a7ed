/* What kernels are given by the loader, over a HIP that keeps it: grids, arguments and the workspace. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

enum { COUNTER_BYTES = 4096 * 4, KERNARG_BYTES = 124 };

static void kernels_get_what_they_need(void)
{
    begin();
    mxg_context *context;
    mxg_plan *plan;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(33, 80, 320, 2);
    problem.lda = 321, problem.ldb = 322, problem.ldc = 83, problem.ld_b_scale = 11;
    problem.c_format = MXG_FORMAT_BF16;
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    const uint64_t bytes = COUNTER_BYTES + 2 * 33 * 80 * 4;
    CHECK_EQ(mxg_plan_workspace_bytes(plan), bytes);
    mxg_variant_info info;
    info.struct_bytes = sizeof info;
    CHECK_EQ(mxg_plan_variant(plan, &info), MXG_OK);
    CHECK_STR(info.name, "v1");

    mxg_buffers buffers = some_buffers();
    float bias[80] = {0};
    buffers.bias = bias, buffers.alpha = 0.5f;
    int stream;
    REQUIRE(mxg_run(plan, &buffers, memory, bytes, &stream) == MXG_OK);
    REQUIRE(fake.launches == 2);
    const struct fake_launch *gemm = &fake.launch[0], *reduce = &fake.launch[1];
    CHECK_STR(gemm->kernel, "v1");
    CHECK_STR(reduce->kernel, "v1_reduce");
    const unsigned gemm_grid[] = {3, 2, 2}, reduce_grid[] = {33, 1, 1}, block[] = {256, 1, 1};
    CHECK_MEM(gemm->grid, gemm_grid, sizeof gemm_grid);
    CHECK_MEM(reduce->grid, reduce_grid, sizeof reduce_grid);
    CHECK_MEM(gemm->block, block, sizeof block);
    CHECK_MEM(reduce->block, block, sizeof block);
    CHECK(gemm->stream == &stream && reduce->stream == &stream);
    CHECK_MEM(&gemm->kernarg, &reduce->kernarg, KERNARG_BYTES);
    const struct mxg_kernarg *k = &gemm->kernarg;
    CHECK(k->a == buffers.a && k->b == buffers.b && k->b_scale == buffers.b_scale && k->c == buffers.c);
    CHECK(k->counters == (void *)memory && k->partials == (void *)(memory + COUNTER_BYTES));
    CHECK(k->bias == bias && k->alpha == 0.5f && k->a_scale == NULL);
    CHECK_EQ(k->m, 33);
    CHECK_EQ(k->n, 80);
    CHECK_EQ(k->k, 320);
    CHECK_EQ(k->lda, 642);
    CHECK_EQ(k->ldb, 161);
    CHECK_EQ(k->ldc, 83);
    CHECK_EQ(k->ld_b_scale, 11);
    CHECK_EQ(k->ld_a_scale, 0);
    CHECK_EQ(k->layout, 0);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);

    problem = problem_of(1, 32, 320, 1);
    problem.b_layout = problem.scale_layout = MXG_LAYOUT_SHUFFLED;
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    CHECK_EQ(mxg_plan_workspace_bytes(plan), 0);
    CHECK_EQ(mxg_run(plan, &buffers, NULL, 0, NULL), MXG_OK);
    k = &fake.launch[2].kernarg;
    CHECK_EQ(fake.launches, 3);
    CHECK_EQ(fake.launch[2].kernarg_bytes, KERNARG_BYTES);
    CHECK_EQ(k->layout, 3);
    CHECK_EQ(k->ld_b_scale, 16);
    CHECK_EQ(k->ld_a_scale, 0);
    CHECK(k->counters == NULL && k->partials == NULL);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

/* A variant of A in MXFP4 by its kernel's own arguments: lda in bytes, scales as B's. */
static void a_in_mxfp4(void)
{
    make_library();
    pack_set(&pack, 0, RECORD_A_FORMAT, MXG_FORMAT_MXFP4);
    open_library();
    mxg_context *context;
    mxg_plan *plan;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(33, 80, 320, 0);
    problem.a_format = MXG_FORMAT_MXFP4;
    problem.lda = 322, problem.ld_a_scale = 13, problem.ld_b_scale = 11;
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    mxg_buffers buffers = some_buffers();
    CHECK_EQ(mxg_run(plan, &buffers, NULL, 0, NULL), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "a_scale is NULL, but A is MXFP4");
    buffers.a = memory + 1, buffers.a_scale = memory + 5; /* any byte */
    CHECK_EQ(mxg_run(plan, &buffers, NULL, 0, NULL), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    problem.lda = problem.ld_a_scale = problem.ld_b_scale = 0;
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    CHECK_EQ(mxg_run(plan, &buffers, NULL, 0, NULL), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    problem.scale_layout = MXG_LAYOUT_SHUFFLED;
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    CHECK_EQ(mxg_run(plan, &buffers, NULL, 0, NULL), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);

    REQUIRE(fake.launches == 3);
    static const struct {
        int64_t lda, ld_a_scale, ld_b_scale;
        uint32_t layout;
    } expected[] = {{161, 13, 11, 0}, {160, 10, 10, 0}, {160, 16, 16, 2}};
    for (int i = 0; i < 3; i++) {
        const struct mxg_kernarg *k = &fake.launch[i].kernarg;
        CHECK(k->a == buffers.a && k->a_scale == buffers.a_scale);
        CHECK_EQ(k->lda, expected[i].lda);
        CHECK_EQ(k->ld_a_scale, expected[i].ld_a_scale);
        CHECK_EQ(k->ld_b_scale, expected[i].ld_b_scale);
        CHECK_EQ(k->layout, expected[i].layout);
    }
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

/* One launch, whose partial sums are of whole tiles: 3 x 2 of them; and the grid by XCDs, where 2 columns of tiles in 2
 * slices fill half of the 8. */
static void last_workgroups(void)
{
    make_library();
    pack_set_last_workgroup(&pack, 1);
    pack_set_last_workgroup(&pack, 2);
    pack_set(&pack, 2, RECORD_GRID_ORDER, 1);
    open_library();
    mxg_context *context;
    mxg_plan *plan;
    REQUIRE(create(0, &context) == MXG_OK);
    static const struct {
        const char *name;
        unsigned grid[3];
        uint64_t split;
    } expected[] = {{"v1", {3, 2, 2}, 2}, {"v2", {8, 3, 1}, 4}};
    mxg_buffers buffers = some_buffers();
    for (int i = 0; i < 2; i++) {
        mxg_problem problem = problem_of(33, 80, 512, 0);
        problem.variant = expected[i].name;
        REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
        const uint64_t bytes = COUNTER_BYTES + 3 * 2 * expected[i].split * 16 * 64 * 4;
        CHECK_EQ(mxg_plan_workspace_bytes(plan), bytes);
        CHECK_EQ(mxg_run(plan, &buffers, memory, bytes - 1, NULL), MXG_ERROR_WORKSPACE);
        CHECK_EQ(mxg_run(plan, &buffers, memory, bytes, NULL), MXG_OK);
        CHECK_EQ(fake.launches, i + 1);
        CHECK_STR(fake.launch[i].kernel, expected[i].name);
        CHECK_MEM(fake.launch[i].grid, expected[i].grid, sizeof expected[i].grid);
        CHECK(fake.launch[i].kernarg.counters == (void *)memory);
        CHECK(fake.launch[i].kernarg.partials == (void *)(memory + COUNTER_BYTES));
        CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    }
    mxg_problem problem = problem_of(33, 600, 512, 4); /* 10 columns of tiles in 4 slices: 40 = 5 * 8 */
    problem.variant = "v2";
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    CHECK_EQ(mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL), MXG_OK);
    const unsigned grid[] = {8, 3, 5};
    CHECK_MEM(fake.launch[2].grid, grid, sizeof grid);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

/* Made ready once, a workspace serves plans of both reductions and of any size, each as if it were alone. */
static void a_shared_workspace(void)
{
    make_library();
    pack_set_last_workgroup(&pack, 2);
    open_library();
    mxg_context *context;
    mxg_plan *none, *small, *large;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 1);
    REQUIRE(mxg_plan_create(context, &problem, &none) == MXG_OK);
    problem.split = 2;
    REQUIRE(mxg_plan_create(context, &problem, &small) == MXG_OK);
    problem.split = 4, problem.m = 100;
    REQUIRE(mxg_plan_create(context, &problem, &large) == MXG_OK);
    const uint64_t small_bytes = COUNTER_BYTES + 2 * 4 * 64 * 4, bytes = COUNTER_BYTES + 7 * 4 * 16 * 64 * 4;
    CHECK_EQ(mxg_plan_workspace_bytes(none), 0);
    CHECK_EQ(mxg_plan_workspace_bytes(small), small_bytes);
    CHECK_EQ(mxg_plan_workspace_bytes(large), bytes);

    int stream;
    int before = fake.calls;
    CHECK_EQ(mxg_workspace_init(small, memory, bytes, &stream), MXG_OK);
    CHECK_EQ(fake.calls - before, 1);
    CHECK(fake.memset.memory == memory && fake.memset.stream == &stream);
    CHECK_EQ(fake.memset.value, 0);
    CHECK_EQ(fake.memset.bytes, COUNTER_BYTES);
    const mxg_buffers buffers = some_buffers();
    CHECK_EQ(mxg_run(large, &buffers, memory, bytes, &stream), MXG_OK);
    CHECK_EQ(mxg_run(small, &buffers, memory, bytes, &stream), MXG_OK); /* two launches */
    CHECK_EQ(mxg_run(large, &buffers, memory, bytes, &stream), MXG_OK);
    CHECK_EQ(counted(FAKE_hipMemsetAsync), 1);
    REQUIRE(fake.launches == 4);
    for (int i = 0; i < 4; i++) {
        CHECK(fake.launch[i].kernarg.counters == (void *)memory);
        CHECK(fake.launch[i].kernarg.partials == (void *)(memory + COUNTER_BYTES));
    }
    CHECK_EQ(mxg_run(large, &buffers, memory, bytes - 1, &stream), MXG_ERROR_WORKSPACE);
    CHECK_HAS(mxg_last_error(), "variant v2 needs");
    CHECK_EQ(mxg_run(small, &buffers, memory, small_bytes, &stream), MXG_OK);

    /* Also by a plan that needs none; with nothing to make ready there is no call. */
    CHECK_EQ(mxg_workspace_init(none, memory, bytes, NULL), MXG_OK);
    CHECK_EQ(counted(FAKE_hipMemsetAsync), 2);
    CHECK_EQ(mxg_workspace_init(none, NULL, 0, NULL), MXG_OK);
    CHECK_EQ(mxg_workspace_init(none, memory, COUNTER_BYTES - 1, NULL), MXG_OK);
    CHECK_EQ(counted(FAKE_hipMemsetAsync), 2);
    fake.fail_with[FAKE_hipMemsetAsync] = 100;
    CHECK_EQ(mxg_workspace_init(large, memory, bytes, NULL), MXG_ERROR_HIP);
    CHECK_HAS(mxg_last_error(), "hipMemsetAsync of 16384 bytes");
    CHECK_EQ(mxg_last_hip_error(), 100);
    CHECK_EQ(mxg_plan_destroy(none), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(small), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(large), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

int main(void)
{
    TEST(kernels_get_what_they_need);
    TEST(a_in_mxfp4);
    TEST(last_workgroups);
    TEST(a_shared_workspace);
    return test_end();
}
