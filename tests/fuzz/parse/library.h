/* What targets share that open libraries. */
#ifndef TESTS_FUZZ_PARSE_LIBRARY_H
#define TESTS_FUZZ_PARSE_LIBRARY_H

#include "common/pack_format.h"
#include "loader/mxgemm.h"
#include "tests/fuzz/parse/fuzz.h"
#include "tests/random.h"

#include <stdbool.h>
#include <string.h>

/* FNV-1a: random numbers that follow from an input. */
static inline uint64_t hash_input(const uint8_t *data, size_t bytes)
{
    uint64_t hash = bytes;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Memory that is counted, and of which one allocation fails. */
struct memory {
    uint64_t made, freed;
    uint64_t fails; /* which allocation, from 1 on; 0: none */
};

static inline void *allocate(void *user, size_t bytes)
{
    struct memory *memory = user;
    if (++memory->made != memory->fails) return malloc(bytes);
    memory->freed++;
    return NULL;
}

static inline void release(void *user, void *what)
{
    struct memory *memory = user;
    FUZZ_REQUIRE(what != NULL);
    memory->freed++;
    free(what);
}

/* A whole sentence for a person. */
static inline void check_sentence(const char *sentence)
{
    FUZZ_REQUIRE(strchr(sentence, ' ') && strlen(sentence) < 2048);
    for (; *sentence; sentence++) FUZZ_REQUIRE((unsigned char)*sentence >= ' ');
}

static inline void check_refusal(mxg_status status, mxg_status legal, mxg_status legal_too)
{
    if (status != legal && status != legal_too) {
        (void)fprintf(stderr, "%s where it is not expected: %s\n", mxg_status_name(status), mxg_last_error());
        abort();
    }
    check_sentence(mxg_last_error());
    FUZZ_REQUIRE(mxg_last_hip_error() == 0);
}

static inline mxg_problem some_problem(uint64_t *random)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    static const int64_t sizes[] = {0, 1, 16, 32, 63, 512, 2112, 7168, 57344, 1 << 30};
    problem.m = sizes[random_below(random, sizeof sizes / sizeof *sizes)];
    problem.n = sizes[random_below(random, sizeof sizes / sizeof *sizes)];
    problem.k = 32 * (1 + (int64_t)random_below(random, 256));
    problem.a_format = random_below(random, 4) ? MXG_FORMAT_BF16 : MXG_FORMAT_MXFP4;
    problem.c_format = 1 + (int32_t)random_below(random, 3);
    problem.scale_layout = 1 + (int32_t)random_below(random, 2);
    problem.b_layout = problem.n % 16 == 0 && problem.k % 64 == 0 ? 1 + (int32_t)random_below(random, 2) : 0;
    problem.split = problem.k < 1024 || random_below(random, 4) ? 0 : 1 + (int32_t)random_below(random, 8);
    return problem;
}

/* Selection takes a variant exactly where one is accepted, and then one of those. */
static inline void select_and_explain(const mxg_library *library, const mxg_problem *problem, uint32_t cu_count)
{
    const uint32_t count = mxg_library_variant_count(library);
    mxg_device device = MXG_DEVICE_MI355X;
    uint32_t index = UINT32_MAX, accepted = 0;
    bool chosen_is_accepted = false;
    device.cu_count = cu_count;
    const mxg_status status = mxg_library_select(library, problem, &device, &index);
    if (status) check_refusal(status, MXG_ERROR_NO_VARIANT, MXG_ERROR_NO_VARIANT);
    for (uint32_t i = 0; i < count; i++) {
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        FUZZ_REQUIRE(mxg_library_explain(library, problem, &device, i, &candidate) == MXG_OK);
        if (candidate.time_source) FUZZ_REQUIRE(strlen(candidate.time_source) < MXG_PACK_SOURCE_BYTES);
        if (candidate.accepted)
            FUZZ_REQUIRE(candidate.predicted_us >= 0 && candidate.reason[0] == 0);
        else
            check_sentence(candidate.reason);
        accepted += candidate.accepted != 0;
        chosen_is_accepted |= i == index && candidate.accepted;
    }
    FUZZ_REQUIRE((status == MXG_OK) == (accepted > 0) && (status || chosen_is_accepted));
}

#endif
