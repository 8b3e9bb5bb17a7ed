/* The emulated HIP library and kernels with variables, compiled here: symbols, programs that register their kernels as
 * compiled <<<>>> does, two devices, occupancy, kernels in graphs. */
#define _GNU_SOURCE /* putenv */
#if !__has_include(<hip/hip_runtime_api.h>)
#include "tests/unit/no_hip_headers.h"
#else
#include "gen/comgr.h"
#include "tests/emu/emu.h"
#include "tests/unit/hip_host.h"

#include <elf.h>

enum { N = 100, BLOCK = 64, GRID = 2, WIDE_LDS = 48 * 1024 };

/* clang-format off */
static const char source[] =
    "#define GLOBAL extern \"C\" __attribute__((global))\n"
    "__attribute__((device)) int counters[4] = {1, 2, 3, 4};\n"
    "__attribute__((device)) int zeros[1000];\n"
    "__attribute__((constant)) float factor = 2.5f;\n"
    "__attribute__((device)) int *table[2] = {&counters[2], zeros + 7};\n" /* relocations */
    "GLOBAL void scale(float *to, const float *from, float bias, int n)\n"
    "{\n"
    "    int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();\n"
    "    if (i < n) to[i] = from[i] * factor + bias;\n"
    "}\n"
    "GLOBAL void bump(int by)\n"
    "{\n"
    "    *table[0] += by;\n"
    "    *table[1] = counters[0];\n"
    "}\n"
    "GLOBAL __attribute__((amdgpu_flat_work_group_size(1, 256))) void wide(int *to)\n"
    "{\n"
    "    __attribute__((shared)) static int lds[12288];\n"
    "    lds[__builtin_amdgcn_workitem_id_x()] = *to;\n"
    "    __builtin_amdgcn_s_barrier();\n"
    "    *to = lds[0] + lds[12287 - __builtin_amdgcn_workitem_id_x()];\n"
    "}\n";
/* clang-format on */

static struct gen_text object;
static unsigned char *bundle; /* of the object, as hipcc puts it into programs */

static void compile(void)
{
    static const char host_id[] = "host-x86_64-unknown-linux-gnu-", id[] = "hipv4-amdgcn-amd-amdhsa--gfx950";
    struct gen_text text = {0};
    gen_text_print(&text, "%s", source);
    if (gen_comgr_compile("test_hip_program", "the test's own source", &text, &object) != 0) exit(1);
    gen_text_free(&text);
    bundle = calloc(1, 4096 + object.bytes);
    if (!bundle) abort();
    unsigned char *at = bundle + 24 + 8;
    const struct {
        const char *id;
        uint64_t words[3];
    } entries[2] = {{host_id, {4096, 0, strlen(host_id)}}, {id, {4096, object.bytes, strlen(id)}}};
    memcpy(bundle, "__CLANG_OFFLOAD_BUNDLE__", 24);
    memcpy(bundle + 24, &(uint64_t){2}, 8);
    for (int n = 0; n < 2; n++) {
        memcpy(at, entries[n].words, 24);
        memcpy(at + 24, entries[n].id, entries[n].words[2]);
        at += 24 + entries[n].words[2];
    }
    memcpy(bundle + 4096, object.data, object.bytes);
}

static hipFunction_t function_of(hipModule_t module, const char *name)
{
    hipFunction_t function = NULL;
    CHECK_HIP(api.hipModuleGetFunction(&function, module, name), hipSuccess);
    return function;
}

static hipModule_t load(void)
{
    hipModule_t module = NULL;
    CHECK_HIP(api.hipModuleLoadData(&module, object.data), hipSuccess);
    return module;
}

/* N floats on the current device, from 0 on. */
static float *counted(void)
{
    float values[N], *pointer = NULL;
    for (int n = 0; n < N; n++) values[n] = (float)n;
    CHECK_HIP(api.hipMalloc((void **)&pointer, sizeof values), hipSuccess);
    CHECK_HIP(api.hipMemcpy(pointer, values, sizeof values, hipMemcpyHostToDevice), hipSuccess);
    return pointer;
}

static void check_scaled(const float *device, float factor, float bias)
{
    float values[N];
    int wrong = 0;
    CHECK_HIP(api.hipMemcpy(values, device, sizeof values, hipMemcpyDeviceToHost), hipSuccess);
    for (int n = 0; n < N; n++) wrong += !(values[n] == (float)n * factor + bias);
    CHECK_EQ(wrong, 0);
}

static hipError_t launch_scale(hipFunction_t function, float *to, const float *from, float bias, hipStream_t stream)
{
    int n = N;
    void *params[] = {&to, &from, &bias, &n};
    return api.hipModuleLaunchKernel(function, GRID, 1, 1, BLOCK, 1, 1, 0, stream, params, NULL);
}

