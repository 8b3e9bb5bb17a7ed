#include "gen/disassembly.h"

#include "gen/comgr.h"
#include "gen/elf_read.h"
#include "gen/machine.h"

#include <stdlib.h>
#include <string.h>

enum { DWORD = 4, SCALED_MFMA_BYTES = 16 };

/* What comgr's callbacks see. */
struct reading {
    const char *code;
    uint32_t bytes;
    uint64_t address;     /* of the code */
    struct gen_text line; /* of the instruction last read */
};

static uint64_t read_code(uint64_t from, char *to, uint64_t size, void *user)
{
    const struct reading *reading = user;
    uint64_t at = from - reading->address;
    if (at >= reading->bytes) return 0;
    if (size > reading->bytes - at) size = reading->bytes - at;
    memcpy(to, reading->code + at, size);
    return size;
}

static void take_line(const char *line, void *user)
{
    struct reading *reading = user;
    line += strspn(line, " \t");
    gen_text_add(&reading->line, line, strlen(line));
}

/* Of an address that an instruction names; the listing has labels. */
static void ignore_address(uint64_t address, void *user)
{
    (void)address, (void)user;
}

static uint32_t dword_at(const struct reading *reading, uint32_t at)
{
    uint32_t dword = 0;
    memcpy(&dword, reading->code + at, reading->bytes - at < DWORD ? reading->bytes - at : DWORD);
    return dword;
}

/* LLVM 21 cannot read a v_mfma_scale_ with FP4 in registers from v249 on: it looks for a matrix of FP8, of twice as
 * many registers, before it sees the format, and there are none. It then gives the first half, with the scales, alone.
 */
static const char first_half[] = "v_mfma_ld_scale_b32";

static int mend_scaled_mfma(struct reading *reading, uint32_t at, uint64_t *size)
{
    enum { OPCODE_16X16X128 = 0x2d, OPCODE_32X32X64 = 0x2e };
    if (reading->bytes - at < SCALED_MFMA_BYTES) return 0;
    uint32_t opcode = dword_at(reading, at + 2 * DWORD) >> 16 & 0x7f;
    if (opcode != OPCODE_16X16X128 && opcode != OPCODE_32X32X64) return 0;
    gen_text_free(&reading->line);
    gen_text_print(&reading->line, "v_mfma_scale_f32_%s_f8f6f4", opcode == OPCODE_16X16X128 ? "16x16x128" : "32x32x64");
    for (uint32_t i = 0; i < SCALED_MFMA_BYTES; i += DWORD)
        gen_text_print(&reading->line, "%s0x%08x", i ? ", " : " /* operands beyond this comgr: */ ",
                       dword_at(reading, at + i));
    *size = SCALED_MFMA_BYTES;
    return 1;
}

static void read_instruction(amd_comgr_disassembly_info_t info, struct reading *reading, uint32_t at,
                             struct gen_disassembly *disassembly)
{
    struct gen_instruction *instruction = &disassembly->all[disassembly->count++];
    uint64_t size = 0;
    gen_text_free(&reading->line);
    amd_comgr_status_t status = amd_comgr_disassemble_instruction(info, reading->address + at, reading, &size);
    int known =
        status == AMD_COMGR_STATUS_SUCCESS && size >= DWORD && size <= reading->bytes - at && reading->line.bytes > 0;
    if (known && strncmp(reading->line.data, first_half, strlen(first_half)) == 0)
        known = mend_scaled_mfma(reading, at, &size);
    if (!known) {
        gen_text_free(&reading->line);
        gen_text_print(&reading->line, ".long 0x%08x", dword_at(reading, at));
        size = reading->bytes - at < DWORD ? reading->bytes - at : DWORD;
        disassembly->unknown++;
    }
    instruction->address = reading->address + at;
    instruction->bytes = (uint32_t)size;
    instruction->text = reading->line.data;
    reading->line = (struct gen_text){0};
    gen_instruction_classify(instruction, dword_at(reading, at));
}

int gen_disassemble(const struct gen_text *object, const char *symbol, struct gen_disassembly *disassembly)
{
    amd_comgr_disassembly_info_t info;
    struct reading reading = {0};
    *disassembly = (struct gen_disassembly){0};
    const char *wrong = gen_elf_code(object, symbol, &reading.code, &reading.bytes, &reading.address);
    if (wrong) return gen_error("%s: %s", symbol, wrong);
    if (gen_comgr_check(amd_comgr_create_disassembly_info(GEN_ISA, read_code, take_line, ignore_address, &info), symbol,
                        "amd_comgr_create_disassembly_info") != 0)
        return -1;
    disassembly->all = gen_alloc(reading.bytes / DWORD + 1, sizeof *disassembly->all);
    for (uint32_t at = 0; at < reading.bytes; at += disassembly->all[disassembly->count - 1].bytes)
        read_instruction(info, &reading, at, disassembly);
    return gen_comgr_check(amd_comgr_destroy_disassembly_info(info), symbol, "amd_comgr_destroy_disassembly_info");
}

void gen_disassembly_free(struct gen_disassembly *disassembly)
{
    for (size_t i = 0; i < disassembly->count; i++) free(disassembly->all[i].text);
    free(disassembly->all);
    *disassembly = (struct gen_disassembly){0};
}
