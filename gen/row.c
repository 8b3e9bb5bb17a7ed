#include "gen/row.h"

#include "gen/machine.h"
#include "gen/text.h"

#include <stdio.h>
#include <string.h>

/* Quantised A in the order of the MFMA operand: 16 bytes of codes and one scale byte a lane, 16 rows a fragment. */
static uint32_t plain_lds_bytes(const struct gen_row *row)
{
    return row->tile_m / GEN_MFMA_ROWS * GEN_WAVE_LANES * (16 + 1);
}

enum { ANY_LAYOUT = MXG_LAYOUT_BIT_ROW | MXG_LAYOUT_BIT_SHUFFLED };

/*   name     A                 B           B scales    LDS              accepts */
const struct gen_template gen_templates[] = {
    {"plain", MXG_ELEMENT_BF16, ANY_LAYOUT, ANY_LAYOUT, plain_lds_bytes, "any M and N, K % 32 = 0, any alignment"},
};
const size_t gen_template_count = sizeof gen_templates / sizeof gen_templates[0];

const struct gen_c_format gen_c_formats[] = {
    {"bf16", MXG_ELEMENT_BF16, "__bf16"},
    {"f16", MXG_ELEMENT_F16, "f16"},
    {"f32", MXG_ELEMENT_F32, "float"},
};
const size_t gen_c_format_count = sizeof gen_c_formats / sizeof gen_c_formats[0];

uint32_t gen_row_threads(const struct gen_row *row)
{
    return row->waves_m * row->waves_n * GEN_WAVE_LANES;
}

int gen_row_name(struct gen_row *row)
{
    int length = snprintf(row->name, sizeof row->name, "gemm_%s_m%un%u_w%ux%u_s%u_%s", row->kernel->name, row->tile_m,
                          row->tile_n, row->waves_m, row->waves_n, row->split, row->c->name);
    if (length >= MXG_VARIANT_NAME_BYTES || strrchr(row->name, '_') - row->name >= GEN_FAMILY_BYTES)
        return gen_error("the name %s... is too long: %d characters, and %d before the format of C, are possible",
                         row->name, MXG_VARIANT_NAME_BYTES - 1, GEN_FAMILY_BYTES - 1);
    gen_family(row->name, row->family);
    return 0;
}

void gen_family(const char *name, char family[GEN_FAMILY_BYTES])
{
    const char *format = strrchr(name, '_');
    snprintf(family, GEN_FAMILY_BYTES, "%.*s", format ? (int)(format - name) : GEN_FAMILY_BYTES, name);
}

void gen_row_words(const struct gen_row *row, char *words, size_t room)
{
    snprintf(words, room, "%s %u %u %u %u %u %s", row->kernel->name, row->tile_m, row->tile_n, row->waves_m,
             row->waves_n, row->split, row->c->name);
}
