#include "tests/emu/check/checks.h"
#include "tests/emu/check/pending.h"

#include <inttypes.h>

static int checks_bounds(const struct wave *w)
{
    return (w->workgroup->run->launch->checks & EMU_CHECK_BOUNDS) != 0;
}

static void reach_nothing(struct access *a, int l)
{
    a->host[l] = a->none;
    a->reached &= ~(UINT64_C(1) << l);
}

static void begin(struct access *a, u64 mask)
{
    a->reached = mask;
    memset(a->none, 0, sizeof a->none);
}

/* ---- Address spaces -----------------------------------------------------------------------------------------------
 * The common case, all 64 lanes in bounds, is one loop without branches: an offset is in 0..last if neither it nor
 * last - offset has its sign bit set. Everything else goes lane by lane. */

static int all_in_one_allocation(struct wave *w, const u64 address[LANES], unsigned bytes, struct access *a)
{
    if (!emu_memory(w->workgroup->run->emu, &w->hit, address[0], bytes)) return 0;
    u64 start = w->hit.address, last = w->hit.bytes - bytes, signs = 0, offset[LANES];
    for (int l = 0; l < LANES; l++) {
        offset[l] = address[l] - start;
        signs |= offset[l] | (last - offset[l]);
    }
    if (signs >> 63) return 0;
    unsigned char *data = w->hit.data;
    for (int l = 0; l < LANES; l++) a->host[l] = data + offset[l];
    return 1;
}

int reach_memory(struct wave *w, const struct insn *i, const u64 address[LANES], u64 mask, unsigned bytes,
                 enum emu_access kind, struct access *a)
{
    begin(a, mask);
    if (kind != EMU_STORE && (kind == EMU_ATOMIC || i->flags & INSN_SC1)) w->workgroup->polls = 1;
    if (mask == UINT64_MAX && all_in_one_allocation(w, address, bytes, a))
        return !w->watched || checks_memory(w, i, address, bytes, kind, a);
    struct emu *emu = w->workgroup->run->emu;
    for (int l = 0; l < LANES; l++) {
        a->host[l] = mask >> l & 1 ? emu_memory(emu, &w->hit, address[l], bytes) : a->none;
        if (a->host[l]) continue;
        if (checks_bounds(w)) {
            char where[256];
            emu_describe(emu, address[l], bytes, where, sizeof where);
            wave_fault(w, i, "bounds", l, "%s of %s", emu_access_name(kind), where);
            return 0;
        }
        reach_nothing(a, l);
    }
    return !w->watched || checks_memory(w, i, address, bytes, kind, a);
}

static int all_in_lds(const struct workgroup *wg, const u32 address[LANES], unsigned bytes, struct access *a)
{
    if (wg->lds_bytes < bytes) return 0;
    u32 last = wg->lds_bytes - bytes, signs = 0;
    for (int l = 0; l < LANES; l++) signs |= address[l] | (last - address[l]);
    if (signs >> 31) return 0;
    unsigned char *lds = wg->lds;
    for (int l = 0; l < LANES; l++) a->host[l] = lds + address[l];
    return 1;
}

int reach_lds(struct wave *w, const struct insn *i, const u32 address[LANES], u64 mask, unsigned bytes,
              enum emu_access kind, struct access *a)
{
    const struct workgroup *wg = w->workgroup;
    begin(a, mask);
    if (mask == UINT64_MAX && all_in_lds(wg, address, bytes, a))
        return !w->watched || checks_lds(w, i, address, bytes, kind, a);
    for (int l = 0; l < LANES; l++) {
        int inside = (u64)address[l] + bytes <= wg->lds_bytes;
        if (mask >> l & 1 && !inside && checks_bounds(w)) {
            wave_fault(w, i, "bounds", l, "%s of %u bytes at LDS offset 0x%x; the workgroup has %u bytes",
                       emu_access_name(kind), bytes, address[l], wg->lds_bytes);
            return 0;
        }
        if (mask >> l & 1 && inside)
            a->host[l] = wg->lds + address[l];
        else
            reach_nothing(a, l);
    }
    return !w->watched || checks_lds(w, i, address, bytes, kind, a);
}

