/* Memory accesses of a wave: where the bytes of each lane lie on the host, and moving them between there and registers.
 *
 * An instruction finds its places first, by a reach_ function of its address space, and then moves what its table row
 * names, a load, a store or an atomic operation:
 *
 *     struct access a;
 *     if (reach_memory(w, i, address, w->exec, store_b64.bytes, EMU_STORE, &a))
 *         store_b64.write(&a, values);
 *
 * The reach_ functions return 0 after a fault. Lanes that are out of bounds while that is not checked read zeros and
 * write nothing. */
#ifndef EMU_ACCESS_H
#define EMU_ACCESS_H

#include "tests/emu/lanes.h"
#include "tests/emu/rows.h"

enum { MAX_ACCESS_BYTES = 16, MAX_ACCESS_REGISTERS = 4 };

struct access {
    unsigned char *host[LANES];           /* of a lane that reaches nothing: none, for reading only */
    u64 reached;                          /* lanes that take part and are in bounds */
    unsigned char none[MAX_ACCESS_BYTES]; /* zeros */
};

/* ---- Address spaces -----------------------------------------------------------------------------------------------
 * mask: the lanes that take part. */

int reach_memory(struct wave *w, const struct insn *i, const u64 address[LANES], u64 mask, unsigned bytes,
                 enum emu_access kind, struct access *a);
int reach_lds(struct wave *w, const struct insn *i, const u32 address[LANES], u64 mask, unsigned bytes,
              enum emu_access kind, struct access *a);
int reach_private(struct wave *w, const struct insn *i, const i64 offset[LANES], u64 mask, unsigned bytes,
                  enum emu_access kind, struct access *a);

/* ---- Loads and stores ---------------------------------------------------------------------------------------------
 * d16 loads fill one half of the register, and as MI355X has SRAM ECC, clear the other (CDNA4 ISA, "16-bit Memory
 * Operations"). hi stores take the high half. */

struct load {
    void (*read)(const struct access *a, lanes *out); /* for all lanes, also those that reach nothing */
    uint8_t bytes, registers;
    uint8_t slot; /* bytes that a lane gets in LDS by a load to LDS; 0: there is no such load */
};

struct store {
    void (*write)(const struct access *a, const lanes *in);
    uint8_t bytes;
};

extern const struct load load_u8, load_i8, load_u16, load_i16, load_b32, load_b64, load_b96, load_b128;
extern const struct load load_u8_d16, load_u8_d16_hi, load_i8_d16, load_i8_d16_hi, load_b16_d16, load_b16_d16_hi;
extern const struct store store_b8, store_b8_hi, store_b16, store_b16_hi, store_b32, store_b64, store_b96, store_b128;

/* The result of a memory operation: writes registers from register dst on, in the lanes of EXEC, at once or when it is
 * waited for (pending.h). */
void put_registers(struct wave *w, unsigned dst, const lanes *values, unsigned count);

/* For loads to LDS: value is what the load has read; lanes stand side by side from base + i->imm on. */
void put_in_lds(struct wave *w, const struct insn *i, u32 base, const struct load *load, const lanes *values);

/* ---- Atomic operations: one lane after the other, each atomic on the host too -------------------------------------*/

struct atomic {
    void (*apply)(const struct access *a, const lanes *data, const lanes *data2, lanes *old);
    uint8_t bytes;
};

#define OP(name, type, operands, meaning) extern const struct atomic atomic_##name;
#include "tests/emu/isa/atomic.def"
#undef OP

/* ---- Whole instructions -------------------------------------------------------------------------------------------
 * reach: the addresses of all lanes of EXEC, as the instruction says. */

typedef int reach_fn(struct wave *w, const struct insn *i, unsigned bytes, enum emu_access kind, struct access *a);

void run_load(struct wave *w, const struct insn *i, reach_fn *reach, const struct load *load);
void run_load_lds(struct wave *w, const struct insn *i, reach_fn *reach, const struct load *load);
void run_store(struct wave *w, const struct insn *i, reach_fn *reach, const struct store *store);
/* data and data2: operand codes. returns: i->dst gets what memory held. */
void run_atomic(struct wave *w, const struct insn *i, reach_fn *reach, const struct atomic *op, unsigned data,
                unsigned data2, int returns);
/* The operands as FLAT, GLOBAL and MUBUF have them: the second behind the first; sc0 asks for the return. */
void run_memory_atomic(struct wave *w, const struct insn *i, reach_fn *reach, const struct atomic *op);

/* What one row of isa/vmem.def becomes: a function, and an entry of a table. */
#define VMEM_FUNCTION(space, name, run, what)                                                                          \
    static void exec_##space##_##name(struct wave *w, const struct insn *i)                                            \
    {                                                                                                                  \
        run(w, i, reach_##space, &what);                                                                               \
    }
#define VMEM_ENTRY(space, opcode, name, flags, result, data)                                                           \
    [opcode] = {#space "_" #name, exec_##space##_##name, flags, result, {0, data}, 0, 0},
#define VMEM_ATOMIC(space, opcode, name, operation)                                                                    \
    VMEM_ENTRY(space, opcode, name, OP_LOADS | OP_STORES, ATOMIC_##operation,                                          \
               OPERANDS_##operation * ATOMIC_##operation)

#endif
