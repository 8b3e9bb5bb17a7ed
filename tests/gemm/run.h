/* One product through the loader, judged by the oracle. */
#ifndef TESTS_GEMM_RUN_H
#define TESTS_GEMM_RUN_H

#include "common/sha256.h"
#include "loader/mxgemm.h"
#include "tests/gemm/data.h"

struct gemm_case {
    const struct data *data;
    mxg_layout b_layout, scale_layout;
    enum oracle_format c_format;
    int split;                  /* 0: the loader's choice */
    const char *variant;        /* NULL: likewise */
    int lda, ldb, ldc;          /* elements, 0: tight */
    int ld_a_scale, ld_b_scale; /* bytes between rows of row-major scales, 0: tight */
    int misaligned;             /* buffers start one element behind a 64 KiB boundary */
    int finite_gaps;            /* gaps and paddings of the inputs hold finite numbers, else NaN */
    int canaries;               /* C lies in the midst of a larger buffer, else all have not a byte to spare */
};

mxg_problem gemm_case_problem(const struct gemm_case *c);

/* Runs it so many times on one workspace, made ready once; C and partial sums are filled with 0xff before the first,
 * third, ... run and with 0 before the others. Returns 1 if all give the same bytes, these are right, none beyond C is
 * touched and the workspace's counters are back at 0; else 0 with a sentence in *why. digest: of C's elements; may be
 * NULL. */
int gemm_case_run(mxg_context *context, const struct gemm_case *c, int runs, unsigned char digest[MXG_SHA256_BYTES],
                  char why[512]);

enum { GEMM_CASE_NAME_BYTES = 320 };

void gemm_case_name(const struct gemm_case *c, char name[GEMM_CASE_NAME_BYTES]);

#endif
