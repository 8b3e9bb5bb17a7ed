/* The reader of packs, and all that a program can do with a pack that it has opened. HIP does nothing: what it would be
 * handed is a code object that has passed the loader's checks. */
#include "common/pack_format.h"
#include "common/sha256.h"
#include "tests/fuzz/parse/library.h"
#include "tests/idle_hip.h"

uint64_t fuzz_accepted;

enum { MOST_TRIED = 64 }; /* variants of a pack */

/* ---- Using a pack -------------------------------------------------------------------------------------------------*/

/* The strings end, and the code object is bytes of the pack, unless it is compressed. */
static void check_info(const mxg_variant_info *info)
{
    const volatile unsigned char *object = info->code_object; /* read, though nobody wants to know */
    FUZZ_REQUIRE(strlen(info->name) > 0 && strlen(info->name) < MXG_VARIANT_NAME_BYTES);
    FUZZ_REQUIRE(info->code_object_bytes > 0);
    if (object) (void)object[0], (void)object[info->code_object_bytes - 1];
}

/* Runs what the plan needs on memory that is none: nobody but the loader looks at the addresses. */
static mxg_status run_plan(const mxg_plan *plan, const mxg_problem *problem)
{
    static char memory[MXG_WORKSPACE_ALIGNMENT] __attribute__((aligned(MXG_WORKSPACE_ALIGNMENT)));
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    mxg_variant_info info = {.struct_bytes = sizeof info};
    const uint64_t bytes = mxg_plan_workspace_bytes(plan);
    buffers.a = memory, buffers.b = memory, buffers.b_scale = memory, buffers.c = memory;
    if (problem->a_format == MXG_FORMAT_MXFP4) buffers.a_scale = memory;
    FUZZ_REQUIRE(mxg_plan_variant(plan, &info) == MXG_OK);
    const mxg_status status = mxg_workspace_init(plan, memory, bytes, NULL);
    return status ? status : mxg_run(plan, &buffers, memory, bytes, NULL);
}

/* What a plan or a quantiser may be refused for: no memory, or a code object that is not what the index says. */
static void check_load(mxg_status status, bool may_lack_memory)
{
    if (status == MXG_OK || (status == MXG_ERROR_OUT_OF_MEMORY && may_lack_memory)) return;
    FUZZ_REQUIRE(status == MXG_ERROR_PACK || status == MXG_ERROR_WRONG_ARCH || status == MXG_ERROR_NO_VARIANT ||
                 status == MXG_ERROR_LOAD || status == MXG_ERROR_UNSUPPORTED);
    check_sentence(mxg_last_error());
}

static void use_device(mxg_library *library, uint64_t *random, bool may_lack_memory)
{
    mxg_options options = MXG_OPTIONS_INIT;
    mxg_context *context = NULL;
    options.resolve = idle_resolve;
    mxg_status status = mxg_context_create(library, &options, &context);
    FUZZ_REQUIRE((status == MXG_OK) == (context != NULL) && (!status || may_lack_memory));
    const uint32_t count = mxg_library_variant_count(library);
    for (uint32_t i = 0; context && i < count && i < MOST_TRIED; i++) {
        mxg_variant_info info = {.struct_bytes = sizeof info};
        FUZZ_REQUIRE(mxg_library_variant(library, i, &info) == MXG_OK);
        check_info(&info);
        mxg_problem problem = some_problem(random);
        problem.variant = info.name, problem.split = 0;
        problem.a_format = (int32_t)info.a_format, problem.c_format = info.kind ? 0 : (int32_t)info.c_format;
        mxg_plan *plan = NULL;
        status = mxg_plan_create(context, &problem, &plan);
        FUZZ_REQUIRE((status == MXG_OK) == (plan != NULL));
        if (!status) status = run_plan(plan, &problem);
        check_load(status, may_lack_memory);
        FUZZ_REQUIRE(mxg_plan_destroy(plan) == MXG_OK);
    }
    if (context) {
        static uint16_t in[1];
        mxg_quantizer *quantizer = NULL;
        mxg_quantize_args args = MXG_QUANTIZE_ARGS_INIT;
        args.rows = 1 + (int64_t)random_below(random, 100000), args.k = 64, args.in = in, args.codes = in;
        args.scale = in, args.scale_layout = 1 + (int32_t)random_below(random, 2);
        status = mxg_quantizer_create(context, &quantizer);
        if (!status) status = mxg_quantize(quantizer, &args, NULL);
        check_load(status, may_lack_memory);
        FUZZ_REQUIRE(mxg_quantizer_destroy(quantizer) == MXG_OK);
    }
    FUZZ_REQUIRE(mxg_context_destroy(context) == MXG_OK);
}

