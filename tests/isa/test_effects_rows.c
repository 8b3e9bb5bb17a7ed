/* What insn_effects says of every row of the scalar and vector tables, against what the instruction does: it changes no
 * register but those listed as written, its results depend on no register but those listed as read, and on each of
 * these they do depend. */
#include "tests/emu/effects.h"
#include "tests/isa/random_rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { REGISTERS = 768, TRIALS = 12, NEED_TRIALS = 300 };

/* ---- Machines -----------------------------------------------------------------------------------------------------*/

struct machine {
    uint32_t sgpr[128 + SGPR_SPARE];
    uint32_t scc, mode;
    uint64_t next_pc;
    enum wave_stop stop;
    lanes vgpr[512 + VGPR_SPARE];
};

static struct fixture *fixture;
static struct machine before, after, other, other_after;

static void randomise(struct machine *m, int kind)
{
    for (int n = 0; n < 128 + SGPR_SPARE; n++) m->sgpr[n] = random_value(kind);
    for (int n = 0; n < 512 + VGPR_SPARE; n++)
        for (int l = 0; l < LANES; l++) m->vgpr[n].u32[l] = random_value(kind);
    m->scc = random32() & 1;
    m->mode = 0x3f0;
}

static uint64_t exec_of(const struct machine *m)
{
    return m->sgpr[126] | (uint64_t)m->sgpr[127] << 32;
}

static void execute(const struct insn *i, const struct machine *from, struct machine *to)
{
    struct wave *w = &fixture->wave;
    *to = *from;
    memcpy(w->sgpr, to->sgpr, sizeof to->sgpr);
    w->vgpr = to->vgpr;
    w->scc = to->scc;
    w->mode = to->mode;
    w->stop = WAVE_RUNS;
    w->pc = FIXTURE_PC;
    w->next_pc = FIXTURE_PC + i->bytes;
    fixture->run.faulted = 0;
    i->exec(w, i);
    memcpy(to->sgpr, w->sgpr, sizeof to->sgpr);
    to->scc = w->scc;
    to->mode = w->mode;
    to->next_pc = w->next_pc;
    to->stop = w->stop;
}

static uint32_t *scalar_of(struct machine *m, unsigned reg)
{
    return reg == REGISTER_SCC ? &m->scc : reg == REGISTER_MODE ? &m->mode : &m->sgpr[reg];
}

static void copy_register(struct machine *to, struct machine *from, unsigned reg)
{
    if (reg >= OPERAND_VGPR)
        to->vgpr[reg - OPERAND_VGPR] = from->vgpr[reg - OPERAND_VGPR];
    else
        *scalar_of(to, reg) = *scalar_of(from, reg);
}

static int same_lanes(const lanes *a, const lanes *b, uint64_t mask)
{
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1 && a->u32[l] != b->u32[l]) return 0;
    return 1;
}

/* ---- Effects as sets ----------------------------------------------------------------------------------------------*/

struct sets {
    struct effects e;
    uint8_t read[REGISTERS], written[REGISTERS];
    int vector;
};

static void get_sets(const struct insn *i, struct sets *s)
{
    memset(s, 0, sizeof *s);
    insn_effects(i, &s->e);
    s->vector = insn_is_vector(i);
    for (unsigned n = 0; n < s->e.count; n++)
        for (unsigned d = 0; d < s->e.effect[n].count; d++)
            (s->e.effect[n].role == WRITTEN ? s->written : s->read)[s->e.effect[n].reg + d] = 1;
}

static uint64_t lanes_that_count(const struct sets *s, const struct machine *m)
{
    return s->e.flags & IGNORES_EXEC ? UINT64_MAX : exec_of(m);
}

/* A register, or SCC or MODE, that the instruction changed and that is not listed: its code; -1: none. */
static int unlisted_change(const struct sets *s)
{
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (r >= 128 && r < OPERAND_VGPR && r != REGISTER_SCC && r != REGISTER_MODE) continue;
        if (r < OPERAND_VGPR) {
            if (!s->written[r] && *scalar_of(&before, r) != *scalar_of(&after, r)) return (int)r;
        } else {
            uint64_t may_change = s->written[r] ? lanes_that_count(s, &before) : 0;
            if (!same_lanes(&before.vgpr[r - OPERAND_VGPR], &after.vgpr[r - OPERAND_VGPR], ~may_change)) return (int)r;
        }
    }
    return -1;
}

