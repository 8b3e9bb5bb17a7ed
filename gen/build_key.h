/* What a code object was made from. Beside each object lies a file that says so; an object is up to date if that file
 * says what would be used now, and names the object's own bytes. */
#ifndef MXG_GEN_BUILD_KEY_H
#define MXG_GEN_BUILD_KEY_H

#include "gen/compiler.h"

struct gen_build_key {
    char source[GEN_HEX_BYTES], options[GEN_HEX_BYTES], compiler[GEN_HEX_BYTES]; /* SHA-256 of each */
};

void gen_build_key_make(const struct gen_text *source, const struct gen_compiler *compiler, struct gen_build_key *key);

/* Appends the file for an object with that SHA-256. */
void gen_build_key_file(const struct gen_build_key *key, const unsigned char object[MXG_SHA256_BYTES],
                        struct gen_text *text);

/* Why the object with that SHA-256 and the file `recorded` is not one of this key, in words that go after "it is", NULL
 * if it is one. */
const char *gen_build_key_differs(const struct gen_build_key *key, const struct gen_text *recorded,
                                  const unsigned char object[MXG_SHA256_BYTES]);

/* All of the key in one SHA-256. */
void gen_build_key_sum(const struct gen_build_key *key, char sum[GEN_HEX_BYTES]);

#endif
