/* Device memory through whatever HIP library the tests run on: the emulator's or a real one. */
#ifndef TESTS_GEMM_DEVICE_H
#define TESTS_GEMM_DEVICE_H

#include <stddef.h>

/* Loads the library (NULL: the system's) and asks for a device. Returns 0, or -1 with HIP's reason on stderr. */
int device_open(const char *hip_path);

/* These end the test program when HIP fails: nothing can be tested then. */
void *device_alloc(size_t bytes);
void device_free(void *pointer);
void device_write(void *to, const void *from, size_t bytes);
void device_read(void *to, const void *from, size_t bytes);
void device_fill(void *to, int byte, size_t bytes);
void device_wait(void);

#endif
