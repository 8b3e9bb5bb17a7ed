/* mxgemm quantize: bf16 to MXFP4, in host memory or by the kernel. */
#include "loader/cli/device.h"

#include <stdlib.h>

enum matrix { IN, CODES, SCALES, MATRICES };

static bool quantize_device(const struct cli_args *args, const struct cli_device *device,
                            const mxg_quantizer *quantizer, void *const host[MATRICES], const uint64_t bytes[MATRICES],
                            void *memory[MATRICES])
{
    if (!cli_device_alloc(device, &memory[IN], bytes[IN], host[IN]) ||
        !cli_device_alloc(device, &memory[CODES], bytes[CODES], NULL) ||
        !cli_device_alloc(device, &memory[SCALES], bytes[SCALES], NULL))
        return false;
    mxg_quantize_args what = MXG_QUANTIZE_ARGS_INIT;
    what.rows = args->rows, what.k = args->k, what.ld_in = args->lda, what.scale_layout = args->scale_layout;
    what.in = memory[IN], what.codes = memory[CODES], what.scale = memory[SCALES];
    return cli_check(mxg_quantize(quantizer, &what, device->stream)) && cli_device_wait(device) &&
           cli_device_read(device, host[CODES], memory[CODES], bytes[CODES]) &&
           cli_device_read(device, host[SCALES], memory[SCALES], bytes[SCALES]);
}

static bool on_device(const struct cli_args *args, void *const host[MATRICES], const uint64_t bytes[MATRICES])
{
    mxg_library *library = NULL;
    mxg_quantizer *quantizer = NULL;
    struct cli_device device = {0};
    void *memory[MATRICES] = {NULL};
    bool good = cli_open_library(args, &library) && cli_device_open(&device, args, library) &&
                cli_check(mxg_quantizer_create(device.context, &quantizer)) && cli_device_stream(&device) &&
                quantize_device(args, &device, quantizer, host, bytes, memory);
    for (int i = 0; i < MATRICES; i++) good = cli_device_free(&device, memory[i], good);
    (void)mxg_quantizer_destroy(quantizer); /* not the last to hold the context */
    good = cli_device_close(&device, good);
    mxg_library_close(library);
    return good;
}

static bool on_host(const struct cli_args *args, void *const host[MATRICES])
{
    return cli_check(mxg_quantize_bf16(args->rows, args->k, host[IN], args->lda, host[CODES], host[SCALES],
                                       args->scale_layout ? args->scale_layout : MXG_LAYOUT_ROW));
}

static bool write_results(const struct cli_args *args, void *const host[MATRICES], const uint64_t bytes[MATRICES])
{
    struct mxg_output out = {0}, scale = {0};
    uint8_t *shuffled = NULL;
    bool good = true;
    if (args->b_layout == MXG_LAYOUT_SHUFFLED) {
        shuffled = malloc((size_t)bytes[CODES] + 1);
        good = shuffled ? cli_check(mxg_shuffle_b(args->rows, args->k, host[CODES], shuffled))
                        : cli_fail("no memory to shuffle the codes");
    }
    good = good && cli_write_output(&out, args->out, shuffled ? shuffled : host[CODES], bytes[CODES]) &&
           cli_write_output(&scale, args->scale, host[SCALES], bytes[SCALES]) && cli_commit_output(&out) &&
           cli_commit_output(&scale);
    mxg_output_drop(&out);
    mxg_output_drop(&scale);
    free(shuffled);
    return good;
}

enum cli_exit cli_quantize(const struct cli_args *args)
{
    uint64_t bytes[MATRICES];
    void *host[MATRICES] = {NULL};
    int32_t scale_layout = args->scale_layout ? args->scale_layout : MXG_LAYOUT_ROW;
    if (!cli_check(mxg_scale_bytes(args->rows, args->k, scale_layout, &bytes[SCALES]))) return CLI_FAILED;
    int64_t ld = args->lda ? args->lda : args->k, in_bytes;
    if (ld < args->k || __builtin_mul_overflow(args->rows, ld, &in_bytes) || in_bytes > INT64_MAX / 2) {
        (void)cli_fail("--lda %lld: it must be at least k %lld, and the matrix fit in memory", (long long)ld,
                       (long long)args->k);
        return CLI_FAILED;
    }
    bytes[IN] = (uint64_t)in_bytes * 2, bytes[CODES] = (uint64_t)args->rows * (uint64_t)args->k / 2;
    if (!cli_read_file(args->in, bytes[IN], &host[IN])) return CLI_FAILED;
    host[CODES] = malloc((size_t)bytes[CODES] + 1), host[SCALES] = malloc((size_t)bytes[SCALES] + 1); /* not of 0 */
    bool good = (host[CODES] && host[SCALES]) || cli_fail("no memory for the result");
    good =
        good && (args->device ? on_device(args, host, bytes) : on_host(args, host)) && write_results(args, host, bytes);
    for (int i = 0; i < MATRICES; i++) free(host[i]);
    return good ? CLI_DONE : CLI_FAILED;
}
