/* Scalar instructions with a 16-bit constant, among them those that reach hardware registers. */
#include "tests/emu/rows.h"
#include "tests/emu/salu.h"

#define k i->imm
#define S(opcode, name, D, A, meaning, flag) SALU(name, D, A, none, meaning, flag)
#define U(opcode, name, D, A, flags, meaning, flag) SALU(name, D, A, none, meaning, flag)
#define C(opcode, name, A, meaning) SCMP(name, A, none, meaning)
#define F(opcode, name, ...)
#define Z(...)
#include "tests/emu/isa/sopk.def"
#undef S
#undef U
#undef C
#undef F
#undef k

static void exec_s_call_b64(struct wave *w, const struct insn *i)
{
    set_scalar64(w, i->dst, w->next_pc);
    w->next_pc += (u64)((i64)i->imm * 4);
}

/* ---- Hardware registers -------------------------------------------------------------------------------------------*/

enum { HW_REG_MODE = 1, HW_REG_STATUS = 2, HW_REG_HW_ID = 4, HW_REG_XCC_ID = 20 };

/*  15    11 10     6 5    0
 * | size-1 | offset |  id  |  simm16 of s_getreg and s_setreg */
struct hw_field {
    unsigned id, offset, size;
};

static struct hw_field hw_field(const struct insn *i)
{
    unsigned imm = (unsigned)i->imm;
    return (struct hw_field){.id = imm & 63, .offset = imm >> 6 & 31, .size = (imm >> 11 & 31) + 1};
}

/* How workgroups go to the compute units of an XCD is a guess: in turn. */
enum { CUS = 8, SHADER_ENGINES = 4 };

static u64 flat_workgroup(const struct wave *w)
{
    const uint32_t *id = w->workgroup->id, *grid = w->workgroup->run->launch->grid;
    return id[0] + (u64)grid[0] * (id[1] + (u64)grid[1] * id[2]);
}

/*  31  20 19   16 15   13 12 11    8 7    6 5     4 3     0
 * |  ... | tg_id | se_id |  | cu_id | pipe | simd  | wave  |  HW_ID */
static u32 hw_id(const struct wave *w)
{
    u64 in_xcd = flat_workgroup(w) / EMU_XCDS;
    u32 cu = (u32)(in_xcd % CUS), engine = (u32)(in_xcd / CUS % SHADER_ENGINES);
    return engine << 13 | cu << 8 | w->index % EMU_SIMDS << 4 | (w->index / EMU_SIMDS & 15);
}

/*  16    11    10   9     0
 * |valid|in_tg|vccz|execz|scc|  STATUS; all else reads as 0 */
static u32 hw_status(const struct wave *w)
{
    return 1u << 16 | (w->workgroup->wave_count > 1 ? 1u << 11 : 0) | (w->vcc == 0 ? 1u << 10 : 0) |
           (w->exec == 0 ? 1u << 9 : 0) | w->scc;
}

static void exec_s_getreg_b32(struct wave *w, const struct insn *i)
{
    struct hw_field f = hw_field(i);
    u32 value;
    switch (f.id) {
    case HW_REG_MODE: value = w->mode; break;
    case HW_REG_STATUS: value = hw_status(w); break;
    case HW_REG_HW_ID: value = hw_id(w); break;
    case HW_REG_XCC_ID: value = (u32)(flat_workgroup(w) % EMU_XCDS); break;
    default: wave_fault(w, i, "unknown", -1, "hardware register %u cannot be read in the emulator", f.id); return;
    }
    set_scalar32(w, i->dst, (u32)low_bits(value >> f.offset, f.size));
}

/* Of MODE, these may change freely; the rest selects arithmetic (3:0 rounding, 7:6 denormals of f16 and f64, 23
 * overflow of f16), traps or indexing that the emulator does not do, and stays as the launch has set and checked it.
 *  31 28 27        26  24 23        22 21 20     12 11   10       9    8          7   4 3   0
 * | ... |gpr_idx_en| ... |fp16_ovfl|  ... |excp_en|debug|lod_clmp|ieee|dx10_clamp|denorm|round|  MODE */
enum { MODE_FREE = MODE_F32_DENORMALS_IN | MODE_F32_DENORMALS_OUT | MODE_DX10_CLAMP | MODE_IEEE };

static void set_hw_register(struct wave *w, const struct insn *i, u32 value)
{
    struct hw_field f = hw_field(i);
    if (f.id != HW_REG_MODE) {
        wave_fault(w, i, "unknown", -1, "hardware register %u cannot be written in the emulator", f.id);
        return;
    }
    u32 mask = (u32)(low_bits(~0u, f.size) << f.offset), mode = (w->mode & ~mask) | (value << f.offset & mask);
    if ((mode ^ w->mode) & ~(u32)MODE_FREE) {
        wave_fault(w, i, "unknown", -1, "MODE 0x%x is not one that the emulator computes in (it was 0x%x)", mode,
                   w->mode);
        return;
    }
    w->mode = mode;
}

static void exec_s_setreg_b32(struct wave *w, const struct insn *i)
{
    set_hw_register(w, i, scalar32(w, i, i->src[0]));
}

static void exec_s_setreg_imm32_b32(struct wave *w, const struct insn *i)
{
    set_hw_register(w, i, i->literal);
}

const struct op sopk_ops[32] = {
#define S(opcode, name, D, A, meaning, flag) TYPED_ROW(opcode, name, SCC_FLAGS(flag), D, A, none, none)
#define U(opcode, name, D, A, flags, meaning, flag) TYPED_ROW(opcode, name, SCC_FLAGS(flag) | flags, D, A, none, none)
#define C(opcode, name, A, meaning) TYPED_ROW(opcode, name, OP_WRITES_SCC, none, A, none, none)
#define F(opcode, name, flags, d, a) [opcode] = {#name, exec_##name, flags, d, {a}, 0, 0},
#undef Z
#define Z UNUSED_ROW
#include "tests/emu/isa/sopk.def"
#undef S
#undef U
#undef C
#undef F
};
