#define _POSIX_C_SOURCE 200809L /* strdup */
#include "loader/cli/choices_file.h"
#include "loader/choices.h"
#include "loader/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse(mxg_library *library, const char *path, const char *text, size_t bytes)
{
    const mxg_status status = mxg_choices_parse(library, text, bytes, path);
    mxg_choices_release(library);
    return cli_check(status);
}

/* The text ends with a NUL; of a file that is not there it is that of one without choices. */
static bool read_text(mxg_library *library, const char *path, char **text, size_t *bytes)
{
    bool there;
    if (!cli_read_text(path, MXG_CHOICES_MAX_BYTES, text, bytes, &there)) return false;
    if (there) return parse(library, path, *text, *bytes);
    *text = strdup(MXG_CHOICES_FIRST_LINE "\n");
    if (!*text) return cli_fail("no memory for the choices of %s", path);
    *bytes = strlen(*text);
    return true;
}

bool cli_choices_check(mxg_library *library, const char *path)
{
    char *text = NULL;
    size_t bytes;
    const bool good = read_text(library, path, &text, &bytes);
    free(text);
    return good;
}

/* Whether a line begins with the words of `key`, whatever blanks are between them. Numbers and names can be written in
 * one way only, so the same words are the same device and problem. */
static bool has_key(const char *line, const char *key)
{
    static const char blanks[] = " \t";
    for (;;) {
        line += strspn(line, blanks);
        const size_t length = strcspn(key, " ");
        if (strncmp(line, key, length) != 0 || !line[length] || !strchr(blanks, line[length])) return false;
        line += length, key += length;
        if (!*key) return true;
        key++;
    }
}

/* The line to replace, or the text's end. */
static char *find_line(char *text, const char *key)
{
    while (*text && !has_key(text, key)) text = strchr(text, '\n') + 1; /* every line has its end: it has been read */
    return text;
}

static bool put_line(mxg_library *library, const char *path, char *text, size_t bytes, const char *key,
                     const char *line)
{
    char *at = find_line(text, key), *rest = at + (*at ? strcspn(at, "\n") + 1 : 0);
    const size_t before = (size_t)(at - text), length = strlen(line), after = bytes - (size_t)(rest - text);
    char *made = malloc(before + length + after);
    if (!made) return cli_fail("no memory for the choices of %s", path);
    memcpy(made, text, before);
    memcpy(made + before, line, length);
    memcpy(made + before + length, rest, after);
    struct mxg_output output = {0};
    bool good = parse(library, path, made, before + length + after) &&
                cli_write_output(&output, path, made, before + length + after) && cli_commit_output(&output);
    mxg_output_drop(&output);
    free(made);
    return good;
}

bool cli_choices_put(mxg_library *library, const char *path, const struct cli_choice *choice)
{
    const mxg_problem *p = choice->problem;
    char key[256], line[MXG_CHOICES_MAX_LINE], *text = NULL;
    size_t bytes;
    (void)snprintf(key, sizeof key, "%s %" PRIu32 " %" PRId64 " %" PRId64 " %" PRId64 " %s %s %s %s",
                   mxg_library_arch(library), choice->device->cu_count, p->m, p->n, p->k,
                   mxg_format_name((uint32_t)p->a_format), mxg_format_name((uint32_t)p->c_format),
                   mxg_layout_name((uint32_t)p->b_layout), mxg_layout_name((uint32_t)p->scale_layout));
    (void)snprintf(line, sizeof line, "%s %s %.3f %s\n", key, choice->variant, choice->us, choice->source);
    const bool good = read_text(library, path, &text, &bytes) && put_line(library, path, text, bytes, key, line);
    free(text);
    return good;
}
