/* The compression function of SHA-256 (FIPS 180-4, 6.2), in the ways there are; sha256.c chooses. */
#ifndef MXG_COMMON_SHA256_BLOCKS_H
#define MXG_COMMON_SHA256_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

extern const uint32_t mxg_sha256_constants[64];

/* Each takes `count` blocks of 64 bytes into the state. */
void mxg_sha256_blocks_portable(uint32_t state[8], const unsigned char *blocks, size_t count);

/* By the SHA instructions of x86: only where mxg_sha256_has_x86(), which is 0 on any other processor. */
int mxg_sha256_has_x86(void);
void mxg_sha256_blocks_x86(uint32_t state[8], const unsigned char *blocks, size_t count);

#endif
