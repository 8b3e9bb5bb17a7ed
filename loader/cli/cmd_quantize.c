/* mxgemm quantize: bf16, f16 or f32 to MXFP4, in host memory; bf16 also by the kernel. */
#define _POSIX_C_SOURCE 200809L
#include "loader/cli/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static mxg_weights weights_of(const struct cli_args *args)
{
    mxg_weights weights = MXG_WEIGHTS_INIT;
    weights.rows = args->rows, weights.k = args->k, weights.threads = args->threads;
    weights.layout = args->b_layout, weights.scale_layout = args->scale_layout;
    return weights;
}

static bool on_host(const struct cli_args *args, void *const host[MATRICES])
{
    mxg_weights weights = weights_of(args);
    weights.ld_in = args->lda, weights.in_format = args->a_format;
    weights.in = host[IN], weights.codes = host[CODES], weights.scales = host[SCALES];
    return cli_check(mxg_convert_weights(&weights));
}

/* The kernel writes row-major codes. */
static bool shuffle(const struct cli_args *args, void *host[MATRICES], uint64_t bytes)
{
    void *shuffled = malloc((size_t)bytes + 1);
    if (!shuffled) return cli_fail("no memory to shuffle the codes");
    mxg_weights weights = weights_of(args);
    weights.in_format = MXG_FORMAT_MXFP4, weights.in = host[CODES], weights.codes = shuffled;
    bool good = cli_check(mxg_convert_weights(&weights));
    free(host[CODES]);
    host[CODES] = shuffled;
    return good;
}

/* Whatever their names are: one file has one temporary file. What is none, such as /dev/stdout, takes both. */
static bool are_two_files(const struct cli_args *args, const struct mxg_output *out, const struct mxg_output *scale)
{
    struct stat a, b;
    if (!out->temporary || !scale->temporary) return true;
    if (stat(out->temporary, &a) != 0 || stat(scale->temporary, &b) != 0)
        return cli_fail("cannot look at %s and %s, just written: %s", args->out, args->scale, strerror(errno));
    return a.st_dev != b.st_dev || a.st_ino != b.st_ino ||
           cli_fail("--out %s and --scale %s are the same file", args->out, args->scale);
}

static bool write_results(const struct cli_args *args, void *const host[MATRICES], const uint64_t bytes[MATRICES])
{
    struct mxg_output out = {0}, scale = {0};
    bool good = cli_write_output(&out, args->out, host[CODES], bytes[CODES]) &&
                cli_write_output(&scale, args->scale, host[SCALES], bytes[SCALES]) &&
                are_two_files(args, &out, &scale) && cli_commit_output(&out) && cli_commit_output(&scale);
    mxg_output_drop(&out);
    mxg_output_drop(&scale);
    return good;
}

enum cli_exit cli_quantize(const struct cli_args *args)
{
    uint64_t bytes[MATRICES];
    void *host[MATRICES] = {NULL};
    int32_t scale_layout = args->scale_layout ? args->scale_layout : MXG_LAYOUT_ROW;
    if (!cli_check(mxg_scale_bytes(args->rows, args->k, scale_layout, &bytes[SCALES]))) return CLI_FAILED;
    if (args->device && args->a_format && args->a_format != MXG_FORMAT_BF16) {
        (void)cli_fail("--device --in-format %s: the kernel quantises bf16", cli_format_text((uint32_t)args->a_format));
        return CLI_FAILED;
    }
    int64_t ld = args->lda ? args->lda : args->k, in_bytes, element_bytes = args->a_format == MXG_FORMAT_F32 ? 4 : 2;
    if (ld < args->k || __builtin_mul_overflow(args->rows, ld, &in_bytes) ||
        __builtin_mul_overflow(in_bytes, element_bytes, &in_bytes)) {
        (void)cli_fail("--lda %lld: it must be at least k %lld, and the matrix fit in memory", (long long)ld,
                       (long long)args->k);
        return CLI_FAILED;
    }
    bytes[IN] = (uint64_t)in_bytes, bytes[CODES] = (uint64_t)args->rows * (uint64_t)args->k / 2;
    if (!cli_read_file(args->in, bytes[IN], &host[IN])) return CLI_FAILED;
    host[CODES] = malloc((size_t)bytes[CODES] + 1), host[SCALES] = malloc((size_t)bytes[SCALES] + 1); /* not of 0 */
    bool good = (host[CODES] && host[SCALES]) || cli_fail("no memory for the result");
    if (args->device) {
        good = good && on_device(args, host, bytes);
        if (args->b_layout == MXG_LAYOUT_SHUFFLED) good = good && shuffle(args, host, bytes[CODES]);
    } else {
        good = good && on_host(args, host);
    }
    good = good && write_results(args, host, bytes);
    for (int i = 0; i < MATRICES; i++) free(host[i]);
    return good ? CLI_DONE : CLI_FAILED;
}
