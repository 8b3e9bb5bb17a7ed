/* DS: loads, stores, pairs and transposing loads. */
#include "tests/isa/memory_fixture.h"
#include "tests/isa/rows.h"

/* v10 is the address: unaligned, 20 bytes apart, backwards, and every case has an offset. */
enum { ADDRESS = 10, STEP = 20, FIRST = 4099, OFFSET = 517 };

static void set_addresses(struct fixture *f, unsigned char *at[LANES])
{
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t address = FIRST + (LANES - 1 - l) * STEP;
        fixture_set_v(f, ADDRESS, l, address);
        at[l] = f->workgroup.lds + address + OFFSET;
    }
}

static const struct move_case loads[] = {
    {"ds_read_u8 v4, v10 offset:517", {0xd8740205, 0x0400000a}, U8},
    {"ds_read_i8 v4, v10 offset:517", {0xd8720205, 0x0400000a}, I8},
    {"ds_read_u16 v4, v10 offset:517", {0xd8780205, 0x0400000a}, U16},
    {"ds_read_i16 v4, v10 offset:517", {0xd8760205, 0x0400000a}, I16},
    {"ds_read_b32 v4, v10 offset:517", {0xd86c0205, 0x0400000a}, B32},
    {"ds_read_b64 v[4:5], v10 offset:517", {0xd8ec0205, 0x0400000a}, B64},
    {"ds_read_b96 v[4:6], v10 offset:517", {0xd9fc0205, 0x0400000a}, B96},
    {"ds_read_b128 v[4:7], v10 offset:517", {0xd9fe0205, 0x0400000a}, B128},
    {"ds_read_u8_d16 v4, v10 offset:517", {0xd8ac0205, 0x0400000a}, U8_LOW},
    {"ds_read_u8_d16_hi v4, v10 offset:517", {0xd8ae0205, 0x0400000a}, U8_HIGH},
    {"ds_read_i8_d16 v4, v10 offset:517", {0xd8b00205, 0x0400000a}, I8_LOW},
    {"ds_read_i8_d16_hi v4, v10 offset:517", {0xd8b20205, 0x0400000a}, I8_HIGH},
    {"ds_read_u16_d16 v4, v10 offset:517", {0xd8b40205, 0x0400000a}, B16_LOW},
    {"ds_read_u16_d16_hi v4, v10 offset:517", {0xd8b60205, 0x0400000a}, B16_HIGH},
};

static void loads_of_all_kinds(void)
{
    struct fixture *f = fixture_create();
    unsigned char *at[LANES];
    fill_pattern(f->workgroup.lds, FIXTURE_LDS_BYTES, 1);
    set_addresses(f, at);
    for (size_t n = 0; n < sizeof loads / sizeof loads[0]; n++)
        for (int m = 0; m < MOVE_MASKS; m++) check_load(f, &loads[n], (const unsigned char *const *)at, move_masks[m]);
    fixture_destroy(f);
}

static const struct move_case stores[] = {
    {"ds_write_b8 v10, v2 offset:517", {0xd83c0205, 0x0000020a}, U8},
    {"ds_write_b8_d16_hi v10, v2 offset:517", {0xd8a80205, 0x0000020a}, U8_HIGH},
    {"ds_write_b16 v10, v2 offset:517", {0xd83e0205, 0x0000020a}, U16},
    {"ds_write_b16_d16_hi v10, v2 offset:517", {0xd8aa0205, 0x0000020a}, B16_HIGH},
    {"ds_write_b32 v10, v2 offset:517", {0xd81a0205, 0x0000020a}, B32},
    {"ds_write_b64 v10, v[2:3] offset:517", {0xd89a0205, 0x0000020a}, B64},
    {"ds_write_b96 v10, v[2:4] offset:517", {0xd9bc0205, 0x0000020a}, B96},
    {"ds_write_b128 v10, v[2:5] offset:517", {0xd9be0205, 0x0000020a}, B128},
};

static void stores_of_all_kinds(void)
{
    struct fixture *f = fixture_create();
    unsigned char *at[LANES];
    set_addresses(f, at);
    for (size_t n = 0; n < sizeof stores / sizeof stores[0]; n++)
        for (int m = 0; m < MOVE_MASKS; m++)
            check_store(f, &stores[n], at, f->workgroup.lds, FIXTURE_LDS_BYTES, move_masks[m]);
    fixture_destroy(f);
}

/* An AGPR as the data register: the acc bit. */
static void accumulation_registers(void)
{
    struct fixture *f = fixture_create();
    static const struct move_case c[] = {
        {"ds_write_b32 v10, a2", {0xda1a0000, 0x0000020a}, B32},
        {"ds_read_b32 a4, v10 offset:4", {0xda6c0004, 0x0400000a}, B32},
    };
    fixture_fill_v(f, 256 + 2, 0x12345678);
    fixture_run(f, c[0].code, 2);
    fixture_set_v(f, ADDRESS, 5, 996);
    memcpy(f->workgroup.lds + 1000, "\1\2\3\4", 4);
    fixture_run(f, c[1].code, 2);
    CHECK_EQ(f->workgroup.lds[0] | f->workgroup.lds[3] << 24, 0x12000078);
    CHECK_EQ(fixture_v(f, 256 + 4, 5), 0x04030201);
    fixture_destroy(f);
}

