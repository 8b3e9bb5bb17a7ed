/* Loading an AMDGPU code object: ELF64, its segments into device memory, its kernels by metadata and descriptors.
 * Every position in the file is checked before it is followed. */
#include "tests/emu/effects.h"
#include "tests/emu/error.h"
#include "tests/emu/gpr_index.h"
#include "tests/emu/object_file.h"
#include "tests/emu/readable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* LLVM's AMDGPUUsage, "ELF Code Object". */
enum {
    ELF_MACHINE_AMDGPU = 224,
    ELF_OSABI_AMDGPU_HSA = 64,
    EF_AMDGPU_MACH_MASK = 0xff,
    EF_AMDGPU_MACH_GFX950 = 0x4f,
    NOTE_AMDGPU_METADATA = 32
};

/* Kernel descriptor, 64 bytes (ibid., "Kernel Descriptor"). */
enum {
    DESCRIPTOR_BYTES = 64,
    DESCRIPTOR_LDS = 0,
    DESCRIPTOR_PRIVATE = 4,
    DESCRIPTOR_ENTRY = 16, /* i64, from the descriptor */
    DESCRIPTOR_RSRC3 = 44,
    DESCRIPTOR_RSRC1 = 48,
    DESCRIPTOR_RSRC2 = 52,
    DESCRIPTOR_PROPERTIES = 56,
    DESCRIPTOR_PRELOAD = 58
};

/* No kernel needs a gigabyte; a hostile header may claim one. */
#define MAX_IMAGE_BYTES ((uint64_t)1 << 30)

/* Without a size from the caller, the header and what it points to say how far the file goes, if memory does. */
static uint64_t size_from_headers(const struct file *f)
{
    const Elf64_Ehdr *h = &f->header;
    uint64_t sections = h->e_shoff + (uint64_t)h->e_shnum * h->e_shentsize;
    uint64_t programs = h->e_phoff + (uint64_t)h->e_phnum * h->e_phentsize;
    uint64_t end = sections > programs ? sections : programs;
    return end < MAX_IMAGE_BYTES ? end : MAX_IMAGE_BYTES;
}

static int open_file(struct file *f, const void *image, size_t bytes, struct emu_error *error)
{
    f->data = image;
    f->bytes = bytes ? bytes : emu_readable(image, sizeof f->header);
    if (f->bytes < sizeof f->header)
        return emu_fail(error, "a code object of %" PRIu64 " bytes is too short for an ELF header", f->bytes);
    memcpy(&f->header, image, sizeof f->header);
    const Elf64_Ehdr *h = &f->header;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) return emu_fail(error, "not an ELF file: no magic number");
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
        return emu_fail(error, "not a 64-bit little-endian ELF file");
    if (h->e_machine != ELF_MACHINE_AMDGPU)
        return emu_fail(error, "ELF machine %u is not AMDGPU (%d)", h->e_machine, ELF_MACHINE_AMDGPU);
    if (h->e_ident[EI_OSABI] != ELF_OSABI_AMDGPU_HSA)
        return emu_fail(error, "ELF OS/ABI %u is not AMDGPU HSA", h->e_ident[EI_OSABI]);
    if ((h->e_flags & EF_AMDGPU_MACH_MASK) != EF_AMDGPU_MACH_GFX950)
        return emu_fail(error, "code object is for processor 0x%x, not for gfx950 (0x%x)",
                        h->e_flags & EF_AMDGPU_MACH_MASK, EF_AMDGPU_MACH_GFX950);
    if (h->e_phentsize != sizeof(Elf64_Phdr) || (h->e_shnum && h->e_shentsize != sizeof(Elf64_Shdr)))
        return emu_fail(error, "ELF header sizes are wrong");
    if (!bytes) f->bytes = emu_readable(image, size_from_headers(f));
    return 0;
}

/* Size in memory: the end of the last segment. Each begins behind the one before (System V ABI, "Program Header"). */
static int image_bytes(const struct file *f, uint64_t *bytes, struct emu_error *error)
{
    *bytes = 0;
    for (unsigned n = 0; n < f->header.e_phnum; n++) {
        Elf64_Phdr ph;
        if (!program_header(f, n, &ph)) return emu_fail(error, "program header %u is outside of the file", n);
        if (ph.p_type == PT_DYNAMIC && ph.p_filesz > MAX_IMAGE_BYTES)
            return emu_fail(error, "the dynamic segment has an impossible size");
        if (ph.p_type != PT_LOAD) continue;
        if (!in_file(f, ph.p_offset, ph.p_filesz) || ph.p_filesz > ph.p_memsz)
            return emu_fail(error, "segment %u is not within the file", n);
        if (ph.p_vaddr > MAX_IMAGE_BYTES || ph.p_memsz > MAX_IMAGE_BYTES - ph.p_vaddr)
            return emu_fail(error, "segment %u ends beyond 1 GiB", n);
        if (ph.p_vaddr < *bytes) return emu_fail(error, "segment %u overlaps one before it", n);
        *bytes = ph.p_vaddr + ph.p_memsz;
    }
    return *bytes ? 0 : emu_fail(error, "code object has no loadable segment");
}

