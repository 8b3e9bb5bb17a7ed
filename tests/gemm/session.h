/* What all suites of products share: the kernels under test, the device, and the tally of all worker processes. */
#ifndef TESTS_GEMM_SESSION_H
#define TESTS_GEMM_SESSION_H

#include "tests/gemm/run.h"

#include <stdatomic.h>

enum { MAX_VARIANTS = 4096 };

/* In memory that all workers share. */
struct tally {
    atomic_uint next_unit; /* of all suites' units, one after the other */
    atomic_uint passed, failed;
    atomic_uint ran[MAX_VARIANTS]; /* cases of each variant */
};

enum tier { TIER_QUICK, TIER_TEST, TIER_LONG };

struct options {
    const char *hip_path, *pack; /* NULL: the system's HIP, the embedded pack */
    const char *only;            /* cases whose name holds it; NULL: all */
    const char *variant;         /* that all of the sweep is of; NULL: all have their turn */
    enum tier tier;
    unsigned jobs;
    uint64_t seed;        /* of the sweep */
    long sweep_case;      /* only this one of it, or -1 */
    unsigned sweep_cases; /* how many it has */
};

struct session {
    const struct options *options;
    struct tally *tally;
    mxg_library *library;
    mxg_context *context;
};

/* A suite is cut into units, which workers take one by one. */
struct suite {
    enum tier tier; /* the lowest that has it */
    unsigned (*units)(const struct session *s);
    void (*run)(struct session *s, unsigned unit);
};

extern const struct suite problem_suites[], pain_suites[], quantizer_suites[], sweep_suites[];
extern const size_t problem_suite_count, pain_suite_count, quantizer_suite_count, sweep_suite_count;

/* Opens device, pack and context: 0, or -1 with the reason on stderr. */
int session_open(struct session *s, const struct options *options, struct tally *tally);
void session_close(struct session *s);

int session_wants(const struct session *s, const char *name);

/* Prints the line of a case and counts it. */
void session_report(struct session *s, int right, const char *name, const char *why);

/* How many variants the pack has; each one; the one of a name; whether it is a GEMM and takes the case, whose variant
 * and C format this sets to its own. */
uint32_t session_variants(const struct session *s);
void session_variant(const struct session *s, uint32_t variant, mxg_variant_info *info);
uint32_t session_find(const struct session *s, const char *name); /* session_variants(): there is none */
int session_takes(const struct session *s, uint32_t variant, struct gemm_case *c);

/* Runs a case, if it is wanted, and reports it as "what: its name". */
void session_run(struct session *s, const char *what, const struct gemm_case *c);

/* The repeatability of every variant, in processes of its own for each order of workgroups; repeat.c. */
void repeat_run(const struct options *options, struct tally *tally);

#endif
