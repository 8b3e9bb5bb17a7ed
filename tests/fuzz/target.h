/* What is corrupted, and how its kernels are launched. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include "tests/emu/emu.h"
#include "tests/fuzz/corrupt.h"
#include "tests/gemm/data.h"

enum { MOST_BUFFERS = 12, MOST_LAUNCHES = 4, ARGUMENT_BYTES = 512 };

/* The launch of the object's kernel of that number, as its host would do it. */
struct shape {
    uint32_t grid[3], threads, dynamic_lds;
    unsigned char arguments[ARGUMENT_BYTES];
    uint32_t argument_bytes;
    uint32_t pointer[MOST_BUFFERS]; /* where in the arguments the address of buffer n stands */
    unsigned pointers;
};

struct target {
    char name[96];
    const unsigned char *object;
    size_t bytes;
    struct places places;
    struct shape shape[MOST_LAUNCHES];
    unsigned shapes;
    struct {
        const void *data; /* NULL: filled with ones */
        size_t bytes;
    } buffer[MOST_BUFFERS];
    unsigned buffers;
    struct data *data; /* NULL: of a foreign object; what is right is not known */
    enum oracle_format c_format;
};

/* The smallest variants of the embedded pack, one without and one with a second launch; returns how many. */
unsigned targets_of_pack(struct target targets[2]);

/* Any object: pointers lead to buffers of their own, sizes are small. Returns 0, or -1 with a sentence on stdout. */
int target_of_file(struct target *target, const char *path);

/* The target's own buffers on a device: written, and where the launches leave C, judged. */
int target_buffers_make(const struct target *target, struct emu *emu, uint64_t address[MOST_BUFFERS]);
void target_buffers_free(const struct target *target, struct emu *emu, const uint64_t address[MOST_BUFFERS]);
int target_is_right(const struct target *target, struct emu *emu, const uint64_t address[MOST_BUFFERS]);

#endif
