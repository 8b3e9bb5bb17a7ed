/* The tables of instructions: each row of isa/ has an entry of its own, and the opcode that leads to it. */
#include "tests/emu/insn.h"
#include "tests/test.h"

/* Rows by counting them: every kind of row is one. */
#define ONE(...) +1

enum {
#define S ONE
#define U ONE
#define X ONE
#define W ONE
#define F ONE
#define Z ONE
#define C ONE
#define B ONE
#define N ONE
    SOP1_ROWS = 0
#include "tests/emu/isa/sop1.def"
    ,
    SOP2_ROWS = 0
#include "tests/emu/isa/sop2.def"
    ,
    SOPC_ROWS = 0
#include "tests/emu/isa/sopc.def"
    ,
    SOPK_ROWS = 0
#include "tests/emu/isa/sopk.def"
    ,
    SOPP_ROWS = 0
#include "tests/emu/isa/sopp.def"
    ,
#define V ONE
#define T ONE
    VOP1_ROWS = 0
#include "tests/emu/isa/vop1.def"
    ,
#define D ONE
#define H ONE
    VOP2_ROWS = 0
#include "tests/emu/isa/vop2.def"
    ,
    VOP3_ROWS = 0
#include "tests/emu/isa/vop3.def"
    ,
#define P ONE
#define Q ONE
#define I ONE
#define M ONE
#define K ONE
    VOP3P_ROWS = 0
#include "tests/emu/isa/mfma.def"
#include "tests/emu/isa/vop3p.def"
    ,
#define L ONE
    SMEM_ROWS = 0
#include "tests/emu/isa/smem.def"
    ,
#define R ONE
#define A ONE
    DS_ROWS = 0
#include "tests/emu/isa/ds.def"
    ,
#undef L
#undef S
#undef T
#undef X
#undef C
#undef A
#undef Z
/* v_cmp and v_cmpx; vopc.def has conditions as macros of its own. */
#define TWO(...) +2
#define TYPE(opcode, type, conditions) conditions(TWO, type)
#define CLASS TWO
    VOPC_ROWS = 0
#include "tests/emu/isa/vopc.def"
    ,
/* vmem.def undefines its macros. */
#define L ONE
#define S ONE
#define A ONE
    FLAT_ROWS = 0
#include "tests/emu/isa/vmem.def"
    ,
#define L ONE
#define S ONE
#define T ONE
    SCRATCH_ROWS = 0
#include "tests/emu/isa/vmem.def"
    ,
#define L ONE
#define S ONE
#define T ONE
#define X ONE
#define A ONE
    GLOBAL_ROWS = 0
#include "tests/emu/isa/vmem.def"
    ,
#define L ONE
#define S ONE
#define C ONE
#define A ONE
#define Z ONE
    MUBUF_ROWS = 0
#include "tests/emu/isa/vmem.def"
};

static void check_table(const char *name, const struct op *ops, unsigned size, unsigned rows)
{
    unsigned entries = 0;
    for (unsigned n = 0; n < size; n++) {
        if (!ops[n].mnemonic) continue;
        entries++;
        if (!ops[n].exec) test_fail(__FILE__, __LINE__, "%s: %s has no function", name, ops[n].mnemonic);
        for (unsigned k = 0; k < n; k++)
            if (ops[k].mnemonic && strcmp(ops[k].mnemonic, ops[n].mnemonic) == 0)
                test_fail(__FILE__, __LINE__, "%s: opcodes %u and %u are both %s", name, k, n, ops[n].mnemonic);
    }
    if (entries != rows) test_fail(__FILE__, __LINE__, "%s has %u rows, but %u entries", name, rows, entries);
}

#define TABLE(name, ops, rows) check_table(name, ops, sizeof ops / sizeof ops[0], rows)

static void one_entry_a_row(void)
{
    TABLE("SOP1", sop1_ops, SOP1_ROWS);
    TABLE("SOP2", sop2_ops, SOP2_ROWS);
    TABLE("SOPC", sopc_ops, SOPC_ROWS);
    TABLE("SOPK", sopk_ops, SOPK_ROWS);
    TABLE("SOPP", sopp_ops, SOPP_ROWS);
    TABLE("VOP1", vop1_ops, VOP1_ROWS);
    TABLE("VOP2", vop2_ops, VOP2_ROWS);
    TABLE("VOPC", vopc_ops, VOPC_ROWS);
    TABLE("VOP3", vop3_ops, VOP3_ROWS);
    TABLE("VOP3P", vop3p_ops, VOP3P_ROWS);
    TABLE("SMEM", smem_ops, SMEM_ROWS);
    TABLE("DS", ds_ops, DS_ROWS);
    TABLE("FLAT", flat_ops, FLAT_ROWS);
    TABLE("SCRATCH", scratch_ops, SCRATCH_ROWS);
    TABLE("GLOBAL", global_ops, GLOBAL_ROWS);
    TABLE("MUBUF", mubuf_ops, MUBUF_ROWS);
}

int main(void)
{
    TEST(one_entry_a_row);
    return test_end();
}
