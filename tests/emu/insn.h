/* A decoded instruction and the table row it came from. */
#ifndef EMU_INSN_H
#define EMU_INSN_H

#include <stddef.h>
#include <stdint.h>

struct wave;
struct insn;

typedef void exec_fn(struct wave *w, const struct insn *i);

enum format {
    FORMAT_SOP1,
    FORMAT_SOP2,
    FORMAT_SOPK,
    FORMAT_SOPC,
    FORMAT_SOPP,
    FORMAT_SMEM,
    FORMAT_VOP1,
    FORMAT_VOP2,
    FORMAT_VOPC,
    FORMAT_VOP3,
    FORMAT_VOP3P,
    FORMAT_DS,
    FORMAT_FLAT,
    FORMAT_SCRATCH,
    FORMAT_GLOBAL,
    FORMAT_MUBUF,
    FORMAT_COUNT
};

/* Properties of a table row. */
enum {
    OP_SDST = 1u << 0,      /* VOP3: bits 14:8 are a scalar destination, not modifiers */
    OP_LITERAL = 1u << 1,   /* a 32-bit constant always follows (v_fmaak, v_fmamk) */
    OP_NO_SUFFIX = 1u << 2, /* the mnemonic takes no _e32 or _e64 */
    OP_MFMA = 1u << 3,      /* VOP3P: bits of the MAI encoding (acc, cbsz, abid, blgp) */
    OP_F8F6F4 = 1u << 4,    /* MFMA that may carry scales in a second encoding before it */
    OP_BRANCH = 1u << 5,    /* goes elsewhere; SOPP and SOPK: by simm16, a distance in dwords */
    OP_END = 1u << 6,       /* ends the wave */
    OP_READS_SCC = 1u << 7,
    OP_WRITES_SCC = 1u << 8,
    OP_READS_VCC = 1u << 9,
    OP_READS_EXEC = 1u << 10, /* as a number, not as the lanes that are on */
    OP_WRITES_EXEC = 1u << 11,
    OP_READS_M0 = 1u << 12,
    OP_HW_REGISTER = 1u << 13, /* of SOPK simm16 names it, else it is a part of MODE */
    OP_READS_DST = 1u << 14,   /* the destination is a source too */
    OP_KEEPS_DST = 1u << 15,   /* a part of the destination stays as it is */
    OP_SWAPS = 1u << 16,       /* destination and source 0 are both read and written */
    OP_SCALAR_DST = 1u << 17,  /* VOP1, VOP3: the destination is a scalar register */
    OP_AGPR_DST = 1u << 18,    /* the destination is an AGPR, */
    OP_AGPR_SRC = 1u << 19,    /* source 0 is */
    OP_WORDS = 1u << 20,       /* op_sel and op_sel_hi choose one dword of each source for each result */
    OP_WORD = 1u << 21,        /* op_sel alone does: result n from source n */
    OP_TRANS = 1u << 22,       /* executed by the transcendental unit */
    OP_CROSSES_LANES = 1u << 23,
    OP_IGNORES_EXEC = 1u << 24,
    OP_LOADS = 1u << 25,  /* reads memory; with OP_STORES an atomic, which in memory returns if sc0 is set */
    OP_STORES = 1u << 26, /* writes memory */
    OP_TO_LDS = 1u << 27, /* what is loaded goes to LDS, to where M0 says */
    OP_COUNTS = 1u << 28, /* counted by vmcnt (SOPP: lgkmcnt), but moves no data */
    OP_INDEXED = 1u << 29, /* a register is not the one named: M0 is added to its number */
    OP_WRITES_M0 = 1u << 30
};

/* Shape of an operand: how many dwords side by side, and how a constant is to be understood. 0: no operand. */
enum { SHAPE_DWORDS = 0x3f, SHAPE_FLOAT = 0x40, SHAPE_HALF = 0x80 /* 16 bits */ };