static int load_segments(const struct file *f, struct emu_object *object, struct emu_error *error)
{
    if (image_bytes(f, &object->bytes, error) || emu_alloc(object->emu, object->bytes, &object->base, error)) return -1;
    for (unsigned n = 0; n < f->header.e_phnum; n++) {
        Elf64_Phdr ph;
        if (!program_header(f, n, &ph) || ph.p_type != PT_LOAD) continue;
        struct emu_region hit = {0};
        uint64_t to = object->base + ph.p_vaddr, zeros = ph.p_memsz - ph.p_filesz;
        if (ph.p_filesz && emu_write(object->emu, to, f->data + ph.p_offset, ph.p_filesz, error)) return -1;
        if (zeros && emu_memory(object->emu, &hit, to + ph.p_filesz, zeros)) /* new memory is zero, but not written */
            emu_region_write(&hit, to + ph.p_filesz - hit.address, zeros);
        if (!(ph.p_flags & PF_X)) continue;
        if (object->code.bytes) return emu_fail(error, "code object has more than one executable segment");
        object->code.address = object->base + ph.p_vaddr;
        object->code.bytes = ph.p_filesz & ~(uint64_t)3;
    }
    return object->code.bytes ? 0 : emu_fail(error, "code object has no executable segment");
}

/* ---- Kernels ------------------------------------------------------------------------------------------------------*/

/* The metadata note in a PT_NOTE segment. */
static int find_metadata(const struct file *f, const unsigned char **document, size_t *bytes)
{
    for (unsigned n = 0; n < f->header.e_phnum; n++) {
        Elf64_Phdr ph;
        if (!program_header(f, n, &ph) || ph.p_type != PT_NOTE || !in_file(f, ph.p_offset, ph.p_filesz)) continue;
        uint64_t at = ph.p_offset, end = ph.p_offset + ph.p_filesz;
        while (end - at >= sizeof(Elf64_Nhdr)) {
            Elf64_Nhdr note;
            memcpy(&note, f->data + at, sizeof note);
            uint64_t name = at + sizeof note, text = name + (((uint64_t)note.n_namesz + 3) & ~(uint64_t)3);
            uint64_t next = text + (((uint64_t)note.n_descsz + 3) & ~(uint64_t)3);
            if (text + note.n_descsz > end) break;
            if (note.n_type == NOTE_AMDGPU_METADATA && note.n_namesz == sizeof "AMDGPU" &&
                memcmp(f->data + name, "AMDGPU", sizeof "AMDGPU") == 0) {
                *document = f->data + text;
                *bytes = note.n_descsz;
                return 1;
            }
            if (next > end) break;
            at = next;
        }
    }
    return 0;
}

