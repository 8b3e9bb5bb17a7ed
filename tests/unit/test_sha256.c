/* SHA-256 against the examples of FIPS 180-4 and NIST's, by the portable code and by the processor's instructions. */
#include "common/sha256.h"
#include "common/sha256_blocks.h"
#include "tests/test.h"

#include <stdlib.h>

static void check_hex(const struct mxg_sha256 *hash, const char *expected)
{
    struct mxg_sha256 copy = *hash;
    unsigned char digest[MXG_SHA256_BYTES];
    char hex[2 * MXG_SHA256_BYTES + 1];
    mxg_sha256_final(&copy, digest);
    for (int i = 0; i < MXG_SHA256_BYTES; i++) (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    CHECK_STR(hex, expected);
}

static const struct {
    const char *text;
    int times;
    const char *digest;
} examples[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

static void published_examples(void)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct mxg_sha256 hash;
        mxg_sha256_init(&hash);
        for (int n = 0; n < examples[i].times; n++)
            mxg_sha256_update(&hash, examples[i].text, strlen(examples[i].text));
        check_hex(&hash, examples[i].digest);
    }
}

/* However it comes in. */
static void pieces(void)
{
    unsigned char data[300], whole[MXG_SHA256_BYTES], pieces[MXG_SHA256_BYTES];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 + 1);
    for (size_t bytes = 0; bytes <= sizeof data; bytes++) {
        mxg_sha256(data, bytes, whole);
        for (size_t step = 1; step < 130; step += 1 + step / 3) {
            struct mxg_sha256 hash;
            mxg_sha256_init(&hash);
            for (size_t at = 0; at < bytes; at += step)
                mxg_sha256_update(&hash, data + at, step < bytes - at ? step : bytes - at);
            mxg_sha256_final(&hash, pieces);
            CHECK_MEM(pieces, whole, sizeof whole);
        }
    }
}

typedef void blocks_function(uint32_t state[8], const unsigned char *blocks, size_t count);

/* "abc" with its padding is one block: FIPS 180-4's initial state becomes its digest. */
static void check_blocks(blocks_function *blocks)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    static const uint32_t expected[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                         0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    unsigned char block[64] = {'a', 'b', 'c', 0x80};
    block[63] = 24;
    blocks(state, block, 0);
    blocks(state, block, 1);
    CHECK_MEM(state, expected, sizeof state);
}

static void portable_blocks(void)
{
    check_blocks(mxg_sha256_blocks_portable);
}

static void blocks_of_the_processor(void)
{
    if (!mxg_sha256_has_x86()) SKIP("this processor has no SHA instructions");
    check_blocks(mxg_sha256_blocks_x86);
    uint64_t seed = 1;
    for (size_t count = 0; count < 40; count++) { /* memory of their exact size, at any alignment */
        size_t bytes = 64 * count, shift = count % 16;
        unsigned char *memory = malloc(bytes + shift + 1), *data = memory + shift;
        if (!memory) abort();
        for (size_t i = 0; i < bytes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            data[i] = (unsigned char)(seed >> 56);
        }
        uint32_t one[8], other[8];
        for (int i = 0; i < 8; i++) one[i] = other[i] = (uint32_t)(seed >> i);
        mxg_sha256_blocks_portable(one, data, count);
        mxg_sha256_blocks_x86(other, data, count);
        CHECK_MEM(one, other, sizeof one);
        free(memory);
    }
}

int main(void)
{
    TEST(published_examples);
    TEST(pieces);
    TEST(portable_blocks);
    TEST(blocks_of_the_processor);
    return test_end();
}
