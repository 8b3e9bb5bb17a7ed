#include "gen/template.h"

#include "gen/complaint.h"

#include <string.h>

static struct gen_key *find_key(struct gen_key *keys, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0) return &keys[i];
    return NULL;
}

static struct gen_place place_of(const char *text, const char *at)
{
    struct gen_place place = {1, 1};
    for (const char *p = text; p < at; p++) {
        place.column = *p == '\n' ? 1 : place.column + 1;
        place.line += *p == '\n';
    }
    return place;
}

static void complain_of_name(struct gen_complaints *complaints, struct gen_place place, const char *name, size_t length,
                             const struct gen_key *keys, size_t count)
{
    struct gen_text names = {0};
    char shown[GEN_SHOWN_BYTES];
    for (size_t i = 0; i < count; i++) gen_text_print(&names, "%s%s", i ? ", " : "", keys[i].name);
    gen_complain(complaints, place, "${%s} is not a key of this template; its keys are: %s",
                 gen_shown(name, length, shown), names.data ? names.data : "none");
    gen_text_free(&names);
}

/* One ${KEY}, which begins at `dollar`. Returns what comes after it. */
static const char *expand_key(const char *text, const char *dollar, struct gen_key *keys, size_t count,
                              struct gen_text *output, struct gen_complaints *complaints)
{
    const int braced = dollar[1] == '{';
    const char *name = dollar + 1 + braced;
    size_t length = braced ? strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
    char shown[GEN_SHOWN_BYTES];
    if (length == 0 || name[length] != '}') {
        gen_complain(complaints, place_of(text, dollar),
                     "\"%s\" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _",
                     gen_shown(dollar, (size_t)(name - dollar) + length, shown));
        return name + length;
    }
    struct gen_key *key = find_key(keys, count, name, length);
    if (key) {
        key->used = 1;
        gen_text_add(output, key->value, strlen(key->value));
    } else {
        complain_of_name(complaints, place_of(text, dollar), name, length, keys, count);
    }
    return name + length + 1;
}

int gen_expand(const char *path, const struct gen_text *input, struct gen_key *keys, size_t count,
               struct gen_text *output)
{
    enum { MOST_MISTAKES = 20 };
    struct gen_complaints complaints = {.path = path};
    const char *text = input->data ? input->data : "", *zero = memchr(text, 0, input->bytes);
    if (zero) gen_complain(&complaints, place_of(text, zero), "the file is no template: it holds a zero byte");
    for (const char *p = text; *p && !zero && complaints.count < MOST_MISTAKES;) {
        const size_t plain = strcspn(p, "$");
        gen_text_add(output, p, plain);
        p += plain;
        if (*p) p = expand_key(text, p, keys, count, output, &complaints);
    }
    return gen_complaints_tell(&complaints);
}

int gen_expand_unused(const char *where, const struct gen_key *keys, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count; i++)
        if (!keys[i].used) result = gen_error("%s: the key ${%s} is provided but never used", where, keys[i].name);
    return result;
}
