/* The emulator's loader against code objects with one thing wrong, or cut short. */
#include "object_fixture.h"

static struct emu_error error;

/* Loads the real object with one field changed. */
static void refuses(size_t at, size_t bytes, uint64_t value, const char *reason)
{
    struct emu *emu = emu_create(0);
    unsigned char *data = copy_of(real.data, real.bytes);
    put(data + at, value, bytes);
    struct emu_object *object = load(emu, data, real.bytes, &error);
    if (!CHECK(!object) || !CHECK_HAS(error.text, reason)) printf("# %zu bytes at %zu: %s\n", bytes, at, error.text);
    emu_object_unload(object);
    CHECK_EQ(emu_allocated_bytes(emu), 0);
    emu_destroy(emu);
    free(data);
}

static void not_elf(void)
{
    static const unsigned char text[100] = "a text that is longer than the header of an ELF file, but not one at all";
    struct emu *emu = emu_create(0);
    CHECK(!load(emu, text, 1, &error));
    CHECK_HAS(error.text, "1 bytes is too short for an ELF header");
    CHECK(!load(emu, real.data, sizeof(Elf64_Ehdr) - 1, &error));
    CHECK_HAS(error.text, "too short");
    CHECK(!load(emu, text, sizeof text, &error));
    CHECK_HAS(error.text, "not an ELF file");
    CHECK(!load(emu, real.data, sizeof(Elf64_Ehdr), &error));
    CHECK_HAS(error.text, "program header 0 is outside of the file");
    emu_destroy(emu);
}

#define FIELD(structure, member) offsetof(structure, member), sizeof(((structure *)0)->member)

static void header(void)
{
    static const struct {
        size_t at, bytes;
        uint64_t value;
        const char *reason;
    } cases[] = {
        {EI_MAG3, 1, 'f', "not an ELF file"},
        {EI_CLASS, 1, ELFCLASS32, "not a 64-bit little-endian ELF file"},
        {EI_DATA, 1, ELFDATA2MSB, "not a 64-bit little-endian ELF file"},
        {EI_OSABI, 1, ELFOSABI_SYSV, "OS/ABI 0 is not AMDGPU HSA"},
        {FIELD(Elf64_Ehdr, e_machine), EM_X86_64, "ELF machine 62 is not AMDGPU"},
        {FIELD(Elf64_Ehdr, e_flags), 0x54c, "processor 0x4c, not for gfx950"},
        {FIELD(Elf64_Ehdr, e_phentsize), 32, "ELF header sizes are wrong"},
        {FIELD(Elf64_Ehdr, e_shentsize), 40, "ELF header sizes are wrong"},
        {FIELD(Elf64_Ehdr, e_phoff), UINT64_MAX, "program header 0 is outside"},
        {FIELD(Elf64_Ehdr, e_phnum), UINT16_MAX, "is not within the file"},
        {FIELD(Elf64_Ehdr, e_phnum), 0, "no loadable segment"},
        {FIELD(Elf64_Ehdr, e_shoff), UINT64_MAX - 63, "has no symbol"},
        {FIELD(Elf64_Ehdr, e_shnum), 0, "has no symbol"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++)
        refuses(cases[n].at, cases[n].bytes, cases[n].value, cases[n].reason);
}

static void segments(void)
{
    static const struct {
        uint32_t type, flags;
        size_t at, bytes;
        uint64_t value;
        const char *reason;
    } cases[] = {
        {PT_LOAD, PF_R, FIELD(Elf64_Phdr, p_offset), UINT64_MAX, "is not within the file"},
        {PT_LOAD, PF_R, FIELD(Elf64_Phdr, p_filesz), UINT64_MAX, "is not within the file"},
        {PT_LOAD, PF_R, FIELD(Elf64_Phdr, p_memsz), 1, "is not within the file"},
        {PT_LOAD, PF_R, FIELD(Elf64_Phdr, p_memsz), UINT64_MAX, "ends beyond 1 GiB"},
        {PT_LOAD, PF_R, FIELD(Elf64_Phdr, p_vaddr), UINT64_MAX, "ends beyond 1 GiB"},
        {PT_LOAD, PF_R, FIELD(Elf64_Phdr, p_flags), PF_R | PF_X, "more than one executable segment"},
        {PT_LOAD, PF_R, FIELD(Elf64_Phdr, p_type), PT_NULL, "lies outside"},
        {PT_LOAD, PF_R | PF_X, FIELD(Elf64_Phdr, p_flags), PF_R, "no executable segment"},
        {PT_LOAD, PF_R | PF_X, FIELD(Elf64_Phdr, p_filesz), 3, "no executable segment"},
        {PT_DYNAMIC, PF_R | PF_W, FIELD(Elf64_Phdr, p_filesz), UINT64_MAX, "dynamic segment has an impossible size"},
        {PT_NOTE, PF_R, FIELD(Elf64_Phdr, p_offset), UINT64_MAX, "no metadata note"},
        {PT_NOTE, PF_R, FIELD(Elf64_Phdr, p_filesz), 11, "no metadata note"},
        {PT_NOTE, PF_R, FIELD(Elf64_Phdr, p_type), PT_NULL, "no metadata note"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++)
        refuses(program_header(cases[n].type, cases[n].flags) + cases[n].at, cases[n].bytes, cases[n].value,
                cases[n].reason);
    size_t note = field(program_header(PT_NOTE, PF_R) + offsetof(Elf64_Phdr, p_offset), 8);
    refuses(note, 4, UINT32_MAX, "no metadata note");     /* the length of its name */
    refuses(note + 4, 4, UINT32_MAX, "no metadata note"); /* of its contents */
    refuses(note + 8, 4, 33, "no metadata note");         /* its type */
    refuses(note + 12, 1, 'a', "no metadata note");
    refuses(section_header(SHT_GNU_HASH) + offsetof(Elf64_Shdr, sh_type), 4, SHT_RELA, "has relocations");
    size_t symbols = section_header(SHT_DYNSYM);
    refuses(symbols + offsetof(Elf64_Shdr, sh_offset), 8, UINT64_MAX, "has no symbol");
    refuses(symbols + offsetof(Elf64_Shdr, sh_size), 8, UINT64_MAX, "has no symbol");
    refuses(symbols + offsetof(Elf64_Shdr, sh_link), 4, UINT32_MAX, "has no symbol");
}

static void descriptors(void)
{
    size_t at = descriptor(0);
    refuses(at, 4, real.variant.lds_bytes + 1, "disagree on LDS or scratch");
    refuses(at + 4, 4, 16, "disagree on LDS or scratch");
    refuses(at + 16, 8, 0, "entry of kernel");
    refuses(at + 16, 8, UINT64_C(1) << 63, "entry of kernel");
}

static void truncations(void)
{
    struct emu *emu = emu_create(0);
    for (size_t bytes = 1; bytes <= real.bytes; bytes += bytes < 1200 || bytes > real.bytes - 300 ? 1 : 13) {
        struct emu_object *object = load(emu, real.data, bytes, &error);
        if (object) CHECK_EQ(emu_object_kernel_count(object), 2);
        else CHECK(bytes < real.bytes);
        emu_object_unload(object);
    }
    CHECK_EQ(emu_allocated_bytes(emu), 0);
    emu_destroy(emu);
}

int main(void)
{
    open_real_object();
    TEST(not_elf);
    TEST(header);
    TEST(segments);
    TEST(descriptors);
    TEST(truncations);
    mxg_library_close(library);
    return test_end();
}
