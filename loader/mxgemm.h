/* mxgemm.h - MXFP4 GEMM for AMD Instinct MI355X (gfx950) from kernels compiled ahead of time.
 *
 *     C[m][n] = round(alpha * sum over k of A[m][k] * B[n][k]  + bias[n])
 *
 * B is MXFP4: E2M1 codes [N][K], two a byte with the lower k in the low nibble, and one E8M0 scale byte a block of 32
 * along K; A is bf16 [M][K], quantised to MXFP4 inside the kernel, or MXFP4 already; C is bf16, f16 or f32 [M][N].
 * A library is a pack of compiled kernels; a context binds it to a device; a plan is one problem with its kernel
 * chosen; mxg_run() launches a plan on the caller's stream with the caller's memory.
 * The smallest program (device pointers from hipMalloc, statuses checked by the real one):
 *
 *     mxg_library *library; mxg_context *context; mxg_plan *plan;
 *     mxg_problem problem = MXG_PROBLEM_INIT;   problem.m = 16, problem.n = 2112, problem.k = 7168;
 *     mxg_buffers buffers = MXG_BUFFERS_INIT;   buffers.a = a, buffers.b = b, buffers.b_scale = s, buffers.c = c;
 *     mxg_library_open_gfx950(&library);
 *     mxg_context_create(library, NULL, &context);
 *     mxg_plan_create(context, &problem, &plan);
 *     uint64_t bytes = mxg_plan_workspace_bytes(plan);  hipMalloc(&workspace, bytes);
 *     mxg_workspace_init(plan, workspace, bytes, stream);
 *     mxg_run(plan, &buffers, workspace, bytes, stream);
 *
 * The library needs libc only. It finds the HIP runtime at run time (see mxg_options) and never links it.
 * Sections: version, status, libraries, contexts, plans, run, quantising on the device, weights in host memory; then,
 * for those who need more: choosing variants, and opening with an allocator, a log or measured choices of one's own.
 *
 * Rules that hold for every function, unless it says otherwise:
 *   - It returns MXG_OK (0) or an error status; after an error mxg_last_error() has the whole sentence. "Errors" lists
 *     the statuses that it can return, without MXG_ERROR_.
 *   - A NULL where an object or a result is needed is refused with MXG_ERROR_ARGUMENT; the functions that close or
 *     destroy accept NULL. After an error, a result that would have been an object is NULL.
 *   - Any thread may call any function at any time. One object may be used by many threads at once; only closing or
 *     destroying it must be the last use of it.
 *   - Objects may be closed in any order: a library lives until its last context, a context until its last plan and
 *     quantizer.
 *   - The caller's current HIP device is the same afterwards, and hipGetLastError() has no error of this library's.
 *   - Sizes are in elements and counts 64-bit; whatever is in bytes has "bytes" in its name.
 *   - HIP does not survive fork(): once a process has had a context, its children use none, not even a new one.
 *   - A struct begins with its size as the caller knows it, which the _INIT macros set: programs and libraries of
 *     different versions understand each other. What a shorter struct lacks is as in its _INIT; a field that the
 *     library does not know must be 0. */
#ifndef MXGEMM_H
#define MXGEMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MXG_API __attribute__((visibility("default")))
#else
#define MXG_API
#endif

/* =================================================================================================== version ====== */

/* Before 1.0 a minor version may change the ABI, from then on a major one; the SONAME carries that much of it. */
#define MXG_VERSION_MAJOR 0
#define MXG_VERSION_MINOR 2
#define MXG_VERSION_PATCH 0
#define MXG_VERSION_NUMBER (MXG_VERSION_MAJOR * 10000 + MXG_VERSION_MINOR * 100 + MXG_VERSION_PATCH)

/* Of the library that is linked, to compare with the macros of the header. Never fail. */
MXG_API uint32_t mxg_version_number(void);
MXG_API const char *mxg_version(void); /* "0.2.0", static */

/* ==================================================================================================== status ====== */

