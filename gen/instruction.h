/* What an instruction of gfx950 is, as far as its text and its first dword tell: the class of what executes it, what it
 * moves, and where the program goes on after it. */
#ifndef MXG_GEN_INSTRUCTION_H
#define MXG_GEN_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

/* An s_waitcnt is a wait. What takes a turn to issue and does nothing else, as s_nop and s_setprio, is other. */
enum gen_class {
    GEN_CLASS_MFMA,
    GEN_CLASS_VALU,
    GEN_CLASS_SALU,
    GEN_CLASS_VMEM, /* with the cache controls, such as buffer_inv */
    GEN_CLASS_SMEM,
    GEN_CLASS_LDS, /* with exchanges between lanes, such as ds_bpermute_b32 */
    GEN_CLASS_WAIT,
    GEN_CLASS_BRANCH, /* and s_endpgm */
    GEN_CLASS_BARRIER,
    GEN_CLASS_OTHER,
    GEN_CLASSES
};

extern const char *const gen_class_names[GEN_CLASSES]; /* "mfma" */

/* Bytes that a wave moves if all of its lanes take part. An atomic loads and stores. */
struct gen_traffic {
    uint32_t loaded, stored;        /* of memory, by vector instructions */
    uint32_t scalar_loaded;         /* of memory, for the wave as a whole */
    uint32_t lds_read, lds_written; /* a load from memory to LDS is in `loaded` and in `lds_written` */
};

enum gen_flow {
    GEN_FLOW_NEXT,
    GEN_FLOW_JUMP,   /* to the target */
    GEN_FLOW_BRANCH, /* to the target or to the next */
    GEN_FLOW_END     /* of the wave, or to an address in a register */
};

struct gen_instruction {
    uint64_t address;
    char *text; /* as LLVM writes it, without blanks before it */
    uint32_t bytes;
    enum gen_class class;
    enum gen_flow flow;
    uint64_t target; /* of a jump or a branch */
    struct gen_traffic traffic;
};

/* Fills in what follows from address, text and the first dword. */
void gen_instruction_classify(struct gen_instruction *instruction, uint32_t dword);

/* The index of the instruction at that address, of `count` in order of addresses; count: there is none. */
size_t gen_instruction_at(const struct gen_instruction *code, size_t count, uint64_t address);

/* What a number of instructions are together. */
struct gen_tally {
    uint32_t instructions, bytes; /* of code */
    uint32_t classes[GEN_CLASSES];
    struct gen_traffic traffic;
};

void gen_tally_add(struct gen_tally *tally, const struct gen_instruction *instruction);

#endif
