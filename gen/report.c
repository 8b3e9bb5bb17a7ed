#include "gen/product.h"

#include <stdio.h>

static void put_row(struct gen_text *report, const struct gen_product *product, int name_width)
{
    const struct mxg_variant *variant = &product->variant;
    const struct gen_kernel_facts *kernel = &product->facts.kernels[0];
    char tile[24], waves[24], reduce[24] = "-";
    snprintf(tile, sizeof tile, "%ux%u", variant->tile_m, variant->tile_n);
    snprintf(waves, sizeof waves, "%ux%u", product->row->waves_m, product->row->waves_n);
    if (variant->reduction != MXG_REDUCTION_NONE)
        snprintf(reduce, sizeof reduce, "%u", product->facts.kernels[1].vgprs_allocated);
    gen_text_print(report, "%-*s  %7s  %5s  %5u  %-4s  %5u  %5u  %5u  %6u  %6u  %4u  %6s  %s\n", name_width,
                   variant->name, tile, waves, variant->split, product->row->c->name, variant->vgprs, variant->agprs,
                   variant->sgprs, variant->lds_bytes, variant->code_bytes, gen_waves_per_simd(kernel), reduce,
                   product->row->kernel->accepts);
}

void gen_report(const struct gen_product *products, size_t count, struct gen_text *report)
{
    int width = 7, length;
    for (size_t i = 0; i < count; i++)
        if ((length = snprintf(NULL, 0, "%s", products[i].variant.name)) > width) width = length;
    gen_text_print(
        report,
        "What mxgen read in the finished code objects of %s, made by %s.\n"
        "waves: how a workgroup's waves share the tile. vgprs: allocated a lane, AGPRs included. LDS, code: in\n"
        "bytes, code of all kernels of the object. SIMD: waves that the registers of one hold. reduce: VGPRs of\n"
        "the second launch of split-K. Every variant has no spills, no scratch memory and waves of 64.\n\n",
        products[0].facts.target, products[0].facts.compiler);
    gen_text_print(report, "%-*s  %7s  %5s  %5s  %-4s  %5s  %5s  %5s  %6s  %6s  %4s  %6s  %s\n", width, "variant",
                   "tile", "waves", "split", "c", "vgprs", "agprs", "sgprs", "LDS", "code", "SIMD", "reduce",
                   "accepts");
    for (size_t i = 0; i < count; i++) put_row(report, &products[i], width);
}
