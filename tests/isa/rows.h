/* The rows of all tables, and which test program answers for which: at its end it calls all_rows_ran, which fails for
 * each of its rows that no test has executed, and for each result of one bit that was never 0 or never 1. A new row
 * without a test is found so. Tests compare SCC, masks and EXEC after each instruction that writes them. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

/* The first entry whose part is in the mnemonic names the program. */
static const struct {
    enum format format;
    const char *part, *program;
} owners[] = {
    {FORMAT_SOP1, "_gpr_idx_", "gpr_index"},
    {FORMAT_SOP1, "pc_b64", "branch"},
    {FORMAT_SOP1, "", "salu"},
    {FORMAT_SOP2, "", "salu"},
    {FORMAT_SOPK, "_cmpk_", "scmp"},
    {FORMAT_SOPK, "", "sopk"},
    {FORMAT_SOPC, "_gpr_idx_", "gpr_index"},
    {FORMAT_SOPC, "", "scmp"},
    {FORMAT_SOPP, "_gpr_idx_", "gpr_index"},
    {FORMAT_SOPP, "", "branch"},
    {FORMAT_SMEM, "", "smem"},
    {FORMAT_VOP1, "lane", "permute"},
    {FORMAT_VOP1, "v_nop", "permute"},
    {FORMAT_VOP1, "v_clrexcp", "permute"},
    {FORMAT_VOP1, "v_swap", "permute"},
    {FORMAT_VOP1, "v_accvgpr_mov", "permute"},
    {FORMAT_VOP1, "", "vop1"},
    {FORMAT_VOP2, "16", "vop2_half"},
    {FORMAT_VOP2, "_dot", "vop2_half"},
    {FORMAT_VOP2, "", "vop2"},
    {FORMAT_VOPC, "", "vopc"},
    {FORMAT_VOP3, "lane", "permute"},
    {FORMAT_VOP3, "_mbcnt_", "permute"},
    {FORMAT_VOP3, "_div_scale_", "division"},
    {FORMAT_VOP3, "_div_fmas_", "division"},
    {FORMAT_VOP3, "_div_fixup_f32", "division"},
    {FORMAT_VOP3, "_div_fixup_f64", "division"},
    {FORMAT_VOP3, "_scalef32_", "convert_rows"},
    {FORMAT_VOP3, "_cvt_sr_", "convert_rows"},
    {FORMAT_VOP3, "_cvt_pk_f16_f32", "convert_rows"},
    {FORMAT_VOP3, "_cvt_pk_bf16_f32", "convert_rows"},
    {FORMAT_VOP3, "f8_f32", "convert_rows"},
    {FORMAT_VOP3, "p8_f32", "convert_rows"},
    {FORMAT_VOP3, "_trig_preop_", "trig_preop"},
    {FORMAT_VOP3, "", "vop3"},
    {FORMAT_VOP3P, "_f8f6f4", "mfma_scale"},
    {FORMAT_VOP3P, "_smfmac_", "smfmac"},
    {FORMAT_VOP3P, "_mfma_", "mfma"},
    {FORMAT_VOP3P, "", "vop3p"},
    {FORMAT_DS, "addtid", "lds_lanes"},
    {FORMAT_DS, "_read", "lds"},
    {FORMAT_DS, "_write", "lds"},
    {FORMAT_DS, "_wrxchg2", "lds"},
    {FORMAT_DS, "_condxchg", "lds_lanes"},
    {FORMAT_DS, "_consume", "lds_lanes"},
    {FORMAT_DS, "_append", "lds_lanes"},
    {FORMAT_DS, "_nop", "lds_lanes"},
    {FORMAT_DS, "permute", "lds_lanes"},
    {FORMAT_DS, "swizzle", "lds_lanes"},
    {FORMAT_DS, "", "atomic"},
    {FORMAT_FLAT, "_atomic_", "atomic"},
    {FORMAT_FLAT, "", "vmem"},
    {FORMAT_SCRATCH, "", "vmem"},
    {FORMAT_GLOBAL, "_atomic_", "atomic"},
    {FORMAT_GLOBAL, "", "vmem"},
    {FORMAT_MUBUF, "_atomic_", "atomic"},
    {FORMAT_MUBUF, "", "vmem"},
};

static inline const char *owner_of(enum format format, const char *mnemonic)
{
    for (size_t n = 0; n < sizeof owners / sizeof *owners; n++)
        if (owners[n].format == format && strstr(mnemonic, owners[n].part)) return owners[n].program;
    return "";
}

/* Results of one bit that a row has. */
static inline unsigned bits_of_row(enum format format, const struct op *op)
{
    unsigned bits = 0;
    if (op->flags & OP_WRITES_SCC) bits |= SAW_SCC0 | SAW_SCC1;
    if (op->flags & OP_WRITES_EXEC) bits |= SAW_EXEC0 | SAW_EXEC1;
    if (op->flags & OP_SDST || format == FORMAT_VOPC) bits |= SAW_MASK0 | SAW_MASK1;
    if (strstr(op->mnemonic, "_f_")) bits &= ~(unsigned)(SAW_MASK1 | SAW_EXEC1); /* always false */
    if (strstr(op->mnemonic, "_t_") || strstr(op->mnemonic, "_tru_")) bits &= ~(unsigned)(SAW_MASK0 | SAW_EXEC0);
    return bits;
}

static inline void check_row(enum format format, const struct table *table, size_t opcode)
{
    if (strcmp(table->ops[opcode].mnemonic, "s_trap") == 0) return; /* all it does is to end the run */
    if (table->ops[opcode].exec == exec_unknown) return;            /* known to the disassembler only */
    static const char *const names[] = {"executed", "SCC 0", "SCC 1", "mask 0", "mask 1", "EXEC 0", "EXEC not 0"};
    const struct op *op = &table->ops[opcode];
    unsigned missing = (SAW_RUN | bits_of_row(format, op)) & ~(unsigned)fixture_seen[format][opcode];
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (missing >> n & 1) test_fail(__FILE__, __LINE__, "%s: no test has %s", op->mnemonic, names[n]);
}

static inline void all_rows_ran(const char *program)
{
    size_t rows = 0;
    for (unsigned format = 0; format < FORMAT_COUNT; format++)
        for (size_t opcode = 0; opcode < tables[format].count; opcode++) {
            const struct op *op = &tables[format].ops[opcode];
            if (!op->mnemonic || strcmp(owner_of(format, op->mnemonic), program) != 0) continue;
            check_row(format, &tables[format], opcode);
            rows++;
        }
    CHECK(rows > 0);
}

#endif
