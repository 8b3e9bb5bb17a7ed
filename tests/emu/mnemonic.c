/* Names of decoded instructions. */
#include "tests/emu/emu.h"
#include "tests/emu/insn.h"

#include <stdio.h>

void insn_mnemonic(const struct insn *i, char mnemonic[64])
{
    const char *suffix = "";
    int vop = i->format == FORMAT_VOP1 || i->format == FORMAT_VOP2 || i->format == FORMAT_VOPC;
    if (vop && i->flags & INSN_SDWA)
        suffix = "_sdwa";
    else if (vop && i->flags & INSN_DPP)
        suffix = "_dpp";
    else if (vop && !(i->op->flags & OP_NO_SUFFIX))
        suffix = i->flags & INSN_E64 ? "_e64" : "_e32";
    if (i->flags & INSN_SCALED) /* v_mfma_f32_... becomes v_mfma_scale_f32_... */
        snprintf(mnemonic, 64, "v_mfma_scale_%s", i->op->mnemonic + sizeof "v_mfma_" - 1);
    else
        snprintf(mnemonic, 64, "%s%s", i->op->mnemonic, suffix);
}

void register_name(unsigned code, char name[16])
{
    static const char *const special[] = {[102] = "flat_scratch_lo", [103] = "flat_scratch_hi", [104] = "xnack_mask_lo",
                                          [105] = "xnack_mask_hi",   [106] = "vcc_lo",          [107] = "vcc_hi",
                                          [124] = "m0",              [126] = "exec_lo",         [127] = "exec_hi"};
    if (code >= OPERAND_VGPR)
        snprintf(name, 16, "%c%u", code < OPERAND_AGPR ? 'v' : 'a', code & 255);
    else if (code < sizeof special / sizeof special[0] && special[code])
        snprintf(name, 16, "%s", special[code]);
    else if (code == OPERAND_SCC)
        snprintf(name, 16, "scc");
    else
        snprintf(name, 16, "s%u", code);
}

unsigned emu_decode(const void *code, size_t bytes, char mnemonic[64])
{
    struct insn i;
    unsigned length = insn_decode(code, bytes, &i);
    if (length) insn_mnemonic(&i, mnemonic);
    return length;
}
