#include "gen/product.h"

#include <stdio.h>
#include <string.h>

void gen_product_record(struct gen_product *product)
{
    const struct gen_row *row = product->row;
    const struct gen_facts *facts = &product->facts;
    const struct gen_kernel_facts *kernel = &facts->kernels[0];
    struct mxg_variant *variant = &product->variant;
    *variant = (struct mxg_variant){
        .kind = row->kernel->kind,
        .tile_m = row->tile_m,
        .tile_n = row->tile_n,
        .split = row->split,
        .reduction = row->split > 1 ? row->kernel->reduction : MXG_REDUCTION_NONE,
        .grid_order = row->kernel->grid_order,
        .a_format = row->a->element,
        .c_format = row->c->element,
        .b_layouts = row->kernel->b_layouts,
        .scale_layouts = row->kernel->scale_layouts,
        .k_multiple = row->kernel->k_multiple,
        .slice_k = row->kernel->slice_k,
        .highest_stride = row->kernel->highest_stride ? row->kernel->highest_stride(row) : 0,
        .round_trip_steps = row->waves_k * row->depth,
        .workgroup_threads = kernel->workgroup_threads,
        .reduce_threads = gen_row_has_reduce(row) ? facts->kernels[1].workgroup_threads : 0,
        .kernarg_bytes = kernel->kernarg_bytes,
        .lds_bytes = kernel->lds_bytes,
        .vgprs = kernel->vgprs_allocated,
        .agprs = kernel->agprs,
        .sgprs = kernel->sgprs,
        .xnack = facts->xnack,
        .sramecc = facts->sramecc,
    };
    memcpy(variant->name, row->name, sizeof variant->name);
    for (size_t i = 0; i < facts->kernel_count; i++) variant->code_bytes += facts->kernels[i].code_bytes;
}

void gen_hex(const unsigned char digest[MXG_SHA256_BYTES], char hex[GEN_HEX_BYTES])
{
    for (int i = 0; i < MXG_SHA256_BYTES; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
