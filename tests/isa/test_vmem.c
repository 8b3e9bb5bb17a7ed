/* GLOBAL, FLAT, SCRATCH and MUBUF: loads and stores in all ways of addressing, to LDS, and what is out of range. */
#include "tests/isa/memory_fixture.h"
#include "tests/isa/rows.h"

/* ---- All loads and stores in all ways of addressing ---------------------------------------------------------------
 * The opcodes are the same in the four encodings: a way is one instruction, into which each opcode is put. */

static const struct {
    uint32_t opcode;
    const char *name;
    struct moved moved;
} loads[] = {{16, "ubyte", U8},           {17, "sbyte", I8},        {18, "ushort", U16},
             {19, "sshort", I16},         {20, "dword", B32},       {21, "dwordx2", B64},
             {22, "dwordx3", B96},        {23, "dwordx4", B128},    {32, "ubyte_d16", U8_LOW},
             {33, "ubyte_d16_hi", U8_HIGH}, {34, "sbyte_d16", I8_LOW}, {35, "sbyte_d16_hi", I8_HIGH},
             {36, "short_d16", B16_LOW},  {37, "short_d16_hi", B16_HIGH}},
  stores[] = {{24, "byte", U8},   {25, "byte_d16_hi", U8_HIGH}, {26, "short", U16},   {27, "short_d16_hi", B16_HIGH},
              {28, "dword", B32}, {29, "dwordx2", B64},         {30, "dwordx3", B96}, {31, "dwordx4", B128}};

enum way { PAIR, BASE, STACK, RESOURCE };

static const struct {
    const char *text;
    uint32_t code[2];
    enum way way;
    int offset;                         /* of the instruction */
    int vector, scalar, index, soffset; /* which registers it adds: v10 (or v11), s6, v10, s7 */
} ways[] = {
    {"global_load_dword v4, v[10:11], off offset:-2048", {0xdc509800, 0x047f000a}, PAIR, -2048, 1, 0, 0, 0},
    {"global_load_dword v4, v[10:11], off offset:4095", {0xdc508fff, 0x047f000a}, PAIR, 4095, 1, 0, 0, 0},
    {"global_load_dword v4, v10, s[6:7] offset:-4096", {0xdc509000, 0x0406000a}, BASE, -4096, 1, 1, 0, 0},
    {"flat_load_dword v4, v[10:11] offset:4095", {0xdc500fff, 0x0400000a}, PAIR, 4095, 1, 0, 0, 0},
    {"scratch_load_dword v4, off, off offset:17", {0xdc504011, 0x047f0000}, STACK, 17, 0, 0, 0, 0},
    {"scratch_load_dword v4, off, s6 offset:-7", {0xdc505ff9, 0x04060000}, STACK, -7, 0, 1, 0, 0},
    {"scratch_load_dword v4, v10, off offset:33", {0xdc506021, 0x047f000a}, STACK, 33, 1, 0, 0, 0},
    {"scratch_load_dword v4, v10, s6 offset:-7", {0xdc507ff9, 0x0406000a}, STACK, -7, 1, 1, 0, 0},
    {"buffer_load_dword v4, off, s[12:15], s7 offset:5", {0xe0500005, 0x07030400}, RESOURCE, 5, 0, 0, 0, 1},
    {"buffer_load_dword v4, off, s[12:15], 63 offset:5", {0xe0500005, 0xbf030400}, RESOURCE, 68, 0, 0, 0, 0},
    {"buffer_load_dword v4, v10, s[12:15], s7 offen offset:4095", {0xe0501fff, 0x0703040a}, RESOURCE, 4095, 1, 0, 0, 1},
    {"buffer_load_dword v4, v10, s[12:15], s7 idxen offset:5", {0xe0502005, 0x0703040a}, RESOURCE, 5, 0, 0, 1, 1},
    {"buffer_load_dword v4, v[10:11], s[12:15], 0 idxen offen", {0xe0503000, 0x8003040a}, RESOURCE, 0, 1, 0, 1, 0},
};

enum { MEMORY_BYTES = 16384, SCALAR = 1001, STRIDE = 36, SOFFSET = 77 };