static uint32_t load32(const unsigned char *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static int complete_kernel(const struct file *f, struct emu_object *object, struct metadata_kernel *m,
                           struct emu_error *error)
{
    struct emu_kernel *kernel = &m->kernel;
    unsigned char descriptor[DESCRIPTOR_BYTES];
    Elf64_Sym symbol;
    kernel->object = object;
    if (!object_find_symbol(f, m->symbol, &symbol))
        return emu_fail(error, "kernel %s has no symbol %s", kernel->name, m->symbol);
    kernel->descriptor = object->base + symbol.st_value;
    if (!object_has(object, symbol.st_value, sizeof descriptor) ||
        emu_read(object->emu, kernel->descriptor, descriptor, sizeof descriptor, NULL))
        return emu_fail(error, "the descriptor of kernel %s lies outside of the code object", kernel->name);
    uint64_t entry;
    memcpy(&entry, descriptor + DESCRIPTOR_ENTRY, sizeof entry);
    kernel->entry = kernel->descriptor + entry;
    if (kernel->entry - object->code.address >= object->code.bytes)
        return emu_fail(error, "the entry of kernel %s lies outside of the code", kernel->name);
    if (load32(descriptor + DESCRIPTOR_LDS) != kernel->lds_bytes ||
        load32(descriptor + DESCRIPTOR_PRIVATE) != kernel->private_bytes)
        return emu_fail(error, "descriptor and metadata of kernel %s disagree on LDS or scratch", kernel->name);
    kernel->rsrc1 = load32(descriptor + DESCRIPTOR_RSRC1);
    kernel->rsrc2 = load32(descriptor + DESCRIPTOR_RSRC2);
    kernel->rsrc3 = load32(descriptor + DESCRIPTOR_RSRC3);
    memcpy(&kernel->properties, descriptor + DESCRIPTOR_PROPERTIES, sizeof kernel->properties);
    memcpy(&kernel->kernarg_preload, descriptor + DESCRIPTOR_PRELOAD, sizeof kernel->kernarg_preload);
    const uint64_t left = object->code.address + object->code.bytes - kernel->entry;
    if (object_find_symbol(f, kernel->name, &symbol))
        kernel->code_bytes = symbol.st_size < left ? symbol.st_size : left;
    for (uint32_t n = 0; n < kernel->arg_count; n++)
        if ((uint64_t)kernel->args[n].offset + kernel->args[n].bytes > kernel->kernarg_bytes)
            return emu_fail(error, "argument %u of kernel %s ends beyond its %u bytes of arguments", n, kernel->name,
                            kernel->kernarg_bytes);
    return 0;
}

static int decode_code(struct emu_object *object, struct emu_error *error)
{
    struct code *code = &object->code;
    struct emu_region hit = {0};
    code->text = emu_memory(object->emu, &hit, code->address, code->bytes);
    code->insns = calloc(code->bytes / 4 + 1, sizeof *code->insns);
    code->effects = calloc(code->bytes / 4 + 1, sizeof *code->effects);
    if (!code->text || !code->insns || !code->effects)
        return emu_fail(error, "out of memory for %zu bytes of code", code->bytes);
    for (size_t at = 0; at < code->bytes; at += 4) {
        struct insn *i = &code->insns[at / 4];
        unsigned length = insn_decode(code->text + at, code->bytes - at, i);
        if (length == 0 || !i->exec) i->exec = exec_unknown;
        if (length == 0)
            i->bytes = 4;
        else
            insn_effects(i, &code->effects[at / 4]);
    }
    code->insns[code->bytes / 4] = (struct insn){.exec = exec_beyond_code, .bytes = 4};
    gpr_index_prepare(code);
    return 0;
}

int emu_object_load(struct emu *emu, const void *image, size_t bytes, struct emu_object **out, struct emu_error *error)
{
    struct file f;
    const unsigned char *document;
    size_t document_bytes;
    *out = NULL;
    if (open_file(&f, image, bytes, error)) return -1;
    struct emu_object *object = calloc(1, sizeof *object);
    if (!object) return emu_fail(error, "out of memory");
    object->emu = emu;
    if (load_segments(&f, object, error) || object_relocate(&f, object, error)) goto fail;
    if (!find_metadata(&f, &document, &document_bytes)) {
        emu_fail(error, "code object has no metadata note");
        goto fail;
    }
    if (metadata_read(document, document_bytes, &object->kernels, &object->kernel_count, error)) goto fail;
    for (size_t n = 0; n < object->kernel_count; n++)
        if (complete_kernel(&f, object, &object->kernels[n], error)) goto fail;
    if (object_read_symbols(&f, object, error) || decode_code(object, error)) goto fail;
    *out = object;
    return 0;
fail:
    emu_object_unload(object);
    return -1;
}

void emu_object_unload(struct emu_object *object)
{
    if (!object) return;
    if (object->base) emu_free(object->emu, object->base, NULL);
    metadata_free(object->kernels, object->kernel_count);
    free(object->symbols);
    free(object->names);
    free(object->code.insns);
    free(object->code.effects);
    free(object);
}

size_t emu_object_kernel_count(const struct emu_object *object)
{
    return object->kernel_count;
}

const struct emu_kernel *emu_object_kernel_at(const struct emu_object *object, size_t index)
{
    return index < object->kernel_count ? &object->kernels[index].kernel : NULL;
}

const struct emu_kernel *emu_object_kernel(const struct emu_object *object, const char *name)
{
    for (size_t n = 0; n < object->kernel_count; n++)
        if (strcmp(object->kernels[n].kernel.name, name) == 0) return &object->kernels[n].kernel;
    return NULL;
}
