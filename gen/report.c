#include "gen/product.h"

#include "gen/budget.h"

#include <stdio.h>

static const char *layouts_name(uint32_t layouts)
{
    if (layouts == MXG_LAYOUT_BIT_ROW) return "row";
    return layouts == MXG_LAYOUT_BIT_SHUFFLED ? "shuffled" : "any";
}

/* What is taken, and after a slash what the table allows. */
static void put_budget(struct gen_text *report, int width, uint32_t taken, uint32_t allowed)
{
    char both[24];
    snprintf(both, sizeof both, "%u/%u", taken, allowed);
    gen_text_print(report, "  %*s", width, both);
}

static void put_row(struct gen_text *report, const struct gen_product *product, int name_width)
{
    const struct gen_row *row = product->row;
    const struct mxg_variant *variant = &product->variant;
    const struct gen_budget taken = gen_budget_taken(&product->facts), allowed = gen_budget_of(row, &product->facts);
    char tile[24], waves[36], reduce[24] = "-", stride[16] = "any";
    snprintf(tile, sizeof tile, "%ux%u", variant->tile_m, variant->tile_n);
    snprintf(waves, sizeof waves, "%ux%ux%u", row->waves_m, row->waves_n, row->waves_k);
    if (variant->reduction == MXG_REDUCTION_LAST_WORKGROUP) snprintf(reduce, sizeof reduce, "last");
    if (variant->reduction == MXG_REDUCTION_SECOND_LAUNCH) snprintf(reduce, sizeof reduce, "launch");
    gen_text_print(report, "%-*s  %-5s  %-5s  %8s  %6s  %5u  %5u  %-6s", name_width, variant->name, row->a->name,
                   row->c->name, tile, waves, row->depth, variant->split, reduce);
    put_budget(report, 7, taken.vgprs, allowed.vgprs);
    put_budget(report, 13, taken.lds, allowed.lds);
    put_budget(report, 5, taken.waves, allowed.waves);
    put_budget(report, 11, taken.code, allowed.code);
    if (variant->highest_stride > 0) snprintf(stride, sizeof stride, "%u", variant->highest_stride);
    gen_text_print(report, "  %5u  %5u  %7u  %-5s  %4u  %8s  %-8s  %s\n", variant->agprs, variant->sgprs,
                   product->facts.kernels[0].preloaded, variant->grid_order == MXG_GRID_TILES ? "tiles" : "xcd",
                   variant->k_multiple, stride, layouts_name(variant->b_layouts), layouts_name(variant->scale_layouts));
}

static const char introduction[] =
    "What mxgen read in the finished code objects of %s, made by %s.\n"
    "waves: how a workgroup's waves share rows, columns and K-steps. reduce: who sums the slices of split-K: a tile's\n"
    "last workgroup, or a second launch. vgprs: allocated a lane, AGPRs included; LDS: bytes; SIMD: waves that one\n"
    "holds; code: bytes; each of the kernel of the object that takes most, code of all, and after a slash the row's\n"
    "budget in the variant table. preload: dwords of arguments that a wave starts with. grid: how workgroups are\n"
    "numbered. K: the problem's is a multiple of it. strides: the highest of A and C, in elements. B, scales: "
    "layouts;\n"
    "of a quantiser those of what it writes. Every variant has no spills, no scratch memory and waves of 64.\n\n";

void gen_report(const struct gen_product *products, size_t count, struct gen_text *report)
{
    int width = 7, length;
    for (size_t i = 0; i < count; i++)
        if ((length = snprintf(NULL, 0, "%s", products[i].variant.name)) > width) width = length;
    gen_text_print(report, introduction, products[0].facts.target, products[0].facts.compiler);
    gen_text_print(report, "%-*s  %-5s  %-5s  %8s  %6s  %5s  %5s  %-6s  %7s  %13s  %5s  %11s  ", width, "variant", "a",
                   "c", "tile", "waves", "depth", "split", "reduce", "vgprs", "LDS", "SIMD", "code");
    gen_text_print(report, "%5s  %5s  %7s  %-5s  %4s  %8s  %-8s  scales\n", "agprs", "sgprs", "preload", "grid", "K",
                   "strides", "B");
    for (size_t i = 0; i < count; i++) put_row(report, &products[i], width);
}
