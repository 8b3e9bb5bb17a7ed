/* Data to measure kernels with: the same every time. */
#ifndef MXG_COMMON_RANDOM_H
#define MXG_COMMON_RANDOM_H

#include <stddef.h>

/* Random bytes from least to most. */
void mxg_random_bytes(void *data, size_t bytes, unsigned least, unsigned most);

/* Random bf16 from -2 to 2 that are not tiny. */
void mxg_random_bf16(void *data, size_t count);

#endif
