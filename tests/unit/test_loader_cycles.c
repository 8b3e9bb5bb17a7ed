/* L13 of the pains: 2,000 times open, warm, run and close, after which the process holds what it held before. The pack
 * is a file for every second of them. On the emulated HIP it is in test_loader_emulated.c. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"
#include "process_state.h"

#include <unistd.h>

enum { WARM_UP = 200, CYCLES = 2000, SOME_KIB = 64 };

static char path[] = "/tmp/mxgemm-cycles-XXXXXX";

static void write_pack(void)
{
    int file = mkstemp(path);
    if (file < 0 || write(file, pack.data, pack.bytes) != (ssize_t)pack.bytes || close(file) != 0) abort();
}

static void from_file(void)
{
    mxg_context *context = NULL;
    mxg_plan *plan = NULL;
    const mxg_problem problem = problem_of(4, 64, 512, 2);
    const mxg_buffers buffers = some_buffers();
    REQUIRE(mxg_library_open_file(path, &library) == MXG_OK);
    REQUIRE(create(0, &context) == MXG_OK);
    REQUIRE(create_warm(context, &problem, &plan) == MXG_OK);
    CHECK_EQ(mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL), MXG_OK);
    mxg_library_close(library);
    library = NULL;
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
}

static void nothing_grows(void)
{
    begin_lives();
    write_pack();
    long kib = 0;
    int descriptors = 0;
    for (int i = 0; i < WARM_UP + CYCLES && !test_state.checks_failed; i++) {
        if (i == 0 || i == WARM_UP) /* at first too, since looking touches memory */
            kib = resident_kib(), descriptors = open_descriptors();
        if (i % 2)
            from_file();
        else
            CHECK_EQ(whole_life().status, MXG_OK);
        CHECK_EQ(fake.live, 0);
    }
    CHECK(kib > 0 && descriptors > 0);
    CHECK(MEMORY_IS_KEPT || labs(resident_kib() - kib) <= SOME_KIB);
    CHECK_EQ(open_descriptors(), descriptors);
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), (WARM_UP + CYCLES) / 2 * 3);
    CHECK_EQ(counted(FAKE_hipModuleUnload), (WARM_UP + CYCLES) / 2 * 3);
    end();
}

int main(void)
{
    TEST(nothing_grows);
    return test_end();
}
