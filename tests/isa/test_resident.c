/* Workgroups that wait for each other, also where the host has fewer threads: as on a device, many run at once. */
#include "tests/isa/asm_kernel.h"
#include "tests/isa/hip_kernel.h"

enum { WORKGROUPS = 24 };

/* Each wave adds 1 to the first dword of the buffer and waits until all have. */
#define MEETING(pause)                                                                                                 \
    "v_mov_b32 v1, 0\nv_mov_b32 v2, 1\ns_mov_b64 exec, 1\n"                                                            \
    "global_atomic_add v1, v2, s[0:1]\n.Lagain:\n" pause                                                               \
    "global_load_dword v3, v1, s[0:1] sc1\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s8, v3\n"                           \
    "s_cmp_lt_u32 s8, 48\ns_cbranch_scc1 .Lagain\n"

_Static_assert(2 * WORKGROUPS == 48, "waves, as the instructions have it");

static void meet(const char *instructions, unsigned checks, unsigned threads, enum emu_order order)
{
    struct emu_error report;
    const struct emu_launch how = {.grid = {WORKGROUPS, 1, 1}, .block = {128, 1, 1}, .checks = checks,
                                   .threads = threads, .order = order, .max_wave_instructions = 10000000};
    asm_launch("meeting", instructions, how, NULL, &report);
    CHECK_STR(report.text, "");
}

static void by_turns(void)
{
    for (unsigned threads = 1; threads <= 3; threads++) {
        meet(MEETING("s_sleep 1\n"), 0, threads, EMU_ORDER_FORWARD);
        meet(MEETING("s_sleep 1\n"), EMU_CHECK_ALL, threads, EMU_ORDER_REVERSE);
        meet(MEETING(""), 0, threads, EMU_ORDER_FORWARD);
    }
}

/* One that waits for what never comes is stopped. */
static void in_vain(void)
{
    struct emu_error report;
    const struct emu_launch how = {.grid = {WORKGROUPS - 13, 1, 1}, .block = {128, 1, 1}, .threads = 1};
    asm_launch("in vain", MEETING("s_sleep 1\n"), how, NULL, &report);
    CHECK_HAS(report.text, "hang");
}

/* ---- Barriers of the whole grid -----------------------------------------------------------------------------------*/

/* Two waves a workgroup. Each workgroup hands its row to the one before it, overwrites it with three times what it got,
 * and adds what the second one behind it has then. first, second: the barriers of the workgroup; announce: the order of
 * the atomic operation; look: that of the loads until all have come. */
#define PHASES(name, first, second, announce, look)                                                                    \
    "KERNEL void " #name "(unsigned *row, unsigned *count, unsigned *result, unsigned groups)\n"                       \
    "{\n"                                                                                                              \
    "    unsigned group = __builtin_amdgcn_workgroup_id_x(), t = __builtin_amdgcn_workitem_id_x();\n"                  \
    "    unsigned *own = row + group * 128 + t, *next = row + (group + 1) % groups * 128 + t;\n"                       \
    "    unsigned *second = row + (group + 2) % groups * 128 + t, come = 0;\n"                                         \
    "    *own = 1000 * group + t;\n" MEET(first, second, announce, look)                                               \
    "    unsigned got = *next;\n" MEET(first, second, announce, look)                                                  \
    "    *own = 3 * got;\n" MEET(first, second, announce, look)                                                        \
    "    result[group * 128 + t] = got + *second;\n"                                                                   \
    "}\n"
#define MEET(first, second, announce, look)                                                                            \
    "    come += groups; " first ";\n"                                                                                 \
    "    if (t == 0) {\n"                                                                                              \
    "        __hip_atomic_fetch_add(count, 1u, __ATOMIC_" announce ", __HIP_MEMORY_SCOPE_AGENT);\n"                    \
    "        while (__hip_atomic_load(count, __ATOMIC_" look ", __HIP_MEMORY_SCOPE_AGENT) < come)\n"                   \
    "            __builtin_amdgcn_s_sleep(1);\n"                                                                       \
    "    }\n"                                                                                                          \
    "    " second ";\n"

/* Within a workgroup: each wave reads what the other has stored. */
#define SWAP(name, between)                                                                                            \
    "KERNEL void " #name "(unsigned *row, unsigned *count, unsigned *result, unsigned groups)\n"                       \
    "{\n"                                                                                                              \
    "    unsigned group = __builtin_amdgcn_workgroup_id_x(), t = __builtin_amdgcn_workitem_id_x();\n"                  \
    "    row[group * 128 + t] = 5 * t;\n"                                                                              \
    "    " between ";\n"                                                                                               \
    "    result[group * 128 + t] = row[group * 128 + (t ^ 64)];\n"                                                     \
    "}\n"

