/* EXEC, for every vector row in each of its encodings: lanes that are off keep all their registers, reach no memory and
 * get no bit of a mask; with all of them off nothing happens at all. Their addresses lead nowhere. */
#include "tests/isa/encode.h"
#include "tests/test.h"

enum { SLOT = 64, MEMORY_BYTES = LANES * SLOT, STATE_REGISTERS = 512 };

static int is_vector(enum format format)
{
    return format >= FORMAT_VOP1;
}

static int is_memory(enum format format)
{
    return format >= FORMAT_DS;
}

static int heeds_exec(const char *mnemonic)
{
    return !strstr(mnemonic, "mfma") && !strstr(mnemonic, "smfmac") && !strstr(mnemonic, "readlane") &&
           !strstr(mnemonic, "writelane") && !strstr(mnemonic, "readfirstlane");
}

/* Lanes that need others to be on, else the run ends with a report. */
static int needs_all(const char *mnemonic)
{
    return strstr(mnemonic, "_tr_b") || strstr(mnemonic, "permlane");
}

/* ---- The state around an instruction ------------------------------------------------------------------------------*/

struct place {
    uint64_t address;
    unsigned char *memory;
    lanes before[STATE_REGISTERS];
};

static void fill_registers(struct fixture *f)
{
    uint32_t state = 5;
    for (unsigned reg = 0; reg < STATE_REGISTERS; reg++)
        for (unsigned l = 0; l < LANES; l++) {
            state = state * 1664525u + 1013904223u;
            f->wave.vgpr[reg].u32[l] = state;
        }
    for (unsigned l = 0; l < LANES; l++) /* positions of v_smfmac that ascend, scales that are small */
        for (unsigned reg = SRC2; reg < DATA; reg++) f->wave.vgpr[reg].u32[l] = 0x4e4e4e44 + (l << 8);
}

/* Each lane that is on has a slot of its own; the others' addresses are outside of everything. */
static void set_addresses(struct fixture *f, const struct place *p, enum format format, uint64_t exec)
{
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t on = (format == FORMAT_FLAT || format == FORMAT_GLOBAL ? p->address : 0) + l * SLOT;
        fixture_set_v64(f, ADDRESS, l, exec >> l & 1 ? on : UINT64_C(0x7ffffff07ffffff0));
    }
}

static void set_scalars(struct fixture *f, const struct place *p)
{
    for (unsigned reg = 0; reg < 106; reg++) f->wave.sgpr[reg] = 0x11111111 * (reg % 16);
    f->wave.vcc = 0x5a5a00ff5a5a00ff;
    f->wave.m0 = 0;
    f->wave.sgpr[SCALAR] = 37;
    fixture_set_s64(f, RESOURCE, p->address);
    f->wave.sgpr[RESOURCE + 2] = MEMORY_BYTES;
    f->wave.sgpr[RESOURCE + 3] = 0x00020000;
}

static uint64_t mask_of(const struct fixture *f)
{
    return f->insn.sdst == OPERAND_VCC ? f->wave.vcc : fixture_s64(f, MASK);
}

/* What lanes outside of exec hold afterwards is what they held before; returns whether any other changed. */
static int check_registers(const struct fixture *f, const struct place *p, uint64_t exec, const char *name)
{
    int changed = 0;
    for (unsigned reg = 0; reg < STATE_REGISTERS; reg++) {
        if (memcmp(&f->wave.vgpr[reg], &p->before[reg], sizeof(lanes)) == 0) continue;
        for (unsigned l = 0; l < LANES; l++) {
            if (f->wave.vgpr[reg].u32[l] == p->before[reg].u32[l]) continue;
            changed = 1;
            if (!(exec >> l & 1)) {
                test_fail(__FILE__, __LINE__, "%s changes register %u of lane %u, which is off", name, reg, l);
                return changed;
            }
        }
    }
    return changed;
}

static int all_are(const unsigned char *bytes, size_t count, unsigned char value)
{
    size_t n = 0;
    while (n < count && bytes[n] == value) n++;
    return n == count;
}

