/* The expansion of templates, which is done once more here, in another way. */
#include "gen/template.h"
#include "tests/fuzz/parse/sentences.h"

uint64_t fuzz_accepted;

static const char path[] = "a/template";

enum { KEYS = 3 };
static const struct gen_key all_keys[KEYS] = {
    {.name = "TILE_M", .value = "16"}, {.name = "NAME", .value = "${odd} $"}, {.name = "N", .value = ""}};

/* What comes of an accepted text, of which each $ is the first byte of a known key. */
static void expand_again(const uint8_t *data, size_t bytes, int used[KEYS], struct gen_text *output)
{
    for (size_t at = 0; at < bytes;) {
        size_t i = 0, length = 0;
        if (data[at] != '$') {
            gen_text_add(output, &data[at++], 1);
            continue;
        }
        for (; i < KEYS; i++) {
            char written[16];
            length = (size_t)snprintf(written, sizeof written, "${%s}", all_keys[i].name);
            if (bytes - at >= length && memcmp(&data[at], written, length) == 0) break;
        }
        FUZZ_REQUIRE(i < KEYS);
        gen_text_add(output, all_keys[i].value, strlen(all_keys[i].value));
        used[i] = 1;
        at += length;
    }
}

static void check_output(const uint8_t *data, size_t bytes, const struct gen_key *keys, const struct gen_text *output)
{
    struct gen_text again = {0};
    int used[KEYS] = {0};
    FUZZ_REQUIRE(said.bytes == 0 && (bytes == 0 || !memchr(data, 0, bytes)));
    expand_again(data, bytes, used, &again);
    FUZZ_REQUIRE(again.bytes == output->bytes && (again.bytes == 0 || !memcmp(again.data, output->data, again.bytes)));
    for (size_t i = 0; i < KEYS; i++) FUZZ_REQUIRE(keys[i].used == used[i]);
    gen_text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct gen_text input = {0}, output = {0};
    struct gen_key keys[KEYS];
    memcpy(keys, all_keys, sizeof keys);
    gen_text_add(&input, data, bytes);
    gen_errors_into(&said);
    if (gen_expand(path, &input, keys, KEYS, &output) == 0) {
        check_output(data, bytes, keys, &output);
        fuzz_accepted++;
    } else {
        check_said(path, NULL, data, bytes);
    }
    gen_errors_into(NULL);
    gen_text_free(&said), gen_text_free(&input), gen_text_free(&output);
    return 0;
}
