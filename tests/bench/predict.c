#include "tests/bench/predict.h"
#include "loader/layout.h"
#include "loader/select.h"

static void add_counts(const struct emu_trace *trace, const struct emu_sampling *sampling, struct prediction *sum)
{
    const struct emu_stats *stats = emu_trace_stats(trace);
    const double whole = (double)sampling->workgroups / (double)sampling->workgroups_run;
    sum->round_trips += (unsigned)stats->round_trips;
    sum->instructions += whole * (double)stats->instructions;
    for (int access = 0; access < EMU_ACCESSES; access++) {
        sum->lds_passes += whole * (double)stats->memory.traffic[EMU_LDS][access].passes;
        sum->lds_conflicts += whole * (double)stats->memory.traffic[EMU_LDS][access].conflicts;
    }
}

static void take_first(const struct emu_trace *trace, const struct emu_time *time, struct prediction *sum)
{
    sum->sampling = time->sampling;
    sum->workgroups = (double)time->sampling.workgroups;
    sum->round_trips_before_store = (unsigned)emu_trace_stats(trace)->round_trips_before_store;
    sum->under_way_bytes = time->under_way_bytes;
    sum->main_loop_mfma_busy = time->main_loop_mfma_busy;
    sum->main_loop = emu_trace_main_loop(trace);
}

static void add_launch(struct work *work, size_t n, const struct emu_machine *machine, enum predict_what what,
                       struct prediction *sum)
{
    struct emu_error error;
    struct emu_trace *trace = NULL;
    struct emu_time time;
    work->launch[n].threads = 1; /* tasks are spread over processes */
    work->launch[n].count = what == PREDICT_COUNTS;
    if (emu_trace(work->emu, &work->launch[n], &trace, &error) ||
        emu_time(trace, machine, n ? PREDICT_SECOND_READS : PREDICT_FIRST_READS, &time, &error))
        bench_fail("%s: %s", work->name, error.text);
    sum->launches++;
    sum->us += time.total_us;
    for (int part = 0; part < EMU_PARTS; part++) sum->part_us[part] += time.part_us[part];
    sum->beyond_l2_bytes += time.mall_bytes;
    if (what == PREDICT_COUNTS) add_counts(trace, &time.sampling, sum);
    if (n == 0) take_first(trace, &time, sum);
    emu_trace_free(trace);
}

double predict_mfma_instructions(const struct prediction *p)
{
    return p->main_loop.mfmas ? (double)p->main_loop.instructions / (double)p->main_loop.mfmas : 0;
}

struct prediction predict_work(struct work *work, const struct emu_machine *machine, enum predict_what what)
{
    struct prediction sum = {0};
    for (size_t n = 0; n < work->launches; n++) add_launch(work, n, machine, what, &sum);
    return sum;
}

mxg_problem predict_problem(const struct mxg_variant *v, int64_t m, int64_t n, int64_t k)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = m, problem.n = n, problem.k = k;
    problem.a_format = (int32_t)v->a_format;
    problem.c_format = (int32_t)v->c_format;
    const int exists = n % MXG_B_TILE_N == 0 && k % MXG_B_TILE_K == 0;
    problem.b_layout = exists && v->b_layouts & MXG_LAYOUT_BIT_SHUFFLED ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
    problem.scale_layout = v->scale_layouts & MXG_LAYOUT_BIT_SHUFFLED ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
    problem.variant = v->name;
    return problem;
}

struct prediction predict_variant(const struct mxg_pack_entry *entry, const mxg_problem *problem,
                                  const struct emu_machine *machine, enum predict_what what)
{
    struct work work;
    variant_work(&work, entry, problem, WORK_BLANK);
    struct prediction p = predict_work(&work, machine, what);
    p.workgroups = (double)mxg_workgroups(&entry->variant, problem);
    work_end(&work);
    return p;
}
