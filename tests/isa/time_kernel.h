/* Kernels given as instructions, traced and played on a machine of round numbers:
 *
 *     run_timed(&(struct timed){.text = REPEAT(10, "v_mov_b32 v1, 0")}, &time);
 *
 * They begin as those of asm_kernel.h do. The machine has one cycle a nanosecond, and a thousandth of a microsecond a
 * cycle. What a piece of code takes is best told by what more of it takes: cycles_more. */
#ifndef TESTS_TIME_KERNEL_H
#define TESTS_TIME_KERNEL_H

#include "tests/emu/time/time.h"
#include "tests/isa/asm_kernel.h"

#define REPEAT(count, text) ".rept " #count "\n" text "\n.endr\n"
/* A loop that runs so often; it takes LOOP_CYCLES and what is in it. */
#define LOOP(count, text)                                                                                              \
    "s_mov_b32 s20, " #count "\n.Lagain:\n" text "\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\n"                      \
    "s_cbranch_scc1 .Lagain\n"

/* Rows of the table that the expected numbers are made of, in cycles and bytes a cycle. */
enum {
    ISSUE = 4,
    BRANCH = 10,
    BARRIER = 20,
    TRANS = 16,
    MFMA_LATENCY = 3 * ISSUE,
    LDS_LATENCY = 100,
    SCALAR_LATENCY = 40,
    L1_LATENCY = 60,
    L1_RATE = 64,
    L1_MISSES = 128,
    L2_LATENCY = 200,
    MALL_LATENCY = 500,
    HBM_LATENCY = 1000,
    LAUNCH = 3000,
    LOOP_CYCLES = 3 * ISSUE + BRANCH
};

static const char round_numbers[] =
    "clock_mhz=1000 launch_us=3 dispatch_cycles=1 issue_cycles=4 branch_cycles=10 barrier_cycles=20 trans_cycles=16 "
    "mfma_slowdown=1 mfma_latency_passes=3 lds_latency=100 lds_pass_cycles=1 lds_queue_cycles=64 scalar_latency=40 "
    "l1_latency=60 l1_bytes_per_cycle=64 l1_misses=128 l1_queue=64 l2_latency=200 l2_bytes_per_cycle=2048 "
    "fabric_tb_s=1.024 mall_latency=500 mall_tb_s=14 hbm_latency=1000 hbm_tb_s=6 write_tb_s=4";

struct timed {
    const char *text;
    unsigned waves; /* of a workgroup; 0: 1 */
    unsigned vgprs; /* 0: 64 */
    unsigned lds;   /* bytes */
    unsigned dynamic_lds;
    unsigned scratch;    /* bytes of a lane */
    uint32_t grid;       /* 0: 1 */
    uint32_t buffer_kib; /* 0: 64 */
    unsigned threads;    /* of the host; 0: 1 */
    const char *machine; /* more settings; or NULL */
    enum emu_residency residency;
};

/* ---- A kernel and its trace ---------------------------------------------------------------------------------------*/

struct timed_trace {
    struct emu *emu;
    struct emu_object *object;
    struct emu_trace *trace; /* NULL: it failed */
    struct emu_error report;
};

static inline void timed_text(const struct timed *t, char *text, size_t bytes)
{
    const unsigned vgprs = t->vgprs ? t->vgprs : 64, accum = vgprs < 256 ? vgprs : 256;
    snprintf(text, bytes,
             "%s%s\n.Lout:\ns_endpgm\n.Lend: .size test, .Lend-test\n"
             ".rodata\n.p2align 6\n.amdhsa_kernel test\n"
             ".amdhsa_group_segment_fixed_size %u\n.amdhsa_private_segment_fixed_size %u\n.amdhsa_kernarg_size 8\n"
             ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
             ".amdhsa_next_free_vgpr %u\n.amdhsa_next_free_sgpr 96\n.amdhsa_accum_offset %u\n.end_amdhsa_kernel\n"
             ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: test\n    .symbol: test.kd\n"
             "    .kernarg_segment_size: 8\n    .group_segment_fixed_size: %u\n    .private_segment_fixed_size: %u\n"
             "    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 96\n    .vgpr_count: %u\n"
             "    .agpr_count: %u\n    .max_flat_workgroup_size: 1024\n    .args:\n"
             "      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}\n...\n"
             ".end_amdgpu_metadata\n",
             asm_head, t->text, t->lds, t->scratch, vgprs, accum, t->lds, t->scratch, vgprs, vgprs - accum);
}