/* The values are fixed: none is ever reused. */
typedef enum mxg_status {
    MXG_OK = 0,
    MXG_ERROR_ARGUMENT = 1,       /* a pointer, size, stride or format that no variant could accept */
    MXG_ERROR_NO_VARIANT = 2,     /* a legal problem that no variant of this pack does, or none of that name */
    MXG_ERROR_FILE = 3,           /* a file cannot be read */
    MXG_ERROR_PACK = 4,           /* not a pack, or a damaged one */
    MXG_ERROR_NO_HIP = 5,         /* no HIP library, or one without a function that is needed */
    MXG_ERROR_NO_DEVICE = 6,      /* HIP works and has no such device */
    MXG_ERROR_WRONG_ARCH = 7,     /* device and pack are for different processors */
    MXG_ERROR_LOAD = 8,           /* HIP did not load a code object or did not find the kernel in it */
    MXG_ERROR_LAUNCH = 9,         /* HIP did not launch */
    MXG_ERROR_HIP = 10,           /* another HIP call failed */
    MXG_ERROR_WORKSPACE = 11,     /* the workspace is missing, too small or misaligned */
    MXG_ERROR_OUT_OF_MEMORY = 12, /* of the host */
    MXG_ERROR_CAPTURE = 13,     /* the stream is being captured, and the kernel is not loaded yet: mxg_warm() before */
    MXG_ERROR_UNSUPPORTED = 14, /* this build of the library lacks something optional, such as zstd */
    MXG_ERROR_CHOICES = 15      /* a file of measured choices that does not say what it should */
} mxg_status;

/* "MXG_ERROR_LOAD"; a static string for any value, also one that is no status. */
MXG_API const char *mxg_status_name(mxg_status status);

/* What went wrong in the calling thread's last call that failed: one sentence that names the value, with HIP's own
 * name, number and text where HIP failed. Valid until the thread's next call that fails; "" before the first. */
MXG_API const char *mxg_last_error(void);

/* The HIP error code behind mxg_last_error(); 0 where HIP had no part in it. */
MXG_API int mxg_last_hip_error(void);

/* ================================================================================================= libraries ====== */

typedef struct mxg_library mxg_library;

/* The pack that `make gen` built, in libmxgemm_gfx950: link it to embed the kernels in an application. */
extern const unsigned char mxg_pack_gfx950[];
extern const uint64_t mxg_pack_gfx950_bytes;

/* Its address, for programs that may link the shared library: of an array that they name, linkers copy all bytes into
 * the program. */
extern const unsigned char *const mxg_pack_gfx950_start;

/* Opens a pack that lies in memory, which must stay as it is until the library is gone (a multiple of 4096 is the best
 * address). The whole index is checked here, a kernel's own bytes before its first use. Makes no HIP call.
 * Errors: ARGUMENT, PACK, OUT_OF_MEMORY. */
MXG_API mxg_status mxg_library_open_memory(const void *data, uint64_t bytes, mxg_library **library);

/* Opens the embedded pack, likewise. Programs that call it link libmxgemm_gfx950. */
static inline mxg_status mxg_library_open_gfx950(mxg_library **library)
{
    return mxg_library_open_memory(mxg_pack_gfx950_start, mxg_pack_gfx950_bytes, library);
}

/* Opens a pack file by mapping it read-only: replace it by rename, never overwrite it while it is open. Errors: as
 * before, and FILE. */
MXG_API mxg_status mxg_library_open_file(const char *path, mxg_library **library);

/* Frees the library, once nothing of it is left. NULL is legal. */
MXG_API void mxg_library_close(mxg_library *library);

/* ================================================================================================== contexts ====== */

typedef struct mxg_context mxg_context;

/* Finds a HIP function by name; NULL when there is none. Functions that are needed: hipInit, hipGetDeviceCount,
 * hipGetDevice, hipSetDevice, hipGetDevicePropertiesR0600, hipModuleLoadData, hipModuleUnload, hipModuleGetFunction,
 * hipModuleLaunchKernel, hipMemsetAsync, hipStreamIsCapturing, hipDeviceSynchronize, hipGetLastError, hipGetErrorName
 * and hipGetErrorString; used where there is one: hipThreadExchangeStreamCaptureMode. Others are for tools. They are
 * called until the last context of theirs is gone, and kernels that HIP did not let go of are. */
typedef void *(*mxg_resolver)(void *user, const char *name);

#define MXG_CURRENT_DEVICE (-1)

/* Where HIP comes from, the first that is given: `resolve`; the library at `hip_path`; the one that the environment
 * variable MXG_HIP names (unless empty); else libamdhip64.so.7, .6 or plain, one that the process has loaded already
 * before any other. A HIP library is never unloaded. Strings and resolver are needed during mxg_context_create() only.
 */
