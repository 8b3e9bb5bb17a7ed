/* Kernels from a pack file that lies beside the program, weights quantised when it starts. Where mxgemm is installed:
 *
 *     cc file_pack.c -D__HIP_PLATFORM_AMD__ -I/opt/rocm/include $(pkg-config --cflags --libs mxgemm) \
 *         -L/opt/rocm/lib -lamdhip64 -o file_pack
 *     ./file_pack "$(pkg-config --variable=pack mxgemm)"
 *
 * A second argument is a file of measured choices. The library finds the HIP that the program is linked to. */
#include <hip/hip_runtime_api.h>
#include <mxgemm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, K = 512, DECODE_ROWS = 4, PREFILL_ROWS = 96, LARGEST_ROWS = PREFILL_ROWS };

static void check_mxg(mxg_status status)
{
    if (status == MXG_OK) return;
    fprintf(stderr, "file_pack: %s (%s)\n", mxg_last_error(), mxg_status_name(status));
    exit(1);
}

static void check_hip(hipError_t status)
{
    if (status == hipSuccess) return;
    fprintf(stderr, "file_pack: HIP: %s\n", hipGetErrorString(status));
    exit(1);
}

static void tell(void *user, int32_t level, const char *sentence)
{
    static const char *const names[] = {"", "warning", "info", "debug"};
    fprintf(user, "mxgemm %s: %s\n", names[level & 3], sentence);
}

static void *on_device(const void *from, size_t bytes)
{
    void *memory = NULL;
    check_hip(hipMalloc(&memory, bytes));
    if (from) check_hip(hipMemcpy(memory, from, bytes, hipMemcpyHostToDevice));
    return memory;
}

/* All values of E2M1, in some order. Each block of 32 has a 6, so that its scale is 1 and nothing is rounded. */
static float value_at(int row, int column)
{
    static const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.5f, -1, -1.5f, -2, -3, -4, -6};
    return values[(row * 7 + column) % 15];
}

static uint16_t bf16_of(float value) /* that has as few bits */
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static mxg_problem problem_of(int64_t rows)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = rows, problem.n = N, problem.k = K;
    problem.c_format = MXG_FORMAT_F32;
    problem.b_layout = problem.scale_layout = MXG_LAYOUT_SHUFFLED; /* which the fast kernels take */
    return problem;
}

/* Weights in bf16 to MXFP4 on the device, shuffled. A real program does this once and keeps the result in a file. */
static void upload_weights(mxg_buffers *buffers)
{
    static uint16_t weights[N * K];
    static uint8_t codes[N * K / 2], shuffled[sizeof codes];
    uint64_t scale_bytes;
    for (int i = 0; i < N * K; i++) weights[i] = bf16_of(value_at(i / K, i % K));
    check_mxg(mxg_scale_bytes(N, K, MXG_LAYOUT_SHUFFLED, &scale_bytes));
    uint8_t *scales = malloc(scale_bytes);
    if (!scales) {
        fprintf(stderr, "file_pack: no memory for the scales\n");
        exit(1);
    }
    check_mxg(mxg_quantize_bf16(N, K, weights, K, codes, scales, MXG_LAYOUT_SHUFFLED));
    check_mxg(mxg_shuffle_b(N, K, codes, shuffled));
    buffers->b = on_device(shuffled, sizeof shuffled);
    buffers->b_scale = on_device(scales, scale_bytes);
    free(scales);
}

/* Whether C is what it should be, to the bit: all sums are exact in f32. */
static int is_right(const float *c, int rows)
{
    for (int m = 0; m < rows; m++)
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += value_at(m, k) * value_at(n, k);
            if (c[m * N + n] != sum) return 0;
        }
    return 1;
}

static void multiply(mxg_context *context, int rows, const mxg_buffers *buffers)
{
    static float c[LARGEST_ROWS * N];
    const mxg_problem problem = problem_of(rows);
    mxg_variant_info variant = {.struct_bytes = sizeof variant};
    mxg_plan *plan;
    check_mxg(mxg_plan_create(context, &problem, &plan));
    check_mxg(mxg_plan_variant(plan, &variant));
    uint64_t workspace_bytes = mxg_plan_workspace_bytes(plan);
    void *workspace = workspace_bytes ? on_device(NULL, workspace_bytes) : NULL;

    check_mxg(mxg_workspace_init(plan, workspace, workspace_bytes, NULL));
    check_mxg(mxg_run(plan, buffers, workspace, workspace_bytes, NULL));
    check_hip(hipMemcpy(c, buffers->c, (size_t)rows * N * sizeof *c, hipMemcpyDeviceToHost));
    check_hip(hipFree(workspace));
    check_mxg(mxg_plan_destroy(plan));
    printf("%d rows, %s: %s\n", rows, variant.name, is_right(c, rows) ? "right" : "wrong");
    if (!is_right(c, rows)) exit(1);
}

int main(int argc, char **argv)
{
    static uint16_t a[LARGEST_ROWS * K];
    mxg_library *library;
    mxg_context *context;
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    const mxg_problem needed[] = {problem_of(DECODE_ROWS), problem_of(PREFILL_ROWS)};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: file_pack PACK [CHOICES]\n");
        return 2;
    }
    options.path = argv[1], options.choices_path = argv[2]; /* NULL where there is none */
    options.log = tell, options.user = stderr;
    check_mxg(mxg_library_open(&options, &library));
    check_mxg(mxg_context_create(library, NULL, &context));
    check_mxg(mxg_warm(context, needed, sizeof needed / sizeof *needed)); /* no load after this */

    for (int i = 0; i < LARGEST_ROWS * K; i++) a[i] = bf16_of(value_at(i / K, i % K));
    buffers.a = on_device(a, sizeof a);
    buffers.c = on_device(NULL, LARGEST_ROWS * N * sizeof(float));
    upload_weights(&buffers);
    multiply(context, DECODE_ROWS, &buffers);
    multiply(context, PREFILL_ROWS, &buffers);

    const void *memory[] = {buffers.a, buffers.b, buffers.b_scale, buffers.c};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) check_hip(hipFree((void *)memory[i]));
    check_mxg(mxg_context_destroy(context));
    mxg_library_close(library);
    return 0;
}
