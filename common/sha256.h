/* SHA-256 (FIPS 180-4). The loader may use no library but libc, and generator and loader must agree, so it is here. */
#ifndef MXG_COMMON_SHA256_H
#define MXG_COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { MXG_SHA256_BYTES = 32 };

struct mxg_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

void mxg_sha256_init(struct mxg_sha256 *hash);
void mxg_sha256_update(struct mxg_sha256 *hash, const void *data, size_t bytes);
void mxg_sha256_final(struct mxg_sha256 *hash, unsigned char digest[MXG_SHA256_BYTES]);

/* The three above in one. */
void mxg_sha256(const void *data, size_t bytes, unsigned char digest[MXG_SHA256_BYTES]);

#endif
