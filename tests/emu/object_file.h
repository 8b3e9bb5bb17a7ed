/* A code object as a file, while it is loaded: object.c reads segments and kernels, object_symbols.c the symbols. */
#ifndef EMU_OBJECT_FILE_H
#define EMU_OBJECT_FILE_H

#include "tests/emu/object.h"

#include <elf.h>
#include <string.h>

struct file {
    const unsigned char *data;
    uint64_t bytes;
    Elf64_Ehdr header;
};

static inline int in_file(const struct file *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->bytes && bytes <= f->bytes - offset;
}

static inline int program_header(const struct file *f, unsigned n, Elf64_Phdr *ph)
{
    uint64_t at = f->header.e_phoff + (uint64_t)n * sizeof *ph;
    if (f->header.e_phoff > f->bytes || !in_file(f, at, sizeof *ph)) return 0;
    memcpy(ph, f->data + at, sizeof *ph);
    return 1;
}

static inline int section_header(const struct file *f, unsigned n, Elf64_Shdr *sh)
{
    uint64_t at = f->header.e_shoff + (uint64_t)n * sizeof *sh;
    if (f->header.e_shoff > f->bytes || n >= f->header.e_shnum || !in_file(f, at, sizeof *sh)) return 0;
    memcpy(sh, f->data + at, sizeof *sh);
    return 1;
}

/* Whether that part of the object's memory exists. */
static inline int object_has(const struct emu_object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->bytes && bytes <= object->bytes - offset;
}

/* The symbol of that name; 0: there is none. */
int object_find_symbol(const struct file *f, const char *name, Elf64_Sym *symbol);

/* Once the kernels are known. */
int object_read_symbols(const struct file *f, struct emu_object *object, struct emu_error *error);

/* Once the segments are in memory. */
int object_relocate(const struct file *f, struct emu_object *object, struct emu_error *error);

#endif
