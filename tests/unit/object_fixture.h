/* A real code object, from the embedded pack, and the emulator's loader on copies of it that end where they say, so
 * that AddressSanitizer sees what is read beyond. */
#ifndef MXG_TESTS_OBJECT_FIXTURE_H
#define MXG_TESTS_OBJECT_FIXTURE_H

#include "loader/mxgemm.h"
#include "tests/emu/object.h"
#include "tests/test.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>

static mxg_library *library;
static struct {
    const unsigned char *data;
    size_t bytes;
    mxg_variant_info variant;
} real;

/* The first variant with two kernels. */
static inline void open_real_object(void)
{
    if (mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library)) abort();
    real.variant.struct_bytes = sizeof real.variant;
    for (uint32_t n = 0; n < mxg_library_variant_count(library) && real.variant.reduction != 1; n++)
        if (mxg_library_variant(library, n, &real.variant)) abort();
    real.data = real.variant.code_object;
    real.bytes = real.variant.code_object_bytes;
}

static inline unsigned char *copy_of(const unsigned char *data, size_t bytes)
{
    unsigned char *copy = malloc(bytes);
    if (!copy) abort();
    memcpy(copy, data, bytes);
    return copy;
}

/* NULL after a failure, which has to have a sentence. */
static inline struct emu_object *load(struct emu *emu, const unsigned char *data, size_t bytes,
                                      struct emu_error *error)
{
    struct emu_object *object = NULL;
    unsigned char *copy = copy_of(data, bytes);
    memset(error, 0, sizeof *error);
    int status = emu_object_load(emu, copy, bytes, &object, error);
    free(copy);
    CHECK_EQ(status, object ? 0 : -1);
    if (!object) CHECK(error->text[0] && strchr(error->text, ' '));
    return object;
}

/* ---- Places in the real object, and changing them in a copy -------------------------------------------------------*/

static inline void put(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t n = 0; n < bytes; n++) at[n] = (unsigned char)(value >> 8 * n);
}

/* Where the entry of the first program header of that type and flags begins. */
static inline size_t program_header(uint32_t type, uint32_t flags)
{
    Elf64_Ehdr elf;
    Elf64_Phdr ph;
    memcpy(&elf, real.data, sizeof elf);
    for (size_t n = 0; n < elf.e_phnum; n++) {
        memcpy(&ph, real.data + elf.e_phoff + n * sizeof ph, sizeof ph);
        if (ph.p_type == type && ph.p_flags == flags) return elf.e_phoff + n * sizeof ph;
    }
    abort();
}

static inline size_t section_header(uint32_t type)
{
    Elf64_Ehdr elf;
    Elf64_Shdr sh;
    memcpy(&elf, real.data, sizeof elf);
    for (size_t n = 0; n < elf.e_shnum; n++) {
        memcpy(&sh, real.data + elf.e_shoff + n * sizeof sh, sizeof sh);
        if (sh.sh_type == type) return elf.e_shoff + n * sizeof sh;
    }
    abort();
}

static inline uint64_t field(size_t at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, real.data + at, bytes);
    return value;
}

/* Where the descriptor of a kernel lies in the file. Its segment begins both there and in memory at 0. */
static inline size_t descriptor(size_t kernel)
{
    struct emu_error unused;
    struct emu *emu = emu_create(0);
    struct emu_object *object = load(emu, real.data, real.bytes, &unused);
    size_t at = emu_object_kernel_at(object, kernel)->descriptor - object->base;
    emu_object_unload(object);
    emu_destroy(emu);
    return at;
}

#endif
