/* What a host of kernels needs of the emulator, for tests of code objects from files. */
#ifndef TESTS_EMU_HOST_H
#define TESTS_EMU_HOST_H

#include "gen/io.h"
#include "tests/emu/emu.h"

#include <stdio.h>
#include <stdlib.h>

/* padded bytes that begin with data; the rest is 0xff. What fails here ends the program. */
static inline uint64_t emu_host_buffer(struct emu *emu, const void *data, size_t bytes, size_t padded)
{
    struct emu_error error;
    uint64_t address = 0;
    if (emu_alloc(emu, padded, &address, &error) || emu_fill(emu, address, 0xff, padded, &error) ||
        (bytes && emu_write(emu, address, data, bytes, &error))) {
        printf("# %s\n", error.text);
        exit(1);
    }
    return address;
}

/* The code object in a file; what fails here ends the program too. */
static inline struct emu_object *emu_host_object(struct emu *emu, const char *path)
{
    struct gen_text image = {0};
    struct emu_error error = {"cannot be read"};
    struct emu_object *object = NULL;
    if (gen_read_file(path, &image) || emu_object_load(emu, image.data, image.bytes, &object, &error)) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        exit(1);
    }
    gen_text_free(&image);
    return object;
}

#endif