static mxg_status open_and_use(const uint8_t *data, size_t bytes, struct memory *memory, uint64_t random)
{
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    mxg_library *library = NULL;
    options.data = data, options.bytes = bytes;
    options.allocate = allocate, options.release = release, options.user = memory;
    const mxg_status status = mxg_library_open(&options, &library);
    FUZZ_REQUIRE((status == MXG_OK) == (library != NULL));
    if (status) {
        check_refusal(status, MXG_ERROR_PACK, memory->fails ? MXG_ERROR_OUT_OF_MEMORY : MXG_ERROR_UNSUPPORTED);
    } else {
        FUZZ_REQUIRE(strlen(mxg_library_arch(library)) > 0);
        for (int i = 0; i < 4; i++) {
            const mxg_problem problem = some_problem(&random);
            select_and_explain(library, &problem, 1 + (uint32_t)random_below(&random, 512));
        }
        use_device(library, &random, memory->fails > 0);
        mxg_library_close(library);
    }
    FUZZ_REQUIRE(memory->made == memory->freed);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint64_t random = hash_input(data, bytes);
    struct memory all = {0, 0, 0};
    if (open_and_use(data, bytes, &all, random) == MXG_OK) fuzz_accepted++;
    if (all.made == 0) return 0;
    struct memory scarce = {0, 0, 1 + random_below(&random, all.made)};
    (void)open_and_use(data, bytes, &scarce, random);
    return 0;
}

/* ---- Changing a pack ----------------------------------------------------------------------------------------------*/

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | at[bytes];
    return value;
}

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t end_of_index(const uint8_t *data)
{
    return mxg_pack_index_end(get(data + MXG_PACK_AT_VARIANTS, 4), get(data + MXG_PACK_AT_TIME_SOURCES, 4),
                              get(data + MXG_PACK_AT_TIME_ROWS, 4), get(data + MXG_PACK_AT_TIME_ENTRIES, 4));
}

/* The size and the checksums as they should be, of code objects that are stored as they are. */
static void seal(uint8_t *data, size_t bytes)
{
    if (bytes < MXG_PACK_HEADER_BYTES) return;
    put(data + MXG_PACK_AT_FILE_BYTES, bytes, 8);
    const uint64_t end = end_of_index(data);
    if (end > bytes) return;
    for (uint64_t i = 0; i < get(data + MXG_PACK_AT_VARIANTS, 4); i++) {
        uint8_t *record = data + MXG_PACK_HEADER_BYTES + i * MXG_PACK_RECORD_BYTES;
        const uint64_t at = get(record + MXG_PACK_RECORD_AT_BLOB_OFFSET, 8);
        const uint64_t blob_bytes = get(record + MXG_PACK_RECORD_AT_BLOB_BYTES, 8);
        if (at > bytes || blob_bytes > bytes - at) continue;
        mxg_sha256(data + at, (size_t)blob_bytes, record + MXG_PACK_RECORD_AT_BLOB_SHA256);
    }
    mxg_sha256(data + MXG_PACK_HEADER_BYTES, (size_t)end - MXG_PACK_HEADER_BYTES, data + MXG_PACK_AT_INDEX_SHA256);
}

/* Most changes are of a part alone, so that the others stay in their places, and are sealed. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
    uint64_t random = seed;
    if (bytes < MXG_PACK_HEADER_BYTES || random_below(&random, 8) == 0) return LLVMFuzzerMutate(data, bytes, room);
    const uint64_t end = end_of_index(data);
    size_t from = 0, part = MXG_PACK_HEADER_BYTES;
    if (end <= bytes && random_below(&random, 4) > 0) {
        const bool blobs = random_below(&random, 2) == 0 && end < bytes;
        const size_t first = blobs ? (size_t)end : MXG_PACK_HEADER_BYTES, last = blobs ? bytes : (size_t)end;
        from = last > first ? first + random_below(&random, last - first) / 4 * 4 : first;
        part = last - from < 32 ? last - from : 32;
    }
    uint8_t changed[MXG_PACK_HEADER_BYTES];
    memcpy(changed, data + from, part);
    if (random_below(&random, 8) > 0) {
        const size_t now = LLVMFuzzerMutate(changed, part, part);
        memcpy(data + from, changed, now);
    } else {
        bytes = LLVMFuzzerMutate(data, bytes, room);
    }
    if (random_below(&random, 16) > 0) seal(data, bytes);
    return bytes;
}