/* Whether what is listed as written is the same in both, in those lanes; mask: bits of scalars likewise. */
static int same_results(const struct sets *s, struct machine *a, struct machine *b, uint64_t mask)
{
    if (a->stop != b->stop || a->next_pc != b->next_pc) return 0;
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (!s->written[r]) continue;
        uint32_t bits = mask == UINT64_MAX || !s->vector ? UINT32_MAX : (uint32_t)(mask >> (r & 1) * 32);
        if (r < OPERAND_VGPR && (*scalar_of(a, r) ^ *scalar_of(b, r)) & bits) return 0;
        if (r >= OPERAND_VGPR &&
            !same_lanes(&a->vgpr[r - OPERAND_VGPR], &b->vgpr[r - OPERAND_VGPR], mask & lanes_that_count(s, &before)))
            return 0;
    }
    return 1;
}

/* ---- Checks -------------------------------------------------------------------------------------------------------*/

/* Some instruction of the row that decodes; 0: no luck. */
static int make(const struct row_table *t, unsigned opcode, int plain, struct insn *i)
{
    uint32_t words[MOST_DWORDS];
    for (int tries = 0; tries < 200; tries++) {
        choose_distinct(224);
        unsigned count = t->encode(opcode, &tables[t->format].ops[opcode], plain, words);
        memcpy(fixture->text, words, count * 4);
        if (insn_decode(fixture->text, count * 4, i) == count * 4 && i->op == &tables[t->format].ops[opcode]) return 1;
    }
    return 0;
}

/* The lanes that are on: all, some, none. */
static void choose_exec(struct machine *m, int trial)
{
    uint64_t exec = trial % 3 == 0 ? UINT64_MAX : trial % 3 == 1 ? (uint64_t)random32() << 32 | random32() : 0x8001;
    memcpy(&m->sgpr[126], &exec, sizeof exec);
}

/* The third source of v_smfmac says which elements are kept: two positions that ascend in each four bits. */
static void choose_positions(const struct insn *i, struct machine *m)
{
    static const uint8_t ascending[] = {4, 8, 9, 12, 13, 14};
    if (!(i->op->flags & OP_MFMA) || !(i->op->flags & OP_READS_DST)) return;
    for (int l = 0; l < LANES; l++) {
        uint32_t all = 0;
        for (int n = 0; n < 8; n++) all |= (uint32_t)ascending[below(6)] << 4 * n;
        m->vgpr[i->src[2] - OPERAND_VGPR].u32[l] = all;
    }
}

static int check_trial(const struct insn *i, const char *name, int trial, int kind)
{
    struct sets s;
    get_sets(i, &s);
    randomise(&before, kind);
    choose_positions(i, &before);
    choose_exec(&before, trial);
    execute(i, &before, &after);
    if (after.stop == WAVE_FAULT) return 0;
    int changed = unlisted_change(&s);
    if (changed >= 0) test_fail(__FILE__, __LINE__, "%s changes register %d, which is not listed", name, changed);

    randomise(&other, kind);
    for (unsigned r = 0; r < REGISTERS; r++)
        if (s.read[r]) copy_register(&other, &before, r);
    if (s.vector && !(s.e.flags & IGNORES_EXEC)) memcpy(&other.sgpr[126], &before.sgpr[126], 8);
    execute(i, &other, &other_after);
    if (!same_results(&s, &after, &other_after, UINT64_MAX))
        test_fail(__FILE__, __LINE__, "%s depends on a register that is not listed (%s)", name, fixture->error.text);

    if (s.vector && !(s.e.flags & CROSSES_LANES)) {
        const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
        other = before;
        for (int n = 0; n < 512; n++)
            for (int l = 1; l < LANES; l += 2) other.vgpr[n].u32[l] = random_value(kind);
        execute(i, &other, &other_after);
        if (!same_results(&s, &after, &other_after, ~odd))
            test_fail(__FILE__, __LINE__, "%s lets lanes see others", name);
    }
    return 1;
}

