/* The mxgemm command: what its parts share. Every part reports its own failures on stderr and returns an exit status.
 */
#ifndef MXG_CLI_H
#define MXG_CLI_H

#include "common/output.h"
#include "loader/mxgemm.h"

#include <stdbool.h>

enum cli_exit { CLI_DONE = 0, CLI_FAILED = 1, CLI_MISUSED = 2 };

/* Values of an option that may be repeated. */
enum { CLI_GLOBS_MAX = 256 };
struct cli_globs {
    const char *glob[CLI_GLOBS_MAX];
    int count;
};

enum cli_prefer { CLI_PREFER_NONE, CLI_PREFER_FIRST, CLI_PREFER_LAST };

/* Every option of every command; 0 and NULL where not given, except as said. */
struct cli_args {
    int64_t m, n, k, rows, lda, ldb, ldc;
    int32_t split;
    int32_t repeat, warmup, top, megabytes;
    int32_t poison;                                     /* -1 */
    int32_t a_format, c_format, b_layout, scale_layout; /* a_format: of quantize the input's */
    int32_t threads;
    float alpha; /* 1 */
    int32_t cu_count;
    bool json, device, dry_run, compress, quantizer, emulated;
    int32_t prefer; /* enum cli_prefer */
    struct cli_globs include, exclude;
    struct cli_globs variants; /* where one is needed, the last counts */
    const char *a, *a_scale, *b, *b_scale, *bias, *in, *out, *scale, *problems;
    const char *pack, *hip, *choices, *choices_out, *arch;
    char **files; /* what is given without an option, `file_count` of them */
    int file_count;
};

/* "mxgemm: sentence" on stderr; returns false, so that a test can end with it. */
__attribute__((format(printf, 1, 2))) bool cli_fail(const char *format, ...);

/* The library's own sentence; returns whether there was none to say. */
bool cli_check(mxg_status status);

/* options.c: argv after the command's name, which selects the options that exist. Reports and returns false on misuse;
 * *help or *version: asked for, and nothing else matters. */
struct cli_request {
    int command;         /* index into cli_commands */
    const char *subject; /* the first word, such as pack, or NULL */
    bool help, version;
};
bool cli_parse(int argc, char **argv, struct cli_request *request, struct cli_args *args);

/* help.c: of a command or a group of commands; NULL: of all. */
void cli_print_help(const char *subject);

/* A number and one of the names that name_of() gives, as options have them; false where it is none. */
bool cli_parse_integer(const char *text, int64_t lowest, int64_t highest, int64_t *value);
bool cli_parse_choice(const char *text, int lowest, int highest, const char *(*name_of)(uint32_t), int32_t *value);
bool cli_parse_a_format(const char *text, int32_t *value);

struct cli_command {
    const char *name; /* of one word or two */
    enum cli_exit (*run)(const struct cli_args *args);
    int fewest_files, most_files; /* without an option */
};
enum {
    CLI_LIST,
    CLI_EXPLAIN,
    CLI_CHOOSE,
    CLI_RUN,
    CLI_BENCH,
    CLI_QUANTIZE,
    CLI_CONVERT,
    CLI_PACK_LIST,
    CLI_PACK_VERIFY,
    CLI_PACK_EXTRACT,
    CLI_PACK_BUILD,
    CLI_PACK_MERGE,
    CLI_PACK_COMPARE,
    CLI_COMMANDS
};
extern const struct cli_command cli_commands[CLI_COMMANDS];

enum cli_exit cli_list(const struct cli_args *args);
enum cli_exit cli_explain(const struct cli_args *args);
enum cli_exit cli_choose(const struct cli_args *args);
enum cli_exit cli_run(const struct cli_args *args);
enum cli_exit cli_bench(const struct cli_args *args);
enum cli_exit cli_quantize(const struct cli_args *args);
enum cli_exit cli_convert(const struct cli_args *args);
enum cli_exit cli_pack_list(const struct cli_args *args);
enum cli_exit cli_pack_verify(const struct cli_args *args);
enum cli_exit cli_pack_extract(const struct cli_args *args);
enum cli_exit cli_pack_build(const struct cli_args *args);
enum cli_exit cli_pack_merge(const struct cli_args *args);
enum cli_exit cli_pack_compare(const struct cli_args *args);

/* --pack or the embedded one, with --choices. What the library warns of goes to stderr. */
bool cli_open_library(const struct cli_args *args, mxg_library **library);
void cli_problem(const struct cli_args *args, mxg_problem *problem);
bool cli_device_of(const struct cli_args *args, mxg_device *device); /* an MI355X but for --cu-count and --arch */
const char *cli_format_text(uint32_t format);                        /* bf16 */
const char *cli_layouts_text(uint32_t layouts);                      /* row, shuffled, or row+shuffled */

/* In quotes, on the standard output: of a path, which may have any byte, and of a name of HIP's. */
void cli_print_json_string(const char *text);

/* files.c. A file must have exactly `bytes`; the memory is the caller's to free, and is not NULL. */
bool cli_read_file(const char *path, uint64_t bytes, void **data);

/* The whole of a file of at most `most` bytes, with a NUL after it, which is the caller's to free. A file that is not
 * there is no failure: *there says so, and *text is NULL. */
bool cli_read_text(const char *path, size_t most, char **text, size_t *bytes, bool *there);

/* As common/output.h, but a failure is reported. mxg_output_drop() is for the end in any case. */
bool cli_write_output(struct mxg_output *output, const char *path, const void *data, uint64_t bytes);
bool cli_commit_output(struct mxg_output *output);

#endif
