#include "gen/report_fields.h"

#include <math.h>
#include <string.h>

#define LESS GEN_LESS_IS_BETTER
#define MORE GEN_MORE_IS_BETTER
#define NEITHER GEN_NEITHER_IS_BETTER
#define PAGE GEN_FIELD_OF_NONE
#define TAKES GEN_FIELD_TAKES
#define BUDGET GEN_FIELD_BUDGET
#define RESOURCES GEN_FIELD_RESOURCES
#define LOOP GEN_FIELD_LOOP
#define TIMES GEN_FIELD_TIMES

const struct gen_report_field gen_report_fields[] = {
    {"row", "group", "group", "the group of the variant table", NEITHER, RESOURCES},
    {"row", "template", "template", "the kernel template, of templates/", NEITHER, PAGE},
    {"row", "a_format", "A", "the format that A comes in", NEITHER, TAKES},
    {"row", "c_format", "C", "the format that C is written in", NEITHER, TAKES},
    {"row", "tile_m", "tile M", "rows of C that a workgroup makes", NEITHER, TAKES},
    {"row", "tile_n", "tile N", "columns of C that a workgroup makes", NEITHER, TAKES},
    {"row", "split", "split", "slices of K, each a workgroup's", NEITHER, TAKES},
    {"resources", "vgprs_allocated", "VGPRs", "registers allocated a lane, AGPRs included", LESS, RESOURCES},
    {"resources", "agprs", "AGPRs", "accumulation registers of a lane that the code names", NEITHER, RESOURCES},
    {"resources", "sgprs", "SGPRs", "scalar registers that the code names", NEITHER, PAGE},
    {"resources", "lds_bytes", "LDS", "bytes of LDS a workgroup", LESS, RESOURCES},
    {"resources", "occupancy.waves_per_simd", "waves", "waves that a SIMD holds at once", MORE, RESOURCES},
    {"resources", "occupancy.limited_by", "limit", "what keeps a SIMD from holding more", NEITHER, RESOURCES},
    {"resources", "spills", "spills", "registers that are spilled", LESS, RESOURCES},
    {"resources", "code_bytes", "code", "bytes of code, of all kernels of the object", LESS, RESOURCES},
    {"budget", "budget.vgprs.margin", "VGPR margin", "registers that the budget leaves", MORE, BUDGET},
    {"budget", "budget.lds_bytes.margin", "LDS margin", "bytes of LDS that the budget leaves", MORE, BUDGET},
    {"budget", "budget.waves_per_simd.margin", "wave margin", "waves above the budget's", MORE, BUDGET},
    {"budget", "budget.code_bytes.margin", "code margin", "bytes of code that the budget leaves", MORE, BUDGET},
    {"main loop", "main_loop.counts.mfma", "MFMAs", "MFMAs of one turn of the main loop", NEITHER, LOOP},
    {"main loop", "main_loop.per_mfma.valu", "VALU", "VALU instructions of the main loop for each MFMA", LESS, LOOP},
    {"main loop", "main_loop.per_mfma.salu", "SALU", "SALU instructions of the main loop for each MFMA", LESS, LOOP},
    {"main loop", "main_loop.per_mfma.vmem", "VMEM", "vector memory instructions of the main loop for each MFMA", LESS,
     LOOP},
    {"main loop", "main_loop.per_mfma.lds", "LDS", "LDS instructions of the main loop for each MFMA", LESS, LOOP},
    {"main loop", "main_loop.per_mfma.other", "other",
     "other instructions, such as s_nop, of the main loop for each MFMA", LESS, LOOP},
    {"main loop", "main_loop.counts.barrier", "barr.", "barriers of one turn of the main loop", LESS, LOOP},
    {"main loop", "main_loop.waits", "waits", "s_waitcnt of one turn of the main loop", LESS, LOOP},
    {"main loop", "main_loop.loaded_bytes", "loaded",
     "bytes that a wave loads from memory in one turn of the main loop", NEITHER, LOOP},
    {"main loop", "main_loop.stored_bytes", "stored", "bytes that a wave stores to memory in one turn of the main loop",
     NEITHER, PAGE},
    {"main loop", "main_loop.lds_read_bytes", "LDS rd", "bytes that a wave reads of LDS in one turn of the main loop",
     LESS, LOOP},
    {"main loop", "main_loop.lds_written_bytes", "LDS wr",
     "bytes that a wave writes to LDS in one turn of the main loop", LESS, LOOP},
    {"main loop", "main_loop.code_bytes", "bytes", "bytes of code of the main loop", LESS, LOOP},
    {"times", "times.best.us", "best us",
     "microseconds at the problem of the tuning table where it does most FLOP a second", LESS, TIMES},
    {"times", "times.best.tflops", "TFLOP/s", "what that is in TFLOP a second", MORE, TIMES},
    {"times", "times.best.problem", "m x n x k", "that problem", NEITHER, TIMES},
    {"times", "times.fastest_at", "fastest at",
     "problems of the tuning table where no variant of its format of A is faster", MORE, TIMES},
    {"times", "times.problems", "of", "problems of the tuning table that have a time of it", NEITHER, TIMES},
    {"takes", "predicates.b_layouts", "B", "layouts of B that it takes", NEITHER, TAKES},
    {"takes", "predicates.scale_layouts", "scales", "layouts of scales that it takes", NEITHER, TAKES},
    {"takes", "predicates.k_multiple", "K of", "K is a multiple of this", NEITHER, TAKES},
    {"takes", "predicates.highest_stride", "stride to", "the highest row stride of A and C, in elements", NEITHER,
     TAKES},
};
const size_t gen_report_field_count = sizeof gen_report_fields / sizeof gen_report_fields[0];

json_t *gen_report_at(json_t *variant, const char *path)
{
    json_t *at = variant;
    for (const char *key = path; at && *key;) {
        size_t length = strcspn(key, ".");
        char name[64];
        if (length >= sizeof name) return NULL;
        memcpy(name, key, length);
        name[length] = 0;
        at = json_object_get(at, name);
        key += length + (key[length] == '.');
    }
    return json_is_null(at) ? NULL : at;
}

double gen_hundredths(double value)
{
    return round(value * 100) / 100;
}

static void put_text(const char *value, struct gen_text *text)
{
    for (; *value; value++) gen_text_print(text, "%c", *value < ' ' || *value > '~' ? '?' : *value);
}

void gen_report_value(json_t *value, struct gen_text *text)
{
    size_t i;
    json_t *part;
    if (json_is_integer(value))
        gen_text_print(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        gen_text_print(text, "%.2f", gen_hundredths(json_real_value(value)));
    else if (json_string_length(value) > 0)
        put_text(json_string_value(value), text);
    else if (json_array_size(value) == 0)
        gen_text_add(text, "-", 1);
    json_array_foreach (value, i, part) {
        if (i > 0) gen_text_add(text, "+", 1);
        gen_report_value(json_is_array(part) ? NULL : part, text);
    }
}
