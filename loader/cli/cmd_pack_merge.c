/* mxgemm pack merge: one pack with the variants of several. */
#include "loader/cli/new_pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct merge {
    const struct cli_args *args;
    mxg_library **inputs;
    struct cli_recipe recipe;
    uint32_t *from;                     /* the recipe's */
    const struct mxg_pack_entry **kept; /* of each variant of the recipe, */
    uint32_t *kept_input;               /* and the input it is of */
    struct cli_name *names;             /* of the variants of the inputs before the one that is being taken, */
    uint32_t name_count;                /* and how many these are */
};

static bool open_inputs(struct merge *merge)
{
    const int count = merge->args->file_count;
    uint64_t variants = 0;
    merge->inputs = calloc((size_t)count, sizeof(mxg_library *));
    if (!merge->inputs) return cli_fail("no memory for %d packs", count);
    for (int i = 0; i < count; i++) {
        if (!cli_open_pack(merge->args, i, &merge->inputs[i])) return false;
        variants += merge->inputs[i]->count;
        if (strcmp(merge->inputs[i]->arch, merge->inputs[0]->arch) != 0)
            return cli_fail("%s is for %s, %s for %s", merge->args->files[0], merge->inputs[0]->arch,
                            merge->args->files[i], merge->inputs[i]->arch);
    }
    merge->from = calloc((size_t)variants * (size_t)count + 1, sizeof *merge->from);
    merge->kept = calloc((size_t)variants + 1, sizeof *merge->kept);
    merge->kept_input = calloc((size_t)variants + 1, sizeof *merge->kept_input);
    merge->names = calloc((size_t)variants + 1, sizeof *merge->names);
    return (merge->from && merge->kept && merge->kept_input && merge->names) ||
           cli_fail("no memory for %" PRIu64 " variants of %d packs", variants, count);
}

/* Says what is not the same of a variant in two packs. */
static bool say_conflict(const struct merge *merge, uint32_t variant, uint32_t input,
                         const struct mxg_pack_entry *other)
{
    const struct mxg_pack_entry *kept = merge->kept[variant];
    const char *first = merge->args->files[merge->kept_input[variant]], *second = merge->args->files[input];
    for (int f = 0; f < CLI_FIELDS; f++) {
        const uint32_t a = cli_field_value(&kept->variant, &cli_fields[f]),
                       b = cli_field_value(&other->variant, &cli_fields[f]);
        if (a != b)
            return cli_fail("variant %s has %s %" PRIu32 " in %s and %" PRIu32 " in %s: --prefer first or last says "
                            "which to keep",
                            kept->variant.name, cli_fields[f].name, a, first, b, second);
    }
    return cli_fail("variant %s has other code in %s than in %s: --prefer first or last says which to keep",
                    kept->variant.name, first, second);
}

static void keep(struct merge *merge, uint32_t variant, uint32_t input, uint32_t index)
{
    uint32_t *from = &merge->from[(size_t)variant * merge->recipe.input_count];
    for (uint32_t i = 0; i < merge->recipe.input_count; i++) from[i] = CLI_NOT_THERE;
    from[input] = index;
    merge->kept[variant] = &merge->inputs[input]->entries[index], merge->kept_input[variant] = input;
}

static bool same_variant(const struct mxg_pack_entry *a, const struct mxg_pack_entry *b)
{
    return memcmp(&a->variant, &b->variant, sizeof a->variant) == 0 && cli_same_code(a, b);
}

/* A variant of an input: a new one, one that is there already, or another one of a name that is. Times go with the code
 * that they were taken of. */
static bool take_variant(struct merge *merge, uint32_t input, uint32_t index)
{
    const struct mxg_pack_entry *entry = &merge->inputs[input]->entries[index];
    const uint32_t v = cli_find_name(merge->names, merge->name_count, entry->variant.name);
    if (v == CLI_NOT_THERE) {
        keep(merge, merge->recipe.variant_count++, input, index);
    } else if (same_variant(merge->kept[v], entry)) {
        merge->from[(size_t)v * merge->recipe.input_count + input] = index;
    } else if (merge->args->prefer == CLI_PREFER_NONE) {
        return say_conflict(merge, v, input, entry);
    } else if (merge->args->prefer == CLI_PREFER_LAST) {
        keep(merge, v, input, index);
    }
    return true;
}

/* An input has no name twice, so that of its own no name need be known. */
static bool take_input(struct merge *merge, uint32_t input)
{
    merge->name_count = merge->recipe.variant_count;
    for (uint32_t v = 0; v < merge->name_count; v++)
        merge->names[v] = (struct cli_name){merge->kept[v]->variant.name, v};
    cli_sort_names(merge->names, merge->name_count);
    for (uint32_t v = 0; v < merge->inputs[input]->count; v++)
        if (!take_variant(merge, input, v)) return false;
    return true;
}

static bool run(struct merge *merge)
{
    if (!open_inputs(merge)) return false;
    merge->recipe = (struct cli_recipe){.inputs = merge->inputs,
                                        .input_count = (uint32_t)merge->args->file_count,
                                        .from = merge->from,
                                        .prefer = merge->args->prefer,
                                        .compress = merge->args->compress};
    for (uint32_t i = 0; i < merge->recipe.input_count; i++)
        if (!take_input(merge, i)) return false;
    struct cli_new_pack made;
    bool good = cli_make_pack(&merge->recipe, &made) && cli_write_pack(&made, merge->args->out);
    cli_drop_pack(&made);
    return good;
}

enum cli_exit cli_pack_merge(const struct cli_args *args)
{
    struct merge merge = {.args = args};
    bool good = run(&merge);
    for (int i = 0; merge.inputs && i < args->file_count; i++) mxg_library_close(merge.inputs[i]);
    free(merge.inputs), free(merge.from), free(merge.kept), free(merge.kept_input), free(merge.names);
    return good ? CLI_DONE : CLI_FAILED;
}
