/* The emulator's decoder against comgr's disassembler: length and text of every instruction of every kernel of the code
 * objects given as arguments. */
#include "tests/emu/effects.h"
#include "tests/emu/object.h"
#include "tests/isa/disassemble.h"
#include "tests/test.h"

static unsigned long long compared, halved;

/* A fault of LLVM 21's disassembler: its table has v_mfma_scale_* with sources of fp8 alone, 8 registers, which become
 * the fewer ones of another format only after that (AMDGPUDisassembler::convertMAIInst). So a source in FP4, 4
 * registers, that begins above v248 it does not find, and takes the first half, which has the scales, for an
 * instruction of its own. */
enum { FP4 = 4, LAST_OF_EIGHT = 248, HALF_BYTES = 8 };

static int begins_too_high(unsigned format, unsigned source)
{
    return format == FP4 && source > OPERAND_VGPR + LAST_OF_EIGHT && source < OPERAND_AGPR;
}

/* Whether comgr halves an instruction in just this way, with the same scales; leaves the line as it is. */
static int is_halved(amd_comgr_disassembly_info_t info, const struct listing *l, uint64_t at, unsigned size,
                     const struct insn *i)
{
    if (!(i->flags & INSN_SCALED) || size != HALF_BYTES) return 0;
    if (!begins_too_high(i->cbsz, i->src[0]) && !begins_too_high(i->blgp, i->src[1])) return 0;
    struct listing behind = *l;
    char a[16], b[16], half[64];
    register_name(i->scale[0], a);
    register_name(i->scale[1], b);
    const size_t length = (size_t)snprintf(half, sizeof half, "v_mfma_ld_scale_b32 %s, %s", a, b);
    return strncmp(l->line, half, length) == 0 && (l->line[length] == ' ' || l->line[length] == 0) &&
           listing_at(info, &behind, at + HALF_BYTES) == 0;
}

/* Compares one kernel; returns the number of disagreements and names the first few. */
static unsigned compare_kernel(amd_comgr_disassembly_info_t info, const struct emu_kernel *kernel, const char *file)
{
    const struct code *code = &kernel->object->code;
    struct listing l = {code->text, code->bytes, code->address, ""};
    unsigned wrong = 0;
    for (uint64_t at = kernel->entry; at < kernel->entry + kernel->code_bytes;) {
        const char *theirs = l.line;
        char ours[512] = "(unknown)";
        struct insn i;
        const unsigned size = listing_at(info, &l, at);
        if (size == 0) {
            printf("# %s %s+0x%llx: comgr itself does not decode this\n", file, kernel->name,
                   (unsigned long long)(at - kernel->entry));
            return wrong + 1;
        }
        unsigned length = insn_decode(code->text + (at - code->address), code->bytes - (at - code->address), &i);
        if (length) insn_text(&i, at, ours, sizeof ours);
        if (length && is_halved(info, &l, at, size, &i)) {
            halved++;
            at += length;
            continue;
        }
        if ((length != size || strcmp(ours, theirs) != 0) && wrong++ < 5)
            printf("# %s %s+0x%llx: comgr says %s, %u bytes; the emulator %s, %u bytes\n", file, kernel->name,
                   (unsigned long long)(at - kernel->entry), theirs, size, ours, length);
        compared++;
        at += size;
    }
    return wrong;
}

static unsigned compare_file(amd_comgr_disassembly_info_t info, const char *path)
{
    static unsigned char image[64 << 20];
    struct emu_error error;
    struct emu_object *object;
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(image, 1, sizeof image, file) : 0;
    if (file) fclose(file);
    struct emu *emu = emu_create(0);
    unsigned wrong = 0;
    if (!emu || bytes == 0 || emu_object_load(emu, image, bytes, &object, &error)) {
        printf("# %s: %s\n", path, bytes ? error.text : "cannot be read");
        wrong = 1;
    } else {
        if (emu_object_kernel_count(object) == 0) wrong = 1;
        for (size_t n = 0; n < emu_object_kernel_count(object); n++)
            wrong += compare_kernel(info, emu_object_kernel_at(object, n), path);
        emu_object_unload(object);
    }
    emu_destroy(emu);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: test_decode FILE.hsaco...\n");
        return 2;
    }
    const amd_comgr_disassembly_info_t info = listing_create();
    unsigned passed = 0, failed = 0;
    for (int n = 1; n < argc; n++) {
        unsigned wrong = compare_file(info, argv[n]);
        const char *name = strrchr(argv[n], '/');
        printf("%s %d - the decoder agrees with comgr on %s\n", wrong ? "not ok" : "ok", n, name ? name + 1 : argv[n]);
        *(wrong ? &failed : &passed) += 1;
    }
    amd_comgr_destroy_disassembly_info(info);
    printf("# %llu instructions compared; %llu more have an FP4 source above v%d, which LLVM 21 does not decode\n"
           "%u passed, %u failed\n",
           compared, halved, LAST_OF_EIGHT, passed, failed);
    return failed != 0;
}
