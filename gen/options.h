/* The command line of mxgen: which commands and options there are. */
#ifndef MXG_GEN_OPTIONS_H
#define MXG_GEN_OPTIONS_H

#include <stddef.h>

enum gen_exit { GEN_DONE = 0, GEN_FAILED = 1, GEN_MISUSED = 2 };

/* Every option of every command. What is not given is NULL or 0, except as said. */
struct gen_options {
    const char *table;     /* gen/gemm.variants */
    const char *only;      /* groups of the table, with commas between them */
    const char *tuning;    /* need not be there */
    const char *templates; /* templates */
    const char *out;       /* out */
    const char *base;      /* an earlier report */
    const char *choices;   /* of mxgemm choose --json */
    unsigned jobs;         /* one for each CPU */
    int compress;
    int no_hints;                /* of times that are missing or of no use */
    const char *const *operands; /* the words that are no options */
    size_t operand_count;
};

struct gen_command {
    const char *name, *synopsis, *help;
    const char *options; /* the names of those it takes, a space between them */
    size_t fewest_operands, most_operands;
    enum gen_exit (*run)(const struct gen_options *options); /* reports its own failures */
};

/* The words after the command's name. GEN_MISUSED after saying why. */
enum gen_exit gen_options_parse(const struct gen_command *command, int count, const char *const *words,
                                struct gen_options *options);

/* Says what is wrong with the command line, and returns GEN_MISUSED. */
enum gen_exit gen_misuse(const char *what, const char *value);

/* The commands, each in a file of its own. */
enum gen_exit gen_cmd_build(const struct gen_options *options);
enum gen_exit gen_cmd_explain(const struct gen_options *options);
enum gen_exit gen_cmd_list(const struct gen_options *options);
enum gen_exit gen_cmd_report(const struct gen_options *options);
enum gen_exit gen_cmd_show(const struct gen_options *options);

#endif
