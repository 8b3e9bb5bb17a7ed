#include "gen/template.h"

#include <string.h>

static struct gen_key *find_key(struct gen_key *keys, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0) return &keys[i];
    return NULL;
}

int gen_expand(const char *path, const struct gen_text *input, struct gen_key *keys, size_t count,
               struct gen_text *output)
{
    unsigned line = 1;
    if (input->bytes > 0 && memchr(input->data, 0, input->bytes))
        return gen_error("%s is not a template: it holds a zero byte", path);
    for (const char *p = input->data; p && *p;) {
        if (p[0] != '$') {
            size_t plain = strcspn(p, "$");
            for (size_t i = 0; i < plain; i++) line += p[i] == '\n';
            gen_text_add(output, p, plain);
            p += plain;
            continue;
        }
        if (p[1] != '{') return gen_error("%s:%u: a $ must start ${KEY}", path, line);
        const char *name = p + 2;
        size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (length == 0 || name[length] != '}')
            return gen_error("%s:%u: a ${ must be followed by a name of capitals, digits and _, and a }", path, line);
        struct gen_key *key = find_key(keys, count, name, length);
        if (!key) return gen_error("%s:%u: ${%.*s} is not a key of this template", path, line, (int)length, name);
        key->used = 1;
        gen_text_add(output, key->value, strlen(key->value));
        p = name + length + 1;
    }
    return 0;
}

int gen_expand_unused(const char *where, const struct gen_key *keys, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count; i++)
        if (!keys[i].used) result = gen_error("%s: the key ${%s} is provided but never used", where, keys[i].name);
    return result;
}
