/* Tables of vector instructions with operands and results, and the function that runs them.
 *
 *     static const struct valu_case cases[] = {
 *         I("v_lshl_add_u32 v0, v2, v4, v6", 0xd1fd0000, 0x041a0902)     the instruction, as llvm-mc encodes it
 *         R(3, 4, 5, 0, 53)                                              a, b, c, the old d and what d becomes
 *     };
 *
 * a is in v[2:3], b in v[4:5], c in v[6:7], d in v[0:1]; the scalars with these numbers hold the same. Every other lane
 * is off and has to keep its d. */
#ifndef TESTS_VALU_CASES_H
#define TESTS_VALU_CASES_H

#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

struct valu_case {
    const char *text; /* NULL: values for the instruction above */
    uint32_t code[2];
    uint64_t a, b, c, d, expected;
};

#define I(text, ...) {text, {__VA_ARGS__}, 0, 0, 0, 0, 0},
#define R(a, b, c, d, expected) {NULL, {0}, a, b, c, d, expected},

#define VALU_RUN(cases) valu_run(cases, sizeof(cases) / sizeof(cases)[0])

static inline int valu_mnemonic_is(const struct insn *i, const char *text)
{
    char mnemonic[64];
    insn_mnemonic(i, mnemonic);
    size_t length = strcspn(text, " ");
    return strlen(mnemonic) == length && memcmp(mnemonic, text, length) == 0;
}

static inline void valu_set(struct fixture *f, unsigned reg, uint64_t value)
{
    fixture_fill_v(f, reg, (uint32_t)value);
    fixture_fill_v(f, reg + 1, (uint32_t)(value >> 32));
    fixture_set_s64(f, reg, value);
}

static inline void valu_run_in_mode(const struct valu_case *cases, size_t count, uint32_t mode)
{
    const struct valu_case *now = cases;
    struct fixture *f = fixture_create();
    f->wave.mode = mode;
    f->wave.exec = UINT64_C(0x5555555555555555);
    for (const struct valu_case *c = cases; c < cases + count; c++) {
        if (c->text) {
            now = c;
            continue;
        }
        valu_set(f, 0, c->d);
        valu_set(f, 2, c->a);
        valu_set(f, 4, c->b);
        valu_set(f, 6, c->c);
        int runs = fixture_run(f, now->code, now->code[1] ? 2 : 1) && valu_mnemonic_is(&f->insn, now->text);
        char operands[64], got[1536], expected[512];
        snprintf(operands, sizeof operands, "0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64, c->a, c->b, c->c);
        snprintf(expected, sizeof expected, "%s of %s: 0x%" PRIx64 "/0x%" PRIx64, now->text, operands, c->expected,
                 c->d);
        snprintf(got, sizeof got, "%s of %s: 0x%" PRIx64 "/0x%" PRIx64 "%s", now->text, operands, fixture_v64(f, 0, 62),
                 fixture_v64(f, 0, 63), f->error.text);
        CHECK_STR(runs ? got : "an instruction that does not decode", expected);
    }
    fixture_destroy(f);
}

static inline void valu_run(const struct valu_case *cases, size_t count)
{
    valu_run_in_mode(cases, count, FIXTURE_MODE);
}

#endif