/* Sets the registers and says where the bytes of the lanes lie; 20 unaligned bytes each, where they differ at all. */
static void address_lanes(struct fixture *f, size_t n, uint64_t memory, unsigned char *host, unsigned char *at[LANES])
{
    fixture_set_s64(f, 6, ways[n].way == BASE ? memory + SCALAR : SCALAR);
    if (ways[n].way == RESOURCE) f->wave.sgpr[7] = SOFFSET;
    fixture_set_s64(f, 12, memory | (uint64_t)STRIDE << 48);
    f->wave.sgpr[14] = 8000;
    f->wave.sgpr[15] = 0x00020000;
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t vector = ways[n].vector ? 20 * (LANES - l) + 3 + (ways[n].offset < 0 ? 4096 : 0) : 0;
        uint64_t position = vector + (uint64_t)(int64_t)ways[n].offset + (ways[n].scalar ? SCALAR : 0) +
                            (ways[n].index ? STRIDE * l : 0) + (ways[n].soffset ? SOFFSET : 0);
        if (ways[n].way == STACK) {
            vector = ways[n].vector ? 20 * (LANES - l) + 3 : 0;
            position = vector + (uint64_t)(int64_t)ways[n].offset + (ways[n].scalar ? SCALAR : 0);
            at[l] = f->wave.scratch + (size_t)l * FIXTURE_SCRATCH_BYTES + position;
        } else {
            at[l] = host + position;
        }
        if (ways[n].way == PAIR) fixture_set_v64(f, 10, l, memory + vector);
        else fixture_set_v(f, ways[n].index ? 11 : 10, l, (uint32_t)vector);
        if (ways[n].index) fixture_set_v(f, 10, l, l);
    }
}

/* The way's instruction with another opcode; name is for reports. */
static struct move_case in_way(size_t n, uint32_t opcode, const char *name, struct moved moved, uint32_t data)
{
    static char text[128];
    snprintf(text, sizeof text, "%s (as %s)", ways[n].text, name);
    struct move_case c = {text, {(ways[n].code[0] & ~(0x7fu << 18)) | opcode << 18, ways[n].code[1]}, moved};
    if (ways[n].way == RESOURCE) c.code[1] = (c.code[1] & ~0xff00u) | data << 8;
    else c.code[1] |= MOVE_DATA << 8;
    return c;
}

static unsigned char *allocate(struct fixture *f, size_t bytes, uint64_t *address)
{
    if (emu_alloc(f->run.emu, bytes, address, NULL)) abort();
    return emu_memory(f->run.emu, &f->wave.hit, *address, bytes);
}

static void all_loads(void)
{
    struct fixture *f = fixture_create();
    uint64_t memory;
    unsigned char *host = allocate(f, MEMORY_BYTES, &memory), *at[LANES];
    fill_pattern(host, MEMORY_BYTES, 1);
    fill_pattern(f->wave.scratch, (size_t)LANES * FIXTURE_SCRATCH_BYTES, 2);
    for (size_t n = 0; n < sizeof ways / sizeof ways[0]; n++)
        for (size_t k = 0; k < sizeof loads / sizeof loads[0]; k++)
            for (int m = 0; m < MOVE_MASKS; m++) {
                struct move_case c = in_way(n, loads[k].opcode, loads[k].name, loads[k].moved, MOVE_DST);
                address_lanes(f, n, memory, host, at);
                check_load(f, &c, (const unsigned char *const *)at, move_masks[m]);
            }
    fixture_destroy(f);
}

static void all_stores(void)
{
    struct fixture *f = fixture_create();
    uint64_t memory;
    unsigned char *host = allocate(f, MEMORY_BYTES, &memory), *at[LANES];
    for (size_t n = 0; n < sizeof ways / sizeof ways[0]; n++)
        for (size_t k = 0; k < sizeof stores / sizeof stores[0]; k++)
            for (int m = 0; m < MOVE_MASKS; m++) {
                struct move_case c = in_way(n, stores[k].opcode, stores[k].name, stores[k].moved, MOVE_DATA);
                int stack = ways[n].way == STACK;
                address_lanes(f, n, memory, host, at);
                if (!stack && !ways[n].vector && !ways[n].index && m == 0) continue; /* all lanes at one place */
                check_store(f, &c, at, stack ? f->wave.scratch : host,
                            stack ? (size_t)LANES * FIXTURE_SCRATCH_BYTES : MEMORY_BYTES, move_masks[m]);
            }
    fixture_destroy(f);
}

/* ---- FLAT's windows -----------------------------------------------------------------------------------------------*/

