#define _POSIX_C_SOURCE 200809L
#include "loader/cli/problem_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3, WORDS = 7, PROBLEMS_MAX = 65536 };
static const char *const word_names[WORDS] = {"m", "n", "k", "a_format", "c_format", "b_layout", "scale_layout"};

static bool parse_word(const char *text, int place, mxg_problem *problem)
{
    int64_t *const sizes[SIZES] = {&problem->m, &problem->n, &problem->k};
    if (place < SIZES) return cli_parse_integer(text, 1, INT64_MAX, sizes[place]);
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

static bool add(struct cli_problems *problems, const mxg_problem *problem)
{
    if (problems->count % 64 == 0) {
        mxg_problem *more = NULL;
        if (problems->count < PROBLEMS_MAX)
            more = realloc(problems->all, ((size_t)problems->count + 64) * sizeof *more);
        if (!more) return cli_fail("there is no room for more than %" PRIu32 " problems", problems->count);
        problems->all = more;
    }
    problems->all[problems->count++] = *problem;
    return true;
}

static bool read_line(const struct cli_args *args, char *line, unsigned number, struct cli_problems *problems)
{
    static const char blanks[] = " \t\r\n";
    mxg_problem problem;
    char *rest = NULL;
    int count = 0;
    cli_problem(args, &problem);
    problem.variant = NULL; /* --variant names what is kept besides */
    line[strcspn(line, "#")] = 0;
    for (char *word = strtok_r(line, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest), count++) {
        if (count == WORDS) return cli_fail("%s:%u: %s is one word too many", args->problems, number, word);
        if (!parse_word(word, count, &problem))
            return cli_fail("%s:%u: %s is %s, which it cannot be", args->problems, number, word_names[count], word);
    }
    if (count == 0) return true;
    if (count < SIZES) return cli_fail("%s:%u: %s is missing", args->problems, number, word_names[count]);
    return add(problems, &problem);
}

static bool read_lines(const struct cli_args *args, FILE *file, struct cli_problems *problems)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool good = true;
    for (unsigned number = 1; good && (length = getline(&line, &room, file)) >= 0; number++)
        good = strlen(line) == (size_t)length ? read_line(args, line, number, problems)
                                              : cli_fail("%s:%u: there is a NUL", args->problems, number);
    if (good && !feof(file)) good = cli_fail("cannot read %s: %s", args->problems, strerror(errno));
    free(line);
    if (good && problems->count == 0) return cli_fail("%s has no problem in it", args->problems);
    return good;
}

bool cli_read_problems(const struct cli_args *args, struct cli_problems *problems)
{
    FILE *file = fopen(args->problems, "re");
    if (!file) return cli_fail("cannot open %s: %s", args->problems, strerror(errno));
    bool good = read_lines(args, file, problems);
    (void)fclose(file); /* read only: nothing can be lost */
    return good;
}
