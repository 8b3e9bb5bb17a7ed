#include "tests/gemm/golden.h"
#include "tests/gemm/device.h"
#include "tests/gemm/oracle.h"
#include "tests/golden.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 54, BLOCK = 32 };

static void *on_device(const void *data, size_t bytes)
{
    void *pointer = device_alloc(bytes);
    device_write(pointer, data, bytes);
    return pointer;
}

static int compare(const uint8_t *codes, const uint8_t *scale, const float *c, char why[512])
{
    for (size_t i = 0; i < BLOCKS * BLOCK; i++) {
        double right =
            oracle_round(oracle_fp4(codes[i / 2] >> (i % 2 * 4) & 15) * oracle_scale(scale[i / BLOCK]), ORACLE_F32);
        if (isnan(right) ? isnan(c[i]) : (double)c[i] == right) continue;
        snprintf(why, 512, "element %zu of block %zu becomes %.9g, right is %.9g", i % BLOCK, i / BLOCK, (double)c[i],
                 right);
        return 0;
    }
    return 1;
}

int golden_quantiser(mxg_context *context, char why[512])
{
    uint16_t in[BLOCKS * BLOCK];
    uint8_t codes[BLOCKS * BLOCK / 2], scale[BLOCKS], identity[BLOCK * BLOCK / 2] = {0}, ones[BLOCK];
    float c[BLOCKS * BLOCK];
    if (!golden_read("quant_in.bf16", in, sizeof in) || !golden_read("quant_codes.u8", codes, sizeof codes) ||
        !golden_read("quant_scale.u8", scale, sizeof scale)) {
        snprintf(why, 512, "a golden file cannot be read");
        return 0;
    }
    for (size_t n = 0; n < BLOCK; n++) identity[n * BLOCK / 2 + n / 2] = n % 2 ? 0x20 : 0x02; /* 1.0 */
    memset(ones, 127, sizeof ones);

    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = BLOCKS, problem.n = BLOCK, problem.k = BLOCK, problem.c_format = MXG_FORMAT_F32;
    mxg_plan *plan = NULL;
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    void *a = on_device(in, sizeof in), *b = on_device(identity, sizeof identity), *s = on_device(ones, sizeof ones);
    void *out = device_alloc(sizeof c);
    buffers.a = a, buffers.b = b, buffers.b_scale = s, buffers.c = out;
    int right = mxg_plan_create(context, &problem, &plan) == MXG_OK &&
                mxg_run(plan, &buffers, NULL, 0, NULL) == MXG_OK; /* K of 32 has no split, so needs no workspace */
    if (right) {
        device_wait();
        device_read(c, out, sizeof c);
        right = compare(codes, scale, c, why);
    } else {
        snprintf(why, 512, "%s", mxg_last_error());
    }
    mxg_plan_destroy(plan);
    device_free(a), device_free(b), device_free(s), device_free(out);
    return right;
}