typedef struct mxg_options {
    uint64_t struct_bytes; /* sizeof(mxg_options) */
    int32_t device;        /* ordinal, or MXG_CURRENT_DEVICE */
    int32_t reserved;      /* 0 */
    const char *hip_path;  /* or NULL */
    mxg_resolver resolve;  /* or NULL */
    void *user;            /* handed to resolve */
} mxg_options;

#define MXG_OPTIONS_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(mxg_options), MXG_CURRENT_DEVICE, 0, NULL, NULL, NULL                                                   \
    }

/* Binds a library to a device, after a check that the device is the processor the pack is for. Loads no kernel.
 * `options` may be NULL: MXG_OPTIONS_INIT. The library stays usable by others. Contexts of one library on one device
 * share their kernels. Not for use in stream capture. Errors: ARGUMENT, NO_HIP, NO_DEVICE, WRONG_ARCH, HIP,
 * OUT_OF_MEMORY. */
MXG_API mxg_status mxg_context_create(mxg_library *library, const mxg_options *options, mxg_context **context);

/* Once the last context of a library on a device is destroyed, and its last plan and quantizer too: waits for the
 * device (hipDeviceSynchronize), so that work in flight is finished, and unloads the kernels. A HIP graph that holds
 * one of them must not be launched any more. NULL is legal. Errors: HIP, and the object is gone nevertheless: kernels
 * that HIP did not let go of are kept, with their library, and unloaded by the next mxg_context_create() or
 * mxg_context_destroy() of the process that can. So it is while any blocking stream is captured, which is left intact;
 * of a non-blocking one HIP does not tell, and hipDeviceSynchronize breaks its capture off: do not close meanwhile. */
MXG_API mxg_status mxg_context_destroy(mxg_context *context);

/* ===================================================================================================== plans ====== */

typedef enum mxg_format {
    MXG_FORMAT_BF16 = 1,
    MXG_FORMAT_F16 = 2,
    MXG_FORMAT_F32 = 3,
    MXG_FORMAT_MXFP4 = 4
} mxg_format;

/* Shuffled B data is [N/16][K/64][2][16][16 bytes], of N % 16 == 0 and K % 64 == 0 only. Shuffled scales lie in tiles
 * of 32 rows x 8 blocks, rows padded to 32 and blocks to 8: what hipBLASLt calls pre-swizzled scales
 * (HIPBLASLT_MATMUL_MATRIX_SCALE_BLK32_UE8M0_32_8_EXT) and aiter's e8m0_shuffle() makes. mxg_shuffle_b() and
 * mxg_shuffle_scales() make both. */
typedef enum mxg_layout { MXG_LAYOUT_ROW = 1, MXG_LAYOUT_SHUFFLED = 2 } mxg_layout;

/* A zero in any field but m, n and k is a default. */
typedef struct mxg_problem {
    uint64_t struct_bytes; /* sizeof(mxg_problem) */
    int64_t m, n, k;       /* k: a multiple of 32, not 0 */
    int64_t lda;           /* elements between rows of A, even in MXFP4; default k */
    int64_t ldb;           /* elements between rows of row-major B, even; default k */
    int64_t ldc;           /* elements between rows of C; default n */
    int64_t ld_b_scale;    /* bytes between rows of row-major B scales; default k / 32 */
    int32_t a_format;      /* mxg_format; default bf16 */
    int32_t c_format;      /* mxg_format; default bf16 */
    int32_t b_layout;      /* mxg_layout; default row */
    int32_t scale_layout;  /* mxg_layout of all scales; default row */
    const char *variant;   /* one variant by its name, or NULL for the best; needed during the call only */
    int32_t split;         /* only variants of this split-K factor, or 0 for any */
    int32_t reserved;      /* 0 */
    int64_t ld_a_scale;    /* bytes between rows of row-major scales of A in MXFP4; default k / 32 */
} mxg_problem;

#define MXG_PROBLEM_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(mxg_problem), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0                                            \
    }

typedef struct mxg_plan mxg_plan;

/* Chooses the variant for a problem: a matter of microseconds, without any HIP call, so also for use in stream capture.
 * Its kernel is loaded by mxg_plan_warm(), mxg_warm() or the first mxg_run() that needs it, once for a device.
 * Errors: ARGUMENT, NO_VARIANT, OUT_OF_MEMORY. */
MXG_API mxg_status mxg_plan_create(mxg_context *context, const mxg_problem *problem, mxg_plan **plan);

