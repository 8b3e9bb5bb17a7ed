/* The table of times that is in the embedded pack, gen/gemm.tuning: no row of it is of a kernel that is not there, and
 * at its points none is chosen that was left out as hopeless. */
#include "gen/elf_read.h"
#include "gen/tuning.h"
#include "loader/pack.h"
#include "loader/predict.h"
#include "tests/test.h"

#include <stdlib.h>

static bool pack_has(const mxg_library *library, const char *family)
{
    char own[GEN_FAMILY_BYTES];
    for (uint32_t n = 0; n < library->count; n++) {
        gen_family(library->entries[n].variant.name, own);
        if (strcmp(own, family) == 0) return true;
    }
    return false;
}

static void no_row_dangles(void)
{
    mxg_library *library = NULL;
    struct gen_tuning tuning = {0};
    size_t count;
    REQUIRE(mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library) == MXG_OK);
    REQUIRE(gen_tuning_read("gen/gemm.tuning", &tuning) == 0);
    CHECK(tuning.count > 0);
    const char **families = gen_tuning_families(&tuning, &count);
    CHECK(count > 0);
    for (size_t n = 0; n < count; n++)
        if (!pack_has(library, families[n])) test_fail(__FILE__, __LINE__, "%s is in no variant's name", families[n]);
    free(families);
    gen_tuning_free(&tuning);
    mxg_library_close(library);
}

/* Of the table's times. */
static void check_choice(const mxg_library *library, const struct gen_time *at, mxg_format a_format)
{
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    mxg_problem problem = MXG_PROBLEM_INIT;
    uint32_t index;
    problem.m = at->m, problem.n = at->n, problem.k = at->k;
    problem.a_format = (int32_t)a_format;
    problem.b_layout = problem.scale_layout = MXG_LAYOUT_SHUFFLED;
    if (mxg_library_select(library, &problem, NULL, &index) ||
        mxg_library_explain(library, &problem, NULL, index, &candidate)) {
        test_fail(__FILE__, __LINE__, "%s", mxg_last_error());
        return;
    }
    if (candidate.time_m != at->m || candidate.time_n != at->n || candidate.time_k != at->k)
        test_fail(__FILE__, __LINE__, "%" PRId64 "x%" PRId64 "x%" PRId64 ": %s is chosen, which was not timed there",
                  problem.m, problem.n, problem.k, library->entries[index].variant.name);
}

/* The table is of the objects that gen/toolchain.sh's own choice of a compiler makes. */
#define TUNED_COMPILER "clang version 21."

static bool is_of_tuned_compiler(const mxg_library *library)
{
    const struct mxg_pack_entry *entry = &library->entries[0];
    struct gen_text object = {0};
    char compiler[128];
    gen_text_add(&object, entry->blob, entry->blob_bytes);
    gen_elf_compiler(&object, compiler, sizeof compiler);
    gen_text_free(&object);
    return strstr(compiler, TUNED_COMPILER) != NULL;
}

static void who_is_chosen_was_timed(void)
{
    mxg_library *library = NULL;
    struct gen_tuning tuning = {0};
    REQUIRE(mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library) == MXG_OK);
    const bool comparable = is_of_tuned_compiler(library);
    if (!comparable) mxg_library_close(library);
    if (!comparable) SKIP("another compiler's objects take other registers, by which other variants are hopeless");
    REQUIRE(gen_tuning_read("gen/gemm.tuning", &tuning) == 0);
    for (size_t n = 0; n < tuning.count; n++) {
        const struct gen_time *at = &tuning.times[n], *before = n ? at - 1 : NULL;
        if (before && before->m == at->m && before->n == at->n && before->k == at->k) continue;
        check_choice(library, at, MXG_FORMAT_BF16);
        check_choice(library, at, MXG_FORMAT_MXFP4);
    }
    gen_tuning_free(&tuning);
    mxg_library_close(library);
}

int main(void)
{
    TEST(no_row_dangles);
    TEST(who_is_chosen_was_timed);
    return test_end();
}
