/* What the loader itself costs: a launch over the direct call of HIP, a choice among VARIANTS, and opening the pack.
 * HIP does nothing. Each figure is the median of many batches; one above its limit makes the exit status 1. Busy
 * machines make medians of any size: --lowest judges by the lowest batch instead, for a test.
 *     PROGRAM [--lowest] PACK_FILE */
#include "common/kernarg.h"
#include "tests/bench/loader/bench_loader.h"
#include "tests/idle_hip.h"
#include "tests/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANTS = 200 };
enum { LAUNCHES = 4000, LAUNCH_BATCHES = 500, CHOICES = 50, CHOICE_BATCHES = 400, OPEN_BATCHES = 400 };
enum { PROBLEMS = CHOICES * CHOICE_BATCHES };
enum { LAUNCH_LIMIT_NS = 40, CHOICE_LIMIT_NS = 3000, OPEN_LIMIT_NS = 200000 };

static bool judge_lowest;
static int above_limits;

static void expect(mxg_status status)
{
    if (!status) return;
    (void)fprintf(stderr, "%s: %s\n", mxg_status_name(status), mxg_last_error());
    exit(1);
}

/* In `unit`, of so many nanoseconds. */
static void print(const char *what, struct spread time, double limit_ns, const char *unit, double unit_ns)
{
    const bool above = (judge_lowest ? time.lowest : time.median) > limit_ns;
    above_limits += above;
    printf("%-42s %8.2f %s (%.2f..%.2f), limit %.0f%s\n", what, time.median / unit_ns, unit, time.lowest / unit_ns,
           time.highest / unit_ns, limit_ns / unit_ns, above ? ": ABOVE IT" : "");
}

/* ---- Launches -----------------------------------------------------------------------------------------------------*/

typedef int launch_fn(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned lds_bytes, void *stream, void **arguments,
                      void **extra);

struct launches {
    launch_fn *direct; /* of the table that the library has */
    mxg_plan *plan;
    mxg_quantizer *quantizer;
    mxg_buffers buffers;
    mxg_quantize_args args;
    struct mxg_kernarg kernarg;
};

static void run_directly(void *user, uint64_t first, uint64_t calls)
{
    struct launches *l = user;
    (void)first;
    for (uint64_t i = 0; i < calls; i++) {
        size_t bytes = sizeof l->kernarg;
        void *extra[] = {MXG_HIP_LAUNCH_BUFFER, &l->kernarg, MXG_HIP_LAUNCH_BUFFER_BYTES, &bytes, MXG_HIP_LAUNCH_END};
        if (l->direct(l, 1, 132, 1, 256, 1, 1, 0, NULL, NULL, extra)) abort();
    }
}

static void run_plan(void *user, uint64_t first, uint64_t calls)
{
    struct launches *l = user;
    (void)first;
    for (uint64_t i = 0; i < calls; i++)
        if (mxg_run(l->plan, &l->buffers, NULL, 0, NULL)) abort();
}

static void run_quantizer(void *user, uint64_t first, uint64_t calls)
{
    struct launches *l = user;
    (void)first;
    for (uint64_t i = 0; i < calls; i++)
        if (mxg_quantize(l->quantizer, &l->args, NULL)) abort();
}

static void print_launch(const char *what, batch_fn *batch, struct launches *launches)
{
    const struct measured m = measure(batch, run_directly, launches, LAUNCHES, LAUNCH_BATCHES);
    char name[64];
    (void)snprintf(name, sizeof name, "%s over a direct launch", what);
    print(name, m.difference, LAUNCH_LIMIT_NS, "ns", 1);
    printf("%-42s %8.2f ns to %.2f ns, ratio %.2f\n", "", m.a.median, m.b.median, m.a.median / m.b.median);
}

static void measure_launches(mxg_context *context)
{
    static char memory[64] __attribute__((aligned(64)));
    struct launches l = {.buffers = MXG_BUFFERS_INIT, .args = MXG_QUANTIZE_ARGS_INIT};
    mxg_problem problem = MXG_PROBLEM_INIT;
    void *address = idle_resolve(NULL, "hipModuleLaunchKernel");
    memcpy(&l.direct, &address, sizeof address);
    problem.m = 16, problem.n = 2112, problem.k = 7168, problem.split = 1; /* one launch, no workspace */
    l.buffers.a = memory, l.buffers.b = memory, l.buffers.b_scale = memory, l.buffers.c = memory;
    l.args.rows = 16, l.args.k = 7168, l.args.in = memory, l.args.codes = memory, l.args.scale = memory;
    expect(mxg_plan_create(context, &problem, &l.plan));
    expect(mxg_quantizer_create(context, &l.quantizer));
    expect(mxg_run(l.plan, &l.buffers, NULL, 0, NULL)); /* loaded by it */
    expect(mxg_quantize(l.quantizer, &l.args, NULL));
    print_launch("mxg_run", run_plan, &l);
    print_launch("mxg_quantize", run_quantizer, &l);
    expect(mxg_plan_destroy(l.plan));
    expect(mxg_quantizer_destroy(l.quantizer));
}

/* ---- Choices ------------------------------------------------------------------------------------------------------*/

struct choices {
    mxg_library *library;
    mxg_context *context;
    const unsigned char *pack;
    uint64_t pack_bytes;
    mxg_problem problems[PROBLEMS]; /* each is asked once */
};