static void flat_windows(void)
{
    static const struct move_case
        load = {"flat_load_dwordx2 v[4:5], v[10:11] offset:3", {0xdc540003, 0x0400000a}, B64},
        store = {"flat_store_dwordx3 v[10:11], v[2:4] offset:3", {0xdc780003, 0x0000020a}, B96};
    struct fixture *f = fixture_create();
    uint64_t memory, window[2] = {(uint64_t)scalar_special(&f->wave, OPERAND_SHARED_BASE) << 32,
                                  (uint64_t)scalar_special(&f->wave, OPERAND_PRIVATE_BASE) << 32};
    unsigned char *host = allocate(f, 2048, &memory), *at[LANES];
    fill_pattern(host, 2048, 1);
    fill_pattern(f->workgroup.lds, 2048, 2);
    fill_pattern(f->wave.scratch, (size_t)LANES * FIXTURE_SCRATCH_BYTES, 3);
    for (unsigned l = 0; l < LANES; l++) { /* by turns in memory, LDS and scratch */
        fixture_set_v64(f, 10, l, (l % 3 ? window[l % 3 - 1] : memory) + 16 * l);
        at[l] = (l % 3 == 0 ? host : l % 3 == 1 ? f->workgroup.lds : f->wave.scratch + l * FIXTURE_SCRATCH_BYTES) +
                16 * l + 3;
    }
    for (int m = 0; m < MOVE_MASKS; m++) check_load(f, &load, (const unsigned char *const *)at, move_masks[m]);
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, l + 100);
    f->wave.exec = ~UINT64_C(0x70);
    CHECK(fixture_run(f, store.code, 2) && !fixture_faulted(f));
    for (unsigned l = 0; l < LANES; l++) CHECK_EQ(*at[l] == l + 100, l < 4 || l > 6);
    f->wave.exec = 2;
    fixture_set_v64(f, 10, 1, window[0] + FIXTURE_LDS_BYTES - 14);
    check_fault(f, store.text, store.code, "bounds", "LDS offset 0x27ff5");
    fixture_set_v64(f, 10, 1, window[1] + FIXTURE_SCRATCH_BYTES - 10);
    check_fault(f, store.text, store.code, "bounds", "a lane has 4096 bytes");
    f->launch.checks = 0;
    at[1] = NULL;
    check_load(f, &load, (const unsigned char *const *)at, 2);
    fixture_destroy(f);
}

/* ---- Out of bounds ------------------------------------------------------------------------------------------------*/

static void bounds(void)
{
    static const struct move_case
        load = {"global_load_dwordx4 v[4:7], v10, s[6:7]", {0xdc5c8000, 0x0406000a}, B128},
        store = {"global_store_dwordx2 v10, v[2:3], s[6:7]", {0xdc748000, 0x0006020a}, B64},
        stack = {"scratch_load_dword v4, v10, off", {0xdc506000, 0x047f000a}, B32};
    struct fixture *f = fixture_create();
    uint64_t memory;
    unsigned char *host = allocate(f, 1024, &memory);
    const unsigned char *at[LANES];
    fill_pattern(host, 1024, 1);
    fixture_set_s64(f, 6, memory);
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v(f, 10, l, 16 * l);
        at[l] = host + 16 * l;
    }
    check_load(f, &load, at, UINT64_MAX); /* up to the very end */
    fixture_set_v(f, 10, 63, 1009);
    check_fault(f, load.text, load.code, "bounds", "load of 16 bytes at 0x");
    CHECK_HAS(f->error.text, "offset 1009 in the 1024 bytes");
    CHECK_HAS(f->error.text, "lane 63");
    check_load(f, &load, at, INT64_MAX); /* without that lane */
    fixture_set_v(f, 10, 5, 2000);
    check_fault(f, store.text, store.code, "bounds", "store of 8 bytes at 0x");
    CHECK_HAS(f->error.text, "976 bytes past the end");
    f->launch.checks = 0;
    at[5] = at[63] = NULL;
    check_load(f, &load, at, UINT64_MAX);
    CHECK(fixture_run(f, store.code, 2) && !fixture_faulted(f));
    f->launch.checks = EMU_CHECK_BOUNDS;
    fixture_set_s64(f, 6, 16);
    check_fault(f, load.text, load.code, "bounds", "in no allocation");
    f->wave.exec = 1;
    fixture_set_v(f, 10, 0, FIXTURE_SCRATCH_BYTES - 3);
    check_fault(f, stack.text, stack.code, "bounds", "scratch offset 4093");
    fixture_destroy(f);
}

/* ---- Range of a buffer resource -----------------------------------------------------------------------------------*/