/* What else an encoding of the row may hold. */
enum {
    MOD_SIGNS = 1u << 0,    /* neg and abs of its sources; those that are no floats ignore them */
    MOD_SIGN_0 = 1u << 1,   /* of source 0 only */
    MOD_CLAMP = 1u << 2,
    MOD_OMOD = 1u << 3,
    MOD_FLOAT = MOD_SIGNS | MOD_CLAMP | MOD_OMOD,
    MOD_SEL = 1u << 4,      /* VOP3: op_sel, a bit for each source and one for the destination */
    MOD_SEL_4 = 1u << 5,    /* VOP3: op_sel as if it had three sources */
    MOD_TABLE = 1u << 6,    /* VOP3: a truth table stands where others have omod, abs and neg */
    MOD_INACTIVE = 1u << 7, /* VOP3: bits 11 and 12 say that lanes that are off may be read (fi, bound_ctrl) */
    MOD_PACKED = 1u << 8,   /* VOP3P: op_sel, op_sel_hi, neg_lo, neg_hi and clamp */
    MOD_DOT = 1u << 9,      /* VOP3P: of these, neg_lo, neg_hi and clamp */
    MOD_MIX = 1u << 10,     /* VOP3P: op_sel and op_sel_hi are types, neg_lo is neg, neg_hi is abs */
    MOD_SDWA = 1u << 11,    /* there is an SDWA encoding, */
    MOD_WHOLE = 1u << 12,   /* which has no dst_sel; */
    MOD_DPP = 1u << 13,     /* there is a DPP encoding */
    MOD_OFFSETS = 1u << 14, /* DS: two offsets of a byte each */
    MOD_SWIZZLE = 1u << 15, /* DS: the offset is a pattern */
    MOD_REGISTER = 1u << 0, /* SOP1: the source is a register */
    MOD_LDS = 1u << 0       /* MUBUF: the lds bit may be set */
};

/* What simm16 of SOPP is. */
enum { CONSTANT_none, CONSTANT_number, CONSTANT_optional, CONSTANT_counts, CONSTANT_message, CONSTANT_gpr_idx };

/* One row of a table: an instruction of one encoding. */
struct op {
    const char *mnemonic;
    exec_fn *exec;
    uint32_t flags;
    uint8_t dst, src[4]; /* shapes, in the order of struct insn; addresses are not in all rows (insn_source_dwords) */
    uint8_t passes;      /* MFMA */
    uint16_t modifiers;  /* MOD_ bits; SOPP and SOPC: a CONSTANT_ */
};

/* Operand codes: 0..255 scalar registers and constants as the ISA numbers them, 256 + n: VGPR n, 512 + n: AGPR n. */
enum {
    OPERAND_VCC = 106,
    OPERAND_M0 = 124,
    OPERAND_EXEC = 126,
    OPERAND_INT0 = 128, /* 128..192: 0..64, 193..208: -1..-16 */
    OPERAND_SHARED_BASE = 235,
    OPERAND_SHARED_LIMIT = 236,
    OPERAND_PRIVATE_BASE = 237,
    OPERAND_PRIVATE_LIMIT = 238,
    OPERAND_FLOAT0 = 240, /* 240..248: 0.5 -0.5 1 -1 2 -2 4 -4 1/(2 pi) */
    OPERAND_SDWA = 249,
    OPERAND_DPP = 250,
    OPERAND_VCCZ = 251,
    OPERAND_EXECZ = 252,
    OPERAND_SCC = 253,
    OPERAND_LITERAL = 255,
    OPERAND_VGPR = 256,
    OPERAND_AGPR = 512
};

/* Parts of a register that SDWA selects: 0 to 3 a byte, 4 and 5 a half. */
enum { SDWA_WORD0 = 4, SDWA_DWORD = 6 };

