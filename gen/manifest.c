#include "gen/product.h"

#include "common/arguments.h"
#include "gen/budget.h"
#include "gen/build_key.h"
#include "gen/comgr.h"
#include "gen/machine.h"
#include "gen/provenance.h"

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

static const char *reduction_name(uint32_t reduction)
{
    static const char *const names[] = {[MXG_REDUCTION_NONE] = "none",
                                        [MXG_REDUCTION_SECOND_LAUNCH] = "second launch",
                                        [MXG_REDUCTION_LAST_WORKGROUP] = "last workgroup"};
    return names[reduction];
}

static void put_kernel(struct gen_text *json, const struct gen_kernel_facts *kernel)
{
    gen_text_print(json, "{\"symbol\": \"%s\", \"workgroup_threads\": %u, \"wave_lanes\": %u, ", kernel->symbol,
                   kernel->workgroup_threads, kernel->wave_lanes);
    gen_text_print(json, "\"kernarg_bytes\": %u, \"preloaded_dwords\": %u, \"lds_bytes\": %u, \"private_bytes\": %u, ",
                   kernel->kernarg_bytes, kernel->preloaded, kernel->lds_bytes, kernel->private_bytes);
    gen_text_print(json, "\"vgprs\": %u, \"agprs\": %u, \"vgprs_allocated\": %u, \"sgprs\": %u, ", kernel->vgprs,
                   kernel->agprs, kernel->vgprs_allocated, kernel->sgprs);
    gen_text_print(json, "\"vgpr_spills\": %u, \"sgpr_spills\": %u, \"code_bytes\": %u}", kernel->vgpr_spills,
                   kernel->sgpr_spills, kernel->code_bytes);
}

static void put_budget(struct gen_text *json, const char *field, const struct gen_budget *budget)
{
    gen_text_print(json, "\"%s\": {\"vgprs\": %u, \"lds_bytes\": %u, \"waves_per_simd\": %u, \"code_bytes\": %u}, ",
                   field, budget->vgprs, budget->lds, budget->waves, budget->code);
}

static void put_variant(struct gen_text *json, const struct gen_product *product)
{
    const struct gen_row *row = product->row;
    const struct mxg_variant *variant = &product->variant;
    const struct gen_budget taken = gen_budget_taken(&product->facts), allowed = gen_budget_of(row, &product->facts);
    char hex[GEN_HEX_BYTES], key[GEN_HEX_BYTES];
    gen_hex(product->sha256, hex);
    gen_text_print(json, "    {\"name\": \"%s\", \"kind\": \"%s\", \"template\": \"%s\",\n", variant->name,
                   variant->kind == MXG_KIND_GEMM ? "gemm" : "quantizer", row->kernel->name);
    gen_text_print(json, "     \"tile_m\": %u, \"tile_n\": %u, \"waves_m\": %u, \"waves_n\": %u, \"waves_k\": %u, ",
                   variant->tile_m, variant->tile_n, row->waves_m, row->waves_n, row->waves_k);
    gen_text_print(json, "\"depth\": %u, \"split\": %u, \"round_trip_steps\": %u,\n", row->depth, variant->split,
                   variant->round_trip_steps);
    gen_text_print(json, "     \"a_format\": \"%s\", \"c_format\": \"%s\", ", row->a->name, row->c->name);
    put_layouts(json, "b_layouts", variant->b_layouts);
    put_layouts(json, "scale_layouts", variant->scale_layouts);
    gen_text_print(json, "\"k_multiple\": %u, \"slice_k\": %u, \"highest_stride\": ", variant->k_multiple,
                   variant->slice_k);
    if (variant->highest_stride > 0)
        gen_text_print(json, "%u,\n", variant->highest_stride);
    else
        gen_text_print(json, "null,\n");
    gen_text_print(json, "     \"reduction\": \"%s\", \"grid_order\": \"%s\", ", reduction_name(variant->reduction),
                   variant->grid_order == MXG_GRID_TILES ? "tiles" : "xcd");
    put_budget(json, "takes", &taken);
    put_budget(json, "budget", &allowed);
    gen_build_key_sum(product->key, key);
    gen_text_print(json, "\n     \"source_sha256\": \"%s\", \"key\": \"%s\",", product->key->source, key);
    gen_text_print(json, "\n     \"file\": \"%s.hsaco\", \"bytes\": %zu, \"sha256\": \"%s\",\n     \"target\": ",
                   variant->name, product->object.bytes, hex);
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

static void put_arguments(struct gen_text *json, const char *field, enum mxg_kind kind)
{
    uint32_t count;
    const struct mxg_argument *arguments = mxg_arguments(kind, &count);
    gen_text_print(json, "  \"%s\": [", field);
    for (uint32_t i = 0; i < count; i++)
        gen_text_print(json, "%s\n    {\"name\": \"%s\", \"kind\": \"%s\", \"offset\": %u, \"bytes\": %u}",
                       i ? "," : "", arguments[i].name, arguments[i].is_pointer ? "pointer" : arguments[i].type,
                       arguments[i].offset, arguments[i].bytes);
    gen_text_print(json, "],\n");
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

static void put_sums(struct gen_text *json, const char *field, const struct gen_file_sum *sums, size_t count)
{
    gen_text_print(json, "\"%s\": [", field);
    for (size_t i = 0; i < count; i++) {
        gen_text_print(json, "%s\n      {\"name\": ", i ? "," : "");
        put_string(json, sums[i].name);
        gen_text_print(json, ", \"sha256\": \"%s\"}", sums[i].sha256);
    }
    gen_text_print(json, "]");
}

static void put_provenance(struct gen_text *json, const struct gen_provenance *provenance)
{
    const struct gen_compiler *compiler = provenance->compiler;
    gen_text_print(json,
                   "  \"provenance\": {\n    \"mxgen\": \"" MXG_VERSION_TEXT "\",\n    \"table_sha256\": \"%s\",\n    ",
                   provenance->table_sha256);
    put_sums(json, "templates", provenance->templates, provenance->template_count);
    gen_text_print(json, ",\n    ");
    put_sums(json, "compiler_libraries", compiler->libraries, compiler->library_count);
    gen_text_print(json, "},\n");
}

void gen_manifest(const struct gen_product *products, size_t count, const struct gen_tuning *tuning,
                  const struct gen_provenance *provenance, struct gen_text *json)
{
    gen_text_print(json, "{\n  \"arch\": \"" GEN_ARCH "\",\n  \"comgr\": \"%s\",\n  \"options\": [",
                   provenance->compiler->version);
    for (size_t i = 0; gen_comgr_options[i]; i++) {
        gen_text_print(json, "%s", i ? ", " : "");
        put_string(json, gen_comgr_options[i]);
    }
    gen_text_print(json, "],\n");
    put_provenance(json, provenance);
    put_arguments(json, "kernel_arguments", MXG_KIND_GEMM);
    put_arguments(json, "quantizer_arguments", MXG_KIND_QUANTIZE);
    put_tuning(json, tuning);
    gen_text_print(json, "  \"variants\": [\n");
    for (size_t i = 0; i < count; i++) {
        put_variant(json, &products[i]);
        gen_text_print(json, "%s\n", i + 1 < count ? "," : "");
    }
    gen_text_print(json, "  ]\n}\n");
}
