/* Loads and stores of any address space, tested the same way: a case is an instruction and what it moves. The caller
 * says where each lane's bytes lie; expected values are put together from single bytes. */
#ifndef TESTS_MEMORY_FIXTURE_H
#define TESTS_MEMORY_FIXTURE_H

#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

/* bytes in memory; sign-extended or not; half: the register's part that it fills, 0 all, 1 low, 2 high. */
struct moved {
    unsigned bytes;
    int sign, half;
};

#define U8 {1, 0, 0}
#define I8 {1, 1, 0}
#define U16 {2, 0, 0}
#define I16 {2, 1, 0}
#define B32 {4, 0, 0}
#define B64 {8, 0, 0}
#define B96 {12, 0, 0}
#define B128 {16, 0, 0}
#define U8_LOW {1, 0, 1}
#define U8_HIGH {1, 0, 2}
#define I8_LOW {1, 1, 1}
#define I8_HIGH {1, 1, 2}
#define B16_LOW {2, 0, 1}
#define B16_HIGH {2, 0, 2}

struct move_case {
    const char *text;
    uint32_t code[2];
    struct moved moved;
};

enum { MOVE_DATA = 2, MOVE_DST = 4, MOVE_SENTINEL = 0x5a5a5a5a };

static const uint64_t move_masks[] = {UINT64_MAX, 0xf0f0000000000001, UINT64_C(1) << 63, 0};
enum { MOVE_MASKS = sizeof move_masks / sizeof move_masks[0] };

static inline void fill_pattern(unsigned char *bytes, size_t count, uint32_t seed)
{
    for (size_t n = 0; n < count; n++) {
        seed = seed * 1664525 + 1013904223;
        bytes[n] = (unsigned char)(seed >> 24);
    }
}

static inline uint32_t lds_dword(const struct fixture *f, size_t at)
{
    uint32_t value;
    memcpy(&value, f->workgroup.lds + at, sizeof value);
    return value;
}

/* What register n of a load holds, from the bytes in memory. */
static inline uint32_t loaded(const struct moved *m, const unsigned char *at, unsigned n)
{
    uint32_t value = 0, top = m->bytes == 1 ? 0x80 : 0x8000;
    for (unsigned b = 0; b < m->bytes - 4 * n && b < 4; b++) value |= (uint32_t)at[4 * n + b] << 8 * b;
    if (m->sign && value & top) value |= ~(2 * top - 1);
    if (m->half) value = (value & 0xffff) << (m->half == 2 ? 16 : 0);
    return value;
}

/* Into v4 on. at: the bytes of each lane; NULL: the lane is out of bounds and gets zeros. */
static inline void check_load(struct fixture *f, const struct move_case *c, const unsigned char *const at[LANES],
                              uint64_t exec)
{
    static const unsigned char zeros[16];
    unsigned count = (c->moved.bytes + 3) / 4, wrong = 0;
    for (unsigned n = 0; n < 5; n++) fixture_fill_v(f, MOVE_DST + n, MOVE_SENTINEL);
    f->wave.exec = exec;
    if (!fixture_run(f, c->code, 2) || fixture_faulted(f)) {
        test_fail(__FILE__, __LINE__, "%s: %s", c->text, fixture_faulted(f) ? f->error.text : "not decoded");
        return;
    }
    for (unsigned n = 0; n < 5; n++)
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t expected = MOVE_SENTINEL;
            if (n < count && (exec >> l & 1)) expected = loaded(&c->moved, at[l] ? at[l] : zeros, n);
            if (fixture_v(f, MOVE_DST + n, l) != expected && !wrong++)
                test_fail(__FILE__, __LINE__, "%s: v%u of lane %u is 0x%x, not 0x%x", c->text, MOVE_DST + n, l,
                            fixture_v(f, MOVE_DST + n, l), expected);
        }
}

/* From v2 on. The lanes' bytes lie in memory of that size and must not overlap; all of it is compared. */
static inline void check_store(struct fixture *f, const struct move_case *c, unsigned char *const at[LANES],
                               unsigned char *memory, size_t size, uint64_t exec)
{
    unsigned char *expected = malloc(size);
    if (!expected) abort();
    fill_pattern(memory, size, 7);
    memcpy(expected, memory, size);
    for (unsigned n = 0; n < 4; n++)
        for (unsigned l = 0; l < LANES; l++)
            fixture_set_v(f, MOVE_DATA + n, l, (l + 1) * 0x9e3779b1u + n * 0x85ebca6bu);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned b = 0; at[l] && (exec >> l & 1) && b < c->moved.bytes; b++)
            expected[at[l] - memory + b] =
                (unsigned char)(fixture_v(f, MOVE_DATA + b / 4, l) >> (8 * (b % 4) + (c->moved.half == 2 ? 16 : 0)));
    f->wave.exec = exec;
    if (!fixture_run(f, c->code, 2) || fixture_faulted(f))
        test_fail(__FILE__, __LINE__, "%s: %s", c->text, fixture_faulted(f) ? f->error.text : "not decoded");
    else if (!test_mem(__FILE__, __LINE__, c->text, memory, expected, size))
        printf("# with EXEC 0x%" PRIx64 "\n", exec);
    free(expected);
}

/* The instruction must end in a report that has both parts. */
static inline void check_fault(struct fixture *f, const char *text, const uint32_t code[2], const char *check,
                               const char *part)
{
    if (!fixture_run(f, code, 2)) {
        test_fail(__FILE__, __LINE__, "%s: not decoded", text);
    } else if (!fixture_faulted(f) || strncmp(f->error.text, check, strlen(check)) != 0 ||
               !strstr(f->error.text, part)) {
        test_fail(__FILE__, __LINE__, "%s: the report is \"%s\", not \"%s: ... %s ...\"", text, f->error.text, check,
                  part);
    }
}

#endif