/* Loads the plan's kernel, unless that has been done. Loads of all threads and contexts wait for each other (concurrent
 * loads deadlock in some HIP runtimes). Not for use while the calling thread captures a stream; captures of other
 * threads are left alone. Of a plan whose m or n is 0 a success. Errors: ARGUMENT, PACK (its own bytes are damaged),
 * WRONG_ARCH (they are for another processor), UNSUPPORTED, LOAD, HIP, OUT_OF_MEMORY. */
MXG_API mxg_status mxg_plan_warm(const mxg_plan *plan);

/* Loads the kernels that an array of `count` problems needs, for a server that must not stop to load one later; of 0 it
 * may be NULL. All have the struct_bytes of the first. The first problem that cannot be done ends it with its error,
 * which names the index; kernels loaded till then stay. Errors: those of mxg_plan_create() and mxg_plan_warm(). */
MXG_API mxg_status mxg_warm(mxg_context *context, const mxg_problem *problems, uint64_t count);

/* NULL is legal. Its status is that of mxg_context_destroy(), if it held the context last. */
MXG_API mxg_status mxg_plan_destroy(mxg_plan *plan);

/* The device memory that a launch of the plan needs beside its buffers, to the byte; 0 is common. Plans share one: the
 * largest of their needs suffices. Plan NULL: 0. */
MXG_API uint64_t mxg_plan_workspace_bytes(const mxg_plan *plan);

/* ======================================================================================================= run ====== */

typedef struct mxg_buffers {
    uint64_t struct_bytes; /* sizeof(mxg_buffers) */
    const void *a;         /* [m][lda]: bf16, 2-byte aligned, or E2M1 codes, any alignment */
    const void *a_scale;   /* E8M0 of A in MXFP4, any alignment; NULL of A in bf16 */
    const void *b;         /* E2M1 codes, any alignment */
    const void *b_scale;   /* E8M0, any alignment */
    void *c;               /* [m][ldc], aligned to its element; between n and ldc it is left alone */
    const float *bias;     /* [n], 4-byte aligned, or NULL */
    float alpha;           /* 1 to change nothing */
    uint32_t reserved;     /* 0 */
} mxg_buffers;

#define MXG_BUFFERS_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(mxg_buffers), NULL, NULL, NULL, NULL, NULL, NULL, 1.0f, 0                                               \
    }

#define MXG_WORKSPACE_ALIGNMENT 16 /* bytes, of every workspace */

/* Makes a workspace ready, on `stream`, by clearing the counters at its beginning: once, before the first launch that
 * uses it, whichever plan that is of, and again after a launch that failed. What is behind the counters (16 KiB) may
 * hold anything. One workspace serves plans of all problems, those to come included, one launch after the other, so one
 * stream at a time; finished launches leave it ready. `plan` is any of them, and what it needs is checked; where that
 * is 0 bytes `workspace` may be NULL. mxg_run() cannot see whether this was done: what a launch on a workspace that was
 * never made ready, or that others wrote into, leaves in C is undefined. Errors: ARGUMENT, WORKSPACE, HIP. */
MXG_API mxg_status mxg_workspace_init(const mxg_plan *plan, void *workspace, uint64_t workspace_bytes, void *stream);

/* Launches the plan on `stream` (a hipStream_t of the context's device, which must be current where it is NULL) and
 * returns; the result is there when the stream has got so far. Where the kernel is loaded it allocates nothing, locks
 * nothing and asks HIP nothing: its only HIP calls are the launches, and it may be captured. Where it is not, it is
 * loaded first; on a stream that is being captured that is refused with MXG_ERROR_CAPTURE, and the capture goes on.
 * m or n of 0 is a success without a launch, whatever the pointers in `buffers` and the workspace are.
 * Errors: ARGUMENT, WORKSPACE, LAUNCH; where the kernel is not loaded CAPTURE and those of mxg_plan_warm(). */
MXG_API mxg_status mxg_run(const mxg_plan *plan, const mxg_buffers *buffers, void *workspace, uint64_t workspace_bytes,
                           void *stream);

/* ================================================================================== quantising on the device ====== */

/* For an A that is used many times, or by another's kernels: bf16 to MXFP4 once, to the bit what the kernels do with A
 * in bf16 and what mxg_quantize_bf16() does in host memory. */
typedef struct mxg_quantizer mxg_quantizer;

