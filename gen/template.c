#include "gen/template.h"

#include "gen/complaint.h"

#include <string.h>

enum { MOST_MISTAKES = 20 }; /* of a file */

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

/* Whether the line is a directive that reads a file; its length then, else 0. */
static size_t reads_file(const char *line)
{
    static const char *const directives[] = {"include", "embed", "import"};
    const char *blank = " \t", *p = line + strspn(line, blank);
    if (*p != '#') return 0;
    p += 1 + strspn(p + 1, blank);
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (strncmp(p, directives[i], strlen(directives[i])) == 0) return strcspn(line, "\r\n");
    return 0;
}

static void check_directives(const char *text, struct gen_complaints *complaints)
{
    char shown[GEN_SHOWN_BYTES];
    unsigned number = 1;
    for (const char *line = text; *line && complaints->count < MOST_MISTAKES; number++) {
        const size_t length = reads_file(line), blank = strspn(line, " \t");
        if (length > 0)
            gen_complain(complaints, (struct gen_place){number, (unsigned)blank + 1},
                         "\"%s\" reads a file; gen/row.c lists the templates that a kernel is made of",
                         gen_shown(line + blank, length - blank, shown));
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

/* -1 after a complaint of what makes the file no text. */
static int check_bytes(const struct gen_text *input, struct gen_complaints *complaints)
{
    const char *zero = input->bytes ? memchr(input->data, 0, input->bytes) : NULL;
    if (input->bytes > GEN_TEMPLATE_BYTES)
        gen_complain(complaints, (struct gen_place){1, 1}, "the file has more than %d bytes, which no template has",
                     GEN_TEMPLATE_BYTES);
    else if (zero)
        gen_complain(complaints, place_of(input->data, zero), "the file is no template: it holds a zero byte");
    return complaints->count > 0 ? -1 : 0;
}

int gen_expand(const char *path, const struct gen_text *input, struct gen_key *keys, size_t count,
               struct gen_text *output)
{
    struct gen_complaints complaints = {.path = path};
    const char *text = check_bytes(input, &complaints) == 0 && input->data ? input->data : "";
    check_directives(text, &complaints);
    for (const char *p = text; *p && complaints.count < MOST_MISTAKES;) {
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