int reach_private(struct wave *w, const struct insn *i, const i64 offset[LANES], u64 mask, unsigned bytes,
                  enum emu_access kind, struct access *a)
{
    begin(a, mask);
    for (int l = 0; l < LANES; l++) {
        int inside = offset[l] >= 0 && (u64)offset[l] + bytes <= w->scratch_bytes;
        if (mask >> l & 1 && !inside && checks_bounds(w)) {
            wave_fault(w, i, "bounds", l, "%s of %u bytes at scratch offset %" PRId64 "; a lane has %u bytes",
                       emu_access_name(kind), bytes, offset[l], w->scratch_bytes);
            return 0;
        }
        if (mask >> l & 1 && inside)
            a->host[l] = w->scratch + (size_t)l * w->scratch_bytes + offset[l];
        else
            reach_nothing(a, l);
    }
    return !w->watched || checks_private(w, i, offset, bytes, kind, a);
}

/* ---- Loads --------------------------------------------------------------------------------------------------------*/

/* Up to a dword: x is what memory holds, value what the register gets. */
#define LOAD_PART(kind, type, slot, value)                                                                             \
    static void read_##kind(const struct access *a, lanes *out)                                                        \
    {                                                                                                                  \
        for (int l = 0; l < LANES; l++) {                                                                              \
            type x;                                                                                                    \
            memcpy(&x, a->host[l], sizeof x);                                                                          \
            out->u32[l] = (u32)(value);                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    const struct load load_##kind = {read_##kind, sizeof(type), 1, slot};

LOAD_PART(u8, uint8_t, 4, x)
LOAD_PART(i8, int8_t, 4, x)
LOAD_PART(u16, uint16_t, 4, x)
LOAD_PART(i16, int16_t, 4, x)
LOAD_PART(u8_d16, uint8_t, 0, x)
LOAD_PART(u8_d16_hi, uint8_t, 0, (u32)x << 16)
LOAD_PART(i8_d16, int8_t, 0, (u16)x)
LOAD_PART(i8_d16_hi, int8_t, 0, (u32)(u16)x << 16)
LOAD_PART(b16_d16, uint16_t, 0, x)
LOAD_PART(b16_d16_hi, uint16_t, 0, (u32)x << 16)
LOAD_PART(b32, uint32_t, 4, x)

/* Four lanes of four dwords to four registers of four lanes, or back. */
typedef u32 u32x4 __attribute__((vector_size(16)));
typedef u64 u64x2 __attribute__((vector_size(16)));

static inline void transpose(u32x4 x[4])
{
    u32x4 low[2], high[2];
    for (int n = 0; n < 2; n++) {
        low[n] = __builtin_shufflevector(x[2 * n], x[2 * n + 1], 0, 4, 1, 5);
        high[n] = __builtin_shufflevector(x[2 * n], x[2 * n + 1], 2, 6, 3, 7);
    }
    x[0] = __builtin_shufflevector(low[0], low[1], 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(low[0], low[1], 2, 3, 6, 7);
    x[2] = __builtin_shufflevector(high[0], high[1], 0, 1, 4, 5);
    x[3] = __builtin_shufflevector(high[0], high[1], 2, 3, 6, 7);
}

#define LOAD_DWORDS(kind, count, slot)                                                                                 \
    static void read_##kind(const struct access *a, lanes *out)                                                        \
    {                                                                                                                  \
        for (int l = 0; l < LANES; l += 4) {                                                                           \
            u32x4 x[4];                                                                                                \
            for (int n = 0; n < 4; n++) {                                                                              \
                u64 low, high = 0; /* the rest, if any */                                                              \
                memcpy(&low, a->host[l + n], sizeof low);                                                              \
                memcpy(&high, a->host[l + n] + sizeof low, 4 * count - sizeof low);                                    \
                x[n] = (u32x4)(u64x2){low, high};                                                                      \
            }                                                                                                          \
            transpose(x);                                                                                              \
            for (int n = 0; n < count; n++) memcpy(&out[n].u32[l], &x[n], sizeof x[n]);                                \
        }                                                                                                              \
    }                                                                                                                  \
    const struct load load_##kind = {read_##kind, 4 * count, count, slot};

LOAD_DWORDS(b64, 2, 0)
LOAD_DWORDS(b96, 3, 16)
LOAD_DWORDS(b128, 4, 16)

void put_registers(struct wave *w, unsigned dst, const lanes *values, unsigned count)
{
    if (w->pending)
        pending_registers(w, dst, values, count);
    else
        for (unsigned n = 0; n < count; n++) blend(vector_register(w, dst + n), &values[n], w->exec);
}

static void load_registers(struct wave *w, unsigned dst, const struct access *a, const struct load *load)
{
    if (w->exec == UINT64_MAX && !w->pending) {
        load->read(a, vector_register(w, dst));
        return;
    }
    lanes values[MAX_ACCESS_REGISTERS];
    load->read(a, values);
    put_registers(w, dst, values, load->registers);
}

/* ---- Stores: x is the register of the lane ------------------------------------------------------------------------*/

#define STORE_PART(kind, type, value)                                                                                  \
    static void write_##kind(const struct access *a, const lanes *in)                                                  \
    {                                                                                                                  \
        for (int l = 0; l < LANES; l++) {                                                                              \
            if (!(a->reached >> l & 1)) continue;                                                                      \
            u32 x = in->u32[l];                                                                                        \
            type stored = (type)(value);                                                                               \
            memcpy(a->host[l], &stored, sizeof stored);                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    const struct store store_##kind = {write_##kind, sizeof(type)};

STORE_PART(b8, uint8_t, x)
STORE_PART(b8_hi, uint8_t, x >> 16)
STORE_PART(b16, uint16_t, x)
STORE_PART(b16_hi, uint16_t, x >> 16)
STORE_PART(b32, uint32_t, x)

#define STORE_DWORDS(kind, count)                                                                                      \
    static void write_##kind(const struct access *a, const lanes *in)                                                  \
    {                                                                                                                  \
        for (int l = 0; l < LANES; l += 4) {                                                                           \
            u32x4 x[4] = {{0}};                                                                                        \
            for (int n = 0; n < count; n++) memcpy(&x[n], &in[n].u32[l], sizeof x[n]);                                 \
            transpose(x);                                                                                              \
            for (int n = 0; n < 4; n++)                                                                                \
                if (a->reached >> (l + n) & 1) memcpy(a->host[l + n], &x[n], 4 * count);                               \
        }                                                                                                              \
    }                                                                                                                  \
    const struct store store_##kind = {write_##kind, 4 * count};

STORE_DWORDS(b64, 2)
STORE_DWORDS(b96, 3)
STORE_DWORDS(b128, 4)

/* ---- Loads to LDS -------------------------------------------------------------------------------------------------
 * A lane gets a slot of one dword, or of four from three dwords on (CDNA4 ISA, "Memory Buffer Load to LDS"). */

void put_in_lds(struct wave *w, const struct insn *i, u32 base, const struct load *load, const lanes *values)
{
    static const struct store *const stores[MAX_ACCESS_REGISTERS + 1] = {
        [1] = &store_b32, [3] = &store_b96, [4] = &store_b128};
    const struct store *store = stores[load->registers];
    u32 address[LANES];
    struct access a;
    for (u32 l = 0; l < LANES; l++) address[l] = base + (u32)i->imm + l * load->slot;
    if (!reach_lds(w, i, address, w->exec, store->bytes, EMU_STORE, &a)) return;
    if (w->pending)
        pending_lds(w, &a, store, values);
    else
        store->write(&a, values);
}

/* ---- Whole instructions -------------------------------------------------------------------------------------------*/

void run_load(struct wave *w, const struct insn *i, reach_fn *reach, const struct load *load)
{
    struct access a;
    if (reach(w, i, load->bytes, EMU_LOAD, &a)) load_registers(w, i->dst, &a, load);
}

void run_load_lds(struct wave *w, const struct insn *i, reach_fn *reach, const struct load *load)
{
    struct access a;
    lanes values[MAX_ACCESS_REGISTERS];
    if (!reach(w, i, load->bytes, EMU_LOAD, &a)) return;
    load->read(&a, values);
    put_in_lds(w, i, w->m0 & 0x3fffc, load, values); /* M0[17:2], in dwords */
}

void run_store(struct wave *w, const struct insn *i, reach_fn *reach, const struct store *store)
{
    struct access a;
    if (reach(w, i, store->bytes, EMU_STORE, &a)) store->write(&a, vector_register(w, i->src[1]));
}

void run_atomic(struct wave *w, const struct insn *i, reach_fn *reach, const struct atomic *op, unsigned data,
                unsigned data2, int returns)
{
    struct access a;
    lanes old[2] = {0};
    if (!reach(w, i, op->bytes, EMU_ATOMIC, &a)) return;
    for (int l = 0; l < LANES; l++)
        if ((a.reached >> l & 1) && (uintptr_t)a.host[l] % op->bytes) {
            wave_fault(w, i, "align", l, "atomic of %u bytes at an address that is no multiple of that", op->bytes);
            return;
        }
    op->apply(&a, vector_register(w, data), vector_register(w, data2), old);
    if (returns) put_registers(w, i->dst, old, op->bytes / 4);
}

void run_memory_atomic(struct wave *w, const struct insn *i, reach_fn *reach, const struct atomic *op)
{
    run_atomic(w, i, reach, op, i->src[1], i->src[1] + op->bytes / 4u, i->flags & INSN_SC0);
}