static void buffer_range(void)
{
    static const struct move_case
        load = {"buffer_load_dwordx4 v[4:7], v10, s[12:15], s7 offen offset:4", {0xe05c1004, 0x0703040a}, B128},
        store = {"buffer_store_dwordx4 v[2:5], v10, s[12:15], s7 offen offset:4", {0xe07c1004, 0x0703020a}, B128},
        byte = {"buffer_load_ubyte v4, v10, s[12:15], s7 offen offset:4", {0xe0401004, 0x0703040a}, U8},
        byte_store = {"buffer_store_byte v2, v10, s[12:15], s7 offen offset:4", {0xe0601004, 0x0703020a}, U8},
        record = {"buffer_load_dwordx2 v[4:5], v10, s[12:15], s7 idxen offset:4", {0xe0542004, 0x0703040a}, B64};
    struct fixture *f = fixture_create();
    uint64_t memory;
    unsigned char *host = allocate(f, 4096, &memory), zeros[16] = {0}, part[16] = {0};
    const unsigned char *at[LANES];
    fill_pattern(host, 4096, 1);
    fixture_set_s64(f, 12, memory | UINT64_C(8) << 48);
    f->wave.sgpr[14] = 512;
    f->wave.sgpr[7] = 64; /* is added, but not compared */
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v(f, 10, l, 8 * l);
        at[l] = 8 * l + 4 < 512 ? host + 64 + 8 * l + 4 : zeros;
    }
    memcpy(part, host + 64 + 500, 12);
    at[62] = part; /* offset 500: three dwords are in range */
    part[12] = part[13] = part[14] = part[15] = 0;
    memcpy(zeros, host + 64 + 508, 4);
    at[63] = zeros; /* offset 508: one */
    check_load(f, &load, at, UINT64_MAX);
    check_load(f, &load, at, UINT64_MAX << 60);
    fixture_fill_v(f, 2, 0x22222222);
    fixture_fill_v(f, 3, 0x33333333);
    f->wave.exec = UINT64_C(1) << 63;
    CHECK(fixture_run(f, store.code, 2) && !fixture_faulted(f));
    CHECK_EQ(host[64 + 508], 0x22);
    CHECK(host[64 + 512] != 0x33);
    f->wave.exec = 3;
    fixture_set_v(f, 10, 0, 507);
    fixture_set_v(f, 10, 1, 508);
    host[64 + 511] = host[64 + 512] = 0;
    CHECK(fixture_run(f, byte_store.code, 2) && !fixture_faulted(f));
    CHECK_EQ(host[64 + 511] | host[64 + 512] << 8, 0x22);
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v(f, 10, l, 508 - 64 + l);
        at[l] = l < 64 ? host + 64 + 508 - 64 + l + 4 : NULL;
    }
    fixture_set_v(f, 10, 0, 508);
    fixture_set_v(f, 10, 1, UINT32_MAX - 3); /* the sum does not wrap */
    at[0] = at[1] = NULL;
    check_load(f, &byte, at, UINT64_MAX);
    f->wave.sgpr[14] = 10;
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v(f, 10, l, l);
        at[l] = l < 10 ? host + 64 + 8 * l + 4 : NULL;
    }
    check_load(f, &record, at, UINT64_MAX);
    f->wave.sgpr[13] |= 1u << 31;
    check_fault(f, record.text, record.code, "unknown", "swizzled");
    memset(&f->wave.sgpr[12], 0, 16); /* an unbound resource */
    memset(at, 0, sizeof at);
    check_load(f, &load, at, UINT64_MAX);
    fixture_destroy(f);
}

/* ---- To LDS -------------------------------------------------------------------------------------------------------*/

static const struct {
    const char *text;
    uint32_t code[2];
    struct moved moved;
    unsigned offset, slot; /* in LDS, with M0 0x10405: GLOBAL and SCRATCH take it as dwords */
} to_lds[] = {
    {"global_load_lds_ubyte v[10:11], off offset:8", {0xdc988008, 0x007f000a}, U8, 0x10404 + 8, 4},
    {"global_load_lds_sbyte v[10:11], off offset:8", {0xdc9c8008, 0x007f000a}, I8, 0x10404 + 8, 4},
    {"global_load_lds_ushort v[10:11], off offset:8", {0xdca08008, 0x007f000a}, U16, 0x10404 + 8, 4},
    {"global_load_lds_sshort v[10:11], off offset:8", {0xdca48008, 0x007f000a}, I16, 0x10404 + 8, 4},
    {"global_load_lds_dword v[10:11], off offset:8", {0xdca88008, 0x007f000a}, B32, 0x10404 + 8, 4},
    {"global_load_lds_dwordx3 v[10:11], off offset:8", {0xddf88008, 0x007f000a}, B96, 0x10404 + 8, 16},
    {"global_load_lds_dwordx4 v[10:11], off offset:8", {0xddf48008, 0x007f000a}, B128, 0x10404 + 8, 16},
    {"buffer_load_sbyte v12, s[12:15], 0 offen offset:8 lds", {0xe0451008, 0x8003000c}, I8, 0x10405 + 8, 4},
    {"buffer_load_dword v12, s[12:15], 0 offen offset:8 lds", {0xe0511008, 0x8003000c}, B32, 0x10405 + 8, 4},
    {"buffer_load_dwordx3 v12, s[12:15], 0 offen offset:8 lds", {0xe0591008, 0x8003000c}, B96, 0x10405 + 8, 16},
    {"buffer_load_dwordx4 v12, s[12:15], 0 offen offset:8 lds", {0xe05d1008, 0x8003000c}, B128, 0x10405 + 8, 16},
    {"scratch_load_lds_dword v12, off offset:8", {0xdca86008, 0x007f000c}, B32, 0x10404 + 8, 4},
    {"scratch_load_lds_sshort v12, off offset:8", {0xdca46008, 0x007f000c}, I16, 0x10404 + 8, 4},
    {"scratch_load_lds_ushort v12, off offset:8", {0xdca06008, 0x007f000c}, U16, 0x10404 + 8, 4},
    {"scratch_load_lds_sbyte v12, off offset:8", {0xdc9c6008, 0x007f000c}, I8, 0x10404 + 8, 4},
    {"scratch_load_lds_ubyte v12, off offset:8", {0xdc986008, 0x007f000c}, U8, 0x10404 + 8, 4},
};

