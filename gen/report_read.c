/* Reading reports and choices, which may come from anywhere. */
#include "gen/report_json.h"

#include "gen/complaint.h"
#include "gen/report_fields.h"
#include "gen/row.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_BYTES = 200 };

static json_t *parse(const char *path, const struct gen_text *text)
{
    json_error_t error;
    json_t *root = json_loadb(text->bytes > 0 ? text->data : "", text->bytes, JSON_REJECT_DUPLICATES, &error);
    char shown[GEN_SHOWN_BYTES]; /* libjansson quotes what it does not understand as it is */
    if (!root)
        gen_error("%s:%d:%d: %s", path, error.line, error.column, gen_shown(error.text, strlen(error.text), shown));
    return root;
}

static int is_name(const char *name)
{
    size_t length = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
    return length > 0 && !name[length] && length < MXG_VARIANT_NAME_BYTES;
}

static int is_value(json_t *value)
{
    size_t i;
    json_t *part;
    if (json_is_string(value)) return json_string_length(value) < VALUE_BYTES;
    json_array_foreach (value, i, part)
        if (!json_is_string(part) || json_string_length(part) >= VALUE_BYTES || i >= 8) return 0;
    return json_is_number(value) || json_is_array(value);
}

/* Sets what lies at a path of keys, in objects that are made on the way. */
static void set_at(json_t *object, const char *path, json_t *value)
{
    const char *dot = strchr(path, '.');
    if (!dot) {
        if (json_object_set(object, path, value) != 0) gen_out_of_memory();
        return;
    }
    char key[64] = "";
    memcpy(key, path, (size_t)(dot - path));
    if (!json_object_get(object, key) && json_object_set_new(object, key, json_object()) != 0) gen_out_of_memory();
    set_at(json_object_get(object, key), dot + 1, value);
}

/* The variant with its fields alone; NULL after a report. */
static json_t *reduce(const char *path, size_t index, json_t *variant)
{
    const char *name = json_string_value(json_object_get(variant, "name"));
    if (!is_name(name)) return gen_error("%s: variant %zu has no name that a variant can have", path, index), NULL;
    json_t *reduced = json_object();
    if (!reduced) gen_out_of_memory();
    set_at(reduced, "name", json_object_get(variant, "name"));
    for (size_t i = 0; i < gen_report_field_count; i++) {
        json_t *value = gen_report_at(variant, gen_report_fields[i].path);
        if (!value) continue;
        if (!is_value(value)) {
            gen_error("%s: %s of %s is neither a number nor a text nor a list of texts", path,
                      gen_report_fields[i].path, name);
            json_decref(reduced);
            return NULL;
        }
        set_at(reduced, gen_report_fields[i].path, value);
    }
    return reduced;
}

static int reduce_all(const char *path, json_t *root, json_t *report)
{
    json_t *variants = json_object_get(root, "variants"), *variant, *names = json_object(), *all = json_array();
    size_t i;
    int result = 0;
    if (!names || !all || json_object_set_new(report, "variants", all) != 0) gen_out_of_memory();
    if (json_integer_value(json_object_get(root, "schema")) != GEN_REPORT_SCHEMA || !json_is_array(variants))
        result =
            gen_error("%s is no report of mxgen with \"schema\": %d and a list of variants", path, GEN_REPORT_SCHEMA);
    json_array_foreach (variants, i, variant) {
        json_t *reduced = result == 0 ? reduce(path, i, variant) : NULL;
        if (!reduced) {
            result = -1;
            break;
        }
        const char *name = json_string_value(json_object_get(reduced, "name"));
        if (json_array_append_new(all, reduced) != 0) gen_out_of_memory();
        if (json_object_get(names, name)) {
            result = gen_error("%s has two variants %s", path, name);
            break;
        }
        if (json_object_set(names, name, reduced) != 0) gen_out_of_memory();
    }
    json_decref(names);
    return result;
}

json_t *gen_report_parse(const char *path, const struct gen_text *text)
{
    json_t *root = parse(path, text), *report = json_object();
    const char *slash = strrchr(path, '/');
    if (!report || json_object_set_new(report, "from", json_string(slash ? slash + 1 : path)) != 0) gen_out_of_memory();
    int result = root ? reduce_all(path, root, report) : -1;
    json_decref(root);
    if (result == 0) return report;
    json_decref(report);
    return NULL;
}

