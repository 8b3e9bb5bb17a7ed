#define _POSIX_C_SOURCE 200809L
#include "loader/cli/problem_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3, WORDS = 7, PROBLEMS_MAX = 65536 };

/* The values of m, n or k of a line. */
struct sizes {
    int64_t *all;
    uint32_t count;
};

static const char blanks[] = " \t\r\n";
static const char *const word_names[WORDS] = {"m", "n", "k", "a_format", "c_format", "b_layout", "scale_layout"};

static bool add_size(struct sizes *sizes, int64_t size)
{
    if (sizes->count % 64 == 0) {
        int64_t *more = NULL;
        if (sizes->count < PROBLEMS_MAX) more = realloc(sizes->all, ((size_t)sizes->count + 64) * sizeof *more);
        if (!more) return false;
        sizes->all = more;
    }
    sizes->all[sizes->count++] = size;
    return true;
}

/* LOW..HIGH, LOW..HIGH+STEP or LOW..HIGH*FACTOR, which must come to HIGH itself. */
static bool parse_range(char *text, char *dots, struct sizes *sizes)
{
    int64_t low, high, by = 1;
    char *sign = strpbrk(dots, "+*");
    const bool grows = sign && *sign == '*';
    if (sign && !cli_parse_integer(sign + 1, grows ? 2 : 1, INT64_MAX, &by)) return false;
    if (sign) *sign = 0;
    *dots = 0;
    if (!cli_parse_integer(text, 1, INT64_MAX, &low) || !cli_parse_integer(dots + 2, low, INT64_MAX, &high))
        return false;
    while (low < high) {
        if (!add_size(sizes, low) || (grows ? low > high / by : by > high - low)) return false;
        low = grows ? low * by : low + by;
    }
    return low == high && add_size(sizes, high);
}

/* A list of numbers and ranges, with commas between. */
static bool parse_sizes(const char *text, struct sizes *sizes)
{
    char *copy = strdup(text), *rest = NULL;
    bool good = copy && *text != ',' && text[strlen(text) - 1] != ',' && !strstr(text, ",,");
    for (char *part = good ? strtok_r(copy, ",", &rest) : NULL; good && part; part = strtok_r(NULL, ",", &rest)) {
        int64_t size;
        char *dots = strstr(part, "..");
        good = dots ? parse_range(part, dots, sizes)
                    : cli_parse_integer(part, 1, INT64_MAX, &size) && add_size(sizes, size);
    }
    free(copy);
    return good;
}

static bool parse_word(const char *text, int place, struct sizes sizes[SIZES], mxg_problem *problem)
{
    if (place < SIZES) return parse_sizes(text, &sizes[place]);
    switch (place) {
    case SIZES:
        return cli_parse_a_format(text, &problem->a_format);
    case SIZES + 1:
        return cli_parse_choice(text, MXG_FORMAT_BF16, MXG_FORMAT_F32, cli_format_text, &problem->c_format);
    default:
        return cli_parse_choice(text, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED, cli_layouts_text,
                                place == SIZES + 2 ? &problem->b_layout : &problem->scale_layout);
    }
}

static bool add(struct cli_problems *problems, const mxg_problem *problem, const char *note)
{
    if (problems->count % 64 == 0) {
        struct cli_problem *more = NULL;
        if (problems->count < PROBLEMS_MAX)
            more = realloc(problems->all, ((size_t)problems->count + 64) * sizeof *more);
        if (!more) return cli_fail("there is no room for more than %" PRIu32 " problems", problems->count);
        problems->all = more;
    }
    struct cli_problem *added = &problems->all[problems->count++];
    added->problem = *problem;
    (void)snprintf(added->note, sizeof added->note, "%s", note);
    return true;
}

/* Every m with every n and every k. */
static bool add_product(struct cli_problems *problems, const struct sizes sizes[SIZES], mxg_problem *problem,
                        const char *note)
{
    bool good = true;
    for (uint32_t i = 0; good && i < sizes[0].count; i++)
        for (uint32_t j = 0; good && j < sizes[1].count; j++)
            for (uint32_t l = 0; good && l < sizes[2].count; l++) {
                problem->m = sizes[0].all[i], problem->n = sizes[1].all[j], problem->k = sizes[2].all[l];
                good = add(problems, problem, note);
            }
    return good;
}

/* Where the problems come from, and how messages call it. */
struct source {
    FILE *file;
    const char *name;
};

static bool read_words(const struct source *source, char *line, unsigned number, struct sizes sizes[SIZES],
                       mxg_problem *problem, int *count)
{
    char *rest = NULL;
    for (char *word = strtok_r(line, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest), ++*count) {
        if (*count == WORDS) return cli_fail("%s:%u: %s is one word too many", source->name, number, word);
        if (!parse_word(word, *count, sizes, problem))
            return cli_fail("%s:%u: %s is %s, which it cannot be", source->name, number, word_names[*count], word);
    }
    return true;
}

/* Ends the line where its comment begins, and returns that without the blanks around it. */
static const char *cut_note(char *line)
{
    char *note = line + strcspn(line, "#"), *end = note + strlen(note);
    if (*note) *note++ = 0;
    note += strspn(note, blanks);
    while (end > note && strchr(blanks, end[-1])) *--end = 0;
    return note;
}

static bool read_line(const struct cli_args *args, const struct source *source, char *line, unsigned number,
                      struct cli_problems *problems)
{
    mxg_problem problem;
    struct sizes sizes[SIZES] = {{0}};
    int count = 0;
    cli_problem(args, &problem);
    problem.variant = NULL; /* --variant names what is kept besides */
    const char *note = cut_note(line);
    bool good = read_words(source, line, number, sizes, &problem, &count);
    if (good && count > 0)
        good = count < SIZES ? cli_fail("%s:%u: %s is missing", source->name, number, word_names[count])
                             : add_product(problems, sizes, &problem, note);
    for (int i = 0; i < SIZES; i++) free(sizes[i].all);
    return good;
}

static bool read_lines(const struct cli_args *args, const struct source *source, struct cli_problems *problems)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool good = true;
    for (unsigned number = 1; good && (length = getline(&line, &room, source->file)) >= 0; number++)
        good = strlen(line) == (size_t)length ? read_line(args, source, line, number, problems)
                                              : cli_fail("%s:%u: there is a NUL", source->name, number);
    if (good && !feof(source->file)) good = cli_fail("cannot read %s: %s", source->name, strerror(errno));
    free(line);
    if (good && problems->count == 0) return cli_fail("%s has no problem in it", source->name);
    return good;
}

bool cli_read_problems(const struct cli_args *args, struct cli_problems *problems)
{
    struct source source = {stdin, "standard input"};
    if (!args->problems || strcmp(args->problems, "-") == 0) return read_lines(args, &source, problems);
    source = (struct source){fopen(args->problems, "re"), args->problems};
    if (!source.file) return cli_fail("cannot open %s: %s", args->problems, strerror(errno));
    bool good = read_lines(args, &source, problems);
    (void)fclose(source.file); /* read only: nothing can be lost */
    return good;
}
