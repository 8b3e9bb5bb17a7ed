/* The file of measured choices, and what selection makes of it. The pack has v0 to v7 of make_pack.h. */
#include "loader/choices.h"
#include "tests/fuzz/parse/fuzz.h"
#include "tests/unit/make_pack.h"

uint64_t fuzz_accepted;

enum { VARIANTS = 8, MOST_ASKED = 32 };

/* A choice is taken exactly where its variant can do the problem that the line is for. */
static void ask(const mxg_library *library, const struct mxg_choice *line)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    mxg_device device = MXG_DEVICE_MI355X;
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    uint32_t index = UINT32_MAX, preferred = 0;
    problem.m = (int64_t)(line->key[0] >> 32), problem.n = (int64_t)(line->key[0] & UINT32_MAX);
    problem.k = (int64_t)(line->key[1] >> 32), device.cu_count = (uint32_t)(line->key[1] & UINT32_MAX);
    problem.a_format = (int32_t)(line->key[2] & 0xff), problem.c_format = (int32_t)(line->key[2] >> 8 & 0xff);
    problem.b_layout = (int32_t)(line->key[2] >> 16 & 0xff), problem.scale_layout = (int32_t)(line->key[2] >> 24);
    const mxg_status status = mxg_library_select(library, &problem, &device, &index);
    if (status == MXG_ERROR_ARGUMENT) return; /* such as shuffled B of an N that has none */
    FUZZ_REQUIRE(status == MXG_OK || status == MXG_ERROR_NO_VARIANT);
    const bool for_pack = strcmp(line->processor, mxg_library_arch(library)) == 0;
    for (uint32_t i = 0; i < VARIANTS; i++) {
        FUZZ_REQUIRE(mxg_library_explain(library, &problem, &device, i, &candidate) == MXG_OK);
        preferred += candidate.preferred != 0;
        if (candidate.preferred) FUZZ_REQUIRE(candidate.accepted && index == i);
        if (for_pack && line->variant == i) FUZZ_REQUIRE(candidate.preferred == candidate.accepted);
    }
    FUZZ_REQUIRE(preferred <= 1);
}

static void check_line(const struct mxg_choice *line)
{
    FUZZ_REQUIRE(strlen(line->processor) > 0 && strlen(line->name) > 0 && line->line > 1);
    FUZZ_REQUIRE(line->variant < VARIANTS || line->variant == UINT32_MAX);
    FUZZ_REQUIRE(line->ns <= MXG_PACK_HIGHEST_NS && strlen(line->source) < MXG_PACK_SOURCE_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct test_pack pack;
    static mxg_library *library;
    if (!library) {
        pack = make_pack(VARIANTS);
        FUZZ_REQUIRE(mxg_library_open_memory(pack.data, pack.bytes, &library) == MXG_OK);
    }
    const mxg_status status = mxg_choices_parse(library, (const char *)data, bytes, "choices");
    if (status) {
        FUZZ_REQUIRE(status == MXG_ERROR_CHOICES && !library->choices);
        FUZZ_REQUIRE(strncmp(mxg_last_error(), "choices:", 8) == 0);
        /* A line is shown as it is; what a terminal would obey is refused in it. */
        for (const char *at = mxg_last_error(); *at; at++)
            FUZZ_REQUIRE(((unsigned char)*at >= ' ' || *at == '\t') && *at != 0x7f);
    } else {
        fuzz_accepted++;
        for (uint32_t i = 0; i < library->choices->count; i++) check_line(&library->choices->lines[i]);
        for (uint32_t i = 0; i < library->choices->count && i < MOST_ASKED; i++)
            ask(library, &library->choices->lines[i]);
    }
    mxg_choices_release(library);
    return 0;
}
