#include "loader/select.h"
#include "loader/choices.h"
#include "loader/predict.h"
#include "loader/rules.h"
#include "loader/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- A problem that nobody does. ---- */

static void describe(const mxg_problem *p, char *text, size_t bytes)
{
    (void)snprintf(text, bytes, "m %" PRId64 ", n %" PRId64 ", k %" PRId64 " with A %s, B %s, scales %s, C %s", p->m,
                   p->n, p->k, mxg_format_name((uint32_t)p->a_format), mxg_layout_name((uint32_t)p->b_layout),
                   mxg_layout_name((uint32_t)p->scale_layout), mxg_format_name((uint32_t)p->c_format));
}

static uint32_t index_of_name(const mxg_library *library, const char *name)
{
    uint32_t i = 0;
    while (i < library->count && strcmp(library->entries[i].variant.name, name) != 0) i++;
    return i;
}

/* The sentence: how many variants each rule refuses, and the first one's reason. */
static mxg_status refuse(const struct mxg_request *request)
{
    const mxg_library *library = request->library;
    const char *named = request->problem->variant;
    char text[160], why[256], reasons[640] = "";
    uint32_t refused[MXG_RULES + 1] = {0}, first[MXG_RULES + 1] = {0};
    describe(request->problem, text, sizeof text);
    if (library->count == 0) return mxg_fail(MXG_ERROR_NO_VARIANT, "this pack has no variants, so none does %s", text);
    if (named) {
        const uint32_t index = index_of_name(library, named);
        if (index == library->count) return mxg_fail(MXG_ERROR_NO_VARIANT, "this pack has no variant named %s", named);
        (void)mxg_first_refusal(request, index, why, sizeof why);
        return mxg_fail(MXG_ERROR_NO_VARIANT, "variant %s does not do %s: %s", named, text, why);
    }
    for (uint32_t i = 0; i < library->count; i++) {
        const int rule = mxg_first_refusal(request, i, NULL, 0);
        if (refused[rule]++ == 0) first[rule] = i;
    }
    for (int rule = 0; rule < MXG_RULES; rule++) {
        if (!refused[rule]) continue;
        (void)mxg_first_refusal(request, first[rule], why, sizeof why);
        const size_t length = strlen(reasons);
        (void)snprintf(reasons + length, sizeof reasons - length, "%s%" PRIu32 " by %s (%s %s)", length ? ", " : "",
                       refused[rule], mxg_rule_name(rule), library->entries[first[rule]].variant.name, why);
    }
    return mxg_fail(MXG_ERROR_NO_VARIANT, "no variant of this pack does %s: %s", text, reasons);
}

/* ---- The choice. ---- */

/* A variant that does the problem. */
struct contender {
    uint32_t index, at_work; /* compute units */
    uint64_t ns;
    double formula_ns; /* where it has no time, else 0 */
};

struct field {
    struct mxg_forecast forecast;
    struct contender *contenders; /* by their index; NULL: only the mean is asked for */
    uint32_t count;
    int64_t mean; /* correction of those that have times */
};

static void enter(struct field *field, uint32_t index, double tiles, uint32_t cu_count, int64_t *sum, int64_t *timed)
{
    const struct mxg_prediction p = mxg_predict(&field->forecast, index, tiles);
    const uint32_t at_work = p.workgroups < cu_count ? (uint32_t)p.workgroups : cu_count;
    if (field->contenders)
        field->contenders[field->count++] = (struct contender){index, at_work, p.ns, p.timed ? 0 : p.formula_ns};
    if (p.timed) *sum += p.correction, *timed += 1;
}

/* All that do the problem, with their times. */
static void find_contenders(struct field *field, const struct mxg_request *request)
{
    const mxg_library *library = request->library;
    const char *named = request->problem->variant;
    const uint32_t cu_count = request->device->cu_count;
    int64_t sum = 0, timed = 0;
    field->count = 0;
    mxg_forecast_begin(&field->forecast, library, request->problem, cu_count);
    for (uint32_t i = named ? index_of_name(library, named) : 0; i < library->count; i++) {
        double tiles;
        if (mxg_passes(&library->selection->traits[i], request, &tiles)) enter(field, i, tiles, cu_count, &sum, &timed);
        if (named) break;
    }
    field->mean = timed ? sum / timed : 0;
    for (uint32_t i = 0; field->mean != 0 && i < field->count; i++) {
        struct contender *c = &field->contenders[i];
        if (c->formula_ns > 0) c->ns = mxg_corrected_ns(c->formula_ns, field->mean);
    }
}

