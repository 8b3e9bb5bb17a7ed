/* The order check: workgroups that hand data to each other, rightly and in every wrong way, compiled by comgr. No
 * workgroup waits for another: the one that comes last reads what the others have written. What is reported must not
 * depend on which one that is. */
#include "tests/isa/hip_kernel.h"
#include "tests/test.h"

/* Each workgroup stores a row, announces it, and the last one to do so adds up all rows and clears the counter. */
#define SIGNATURE "(unsigned *data, unsigned *count, unsigned *sum, unsigned groups, unsigned step)"
#define HAND_OVER(name, threads, store, before, add, after, load)                                                      \
    "KERNEL(" #threads ") void " #name SIGNATURE "\n"                                                                  \
    "{\n"                                                                                                              \
    "    unsigned group = __builtin_amdgcn_workgroup_id_x(), t = __builtin_amdgcn_workitem_id_x(), total = 0;\n"       \
    "    if (group % step) return;\n"                                                                                  \
    "    unsigned *cell = &data[group / step * " #threads " + t], one = group + t + 1;\n"                              \
    "    __attribute__((shared)) unsigned old;\n"                                                                      \
    "    " store "; " before ";\n"                                                                                     \
    "    if (t == 0) old = " add ";\n"                                                                                 \
    "    barrier();\n"                                                                                                 \
    "    if (old != groups - 1) return;\n"                                                                             \
    "    " after ";\n"                                                                                                 \
    "    for (unsigned g = 0; g < groups; g++) { unsigned *from = &data[g * " #threads " + t]; total += " load "; }\n" \
    "    sum[t] = total;\n"                                                                                            \
    "    if (t == 0) *count = 0;\n"                                                                                    \
    "}\n"

#define PLAIN_STORE "*cell = one"
#define PLAIN_LOAD "*from"
#define SC1_STORE "__hip_atomic_store(cell, one, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)"
#define SC1_LOAD "__hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)"
#define ATOMIC_ADD "__hip_atomic_fetch_add(cell, one, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)"
#define ADD(order) "__hip_atomic_fetch_add(count, 1u, __ATOMIC_" order ", __HIP_MEMORY_SCOPE_AGENT)"
#define FENCE(order, scope) "__builtin_amdgcn_fence(__ATOMIC_" order ", \"" scope "\")"
#define WAIT "__builtin_amdgcn_s_waitcnt(0x0f70)" /* vmcnt(0) */

