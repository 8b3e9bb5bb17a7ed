#include "gen/inspect.h"

#include "common/arguments.h"
#include "common/kernarg.h"
#include "gen/elf_read.h"
#include "gen/machine.h"
#include "gen/metadata.h"

#include <stdio.h>
#include <string.h>

enum { OS_ABI_HSA = 64, ABI_VERSION_CODE_OBJECT_V5 = 3 };

static int expect(const char *variant, const char *field, uint32_t found, uint32_t wanted)
{
    if (found == wanted) return 0;
    return gen_error("%s: %s is %u in the code object; it should be %u", variant, field, found, wanted);
}

/* One kernel whose arguments are read. */
struct reading {
    const char *symbol;
    const struct mxg_argument *arguments;
    uint32_t wanted, found; /* how many */
};

static int compare_argument(const struct reading *reading, amd_comgr_metadata_node_t node, uint32_t index)
{
    const char *symbol = reading->symbol;
    char kind[64] = "", name[64] = "", field[96];
    uint32_t offset = 0, bytes = 0;
    if (gen_metadata_string(symbol, node, ".value_kind", kind, sizeof kind) != 0 ||
        gen_metadata_number(symbol, node, ".offset", &offset) != 0 ||
        gen_metadata_number(symbol, node, ".size", &bytes) != 0)
        return gen_error("%s: argument %u lacks .value_kind, .offset or .size in the metadata", symbol, index);
    if (strncmp(kind, "hidden_", 7) == 0)
        return gen_error("%s: the kernel wants the argument %s, which the loader does not fill", symbol, kind);
    if (index >= reading->wanted)
        return gen_error("%s: argument %u is one more than common/kernarg.h has", symbol, index);

    const struct mxg_argument *wanted = &reading->arguments[index];
    const char *wanted_kind = wanted->is_pointer ? "global_buffer" : "by_value";
    int named = gen_metadata_string(symbol, node, ".name", name, sizeof name), result = 0;
    if (named < 0) return -1;
    char *coerced = strstr(name, ".coerce"); /* what HIP adds to a pointer's name as it becomes one to global memory */
    if (coerced) *coerced = 0;
    if (named == 0 && strcmp(name, wanted->name) != 0)
        result = gen_error("%s: argument %u is named %s in the code object; it should be %s", symbol, index, name,
                           wanted->name);
    if (strcmp(kind, wanted_kind) != 0)
        result = gen_error("%s: argument %s is %s in the code object; it should be %s", symbol, wanted->name, kind,
                           wanted_kind);
    snprintf(field, sizeof field, "the offset of argument %s", wanted->name);
    if (expect(symbol, field, offset, wanted->offset) != 0) result = -1;
    snprintf(field, sizeof field, "the size of argument %s", wanted->name);
    if (expect(symbol, field, bytes, wanted->bytes) != 0) result = -1;
    return result;
}

/* Calls `one` for each element of the list under a key of the map; -1 if any call fails or there is no list. */
static int for_each(const char *variant, amd_comgr_metadata_node_t map, const char *key,
                    int (*one)(const char *variant, amd_comgr_metadata_node_t node, uint32_t index, void *context),
                    void *context)
{
    amd_comgr_metadata_node_t list, node;
    size_t count = 0;
    int result = gen_metadata_node(variant, map, key, &list);
    if (result > 0) return gen_error("%s: the metadata has no %s", variant, key);
    if (result < 0) return -1;
    result = gen_comgr_check(amd_comgr_get_metadata_list_size(list, &count), variant, key);
    for (size_t i = 0; result == 0 && i < count; i++) {
        result = gen_comgr_check(amd_comgr_index_list_metadata(list, i, &node), variant, key);
        if (result != 0) break;
        result = one(variant, node, (uint32_t)i, context);
        gen_metadata_close(node);
    }
    gen_metadata_close(list);
    return result;
}

