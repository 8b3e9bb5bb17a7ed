/* One product through the loader, judged by the oracle. */
#ifndef TESTS_GEMM_RUN_H
#define TESTS_GEMM_RUN_H

#include "loader/mxgemm.h"
#include "tests/gemm/data.h"

struct gemm_case {
    const struct data *data;
    mxg_layout b_layout, scale_layout;
    enum oracle_format c_format;
    int split;           /* 0: the loader's choice */
    const char *variant; /* NULL: likewise */
    int ldb, ldc;        /* elements, 0: tight */
    int ld_b_scale;      /* bytes, 0: tight */
    int misaligned;      /* buffers start one element behind a 64 KiB boundary */
};

/* Runs it twice, C and workspace filled with 0xff and then with 0, all gaps and paddings with NaN, buffers without a
 * byte to spare. Returns 1 if both give the same bytes, all of them right and none beyond C touched; else 0 with a
 * sentence in *why. */
int gemm_case_run(mxg_context *context, const struct gemm_case *c, char why[512]);

void gemm_case_name(const struct gemm_case *c, char name[256]);

#endif
