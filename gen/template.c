#include "gen/template.h"

#include "gen/complaint.h"

#include <string.h>

static struct gen_key *find_key(struct gen_key *keys, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0) return &keys[i];
    return NULL;
}

/* The place of `at` in the text, as "PATH:LINE:COLUMN: ". */
static const char *place(const char *path, const char *text, const char *at, struct gen_text *said)
{
    unsigned line = 1;
    const char *begin = text;
    for (const char *p = text; p < at; p++)
        if (*p == '\n') begin = p + 1, line++;
    gen_text_free(said);
    gen_text_print(said, "%s:%u:%td", path, line, at - begin + 1);
    return said->data;
}

static void list_keys(const struct gen_key *keys, size_t count, struct gen_text *text)
{
    gen_text_add(text, "", 0);
    for (size_t i = 0; i < count; i++) gen_text_print(text, "%s%s", i ? ", " : "", keys[i].name);
}

/* One ${KEY}: *at is its $, and then what comes after it. */
static int expand_key(const char *path, const char *text, const char **at, struct gen_key *keys, size_t count,
                      struct gen_text *output)
{
    const char *name = *at + 2, *dollar = *at;
    char shown[GEN_SHOWN_BYTES];
    struct gen_text said = {0}, names = {0};
    int result = -1;
    size_t length = dollar[1] == '{' ? strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
    struct gen_key *key = length > 0 && name[length] == '}' ? find_key(keys, count, name, length) : NULL;
    *at = length > 0 ? name + length : dollar + 1;
    if (key) {
        key->used = 1;
        gen_text_add(output, key->value, strlen(key->value));
        *at = name + length + 1;
        result = 0;
    } else if (length > 0 && name[length] == '}') {
        list_keys(keys, count, &names);
        gen_error("%s: ${%s} is not a key of this template; its keys are: %s", place(path, text, dollar, &said),
                  gen_shown(name, length, shown), names.data);
    } else {
        gen_error("%s: \"%s\" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _",
                  place(path, text, dollar, &said), gen_shown(dollar, (dollar[1] == '{' ? 2 : 1) + length, shown));
    }
    gen_text_free(&said), gen_text_free(&names);
    return result;
}

int gen_expand(const char *path, const struct gen_text *input, struct gen_key *keys, size_t count,
               struct gen_text *output)
{
    enum { MOST_TOLD = 20 };
    int wrong = 0;
    const char *text = input->data ? input->data : "", *zero = memchr(text, 0, input->bytes);
    struct gen_text said = {0};
    if (zero) {
        gen_error("%s: the file is no template: it holds a zero byte", place(path, text, zero, &said));
        gen_text_free(&said);
        return -1;
    }
    for (const char *p = text; *p && wrong < MOST_TOLD;) {
        const size_t plain = strcspn(p, "$");
        gen_text_add(output, p, plain);
        p += plain;
        if (*p) wrong += expand_key(path, text, &p, keys, count, output) != 0;
    }
    return wrong ? -1 : 0;
}

int gen_expand_unused(const char *where, const struct gen_key *keys, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count; i++)
        if (!keys[i].used) result = gen_error("%s: the key ${%s} is provided but never used", where, keys[i].name);
    return result;
}
