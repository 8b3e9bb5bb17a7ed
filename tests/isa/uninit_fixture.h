/* Small programs under the uninit check, each from a fresh wave, and what is found in it. What the launch has set:
 *
 *     s[0:1]     the address of 512 bytes, of which the first 64 were written
 *     s[2:3]     0
 *     s[4:7]     a resource of that buffer
 *     s[8:9]     3, 0x01020304
 *     s[10:11]   15        masks of lanes: the first four,
 *     s[12:13]   ~0        all,
 *     s[14:15]   1         the first
 *     v0         four times the lane's number */
#ifndef TESTS_UNINIT_FIXTURE_H
#define TESTS_UNINIT_FIXTURE_H

#include "tests/emu/check/checks.h"
#include "tests/emu/check/pending.h"
#include "tests/emu/check/uninit.h"
#include "tests/isa/assemble.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { UNINIT_BUFFER_BYTES = 512, UNINIT_WRITTEN = 64, UNINIT_SCALARS = 16, UNINIT_TEXT_BYTES = 1 << 16 };

struct program {
    const char *name;
    const char *text;    /* instructions, one a line */
    const char *finding; /* a part of the report; NULL: there must be none */
};

static inline struct fixture *uninit_create_fixture(void)
{
    struct fixture *f = fixture_create();
    static const unsigned char data[UNINIT_WRITTEN];
    struct wave *w = &f->wave;
    uint64_t buffer;
    w->uninit = uninit_create(w);
    f->workgroup.uninit = uninit_create_workgroup(&f->workgroup);
    if (!w->uninit || !f->workgroup.uninit || emu_alloc(f->run.emu, UNINIT_BUFFER_BYTES, &buffer, NULL) ||
        emu_write(f->run.emu, buffer, data, sizeof data, NULL))
        abort();
    const uint32_t low = (uint32_t)buffer, high = (uint32_t)(buffer >> 32);
    const uint32_t scalars[UNINIT_SCALARS] = {
        low, high, 0, 0, low, high & 0xffff, UNINIT_BUFFER_BYTES, 0x20000, 3, 0x01020304, 15, 0, ~0u, ~0u, 1, 0};
    memcpy(w->sgpr, scalars, sizeof scalars);
    memset(w->scratch, 0xff, LANES * FIXTURE_SCRATCH_BYTES);
    memset(f->workgroup.lds, 0xff, FIXTURE_LDS_BYTES);
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 0, l, 4 * l);
    w->watched = 1;
    f->launch.checks = EMU_CHECK_BOUNDS | EMU_CHECK_UNINIT;
    uninit_start_workgroup(&f->workgroup, UNINIT_SCALARS);
    return f;
}

static inline void uninit_destroy_fixture(struct fixture *f)
{
    uninit_destroy(f->wave.uninit);
    uninit_destroy_workgroup(f->workgroup.uninit);
    fixture_destroy(f);
}

static inline unsigned uninit_lines(const char *text)
{
    unsigned lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* Executes the program, up to the first report; returns its length. late: results of memory operations are held back
 * until an s_waitcnt, as other checks ask for. */
static inline unsigned uninit_run(struct fixture *f, const struct program *p, const unsigned char *code, size_t bytes,
                                  int late)
{
    unsigned at = 0, lines = uninit_lines(p->text), executed = 0;
    if (late && !(f->wave.pending = pending_create())) abort();
    for (unsigned line = 0; line < lines; line++) {
        struct effects e;
        unsigned length = insn_decode(code + at, bytes - at, &f->insn);
        if (!length) {
            fprintf(stderr, "%s: line %u is not decoded\n", p->name, line + 1);
            exit(1);
        }
        at += length;
        if (f->wave.stop == WAVE_FAULT) continue;
        insn_effects(&f->insn, &e);
        f->wave.pc = FIXTURE_PC;
        f->wave.next_pc = FIXTURE_PC + length;
        checks_execute(&f->wave, &f->insn, &e);
        executed++;
    }
    if (p->finding && executed != lines) test_fail(__FILE__, __LINE__, "%s: ends in line %u", p->name, executed);
    pending_destroy(f->wave.pending);
    f->wave.pending = NULL;
    return at;
}

static inline void uninit_judge(const struct fixture *f, const struct program *p)
{
    const char *report = f->error.text;
    if (!p->finding && report[0])
        test_fail(__FILE__, __LINE__, "%s: %s", p->name, report);
    else if (p->finding && (strncmp(report, "uninit: ", 8) != 0 || !strstr(report, p->finding)))
        test_fail(__FILE__, __LINE__, "%s: \"%s\" is not in \"%s\"", p->name, p->finding, report);
}

static inline void uninit_check(const struct program *programs, size_t count)
{
    char *text = malloc(UNINIT_TEXT_BYTES);
    size_t used = 0, bytes, at = 0;
    if (!text) abort();
    for (size_t n = 0; n < count; n++)
        used += (size_t)snprintf(text + used, UNINIT_TEXT_BYTES - used, "%s\n", programs[n].text);
    unsigned char *code = used < UNINIT_TEXT_BYTES ? assemble(text, &bytes) : NULL;
    if (!code) abort();
    for (size_t n = 0; n < count; n++) {
        unsigned length = 0;
        for (int late = 0; late < 2; late++) {
            struct fixture *f = uninit_create_fixture();
            length = uninit_run(f, &programs[n], code + at, bytes - at, late);
            uninit_judge(f, &programs[n]);
            uninit_destroy_fixture(f);
        }
        at += length;
    }
    free(code);
    free(text);
}

#define UNINIT_CHECK(programs) uninit_check(programs, sizeof(programs) / sizeof *(programs))

#endif