/* ---- Symbols ------------------------------------------------------------------------------------------------------*/

static void objects_tell_their_variables(void)
{
    struct emu *emu = emu_create(0);
    struct emu_object *loaded = NULL;
    struct emu_error error = {{0}};
    int32_t values[4] = {0};
    uint64_t pointers[2] = {0};
    CHECK_EQ(emu_object_load(emu, object.data, object.bytes, &loaded, &error), 0);
    if (!loaded) printf("# %s\n", error.text);
    REQUIRE(loaded != NULL);
    const struct emu_symbol *counters = emu_object_symbol(loaded, "counters"),
                            *zeros = emu_object_symbol(loaded, "zeros"), *table = emu_object_symbol(loaded, "table");
    for (size_t n = 0; n < emu_object_symbol_count(loaded); n++) /* kernels and their descriptors are none */
        CHECK(strncmp(emu_object_symbol_at(loaded, n)->name, "scale", 5) != 0);
    CHECK(emu_object_symbol(loaded, "scale") == NULL && emu_object_symbol(loaded, "scale.kd") == NULL);
    REQUIRE(counters && zeros && table);
    CHECK_EQ(counters->bytes, 16);
    CHECK_EQ(zeros->bytes, 4000);
    CHECK_EQ(emu_read(emu, counters->address, values, sizeof values, NULL), 0);
    CHECK_MEM(values, ((int32_t[]){1, 2, 3, 4}), 16);
    CHECK_EQ(emu_read(emu, zeros->address + 3984, values, sizeof values, NULL), 0);
    CHECK_MEM(values, ((int32_t[]){0, 0, 0, 0}), 16);
    CHECK_EQ(emu_read(emu, table->address, pointers, sizeof pointers, NULL), 0);
    CHECK_EQ(pointers[0], counters->address + 8);
    CHECK_EQ(pointers[1], zeros->address + 28);
    emu_object_unload(loaded);
    emu_destroy(emu);
}

/* The object with 8 bytes of its first relocation changed. */
static void refuses_relocation(size_t at, uint64_t value, const char *reason)
{
    struct emu *emu = emu_create(0);
    struct emu_object *loaded = NULL;
    struct emu_error error = {{0}};
    Elf64_Ehdr elf;
    Elf64_Shdr section = {0};
    char *copy = malloc(object.bytes);
    if (!copy) abort();
    memcpy(copy, object.data, object.bytes);
    memcpy(&elf, copy, sizeof elf);
    for (size_t n = 0; n < elf.e_shnum && section.sh_type != SHT_RELA; n++)
        memcpy(&section, copy + elf.e_shoff + n * sizeof section, sizeof section);
    REQUIRE(section.sh_type == SHT_RELA);
    memcpy(copy + section.sh_offset + at, &value, sizeof value);
    CHECK_EQ(emu_object_load(emu, copy, object.bytes, &loaded, &error), -1);
    CHECK_HAS(error.text, reason);
    CHECK_EQ(emu_allocated_bytes(emu), 0);
    emu_destroy(emu);
    free(copy);
}

static void wrong_relocations_are_refused(void)
{
    const size_t at = offsetof(Elf64_Rela, r_offset), info = offsetof(Elf64_Rela, r_info);
    refuses_relocation(at, UINT64_MAX - 7, "lies outside of the code object");
    refuses_relocation(at, 1 << 20, "lies outside of the code object");
    refuses_relocation(info, 1, "relocations of type 1,");
    refuses_relocation(info, UINT64_C(9999) << 32 | 3, "symbol 9999, which the code object does not define");
}

