/* mxgemm pack compare: what two packs differ in. The order of variants does not count, nor how code objects are stored.
 * Names and sources are of letters that JSON takes as they are. */
#include "loader/cli/cmd_pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
    const mxg_library *first, *second;
    const char *first_name, *second_name; /* of the files */
    uint32_t *there;                      /* of each variant of the first its index in the second, or CLI_NOT_THERE */
    bool *shared;                         /* of each variant of the second whether the first has it */
    struct cli_name *names;               /* of the second */
    bool json;
    uint64_t differences; /* found so far */
};

/* Before each difference that is printed. */
static void begin(struct comparison *c)
{
    if (c->json) printf("%s\n  ", c->differences ? "," : "");
    c->differences++;
}

static const char *side(const struct comparison *c, const mxg_library *library)
{
    if (c->json) return library == c->first ? "first" : "second";
    return library == c->first ? c->first_name : c->second_name;
}

static void print_only(struct comparison *c, const mxg_library *library, const char *name)
{
    begin(c);
    printf(c->json ? "{\"what\": \"variant\", \"name\": \"%s\", \"only_in\": \"%s\"}" : "%s is only in %s\n", name,
           side(c, library));
}

static void compare_fields(struct comparison *c, const struct mxg_variant *a, const struct mxg_variant *b)
{
    for (int f = 0; f < CLI_FIELDS; f++) {
        const uint32_t first = cli_field_value(a, &cli_fields[f]), second = cli_field_value(b, &cli_fields[f]);
        if (first == second) continue;
        begin(c);
        printf(c->json ? "{\"what\": \"field\", \"name\": \"%s\", \"field\": \"%s\", \"first\": %" PRIu32
                         ", \"second\": %" PRIu32 "}"
                       : "%s: %s is %" PRIu32 " and %" PRIu32 "\n",
               a->name, cli_fields[f].name, first, second);
    }
}

static void compare_code(struct comparison *c, const struct mxg_pack_entry *a, const struct mxg_pack_entry *b)
{
    char first[CLI_SHA256_TEXT], second[CLI_SHA256_TEXT];
    if (cli_same_code(a, b)) return;
    begin(c);
    printf(c->json ? "{\"what\": \"code\", \"name\": \"%s\", \"first\": \"%s\", \"second\": \"%s\"}"
                   : "%s: the code objects have SHA-256 %s and %s\n",
           a->variant.name, cli_sha256_text(a->blob_sha256, first), cli_sha256_text(b->blob_sha256, second));
}

static void compare_variants(struct comparison *c)
{
    for (uint32_t i = 0; i < c->second->count; i++)
        c->names[i] = (struct cli_name){c->second->entries[i].variant.name, i};
    cli_sort_names(c->names, c->second->count);
    for (uint32_t i = 0; i < c->first->count; i++) {
        const struct mxg_pack_entry *entry = &c->first->entries[i];
        c->there[i] = cli_find_name(c->names, c->second->count, entry->variant.name);
        if (c->there[i] == CLI_NOT_THERE) {
            print_only(c, c->first, entry->variant.name);
            continue;
        }
        c->shared[c->there[i]] = true;
        compare_fields(c, &entry->variant, &c->second->entries[c->there[i]].variant);
        compare_code(c, entry, &c->second->entries[c->there[i]]);
    }
    for (uint32_t i = 0; i < c->second->count; i++)
        if (!c->shared[i]) print_only(c, c->second, c->second->entries[i].variant.name);
}

/* Of two sources the one that comes first outranks the other. */
static void compare_ranks(struct comparison *c)
{
    uint32_t before = UINT32_MAX, before_there = 0;
    for (uint32_t s = 0; s < c->first->source_count; s++) {
        const char *source = mxg_pack_time_source(c->first, s);
        uint32_t there = 0;
        while (there < c->second->source_count && strcmp(mxg_pack_time_source(c->second, there), source) != 0) there++;
        if (there == c->second->source_count) continue;
        if (before != UINT32_MAX && there < before_there) {
            begin(c);
            printf(c->json ? "{\"what\": \"rank\", \"source\": \"%s\", \"outranks\": \"%s\", \"only_in\": \"%s\"}"
                           : "times of %s outrank those of %s only in %s\n",
                   mxg_pack_time_source(c->first, before), source, side(c, c->first));
        }
        before = s, before_there = there;
    }
}

