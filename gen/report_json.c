#include "gen/report_json.h"

#include "gen/budget.h"
#include "gen/built.h"
#include "gen/comgr.h"
#include "gen/kernel_code.h"
#include "gen/machine.h"
#include "gen/occupancy.h"
#include "gen/times.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static json_t *need(json_t *value)
{
    if (!value) gen_out_of_memory();
    return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, need(value)) != 0) gen_out_of_memory();
}

static void add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, need(value)) != 0) gen_out_of_memory();
}

static void set_number(json_t *object, const char *key, int64_t number)
{
    set(object, key, json_integer(number));
}

/* Three decimals: more would only make reports differ. */
static void set_ratio(json_t *object, const char *key, double ratio)
{
    set(object, key, json_real(round(ratio * 1000) / 1000));
}

static json_t *layouts(uint32_t bits)
{
    json_t *names = need(json_array());
    if (bits & MXG_LAYOUT_BIT_ROW) add(names, json_string("row"));
    if (bits & MXG_LAYOUT_BIT_SHUFFLED) add(names, json_string("shuffled"));
    return names;
}

static json_t *predicates(const struct mxg_variant *variant)
{
    json_t *object = need(json_object());
    set(object, "b_layouts", layouts(variant->b_layouts));
    set(object, "scale_layouts", layouts(variant->scale_layouts));
    set_number(object, "k_multiple", variant->k_multiple);
    set(object, "highest_stride", variant->highest_stride ? json_integer(variant->highest_stride) : json_null());
    return object;
}

static json_t *occupancy(const struct gen_kernel_facts *kernel)
{
    const struct gen_occupancy fits = gen_occupancy_of(kernel);
    json_t *object = need(json_object()), *names = need(json_array());
    for (uint32_t limit = 1; limit < GEN_LIMITS_END; limit <<= 1)
        if (fits.limits & limit) add(names, json_string(gen_limit_name(limit)));
    set_number(object, "waves_per_simd", fits.waves);
    set_number(object, "workgroups_per_cu", fits.workgroups);
    set(object, "limited_by", names);
    return object;
}

static json_t *counts(const struct gen_tally *code)
{
    json_t *object = need(json_object());
    for (int class = 0; class < GEN_CLASSES; class ++) set_number(object, gen_class_names[class], code->classes[class]);
    return object;
}

static json_t *per_mfma(const struct gen_tally *code)
{
    uint32_t mfmas = code->classes[GEN_CLASS_MFMA];
    json_t *object = mfmas > 0 ? need(json_object()) : json_null();
    for (int class = 0; mfmas > 0 && class < GEN_CLASSES; class ++)
        set_ratio(object, gen_class_names[class], (double)code->classes[class] / mfmas);
    return object;
}

static json_t *main_loop(const struct gen_kernel_code *code)
{
    if (code->main_loop == GEN_NO_LOOP) return json_null();
    const struct gen_loop *loop = &code->loops.all[code->main_loop];
    const struct gen_instruction *all = code->disassembly.all;
    const struct gen_traffic *traffic = &loop->code.traffic;
    json_t *object = need(json_object());
    set_number(object, "offset", (int64_t)(all[loop->first].address - all[0].address));
    set_number(object, "instructions", loop->code.instructions);
    set_number(object, "code_bytes", loop->code.bytes);
    set(object, "counts", counts(&loop->code));
    set(object, "per_mfma", per_mfma(&loop->code));
    set_number(object, "waits", loop->code.classes[GEN_CLASS_WAIT]);
    set_number(object, "loaded_bytes", traffic->loaded);
    set_number(object, "stored_bytes", traffic->stored);
    set_number(object, "scalar_loaded_bytes", traffic->scalar_loaded);
    set_number(object, "lds_read_bytes", traffic->lds_read);
    set_number(object, "lds_written_bytes", traffic->lds_written);
    return object;
}

/* at_least: the margin is what is taken beyond. */
static json_t *budget_of(uint32_t takes, uint32_t allows, int at_least)
{
    int64_t left = (int64_t)allows - takes;
    json_t *object = need(json_object());
    set_number(object, "takes", takes);
    set_number(object, "allows", allows);
    set_number(object, "margin", at_least ? -left : left);
    return object;
}

static json_t *budget(const struct gen_product *product)
{
    const struct gen_budget taken = gen_budget_taken(&product->facts);
    const struct gen_budget allowed = gen_budget_of(product->row, &product->facts);
    json_t *object = need(json_object());
    set(object, "vgprs", budget_of(taken.vgprs, allowed.vgprs, 0));
    set(object, "lds_bytes", budget_of(taken.lds, allowed.lds, 0));
    set(object, "waves_per_simd", budget_of(taken.waves, allowed.waves, 1));
    set(object, "code_bytes", budget_of(taken.code, allowed.code, 0));
    return object;
}

