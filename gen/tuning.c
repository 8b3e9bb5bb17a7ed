#define _POSIX_C_SOURCE 200809L
#include "gen/tuning_parts.h"

#include "common/pack_write.h"
#include "gen/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What may be in a table. ---- */

_Static_assert(MXG_PACK_SOURCE_BYTES == 95 + 1 && GEN_FAMILY_BYTES == 87 + 1 && MXG_LARGEST_K == 2147483520 &&
                   MXG_BLOCK == 32,
               "the sentences here have these numbers");

enum { DATE_BYTES = sizeof "2026-11-30" };

static int two_digits(const char *text)
{
    return (text[0] - '0') * 10 + text[1] - '0';
}

static int is_date(const char *text)
{
    static const char shape[DATE_BYTES] = "dddd-dd-dd";
    if (strlen(text) != DATE_BYTES - 1) return 0;
    for (size_t i = 0; i < DATE_BYTES - 1; i++)
        if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return 0;
    int month = two_digits(text + 5), day = two_digits(text + 8);
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

const char *gen_tuning_source_wrong(const char *source)
{
    if (strlen(source) >= MXG_PACK_SOURCE_BYTES) return "it may have 95 characters at most";
    if (source[strspn(source, MXG_PACK_SOURCE_CHARACTERS)])
        return "it may have letters, digits and the characters _-+.:,() only";
    if (strcmp(source, MXG_PACK_SOURCE_MODEL) == 0) return NULL;
    const size_t prefix = strlen(MXG_PACK_SOURCE_MEASURED);
    const char *driver, *date;
    if (strncmp(source, MXG_PACK_SOURCE_MEASURED, prefix) != 0 || !(driver = strchr(source + prefix, ',')) ||
        !(date = strchr(driver + 1, ',')) || driver == source + prefix || date == driver + 1 || !is_date(date + 1))
        return "it may be model or measured:DEVICE,DRIVER,DATE, the date as 2026-11-30";
    return NULL;
}

const char *gen_tuning_family_wrong(const char *family)
{
    size_t length = strlen(family);
    if (length == 0 || length >= GEN_FAMILY_BYTES) return "it may have 1 to 87 characters";
    if (family[strspn(family, "abcdefghijklmnopqrstuvwxyz0123456789_")])
        return "it may have small letters, digits and _ only";
    return NULL;
}

const char *gen_tuning_size_wrong(uint32_t m, uint32_t n, uint32_t k)
{
    if (m < 1 || m > INT32_MAX || n < 1 || n > INT32_MAX) return "m and n may be from 1 to 2147483647";
    if (k < 1 || k > MXG_LARGEST_K) return "k may be from 32 to 2147483520";
    return k % MXG_BLOCK ? "k may be a multiple of 32 only" : NULL;
}

/* ---- Order. ---- */

static int compare_number(uint32_t left, uint32_t right)
{
    return left < right ? -1 : left > right;
}

int gen_tuning_compare_row(const struct gen_time *left, const struct gen_time *right)
{
    int order = compare_number(left->m, right->m);
    if (!order) order = compare_number(left->n, right->n);
    if (!order) order = compare_number(left->k, right->k);
    return order ? order : mxg_pack_rank_sources(left->source, right->source);
}

static int compare_time(const struct gen_time *left, const struct gen_time *right)
{
    int order = gen_tuning_compare_row(left, right);
    return order ? order : strcmp(left->family, right->family);
}

static int by_order(const void *left, const void *right)
{
    return compare_time(left, right);
}

void gen_tuning_sort(struct gen_tuning *tuning)
{
    if (tuning->count > 0) qsort(tuning->times, tuning->count, sizeof *tuning->times, by_order);
}

/* ---- The table in memory. ---- */

void gen_tuning_append(struct gen_tuning *tuning, const struct gen_time *time)
{
    if (tuning->count == tuning->room) {
        struct gen_time *old = tuning->times;
        tuning->room = tuning->room ? 2 * tuning->room : 256;
        tuning->times = gen_alloc(tuning->room, sizeof *tuning->times);
        if (old) memcpy(tuning->times, old, tuning->count * sizeof *old);
        free(old);
    }
    tuning->times[tuning->count++] = *time;
}

/* The index of the first that does not come before `time`. */
static size_t place_of(const struct gen_tuning *tuning, const struct gen_time *time)
{
    size_t low = 0, high = tuning->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_time(&tuning->times[middle], time) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int is_at(const struct gen_tuning *tuning, size_t at, const struct gen_time *time)
{
    return at < tuning->count && compare_time(&tuning->times[at], time) == 0;
}

static void put(struct gen_tuning *tuning, const struct gen_time *time)
{
    size_t at = place_of(tuning, time);
    if (!is_at(tuning, at, time)) {
        gen_tuning_append(tuning, time); /* makes room */
        memmove(&tuning->times[at + 1], &tuning->times[at], (tuning->count - 1 - at) * sizeof *time);
    }
    tuning->times[at] = *time;
}

struct gen_time gen_tuning_key(uint32_t m, uint32_t n, uint32_t k, const char *source, const char *family)
{
    struct gen_time time = {.m = m, .n = n, .k = k};
    snprintf(time.source, sizeof time.source, "%s", source);
    snprintf(time.family, sizeof time.family, "%s", family);
    return time;
}

int gen_tuning_add(struct gen_tuning *tuning, uint32_t m, uint32_t n, uint32_t k, const char *source,
                   const char *family, double us)
{
    const char *wrong = gen_tuning_size_wrong(m, n, k);
    if (wrong) return gen_error("a time at m %u, n %u, k %u cannot be kept: %s", m, n, k, wrong);
    if ((wrong = gen_tuning_source_wrong(source)))
        return gen_error("a time of source \"%s\" cannot be kept: %s", source, wrong);
    if ((wrong = gen_tuning_family_wrong(family)))
        return gen_error("a time of family \"%s\" cannot be kept: %s", family, wrong);
    if (!(us >= 0.001 && us <= MXG_PACK_HIGHEST_NS / 1000.0)) /* nor a NaN */
        return gen_error("a time of %g us for %s at m %u, n %u, k %u cannot be kept: it may be from 0.001 to %u", us,
                         family, m, n, k, MXG_PACK_HIGHEST_NS / 1000);
    struct gen_time time = gen_tuning_key(m, n, k, source, family);
    time.ns = (uint32_t)(us * 1000 + 0.5);
    put(tuning, &time);
    return 0;
}

void gen_tuning_merge(struct gen_tuning *into, const struct gen_tuning *from)
{
    for (size_t i = 0; i < from->count; i++) put(into, &from->times[i]);
}

const struct gen_time *gen_tuning_find(const struct gen_tuning *tuning, uint32_t m, uint32_t n, uint32_t k,
                                       const char *source, const char *family)
{
    if (gen_tuning_source_wrong(source) || gen_tuning_family_wrong(family)) return NULL;
    const struct gen_time wanted = gen_tuning_key(m, n, k, source, family);
    size_t at = place_of(tuning, &wanted);
    return is_at(tuning, at, &wanted) ? &tuning->times[at] : NULL;
}

size_t gen_tuning_row_end(const struct gen_tuning *tuning, size_t at)
{
    size_t end = at + 1;
    while (end < tuning->count && gen_tuning_compare_row(&tuning->times[at], &tuning->times[end]) == 0) end++;
    return end;
}

size_t gen_tuning_rows(const struct gen_tuning *tuning)
{
    size_t rows = 0;
    for (size_t at = 0; at < tuning->count; at = gen_tuning_row_end(tuning, at)) rows++;
    return rows;
}

/* The different ones of strings, in order. Each is at `offset` of a time. */
static const char **list_strings(const struct gen_tuning *tuning, size_t offset,
                                 int (*order)(const char *, const char *), size_t *count)
{
    const char **list = gen_alloc(tuning->count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < tuning->count; i++) {
        const char *string = (const char *)&tuning->times[i] + offset;
        size_t at = *count;
        while (at > 0 && order(list[at - 1], string) > 0) at--;
        if (at > 0 && order(list[at - 1], string) == 0) continue;
        memmove(&list[at + 1], &list[at], (*count - at) * sizeof *list);
        list[at] = string;
        ++*count;
    }
    return list;
}

const char **gen_tuning_sources(const struct gen_tuning *tuning, size_t *count)
{
    return list_strings(tuning, offsetof(struct gen_time, source), mxg_pack_rank_sources, count);
}

const char **gen_tuning_families(const struct gen_tuning *tuning, size_t *count)
{
    return list_strings(tuning, offsetof(struct gen_time, family), strcmp, count);
}

void gen_tuning_free(struct gen_tuning *tuning)
{
    free(tuning->times);
    *tuning = (struct gen_tuning){0};
}

/* ---- The file. ---- */

static const char introduction[] =
    "# Times of the kernels in microseconds, by which the loader chooses among them: written by `make tune`.\n"
    "# gen/tuning.h describes it. A row: m n k source, and a time for each family in the order they are named, or -.\n"
    "# No row knows the code that it is of: after a change of a kernel, measured ones are to be measured again.\n";

void gen_tuning_print(const struct gen_tuning *tuning, struct gen_text *text)
{
    size_t count, at = 0;
    const char **families = gen_tuning_families(tuning, &count);
    gen_text_add(text, introduction, sizeof introduction - 1);
    for (size_t i = 0; i < count; i++) gen_text_print(text, GEN_TUNING_FAMILY_WORD " %s\n", families[i]);
    while (at < tuning->count) {
        const struct gen_time *time = &tuning->times[at];
        size_t end = gen_tuning_row_end(tuning, at);
        gen_text_print(text, "%5u %5u %5u %s", time->m, time->n, time->k, time->source);
        for (size_t i = 0; i < count; i++) {
            const struct gen_time *next = &tuning->times[at];
            if (at < end && strcmp(next->family, families[i]) == 0)
                gen_text_print(text, " %5u.%03u", next->ns / 1000, next->ns % 1000), at++;
            else
                gen_text_print(text, " %9s", "-");
        }
        gen_text_add(text, "\n", 1);
    }
    free(families);
}

int gen_tuning_write(const char *path, const struct gen_tuning *tuning)
{
    struct gen_text text = {0};
    gen_tuning_print(tuning, &text);
    int result = gen_write_if_changed(path, &text) < 0 ? -1 : 0;
    gen_text_free(&text);
    return result;
}
