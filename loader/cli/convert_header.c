#define _POSIX_C_SOURCE 200809L
#include "loader/cli/convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Data begins at a multiple of this, spaces being what the format pads with. */
enum { DATA_ALIGNMENT = 256 };

/* A JSON string, or one that is nested in another: the layout is JSON in a value of the metadata. */
static void put_string(FILE *to, const char *text, bool nested)
{
    const char *quote = nested ? "\\\"" : "\"";
    (void)fputs(quote, to); /* all is looked at when the stream is closed */
    for (; *text; text++) {
        if ((unsigned char)*text < ' ')
            (void)fprintf(to, "%s\\u%04x", nested ? "\\" : "", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            (void)fprintf(to, "%s%c", nested ? "\\\\\\" : "\\", *text);
        else
            (void)fputc(*text, to);
    }
    (void)fputs(quote, to);
}

static void put_layout(FILE *to, const struct convert_plan *plan)
{
    const char *comma = "";
    (void)fputs("\"{", to);
    for (size_t i = 0; i < plan->count; i++) {
        const struct convert_item *item = &plan->items[i];
        if (item->action == CONVERT_COPY) continue;
        (void)fputs(comma, to);
        put_string(to, item->out.name, true);
        (void)fputs(":{\\\"scales\\\":", to);
        put_string(to, item->out_scales.name, true);
        (void)fprintf(to,
                      ",\\\"matrices\\\":%" PRId64 ",\\\"rows\\\":%" PRId64 ",\\\"k\\\":%" PRId64
                      ",\\\"layout\\\":\\\"%s\\\",\\\"scale_layout\\\":\\\"%s\\\"}",
                      item->matrices, item->rows, item->k, cli_layouts_text((uint32_t)item->layout),
                      cli_layouts_text((uint32_t)item->scale_layout));
        comma = ",";
    }
    (void)fputs("}\"", to);
}

static void put_tensor(FILE *to, const struct convert_output *tensor)
{
    (void)fputc(',', to);
    put_string(to, tensor->name, false);
    (void)fprintf(to, ":{\"dtype\":\"%s\",\"shape\":[", safetensors_dtype_name(tensor->dtype));
    for (uint32_t i = 0; i < tensor->dims; i++) (void)fprintf(to, "%s%" PRIu64, i ? "," : "", tensor->shape[i]);
    (void)fprintf(to, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", tensor->begin, tensor->begin + tensor->bytes);
}

bool convert_header(const struct convert_plan *plan, char **header, size_t *bytes)
{
    const struct safetensors *file = plan->file;
    *header = NULL;
    FILE *to = open_memstream(header, bytes);
    if (!to) return cli_fail("no memory for the header");
    (void)fprintf(to, "%*s{\"__metadata__\":{", SAFETENSORS_PREFIX_BYTES, "");
    for (size_t i = 0; i < file->metadata_count; i++) {
        put_string(to, file->metadata[i].key, false);
        (void)fputc(':', to);
        put_string(to, file->metadata[i].value, false);
        (void)fputc(',', to);
    }
    (void)fprintf(to, "\"mxgemm.format\":\"1\",\"mxgemm.version\":\"%s\",\"mxgemm.layout\":", mxg_version());
    put_layout(to, plan);
    (void)fputc('}', to);
    for (size_t i = 0; i < plan->outputs_count; i++) put_tensor(to, plan->outputs[i]);
    (void)fputc('}', to);
    long end = ftell(to);
    for (long i = end; i % DATA_ALIGNMENT != 0; i++) (void)fputc(' ', to);
    bool good = !ferror(to) && end >= 0;
    if (fclose(to) != 0 || !good) return cli_fail("no memory for the header");
    uint64_t length = *bytes - SAFETENSORS_PREFIX_BYTES;
    if (length > SAFETENSORS_HEADER_BYTES_MAX)
        return cli_fail("the result's header would have %" PRIu64 " bytes, above the %d that the format allows", length,
                        SAFETENSORS_HEADER_BYTES_MAX);
    for (int i = 0; i < SAFETENSORS_PREFIX_BYTES; i++) (*header)[i] = (char)(length >> 8 * i);
    return true;
}
