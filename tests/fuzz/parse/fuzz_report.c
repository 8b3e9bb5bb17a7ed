/* The reader of earlier reports, and what is made of one: the text of changes and the page. What is accepted is read
 * here once more, by gen/REPORT.md: names that are variants' and differ, and values as they stand in the file. */
#include "gen/report_fields.h"
#include "gen/report_text.h"
#include "tests/fuzz/parse/sentences.h"

uint64_t fuzz_accepted;

static const char path[] = "a/report.json";

static void check_name(json_t *variant)
{
    const char *name = json_string_value(json_object_get(variant, "name"));
    FUZZ_REQUIRE(name && *name && strlen(name) == json_string_length(json_object_get(variant, "name")));
    for (; *name; name++)
        FUZZ_REQUIRE((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9') || *name == '_');
}

/* By another way than gen_report_at(). */
static json_t *at(json_t *variant, const char *keys)
{
    const char *dot = strchr(keys, '.');
    if (!dot) return json_object_get(variant, keys);
    return at(json_object_getn(variant, keys, (size_t)(dot - keys)), dot + 1);
}

static void check_values(json_t *kept, json_t *given)
{
    check_name(kept);
    FUZZ_REQUIRE(json_equal(json_object_get(kept, "name"), json_object_get(given, "name")));
    for (size_t i = 0; i < gen_report_field_count; i++) {
        json_t *value = at(kept, gen_report_fields[i].path), *was = at(given, gen_report_fields[i].path);
        FUZZ_REQUIRE(value ? json_equal(value, was) : !was || json_is_null(was));
        FUZZ_REQUIRE(!value || json_is_number(value) || json_is_string(value) || json_is_array(value));
    }
}

/* Nothing in it that a terminal would obey. */
static void check_changes(json_t *report, json_t *base, const char *summary)
{
    struct gen_text text = {0};
    gen_report_diff(report, base, &text);
    FUZZ_REQUIRE(strlen(text.data) == text.bytes && strstr(text.data, summary));
    for (size_t i = 0; i < text.bytes; i++)
        FUZZ_REQUIRE(text.data[i] == '\n' || (text.data[i] >= ' ' && text.data[i] <= '~'));
    gen_text_free(&text);
}

static size_t count_tags(json_t *report, json_t *base)
{
    struct gen_text page = {0};
    size_t tags = 0;
    gen_report_page(report, base, &page);
    for (size_t i = 0; i < page.bytes; i++) tags += page.data[i] == '<';
    gen_text_free(&page);
    return tags;
}

static void check_accepted(json_t *base, json_t *given)
{
    char summary[80];
    json_t *variants = json_object_get(base, "variants"), *of_file = json_object_get(given, "variants");
    json_t *none = json_pack("{s:[]}", "variants");
    const size_t count = json_array_size(variants);
    FUZZ_REQUIRE(none && said.bytes == 0);
    FUZZ_REQUIRE(strcmp(json_string_value(json_object_get(base, "from")), "report.json") == 0);
    FUZZ_REQUIRE(json_is_array(of_file) && json_array_size(of_file) == count);
    for (size_t i = 0; i < count; i++) {
        check_values(json_array_get(variants, i), json_array_get(of_file, i));
        for (size_t k = 0; k < i; k++)
            FUZZ_REQUIRE(!json_equal(json_object_get(json_array_get(variants, i), "name"),
                                     json_object_get(json_array_get(variants, k), "name")));
    }
    (void)snprintf(summary, sizeof summary, ": 0 came, 0 went, 0 changed, %zu are the same.", count);
    check_changes(base, base, summary);
    (void)snprintf(summary, sizeof summary, ": 0 came, %zu went, 0 changed, 0 are the same.", count);
    check_changes(none, base, summary);
    FUZZ_REQUIRE(count_tags(none, base) == count_tags(none, NULL));
    json_decref(none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct gen_text text = {0};
    gen_text_add(&text, data, bytes);
    gen_errors_into(&said);
    json_t *base = gen_report_parse(path, &text);
    if (base) {
        json_t *given = json_loadb((const char *)data, bytes, 0, NULL);
        check_accepted(base, given);
        json_decref(given);
        fuzz_accepted++;
    } else {
        check_said(path, path, data, bytes); /* a place has only what is no JSON, as libjansson counts columns */
    }
    gen_errors_into(NULL);
    json_decref(base);
    gen_text_free(&said), gen_text_free(&text);
    return 0;
}