/* The row of the same problem and source, or NULL. */
static const struct mxg_time_row *find_row(const mxg_library *library, const struct mxg_time_row *row)
{
    uint32_t low = 0, high = library->row_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cli_compare_points(&library->rows[middle], row) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < library->row_count && cli_compare_points(&library->rows[low], row) == 0; low++)
        if (strcmp(library->rows[low].source, row->source) == 0) return &library->rows[low];
    return NULL;
}

/* Prints what of a difference is of a row, whose beginning and end are the caller's. */
static void print_row(const struct comparison *c, const struct mxg_time_row *row)
{
    printf(c->json ? "\"m\": %" PRIu32 ", \"n\": %" PRIu32 ", \"k\": %" PRIu32 ", \"source\": \"%s\", "
                   : "at %" PRIu32 " x %" PRIu32 " x %" PRIu32 " of %s is ",
           row->at[0], row->at[1], row->at[2], row->source);
}

static void print_only_row(struct comparison *c, const mxg_library *library, const struct mxg_time_row *row)
{
    begin(c);
    printf(c->json ? "{\"what\": \"row\", " : "the time row ");
    print_row(c, row);
    printf(c->json ? "\"only_in\": \"%s\"}" : "only in %s\n", side(c, library));
}

static void print_ns(const struct comparison *c, uint32_t ns)
{
    if (ns)
        printf(c->json ? "%" PRIu32 : "%" PRIu32 " ns", ns);
    else
        printf(c->json ? "null" : "not known");
}

static void compare_row(struct comparison *c, const struct mxg_time_row *a, const struct mxg_time_row *b)
{
    for (uint32_t i = 0; i < c->first->count; i++) {
        if (c->there[i] == CLI_NOT_THERE) continue;
        const uint32_t first = mxg_pack_time_ns(a, i), second = mxg_pack_time_ns(b, c->there[i]);
        if (first == second) continue;
        begin(c);
        printf(c->json ? "{\"what\": \"time\", \"name\": \"%s\", " : "%s: the time ",
               c->first->entries[i].variant.name);
        print_row(c, a);
        printf(c->json ? "\"first_ns\": " : "");
        print_ns(c, first);
        printf(c->json ? ", \"second_ns\": " : " and ");
        print_ns(c, second);
        printf(c->json ? "}" : "\n");
    }
}

static void compare_times(struct comparison *c)
{
    compare_ranks(c);
    for (uint32_t r = 0; r < c->first->row_count; r++) {
        const struct mxg_time_row *row = &c->first->rows[r], *other = find_row(c->second, row);
        if (other)
            compare_row(c, row, other);
        else
            print_only_row(c, c->first, row);
    }
    for (uint32_t r = 0; r < c->second->row_count; r++)
        if (!find_row(c->first, &c->second->rows[r])) print_only_row(c, c->second, &c->second->rows[r]);
}

static enum cli_exit compare(struct comparison *c)
{
    if (c->json) printf("{\"differences\": [");
    if (strcmp(c->first->arch, c->second->arch) != 0) {
        begin(c);
        printf(c->json ? "{\"what\": \"arch\", \"first\": \"%s\", \"second\": \"%s\"}" : "they are for %s and %s\n",
               c->first->arch, c->second->arch);
    }
    compare_variants(c);
    compare_times(c);
    if (c->json) printf("%s], \"equal\": %s}\n", c->differences ? "\n" : "", c->differences ? "false" : "true");
    return c->differences ? CLI_FAILED : CLI_DONE;
}

enum cli_exit cli_pack_compare(const struct cli_args *args)
{
    mxg_library *first = NULL, *second = NULL;
    enum cli_exit status = CLI_FAILED;
    struct comparison c = {.json = args->json};
    if (cli_open_pack(args, 0, &first) && cli_open_pack(args, 1, &second)) {
        c.first = first, c.second = second;
        c.first_name = args->files[0], c.second_name = args->files[1];
        c.there = calloc((size_t)first->count + 1, sizeof *c.there);
        c.shared = calloc((size_t)second->count + 1, sizeof *c.shared);
        c.names = calloc((size_t)second->count + 1, sizeof *c.names);
        if (c.there && c.shared && c.names)
            status = compare(&c);
        else
            (void)cli_fail("no memory to compare %" PRIu32 " variants", first->count);
    }
    free(c.there), free(c.shared), free(c.names);
    mxg_library_close(second);
    mxg_library_close(first);
    return status;
}
