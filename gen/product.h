/* A built variant: its row, its code object and what the inspector read in it. */
#ifndef MXG_GEN_PRODUCT_H
#define MXG_GEN_PRODUCT_H

#include "common/sha256.h"
#include "gen/inspect.h"
#include "gen/tuning.h"

enum { GEN_HEX_BYTES = 2 * MXG_SHA256_BYTES + 1 };

struct gen_build_key;
struct gen_provenance;

struct gen_product {
    const struct gen_row *row;
    const struct gen_build_key *key; /* what the object was made from; only the manifest needs it */
    struct gen_text object;
    unsigned char sha256[MXG_SHA256_BYTES];
    struct gen_facts facts;
    struct mxg_variant variant; /* the pack's record */
};

/* Fills `variant` from the row and the facts. */
void gen_product_record(struct gen_product *product);

void gen_hex(const unsigned char digest[MXG_SHA256_BYTES], char hex[GEN_HEX_BYTES]);

/* Append the pack (common/pack_write.h), the manifest and the report of the products, in table order. compress: the
 * code objects by zstd. -1 after a report of why no pack can be made. */
int gen_pack(const struct gen_product *products, size_t count, const struct gen_tuning *tuning, int compress,
             struct gen_text *pack);
void gen_manifest(const struct gen_product *products, size_t count, const struct gen_tuning *tuning,
                  const struct gen_provenance *provenance, struct gen_text *manifest);
void gen_report(const struct gen_product *products, size_t count, struct gen_text *report);

#endif
