/* A pack of test variants that is changed, opened and asked for the choice on a device of 256 compute units. */
#ifndef MXG_TESTS_SELECT_FIXTURE_H
#define MXG_TESTS_SELECT_FIXTURE_H

#include "loader/mxgemm.h"
#include "make_pack.h"
#include "tests/test.h"

enum { CUS = 256 };

static struct test_pack pack;
static mxg_library *library;

static inline void open_pack(uint32_t variants)
{
    pack = make_pack(variants);
}

static inline void seal_and_open(void)
{
    pack_seal(&pack);
    if (mxg_library_open_memory(pack.data, pack.bytes, &library)) abort();
}

static inline void close_pack(void)
{
    mxg_library_close(library);
    free(pack.data);
}

static inline mxg_problem problem_of(int64_t m, int64_t n, int64_t k)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = m, problem.n = n, problem.k = k;
    return problem;
}

static inline mxg_status choose(const mxg_problem *problem, uint32_t *index)
{
    *index = UINT32_MAX;
    return mxg_library_select(library, problem, NULL, index);
}

static inline void check_refused(const mxg_problem *problem, mxg_status status, const char *says)
{
    uint32_t index;
    CHECK_EQ(choose(problem, &index), status);
    CHECK_EQ(index, UINT32_MAX);
    CHECK_HAS(mxg_last_error(), says);
}

#endif