static void loads_to_lds(void)
{
    struct fixture *f = fixture_create();
    uint64_t memory;
    unsigned char *host = allocate(f, 4096, &memory), *expected = malloc(FIXTURE_LDS_BYTES);
    if (!expected) abort();
    fill_pattern(host, 4096, 1);
    fill_pattern(f->wave.scratch, (size_t)LANES * FIXTURE_SCRATCH_BYTES, 3);
    f->wave.m0 = 0xfff00000 + 0x10405;
    fixture_set_s64(f, 12, memory);
    f->wave.sgpr[14] = 20 * 50 + 8; /* lanes from 50 on are out of range */
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v64(f, 10, l, memory + 20 * l);
        fixture_set_v(f, 12, l, 20 * l);
    }
    f->wave.exec = 0xfffffffffffff00f;
    for (size_t n = 0; n < sizeof to_lds / sizeof to_lds[0]; n++) {
        static const unsigned char zeros[16];
        fill_pattern(f->workgroup.lds, FIXTURE_LDS_BYTES, 9);
        memcpy(expected, f->workgroup.lds, FIXTURE_LDS_BYTES);
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned char *from = host + 20 * l + 8;
            if (to_lds[n].text[0] == 'b' && l >= 50) from = zeros;
            if (to_lds[n].text[0] == 's') from = f->wave.scratch + FIXTURE_SCRATCH_BYTES * l + 20 * l + 8;
            for (unsigned d = 0; d < (to_lds[n].moved.bytes + 3) / 4 && (f->wave.exec >> l & 1); d++) {
                uint32_t value = loaded(&to_lds[n].moved, from, d);
                memcpy(expected + to_lds[n].offset + to_lds[n].slot * l + 4 * d, &value, 4);
            }
        }
        CHECK(fixture_run(f, to_lds[n].code, 2));
        if (!CHECK_STR(f->error.text, "") || !CHECK_MEM(f->workgroup.lds, expected, FIXTURE_LDS_BYTES))
            printf("# %s\n", to_lds[n].text);
    }
    uint32_t pair[2] = {to_lds[8].code[0] + (1u << 18), to_lds[8].code[1]};
    CHECK(!fixture_run(f, pair, 2)); /* buffer_load_dwordx2 with lds */
    f->workgroup.lds_bytes = 0x10404;
    check_fault(f, to_lds[4].text, to_lds[4].code, "bounds", "store of 4 bytes at LDS offset 0x1040c");
    free(expected);
    fixture_destroy(f);
}

static void cache_control(void)
{
    static const struct move_case c[] = {
        {"buffer_wbl2 sc0 sc1", {0xe0a0c000, 0x00000000}, B32}, {"buffer_inv sc1", {0xe0a48000, 0x00000000}, B32},
    };
    struct fixture *f = fixture_create();
    for (int n = 0; n < 2; n++) CHECK(fixture_run(f, c[n].code, 2) && !fixture_faulted(f));
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("vmem");
}

int main(void)
{
    TEST(all_loads);
    TEST(all_stores);
    TEST(flat_windows);
    TEST(bounds);
    TEST(buffer_range);
    TEST(loads_to_lds);
    TEST(cache_control);
    TEST(every_row);
    return test_end();
}
