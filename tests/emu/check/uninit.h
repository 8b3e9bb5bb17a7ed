/* The uninit check: values that come from a register, an LDS byte or a byte of memory that nothing has written, and
 * decide a branch, an address, a store or a matrix product. */
#ifndef EMU_UNINIT_H
#define EMU_UNINIT_H

#include "tests/emu/access.h"
#include "tests/emu/effects.h"

struct uninit;           /* of a wave: which bits of its registers are defined */
struct uninit_workgroup; /* which bytes of LDS are */

struct uninit *uninit_create(const struct wave *w); /* NULL: out of memory */
void uninit_destroy(struct uninit *u);
struct uninit_workgroup *uninit_create_workgroup(const struct workgroup *wg);
void uninit_destroy_workgroup(struct uninit_workgroup *u);
void uninit_start_workgroup(struct workgroup *wg, unsigned scalars);

/* Executes the instruction and follows what it makes of undefined values. */
void uninit_execute(struct wave *w, const struct insn *i, const struct effects *e);

/* From the reach_ functions; see checks.h. */
int uninit_memory(struct wave *w, const struct insn *i, const u64 address[LANES], unsigned bytes, enum emu_access kind,
                  struct access *a);
int uninit_lds(struct wave *w, const struct insn *i, const u32 address[LANES], unsigned bytes, enum emu_access kind,
               struct access *a);
int uninit_private(struct wave *w, const struct insn *i, const i64 offset[LANES], unsigned bytes, enum emu_access kind,
                   struct access *a);
const unsigned char *uninit_scalar_load(struct wave *w, const struct insn *i, u64 address, unsigned dwords,
                                        const unsigned char *from);

#endif