static void bounds(void)
{
    struct fixture *f = fixture_create();
    static const struct move_case c[] = {
        {"ds_read_b64 v[4:5], v10 offset:8", {0xd8ec0008, 0x0400000a}, B64},
        {"ds_write_b32 v10, v2 offset:8", {0xd81a0008, 0x0000020a}, B32},
    };
    const unsigned char *at[LANES] = {0};
    f->workgroup.lds_bytes = 100;
    fixture_fill_v(f, ADDRESS, 84);
    memset(f->workgroup.lds, 0xab, 200);
    for (int l = 0; l < LANES; l++) at[l] = f->workgroup.lds + 92;
    check_load(f, &c[0], at, UINT64_MAX); /* the last 8 bytes */
    fixture_set_v(f, ADDRESS, 9, 85);
    f->wave.exec = 1 << 9;
    check_fault(f, c[0].text, c[0].code, "bounds", "load of 8 bytes at LDS offset 0x5d");
    fixture_set_v(f, ADDRESS, 9, UINT32_MAX - 3); /* wraps to 4 */
    check_load(f, &c[0], at, ~(UINT64_C(1) << 9));
    f->launch.checks = 0;
    fixture_set_v(f, ADDRESS, 9, 85);
    at[9] = NULL;
    check_load(f, &c[0], at, UINT64_MAX);
    fixture_fill_v(f, ADDRESS, 89);
    fixture_run(f, c[1].code, 2);
    CHECK_EQ(f->workgroup.lds[97], 0xab);
    CHECK(!fixture_run(f, (uint32_t[]){c[0].code[0] | 1u << 16, c[0].code[1]}, 2)); /* with the gds bit */
    fixture_destroy(f);
}

/* ---- Two places ---------------------------------------------------------------------------------------------------*/

struct pair_case {
    const char *text;
    uint32_t code[2];
    unsigned dwords, first, second; /* distances in bytes */
};

static const struct pair_case pairs[] = {
    {"ds_read2_b32 v[4:5], v10 offset0:3 offset1:250", {0xd86efa03, 0x0400000a}, 1, 12, 1000},
    {"ds_read2st64_b32 v[4:5], v10 offset0:2 offset1:1", {0xd8700102, 0x0400000a}, 1, 512, 256},
    {"ds_read2_b64 v[4:7], v10 offset0:255 offset1:1", {0xd8ee01ff, 0x0400000a}, 2, 2040, 8},
    {"ds_read2st64_b64 v[4:7], v10 offset0:1 offset1:3", {0xd8f00301, 0x0400000a}, 2, 512, 1536},
    {"ds_write2_b32 v10, v2, v6 offset0:3 offset1:250", {0xd81cfa03, 0x0006020a}, 1, 12, 1000},
    {"ds_write2st64_b32 v10, v2, v6 offset0:9 offset1:1", {0xd81e0109, 0x0006020a}, 1, 2304, 256},
    {"ds_write2_b64 v10, v[2:3], v[6:7] offset0:255 offset1:69", {0xd89c45ff, 0x0006020a}, 2, 2040, 552},
    {"ds_write2st64_b64 v10, v[2:3], v[6:7] offset1:3", {0xd89e0300, 0x0006020a}, 2, 0, 1536},
    {"ds_wrxchg2_rtn_b32 v[4:5], v10, v2, v6 offset0:3 offset1:250", {0xd85cfa03, 0x0406020a}, 1, 12, 1000},
    {"ds_wrxchg2st64_rtn_b32 v[4:5], v10, v2, v6 offset0:9 offset1:1", {0xd85e0109, 0x0406020a}, 1, 2304, 256},
    {"ds_wrxchg2_rtn_b64 v[4:7], v10, v[2:3], v[6:7] offset0:255 offset1:69", {0xd8dc45ff, 0x0406020a}, 2, 2040, 552},
    {"ds_wrxchg2st64_rtn_b64 v[4:7], v10, v[2:3], v[6:7] offset1:3", {0xd8de0300, 0x0406020a}, 2, 0, 1536},
};