/* clang-format off */
static const char source[] =
    "#define KERNEL extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(128, 128)))\n"
    HIP_BARRIER
    PHASES(right, "barrier()", "barrier()", "ACQ_REL", "ACQUIRE")
    PHASES(no_first_barrier, "", "barrier()", "ACQ_REL", "ACQUIRE")
    PHASES(no_second_barrier, "barrier()", "", "ACQ_REL", "ACQUIRE")
    PHASES(no_release, "barrier()", "barrier()", "ACQUIRE", "ACQUIRE")
    PHASES(no_acquire, "barrier()", "barrier()", "RELEASE", "RELAXED")
    SWAP(right_swap, "barrier()")
    SWAP(right_flags, "unsigned *flag = count + group * 2, mine = t / 64; "
                      "__hip_atomic_store(flag + mine, 7u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP); "
                      "while (__hip_atomic_load(flag + !mine, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) != 7) "
                      "__builtin_amdgcn_s_sleep(1)")
    SWAP(swap, "asm volatile(\"\" ::: \"memory\")");
/* clang-format on */

enum { GROUPS = 5, RESULTS = GROUPS * 128, COUNT_BYTES = GROUPS * 2 * 4 };

static void launch_source(struct emu *emu, struct emu_object *object, const char *name, unsigned threads,
                          enum emu_order order, uint32_t result[RESULTS], struct emu_error *report)
{
    struct {
        uint64_t row, count, result;
        uint32_t groups;
    } args = {.groups = GROUPS};
    memset(report, 0, sizeof *report);
    if (emu_alloc(emu, RESULTS * 4, &args.row, report) || emu_alloc(emu, COUNT_BYTES, &args.count, report) ||
        emu_alloc(emu, RESULTS * 4, &args.result, report) || emu_fill(emu, args.row, 0, RESULTS * 4, report) ||
        emu_fill(emu, args.count, 0, COUNT_BYTES, report)) {
        fprintf(stderr, "%s\n", report->text);
        exit(1);
    }
    const struct emu_launch how = {.kernel = emu_object_kernel(object, name), .grid = {GROUPS, 1, 1},
                                   .block = {128, 1, 1}, .kernarg = &args, .kernarg_bytes = sizeof args,
                                   .checks = EMU_CHECK_ALL, .threads = threads, .order = order, .order_seed = threads};
    if (emu_launch(emu, &how, NULL, report) == 0) emu_read(emu, args.result, result, RESULTS * 4, NULL);
    emu_free(emu, args.row, NULL), emu_free(emu, args.count, NULL), emu_free(emu, args.result, NULL);
}

/* part: of the report; NULL: there must be none. */
static void check_source(const char *name, const char *part, uint32_t (*expected)(uint32_t group, uint32_t t))
{
    struct emu *emu = emu_create(0);
    if (!emu) abort();
    struct emu_object *object = hip_object(emu, source);
    for (unsigned n = 0; n < 9; n++) {
        static uint32_t result[RESULTS];
        struct emu_error report;
        launch_source(emu, object, name, 1 + n % 3, (enum emu_order)(n / 3), result, &report);
        if (part && !(strncmp(report.text, "order: ", 7) == 0 && strstr(report.text, part)))
            test_fail(__FILE__, __LINE__, "%s, run %u: no finding with \"%s\": %s", name, n, part, report.text);
        if (part) continue;
        if (report.text[0]) test_fail(__FILE__, __LINE__, "%s, run %u: %s", name, n, report.text);
        for (uint32_t at = 0; at < RESULTS; at++) CHECK_EQ(result[at], expected(at / 128, at % 128));
    }
    emu_object_unload(object);
    emu_destroy(emu);
}

static uint32_t after_phases(uint32_t group, uint32_t t)
{
    return 1000 * ((group + 1) % GROUPS) + t + 3 * (1000 * ((group + 3) % GROUPS) + t);
}

static uint32_t after_swap(uint32_t group, uint32_t t)
{
    (void)group;
    return 5 * (t ^ 64);
}

static void whole_grid(void)
{
    check_source("right", NULL, after_phases);
    check_source("no_first_barrier", "workgroup", NULL);
    check_source("no_second_barrier", "workgroup", NULL);
    check_source("no_release", "before the release that this wave has seen", NULL);
    check_source("no_acquire", "no buffer_inv sc1 since", NULL);
}

static void one_workgroup(void)
{
    check_source("right_swap", NULL, after_swap);
    check_source("right_flags", NULL, after_swap);
    check_source("swap", "no s_barrier between", NULL);
}

int main(void)
{
    TEST(by_turns);
    TEST(in_vain);
    TEST(whole_grid);
    TEST(one_workgroup);
    return test_end();
}