/* A zero in any field but rows and k is a default. Device pointers. */
typedef struct mxg_quantize_args {
    uint64_t struct_bytes; /* sizeof(mxg_quantize_args) */
    int64_t rows, k;       /* k: a multiple of 32, not 0 */
    int64_t ld_in;         /* elements between rows of `in`; default k */
    int64_t ld_codes;      /* elements between rows of `codes`, even; default k */
    int64_t ld_scale;      /* bytes between rows of row-major `scale`; default k / 32 */
    int32_t scale_layout;  /* mxg_layout; default row */
    int32_t reserved;      /* 0 */
    const void *in;        /* bf16 [rows][ld_in], 2-byte aligned */
    void *codes;           /* E2M1 [rows][ld_codes], any alignment; what is between k and ld_codes is left alone */
    void *scale;           /* E8M0 of mxg_scale_bytes() where tight, any alignment; padding of shuffled ones is 127 */
} mxg_quantize_args;

#define MXG_QUANTIZE_ARGS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(mxg_quantize_args), 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL                                               \
    }

/* Finds the pack's quantiser. It keeps its context. Loaded as the kernel of a plan is.
 * Errors: ARGUMENT, NO_VARIANT, OUT_OF_MEMORY. */
MXG_API mxg_status mxg_quantizer_create(mxg_context *context, mxg_quantizer **quantizer);

/* As mxg_plan_warm(). */
MXG_API mxg_status mxg_quantizer_warm(const mxg_quantizer *quantizer);

/* NULL is legal. Its status is that of mxg_context_destroy(), if it held the context last. */
MXG_API mxg_status mxg_quantizer_destroy(mxg_quantizer *quantizer);

/* Launches on `stream`, as mxg_run() does. What it writes must not overlap `in`. rows of 0 is a success without a
 * launch, whatever the pointers in `args` are. Errors: ARGUMENT, NO_VARIANT (more rows than a grid has), LAUNCH; where
 * the kernel is not loaded CAPTURE and those of mxg_plan_warm(). */
MXG_API mxg_status mxg_quantize(const mxg_quantizer *quantizer, const mxg_quantize_args *args, void *stream);

/* =================================================================================== weights, in host memory ====== */
/* Inputs and outputs must not overlap. Sizes: `rows` >= 0 (N for B), `k` a multiple of 32, not 0; rows of 0 is a
 * success, whatever the pointers are. No HIP, no allocation, 64 KiB of stack. Errors: ARGUMENT, and nothing has been
 * written then. */

/* One conversion of a matrix [rows][k] to MXFP4 in the layouts that kernels take. A zero in any field but rows and k is
 * a default. */
typedef struct mxg_weights {
    uint64_t struct_bytes; /* sizeof(mxg_weights) */
    int64_t rows, k;
    int64_t ld_in;           /* elements between rows of `in`, even in MXFP4; default k, and no other if shuffled */
    int32_t in_format;       /* mxg_format of `in`: bf16 (default), f16, f32 or mxfp4 */
    int32_t in_layout;       /* mxg_layout of `in` in MXFP4; default row */
    int32_t in_scale_layout; /* mxg_layout of `in_scales`; default row */
    int32_t layout;          /* mxg_layout of `codes`; default row */
    int32_t scale_layout;    /* mxg_layout of `scales`; default row */
    int32_t threads;         /* that share the work, the caller's among them, at most 64; 0: one a processor that the
                                process may run on, fewer of little work */
    const void *in;          /* aligned to its element */
    const void *in_scales;   /* of `in` in MXFP4; else NULL */
    void *codes;             /* [rows][k / 2] or shuffled; NULL: not wanted (of MXFP4 only) */
    void *scales;            /* of mxg_scale_bytes(); padding is written as 127; NULL: not wanted (of MXFP4 only) */
} mxg_weights;

#define MXG_WEIGHTS_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(mxg_weights), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL                                         \
    }

/* Quantises, or changes layouts of what is MXFP4 already. bf16 becomes to the bit what the kernels make of A: the scale
 * rounds the block's largest magnitude to a power of two, elements round to nearest even and saturate at 6; a block
 * with a NaN or an infinity gets scale 255 and codes 0. f16 and f32 are quantised by the same rule from their own
 * values, not by way of bf16. Threads that it starts have ended when it returns; where one cannot be started the caller
 * does its work. The result depends neither on their number nor on the processor or its floating-point state. */
MXG_API mxg_status mxg_convert_weights(const mxg_weights *weights);