enum {
    INSN_SDWA = 1u << 0,
    INSN_DPP = 1u << 1,
    INSN_E64 = 1u << 2,    /* VOP1, VOP2 or VOPC in its VOP3 encoding */
    INSN_SCALED = 1u << 3, /* MFMA with scale operands */
    INSN_SC0 = 1u << 4,    /* also GLC of SMEM, "return the old value" of atomics */
    INSN_SC1 = 1u << 5,
    INSN_NT = 1u << 6,
    INSN_LDS = 1u << 7,     /* MUBUF: to LDS */
    INSN_OFFEN = 1u << 8,   /* MUBUF */
    INSN_IDXEN = 1u << 9,   /* MUBUF */
    INSN_SADDR = 1u << 10,  /* GLOBAL, SCRATCH: src[2] is a scalar base; SMEM: src[2] is a scalar offset */
    INSN_GDS = 1u << 11,
    INSN_SVE = 1u << 12,    /* SCRATCH: the vector offset is used */
    INSN_OFFSET = 1u << 13  /* SMEM: imm is used too */
};

struct insn {
    exec_fn *exec; /* never null: an unknown encoding has one that reports itself */
    const struct op *op;
    uint8_t format, bytes; /* bytes: 4, 8, 12 or 16 */
    uint16_t flags;        /* INSN_ bits */
    uint16_t dst;          /* operand code of the destination */
    uint16_t sdst;         /* scalar destination of VOP3B and of VOPC */
    uint16_t src[4];       /* operand codes; memory: [0] address, [1] data, [2] scalar base, [3] second data */
    int32_t imm;           /* simm16, memory offset (MUBUF: unsigned) or DS offset0 | offset1 << 8 */
    uint32_t literal;
    /* Modifiers: bit n is for source n. */
    uint8_t neg, abs;      /* VOP3P: neg_lo and neg_hi */
    uint8_t clamp, omod;   /* omod: 1 x2, 2 x4, 3 /2; when it counts: lanes.c */
    uint8_t op_sel;        /* VOP3: bit 3 is the destination's half; VOP3P: lo */
    uint8_t op_sel_hi;     /* VOP3P */
    uint8_t cbsz, abid, blgp;        /* MFMA */
    uint16_t scale[2];               /* operand codes of the scales of A and B */
    uint8_t scale_op_sel, scale_op_sel_hi; /* byte of scale n: bit n of op_sel + 2 * bit n of op_sel_hi */
    /* SDWA; bit n of sext: source n is sign-extended. */
    uint8_t dst_sel, dst_unused, src_sel[2], sext;
    uint16_t dpp_ctrl;
    uint8_t bank_mask, row_mask, bound_ctrl;
};

/* VOP: what computes for all lanes. */
static inline int insn_is_vector(const struct insn *i)
{
    return i->format >= FORMAT_VOP1 && i->format <= FORMAT_VOP3P;
}

/* Dwords of source n, of the destination; 0: it has none. */
unsigned insn_source_dwords(const struct insn *i, int n);
unsigned insn_destination_dwords(const struct insn *i);

/* Whether the registers, constants and modifiers that a decoded encoding holds exist. */
int insn_is_valid(const struct insn *i);

/* Decodes the instruction at code. Always fills *i; returns its length, or 0 where the encoding is unknown. */
unsigned insn_decode(const unsigned char *code, size_t bytes, struct insn *i);

/* "s5", "v5", "a5", "vcc_lo": what an operand code names. */
void register_name(unsigned code, char name[16]);

/* LLVM's spelling of the mnemonic, with suffix. */
void insn_mnemonic(const struct insn *i, char mnemonic[64]);

/* What stands there, for reports: the mnemonic, or the encoding and opcode where no table has it. */
void insn_describe(const unsigned char *code, size_t bytes, char text[64]);

/* Executes an instruction that the emulator does not know: ends the run with a report. */
exec_fn exec_unknown;

/* Stands behind the last instruction: the program counter has left the code. */
exec_fn exec_beyond_code;

/* Tables, one a format, indexed by opcode; rows without mnemonic are free. Each is defined by the unit that executes
 * the format. */
extern const struct op sop1_ops[256], sop2_ops[128], sopk_ops[32], sopc_ops[128], sopp_ops[128], smem_ops[256];
extern const struct op vop1_ops[128], vop2_ops[64], vopc_ops[256], vop3_ops[1024], vop3p_ops[128];
extern const struct op ds_ops[256], flat_ops[128], scratch_ops[128], global_ops[128], mubuf_ops[128];

#endif