static inline struct timed_trace trace_timed(const struct timed *t)
{
    static char text[1 << 16];
    struct timed_trace of = {.report = {""}};
    size_t bytes, buffer_bytes = (t->buffer_kib ? t->buffer_kib : 64) * (size_t)1024;
    uint64_t buffer;
    timed_text(t, text, sizeof text);
    unsigned char *image = assemble_object(text, &bytes);
    of.emu = emu_create(0);
    if (!of.emu || emu_object_load(of.emu, image, bytes, &of.object, &of.report) ||
        emu_alloc(of.emu, buffer_bytes, &buffer, &of.report)) {
        fprintf(stderr, "%s\n", of.report.text);
        exit(1);
    }
    const struct emu_launch launch = {.kernel = emu_object_kernel(of.object, "test"),
                                      .grid = {t->grid ? t->grid : 1, 1, 1},
                                      .block = {64 * (t->waves ? t->waves : 1), 1, 1},
                                      .dynamic_lds_bytes = t->dynamic_lds,
                                      .kernarg = &buffer,
                                      .kernarg_bytes = sizeof buffer,
                                      .threads = t->threads ? t->threads : 1,
                                      .max_wave_instructions = 1000000};
    if (emu_trace(of.emu, &launch, &of.trace, &of.report) && of.trace)
        test_fail(__FILE__, __LINE__, "a trace that failed is not NULL");
    free(image);
    return of;
}

static inline void free_timed(struct timed_trace *of)
{
    emu_trace_free(of->trace);
    emu_object_unload(of->object);
    emu_destroy(of->emu);
}

/* ---- Playing it ---------------------------------------------------------------------------------------------------*/

static inline void set_machine(struct emu_machine *machine, const char *settings)
{
    char text[64];
    struct emu_error error;
    int length;
    for (; sscanf(settings, "%63s%n", text, &length) == 1; settings += length)
        if (emu_machine_set(machine, text, &error)) test_fail(__FILE__, __LINE__, "%s", error.text);
}

/* What holds of every time. */
static inline void check_time(const struct emu_time *time, const char *text)
{
    const double shares[] = {time->valu_busy, time->mfma_busy, time->lds_busy,
                             time->l2_busy,   time->mall_busy, time->hbm_busy};
    const double bytes[] = {time->l1_bytes, time->l2_bytes, time->mall_bytes, time->hbm_bytes, time->written_bytes};
    double sum = 0, issue = 0;
    for (int unit = 0; unit < EMU_UNITS; unit++) issue += time->issue_us[unit];
    if (!(fabs(issue - time->part_us[EMU_PART_ISSUE]) <= 1e-6 * time->total_us))
        test_fail(__FILE__, __LINE__, "classes issue for %g us, all for %g us\n%s", issue,
                  time->part_us[EMU_PART_ISSUE], text);
    for (int part = 0; part < EMU_PARTS; part++) {
        sum += time->part_us[part];
        if (!(time->part_us[part] >= -1e-9 * time->total_us))
            test_fail(__FILE__, __LINE__, "part %s is %g us\n%s", emu_part_name((enum emu_part)part),
                      time->part_us[part], text);
    }
    if (!(time->total_us > 0 && isfinite(time->total_us) && fabs(sum - time->total_us) <= 1e-6 * time->total_us))
        test_fail(__FILE__, __LINE__, "the parts are %.9g us, all of it %.9g us\n%s", sum, time->total_us, text);
    for (size_t n = 0; n < sizeof shares / sizeof *shares; n++)
        if (!(shares[n] >= 0 && shares[n] <= 1.03)) /* what is left out is estimated */
            test_fail(__FILE__, __LINE__, "share %zu of what is busy is %g\n%s", n, shares[n], text);
    for (size_t n = 0; n < sizeof bytes / sizeof *bytes; n++)
        if (!(bytes[n] >= 0 && isfinite(bytes[n])))
            test_fail(__FILE__, __LINE__, "number %zu of bytes is %g\n%s", n, bytes[n], text);
}

static inline int play_timed(const struct timed_trace *of, const struct timed *t, struct emu_time *time)
{
    struct emu_machine machine = emu_machine_default();
    struct emu_error error = {""};
    set_machine(&machine, round_numbers);
    if (t->machine) set_machine(&machine, t->machine);
    if (!of->trace || emu_time(of->trace, &machine, t->residency, time, &error)) {
        test_fail(__FILE__, __LINE__, "%s%s\n%s", of->report.text, error.text, t->text);
        memset(time, 0, sizeof *time);
        return -1;
    }
    check_time(time, t->text);
    return 0;
}

static inline struct emu_time run_timed(const struct timed *t)
{
    struct emu_time time;
    struct timed_trace of = trace_timed(t);
    play_timed(&of, t, &time);
    free_timed(&of);
    return time;
}

/* ---- In cycles ----------------------------------------------------------------------------------------------------*/

/* Beyond the fixed part. */
static inline double cycles_of(const struct timed *t)
{
    return run_timed(t).total_us * 1000 - LAUNCH;
}

static inline double cycles_in(const struct emu_time *time, enum emu_part part)
{
    return time->part_us[part] * 1000;
}

/* By how much other instructions take longer, all else equal. */
static inline double cycles_more(struct timed t, const char *longer)
{
    const double cycles = cycles_of(&t);
    t.text = longer;
    return cycles_of(&t) - cycles;
}

/* The same pieces 10 and 30 times, behind something that is done once and before something else. */
#define CYCLES_OF_20_BETWEEN(once, piece, last, ...)                                                                   \
    cycles_more((struct timed){.text = once REPEAT(10, piece) last, __VA_ARGS__}, once REPEAT(30, piece) last)
#define CYCLES_OF_20(once, piece, ...) CYCLES_OF_20_BETWEEN(once, piece, "", __VA_ARGS__)

#endif
