#include "gen/build_key.h"

#include "gen/comgr.h"

#include <stdio.h>
#include <string.h>

static void finish(struct mxg_sha256 *hash, char hex[GEN_HEX_BYTES])
{
    unsigned char digest[MXG_SHA256_BYTES];
    mxg_sha256_final(hash, digest);
    gen_hex(digest, hex);
}

void gen_build_key_make(const struct gen_text *source, const struct gen_compiler *compiler, struct gen_build_key *key)
{
    struct mxg_sha256 hash;
    mxg_sha256_init(&hash);
    mxg_sha256_update(&hash, source->data, source->bytes);
    finish(&hash, key->source);
    mxg_sha256_init(&hash);
    for (const char **option = gen_comgr_options; *option; option++)
        mxg_sha256_update(&hash, *option, strlen(*option) + 1);
    finish(&hash, key->options);
    memcpy(key->compiler, compiler->sha256, sizeof key->compiler);
}

static void print_key(const struct gen_build_key *key, struct gen_text *text)
{
    gen_text_print(text, "source %s\noptions %s\ncompiler %s\n", key->source, key->options, key->compiler);
}

void gen_build_key_file(const struct gen_build_key *key, const unsigned char object[MXG_SHA256_BYTES],
                        struct gen_text *text)
{
    char hex[GEN_HEX_BYTES];
    gen_hex(object, hex);
    print_key(key, text);
    gen_text_print(text, "object %s\n", hex);
}

const char *gen_build_key_differs(const struct gen_build_key *key, const struct gen_text *recorded,
                                  const unsigned char object[MXG_SHA256_BYTES])
{
    enum { LINES = 4 };
    static const char *const differences[LINES] = {"of another source", "of other options", "of another compiler",
                                                   "not as it was when it was built"};
    static const char no_record[] = "without a record that mxgen has written";
    struct gen_text wanted = {0};
    gen_build_key_file(key, object, &wanted);
    const char *difference = NULL, *is = recorded->data, *should = wanted.data;
    for (int i = 0; i < LINES && !difference; i++) {
        size_t bytes = strcspn(should, "\n") + 1, label = strcspn(should, " ") + 1;
        if (!is || strncmp(is, should, label) != 0)
            difference = no_record;
        else if (strncmp(is, should, bytes) != 0)
            difference = differences[i];
        else
            is += bytes, should += bytes;
    }
    if (!difference && recorded->bytes != wanted.bytes) difference = no_record;
    gen_text_free(&wanted);
    return difference;
}

void gen_build_key_sum(const struct gen_build_key *key, char sum[GEN_HEX_BYTES])
{
    struct gen_text text = {0};
    struct mxg_sha256 hash;
    print_key(key, &text);
    mxg_sha256_init(&hash);
    mxg_sha256_update(&hash, text.data, text.bytes);
    finish(&hash, sum);
    gen_text_free(&text);
}
