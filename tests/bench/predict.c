#include "tests/bench/predict.h"
#include "loader/layout.h"

static void add_launch(struct work *work, size_t n, const struct emu_machine *machine, struct prediction *sum)
{
    struct emu_error error;
    struct emu_trace *trace = NULL;
    struct emu_time time;
    work->launch[n].threads = 1; /* tasks are spread over processes */
    if (emu_trace(work->emu, &work->launch[n], &trace, &error) ||
        emu_time(trace, machine, n ? PREDICT_SECOND_READS : PREDICT_FIRST_READS, &time, &error))
        bench_fail("%s: %s", work->name, error.text);
    emu_trace_free(trace);
    sum->us += time.total_us;
    for (int part = 0; part < EMU_PARTS; part++) sum->part_us[part] += time.part_us[part];
    if (n == 0) sum->sampling = time.sampling;
}

struct prediction predict_work(struct work *work, const struct emu_machine *machine)
{
    struct prediction sum = {0};
    for (size_t n = 0; n < work->launches; n++) add_launch(work, n, machine, &sum);
    return sum;
}

mxg_problem predict_problem(const struct mxg_variant *v, int64_t m, int64_t n, int64_t k)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = m, problem.n = n, problem.k = k;
    problem.c_format = (int32_t)v->c_format;
    const int exists = n % MXG_B_TILE_N == 0 && k % MXG_B_TILE_K == 0;
    problem.b_layout = exists && v->b_layouts & MXG_LAYOUT_BIT_SHUFFLED ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
    problem.scale_layout = v->scale_layouts & MXG_LAYOUT_BIT_SHUFFLED ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
    problem.variant = v->name;
    return problem;
}

struct prediction predict_variant(const struct mxg_pack_entry *entry, const mxg_problem *problem,
                                  const struct emu_machine *machine)
{
    struct work work;
    variant_work(&work, entry, problem, WORK_BLANK);
    struct prediction p = predict_work(&work, machine);
    work_end(&work);
    return p;
}
