#include "common/sha256.h"

#include "common/sha256_blocks.h"

#include <stdatomic.h>
#include <string.h>

typedef void blocks_function(uint32_t state[8], const unsigned char *blocks, size_t count);

const uint32_t mxg_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* One round of FIPS 180-4, 6.2.2; the caller renames the working variables instead of moving them. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                               \
    do {                                                                                                               \
        uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +                      \
                      mxg_sha256_constants[i] + w[(i) % 16];                                                           \
        d += t1;                                                                                                       \
        h = t1 + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                       \
    } while (0)

void mxg_sha256_blocks_portable(uint32_t state[8], const unsigned char *blocks, size_t count)
{
    for (; count > 0; count--, blocks += 64) {
        uint32_t w[16]; /* the last 16 words of the schedule, in a ring */
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0; i < 16; i++) w[i] = load_be32(blocks + 4 * i);
        for (int i = 0; i < 64; i += 8) {
            for (int j = i; i >= 16 && j < i + 8; j++) {
                uint32_t early = w[(j + 1) % 16], late = w[(j + 14) % 16];
                w[j % 16] += (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3) + w[(j + 9) % 16] +
                             (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10);
            }
            ROUND(a, b, c, d, e, f, g, h, i);
            ROUND(h, a, b, c, d, e, f, g, i + 1);
            ROUND(g, h, a, b, c, d, e, f, i + 2);
            ROUND(f, g, h, a, b, c, d, e, i + 3);
            ROUND(e, f, g, h, a, b, c, d, i + 4);
            ROUND(d, e, f, g, h, a, b, c, i + 5);
            ROUND(c, d, e, f, g, h, a, b, i + 6);
            ROUND(b, c, d, e, f, g, h, a, i + 7);
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

/* The processor is asked once: cpuid is slow in virtual machines. Threads that meet here find the same. */
static void compress(uint32_t state[8], const unsigned char *blocks, size_t count)
{
    static _Atomic(blocks_function *) chosen;
    blocks_function *function = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!function) {
        function = mxg_sha256_has_x86() ? mxg_sha256_blocks_x86 : mxg_sha256_blocks_portable;
        atomic_store_explicit(&chosen, function, memory_order_relaxed);
    }
    function(state, blocks, count);
}

void mxg_sha256_init(struct mxg_sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->bytes = 0;
}

void mxg_sha256_update(struct mxg_sha256 *hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    size_t held = (size_t)(hash->bytes % 64);
    hash->bytes += bytes;
    while (bytes > 0) {
        if (held == 0 && bytes >= 64) {
            size_t whole = bytes / 64;
            compress(hash->state, p, whole);
            p += 64 * whole, bytes -= 64 * whole;
            continue;
        }
        size_t take = 64 - held < bytes ? 64 - held : bytes;
        memcpy(hash->block + held, p, take);
        p += take, bytes -= take, held += take;
        if (held == 64) {
            compress(hash->state, hash->block, 1);
            held = 0;
        }
    }
}

void mxg_sha256_final(struct mxg_sha256 *hash, unsigned char digest[MXG_SHA256_BYTES])
{
    uint64_t bits = hash->bytes * 8;
    unsigned char tail[72] = {0x80};
    size_t held = (size_t)(hash->bytes % 64), pad = (held < 56 ? 56 : 120) - held;
    for (int i = 0; i < 8; i++) tail[pad + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    mxg_sha256_update(hash, tail, pad + 8);
    for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void mxg_sha256(const void *data, size_t bytes, unsigned char digest[MXG_SHA256_BYTES])
{
    struct mxg_sha256 hash;
    mxg_sha256_init(&hash);
    mxg_sha256_update(&hash, data, bytes);
    mxg_sha256_final(&hash, digest);
}
