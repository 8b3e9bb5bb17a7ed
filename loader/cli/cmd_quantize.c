/* mxgemm quantize: bf16 to MXFP4 in host memory. */
#include "loader/cli/cli.h"

#include <stdlib.h>

static bool quantize(const struct cli_args *args, const uint16_t *in, uint8_t *codes, uint8_t *scales,
                     uint64_t code_bytes, uint64_t scale_bytes)
{
    int32_t scale_layout = args->scale_layout ? args->scale_layout : MXG_LAYOUT_ROW;
    if (!cli_check(mxg_quantize_bf16(args->rows, args->k, in, args->lda, codes, scales, scale_layout))) return false;
    struct mxg_output out = {0}, scale = {0};
    uint8_t *shuffled = NULL;
    bool good = true;
    if (args->b_layout == MXG_LAYOUT_SHUFFLED) {
        shuffled = malloc((size_t)code_bytes + 1);
        good = shuffled ? cli_check(mxg_shuffle_b(args->rows, args->k, codes, shuffled))
                        : cli_fail("no memory to shuffle the codes");
    }
    good = good && cli_write_output(&out, args->out, shuffled ? shuffled : codes, code_bytes) &&
           cli_write_output(&scale, args->scale, scales, scale_bytes) && cli_commit_output(&out) &&
           cli_commit_output(&scale);
    mxg_output_drop(&out);
    mxg_output_drop(&scale);
    free(shuffled);
    return good;
}

enum cli_exit cli_quantize(const struct cli_args *args)
{
    uint64_t scale_bytes;
    int32_t scale_layout = args->scale_layout ? args->scale_layout : MXG_LAYOUT_ROW;
    if (!cli_check(mxg_scale_bytes(args->rows, args->k, scale_layout, &scale_bytes))) return CLI_FAILED;
    int64_t ld = args->lda ? args->lda : args->k, in_bytes;
    if (ld < args->k || __builtin_mul_overflow(args->rows, ld, &in_bytes) || in_bytes > INT64_MAX / 2) {
        (void)cli_fail("--lda %lld: it must be at least k %lld, and the matrix fit in memory", (long long)ld,
                       (long long)args->k);
        return CLI_FAILED;
    }
    uint64_t code_bytes = (uint64_t)args->rows * (uint64_t)args->k / 2;
    void *in = NULL;
    if (!cli_read_file(args->in, (uint64_t)in_bytes * 2, &in)) return CLI_FAILED;
    uint8_t *codes = malloc((size_t)code_bytes + 1), *scales = malloc((size_t)scale_bytes + 1); /* not NULL for 0 */
    bool good = codes && scales ? quantize(args, in, codes, scales, code_bytes, scale_bytes)
                                : cli_fail("no memory for the result");
    free(in);
    free(codes);
    free(scales);
    return good ? CLI_DONE : CLI_FAILED;
}
