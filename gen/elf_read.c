#include "gen/elf_read.h"

#include "gen/machine.h"

#include <elf.h>
#include <string.h>

/* Positions in a kernel descriptor (LLVM: AMDGPU usage, code object V3 kernel descriptor). */
enum {
    DESCRIPTOR_BYTES = 64,
    AT_LDS_BYTES = 0,
    AT_PRIVATE_BYTES = 4,
    AT_KERNARG_BYTES = 8,
    AT_PGM_RSRC1 = 48, /* bits 5:0 are VGPR granules less one */
    RSRC1_VGPR_MASK = 0x3f,
    AT_PRELOAD = 58, /* bits 6:0 are the number of dwords, bits 15:7 the first one */
    PRELOAD_DWORDS_MASK = 0x7f
};

/* Copies from the object, which may be cut short anywhere; null if the range is outside of it. */
static const char *take(const struct gen_text *object, void *to, uint64_t offset, size_t bytes)
{
    if (offset > object->bytes || bytes > object->bytes - offset) return NULL;
    memcpy(to, object->data + offset, bytes);
    return object->data + offset;
}

static int take_section(const struct gen_text *object, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *section)
{
    return index < header->e_shnum && header->e_shentsize == sizeof *section &&
           take(object, section, header->e_shoff + (uint64_t)index * sizeof *section, sizeof *section);
}

/* The NUL-terminated string at an offset of a string section, or "". */
static const char *string_at(const struct gen_text *object, const Elf64_Shdr *strings, uint64_t offset)
{
    uint64_t at = strings->sh_offset + offset;
    if (offset >= strings->sh_size || at >= object->bytes) return "";
    return memchr(object->data + at, 0, object->bytes - at) ? object->data + at : "";
}

const char *gen_elf_read(const struct gen_text *object, struct gen_elf *elf)
{
    Elf64_Ehdr header;
    if (!take(object, &header, 0, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return "it is not an ELF file";
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return "it is not a 64-bit little-endian ELF file";
    *elf = (struct gen_elf){header.e_ident[EI_OSABI], header.e_ident[EI_ABIVERSION], header.e_machine,
                            header.e_flags & 0xff,    header.e_flags >> 8 & 3,       header.e_flags >> 10 & 3};
    return NULL;
}

static int find_symbol(const struct gen_text *object, const Elf64_Ehdr *header, const char *name, const char *suffix,
                       Elf64_Sym *found)
{
    Elf64_Shdr symbols, strings;
    size_t stem = strlen(name);
    for (unsigned i = 0; take_section(object, header, i, &symbols); i++) {
        if (symbols.sh_type != SHT_SYMTAB && symbols.sh_type != SHT_DYNSYM) continue;
        if (!take_section(object, header, symbols.sh_link, &strings)) continue;
        for (uint64_t at = 0; at + sizeof *found <= symbols.sh_size; at += sizeof *found) {
            if (!take(object, found, symbols.sh_offset + at, sizeof *found)) return 0;
            const char *text = string_at(object, &strings, found->st_name);
            if (strncmp(text, name, stem) == 0 && strcmp(text + stem, suffix) == 0) return 1;
        }
    }
    return 0;
}

static const char *find_function(const struct gen_text *object, const char *name, Elf64_Ehdr *header,
                                 Elf64_Sym *symbol)
{
    if (!take(object, header, 0, sizeof *header)) return "it is not an ELF file";
    if (!find_symbol(object, header, name, "", symbol)) return "the kernel's symbol is missing";
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size == 0 || symbol->st_size > UINT32_MAX)
        return "the kernel's symbol is not that of a function with a size";
    return NULL;
}

const char *gen_elf_kernel(const struct gen_text *object, const char *name, uint32_t *code_bytes,
                           struct gen_descriptor *descriptor)
{
    Elf64_Ehdr header;
    Elf64_Sym symbol;
    Elf64_Shdr section;
    unsigned char bytes[DESCRIPTOR_BYTES];
    uint32_t resources;
    uint16_t preload;
    const char *wrong = find_function(object, name, &header, &symbol);
    if (wrong) return wrong;
    *code_bytes = (uint32_t)symbol.st_size;

    if (!find_symbol(object, &header, name, ".kd", &symbol)) return "the kernel's descriptor is missing";
    if (symbol.st_size != sizeof bytes || !take_section(object, &header, symbol.st_shndx, &section) ||
        !take(object, bytes, symbol.st_value - section.sh_addr + section.sh_offset, sizeof bytes))
        return "the kernel's descriptor is not 64 bytes of the object";
    memcpy(&descriptor->lds_bytes, bytes + AT_LDS_BYTES, 4);
    memcpy(&descriptor->private_bytes, bytes + AT_PRIVATE_BYTES, 4);
    memcpy(&descriptor->kernarg_bytes, bytes + AT_KERNARG_BYTES, 4);
    memcpy(&resources, bytes + AT_PGM_RSRC1, 4);
    descriptor->vgprs = ((resources & RSRC1_VGPR_MASK) + 1) * GEN_VGPR_GRANULE;
    memcpy(&preload, bytes + AT_PRELOAD, 2);
    if (preload > PRELOAD_DWORDS_MASK) return "the kernel's preloaded arguments do not begin with the first";
    descriptor->preloaded = preload;
    return NULL;
}

const char *gen_elf_code(const struct gen_text *object, const char *name, const char **code, uint32_t *bytes,
                         uint64_t *address)
{
    Elf64_Ehdr header;
    Elf64_Sym symbol;
    Elf64_Shdr section;
    const char *wrong = find_function(object, name, &header, &symbol);
    if (wrong) return wrong;
    if (!take_section(object, &header, symbol.st_shndx, &section)) return "the kernel's symbol is in no section";
    uint64_t offset = symbol.st_value - section.sh_addr + section.sh_offset;
    if (offset > object->bytes || symbol.st_size > object->bytes - offset)
        return "the kernel's code is not within the object";
    *code = object->data + offset;
    *bytes = (uint32_t)symbol.st_size;
    *address = symbol.st_value;
    return NULL;
}

void gen_elf_compiler(const struct gen_text *object, char *compiler, size_t room)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    compiler[0] = 0;
    if (!take(object, &header, 0, sizeof header) || !take_section(object, &header, header.e_shstrndx, &names)) return;
    for (unsigned i = 0; take_section(object, &header, i, &section); i++) {
        if (strcmp(string_at(object, &names, section.sh_name), ".comment") != 0) continue;
        for (uint64_t at = 0; at < section.sh_size;) {
            const char *text = string_at(object, &section, at);
            if (strstr(text, "clang version") && strlen(text) < room) strcpy(compiler, text);
            at += strlen(text) + 1;
        }
    }
}
