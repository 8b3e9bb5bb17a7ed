/* L13 of the pains on an emulated device: 2,000 times open, warm, run and close, after which the process holds what it
 * held before. */
#define _POSIX_C_SOURCE 200809L
#include "emulated_product.h"
#include "process_state.h"

/* On the device memory of `p`: the emulated device never gives an address twice, and grows a little by that. */
static void cycle(const struct product *p)
{
    mxg_library *opened;
    mxg_context *bound;
    mxg_problem problem = MXG_PROBLEM_INIT;
    struct product again = *p;
    unsigned char c[C_BYTES];
    problem.m = M, problem.n = N, problem.k = K, problem.variant = p->variant;
    REQUIRE(mxg_library_open_gfx950(&opened) == MXG_OK);
    REQUIRE(emulated_context(opened, 0, &bound) == MXG_OK);
    REQUIRE(mxg_plan_create(bound, &problem, &again.plan) == MXG_OK);
    CHECK_EQ(mxg_plan_warm(again.plan), MXG_OK);
    CHECK_EQ(run(&again, NULL), MXG_OK);
    take_c(&again, c);
    CHECK(is_result(c));
    CHECK_EQ(mxg_plan_destroy(again.plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(bound), MXG_OK);
    mxg_library_close(opened);
}

static void cycles(void)
{
    enum { WARM_UP = 500, CYCLES = MEMORY_IS_KEPT ? 100 : 2000, SOME_KIB = 128 };
    char variant[128];
    long kib = 0;
    int descriptors = 0;
    begin();
    REQUIRE(find_variant(0, variant));
    struct product p = make_product(variant);
    for (int i = 0; i < WARM_UP + CYCLES && !test_state.checks_failed; i++) {
        if (i == 0 || i == WARM_UP) /* at first too, since looking touches memory */
            kib = resident_kib(), descriptors = open_descriptors();
        cycle(&p);
    }
    CHECK(MEMORY_IS_KEPT || labs(resident_kib() - kib) <= SOME_KIB);
    CHECK(kib > 0 && descriptors > 0);
    CHECK_EQ(open_descriptors(), descriptors);
    CHECK_EQ(emulated_loads, WARM_UP + CYCLES);
    free_product(&p);
    end();
}

int main(void)
{
    open_emulated();
    TEST(cycles);
    return test_end();
}