PROCESS(modules_have_variables, "MXEMU_DEVICES=1")
{
    hipModule_t module = load();
    int values[4] = {0}, by = 10, *counters = NULL, *zeros = NULL;
    size_t bytes = 0;
    void *params[] = {&by};
    CHECK_HIP(api.hipModuleGetGlobal((hipDeviceptr_t *)&counters, &bytes, module, "counters"), hipSuccess);
    CHECK_EQ(bytes, 16);
    CHECK_HIP(api.hipModuleGetGlobal((hipDeviceptr_t *)&zeros, NULL, module, "zeros"), hipSuccess);
    CHECK_HIP(api.hipModuleGetGlobal(NULL, NULL, module, "zeros"), hipErrorInvalidValue);
    CHECK_HIP(api.hipModuleGetGlobal((hipDeviceptr_t *)&zeros, NULL, module, "bump"), hipErrorNotFound);
    CHECK_HIP(api.hipModuleLaunchKernel(function_of(module, "bump"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
              hipSuccess);
    CHECK_HIP(api.hipMemcpyDtoH(values, counters, sizeof values), hipSuccess);
    CHECK_MEM(values, ((int[]){1, 2, 13, 4}), 16);
    CHECK_HIP(api.hipMemcpyDtoH(values, zeros + 6, 8), hipSuccess);
    CHECK(values[0] == 0 && values[1] == 1);
    CHECK_HIP(api.hipMemcpyHtoD(counters, values, 17), hipErrorInvalidValue); /* past its end */
    CHECK_HIP(api.hipFree(counters), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemGetAddressRange((hipDeviceptr_t *)&zeros, &bytes, counters + 1), hipSuccess);
    CHECK(zeros == counters && bytes == 16);
    CHECK_HIP(api.hipModuleUnload(module), hipSuccess);
    CHECK_HIP(api.hipMemcpyDtoH(values, counters, 4), hipErrorInvalidValue);
}

/* The grid in work-items, and events around it. */
PROCESS(grids_may_be_given_in_work_items, "MXEMU_DEVICES=1")
{
    hipError_t (*launch)(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t,
                         void **, void **, hipEvent_t, hipEvent_t, uint32_t);
    void *symbol = dlsym(library, "hipExtModuleLaunchKernel");
    hipFunction_t scale = function_of(load(), "scale");
    float *a = counted(), *b = counted(), bias = 3, ms = -1;
    int n = N;
    void *params[] = {&b, &a, &bias, &n};
    hipEvent_t before, after;
    REQUIRE(symbol != NULL);
    memcpy(&launch, &symbol, sizeof launch);
    CHECK_HIP(api.hipEventCreate(&before), hipSuccess);
    CHECK_HIP(api.hipEventCreate(&after), hipSuccess);
    CHECK_HIP(launch(scale, GRID * BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL, before, after, 0), hipSuccess);
    check_scaled(b, 2.5f, 3);
    CHECK_HIP(api.hipEventElapsedTime(&ms, before, after), hipSuccess);
    CHECK(ms > 0);
    CHECK_HIP(launch(scale, N, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL, NULL, NULL, 0), hipErrorNotSupported);
}

/* ---- Programs -----------------------------------------------------------------------------------------------------*/

static struct {
    uint32_t magic, version;
    const void *image;
    void *unused;
} wrapper = {0x48495046, 1, NULL, NULL};

static char scale_stub, bump_stub, counters_shadow, factor_shadow; /* whose addresses count */

/* As the constructor does that hipcc compiles in. */
static void **register_program(void)
{
    void **(*fat_binary)(const void *);
    void (*function)(void **, const void *, char *, const char *, unsigned, void *, void *, void *, void *, int *);
    void (*variable)(void **, void *, char *, char *, int, size_t, int, int);
    void *symbols[] = {dlsym(library, "__hipRegisterFatBinary"), dlsym(library, "__hipRegisterFunction"),
                       dlsym(library, "__hipRegisterVar")};
    memcpy(&fat_binary, &symbols[0], sizeof fat_binary);
    memcpy(&function, &symbols[1], sizeof function);
    memcpy(&variable, &symbols[2], sizeof variable);
    if (!CHECK(fat_binary && function && variable)) exit(3);
    wrapper.image = bundle;
    void **program = fat_binary(&wrapper);
    function(program, &scale_stub, (char[]){"scale"}, "scale", UINT32_MAX, NULL, NULL, NULL, NULL, NULL);
    function(program, &bump_stub, (char[]){"bump"}, "bump", UINT32_MAX, NULL, NULL, NULL, NULL, NULL);
    static char counters[] = "counters", factor[] = "factor";
    variable(program, &counters_shadow, counters, counters, 0, 16, 0, 0);
    variable(program, &factor_shadow, factor, factor, 0, 4, 1, 0);
    return program;
}

/* scale<<<GRID, BLOCK, 0, stream>>>(...), as compiled: what is pushed by the caller is popped by the stub. */
static hipError_t call_scale(float *to, const float *from, float bias, hipStream_t stream)
{
    dim3 grid = {0, 0, 0}, block = {0, 0, 0};
    size_t lds = 1;
    hipStream_t popped = NULL;
    int n = N;
    void *params[] = {&to, &from, &bias, &n};
    CHECK_HIP(api.__hipPushCallConfiguration((dim3){GRID, 1, 1}, (dim3){BLOCK, 1, 1}, 0, stream), hipSuccess);
    CHECK_HIP(api.__hipPopCallConfiguration(&grid, &block, &lds, &popped), hipSuccess);
    CHECK(popped == stream && lds == 0);
    return api.hipLaunchKernel(&scale_stub, grid, block, params, lds, popped);
}

PROCESS(programs_register_kernels, "MXEMU_DEVICES=2")
{
    dim3 unused;
    size_t bytes = 0;
    hipStream_t stream;
    hipFuncAttributes attributes;
    hipFunction_t function;
    float factor = 0, *to = NULL, *from = NULL;
    int blocks = 0, counters[4];
    void *address = NULL, *other = NULL;
    void **program = register_program();
    REQUIRE(program != NULL);
    for (int device = 0; device < 2; device++) {
        CHECK_HIP(api.hipSetDevice(device), hipSuccess);
        to = counted();
        from = counted();
        factor = (float)(3 + device); /* each device has its own variables */
        CHECK_HIP(api.hipMemcpyToSymbol(&factor_shadow, &factor, 4, 0, hipMemcpyHostToDevice), hipSuccess);
        CHECK_HIP(call_scale(to, from, 0.5f, NULL), hipSuccess);
        check_scaled(to, factor, 0.5f);
    }
    CHECK_HIP(api.hipSetDevice(0), hipSuccess);
    CHECK_HIP(api.hipMemcpyFromSymbol(&factor, &factor_shadow, 4, 0, hipMemcpyDeviceToHost), hipSuccess);
    CHECK_EQ(factor, 3);
    CHECK_HIP(api.hipMemcpyFromSymbol(counters, &counters_shadow, 8, 8, hipMemcpyDeviceToHost), hipSuccess);
    CHECK(counters[0] == 3 && counters[1] == 4);
    CHECK_HIP(api.hipMemcpyFromSymbol(counters, &counters_shadow, 8, 12, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpyFromSymbol(counters, &counters_shadow, 8, 8, hipMemcpyHostToDevice),
              hipErrorInvalidMemcpyDirection);
    CHECK_HIP(api.hipGetSymbolSize(&bytes, &counters_shadow), hipSuccess);
    CHECK_EQ(bytes, 16);
    CHECK_HIP(api.hipGetSymbolAddress(&address, &counters_shadow), hipSuccess);
    CHECK_HIP(api.hipGetSymbolAddress(&other, &scale_stub), hipErrorInvalidSymbol);
    CHECK_HIP(api.hipSetDevice(1), hipSuccess);
    CHECK_HIP(api.hipGetSymbolAddress(&other, &counters_shadow), hipSuccess);
    CHECK(address != other);
    CHECK_HIP(api.hipSetDevice(0), hipSuccess);
    CHECK_HIP(api.hipFuncGetAttributes(&attributes, &scale_stub), hipSuccess);
    CHECK_EQ(attributes.maxThreadsPerBlock, 1024);
    CHECK_HIP(api.hipGetFuncBySymbol(&function, &scale_stub), hipSuccess);
    CHECK_HIP(api.hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scale_stub, 64, 0), hipSuccess);
    CHECK_EQ(blocks, 32);
    CHECK_HIP(api.__hipPopCallConfiguration(&unused, &unused, &bytes, &stream), hipErrorMissingConfiguration);
    CHECK_HIP(api.hipLaunchKernel(&blocks, unused, unused, NULL, 0, NULL), hipErrorInvalidDeviceFunction);
    CHECK_HIP(call_scale(from, to, 0, NULL), hipErrorLaunchFailure); /* memory of device 1 on device 0 */
    void (*unregister)(void **);
    address = dlsym(library, "__hipUnregisterFatBinary");
    memcpy(&unregister, &address, sizeof unregister);
    unregister(program);
    CHECK_HIP(call_scale(to, from, 0, NULL), hipErrorInvalidDeviceFunction);
}

static void devices_do_not_see_each_other(void)
{
    programs_register_kernels();
    CHECK_HAS(messages, "bounds");
}

/* ---- Occupancy ----------------------------------------------------------------------------------------------------*/

PROCESS(occupancy_follows_the_resources, "MXEMU_DEVICES=1")
{
    hipModule_t module = load();
    hipFunction_t scale = function_of(module, "scale"), wide = function_of(module, "wide");
    int blocks = 0, grid = 0, block = 0, bytes = 0, one = 1;
    void *params[] = {&one};
#define ACTIVE(function, items, lds)                                                                                   \
    api.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, items, lds)
    CHECK_HIP(ACTIVE(scale, 64, 0), hipSuccess);
    CHECK_EQ(blocks, 32); /* 4 SIMDs of 8 waves */
    CHECK_HIP(ACTIVE(scale, 65, 0), hipSuccess);
    CHECK_EQ(blocks, 16);
    CHECK_HIP(ACTIVE(scale, 1024, 0), hipSuccess);
    CHECK_EQ(blocks, 2);
    CHECK_HIP(ACTIVE(scale, 1025, 0), hipSuccess);
    CHECK_EQ(blocks, 0);
    CHECK_HIP(ACTIVE(scale, 64, 40 * 1024), hipSuccess);
    CHECK_EQ(blocks, 4);
    CHECK_HIP(ACTIVE(scale, 64, 40 * 1024 + 1), hipSuccess);
    CHECK_EQ(blocks, 3);
    CHECK_HIP(ACTIVE(scale, 0, 0), hipErrorInvalidValue);
    CHECK_HIP(ACTIVE((hipFunction_t)&one, 64, 0), hipErrorInvalidDeviceFunction);
    CHECK_HIP(api.hipFuncGetAttribute(&bytes, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, wide), hipSuccess);
    CHECK_EQ(bytes, WIDE_LDS);
    CHECK_HIP(ACTIVE(wide, 64, 0), hipSuccess);
    CHECK_EQ(blocks, 3); /* of 160 KiB of LDS */
    CHECK_HIP(ACTIVE(wide, 64, 160 * 1024), hipSuccess);
    CHECK_EQ(blocks, 0);
    CHECK_HIP(api.hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 100), hipSuccess);
    CHECK_EQ(block, 128);
    CHECK_EQ(grid, 16 * 256);
    CHECK_HIP(api.hipModuleLaunchCooperativeKernel(function_of(module, "bump"), 8193, 1, 1, 64, 1, 1, 0, NULL, params),
              hipErrorCooperativeLaunchTooLarge);
    CHECK_HIP(api.hipModuleLaunchCooperativeKernel(function_of(module, "bump"), 1, 1, 1, 1, 1, 1, 0, NULL, params),
              hipSuccess);
}