static int read_argument(const char *symbol, amd_comgr_metadata_node_t node, uint32_t index, void *context)
{
    struct reading *reading = context;
    (void)symbol;
    reading->found = index + 1;
    return compare_argument(reading, node, index);
}

/* Metadata keys of the numbers of a kernel. */
static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    {".kernarg_segment_size", offsetof(struct gen_kernel_facts, kernarg_bytes)},
    {".group_segment_fixed_size", offsetof(struct gen_kernel_facts, lds_bytes)},
    {".private_segment_fixed_size", offsetof(struct gen_kernel_facts, private_bytes)},
    {".vgpr_count", offsetof(struct gen_kernel_facts, vgprs)},
    {".agpr_count", offsetof(struct gen_kernel_facts, agprs)},
    {".sgpr_count", offsetof(struct gen_kernel_facts, sgprs)},
    {".vgpr_spill_count", offsetof(struct gen_kernel_facts, vgpr_spills)},
    {".sgpr_spill_count", offsetof(struct gen_kernel_facts, sgpr_spills)},
    {".wavefront_size", offsetof(struct gen_kernel_facts, wave_lanes)},
    {".max_flat_workgroup_size", offsetof(struct gen_kernel_facts, workgroup_threads)},
};

/* One object whose kernels are read. */
struct object {
    const struct gen_row *row;
    struct gen_facts *facts;
};

/* Of the kernel that a row's object has at that place. */
static void print_symbol(const struct gen_row *row, uint32_t index, char symbol[GEN_SYMBOL_BYTES])
{
    (void)snprintf(symbol, GEN_SYMBOL_BYTES, "%s%s", row->name, index > 0 ? MXG_REDUCE_SUFFIX : "");
}

static int read_kernel(const char *variant, amd_comgr_metadata_node_t node, uint32_t index, void *context)
{
    const struct object *object = context;
    struct gen_facts *facts = object->facts;
    char found[4096] = "", symbol[GEN_SYMBOL_BYTES];
    if (gen_metadata_string(variant, node, ".name", found, sizeof found) != 0)
        return gen_error("%s: kernel %u has no .name in the metadata", variant, index);
    if (index > (gen_row_has_reduce(object->row) ? 1u : 0u))
        return gen_error("%s: the kernel %s in the code object is one more than it should have", variant, found);
    print_symbol(object->row, index, symbol);
    if (strcmp(found, symbol) != 0)
        return gen_error("%s: the kernel is named %s in the code object; it should be %s", variant, found, symbol);
    struct gen_kernel_facts *kernel = &facts->kernels[index];
    facts->kernel_count = index + 1;
    memcpy(kernel->symbol, symbol, sizeof symbol);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (gen_metadata_number(kernel->symbol, node, numbers[i].key,
                                (uint32_t *)((char *)kernel + numbers[i].offset)) != 0)
            return gen_error("%s: the metadata has no number %s", kernel->symbol, numbers[i].key);
    struct reading reading = {.symbol = kernel->symbol};
    reading.arguments = mxg_arguments(object->row->kernel->kind, &reading.wanted);
    int result = for_each(kernel->symbol, node, ".args", read_argument, &reading);
    if (result == 0) result = expect(kernel->symbol, "the number of arguments", reading.found, reading.wanted);
    return result;
}

