#define _GNU_SOURCE
#include "gen/options.h"

#include "gen/text.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 1024 };

enum kind { TEXT, FLAG, JOBS };

static const struct option {
    const char *name;
    enum kind kind;
    size_t offset; /* of its member in struct gen_options */
} all_options[] = {
#define OPTION(name, kind, member)                                                                                     \
    {                                                                                                                  \
        name, kind, offsetof(struct gen_options, member)                                                               \
    }
    OPTION("--table", TEXT, table), OPTION("--tuning", TEXT, tuning),     OPTION("--templates", TEXT, templates),
    OPTION("--out", TEXT, out),     OPTION("--compress", FLAG, compress), OPTION("-j", JOBS, jobs),
    OPTION("--base", TEXT, base),   OPTION("--choices", TEXT, choices),
    OPTION("--only", TEXT, only),   OPTION("--no-hints", FLAG, no_hints),
#undef OPTION
};

enum gen_exit gen_misuse(const char *what, const char *value)
{
    gen_error("%s%s%s; mxgen --help lists what there is", what, *value ? " " : "", value);
    return GEN_MISUSED;
}

static unsigned online_cpus(void)
{
    cpu_set_t cpus;
    int count = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    return count > 0 ? (unsigned)count : 1;
}

static int parse_jobs(const char *text, unsigned *jobs)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || value < 1 || value > MOST_JOBS) return -1;
    *jobs = (unsigned)value;
    return 0;
}

static int takes(const struct gen_command *command, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = command->options; *p; p += strspn(p, " ")) {
        size_t word = strcspn(p, " ");
        if (word == length && strncmp(p, name, length) == 0) return 1;
        p += word;
    }
    return 0;
}

/* The option of a word, `-j4` being one of two words. */
static const struct option *find(const struct gen_command *command, const char *word)
{
    for (size_t i = 0; i < sizeof all_options / sizeof all_options[0]; i++) {
        const struct option *option = &all_options[i];
        int named = option->kind == JOBS ? strncmp(word, option->name, 2) == 0 : strcmp(word, option->name) == 0;
        if (named && takes(command, option->name)) return option;
    }
    return NULL;
}

enum gen_exit gen_options_parse(const struct gen_command *command, int count, const char *const *words,
                                struct gen_options *options)
{
    const char **operands = gen_alloc((size_t)count + 1, sizeof *operands); /* kept until the process ends */
    *options = (struct gen_options){.table = "gen/gemm.variants",
                                    .templates = "templates",
                                    .out = "out",
                                    .jobs = online_cpus(),
                                    .operands = operands};
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (word[0] != '-') {
            operands[options->operand_count++] = word;
            continue;
        }
        const struct option *option = find(command, word);
        if (!option) return gen_misuse("unknown option", word);
        void *member = (char *)options + option->offset;
        if (option->kind == FLAG) {
            *(int *)member = 1;
            continue;
        }
        const char *value = option->kind == JOBS && word[2] ? word + 2 : i + 1 < count ? words[++i] : NULL;
        if (!value || !*value) return gen_misuse("a value is missing after", option->name);
        if (option->kind == TEXT)
            *(const char **)member = value;
        else if (parse_jobs(value, member) != 0)
            return gen_misuse("-j takes a number from 1 to 1024 and not", value);
    }
    if (options->operand_count < command->fewest_operands)
        return gen_misuse("something is missing:", command->synopsis);
    if (options->operand_count > command->most_operands)
        return gen_misuse("one word too many:", operands[command->most_operands]);
    return GEN_DONE;
}