/* As servers have them; no two alike but by chance. */
static void fill_problems(struct choices *c, uint64_t seed)
{
    for (uint64_t i = 0; i < PROBLEMS; i++) {
        c->problems[i] = (mxg_problem)MXG_PROBLEM_INIT;
        c->problems[i].m = 1 + (int64_t)random_below(&seed, UINT64_C(1) << random_below(&seed, 13));
        c->problems[i].n = 16 * (1 + (int64_t)random_below(&seed, 57344 / 16));
        c->problems[i].k = 128 * (1 + (int64_t)random_below(&seed, 28672 / 128));
        c->problems[i].b_layout = MXG_LAYOUT_SHUFFLED, c->problems[i].scale_layout = MXG_LAYOUT_SHUFFLED;
    }
}

static void select_each(void *user, uint64_t first, uint64_t calls)
{
    struct choices *c = user;
    uint32_t index;
    for (uint64_t i = first; i < first + calls; i++)
        expect(mxg_library_select(c->library, &c->problems[i], NULL, &index));
}

static void plan_each(void *user, uint64_t first, uint64_t calls)
{
    struct choices *c = user;
    mxg_plan *plan;
    for (uint64_t i = first; i < first + calls; i++) {
        expect(mxg_plan_create(c->context, &c->problems[i], &plan));
        expect(mxg_plan_destroy(plan));
    }
}

/* Timed is what comes after opening: the batch is one call, and the other kind of batch opens. */
static void open_enlarged(void *user, uint64_t first, uint64_t calls)
{
    struct choices *c = user;
    (void)first, (void)calls;
    mxg_library_close(c->library);
    expect(mxg_library_open_memory(c->pack, c->pack_bytes, &c->library));
}

static void measure_choices(const unsigned char *pack, uint64_t bytes, const mxg_options *options)
{
    struct choices *c = calloc(1, sizeof *c);
    if (!c) abort();
    unsigned char *enlarged = enlarge_pack(pack, bytes, VARIANTS, &c->pack_bytes);
    if (!enlarged) exit(1);
    c->pack = enlarged;
    expect(mxg_library_open_memory(c->pack, c->pack_bytes, &c->library));
    expect(mxg_context_create(c->library, options, &c->context));
    printf("a choice among %d variants, of a problem never asked before:\n", VARIANTS);
    fill_problems(c, 1);
    print("mxg_library_select", measure(select_each, NULL, c, CHOICES, CHOICE_BATCHES).a, CHOICE_LIMIT_NS, "us", 1000);
    fill_problems(c, 2);
    print("mxg_plan_create and mxg_plan_destroy", measure(plan_each, NULL, c, CHOICES, CHOICE_BATCHES).a,
          CHOICE_LIMIT_NS, "us", 1000);
    expect(mxg_context_destroy(c->context));
    print("mxg_library_select, first after opening", measure(select_each, open_enlarged, c, 1, OPEN_BATCHES).a,
          CHOICE_LIMIT_NS, "us", 1000);
    mxg_library_close(c->library);
    free(enlarged);
    free(c);
}

/* ---- Opening ------------------------------------------------------------------------------------------------------*/

static void open_embedded(void *user, uint64_t first, uint64_t calls)
{
    mxg_library *library;
    (void)user, (void)first;
    for (uint64_t i = 0; i < calls; i++) {
        expect(mxg_library_open_gfx950(&library));
        mxg_library_close(library);
    }
}

static void open_file(void *user, uint64_t first, uint64_t calls)
{
    mxg_library *library;
    const char *path = user;
    (void)first;
    for (uint64_t i = 0; i < calls; i++) {
        expect(mxg_library_open_file(path, &library));
        mxg_library_close(library);
    }
}

int main(int argc, char **argv)
{
    judge_lowest = argc == 3 && strcmp(argv[1], "--lowest") == 0;
    if (argc != 2 + judge_lowest) {
        (void)fputs("usage: loader [--lowest] PACK_FILE\n", stderr);
        return 2;
    }
    mxg_options options = MXG_OPTIONS_INIT;
    options.resolve = idle_resolve;
    mxg_library *library;
    mxg_context *context;
    if (!measure_on_one_processor()) puts("on whichever processor the system chooses: it cannot be held on one");
    printf("median of batches (lowest..highest)%s:\n", judge_lowest ? ", judged by the lowest" : "");
    expect(mxg_library_open_gfx950(&library));
    expect(mxg_context_create(library, &options, &context));
    measure_launches(context);
    expect(mxg_context_destroy(context));
    measure_choices(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &options);
    printf("opening and closing the pack of %" PRIu32 " variants, %" PRIu64 " bytes:\n",
           mxg_library_variant_count(library), mxg_pack_gfx950_bytes);
    mxg_library_close(library);
    print("mxg_library_open_gfx950", measure(open_embedded, NULL, NULL, 1, OPEN_BATCHES).a, OPEN_LIMIT_NS, "us", 1000);
    print("mxg_library_open_file", measure(open_file, NULL, argv[argc - 1], 1, OPEN_BATCHES).a, OPEN_LIMIT_NS, "us",
          1000);
    if (above_limits) printf("%d above their limits\n", above_limits);
    return above_limits > 0;
}
