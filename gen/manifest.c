#include "gen/product.h"

#include "common/kernarg.h"
#include "gen/comgr.h"
#include "gen/machine.h"

#include <stdlib.h>

static void put_string(struct gen_text *json, const char *text)
{
    gen_text_add(json, "\"", 1);
    for (const char *p = text; *p; p++) {
        unsigned char byte = (unsigned char)*p;
        if (byte == '"' || byte == '\\')
            gen_text_print(json, "\\%c", byte);
        else if (byte < 0x20)
            gen_text_print(json, "\\u%04x", byte);
        else
            gen_text_add(json, p, 1);
    }
    gen_text_add(json, "\"", 1);
}

static void put_layouts(struct gen_text *json, const char *field, uint32_t layouts)
{
    const char *comma = "";
    gen_text_print(json, "\"%s\": [", field);
    if (layouts & MXG_LAYOUT_BIT_ROW) gen_text_print(json, "\"row\""), comma = ", ";
    if (layouts & MXG_LAYOUT_BIT_SHUFFLED) gen_text_print(json, "%s\"shuffled\"", comma);
    gen_text_print(json, "], ");
}

static const char *element_name(uint32_t element)
{
    static const char *const names[] = {[MXG_ELEMENT_BF16] = "bf16",
                                        [MXG_ELEMENT_F16] = "f16",
                                        [MXG_ELEMENT_F32] = "f32",
                                        [MXG_ELEMENT_MXFP4] = "mxfp4"};
    return names[element];
}

static void put_kernel(struct gen_text *json, const struct gen_kernel_facts *kernel)
{
    gen_text_print(json, "{\"symbol\": \"%s\", \"workgroup_threads\": %u, \"wave_lanes\": %u, ", kernel->symbol,
                   kernel->workgroup_threads, kernel->wave_lanes);
    gen_text_print(json, "\"kernarg_bytes\": %u, \"lds_bytes\": %u, \"private_bytes\": %u, ", kernel->kernarg_bytes,
                   kernel->lds_bytes, kernel->private_bytes);
    gen_text_print(json, "\"vgprs\": %u, \"agprs\": %u, \"vgprs_allocated\": %u, \"sgprs\": %u, ", kernel->vgprs,
                   kernel->agprs, kernel->vgprs_allocated, kernel->sgprs);
    gen_text_print(json, "\"vgpr_spills\": %u, \"sgpr_spills\": %u, \"waves_per_simd\": %u, \"code_bytes\": %u}",
                   kernel->vgpr_spills, kernel->sgpr_spills, gen_waves_per_simd(kernel), kernel->code_bytes);
}

static void put_variant(struct gen_text *json, const struct gen_product *product)
{
    const struct mxg_variant *variant = &product->variant;
    char hex[2 * MXG_SHA256_BYTES + 1];
    gen_hex(product->sha256, hex);
    gen_text_print(json, "    {\"name\": \"%s\", \"template\": \"%s\",\n", variant->name, product->row->kernel->name);
    gen_text_print(json, "     \"tile_m\": %u, \"tile_n\": %u, \"waves_m\": %u, \"waves_n\": %u, \"split\": %u,\n",
                   variant->tile_m, variant->tile_n, product->row->waves_m, product->row->waves_n, variant->split);
    gen_text_print(json, "     \"a_format\": \"%s\", \"c_format\": \"%s\", ", element_name(variant->a_format),
                   element_name(variant->c_format));
    put_layouts(json, "b_layouts", variant->b_layouts);
    put_layouts(json, "scale_layouts", variant->scale_layouts);
    gen_text_print(json, "\"reduction\": \"%s\",\n",
                   variant->reduction == MXG_REDUCTION_SECOND_LAUNCH ? "second launch" : "none");
    gen_text_print(json,
                   "     \"file\": \"%s.hsaco\", \"bytes\": %zu, \"sha256\": \"%s\",\n     \"target\": ", variant->name,
                   product->object.bytes, hex);
    put_string(json, product->facts.target);
    gen_text_print(json, ", \"compiler\": ");
    put_string(json, product->facts.compiler);
    gen_text_print(json, ",\n     \"kernels\": [");
    for (size_t i = 0; i < product->facts.kernel_count; i++) {
        gen_text_print(json, "%s\n       ", i ? "," : "");
        put_kernel(json, &product->facts.kernels[i]);
    }
    gen_text_print(json, "]}");
}

static void put_tuning(struct gen_text *json, const struct gen_tuning *tuning)
{
    size_t count;
    const char **names = gen_tuning_families(tuning, &count);
    free(names);
    gen_text_print(json, "  \"tuning\": {\"rows\": %zu, \"families\": %zu, \"times\": %zu, \"sources\": [",
                   gen_tuning_rows(tuning), count, tuning->count);
    names = gen_tuning_sources(tuning, &count);
    for (size_t i = 0; i < count; i++) {
        gen_text_print(json, "%s", i ? ", " : "");
        put_string(json, names[i]);
    }
    free(names);
    gen_text_print(json, "]},\n");
}

void gen_manifest(const struct gen_product *products, size_t count, const struct gen_tuning *tuning,
                  struct gen_text *json)
{
    char version[32];
    gen_comgr_version(version);
    gen_text_print(json, "{\n  \"arch\": \"" GEN_ARCH "\",\n  \"comgr\": \"%s\",\n  \"options\": [", version);
    for (const char *const *option = gen_comgr_options; *option; option++) {
        gen_text_print(json, "%s", option == gen_comgr_options ? "" : ", ");
        put_string(json, *option);
    }
    gen_text_print(json, "],\n  \"kernel_arguments\": [");
    const char *comma = "";
#define PUT(kind, ctype, name)                                                                                         \
    gen_text_print(json, "%s\n    {\"name\": \"%s\", \"kind\": \"%s\", \"offset\": %zu, \"bytes\": %zu}", comma,       \
                   #name, kind, offsetof(struct mxg_kernarg, name), sizeof(ctype));                                    \
    comma = ",";
#define PUT_POINTER(ctype, hiptype, name) PUT("pointer", ctype, name)
#define PUT_VALUE(ctype, hiptype, name) PUT(#hiptype, ctype, name)
    MXG_KERNARGS(PUT_POINTER, PUT_VALUE)
#undef PUT_VALUE
#undef PUT_POINTER
#undef PUT
    gen_text_print(json, "],\n");
    put_tuning(json, tuning);
    gen_text_print(json, "  \"variants\": [\n");
    for (size_t i = 0; i < count; i++) {
        put_variant(json, &products[i]);
        gen_text_print(json, "%s\n", i + 1 < count ? "," : "");
    }
    gen_text_print(json, "  ]\n}\n");
}
