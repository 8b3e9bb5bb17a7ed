/* How values of reports are found and written for people. */
#include "gen/report_fields.h"
#include "tests/test.h"

#include <string.h>

static void written_as(const char *json, const char *expected)
{
    struct gen_text text = {0};
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
    CHECK(value != NULL);
    gen_report_value(value, &text);
    CHECK_STR(text.data, expected);
    gen_text_free(&text);
    json_decref(value);
}

static void halves_are_rounded_away_from_zero(void)
{
    written_as("0.125", "0.13");
    written_as("0.625", "0.63");
    written_as("-0.125", "-0.13");
    written_as("21.875", "21.88");
    written_as("0.124", "0.12");
    written_as("12.5", "12.50");
}

static void integers_have_no_fraction(void)
{
    written_as("0", "0");
    written_as("-5", "-5");
    written_as("9007199254740993", "9007199254740993");
}

static void parts_of_lists_are_joined(void)
{
    written_as("[\"vgprs\", \"lds\"]", "vgprs+lds");
    written_as("[\"\", 2, [3]]", "-+2+-");
}

static void nothing_and_what_is_empty_is_a_dash(void)
{
    struct gen_text text = {0};
    gen_report_value(NULL, &text);
    CHECK_STR(text.data, "-");
    gen_text_free(&text);
    written_as("null", "-");
    written_as("[]", "-");
    written_as("\"\"", "-");
}

static void what_terminals_may_obey_is_a_question_mark(void)
{
    written_as("\"a\\u001b[31m \\u007f~\"", "a?[31m ?~");
    written_as("\"\\u009b\"", "??");
}

static void a_path_leads_through_objects(void)
{
    json_t *variant = json_loads("{\"a\": {\"b\": {\"c\": 5}, \"n\": null, \"l\": [1]}}", 0, NULL);
    CHECK(json_integer_value(gen_report_at(variant, "a.b.c")) == 5);
    CHECK(json_is_object(gen_report_at(variant, "a.b")));
    CHECK(!gen_report_at(variant, "a.n") && !gen_report_at(variant, "a.n.c"));
    CHECK(!gen_report_at(variant, "a.l.0") && !gen_report_at(variant, "a.b.c.d") && !gen_report_at(variant, "b"));
    json_decref(variant);
}

int main(void)
{
    TEST(halves_are_rounded_away_from_zero);
    TEST(integers_have_no_fraction);
    TEST(parts_of_lists_are_joined);
    TEST(nothing_and_what_is_empty_is_a_dash);
    TEST(what_terminals_may_obey_is_a_question_mark);
    TEST(a_path_leads_through_objects);
    return test_end();
}