/* ---- choices ---- */

static int find_variant(json_t *report, const char *name)
{
    size_t i;
    json_t *variant;
    json_array_foreach (json_object_get(report, "variants"), i, variant)
        if (strcmp(json_string_value(json_object_get(variant, "name")), name) == 0) return (int)i;
    return -1;
}

/* The map of the problems whose matrices come like these; it is made if there is none. */
static json_t *find_map(json_t *maps, const char *a_format, const char *c_format, const char *b_layout,
                        const char *scale_layout)
{
    size_t i;
    json_t *map, *wanted = json_pack("{s:s,s:s,s:s,s:s}", "a_format", a_format, "c_format", c_format, "b_layout",
                                     b_layout, "scale_layout", scale_layout);
    if (!wanted) gen_out_of_memory();
    json_array_foreach (maps, i, map)
        if (json_equal(json_object_get(map, "of"), wanted)) return json_decref(wanted), map;
    map = json_pack("{s:o,s:[],s:{}}", "of", wanted, "points", "notes");
    if (!map || json_array_append_new(maps, map) != 0) gen_out_of_memory();
    return map;
}

static int is_word(const char *text)
{
    return *text && strlen(text) < 32 && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+")];
}

/* Notes are of N and K, of which M is left out. */
static void set_note(json_t *map, json_int_t n, json_int_t k, const char *note)
{
    char key[48];
    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT " x %" JSON_INTEGER_FORMAT, n, k);
    if (json_object_set_new(json_object_get(map, "notes"), key, json_string(note)) != 0) gen_out_of_memory();
}

static int add_choice(json_t *report, json_t *maps, const char *path, size_t index, json_t *choice)
{
    json_int_t m, n, k;
    const char *a_format, *c_format, *b_layout, *scale_layout, *note = NULL;
    json_t *chosen;
    double us = 0;
    json_error_t error;
    if (json_unpack_ex(choice, &error, 0, "{s:I,s:I,s:I,s:s,s:s,s:s,s:s,s:o,s?F,s?s}", "m", &m, "n", &n, "k", &k,
                       "a_format", &a_format, "c_format", &c_format, "b_layout", &b_layout, "scale_layout",
                       &scale_layout, "variant", &chosen, "predicted_us", &us, "note", &note) != 0)
        return gen_error("%s: choice %zu: %s", path, index, error.text);
    if (m < 1 || n < 1 || k < 1 || !(us >= 0))
        return gen_error("%s: choice %zu has a size or a time below what there is", path, index);
    if (!is_word(a_format) || !is_word(c_format) || !is_word(b_layout) || !is_word(scale_layout))
        return gen_error("%s: choice %zu has a format or a layout that is no word", path, index);
    const char *name = json_string_value(chosen);
    if (!name && !json_is_null(chosen))
        return gen_error("%s: the variant of choice %zu is neither a name nor null", path, index);
    int variant = name ? find_variant(report, name) : -1;
    if (name && variant < 0)
        return gen_error("%s: choice %zu is %s, which is not in this report: choose with the pack of this build", path,
                         index, is_name(name) ? name : "no variant's name");
    json_t *point = json_pack("[IIIif]", m, n, k, variant, us);
    json_t *map = find_map(maps, a_format, c_format, b_layout, scale_layout);
    if (note && strlen(note) >= VALUE_BYTES)
        return json_decref(point), gen_error("%s: the note of choice %zu is too long", path, index);
    if (note) set_note(map, n, k, note);
    if (!point || json_array_append_new(json_object_get(map, "points"), point) != 0) gen_out_of_memory();
    return 0;
}

int gen_report_add_choices(json_t *report, const char *path, const struct gen_text *text)
{
    size_t i;
    json_t *choice, *root = parse(path, text), *choices = json_object_get(root, "choices"), *maps = json_array();
    int result = root ? 0 : -1;
    if (!maps || json_object_set_new(report, "choices", maps) != 0) gen_out_of_memory();
    if (result == 0 && !json_is_array(choices))
        result = gen_error("%s has no list \"choices\": mxgemm choose --json writes one", path);
    json_array_foreach (choices, i, choice)
        if (result == 0) result = add_choice(report, maps, path, i, choice);
    json_decref(root);
    return result;
}