static void two_places(void)
{
    struct fixture *f = fixture_create();
    unsigned char *before = malloc(FIXTURE_LDS_BYTES);
    if (!before) abort();
    for (size_t n = 0; n < sizeof pairs / sizeof pairs[0]; n++) {
        const struct pair_case *c = &pairs[n];
        int returns = n < 4 || n >= 8, writes = n >= 4, wrong = 0;
        fill_pattern(f->workgroup.lds, FIXTURE_LDS_BYTES, (uint32_t)n);
        memcpy(before, f->workgroup.lds, FIXTURE_LDS_BYTES);
        f->wave.exec = 0xffffffff0fffffff;
        for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, ADDRESS, l, 16 * l);
        for (unsigned r = 0; r < 8; r++) /* v4 to v7 too: data operands and destination overlap */
            for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, r, l, l * 1000003 + r * 7919);
        CHECK(fixture_run(f, c->code, 2) && !fixture_faulted(f));
        for (unsigned l = 0; l < LANES; l++) {
            for (unsigned d = 0; d < 2 * c->dwords; d++) {
                unsigned second = d >= c->dwords, from = (second ? c->second : c->first) + 4 * (d % c->dwords);
                int on = (int)(f->wave.exec >> l & 1), base = (int)l * 1000003;
                uint32_t old, sent = (uint32_t)base + ((second ? 6 : 2) + d % c->dwords) * 7919;
                uint32_t own = (uint32_t)base + (4 + d) * 7919;
                memcpy(&old, before + 16 * l + from, sizeof old);
                if (returns) wrong += fixture_v(f, 4 + d, l) != (on ? old : own);
                wrong += lds_dword(f, 16 * l + from) != (on && writes ? sent : old);
            }
        }
        if (wrong) test_fail(__FILE__, __LINE__, "%s: %d values are wrong", c->text, wrong);
    }
    free(before);
    fixture_destroy(f);
}

static void two_places_that_are_one(void)
{
    struct fixture *f = fixture_create();
    static const struct move_case c[] = {
        {"ds_write2_b32 v10, v2, v6 offset0:1 offset1:1", {0xd81c0101, 0x0006020a}, B64},
        {"ds_wrxchg2_rtn_b32 v[4:5], v10, v2, v7 offset0:1 offset1:1", {0xd85c0101, 0x0407020a}, B64},
    };
    for (uint32_t n = 0; n < 2; n++) {
        fixture_fill_v(f, 2, 22 + n);
        fixture_fill_v(f, 6, 66);
        CHECK(fixture_run(f, c[n].code, 2));
        CHECK_EQ(lds_dword(f, 4), 22 + n);
    }
    fixture_destroy(f);
}

/* ---- Transposition ------------------------------------------------------------------------------------------------*/

static const struct {
    const char *text;
    uint32_t code[2];
    unsigned bits, bytes;
} transposes[] = {
    {"ds_read_b64_tr_b16 v[4:5], v10", {0xd9c60000, 0x0400000a}, 16, 8},
    {"ds_read_b64_tr_b8 v[4:5], v10", {0xd9c40000, 0x0400000a}, 8, 8},
    {"ds_read_b64_tr_b4 v[4:5], v10", {0xd9c00000, 0x0400000a}, 4, 8},
    {"ds_read_b96_tr_b6 v[4:6], v10", {0xd9c20000, 0x0400000a}, 6, 12},
};

/* Element e of what lane l reads is number l % 16 * count + e of a matrix with 16 columns; each 16 lanes have one. */
static void transposing_loads(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof transposes / sizeof transposes[0]; n++) {
        unsigned bits = transposes[n].bits, count = transposes[n].bytes * 8 / bits, wrong = 0;
        unsigned matrix[4][256];
        memset(f->workgroup.lds, 0, 2048);
        for (unsigned l = 0; l < LANES; l++) {
            fixture_set_v(f, ADDRESS, l, 16 * (LANES - 1 - l));
            for (unsigned e = 0; e < count; e++) {
                unsigned value = (l * 29 + e * 7 + l / 16) & ((1u << bits) - 1);
                matrix[l / 16][l % 16 * count + e] = value;
                for (unsigned b = 0; b < bits; b++)
                    f->workgroup.lds[16 * (LANES - 1 - l) + (e * bits + b) / 8] |=
                        (unsigned char)((value >> b & 1) << (e * bits + b) % 8);
            }
        }
        CHECK(fixture_run(f, transposes[n].code, 2) && !fixture_faulted(f));
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned row = 0; row < count; row++) {
                unsigned value = 0;
                for (unsigned b = 0; b < bits; b++)
                    value |= (fixture_v(f, 4 + (row * bits + b) / 32, l) >> (row * bits + b) % 32 & 1) << b;
                wrong += value != matrix[l / 16][row * 16 + l % 16];
            }
        if (wrong) test_fail(__FILE__, __LINE__, "%s: %u elements are wrong", transposes[n].text, wrong);
    }
    fixture_set_v(f, ADDRESS, 3, 12);
    check_fault(f, transposes[0].text, transposes[0].code, "align", "transposition");
    f->wave.exec = 1;
    check_fault(f, transposes[0].text, transposes[0].code, "unknown", "switched off");
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("lds");
}

int main(void)
{
    TEST(loads_of_all_kinds);
    TEST(stores_of_all_kinds);
    TEST(accumulation_registers);
    TEST(bounds);
    TEST(two_places);
    TEST(two_places_that_are_one);
    TEST(transposing_loads);
    TEST(every_row);
    return test_end();
}
