/* Converting weights in host memory, apart from the checks of the public functions: what does the work on a piece, in
 * as many ways as the processor has, and how pieces are shared out. */
#ifndef MXG_LOADER_WEIGHTS_H
#define MXG_LOADER_WEIGHTS_H

#include "loader/mxgemm.h"

#include <stdbool.h>

/* Works on consecutive blocks of 32 elements of one row: 16 bytes of codes and a scale byte each. `in` is aligned to
 * its element.
 * `ahead`, here and below: the input goes on so many bytes from where it begins; a hint only. */
typedef void mxg_quantize_blocks(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead);

/* One way to do the work; all give the same bytes. */
struct mxg_weights_way {
    const char *name;
    bool (*works)(void); /* on this processor */
    mxg_quantize_blocks *quantize_bf16, *quantize_f16, *quantize_f32;
    /* `tiles` tiles of 32 rows x 8 scales that lie side by side, rows `ld` bytes apart, to 256 bytes a tile and back */
    void (*shuffle_scales)(const uint8_t *in, int64_t ld, int64_t tiles, uint8_t *out, int64_t ahead);
    void (*unshuffle_scales)(const uint8_t *in, int64_t tiles, uint8_t *out, int64_t ld);
    /* memcpy() of what will not be read again soon: it does not go through the caches. `next`: as many bytes are read
     * after that from there; NULL: not known. */
    void (*write_through)(void *to, const void *from, size_t bytes, const uint8_t *next);
    void (*finish)(void); /* after the last write_through() of a thread */
};

extern const struct mxg_weights_way mxg_weights_portable;
#ifdef __x86_64__
extern const struct mxg_weights_way mxg_weights_avx2;
#endif

/* The best way that works here. */
const struct mxg_weights_way *mxg_weights_best(void);

/* A block that the quick ways leave to the slow one, by its bf16 with the lost bits of a longer format collected in the
 * lowest: see weights_portable.c. */
uint8_t mxg_quantize_words(const uint16_t in[32], uint8_t codes[16]);

/* Does what the checked struct asks for, defaults filled in, rows above 0. */
void mxg_weights_work(const mxg_weights *weights, const struct mxg_weights_way *way);

#endif