/* The first with the lowest time. */
static const struct contender *find_fastest(const struct field *field)
{
    const struct contender *fastest = &field->contenders[0];
    for (uint32_t i = 1; i < field->count; i++)
        if (field->contenders[i].ns < fastest->ns) fastest = &field->contenders[i];
    return fastest;
}

static bool is_measured_here(const struct field *field, const struct contender *c)
{
    const struct mxg_time_row *row = field->forecast.here ? mxg_nearest_row(&field->forecast, c->index) : NULL;
    return row && strncmp(row->source, MXG_PACK_SOURCE_MEASURED, strlen(MXG_PACK_SOURCE_MEASURED)) == 0 &&
           row->at[0] == field->forecast.problem->m && row->at[1] == field->forecast.problem->n &&
           row->at[2] == field->forecast.problem->k;
}

enum { WINDOW = 32 }; /* times up to 1/32 above the lowest are taken for as good */

/* Of those that are as good as the fastest the first of the best. */
static const struct contender *prefer_busy(const struct field *field, const struct contender *fastest)
{
    const struct contender *best = fastest;
    for (uint32_t i = 0; i < field->count; i++) {
        const struct contender *c = &field->contenders[i];
        if (c->ns - fastest->ns > fastest->ns / WINDOW || c->at_work < best->at_work) continue;
        if (c->at_work > best->at_work || c->ns < best->ns || (c->ns == best->ns && c->index < best->index)) best = c;
    }
    return best;
}

/* What is chosen and why, to the log if there is one. */
__attribute__((format(printf, 3, 4))) static void tell(const struct mxg_request *request, uint32_t index,
                                                       const char *format, ...)
{
    const mxg_library *library = request->library;
    char text[160], why[512];
    va_list values;
    if (!library->host.log) return;
    describe(request->problem, text, sizeof text);
    va_start(values, format);
    (void)vsnprintf(why, sizeof why, format, values);
    va_end(values);
    mxg_log(&library->host, MXG_LOG_DEBUG, "%s is chosen for %s: %s", library->entries[index].variant.name, text, why);
}

/* Whether the user has chosen, and the variant does the problem. */
static bool take_choice(const struct mxg_request *request, uint32_t *index)
{
    const struct mxg_choice *choice = mxg_choices_find(request->library, request->problem, request->device);
    if (!choice || mxg_first_refusal(request, choice->variant, NULL, 0) < MXG_RULES) return false;
    *index = choice->variant;
    tell(request, *index, "by the user's choices, %s:%" PRIu32, request->library->choices->name, choice->line);
    return true;
}

static uint32_t take_best(const struct field *field, const struct mxg_request *request)
{
    const struct contender *fastest = find_fastest(field), *best = fastest;
    if (!is_measured_here(field, fastest)) best = prefer_busy(field, fastest);
    tell(request, best->index,
         "%" PRIu64 " ns, the lowest of %" PRIu32 " that do it are %" PRIu64 ", and %" PRIu32 " compute units at work",
         best->ns, field->count, fastest->ns, best->at_work);
    return best->index;
}

enum { FEW = 256 }; /* contenders that a choice has room for on its stack */

mxg_status mxg_select(const mxg_library *library, const mxg_problem *problem, const mxg_device *device, uint32_t *index)
{
    const struct mxg_request request = mxg_request_of(library, problem, device);
    if (take_choice(&request, index)) return MXG_OK;
    struct contender few[FEW];
    struct field field;
    field.contenders = few;
    if (library->count > FEW) field.contenders = mxg_allocate(&library->host, library->count, sizeof *few);
    if (!field.contenders)
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory to choose among %" PRIu32 " variants", library->count);
    find_contenders(&field, &request);
    if (field.count) *index = take_best(&field, &request);
    if (library->count > FEW) mxg_release(&library->host, field.contenders);
    return field.count ? MXG_OK : refuse(&request);
}

