#include "tests/fuzz/corrupt.h"
#include "common/msgpack.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* Sizes of the members of the ELF structures, in order. */
static const char ELF_HEADER[] = "2248884222222", PROGRAM_HEADER[] = "44888888", SECTION_HEADER[] = "4488884488";
static const char SYMBOL[] = "411288", DYNAMIC[] = "88", NOTE[] = "444";
/* Of a kernel descriptor (LLVM's AMDGPUUsage, "Kernel Descriptor"): LDS, scratch and argument bytes, 4 reserved, entry,
 * 20 reserved, resources 3, 1 and 2, properties, preload, 4 reserved. */
static const char DESCRIPTOR[] = "4444844444444224";

static void add(struct places *p, enum place_group group, uint64_t at, uint64_t bytes)
{
    if (p->count[group] == MOST_PLACES) return;
    p->place[group][p->count[group]++] = (struct place){(uint32_t)at, (uint32_t)bytes};
}

static void add_members(struct places *p, enum place_group group, uint64_t at, const char *sizes)
{
    for (; *sizes; sizes++) {
        add(p, group, at, (uint64_t)(*sizes - '0'));
        at += (uint64_t)(*sizes - '0');
    }
}

static void add_table(struct places *p, enum place_group group, uint64_t at, uint64_t bytes, const char *sizes)
{
    uint64_t entry = 0;
    for (const char *size = sizes; *size; size++) entry += (uint64_t)(*size - '0');
    for (uint64_t n = 0; n + entry <= bytes; n += entry) add_members(p, group, at + n, sizes);
}

/* Every value of the document begins with a tag; behind it a number or a length may stand. */
static void add_document(struct places *p, const unsigned char *object, uint64_t at, uint64_t bytes)
{
    struct mxg_msgpack m = {object + at, object + at + bytes, 0};
    struct mxg_msgpack_value value;
    for (const unsigned char *head = m.at; mxg_msgpack_next(&m, &value); head = m.at) {
        const unsigned char *end = value.type == MXG_MSGPACK_STRING ? (const unsigned char *)value.string : m.at;
        add(p, PLACE_HEAD, (uint64_t)(head - object), 1);
        if (end - head > 1) add(p, PLACE_NOTE, (uint64_t)(head + 1 - object), (uint64_t)(end - head - 1));
    }
}

static void add_notes(struct places *p, const unsigned char *object, uint64_t at, uint64_t bytes)
{
    Elf64_Nhdr note;
    for (uint64_t end = at + bytes; at + sizeof note <= end;) {
        memcpy(&note, object + at, sizeof note);
        add_members(p, PLACE_NOTE, at, NOTE);
        at += sizeof note + ((note.n_namesz + UINT64_C(3)) & ~UINT64_C(3));
        add_document(p, object, at, note.n_descsz);
        at += (note.n_descsz + UINT64_C(3)) & ~UINT64_C(3);
    }
}

static void add_part(struct places *p, uint64_t at, uint64_t bytes, uint64_t offset_at, uint64_t bytes_at)
{
    if (p->parts == MOST_PARTS || bytes == 0 || bytes > CORRUPT_ROOM / 2) return;
    p->part[p->parts++] =
        (struct part){{(uint32_t)at, (uint32_t)bytes}, (uint32_t)offset_at, (uint32_t)bytes_at};
}

static void add_program_part(struct places *p, const unsigned char *object, uint64_t header)
{
    Elf64_Phdr ph;
    memcpy(&ph, object + header, sizeof ph);
    if (ph.p_type == PT_NOTE || (ph.p_type == PT_LOAD && ph.p_flags & PF_X))
        add_part(p, ph.p_offset, ph.p_filesz, header + offsetof(Elf64_Phdr, p_offset),
                 header + offsetof(Elf64_Phdr, p_filesz));
}

static void add_section_part(struct places *p, const unsigned char *object, uint64_t header)
{
    Elf64_Shdr sh;
    memcpy(&sh, object + header, sizeof sh);
    add_part(p, sh.sh_offset, sh.sh_size, header + offsetof(Elf64_Shdr, sh_offset),
             header + offsetof(Elf64_Shdr, sh_size));
}

/* Where a virtual address is in the file. */
static uint64_t in_file(const unsigned char *object, const Elf64_Ehdr *elf, uint64_t address)
{
    for (unsigned n = 0; n < elf->e_phnum; n++) {
        Elf64_Phdr ph;
        memcpy(&ph, object + elf->e_phoff + n * sizeof ph, sizeof ph);
        if (ph.p_type == PT_LOAD && address - ph.p_vaddr < ph.p_filesz) return address - ph.p_vaddr + ph.p_offset;
    }
    return 0;
}

