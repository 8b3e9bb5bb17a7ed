/* Symbols of a code object, and the relocations that need them. */
#include "tests/emu/error.h"
#include "tests/emu/object_file.h"

#include <inttypes.h>
#include <stdlib.h>

/* LLVM's AMDGPUUsage, "Relocation Records". */
enum { R_AMDGPU_ABS64 = 3, R_AMDGPU_RELATIVE64 = 13 };

/* .dynsym and its strings, of which a file has one pair at most. */
static int find_symbols(const struct file *f, Elf64_Shdr *symbols, Elf64_Shdr *strings)
{
    for (unsigned n = 0; n < f->header.e_shnum; n++)
        if (section_header(f, n, symbols) && symbols->sh_type == SHT_DYNSYM)
            return section_header(f, symbols->sh_link, strings) && in_file(f, symbols->sh_offset, symbols->sh_size) &&
                   in_file(f, strings->sh_offset, strings->sh_size);
    return 0;
}

int object_find_symbol(const struct file *f, const char *name, Elf64_Sym *symbol)
{
    Elf64_Shdr symbols, strings;
    size_t length = strlen(name);
    if (!find_symbols(f, &symbols, &strings)) return 0;
    for (uint64_t at = 0; at + sizeof *symbol <= symbols.sh_size; at += sizeof *symbol) {
        memcpy(symbol, f->data + symbols.sh_offset + at, sizeof *symbol);
        if (symbol->st_name < strings.sh_size && length < strings.sh_size - symbol->st_name &&
            memcmp(f->data + strings.sh_offset + symbol->st_name, name, length + 1) == 0)
            return 1;
    }
    return 0;
}

/* Variables are the defined symbols of type object that are no kernel's descriptor. */
static int is_variable(const struct emu_object *object, const Elf64_Sym *symbol, const char *name)
{
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF) return 0;
    if (!object_has(object, symbol->st_value, symbol->st_size)) return 0;
    for (size_t n = 0; n < object->kernel_count; n++)
        if (strcmp(object->kernels[n].symbol, name) == 0) return 0;
    return 1;
}

int object_read_symbols(const struct file *f, struct emu_object *object, struct emu_error *error)
{
    Elf64_Shdr symbols, strings;
    if (!find_symbols(f, &symbols, &strings)) return 0;
    uint64_t count = symbols.sh_size / sizeof(Elf64_Sym);
    object->symbols = calloc(count + 1, sizeof *object->symbols);
    object->names = calloc(strings.sh_size + 1, 1); /* each name ends, if only at the end */
    if (!object->symbols || !object->names) return emu_fail(error, "out of memory for %" PRIu64 " symbols", count);
    memcpy(object->names, f->data + strings.sh_offset, strings.sh_size);
    for (uint64_t n = 0; n < count; n++) {
        Elf64_Sym symbol;
        memcpy(&symbol, f->data + symbols.sh_offset + n * sizeof symbol, sizeof symbol);
        const char *name = object->names + (symbol.st_name < strings.sh_size ? symbol.st_name : strings.sh_size);
        if (*name && is_variable(object, &symbol, name))
            object->symbols[object->symbol_count++] =
                (struct emu_symbol){name, object->base + symbol.st_value, symbol.st_size};
    }
    return 0;
}

/* The address of the symbol that a relocation names. */
static int symbol_address(const struct file *f, const struct emu_object *object, uint64_t index, uint64_t *address)
{
    Elf64_Shdr symbols, strings;
    Elf64_Sym symbol;
    if (!find_symbols(f, &symbols, &strings) || index >= symbols.sh_size / sizeof symbol) return 0;
    memcpy(&symbol, f->data + symbols.sh_offset + index * sizeof symbol, sizeof symbol);
    *address = object->base + symbol.st_value;
    return symbol.st_shndx != SHN_UNDEF;
}

/* Only what a linked object can have: addresses of its own, absolute. */
static int relocate(const struct file *f, struct emu_object *object, const Elf64_Rela *rela, struct emu_error *error)
{
    unsigned type = (unsigned)ELF64_R_TYPE(rela->r_info);
    uint64_t value = object->base;
    if (type != R_AMDGPU_RELATIVE64 && type != R_AMDGPU_ABS64)
        return emu_fail(error, "code object has relocations of type %u, which the emulator does not apply", type);
    if (type == R_AMDGPU_ABS64 && !symbol_address(f, object, ELF64_R_SYM(rela->r_info), &value))
        return emu_fail(error, "a relocation names symbol %" PRIu64 ", which the code object does not define",
                        (uint64_t)ELF64_R_SYM(rela->r_info));
    value += (uint64_t)rela->r_addend;
    if (!object_has(object, rela->r_offset, sizeof value))
        return emu_fail(error, "a relocation at 0x%" PRIx64 " lies outside of the code object",
                        (uint64_t)rela->r_offset);
    return emu_write(object->emu, object->base + rela->r_offset, &value, sizeof value, error);
}

int object_relocate(const struct file *f, struct emu_object *object, struct emu_error *error)
{
    for (unsigned n = 0; n < f->header.e_shnum; n++) {
        Elf64_Shdr sh;
        Elf64_Rela rela;
        if (!section_header(f, n, &sh) || (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL) || !sh.sh_size) continue;
        if (sh.sh_type == SHT_REL || !in_file(f, sh.sh_offset, sh.sh_size))
            return emu_fail(error, "code object has relocations (section %u) without addends or not within the file",
                            n);
        for (uint64_t at = 0; at + sizeof rela <= sh.sh_size; at += sizeof rela) {
            memcpy(&rela, f->data + sh.sh_offset + at, sizeof rela);
            if (relocate(f, object, &rela, error)) return -1;
        }
    }
    return 0;
}

size_t emu_object_symbol_count(const struct emu_object *object)
{
    return object->symbol_count;
}

const struct emu_symbol *emu_object_symbol_at(const struct emu_object *object, size_t index)
{
    return index < object->symbol_count ? &object->symbols[index] : NULL;
}

const struct emu_symbol *emu_object_symbol(const struct emu_object *object, const char *name)
{
    for (size_t n = 0; n < object->symbol_count; n++)
        if (strcmp(object->symbols[n].name, name) == 0) return &object->symbols[n];
    return NULL;
}