/* Bytes of the scales of [rows][k] in a layout; shuffled ones with their padding. */
MXG_API mxg_status mxg_scale_bytes(int64_t rows, int64_t k, int32_t scale_layout, uint64_t *bytes);

/* mxg_convert_weights() in the calling thread, for what is needed most: bf16 [rows][ld] (ld 0: k) to row-major codes
 * and scales in a layout; row-major codes [n][k / 2] to shuffled and back; row-major scales [rows][k / 32] likewise. */
MXG_API mxg_status mxg_quantize_bf16(int64_t rows, int64_t k, const uint16_t *in, int64_t ld, uint8_t *codes,
                                     uint8_t *scales, int32_t scale_layout);
MXG_API mxg_status mxg_shuffle_b(int64_t n, int64_t k, const uint8_t *in, uint8_t *out);
MXG_API mxg_status mxg_unshuffle_b(int64_t n, int64_t k, const uint8_t *in, uint8_t *out);
MXG_API mxg_status mxg_shuffle_scales(int64_t rows, int64_t k, const uint8_t *in, uint8_t *out);
MXG_API mxg_status mxg_unshuffle_scales(int64_t rows, int64_t k, const uint8_t *in, uint8_t *out);

/* ==================================================================================== variants and selection ====== */

/* What one variant is; fields as in the pack. Strings and pointers live as long as the library. */
typedef struct mxg_variant_info {
    uint64_t struct_bytes;       /* sizeof(mxg_variant_info), set by the caller */
    const char *name;            /* also the kernel's symbol */
    uint32_t tile_m, tile_n;     /* of C, a workgroup */
    uint32_t split;              /* slices of K */
    uint32_t reduction;          /* 0 none, 1 a second launch sums the slices, 2 a tile's last workgroup does */
    uint32_t a_format, c_format; /* mxg_format */
    uint32_t b_layouts;          /* sum of the mxg_layout values it accepts */
    uint32_t scale_layouts;      /* likewise */
    uint32_t workgroup_threads, reduce_threads;
    uint32_t kernarg_bytes, lds_bytes, vgprs, agprs, sgprs, code_bytes;
    /* An ELF, not yet compared with its checksum, and its size; NULL where the pack has it compressed. */
    const void *code_object;
    uint64_t code_object_bytes;
    uint32_t kind;             /* 0 a GEMM, 1 the quantiser of mxg_quantize(), see PACK.md */
    uint32_t grid_order;       /* 0 x: rows, y: columns, z: slices of K; 1 by XCDs, see PACK.md */
    uint32_t k_multiple;       /* K that it takes are multiples of this */
    uint32_t highest_stride;   /* of lda and ldc, in elements, and of K; 0: no limit */
    uint32_t round_trip_steps; /* K-steps of 128 that the workgroup has under way in one memory round trip */
    uint32_t slice_k;          /* K is cut into slices at multiples of this */
    uint32_t xnack, sramecc;   /* what the code object was compiled for: 0 unsupported, 1 any, 2 off, 3 on */
} mxg_variant_info;

MXG_API uint32_t mxg_library_variant_count(const mxg_library *library); /* library NULL: 0 */
MXG_API const char *mxg_library_arch(const mxg_library *library);       /* "gfx950"; library NULL: "" */

/* A variant by its index, and that of a plan. Errors: ARGUMENT. */
MXG_API mxg_status mxg_library_variant(const mxg_library *library, uint32_t index, mxg_variant_info *info);
MXG_API mxg_status mxg_plan_variant(const mxg_plan *plan, mxg_variant_info *info);

/* What selection knows of a device. No field has a default: a 0 or an empty arch is refused. */
typedef struct mxg_device {
    uint64_t struct_bytes; /* sizeof(mxg_device) */
    uint32_t cu_count;     /* compute units */
    uint32_t lds_bytes;    /* that a workgroup can have */
    char arch[64];         /* as HIP's gcnArchName, such as gfx950:sramecc+:xnack-; ends with a NUL. A kernel that was
                              compiled for xnack or sramecc on, or off, is for devices whose arch says the same. */
} mxg_device;

#define MXG_DEVICE_MI355X                                                                                              \
    {                                                                                                                  \
        sizeof(mxg_device), 256, 163840, "gfx950:sramecc+:xnack-"                                                      \
    }

/* The device of a context. The caller has set struct_bytes. Errors: ARGUMENT. */
MXG_API mxg_status mxg_context_device(const mxg_context *context, mxg_device *device);