/* Where waves of a descriptor's kernel begin: with preloaded arguments behind the code that loads them (AMDGPUUsage,
 * "Preloaded Kernel Arguments"). */
static uint32_t begin_of(const unsigned char *object, const Elf64_Ehdr *elf, uint64_t address)
{
    enum { ENTRY = 16, PRELOAD = 58, PRELOAD_DWORDS = 127, LOADING_BYTES = 256 };
    const unsigned char *descriptor = object + in_file(object, elf, address);
    uint64_t entry;
    memcpy(&entry, descriptor + ENTRY, sizeof entry);
    return (uint32_t)in_file(object, elf, address + entry) + (descriptor[PRELOAD] & PRELOAD_DWORDS ? LOADING_BYTES : 0);
}

static void add_descriptors(struct places *p, const unsigned char *object, const Elf64_Ehdr *elf,
                            const Elf64_Shdr *symbols, const Elf64_Shdr *strings)
{
    Elf64_Sym symbol;
    for (uint64_t at = 0; at + sizeof symbol <= symbols->sh_size; at += sizeof symbol) {
        memcpy(&symbol, object + symbols->sh_offset + at, sizeof symbol);
        const char *name = (const char *)object + strings->sh_offset + symbol.st_name;
        size_t length = strlen(name);
        if (length < 3 || strcmp(name + length - 3, ".kd") != 0 || p->descriptors == MOST_DESCRIPTORS) continue;
        uint64_t descriptor = in_file(object, elf, symbol.st_value);
        if (p->descriptors == 0) p->begin = begin_of(object, elf, symbol.st_value);
        p->descriptor[p->descriptors++] = (struct place){(uint32_t)descriptor, 64};
        add_members(p, PLACE_DESCRIPTOR, descriptor, DESCRIPTOR);
    }
}

int places_find(struct places *p, const unsigned char *object, size_t bytes)
{
    Elf64_Ehdr elf;
    memset(p, 0, sizeof *p);
    if (bytes < sizeof elf || bytes > UINT32_MAX) return -1;
    memcpy(&elf, object, sizeof elf);
    if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_shoff + elf.e_shnum * sizeof(Elf64_Shdr) > bytes) return -1;
    for (unsigned n = 0; n < EI_NIDENT; n++) add(p, PLACE_ELF, n, 1);
    add_members(p, PLACE_ELF, EI_NIDENT, ELF_HEADER);
    add_table(p, PLACE_PROGRAM, elf.e_phoff, elf.e_phnum * sizeof(Elf64_Phdr), PROGRAM_HEADER);
    add_table(p, PLACE_SECTION, elf.e_shoff, elf.e_shnum * sizeof(Elf64_Shdr), SECTION_HEADER);
    for (unsigned n = 0; n < elf.e_phnum; n++) add_program_part(p, object, elf.e_phoff + n * sizeof(Elf64_Phdr));
    for (unsigned n = 0; n < elf.e_shnum; n++) {
        Elf64_Shdr sh, strings;
        memcpy(&sh, object + elf.e_shoff + n * sizeof sh, sizeof sh);
        if (sh.sh_type == SHT_HASH || sh.sh_type == SHT_GNU_HASH)
            add_table(p, PLACE_SYMBOL, sh.sh_offset, sh.sh_size, "4");
        if (sh.sh_type == SHT_DYNAMIC) add_table(p, PLACE_SYMBOL, sh.sh_offset, sh.sh_size, DYNAMIC);
        if (sh.sh_type == SHT_NOTE) add_notes(p, object, sh.sh_offset, sh.sh_size);
        if (sh.sh_type == SHT_PROGBITS && sh.sh_flags & SHF_EXECINSTR)
            p->text = (struct place){(uint32_t)sh.sh_offset, (uint32_t)sh.sh_size};
        if (sh.sh_type != SHT_DYNSYM) continue;
        add_table(p, PLACE_SYMBOL, sh.sh_offset, sh.sh_size, SYMBOL);
        memcpy(&strings, object + elf.e_shoff + sh.sh_link * sizeof strings, sizeof strings);
        add_section_part(p, object, elf.e_shoff + n * sizeof sh);
        add_section_part(p, object, elf.e_shoff + sh.sh_link * sizeof sh);
        add_descriptors(p, object, &elf, &sh, &strings);
    }
    for (int group = 0; group < PLACE_GROUPS; group++)
        if (!p->count[group]) return -1;
    return p->text.bytes >= 64 && p->begin - p->text.at < p->text.bytes && p->descriptors && p->parts ? 0 : -1;
}