/* 1: something changed, 0: nothing, -1: the row does not have this form. */
static int run_row(struct fixture *f, struct place *p, enum format format, uint32_t opcode, enum form form,
                   uint64_t exec)
{
    const char *name = tables[format].ops[opcode].mnemonic;
    struct encoded e = encode(format, opcode, form);
    fill_registers(f);
    set_addresses(f, p, format, exec);
    set_scalars(f, p);
    memset(p->memory, 0x3c, MEMORY_BYTES);
    memset(f->workgroup.lds, 0x3c, MEMORY_BYTES);
    memset(f->wave.scratch, 0x3c, LANES * FIXTURE_SCRATCH_BYTES);
    memcpy(p->before, f->wave.vgpr, sizeof p->before);
    f->wave.exec = exec;
    if (!fixture_run(f, e.dwords, e.count) || f->insn.op != &tables[format].ops[opcode]) return -1;
    if (fixture_faulted(f) && (form == SDWA || form == DPP)) return -1;
    if (!CHECK(!fixture_faulted(f) || (needs_all(name) && exec != UINT64_MAX)))
        printf("# %s with EXEC 0x%" PRIx64 ": %s\n", name, exec, f->error.text);
    int changed = check_registers(f, p, exec, name);
    if (f->insn.op->flags & OP_SDST || format == FORMAT_VOPC) {
        changed = 1;
        if (!CHECK_EQ(mask_of(f) & ~exec, 0)) printf("# %s\n", name);
    }
    if (!CHECK_EQ(f->wave.exec & ~exec, 0)) printf("# %s\n", name);
    int memory_as_it_was = all_are(p->memory, MEMORY_BYTES, 0x3c) && all_are(f->workgroup.lds, MEMORY_BYTES, 0x3c) &&
                           all_are(f->wave.scratch, LANES * FIXTURE_SCRATCH_BYTES, 0x3c);
    if (!exec && !CHECK(memory_as_it_was)) printf("# %s\n", name);
    return changed || !memory_as_it_was;
}

static void every_vector_row(uint64_t exec)
{
    static struct place p;
    struct fixture *f = fixture_create();
    int rows = 0, changing = 0;
    REQUIRE(emu_alloc(f->run.emu, MEMORY_BYTES, &p.address, NULL) == 0);
    p.memory = emu_memory(f->run.emu, &f->wave.hit, p.address, MEMORY_BYTES);
    for (unsigned format = 0; format < FORMAT_COUNT; format++)
        for (uint32_t opcode = 0; is_vector(format) && opcode < tables[format].count; opcode++) {
            const char *name = tables[format].ops[opcode].mnemonic;
            int forms = format <= FORMAT_VOPC ? FORMS : 1;
            if (!name || !heeds_exec(name) || tables[format].ops[opcode].exec == exec_unknown) continue;
            for (int form = 0; form < forms; form++) {
                int result = run_row(f, &p, format, opcode, (enum form)form, exec);
                if (result < 0 && (form == E32 || is_memory(format))) test_fail(__FILE__, __LINE__, "%s", name);
                rows += result >= 0;
                changing += result > 0;
            }
        }
    printf("# EXEC 0x%" PRIx64 ": %d instructions, of which %d change something\n", exec, rows, changing);
    CHECK(rows > 1500);
    CHECK(exec == 0 || changing > rows * 9 / 10);
    fixture_destroy(f);
}

static void all_lanes_off(void)
{
    every_vector_row(0);
}

static void some_lanes_off(void)
{
    every_vector_row(0x8000f0a500ff1234);
    every_vector_row(1);
}

static void all_lanes_on(void)
{
    every_vector_row(UINT64_MAX);
}

/* With EXEC 0 v_readfirstlane reads lane 0; readlane and writelane go by their number. */
static void rows_that_ignore_it(void)
{
    struct fixture *f = fixture_create();
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 100 + l);
    f->wave.exec = 0;
    CHECK(fixture_run(f, (uint32_t[]){0x7e140502}, 1)); /* v_readfirstlane_b32 s10, v2 */
    CHECK_EQ(f->wave.sgpr[10], 100);
    f->wave.exec = 0xf0;
    CHECK(fixture_run(f, (uint32_t[]){0x7e140502}, 1));
    CHECK_EQ(f->wave.sgpr[10], 104);
    f->wave.exec = 0;
    f->wave.sgpr[12] = 64 + 9; /* its low six bits */
    CHECK(fixture_run(f, (uint32_t[]){0xd289000a, 0x00001902}, 2)); /* v_readlane_b32 s10, v2, s12 */
    CHECK_EQ(f->wave.sgpr[10], 109);
    CHECK(fixture_run(f, (uint32_t[]){0xd28a0002, 0x0000180a}, 2)); /* v_writelane_b32 v2, s10, s12 */
    CHECK_EQ(fixture_v(f, 2, 9), 109);
    f->wave.sgpr[10] = 7;
    CHECK(fixture_run(f, (uint32_t[]){0xd28a0002, 0x0000180a}, 2));
    CHECK_EQ(fixture_v(f, 2, 9), 7);
    CHECK_EQ(fixture_v(f, 2, 8), 108);
    fixture_destroy(f);
}

int main(void)
{
    TEST(all_lanes_off);
    TEST(some_lanes_off);
    TEST(all_lanes_on);
    TEST(rows_that_ignore_it);
    return test_end();
}