static json_t *times(const struct gen_family_times *found)
{
    if (!found->best) return json_null();
    const struct gen_time *best = found->best;
    json_t *object = need(json_object()), *point = need(json_object());
    char problem[40];
    snprintf(problem, sizeof problem, "%" PRIu32 " x %" PRIu32 " x %" PRIu32, best->m, best->n, best->k);
    set_number(object, "problems", found->problems);
    set_number(object, "fastest_at", found->fastest_at);
    set(point, "problem", json_string(problem));
    set_number(point, "m", best->m);
    set_number(point, "n", best->n);
    set_number(point, "k", best->k);
    set(point, "source", json_string(best->source));
    set_ratio(point, "us", best->ns / 1e3);
    set_ratio(point, "tflops", 2.0 * best->m * best->n * best->k / best->ns / 1e3);
    set(object, "best", point);
    return object;
}

static void set_row(json_t *object, const struct gen_row *row)
{
    set(object, "name", json_string(row->name));
    set(object, "group", *row->group ? json_string(row->group) : json_null());
    set(object, "kind", json_string(row->kernel->kind == MXG_KIND_GEMM ? "gemm" : "quantizer"));
    set(object, "template", json_string(row->kernel->name));
    set(object, "a_format", json_string(row->a->name));
    set(object, "c_format", json_string(row->c->name));
    set_number(object, "tile_m", row->tile_m);
    set_number(object, "tile_n", row->tile_n);
    set_number(object, "waves_m", row->waves_m);
    set_number(object, "waves_n", row->waves_n);
    set_number(object, "waves_k", row->waves_k);
    set_number(object, "depth", row->depth);
    set_number(object, "split", row->split);
}

static json_t *variant_json(const struct gen_product *product, const struct gen_kernel_code *code,
                            const struct gen_family_times *found)
{
    const struct gen_kernel_facts *kernel = &product->facts.kernels[0];
    uint32_t spills = 0;
    for (size_t i = 0; i < product->facts.kernel_count; i++)
        spills += product->facts.kernels[i].vgpr_spills + product->facts.kernels[i].sgpr_spills;
    json_t *object = need(json_object());
    set_row(object, product->row);
    set_number(object, "workgroup_threads", kernel->workgroup_threads);
    set_number(object, "vgprs_allocated", kernel->vgprs_allocated);
    set_number(object, "vgprs", kernel->vgprs);
    set_number(object, "agprs", kernel->agprs);
    set_number(object, "sgprs", kernel->sgprs);
    set_number(object, "lds_bytes", kernel->lds_bytes);
    set_number(object, "spills", spills);
    set(object, "occupancy", occupancy(kernel));
    set_number(object, "code_bytes", product->variant.code_bytes);
    set(object, "counts", counts(&code->loops.code));
    set(object, "main_loop", main_loop(code));
    set(object, "budget", budget(product));
    set(object, "times", times(found));
    set(object, "predicates", predicates(&product->variant));
    return object;
}

static json_t *read_variant(const char *out, const struct gen_table *table, const struct gen_tuning *tuning,
                            const struct gen_row *row, char compiler[])
{
    struct gen_product product;
    struct gen_kernel_code code = {0};
    json_t *variant = NULL;
    int result = gen_built_read(out, row, &product);
    if (result == 0) result = gen_kernel_code_read(&product.object, product.facts.kernels[0].symbol, &code);
    if (result == 0 && code.disassembly.unknown > 0)
        result = gen_error("%s: comgr knows no instruction for %zu dwords of its code; mxgen show has them as .long",
                           row->name, code.disassembly.unknown);
    if (result == 0) {
        const struct gen_family_times found = gen_family_times(tuning, table, row);
        variant = variant_json(&product, &code, &found);
        snprintf(compiler, sizeof product.facts.compiler, "%s", product.facts.compiler);
    }
    gen_kernel_code_free(&code);
    gen_text_free(&product.object);
    return variant;
}

json_t *gen_report_json(const char *out, const struct gen_table *table, const struct gen_tuning *tuning)
{
    char comgr[32], compiler[sizeof((struct gen_facts *)NULL)->compiler] = "";
    json_t *report = need(json_object()), *variants = need(json_array());
    gen_comgr_version(comgr);
    for (size_t i = 0; i < table->count; i++) {
        json_t *variant = read_variant(out, table, tuning, &table->rows[i], compiler);
        if (!variant) {
            json_decref(report), json_decref(variants);
            return NULL;
        }
        add(variants, variant);
    }
    set_number(report, "schema", GEN_REPORT_SCHEMA);
    set(report, "arch", json_string(GEN_ARCH));
    set(report, "comgr", json_string(comgr));
    set(report, "compiler", json_string(compiler));
    set(report, "variants", variants);
    return report;
}
