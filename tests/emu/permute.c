/* Vector instructions that move data between lanes or between vector and scalar registers. */
#include "tests/emu/valu.h"
#include "tests/emu/valu_exec.h"

static u32 read_lane(struct wave *w, const struct insn *i, unsigned lane)
{
    return i->src[0] < OPERAND_VGPR ? scalar32(w, i, i->src[0]) : vector_register(w, i->src[0])->u32[lane];
}

/* The lane number is a scalar; from a vector register, that of the first lane. */
static unsigned lane_number(struct wave *w, const struct insn *i)
{
    return (i->src[1] < OPERAND_VGPR ? scalar32(w, i, i->src[1]) : vector_register(w, i->src[1])->u32[0]) % LANES;
}

/* Of no lane on: lane 0. */
void exec_v_readfirstlane_b32(struct wave *w, const struct insn *i)
{
    set_scalar32(w, i->dst, read_lane(w, i, w->exec ? (unsigned)__builtin_ctzll(w->exec) : 0));
}

void exec_v_readlane_b32(struct wave *w, const struct insn *i)
{
    set_scalar32(w, i->dst, read_lane(w, i, lane_number(w, i)));
}

/* Whether the lane is on does not matter. */
void exec_v_writelane_b32(struct wave *w, const struct insn *i)
{
    unsigned lane = lane_number(w, i);
    vector_register(w, i->dst)->u32[lane] = read_lane(w, i, lane);
}

/* Exchanges, of each pair of neighbouring rows, the odd one of vdst with the even one of the source. The ISA does not
 * say what a lane gets whose partner is off. */
static void swap_rows(struct wave *w, const struct insn *i, int row)
{
    lanes *even = vector_register(w, i->src[0]), *odd = vector_register(w, i->dst);
    for (int l = 0; l < LANES; l++) {
        if (l & row) continue;
        int on = w->exec >> l & 1, partner_on = w->exec >> (l + row) & 1;
        if (on != partner_on) {
            wave_fault(w, i, "unknown", l, "swaps with lane %d, of which only one is on", l + row);
            return;
        }
        if (!on) continue;
        u32 kept = even->u32[l];
        even->u32[l] = odd->u32[l + row];
        odd->u32[l + row] = kept;
    }
}

void exec_v_permlane16_swap_b32(struct wave *w, const struct insn *i)
{
    swap_rows(w, i, 16);
}

void exec_v_permlane32_swap_b32(struct wave *w, const struct insn *i)
{
    swap_rows(w, i, 32);
}