/* Instructions of which a result does not depend on every source: constants; a message that nobody gets. */
static int ignores_sources(const char *name)
{
    if (strcmp(name, "s_sendmsg") == 0) return 1;
    return strncmp(name, "v_cmp", 5) == 0 && (strstr(name, "_f_") || strstr(name, "_t_") || strstr(name, "_tru_"));
}

/* Every dword that is read matters: changing it alone changes something. */
static void check_need(const struct row_table *t, unsigned opcode)
{
    const char *name = tables[t->format].ops[opcode].mnemonic;
    uint8_t needed[MAX_EFFECTS][64] = {{0}};
    struct insn i;
    struct sets s;
    unsigned missing = 1;
    for (int trial = 0; trial < NEED_TRIALS && missing; trial++) {
        if (!make(t, opcode, 1, &i)) return;
        get_sets(&i, &s);
        int kind = trial % 3;
        randomise(&before, kind);
        choose_positions(&i, &before);
        if (s.vector) memset(&before.sgpr[126], 0xff, 8);
        execute(&i, &before, &after);
        if (after.stop == WAVE_FAULT) continue;
        missing = 0;
        for (unsigned n = 0; n < s.e.count; n++)
            for (unsigned d = 0; d < s.e.effect[n].count && s.e.effect[n].role != WRITTEN; d++) {
                if (needed[n][d]) continue;
                unsigned reg = s.e.effect[n].reg + d;
                randomise(&other, kind);
                struct machine *changed = &other_after;
                *changed = before;
                copy_register(changed, &other, reg);
                if (reg == REGISTER_SCC) changed->scc = !before.scc;
                if (reg == REGISTER_MODE) changed->mode = before.mode ^ MODE_DX10_CLAMP;
                other = *changed;
                execute(&i, &other, &other_after);
                needed[n][d] = (uint8_t)!same_results(&s, &after, &other_after, UINT64_MAX);
                missing += !needed[n][d];
            }
    }
    for (unsigned n = 0; n < s.e.count && missing; n++)
        for (unsigned d = 0; d < s.e.effect[n].count && s.e.effect[n].role != WRITTEN; d++)
            if (!needed[n][d])
                test_fail(__FILE__, __LINE__, "%s: register %u (role %u) is listed as read but does not matter", name,
                          s.e.effect[n].reg + d, s.e.effect[n].role);
}

static void check_table(const struct row_table *t)
{
    unsigned rows = 0;
    for (unsigned opcode = 0; opcode < tables[t->format].count; opcode++) {
        const struct op *op = &tables[t->format].ops[opcode];
        if (!op->mnemonic || op->flags & OP_INDEXED || op->exec == exec_unknown) continue;
        int executed = 0;
        for (int trial = 0; trial < TRIALS || (!executed && trial < 10 * TRIALS); trial++) {
            struct insn i;
            if (!make(t, opcode, trial == 0, &i)) break;
            executed += check_trial(&i, op->mnemonic, trial, trial / 3 % 2);
        }
        if (!executed && strcmp(op->mnemonic, "s_trap") != 0)
            test_fail(__FILE__, __LINE__, "%s: no encoding of it was executed (%s)", op->mnemonic, fixture->error.text);
        if (!ignores_sources(op->mnemonic)) check_need(t, opcode);
        rows++;
    }
    printf("# %s: %u rows\n", t->name, rows);
    CHECK(rows > 0);
}

static void scalar_rows(void)
{
    for (int n = 0; n < 5; n++) check_table(&row_tables[n]);
}

static void vector_rows(void)
{
    for (int n = 5; n < 9; n++) check_table(&row_tables[n]);
}

static void packed_and_matrix_rows(void)
{
    check_table(&row_tables[9]);
}

int main(void)
{
    fixture = fixture_create();
    lanes *own = fixture->wave.vgpr;
    TEST(scalar_rows);
    TEST(vector_rows);
    TEST(packed_and_matrix_rows);
    fixture->wave.vgpr = own;
    fixture_destroy(fixture);
    return test_end();
}