/* ---- Graphs -------------------------------------------------------------------------------------------------------*/

/* Arguments are those at the time of capture, and change with the node. */
PROCESS(kernels_replay_in_graphs, "MXEMU_DEVICES=1")
{
    hipModule_t module = load();
    hipFunction_t scale = function_of(module, "scale");
    float *a = counted(), *b = counted(), bias = 7;
    int n = N;
    hipStream_t stream;
    hipGraph_t graph, other;
    hipGraphExec_t exec;
    hipGraphNode_t node, culprit;
    hipGraphExecUpdateResult result;
    hipKernelNodeParams params;
    size_t count = 1;
    CHECK_HIP(api.hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    CHECK_HIP(launch_scale(scale, b, a, 1, stream), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &graph), hipSuccess);
    check_scaled(b, 1, 0);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    check_scaled(b, 2.5f, 1);

    CHECK_HIP(api.hipGraphGetNodes(graph, &node, &count), hipSuccess);
    CHECK_HIP(api.hipGraphKernelNodeGetParams(node, &params), hipSuccess);
    CHECK(params.func == scale && params.gridDim.x == GRID && params.blockDim.x == BLOCK && params.sharedMemBytes == 0);
    REQUIRE(params.kernelParams != NULL);
    CHECK(*(float **)params.kernelParams[0] == b && *(int *)params.kernelParams[3] == N);
    params.kernelParams = (void *[]){&b, &a, &bias, &n};
    CHECK_HIP(api.hipGraphExecKernelNodeSetParams(exec, node, &params), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    check_scaled(b, 2.5f, 7);
    params.blockDim.x = 2048;
    CHECK_HIP(api.hipGraphExecKernelNodeSetParams(exec, node, &params), hipErrorInvalidConfiguration);

    params.blockDim.x = BLOCK;
    bias = 9;
    CHECK_HIP(api.hipGraphCreate(&other, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddKernelNode(&node, other, NULL, 0, &params), hipSuccess);
    CHECK_HIP(api.hipGraphExecUpdate(exec, other, &culprit, &result), hipSuccess);
    bias = 11; /* too late */
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    check_scaled(b, 2.5f, 9);
    CHECK_HIP(api.hipModuleUnload(module), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipErrorInvalidHandle);
}

int main(void)
{
    name_library();
    compile();
    TEST(objects_tell_their_variables);
    TEST(wrong_relocations_are_refused);
    TEST(modules_have_variables);
    TEST(grids_may_be_given_in_work_items);
    TEST(devices_do_not_see_each_other);
    TEST(occupancy_follows_the_resources);
    TEST(kernels_replay_in_graphs);
    gen_text_free(&object);
    free(bundle);
    return test_end();
}
#endif