static int compare_kernel(const struct gen_row *row, const struct gen_text *object, struct gen_kernel_facts *kernel,
                          uint32_t threads, uint32_t lds_bytes)
{
    const char *symbol = kernel->symbol;
    struct gen_descriptor descriptor = {0};
    const char *wrong = gen_elf_kernel(object, symbol, &kernel->code_bytes, &descriptor);
    if (wrong) return gen_error("%s: %s", symbol, wrong);
    kernel->vgprs_allocated = descriptor.vgprs;
    kernel->preloaded = descriptor.preloaded;

    /* The compiler does not count the struct's padding at its end. */
    uint32_t count;
    const struct mxg_argument *last = mxg_arguments(row->kernel->kind, &count) + count - 1;
    const struct {
        const char *field;
        uint32_t found, wanted;
    } fields[] = {
        {".kernarg_segment_size", kernel->kernarg_bytes, last->offset + last->bytes},
        {".group_segment_fixed_size (LDS; lds_bytes in gen/row.c)", kernel->lds_bytes, lds_bytes},
        {".private_segment_fixed_size (scratch memory)", kernel->private_bytes, 0},
        {".vgpr_spill_count", kernel->vgpr_spills, 0},
        {".sgpr_spill_count", kernel->sgpr_spills, 0},
        {".wavefront_size", kernel->wave_lanes, GEN_WAVE_LANES},
        {".max_flat_workgroup_size (amdgpu_flat_work_group_size)", kernel->workgroup_threads, threads},
        {"the descriptor's kernarg size", descriptor.kernarg_bytes, kernel->kernarg_bytes},
        {"the descriptor's group segment size", descriptor.lds_bytes, kernel->lds_bytes},
        {"the descriptor's private segment size", descriptor.private_bytes, kernel->private_bytes},
        {"the descriptor's number of preloaded dwords", descriptor.preloaded, MXG_KERNARG_PRELOADED},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (expect(symbol, fields[i].field, fields[i].found, fields[i].wanted) != 0) result = -1;
    /* More than are used where LDS lets a SIMD hold few waves: the compiler leaves no registers for one wave more. */
    if (descriptor.vgprs < kernel->vgprs)
        result = gen_error("%s: the descriptor's VGPR count is %u in the code object; it should be at least %u", symbol,
                           descriptor.vgprs, kernel->vgprs);
    return result;
}

static int compare_object(const struct gen_row *row, const struct gen_text *object, struct gen_facts *facts)
{
    struct gen_elf elf = {0};
    const char *wrong = gen_elf_read(object, &elf);
    if (wrong) return gen_error("%s: %s", row->name, wrong);
    facts->xnack = elf.xnack, facts->sramecc = elf.sramecc;
    int result = 0;
    if (strcmp(facts->target, GEN_ISA) != 0)
        result = gen_error("%s: the target is %s in the code object; it should be " GEN_ISA, row->name, facts->target);
    if (expect(row->name, "the ELF machine", elf.machine, GEN_ELF_MACHINE) != 0) result = -1;
    if (expect(row->name, "the ELF flags' GPU", elf.mach, GEN_ELF_MACH_GFX950) != 0) result = -1;
    if (expect(row->name, "the ELF OS ABI", elf.os_abi, OS_ABI_HSA) != 0) result = -1;
    if (expect(row->name, "the ELF ABI version", elf.abi_version, ABI_VERSION_CODE_OBJECT_V5) != 0) result = -1;
    if (expect(row->name, "the number of kernels", (uint32_t)facts->kernel_count, gen_row_has_reduce(row) ? 2 : 1) != 0)
        return -1;
    if (compare_kernel(row, object, &facts->kernels[0], gen_row_threads(row), gen_row_lds_bytes(row)) != 0) result = -1;
    if (gen_row_has_reduce(row) && compare_kernel(row, object, &facts->kernels[1], GEN_REDUCE_THREADS, 0) != 0)
        result = -1;
    return result;
}

int gen_inspect(const struct gen_row *row, const struct gen_text *object, struct gen_facts *facts)
{
    amd_comgr_metadata_node_t root;
    *facts = (struct gen_facts){0};
    int result = gen_metadata_open(row->name, object, &root);
    if (result == 0 && gen_metadata_string(row->name, root, "amdhsa.target", facts->target, sizeof facts->target) != 0)
        result = gen_error("%s: the metadata has no amdhsa.target", row->name);
    struct object reading = {row, facts};
    if (result == 0) result = for_each(row->name, root, "amdhsa.kernels", read_kernel, &reading);
    if (result == 0) result = compare_object(row, object, facts);
    gen_elf_compiler(object, facts->compiler, sizeof facts->compiler);
    gen_metadata_close(root);
    return result;
}
