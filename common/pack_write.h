/* Making a pack (pack_format.h, loader/PACK.md) from variants and their code objects, for the programs: mxgen makes
 * the project's, `mxgemm pack` makes new ones from others. The loader library writes none.
 *
 * The bytes depend on the contents alone, and with `compress` on the version of zstd. Records lie in the order of the
 * members; of code objects that are the same bytes one copy, at the place of the first; of variants with the same
 * times in all rows those of the first. */
#ifndef MXG_COMMON_PACK_WRITE_H
#define MXG_COMMON_PACK_WRITE_H

#include "common/variant.h"

#include <stddef.h>

/* One variant. All fields of `variant` go into its record as they are. */
struct mxg_pack_member {
    const struct mxg_variant *variant;
    const void *image; /* the code object, not compressed */
    uint64_t image_bytes;
};

struct mxg_pack_time {
    uint32_t variant; /* index of a member */
    uint32_t ns;      /* 1 to MXG_PACK_HIGHEST_NS */
};

/* Times of variants at one problem. Rows ascend by m, n, k and source, the times of a row by variant. */
struct mxg_pack_row {
    uint32_t m, n, k;
    uint32_t source; /* index of a source */
    const struct mxg_pack_time *times;
    size_t time_count;
};

struct mxg_pack_contents {
    const char *arch; /* "gfx950" */
    const struct mxg_pack_member *members;
    size_t member_count;
    const char *const *sources; /* of times; the one that outranks the others first */
    size_t source_count;
    const struct mxg_pack_row *rows;
    size_t row_count;
    int compress; /* code objects by zstd, where that makes them smaller */
};

enum { MXG_PACK_WHY_BYTES = 256 };

/* Makes the pack in memory: `*data`, for free(). Returns 0, or -1 with a sentence in `why` that names the field and the
 * value which no pack may have, or says that memory or zstd (a build with ZSTD=1 has it) is missing. What the fields of
 * a variant say of each other, and whether an image is a code object, is the loader's to check: open the result. */
int mxg_pack_make(const struct mxg_pack_contents *contents, unsigned char **data, size_t *bytes,
                  char why[MXG_PACK_WHY_BYTES]);

/* The same into a file, which appears whole or not at all (output.h). */
int mxg_pack_write(const struct mxg_pack_contents *contents, const char *path, char why[MXG_PACK_WHY_BYTES]);

#endif
