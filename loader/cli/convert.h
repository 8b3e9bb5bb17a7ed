/* mxgemm convert, in three parts: what becomes of each tensor (convert_plan.c), the header of the new file
 * (convert_header.c), and moving the bytes (convert_move.c). The file's layout is documented in CONVERT.md. */
#ifndef MXG_CLI_CONVERT_H
#define MXG_CLI_CONVERT_H

#include "loader/cli/cli.h"
#include "loader/cli/safetensors.h"

enum convert_action { CONVERT_COPY, CONVERT_SHUFFLE, CONVERT_QUANTIZE, CONVERT_ACTIONS };

/* One tensor of the new file. */
struct convert_output {
    const char *name;
    enum safetensors_dtype dtype;
    uint32_t dims;
    uint64_t *shape;
    uint64_t bytes, begin; /* begin: in the data */
    unsigned rank;         /* outputs of a lower one come first */
};

/* One tensor of the old file, or two: codes and their scales. */
struct convert_item {
    enum convert_action action;
    const struct safetensors_tensor *in, *in_scales; /* in_scales: of CONVERT_SHUFFLE */
    const char *left;                                /* why it is only copied, where that may surprise; else NULL */
    int64_t matrices;                                /* of what is converted: experts, or 1 */
    int64_t rows, k;                                 /* of each */
    int32_t in_format;                               /* mxg_format */
    int32_t layout;                                  /* mxg_layout of the codes */
    int32_t scale_layout;                            /* mxg_layout of the scales */
    char *scales_name;                               /* of CONVERT_QUANTIZE */
    struct convert_output out, out_scales;           /* out_scales: not of CONVERT_COPY */
};

struct convert_plan {
    const struct safetensors *file;
    struct convert_item *items; /* in the order of the old file's data */
    size_t count;
    struct convert_output **outputs; /* in the order of the new file's data */
    size_t outputs_count;
    uint64_t data_bytes; /* of the new file */
};

/* Reports what is refused. Free *plan in any case; the file must live as long. */
bool convert_plan(const struct safetensors *file, const struct cli_args *args, struct convert_plan *plan);
void convert_plan_free(struct convert_plan *plan);

/* The first bytes of the new file, up to its data: the caller's to free. */
bool convert_header(const struct convert_plan *plan, char **header, size_t *bytes);

/* The two files, for messages and for positions in them. */
struct convert_files {
    const char *in_path, *out_path;
    int in, out;
    uint64_t in_data, out_data; /* where the data begins */
};

/* All bytes, at a place of the file, or a report. */
bool convert_read(const struct convert_files *files, void *data, uint64_t bytes, uint64_t at);
bool convert_write(const struct convert_files *files, const void *data, uint64_t bytes, uint64_t at);

/* Reads and writes all data, with less than 100 MiB of memory, and shows progress on stderr. */
bool convert_move(const struct convert_plan *plan, const struct convert_files *files, int32_t threads);

#endif
