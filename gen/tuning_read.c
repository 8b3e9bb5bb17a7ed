#define _POSIX_C_SOURCE 200809L
#include "gen/io.h"
#include "gen/tuning_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"
#define DIGITS "0123456789"

/* What is being read. */
struct reader {
    const char *path;
    unsigned line;
    struct gen_tuning *tuning;
    struct gen_text families; /* names of GEN_FAMILY_BYTES each */
    int rows;                 /* whether there was one */
};

static const char *family_at(const struct reader *reader, size_t column)
{
    size_t at = column * GEN_FAMILY_BYTES;
    return at < reader->families.bytes ? reader->families.data + at : NULL;
}

static int read_family(struct reader *reader, const char *family, const char *more)
{
    char name[GEN_FAMILY_BYTES] = {0};
    if (!family || more) return gen_error("%s:%u: one name is needed after family", reader->path, reader->line);
    const char *wrong = gen_tuning_family_wrong(family);
    if (wrong) return gen_error("%s:%u: family is \"%s\": %s", reader->path, reader->line, family, wrong);
    if (reader->rows)
        return gen_error("%s:%u: family %s comes after a row; each must be named before", reader->path, reader->line,
                         family);
    for (size_t i = 0; family_at(reader, i); i++)
        if (strcmp(family_at(reader, i), family) == 0)
            return gen_error("%s:%u: family %s is named twice", reader->path, reader->line, family);
    memcpy(name, family, strlen(family));
    gen_text_add(&reader->families, name, sizeof name);
    return 0;
}

static int read_number(const char *word, uint32_t *value)
{
    if (!*word || strlen(word) > 10 || word[strspn(word, DIGITS)]) return -1;
    unsigned long long number = strtoull(word, NULL, 10);
    *value = (uint32_t)number;
    return number > INT32_MAX ? -1 : 0;
}

/* Microseconds with at most three decimals, as nanoseconds. */
static int read_time(const char *word, uint32_t *ns)
{
    static const unsigned unit[] = {0, 100, 10, 1};
    size_t whole = strspn(word, DIGITS);
    const char *decimals = word + whole + (word[whole] == '.');
    size_t places = strspn(decimals, DIGITS);
    if (whole == 0 || whole > 9 || places > 3 || decimals[places] || (word[whole] == '.') != (places > 0)) return -1;
    unsigned long long value = strtoull(word, NULL, 10) * 1000 + strtoul(decimals, NULL, 10) * unit[places];
    *ns = (uint32_t)value;
    return value < 1 || value > MXG_PACK_HIGHEST_NS ? -1 : 0;
}

static int read_row(struct reader *reader, const char *first, char **rest)
{
    static const char *const names[] = {"m", "n", "k"};
    uint32_t sizes[MXG_PACK_TIME_SIZES];
    const char *word = first, *wrong, *source;
    reader->rows = 1;
    for (size_t i = 0; i < MXG_PACK_TIME_SIZES; i++) {
        if (!word || read_number(word, &sizes[i]) != 0)
            return gen_error("%s:%u: %s is \"%s\"; it may be a whole number from 1 to 2147483647", reader->path,
                             reader->line, names[i], word ? word : "");
        word = strtok_r(NULL, BLANKS, rest);
    }
    if ((wrong = gen_tuning_size_wrong(sizes[0], sizes[1], sizes[2])))
        return gen_error("%s:%u: m, n and k are %u, %u and %u: %s", reader->path, reader->line, sizes[0], sizes[1],
                         sizes[2], wrong);
    source = word ? word : "";
    if ((wrong = gen_tuning_source_wrong(source)))
        return gen_error("%s:%u: source is \"%s\": %s", reader->path, reader->line, source, wrong);
    for (size_t column = 0; family_at(reader, column); column++) {
        const char *family = family_at(reader, column);
        if (!(word = strtok_r(NULL, BLANKS, rest)))
            return gen_error("%s:%u: the row ends before the time of %s", reader->path, reader->line, family);
        if (strcmp(word, "-") == 0) continue;
        struct gen_time time = gen_tuning_key(sizes[0], sizes[1], sizes[2], source, family);
        time.line = reader->line;
        if (read_time(word, &time.ns) != 0)
            return gen_error("%s:%u: the time of %s is \"%s\"; it may be - or from 0.001 to %u, with three decimals at "
                             "most",
                             reader->path, reader->line, family, word, MXG_PACK_HIGHEST_NS / 1000);
        gen_tuning_append(reader->tuning, &time);
    }
    if ((word = strtok_r(NULL, BLANKS, rest)))
        return gen_error("%s:%u: \"%s\" is one word more than there are families", reader->path, reader->line, word);
    return 0;
}

static int read_line(struct reader *reader, char *line)
{
    char *rest = NULL;
    line[strcspn(line, "#")] = 0;
    const char *word = strtok_r(line, BLANKS, &rest);
    if (!word) return 0;
    if (strcmp(word, GEN_TUNING_FAMILY_WORD) != 0) return read_row(reader, word, &rest);
    word = strtok_r(NULL, BLANKS, &rest);
    return read_family(reader, word, strtok_r(NULL, BLANKS, &rest));
}

/* Rows may be in any order in a file, but each there once; and a pack has room for so many. */
static int put_in_order(const char *path, struct gen_tuning *tuning)
{
    size_t rows, sources;
    gen_tuning_sort(tuning);
    for (size_t i = 1; i < tuning->count; i++) {
        const struct gen_time *a = &tuning->times[i - 1], *b = &tuning->times[i];
        if (gen_tuning_compare_row(a, b) == 0 && a->line != b->line)
            return gen_error("%s:%u: m %u, n %u, k %u of source %s is in line %u already", path,
                             a->line > b->line ? a->line : b->line, a->m, a->n, a->k, a->source,
                             a->line < b->line ? a->line : b->line);
    }
    rows = gen_tuning_rows(tuning);
    free(gen_tuning_sources(tuning, &sources));
    if (rows > MXG_PACK_MAX_TIME_ROWS || sources > MXG_PACK_MAX_TIME_SOURCES)
        return gen_error("%s has %zu rows of %zu sources; at most %d of %d are possible", path, rows, sources,
                         MXG_PACK_MAX_TIME_ROWS, MXG_PACK_MAX_TIME_SOURCES);
    return 0;
}

enum { MOST_BYTES = 1 << 26 };

static int read_table(const char *path, int may_lack, struct gen_tuning *tuning)
{
    struct gen_text file = {0};
    struct reader reader = {.path = path, .tuning = tuning};
    int result = gen_read_at_most(path, MOST_BYTES, &file);
    if (result != 0 && may_lack && errno == ENOENT)
        result = 0;
    else if (result != 0)
        gen_error("cannot read the table of times %s: %s", path, strerror(errno));
    else if (file.bytes > MOST_BYTES)
        result = gen_error("%s is not a table of times: it has more than %d bytes", path, MOST_BYTES);
    else if (file.bytes > 0 && memchr(file.data, 0, file.bytes))
        result = gen_error("%s is not a table of times: it holds a zero byte", path);
    for (char *line = file.data, *next; result == 0 && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        reader.line++;
        result = read_line(&reader, line);
    }
    if (result == 0) result = put_in_order(path, tuning);
    if (result != 0) gen_tuning_free(tuning);
    gen_text_free(&file), gen_text_free(&reader.families);
    return result;
}

int gen_tuning_read(const char *path, struct gen_tuning *tuning)
{
    return read_table(path, 0, tuning);
}

int gen_tuning_read_if_there(const char *path, struct gen_tuning *tuning)
{
    return read_table(path, 1, tuning);
}
