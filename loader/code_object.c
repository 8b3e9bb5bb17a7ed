#include "loader/code_object.h"
#include "loader/status.h"

#include <string.h>

/* Positions in an ELF64 header, and the values of an AMDGPU code object (LLVM's AMDGPUUsage). */
enum {
    AT_CLASS = 4,
    AT_DATA = 5,
    AT_OSABI = 7,
    AT_MACHINE = 18,
    AT_PROGRAM_HEADERS = 32,
    AT_SECTION_HEADERS = 40,
    AT_FLAGS = 48,
    AT_PROGRAM_HEADER_BYTES = 54,
    AT_PROGRAM_HEADER_COUNT = 56,
    AT_SECTION_HEADER_BYTES = 58,
    AT_SECTION_HEADER_COUNT = 60,
    HEADER_BYTES = 64,
    CLASS_64 = 2,
    LITTLE_ENDIAN = 1,
    OSABI_AMDGPU_HSA = 64,
    MACHINE_AMDGPU = 224,
    FLAGS_MACH = 0xff,
    FLAGS_XNACK_SHIFT = 8,
    FLAGS_SRAMECC_SHIFT = 10,
    FLAGS_FEATURE = 3,
    PROGRAM_HEADER_BYTES = 56, /* and positions in one */
    PROGRAM_AT_TYPE = 0,
    PROGRAM_AT_OFFSET = 8,
    PROGRAM_AT_FILE_BYTES = 32,
    TYPE_NOTE = 4,
    NOTE_AT_NAME_BYTES = 0, /* of a note, which then has its name and its content, each padded to 4 bytes */
    NOTE_AT_CONTENT_BYTES = 4,
    NOTE_AT_TYPE = 8,
    NOTE_HEADER_BYTES = 12,
    NOTE_METADATA = 32
};

/* e_flags & FLAGS_MACH of the processors a message should name; packs are for the first ones only. */
static const struct {
    const char *arch;
    unsigned mach;
    bool packs;
} processors[] = {
    {"gfx950", 0x4f, true},   {"gfx942", 0x4c, false},  {"gfx90a", 0x3f, false},
    {"gfx908", 0x30, false},  {"gfx906", 0x2f, false},  {"gfx1030", 0x36, false},
    {"gfx1100", 0x41, false}, {"gfx1200", 0x48, false}, {"gfx1201", 0x4e, false},
};
enum { PROCESSORS = sizeof processors / sizeof *processors };

static uint64_t load_le(const unsigned char *p, int bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | p[bytes];
    return value;
}

bool mxg_arch_known(const char *arch)
{
    for (int i = 0; i < PROCESSORS; i++)
        if (processors[i].packs && strcmp(processors[i].arch, arch) == 0) return true;
    return false;
}

bool mxg_arch_fits_device(const char *arch, const char *device)
{
    size_t length = strlen(arch);
    return strncmp(arch, device, length) == 0 && (device[length] == 0 || device[length] == ':');
}

static bool table_fits(const unsigned char *elf, uint64_t bytes, int at_offset, int at_bytes, int at_count)
{
    uint64_t offset = load_le(elf + at_offset, 8);
    uint64_t size = load_le(elf + at_bytes, 2) * load_le(elf + at_count, 2);
    return offset <= bytes && size <= bytes - offset;
}

static mxg_status check_feature(const struct mxg_variant *variant, const char *field, uint32_t recorded, unsigned flags,
                                unsigned shift)
{
    unsigned own = flags >> shift & FLAGS_FEATURE;
    if (own == recorded) return MXG_OK;
    return mxg_fail(MXG_ERROR_PACK, "the code object of variant %s: %s is %u by its e_flags 0x%x, but %u by its record",
                    variant->name, field, own, flags, (unsigned)recorded);
}

