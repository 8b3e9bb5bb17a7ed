/* Kernels given as instructions, launched under checks, and what those find:
 *
 *     static const struct asm_case cases[] = {
 *         {"used too early", "wait", 1, "global_load_dword v1, v0, s[0:1]\n v_add_u32 v2, v1, v1"},
 *         ...
 *
 * When a kernel begins, s[0:1] is the address of a buffer of 64 KiB that is all written, v0 is four times the number of
 * the work-item in its workgroup, s5 the number of the workgroup, s4 the number of the wave in it and M0 0. The kernel
 * has 64 KiB of LDS, 64 bytes of scratch a lane and all registers. It ends by itself. */
#ifndef TESTS_ASM_KERNEL_H
#define TESTS_ASM_KERNEL_H

#include "tests/emu/emu.h"
#include "tests/isa/assemble.h"
#include "tests/test.h"

enum { ASM_BUFFER_BYTES = 65536 };

static const char asm_head[] = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"\n"
                               ".text\n.p2align 8\n.globl test\n.type test,@function\n"
                               "test:\n"
                               "s_mov_b32 s5, s2\n"
                               "s_load_dwordx2 s[0:1], s[0:1], 0x0\n"
                               "v_lshlrev_b32 v0, 2, v0\n"
                               "s_mov_b32 m0, 0\n"
                               "s_nop 4\n"
                               "v_readfirstlane_b32 s4, v0\n"
                               "s_lshr_b32 s4, s4, 8\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "s_nop 7\n";
static const char asm_tail[] =
    "\ns_endpgm\n.Lend: .size test, .Lend-test\n"
    ".rodata\n.p2align 6\n.amdhsa_kernel test\n"
    ".amdhsa_group_segment_fixed_size 65536\n.amdhsa_private_segment_fixed_size 64\n.amdhsa_kernarg_size 8\n"
    ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
    ".amdhsa_next_free_vgpr 512\n.amdhsa_next_free_sgpr 96\n.amdhsa_accum_offset 256\n.end_amdhsa_kernel\n"
    ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: test\n    .symbol: test.kd\n"
    "    .kernarg_segment_size: 8\n    .group_segment_fixed_size: 65536\n    .private_segment_fixed_size: 64\n"
    "    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 96\n    .vgpr_count: 512\n"
    "    .agpr_count: 256\n    .max_flat_workgroup_size: 1024\n    .args:\n"
    "      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}\n...\n"
    ".end_amdgpu_metadata\n";

static int asm_xnack; /* of the device that asm_run has */

struct asm_case {
    const char *name;
    const char *finding; /* the check, or more of the report's beginning; NULL: there must be none */
    unsigned waves;      /* of the one workgroup */
    const char *text;    /* instructions, one a line */
    const char *part;    /* of the report, where it matters; or NULL */
};

/* Launches the instructions as how says, but for kernel and arguments. stats may be NULL. The report is empty where
 * there is none. */
static inline void asm_launch(const char *name, const char *instructions, struct emu_launch how,
                              struct emu_stats *stats, struct emu_error *report)
{
    static char text[1 << 16];
    size_t bytes;
    struct emu_object *object;
    uint64_t buffer;
    snprintf(text, sizeof text, "%s%s%s", asm_head, instructions, asm_tail);
    unsigned char *image = assemble_object(text, &bytes);
    struct emu *emu = emu_create(0);
    memset(report, 0, sizeof *report);
    if (!emu || emu_object_load(emu, image, bytes, &object, report) ||
        emu_alloc(emu, ASM_BUFFER_BYTES, &buffer, report) || emu_fill(emu, buffer, 0, ASM_BUFFER_BYTES, report)) {
        fprintf(stderr, "%s: %s\n", name, report->text);
        exit(1);
    }
    how.kernel = emu_object_kernel(object, "test");
    how.kernarg = &buffer;
    how.kernarg_bytes = sizeof buffer;
    if (!how.max_wave_instructions) how.max_wave_instructions = 100000;
    emu_launch(emu, &how, stats, report);
    emu_object_unload(object);
    emu_destroy(emu);
    free(image);
}

static inline void asm_run(const struct asm_case *c, unsigned checks, struct emu_error *report)
{
    const struct emu_launch how = {
        .grid = {1, 1, 1}, .block = {64 * c->waves, 1, 1}, .checks = checks, .threads = 1, .xnack = asm_xnack};
    asm_launch(c->name, c->text, how, NULL, report);
}

static inline void asm_judge(const struct asm_case *c, unsigned checks)
{
    struct emu_error report;
    asm_run(c, checks, &report);
    if (!c->finding && report.text[0])
        test_fail(__FILE__, __LINE__, "%s: there should be no finding: %s", c->name, report.text);
    if (c->finding && strncmp(report.text, c->finding, strlen(c->finding)) != 0)
        test_fail(__FILE__, __LINE__, "%s: not found by %s, but: %s", c->name, c->finding,
                  report.text[0] ? report.text : "nothing");
    if (c->finding && c->part) CHECK_HAS(report.text, c->part);
}

#endif
