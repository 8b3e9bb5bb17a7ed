/* mxgemm run: one problem from files to a file. */
#include "loader/cli/device.h"
#include "loader/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum matrix { A, A_SCALE, B, B_SCALE, BIAS, C, WORKSPACE, MATRICES };

struct run {
    const struct cli_args *args;
    mxg_problem problem;
    mxg_library *library;
    struct cli_device device;
    mxg_plan *plan;
    int64_t ldc;
    uint64_t bytes[MATRICES];
    void *host[MATRICES], *memory[MATRICES]; /* memory: of the device */
};

/* Selection has accepted the problem: no size below overflows. */
static bool size_matrices(struct run *run)
{
    const struct cli_args *args = run->args;
    uint64_t m = (uint64_t)args->m, n = (uint64_t)args->n, k = (uint64_t)args->k;
    uint64_t lda = args->lda ? (uint64_t)args->lda : k, ldb = args->ldb ? (uint64_t)args->ldb : k;
    uint64_t ldc = args->ldc ? (uint64_t)args->ldc : n;
    int32_t scale_layout = args->scale_layout ? args->scale_layout : MXG_LAYOUT_ROW;
    bool mxfp4 = args->a_format == MXG_FORMAT_MXFP4;
    run->ldc = (int64_t)ldc;
    run->bytes[A] = mxfp4 ? m * lda / 2 : m * lda * 2;
    run->bytes[B] = n * ldb / 2;
    run->bytes[BIAS] = args->bias ? n * sizeof(float) : 0;
    run->bytes[C] = m * ldc * (args->c_format == MXG_FORMAT_F32 ? 4 : 2);
    return cli_check(mxg_scale_bytes(args->n, args->k, scale_layout, &run->bytes[B_SCALE])) &&
           (!mxfp4 || cli_check(mxg_scale_bytes(args->m, args->k, scale_layout, &run->bytes[A_SCALE])));
}

static bool read_inputs(struct run *run)
{
    const struct cli_args *args = run->args;
    const char *paths[MATRICES] = {
        [A] = args->a, [A_SCALE] = args->a_scale, [B] = args->b, [B_SCALE] = args->b_scale, [BIAS] = args->bias};
    for (int i = 0; i < MATRICES; i++)
        if (paths[i] && !cli_read_file(paths[i], run->bytes[i], &run->host[i])) return false;
    return true;
}

static bool make_plan(struct run *run)
{
    if (!cli_device_open(&run->device, run->args, run->library)) return false;
    if (!cli_check(mxg_plan_create(run->device.context, &run->problem, &run->plan)) ||
        !cli_check(mxg_plan_warm(run->plan)))
        return false;
    run->bytes[WORKSPACE] = mxg_plan_workspace_bytes(run->plan);
    return true;
}

static bool fill_device(struct run *run)
{
    if (!cli_device_stream(&run->device)) return false;
    for (int i = 0; i < MATRICES; i++)
        if (!cli_device_alloc(&run->device, &run->memory[i], run->bytes[i], run->host[i])) return false;
    return cli_check(mxg_workspace_init(run->plan, run->memory[WORKSPACE], run->bytes[WORKSPACE], run->device.stream));
}

/* From `first` on: the counters of a workspace stay as finished launches leave them. */
static bool fill(struct run *run, enum matrix which, uint64_t first, int byte)
{
    if (run->bytes[which] <= first) return true;
    int code = run->device.hip->hipMemsetAsync((char *)run->memory[which] + first, byte,
                                               (size_t)(run->bytes[which] - first), run->device.stream);
    return cli_hip_check(&run->device, code, "hipMemsetAsync");
}

static bool run_once(struct run *run, unsigned char *result)
{
    int32_t poison = run->args->poison;
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    buffers.a = run->memory[A], buffers.a_scale = run->memory[A_SCALE];
    buffers.b = run->memory[B], buffers.b_scale = run->memory[B_SCALE];
    buffers.c = run->memory[C], buffers.bias = run->memory[BIAS];
    buffers.alpha = run->args->alpha;
    if (!fill(run, C, 0, poison >= 0 ? poison : 0)) return false;
    if (poison >= 0 && !fill(run, WORKSPACE, MXG_COUNTERS_BYTES, poison)) return false;
    return cli_check(mxg_run(run->plan, &buffers, run->memory[WORKSPACE], run->bytes[WORKSPACE], run->device.stream)) &&
           cli_device_wait(&run->device) && cli_device_read(&run->device, result, run->memory[C], run->bytes[C]);
}

static bool same(const struct run *run, const unsigned char *first, const unsigned char *other, int32_t repeat)
{
    uint64_t byte = 0, element_bytes = run->args->c_format == MXG_FORMAT_F32 ? 4 : 2;
    while (byte < run->bytes[C] && first[byte] == other[byte]) byte++;
    if (byte == run->bytes[C]) return true;
    uint64_t element = byte / element_bytes;
    return cli_fail("run %" PRId32 " of %" PRId32 " differs from the first at row %" PRIu64 ", column %" PRIu64, repeat,
                    run->args->repeat, element / (uint64_t)run->ldc, element % (uint64_t)run->ldc);
}

static bool run_all(struct run *run)
{
    unsigned char *first = malloc((size_t)run->bytes[C] + 1), *other = malloc((size_t)run->bytes[C] + 1);
    struct mxg_output out = {0};
    bool good = first && other ? run_once(run, first) : cli_fail("no memory for C");
    for (int32_t i = 2; good && i <= run->args->repeat; i++) good = run_once(run, other) && same(run, first, other, i);
    good = good && cli_write_output(&out, run->args->out, first, run->bytes[C]) && cli_commit_output(&out);
    mxg_output_drop(&out);
    free(first);
    free(other);
    return good;
}

static bool release(struct run *run, bool good)
{
    for (int i = 0; i < MATRICES; i++) {
        free(run->host[i]);
        good = cli_device_free(&run->device, run->memory[i], good);
    }
    (void)mxg_plan_destroy(run->plan); /* not the last to hold the context */
    good = cli_device_close(&run->device, good);
    mxg_library_close(run->library);
    return good;
}

enum cli_exit cli_run(const struct cli_args *args)
{
    struct run run = {.args = args};
    uint32_t index;
    cli_problem(args, &run.problem);
    /* A problem that cannot be done is refused before files or a device are asked for. */
    bool good = cli_open_library(args, &run.library) &&
                cli_check(mxg_library_select(run.library, &run.problem, NULL, &index)) && size_matrices(&run) &&
                read_inputs(&run) && make_plan(&run) && fill_device(&run) && run_all(&run);
    return release(&run, good) ? CLI_DONE : CLI_FAILED;
}
