/* The text of constants that stand for something: counters, messages, hardware registers, patterns of lanes. Names as
 * LLVM's assembler has them for gfx950. */
#include "tests/emu/disassemble.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/*  15   14 13 12 11    8  7 6    4 3     0
 * | vm 5:4|     | lgkm  |  | exp  | vm 3:0|  a counter is left out at its maximum, but not all are */
static void counters(struct line *l, uint32_t counts)
{
    uint32_t vm = (counts & 15) | (counts >> 10 & 48), exp = counts >> 4 & 7, lgkm = counts >> 8 & 15;
    int all = vm == 63 && exp == 7 && lgkm == 15;
    if (all || vm != 63) line_put(l, " vmcnt(%u)", vm);
    if (all || exp != 7) line_put(l, " expcnt(%u)", exp);
    if (all || lgkm != 15) line_put(l, " lgkmcnt(%u)", lgkm);
}

/*  9     8 6  4 3    0
 * | stream | op | id  |  those of the geometry shader and of the system have an operation */
enum { MSG_GS = 2, MSG_GS_DONE = 3, MSG_SYSMSG = 15 };

static void message(struct line *l, uint32_t value)
{
    static const char *const names[] = {
        [1] = "MSG_INTERRUPT",         [MSG_GS] = "MSG_GS",
        [MSG_GS_DONE] = "MSG_GS_DONE", [4] = "MSG_SAVEWAVE",
        [5] = "MSG_STALL_WAVE_GEN",    [6] = "MSG_HALT_WAVES",
        [7] = "MSG_ORDERED_PS_DONE",   [8] = "MSG_EARLY_PRIM_DEALLOC",
        [9] = "MSG_GS_ALLOC_REQ",      [10] = "MSG_GET_DOORBELL",
    };
    static const char *const operations[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
    static const char *const system[] = {
        [1] = "SYSMSG_OP_ECC_ERR_INTERRUPT",
        [2] = "SYSMSG_OP_REG_RD",
        [3] = "SYSMSG_OP_HOST_TRAP_ACK",
        [4] = "SYSMSG_OP_TTRACE_PC",
    };
    uint32_t id = value & 15, operation = value >> 4 & 7, stream = value >> 8 & 3;
    int graphics = id == MSG_GS || id == MSG_GS_DONE, named = id < COUNT(names) && names[id];
    line_next(l);
    if (graphics && operation > 0 && operation < COUNT(operations))
        line_put(l, "sendmsg(%s, %s, %u)", names[id], operations[operation], stream);
    else if (id == MSG_SYSMSG && operation > 0 && operation < COUNT(system) && stream == 0)
        line_put(l, "sendmsg(MSG_SYSMSG, %s)", system[operation]);
    else if (id == MSG_GS_DONE && operation == 0 && stream == 0)
        line_put(l, "sendmsg(%s, %s)", names[id], operations[0]);
    else if (named && !graphics && operation == 0 && stream == 0)
        line_put(l, "sendmsg(%s)", names[id]);
    else if (value & ~0x37fu)
        line_put(l, "%u", value);
    else
        line_put(l, "sendmsg(%u, %u, %u)", id, operation, stream);
}

static void gpr_idx(struct line *l, uint32_t modes)
{
    static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
    line_next(l);
    if (modes & ~15u) {
        line_put(l, "0x%x", modes);
        return;
    }
    const char *comma = "";
    line_put(l, "gpr_idx(");
    for (uint32_t n = 0; n < COUNT(names); n++)
        if (modes >> n & 1) line_put(l, "%s%s", comma, names[n]), comma = ",";
    line_put(l, ")");
}

/*  15    11 10     6 5    0
 * | size-1 | offset |  id  |  the whole register is 0, 32 */
static void hw_register(struct line *l, uint32_t value)
{
    static const char *const names[] = {
        [1] = "HW_REG_MODE",
        [2] = "HW_REG_STATUS",
        [3] = "HW_REG_TRAPSTS",
        [4] = "HW_REG_HW_ID",
        [5] = "HW_REG_GPR_ALLOC",
        [6] = "HW_REG_LDS_ALLOC",
        [7] = "HW_REG_IB_STS",
        [15] = "HW_REG_SH_MEM_BASES",
        [16] = "HW_REG_TBA_LO",
        [17] = "HW_REG_TBA_HI",
        [18] = "HW_REG_TMA_LO",
        [19] = "HW_REG_TMA_HI",
        [20] = "HW_REG_XCC_ID",
        [21] = "HW_REG_SQ_PERF_SNAPSHOT_DATA",
        [22] = "HW_REG_SQ_PERF_SNAPSHOT_DATA1",
        [23] = "HW_REG_SQ_PERF_SNAPSHOT_PC_LO",
        [24] = "HW_REG_SQ_PERF_SNAPSHOT_PC_HI",
    };
    uint32_t id = value & 63, offset = value >> 6 & 31, size = (value >> 11 & 31) + 1;
    line_next(l);
    line_put(l, "hwreg(");
    if (id < COUNT(names) && names[id])
        line_put(l, "%s", names[id]);
    else
        line_put(l, "%u", id);
    if (offset != 0 || size != 32) line_put(l, ", %u, %u", offset, size);
    line_put(l, ")");
}

static void line_sopk(struct line *l, const struct insn *i, uint32_t constant)
{
    line_destination(l, i);
    if (i->op->flags & OP_HW_REGISTER) {
        hw_register(l, constant);
        line_source(l, i, 0);
        if (i->op->flags & OP_LITERAL) {
            line_next(l);
            line_operand(l, i, OPERAND_LITERAL, 1, 1);
        }
        return;
    }
    if (!insn_destination_dwords(i)) line_source(l, i, 0);
    line_next(l);
    line_put(l, i->op->flags & OP_BRANCH ? "%u" : "0x%x", constant);
}

void line_constant(struct line *l, const struct insn *i)
{
    uint32_t constant = (uint32_t)i->imm & 0xffff;
    if (i->format == FORMAT_SOPK) {
        line_sopk(l, i, constant);
        return;
    }
    switch (i->op->modifiers) {
    case CONSTANT_none:
        break;
    case CONSTANT_counts:
        counters(l, constant);
        break;
    case CONSTANT_message:
        message(l, constant);
        break;
    case CONSTANT_gpr_idx:
        gpr_idx(l, i->format == FORMAT_SOPC ? i->src[1] : constant);
        break;
    case CONSTANT_optional:
        if (constant) line_put(l, " %u", constant);
        break;
    default:
        line_next(l);
        if (i->op->flags & OP_BRANCH)
            line_put(l, "%u", constant);
        else
            line_number(l, constant);
        break;
    }
}

/* ---- ds_swizzle_b32 -----------------------------------------------------------------------------------------------
 * The offset: 0xe000 on FFT, 0xc000 on rotation, 0x8000 on an order of four lanes, else masks and, or, xor of five bits
 * each. Some masks have names. */
void line_swizzle(struct line *l, uint32_t offset)
{
    uint32_t and = offset & 31, or = offset >> 5 & 31, xor = offset >> 10 & 31;
    if (offset == 0) return;
    line_put(l, " offset:");
    if (offset >= 0xe000)
        line_put(l, "swizzle(FFT,%u)", and);
    else if (offset >= 0xc000)
        line_put(l, "swizzle(ROTATE,%u,%u)", offset >> 10 & 1, or);
    else if ((offset & 0xff00) == 0x8000)
        line_put(l, "swizzle(QUAD_PERM,%u,%u,%u,%u)", offset & 3, offset >> 2 & 3, offset >> 4 & 3, offset >> 6 & 3);
    else if (offset & 0x8000)
        line_put(l, "%u", offset);
    else if (and == 31 && or == 0 && xor&&!(xor&(xor-1)))
        line_put(l, "swizzle(SWAP,%u)", xor);
    else if (and == 31 && or == 0 && xor&&!(xor&(xor+1)))
        line_put(l, "swizzle(REVERSE,%u)", xor+1);
    else {
        uint32_t group = 32 - and;
        if (group > 1 && !(group & (group - 1)) && or < group && xor == 0) {
            line_put(l, "swizzle(BROADCAST,%u,%u)", group, or);
            return;
        }
        line_put(l, "swizzle(BITMASK_PERM,\"");
        for (uint32_t bit = 16; bit; bit >>= 1) {
            int zero = (((and&0) | or) ^ xor) & bit ? 1 : 0, one = (((and&bit) | or) ^ xor) & bit ? 1 : 0;
            line_put(l, "%c", zero == one ? (char)('0' + zero) : one ? 'p' : 'i');
        }
        line_put(l, "\")");
    }
}