/* clang-format off */
static const char source[] =
    "#define KERNEL(threads) extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(threads, threads)))\n"
    HIP_BARRIER
    /* One wave. */
    HAND_OVER(right, 64, PLAIN_STORE, FENCE("RELEASE", "agent"), ADD("RELAXED"), FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    HAND_OVER(right_system, 64, PLAIN_STORE, FENCE("RELEASE", ""), ADD("RELAXED"), FENCE("ACQUIRE", ""), PLAIN_LOAD)
    HAND_OVER(right_builtin, 64, PLAIN_STORE, "", ADD("ACQ_REL"), "", PLAIN_LOAD)
    HAND_OVER(relaxed, 64, PLAIN_STORE, "", ADD("RELAXED"), "", PLAIN_LOAD)
    HAND_OVER(completed_only, 64, PLAIN_STORE, WAIT, ADD("RELAXED"), FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    HAND_OVER(no_acquire, 64, PLAIN_STORE, FENCE("RELEASE", "agent"), ADD("RELAXED"), "", PLAIN_LOAD)
    HAND_OVER(workgroup_scope, 64, PLAIN_STORE, FENCE("RELEASE", "workgroup"), ADD("RELAXED"),
              FENCE("ACQUIRE", "workgroup"), PLAIN_LOAD)
    HAND_OVER(workgroup_release, 64, PLAIN_STORE, FENCE("RELEASE", "workgroup"), ADD("RELAXED"),
              FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    /* Past the L2. */
    HAND_OVER(right_sc1, 64, SC1_STORE, "", ADD("RELAXED"), "", SC1_LOAD)
    HAND_OVER(right_sc1_load, 64, PLAIN_STORE, FENCE("RELEASE", "agent"), ADD("RELAXED"), "", SC1_LOAD)
    HAND_OVER(right_sc1_store, 64, SC1_STORE, WAIT, ADD("RELAXED"), FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    HAND_OVER(sc1_store_under_way, 64, SC1_STORE, "", ADD("RELAXED"), FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    HAND_OVER(sc1_load_of_plain, 64, PLAIN_STORE, WAIT, ADD("RELAXED"), "", SC1_LOAD)
    HAND_OVER(right_atomic, 64, ATOMIC_ADD, WAIT, ADD("RELAXED"), FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    HAND_OVER(atomic_plain_load, 64, ATOMIC_ADD, WAIT, ADD("RELAXED"), "", PLAIN_LOAD)
    /* Four waves, of which the first announces for all. In the last the others write back, but too late. */
    HAND_OVER(right_waves, 256, PLAIN_STORE, "barrier()", ADD("ACQ_REL"), "", PLAIN_LOAD)
    HAND_OVER(right_fence_first, 256, PLAIN_STORE, FENCE("RELEASE", "agent") "; barrier()", ADD("RELAXED"),
              FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    HAND_OVER(barrier_missing, 256, PLAIN_STORE, "", ADD("ACQ_REL"), "", PLAIN_LOAD)
    HAND_OVER(barrier_before_fences, 256, PLAIN_STORE, "barrier(); if (t >= 64) " FENCE("RELEASE", "agent"),
              ADD("RELAXED"), FENCE("ACQUIRE", "agent"), PLAIN_LOAD)
    /* The scalar cache is one more that must forget. */
#define SCALAR_LOAD                                                                                                    \
    "({ (void)from; unsigned v; asm volatile(\"s_load_dword %0, %1, 0x0\\n s_waitcnt lgkmcnt(0)\" "                   \
    ": \"=s\"(v) : \"s\"(&data[g * 64])); v + t; })"
    HAND_OVER(right_scalar, 64, PLAIN_STORE, FENCE("RELEASE", "agent"), ADD("RELAXED"),
              FENCE("ACQUIRE", "agent") "; __builtin_amdgcn_s_dcache_inv()", SCALAR_LOAD)
    HAND_OVER(scalar, 64, PLAIN_STORE, FENCE("RELEASE", "agent"), ADD("RELAXED"), FENCE("ACQUIRE", "agent"),
              SCALAR_LOAD)
    /* Two by two: the last of each pair announces to the last of all, which reads what it knows of only from that. */
#define TREE(name, pair)                                                                                               \
    "KERNEL(64) void " #name SIGNATURE "\n"                                                                            \
    "{\n"                                                                                                              \
    "    unsigned group = __builtin_amdgcn_workgroup_id_x(), t = __builtin_amdgcn_workitem_id_x(), total = 0;\n"       \
    "    unsigned old = 0;\n"                                                                                          \
    "    data[group * 64 + t] = group + t + 1;\n"                                                                      \
    "    if (t == 0) old = __hip_atomic_fetch_add(&count[1 + group / 2], 1u, __ATOMIC_" pair ", "                      \
    "__HIP_MEMORY_SCOPE_AGENT);\n"                                                                                     \
    "    if (__builtin_amdgcn_readfirstlane(old) != 1) return;\n"                                                      \
    "    if (t == 0) old = __hip_atomic_fetch_add(count, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);\n"           \
    "    if (__builtin_amdgcn_readfirstlane(old) != groups / 2 - 1) return;\n"                                         \
    "    for (unsigned g = 0; g < groups; g++) total += data[g * 64 + t];\n"                                           \
    "    sum[t] = total;\n"                                                                                            \
    "    if (t == 0) for (unsigned g = 0; g <= groups / 2; g++) count[g] = 0;\n"                                       \
    "}\n"
    TREE(right_tree, "ACQ_REL")
    TREE(tree, "RELAXED")
    /* No announcement at all. */
    "KERNEL(64) void in_place" SIGNATURE "\n"
    "{\n"
    "    unsigned group = __builtin_amdgcn_workgroup_id_x(), t = __builtin_amdgcn_workitem_id_x();\n"
    "    data[group * 64 + t] = 1 + data[(group + 1) % groups * 64 + t];\n"
    "}\n"
    "KERNEL(64) void plain_flag" SIGNATURE "\n"
    "{\n"
    "    unsigned group = __builtin_amdgcn_workgroup_id_x(), t = __builtin_amdgcn_workitem_id_x();\n"
    "    if (group == 0) __hip_atomic_store(count, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);\n"
    "    else sum[t] = *count;\n"
    "}\n"
    "KERNEL(64) void reset_unordered" SIGNATURE "\n"
    "{\n"
    "    unsigned group = __builtin_amdgcn_workgroup_id_x();\n"
    "    if (group == 0) *count = 0;\n"
    "    else __hip_atomic_fetch_add(count, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);\n"
    "}\n"
    /* Only atomic operations touch the bytes; then, only one workgroup does, though others touch the line. */
    "KERNEL(64) void right_accumulate" SIGNATURE "\n"
    "{\n"
    "    __hip_atomic_fetch_add(&sum[__builtin_amdgcn_workitem_id_x()], 1u, __ATOMIC_RELAXED, "
    "__HIP_MEMORY_SCOPE_AGENT);\n"
    "}\n"
    "KERNEL(64) void right_neighbours" SIGNATURE "\n"
    "{\n"
    "    unsigned group = __builtin_amdgcn_workgroup_id_x(), t = __builtin_amdgcn_workitem_id_x();\n"
    "    unsigned char *own = (unsigned char *)data + group * 3;\n"
    "    if (t < 3) own[t] += (unsigned char)(group + t);\n"
    "    sum[group * 64 + t] = own[t % 3] + group;\n"
    "}\n";
/* clang-format on */

enum { MOST_GROUPS = 9, MOST_THREADS = 256, COUNTERS = 1 + MOST_GROUPS, REPORT_BYTES = 1024 };

struct args {
    uint64_t data, count, sum;
    uint32_t groups, step;
};

static struct emu *emu;
static struct emu_object *object;

static const struct run_order {
    enum emu_order order;
    uint64_t seed;
    unsigned threads;
} orders[] = {{EMU_ORDER_FORWARD, 0, 1}, {EMU_ORDER_REVERSE, 0, 1}, {EMU_ORDER_RANDOM, 1, 1},
              {EMU_ORDER_RANDOM, 2, 1},  {EMU_ORDER_RANDOM, 3, 1},  {EMU_ORDER_FORWARD, 0, 2},
              {EMU_ORDER_REVERSE, 0, 4}, {EMU_ORDER_RANDOM, 4, 4}};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static uint64_t zeros(size_t bytes)
{
    struct emu_error error;
    uint64_t address = 0;
    if (emu_alloc(emu, bytes, &address, &error) || emu_fill(emu, address, 0, bytes, &error)) {
        printf("# %s\n", error.text);
        exit(1);
    }
    return address;
}

/* groups: that take part; step: every so many one does. The sums are read back and the report copied. */
static int run(const char *name, uint32_t threads, uint32_t groups, uint32_t step, const struct run_order *order,
               uint32_t *sum, char report[REPORT_BYTES])
{
    struct emu_error error = {""};
    enum { ROWS_BYTES = MOST_GROUPS * MOST_THREADS * 4 };
    struct args args = {zeros(ROWS_BYTES), zeros(COUNTERS * 4), zeros(ROWS_BYTES), groups, step};
    struct emu_launch l = {.kernel = emu_object_kernel(object, name),
                           .grid = {(groups - 1) * step + 1, 1, 1},
                           .block = {threads, 1, 1},
                           .kernarg = &args,
                           .kernarg_bytes = sizeof args,
                           .checks = EMU_CHECK_BOUNDS | EMU_CHECK_ORDER,
                           .threads = order->threads,
                           .order = order->order,
                           .order_seed = order->seed};
    int status = l.kernel ? emu_launch(emu, &l, NULL, &error) : -1;
    snprintf(report, REPORT_BYTES, "%s", error.text);
    CHECK(l.kernel && emu_read(emu, args.sum, sum, ROWS_BYTES, NULL) == 0);
    uint32_t count[COUNTERS];
    CHECK(emu_read(emu, args.count, count, sizeof count, NULL) == 0);
    for (unsigned n = 0; status == 0 && n < COUNTERS; n++) CHECK_EQ(count[n], 0);
    emu_free(emu, args.data, NULL), emu_free(emu, args.count, NULL), emu_free(emu, args.sum, NULL);
    return status;
}

/* In all orders without a finding, and lane t has the sum over all groups. */
static void check_right(const char *name, uint32_t threads, uint32_t groups, uint32_t step)
{
    static uint32_t sum[MOST_GROUPS * MOST_THREADS];
    char report[REPORT_BYTES];
    for (unsigned n = 0; n < ORDERS; n++) {
        if (run(name, threads, groups, step, &orders[n], sum, report)) {
            test_fail(__FILE__, __LINE__, "%s, order %u: %s", name, n, report);
            continue;
        }
        for (uint32_t t = 0; t < threads; t++) {
            uint32_t expected = 0;
            for (uint32_t g = 0; g < groups; g++) expected += g * step + 1 + t;
            if (sum[t] != expected) {
                test_fail(__FILE__, __LINE__, "%s, order %u: lane %u has %u, not %u", name, n, t, sum[t], expected);
                break;
            }
        }
    }
}

/* In all orders with a finding that has this part, or else that part. */
static void check_wrong(const char *name, uint32_t threads, uint32_t groups, uint32_t step, const char *part,
                        const char *or_else)
{
    static uint32_t sum[MOST_GROUPS * MOST_THREADS];
    char report[REPORT_BYTES];
    for (unsigned n = 0; n < ORDERS; n++)
        if (run(name, threads, groups, step, &orders[n], sum, report) == 0)
            test_fail(__FILE__, __LINE__, "%s, order %u: nothing is reported", name, n);
        else if (strncmp(report, "order: ", 7) != 0 || !(strstr(report, part) || strstr(report, or_else)))
            test_fail(__FILE__, __LINE__, "%s, order %u: the report is \"%s\", not \"order: ... %s ...\"", name, n,
                      report, part);
}

#define NOT_RELEASED "before the release that this wave has seen"
#define NO_RELEASE "has made no release"

static void handing_over_rightly(void)
{
    static const char *const names[] = {"right",          "right_system",    "right_builtin", "right_sc1",
                                        "right_sc1_load", "right_sc1_store", "right_atomic",  "right_scalar"};
    for (unsigned n = 0; n < sizeof names / sizeof names[0]; n++) {
        check_right(names[n], 64, 3, 1);
        check_right(names[n], 64, 2, 8); /* both on one XCD */
    }
}

static void handing_over_without_write_back(void)
{
    check_wrong("relaxed", 64, 3, 1, NOT_RELEASED, NOT_RELEASED);
    check_wrong("completed_only", 64, 3, 1, "not written back (buffer_wbl2 sc1)", NOT_RELEASED);
    check_wrong("sc1_load_of_plain", 64, 3, 1, "not written back (buffer_wbl2 sc1)", NOT_RELEASED);
    check_wrong("sc1_store_under_way", 64, 3, 1, NOT_RELEASED, NOT_RELEASED);
}

static void handing_over_without_invalidation(void)
{
    check_wrong("no_acquire", 64, 3, 1, "no buffer_inv sc1 since", "no buffer_inv sc1 since");
    check_wrong("atomic_plain_load", 64, 3, 1, "no buffer_inv sc1 since", "no buffer_inv sc1 since");
    check_wrong("scalar", 64, 3, 1, "no s_dcache_inv since", "no s_dcache_inv since");
}

static void scope_of_the_workgroup_is_not_enough(void)
{
    check_wrong("workgroup_scope", 64, 3, 1, NOT_RELEASED, NOT_RELEASED);
    check_wrong("workgroup_release", 64, 3, 1, NOT_RELEASED, NOT_RELEASED);
}

static void one_xcd_is_no_excuse(void)
{
    check_wrong("relaxed", 64, 2, 8, NOT_RELEASED, NOT_RELEASED);
    check_wrong("no_acquire", 64, 2, 8, "no buffer_inv sc1 since", "no buffer_inv sc1 since");
}

static void one_wave_announces_for_all(void)
{
    check_right("right_waves", 256, 3, 1);
    check_right("right_fence_first", 256, 3, 1);
    check_wrong("barrier_missing", 256, 3, 1, NOT_RELEASED, NO_RELEASE);
    check_wrong("barrier_before_fences", 256, 3, 1, NOT_RELEASED, NO_RELEASE);
}

static void what_was_seen_is_passed_on(void)
{
    check_right("right_tree", 64, 8, 1);
    check_wrong("tree", 64, 8, 1, NOT_RELEASED, NO_RELEASE);
}

static void no_release_at_all(void)
{
    check_wrong("in_place", 64, 3, 1, NO_RELEASE, "this wave has seen no release of any");
    check_wrong("plain_flag", 64, 2, 1, NO_RELEASE, "no buffer_inv sc1 since");
    check_wrong("reset_unordered", 64, 2, 1, NO_RELEASE, NO_RELEASE);
}

static void bytes_of_one_workgroup(void)
{
    static uint32_t sum[MOST_GROUPS * MOST_THREADS];
    char report[REPORT_BYTES];
    for (unsigned n = 0; n < ORDERS; n++) {
        if (!CHECK(run("right_accumulate", 64, 9, 1, &orders[n], sum, report) == 0)) printf("# %s\n", report);
        for (unsigned t = 0; t < 64; t++) CHECK_EQ(sum[t], 9);
        if (!CHECK(run("right_neighbours", 64, 9, 1, &orders[n], sum, report) == 0)) printf("# %s\n", report);
        for (unsigned g = 0; g < 9; g++)
            for (unsigned t = 0; t < 64; t++) CHECK_EQ(sum[g * 64 + t], 2 * g + t % 3);
    }
}

int main(void)
{
    emu = emu_create(0);
    if (!emu) return 1;
    object = hip_object(emu, source);
    TEST(handing_over_rightly);
    TEST(handing_over_without_write_back);
    TEST(handing_over_without_invalidation);
    TEST(scope_of_the_workgroup_is_not_enough);
    TEST(one_xcd_is_no_excuse);
    TEST(one_wave_announces_for_all);
    TEST(what_was_seen_is_passed_on);
    TEST(no_release_at_all);
    TEST(bytes_of_one_workgroup);
    emu_object_unload(object);
    emu_destroy(emu);
    return test_end();
}
