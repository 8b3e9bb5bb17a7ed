#include "gen/product.h"

#include "gen/budget.h"
#include "gen/occupancy.h"

#include <stdlib.h>
#include <string.h>

/* What one row says, for its width to be known before the first is written. */
enum column { VARIANT, VGPRS, LDS, WAVES, LIMIT, CODE, K, STRIDES, LAYOUTS, COLUMNS };
static const char *const headings[COLUMNS] = {"variant", "vgprs", "LDS",     "waves",  "limit",
                                              "code",    "K",     "strides", "layouts"};
struct cells {
    struct gen_text of[COLUMNS];
};

static const char *layouts_name(uint32_t layouts)
{
    if (layouts == MXG_LAYOUT_BIT_ROW) return "row";
    return layouts == MXG_LAYOUT_BIT_SHUFFLED ? "shuffled" : "any";
}

/* The occupancy is that of the kernel of which a SIMD holds the fewest waves, as the budget's. */
static struct gen_occupancy least_occupancy(const struct gen_facts *facts)
{
    struct gen_occupancy least = gen_occupancy_of(&facts->kernels[0]);
    for (size_t i = 1; i < facts->kernel_count; i++) {
        struct gen_occupancy other = gen_occupancy_of(&facts->kernels[i]);
        if (other.waves < least.waves) least = other;
    }
    return least;
}

static void fill(const struct gen_product *product, struct cells *cells)
{
    const struct mxg_variant *variant = &product->variant;
    const struct gen_budget taken = gen_budget_taken(&product->facts);
    const struct gen_budget allowed = gen_budget_of(product->row, &product->facts);
    struct gen_text *of = cells->of;
    const char *b = layouts_name(variant->b_layouts), *scales = layouts_name(variant->scale_layouts);
    gen_text_print(&of[VARIANT], "%s", variant->name);
    gen_text_print(&of[VGPRS], "%u/%u", taken.vgprs, allowed.vgprs);
    gen_text_print(&of[LDS], "%u/%u", taken.lds, allowed.lds);
    gen_text_print(&of[WAVES], "%u/%u", taken.waves, allowed.waves);
    gen_limit_names(least_occupancy(&product->facts).limits, &of[LIMIT]);
    gen_text_print(&of[CODE], "%u/%u", taken.code, allowed.code);
    gen_text_print(&of[K], "%u", variant->k_multiple);
    if (variant->highest_stride > 0)
        gen_text_print(&of[STRIDES], "%u", variant->highest_stride);
    else
        gen_text_print(&of[STRIDES], "any");
    gen_text_print(&of[LAYOUTS], strcmp(b, scales) == 0 ? "%s" : "%s, %s", b, scales);
}

static const char introduction[] =
    "What mxgen read in the finished code objects of %s, made by %s.\n"
    "vgprs: registers allocated a lane, AGPRs included. LDS: bytes a workgroup. waves: that a SIMD holds at once.\n"
    "code: bytes of all kernels of the object. Each is what the kernel of the object takes that takes most, and after\n"
    "the slash the row's budget in the variant table, of waves the least. limit: what keeps a SIMD from holding more:\n"
    "vgprs, lds, workgroup (its waves come all or none), or waves (no SIMD holds more).\n"
    "Problems that it takes: K: a multiple of this. strides: of A and C, in elements, up to this. layouts: of B and "
    "of\n"
    "the scales, if they differ; of a quantiser those of what it writes.\n"
    "Every variant has no spills, no scratch memory and waves of 64. make report has its main loop, times and "
    "more.\n\n";

void gen_report(const struct gen_product *products, size_t count, struct gen_text *report)
{
    struct cells *rows = gen_alloc(count, sizeof *rows);
    int widths[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) widths[c] = (int)strlen(headings[c]);
    for (size_t i = 0; i < count; i++) {
        fill(&products[i], &rows[i]);
        for (int c = 0; c < COLUMNS; c++)
            if ((int)rows[i].of[c].bytes > widths[c]) widths[c] = (int)rows[i].of[c].bytes;
    }
    gen_text_print(report, introduction, products[0].facts.target, products[0].facts.compiler);
    gen_text_print(report, "%-*s", widths[VARIANT], headings[VARIANT]);
    for (int c = VARIANT + 1; c < LAYOUTS; c++) gen_text_print(report, " %*s", widths[c], headings[c]);
    gen_text_print(report, " %s\n", headings[LAYOUTS]);
    for (size_t i = 0; i < count; i++) {
        gen_text_print(report, "%-*s", widths[VARIANT], rows[i].of[VARIANT].data);
        for (int c = VARIANT + 1; c < LAYOUTS; c++) gen_text_print(report, " %*s", widths[c], rows[i].of[c].data);
        gen_text_print(report, " %s\n", rows[i].of[LAYOUTS].data);
        for (int c = 0; c < COLUMNS; c++) gen_text_free(&rows[i].of[c]);
    }
    free(rows);
}