/* gfx950, or with features: gfx950:sramecc+:xnack-. */
static bool is_arch(const char *arch)
{
    size_t length = strcspn(arch, ":");
    if (length == 0 || arch[strspn(arch, "abcdefghijklmnopqrstuvwxyz0123456789_-+:")]) return false;
    for (arch += length; *arch == ':'; arch += length) {
        length = 1 + strcspn(arch + 1, ":");
        if (length < 3 || (arch[length - 1] != '+' && arch[length - 1] != '-')) return false;
    }
    return true;
}

mxg_status mxg_device_take(const mxg_device *given, mxg_device *own)
{
    static const mxg_device mi355x = MXG_DEVICE_MI355X, unknown = {0};
    *own = given ? unknown : mi355x;
    mxg_status status = given ? mxg_take_struct(own, sizeof *own, given, "device") : MXG_OK;
    if (status) return status;
    if (own->cu_count == 0) return mxg_fail(MXG_ERROR_ARGUMENT, "device: cu_count is 0");
    if (own->lds_bytes == 0) return mxg_fail(MXG_ERROR_ARGUMENT, "device: lds_bytes is 0");
    if (!memchr(own->arch, 0, sizeof own->arch)) return mxg_fail(MXG_ERROR_ARGUMENT, "device: arch has no end");
    if (!is_arch(own->arch))
        return mxg_fail(MXG_ERROR_ARGUMENT, "device: arch is '%s', not a processor and features with + or -",
                        own->arch);
    return MXG_OK;
}

mxg_status mxg_library_select(const mxg_library *library, const mxg_problem *problem, const mxg_device *device,
                              uint32_t *index)
{
    mxg_problem own;
    mxg_device on;
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_select: library is NULL");
    if (!index) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_select: index is NULL");
    mxg_status status = mxg_problem_take(problem, &own);
    if (!status) status = mxg_device_take(device, &on);
    return status ? status : mxg_select(library, &own, &on, index);
}

/* Of a variant that does the problem: alone, unless it needs the others' mean. */
static void forecast(const struct mxg_request *request, uint32_t index, mxg_candidate *candidate)
{
    struct field field = {.contenders = NULL};
    mxg_forecast_begin(&field.forecast, request->library, request->problem, request->device->cu_count);
    const struct mxg_traits *traits = &request->library->selection->traits[index];
    const struct mxg_prediction p = mxg_predict(&field.forecast, index, mxg_tiles(traits, request->m, request->n));
    const struct mxg_time_row *row = mxg_nearest_row(&field.forecast, index);
    uint64_t ns = p.ns;
    candidate->workgroups = p.workgroups;
    if (row) {
        candidate->time_source = row->source;
        candidate->time_m = row->at[0], candidate->time_n = row->at[1], candidate->time_k = row->at[2];
    } else {
        find_contenders(&field, request);
        ns = mxg_corrected_ns(p.formula_ns, field.mean);
    }
    candidate->predicted_us = (double)ns / 1000;
}

mxg_status mxg_library_explain(const mxg_library *library, const mxg_problem *problem, const mxg_device *device,
                               uint32_t index, mxg_candidate *candidate)
{
    mxg_problem own;
    mxg_device on;
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_explain: library is NULL");
    mxg_status status = mxg_problem_take(problem, &own);
    if (!status) status = mxg_device_take(device, &on);
    if (status) return status;
    if (index >= library->count)
        return mxg_fail(MXG_ERROR_ARGUMENT, "variant index %" PRIu32 " of a pack of %" PRIu32, index, library->count);

    const struct mxg_request request = mxg_request_of(library, &own, &on);
    const struct mxg_choice *choice = mxg_choices_find(library, &own, &on);
    mxg_candidate verdict = {0};
    verdict.accepted = mxg_first_refusal(&request, index, verdict.reason, sizeof verdict.reason) == MXG_RULES;
    if (verdict.accepted) forecast(&request, index, &verdict);
    if (choice && choice->variant == index) {
        verdict.preferred = verdict.accepted;
        verdict.choice_path = library->choices->name, verdict.choice_line = choice->line;
        verdict.choice_us = (double)choice->ns / 1000;
        verdict.choice_source = choice->source;
    }
    return mxg_give_struct(&verdict, sizeof verdict, candidate, "candidate");
}