/* The choice mxg_plan_create() makes on a device (NULL: MXG_DEVICE_MI355X). Makes no HIP call; the same library,
 * problem and device give the same answer everywhere. Errors: ARGUMENT, NO_VARIANT, OUT_OF_MEMORY. */
MXG_API mxg_status mxg_library_select(const mxg_library *library, const mxg_problem *problem, const mxg_device *device,
                                      uint32_t *index);

/* How selection sees one variant. Of those whose time is within 1/32 of the lowest, the one that keeps the most compute
 * units at work is chosen, with min(workgroups, cu_count) of them; among equals the one with the lower time, then the
 * lower index. Where the lowest time was measured at this very problem it decides alone. Before all that comes a choice
 * of the user's own (mxg_library_options), unless the problem asks for a variant or a split or the variant cannot do
 * it. Times are compared in whole nanoseconds and are the same on every machine. They are a formula's, corrected by the
 * pack's table of times: where the table has this very problem, by its own time for the variant (on 256 compute units
 * that time is the prediction), else by those of problems close by. */
typedef struct mxg_candidate {
    uint64_t struct_bytes;   /* sizeof(mxg_candidate), set by the caller */
    int32_t accepted;        /* 1 or 0 */
    int32_t preferred;       /* 1: the user's measured choices name it for this problem, and it is accepted */
    double predicted_us;     /* 0 where refused */
    char reason[256];        /* why it is refused; "" where accepted */
    const char *time_source; /* of the nearest time of it that counts, "model" or "measured:DEVICE,DRIVER,DATE"; NULL:
                                it has none close by, and the others' mean correction is used. Lives as the library. */
    int64_t time_m, time_n, time_k; /* the problem of that time */
    uint64_t workgroups;            /* of the GEMM, those that have something to do; 0 where refused */
    /* Where the user's measured choices name it for this problem and device, accepted or not; else NULL and 0. The
     * strings live as the library. */
    const char *choice_path;   /* the file */
    int64_t choice_line;       /* from 1 */
    double choice_us;          /* measured by the user; 0: not said */
    const char *choice_source; /* of choice_us; "": not said */
} mxg_candidate;

/* A refused variant is no error: `reason` says why. Errors: ARGUMENT, OUT_OF_MEMORY. */
MXG_API mxg_status mxg_library_explain(const mxg_library *library, const mxg_problem *problem, const mxg_device *device,
                                       uint32_t index, mxg_candidate *candidate);

/* ======================================================================================== opening, in detail ====== */

enum {
    MXG_LOG_WARNING = 1, /* a failure that no caller is told of, such as an unload that HIP refused */
    MXG_LOG_INFO = 2,    /* a kernel was loaded or unloaded */
    MXG_LOG_DEBUG = 3    /* what was chosen, and why */
};

/* A zero in any field is a default. */
typedef struct mxg_library_options {
    uint64_t struct_bytes;    /* sizeof(mxg_library_options) */
    const void *data;         /* the pack in memory, as for mxg_library_open_memory() */
    uint64_t bytes;           /* of data */
    const char *path;         /* or its file; exactly one of data and path is given */
    const char *choices_path; /* a file of measured choices, CHOICES.md; NULL: none. Read here, never again */
    /* Of all memory of the library and of its contexts, plans and quantizers: both, or neither for malloc() and free().
     * `allocate` returns memory aligned to 16 bytes, or NULL; `release` gets what it returned, never NULL. Any thread
     * may call them, also with the load lock held: they must not call this library. */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    /* Told what happens, one sentence without a line end, which is gone when it returns. Under the rules of allocate.
     * It is never called by mxg_run() of a kernel that is loaded. */
    void (*log)(void *user, int32_t level, const char *sentence);
    void *user; /* handed to all three */
} mxg_library_options;

#define MXG_LIBRARY_OPTIONS_INIT                                                                                       \
    {                                                                                                                  \
        sizeof(mxg_library_options), NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL                                       \
    }

/* As mxg_library_open_memory() or mxg_library_open_file(). The strings are needed during the call only, `user` and the
 * functions until the library and everything of it is gone. Errors: ARGUMENT, FILE, PACK, CHOICES, OUT_OF_MEMORY. */
MXG_API mxg_status mxg_library_open(const mxg_library_options *options, mxg_library **library);

#ifdef __cplusplus
}
#endif

#endif