mxg_status mxg_code_object_check(const unsigned char *elf, uint64_t bytes, const char *arch,
                                 const struct mxg_variant *variant)
{
    const char *name = variant->name;
    if (bytes < HEADER_BYTES || memcmp(elf, "\177ELF", 4) != 0)
        return mxg_fail(MXG_ERROR_PACK, "the code object of variant %s is not an ELF", name);
    if (elf[AT_CLASS] != CLASS_64 || elf[AT_DATA] != LITTLE_ENDIAN)
        return mxg_fail(MXG_ERROR_PACK, "the code object of variant %s is not a 64-bit little-endian ELF", name);
    unsigned machine = (unsigned)load_le(elf + AT_MACHINE, 2);
    if (machine != MACHINE_AMDGPU || elf[AT_OSABI] != OSABI_AMDGPU_HSA)
        return mxg_fail(MXG_ERROR_WRONG_ARCH, "the code object of variant %s is for ELF machine %u, OS ABI %u, not %s",
                        name, machine, elf[AT_OSABI], arch);
    /* HIP is given an address without a length and walks these two tables. */
    if (!table_fits(elf, bytes, AT_PROGRAM_HEADERS, AT_PROGRAM_HEADER_BYTES, AT_PROGRAM_HEADER_COUNT) ||
        !table_fits(elf, bytes, AT_SECTION_HEADERS, AT_SECTION_HEADER_BYTES, AT_SECTION_HEADER_COUNT))
        return mxg_fail(MXG_ERROR_PACK, "the code object of variant %s is cut off: its headers pass its %llu bytes",
                        name, (unsigned long long)bytes);

    unsigned flags = (unsigned)load_le(elf + AT_FLAGS, 4), mach = flags & FLAGS_MACH;
    const char *processor = "an unknown processor";
    for (int i = 0; i < PROCESSORS; i++)
        if (processors[i].mach == mach) processor = processors[i].arch;
    if (strcmp(processor, arch) != 0)
        return mxg_fail(MXG_ERROR_WRONG_ARCH,
                        "the code object of variant %s is for %s (e_flags processor 0x%02x), not %s", name, processor,
                        mach, arch);
    mxg_status status = check_feature(variant, "xnack", variant->xnack, flags, FLAGS_XNACK_SHIFT);
    if (!status) status = check_feature(variant, "sramecc", variant->sramecc, flags, FLAGS_SRAMECC_SHIFT);
    return status;
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/* In one segment of notes. */
static const unsigned char *find_metadata(const unsigned char *notes, uint64_t bytes, uint64_t *document_bytes)
{
    static const char owner[] = "AMDGPU"; /* with its NUL */
    for (uint64_t at = 0; at <= bytes && bytes - at >= NOTE_HEADER_BYTES;) {
        const unsigned char *note = notes + at, *name = note + NOTE_HEADER_BYTES;
        uint64_t name_bytes = load_le(note + NOTE_AT_NAME_BYTES, 4), left = bytes - at - NOTE_HEADER_BYTES;
        uint64_t content_bytes = load_le(note + NOTE_AT_CONTENT_BYTES, 4);
        if (padded(name_bytes) > left || content_bytes > left - padded(name_bytes)) return NULL;
        if (load_le(note + NOTE_AT_TYPE, 4) == NOTE_METADATA && name_bytes == sizeof owner &&
            memcmp(name, owner, sizeof owner) == 0) {
            *document_bytes = content_bytes;
            return name + padded(name_bytes);
        }
        at += NOTE_HEADER_BYTES + padded(name_bytes) + padded(content_bytes);
    }
    return NULL;
}

const unsigned char *mxg_code_object_metadata(const unsigned char *elf, uint64_t bytes, uint64_t *document_bytes)
{
    const unsigned char *header = elf + load_le(elf + AT_PROGRAM_HEADERS, 8), *document = NULL;
    if (load_le(elf + AT_PROGRAM_HEADER_BYTES, 2) != PROGRAM_HEADER_BYTES) return NULL;
    uint64_t count = load_le(elf + AT_PROGRAM_HEADER_COUNT, 2);
    for (uint64_t i = 0; !document && i < count; i++, header += PROGRAM_HEADER_BYTES) {
        uint64_t offset = load_le(header + PROGRAM_AT_OFFSET, 8), size = load_le(header + PROGRAM_AT_FILE_BYTES, 8);
        if (load_le(header + PROGRAM_AT_TYPE, 4) != TYPE_NOTE || offset > bytes || size > bytes - offset) continue;
        document = find_metadata(elf + offset, size, document_bytes);
    }
    return document;
}
