#define _POSIX_C_SOURCE 200809L /* strdup */
#include "tests/emu/cli/mxemu_arg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int mxemu_parse_number(const char *text, uint64_t max, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return 0;
    int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10; /* 010 is ten */
    errno = 0;
    *value = strtoull(text, &end, base);
    return *end == 0 && errno == 0 && *value <= max;
}

static int parse_signed(const char *text, int64_t min, int64_t max, int64_t *value)
{
    uint64_t magnitude;
    int negative = *text == '-';
    if (!mxemu_parse_number(text + negative, negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX, &magnitude))
        return 0;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return *value >= min && *value <= max;
}

static int parse_float(const char *text, float *value)
{
    char *end;
    *value = strtof(text, &end);
    int finite = !strstr(text, "inf") && !strstr(text, "INF"); /* a finite number that overflows is refused */
    return end != text && *end == 0 && (!finite || !isinf(*value));
}

static enum mxemu_exit parse_value(struct mxemu_arg *arg, const char *type, const char *text)
{
    int64_t integer = 0;
    float number = 0;
    int good;
    arg->form = MXEMU_VALUE;
    arg->value_bytes = type[1] == '6' ? 8 : 4;
    if (strcmp(type, "i32") == 0)
        good = parse_signed(text, INT32_MIN, INT32_MAX, &integer);
    else if (strcmp(type, "i64") == 0)
        good = parse_signed(text, INT64_MIN, INT64_MAX, &integer);
    else if (strcmp(type, "u32") == 0)
        good = mxemu_parse_number(text, UINT32_MAX, &arg->bits);
    else if (strcmp(type, "u64") == 0)
        good = mxemu_parse_number(text, UINT64_MAX, &arg->bits);
    else
        good = parse_float(text, &number);
    if (!good) return mxemu_fail(MXEMU_MISUSED, "--arg %s: \"%s\" is not a value of type %s", arg->spec, text, type);
    if (type[0] == 'i') arg->bits = (uint64_t)integer;
    if (type[0] == 'f') memcpy(&arg->bits, &number, sizeof number);
    return MXEMU_DONE;
}

/* BYTES[:FILLBYTE] */
static int parse_size(struct mxemu_arg *arg, char *text)
{
    uint64_t bytes, fill = 0;
    char *colon = strchr(text, ':');
    if (colon) *colon = 0;
    if (!mxemu_parse_number(text, SIZE_MAX, &bytes)) return 0;
    if (colon && !mxemu_parse_number(colon + 1, 255, &fill)) return 0;
    arg->bytes = bytes;
    arg->fill = colon ? (int)fill : -1;
    return 1;
}

/* FILE:BYTES[:FILLBYTE], of which FILE may contain colons: the last field is a number, and so may be the one before. */
static int parse_out(struct mxemu_arg *arg, char *text)
{
    uint64_t number;
    char *last = strrchr(text, ':');
    if (!last || last == text) return 0;
    char *size = last;
    *last = 0;
    char *before = strrchr(text, ':');
    if (before && before != text && mxemu_parse_number(before + 1, UINT64_MAX, &number)) size = before;
    *last = ':';
    *size = 0;
    return parse_size(arg, size + 1) && (arg->output = strdup(text)) != NULL;
}

/* IN:OUT */
static int parse_inout(struct mxemu_arg *arg, char *text)
{
    char *colon = strchr(text, ':');
    if (!colon || colon == text || !colon[1] || strchr(colon + 1, ':')) return 0;
    *colon = 0;
    return (arg->input = strdup(text)) != NULL && (arg->output = strdup(colon + 1)) != NULL;
}

static int parse_buffer(struct mxemu_arg *arg, const char *type, char *text)
{
    static const struct {
        const char *type;
        enum mxemu_form form;
    } forms[] = {{"in", MXEMU_IN}, {"out", MXEMU_OUT}, {"inout", MXEMU_INOUT}, {"scratch", MXEMU_SCRATCH}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(type, forms[i].type) == 0) arg->form = forms[i].form;
    switch (arg->form) {
    case MXEMU_IN: return *text && (arg->input = strdup(text)) != NULL;
    case MXEMU_OUT: return parse_out(arg, text);
    case MXEMU_INOUT: return parse_inout(arg, text);
    case MXEMU_SCRATCH: return parse_size(arg, text);
    default: return 0;
    }
}

enum mxemu_exit mxemu_arg_parse(struct mxemu_arg *arg, const char *text)
{
    static const char *const value_types[] = {"i32", "u32", "i64", "u64", "f32"};
    enum mxemu_exit status = MXEMU_DONE;
    *arg = (struct mxemu_arg){.spec = text, .form = MXEMU_VALUE, .fill = -1};
    char *copy = strdup(text), *colon = copy ? strchr(copy, ':') : NULL;
    if (!copy) return mxemu_fail(MXEMU_FAILED, "out of memory");
    int is_value = 0;
    if (colon) *colon = 0;
    for (size_t i = 0; i < sizeof value_types / sizeof *value_types; i++)
        if (strcmp(copy, value_types[i]) == 0) is_value = 1;
    if (colon && is_value)
        status = parse_value(arg, copy, colon + 1);
    else if (!colon || !parse_buffer(arg, copy, colon + 1))
        status = mxemu_fail(MXEMU_MISUSED,
                            "--arg %s is none of i32:V u32:V i64:V u64:V f32:V in:FILE out:FILE:BYTES[:FILLBYTE] "
                            "inout:IN:OUT scratch:BYTES[:FILLBYTE]",
                            text);
    free(copy);
    return status;
}

void mxemu_arg_free(struct mxemu_arg *arg)
{
    mxg_output_drop(&arg->file);
    free(arg->input);
    free(arg->output);
    arg->input = arg->output = NULL;
}
