/* mxgen: makes gfx950 code objects of the variant table. */
#define _POSIX_C_SOURCE 200809L
#include "gen/comgr.h"
#include "gen/options.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct gen_command commands[] = {
    {.name = "build",
     .synopsis = "[--table FILE] [--only GROUP,...] [--tuning FILE] [--templates DIR] [--out DIR] [--compress]\n"
                 "      [--option WORD]... [-j N] [--shard I/N] [--no-hints]",
     .help = "compiles the variants that are out of date, inspects all of them, also for what their rows allow,\n"
             "and writes below DIR gfx950/VARIANT.hsaco, gfx950/src/VARIANT.hip, gfx950/manifest.json,\n"
             "gfx950/report.txt and mxgemm-gfx950.mxpack. --compress packs the code objects by zstd, for libraries\n"
             "built with ZSTD=1; --option is one more option of the compiler; -j is the number of processes that\n"
             "compile, at most: in a recipe of make that begins with +, make's jobserver may allow fewer. --shard\n"
             "compiles each Nth variant from the Ith on and writes no manifest, report and pack: mxgen merge does. "
             "--no-hints\n"
             "says nothing of times that FILE of --tuning lacks or has for no variant.",
     .options = "--table --only --no-hints --tuning --templates --out --compress --option -j --shard",
     .run = gen_cmd_build},
    {.name = "list",
     .synopsis = "[--table FILE] [--only GROUP,...]",
     .help =
         "checks the table and prints a line for each variant: its name, its group, or - outside of all groups, and\n"
         "the line of the table where the row begins that makes it.",
     .options = "--table --only",
     .run = gen_cmd_list},
    {.name = "report",
     .synopsis = "[--table FILE] [--only GROUP,...] [--tuning FILE] [--out DIR] [--base FILE] [--choices FILE]",
     .help = "writes what there is to know of the variants that are built to DIR/report/variants.txt, .json and\n"
             ".html: resources, occupancy, main loops, budgets, times. --base: an earlier variants.json, and what has\n"
             "changed since; --choices: what mxgemm choose --json says, for the page's map of problems.",
     .options = "--table --only --tuning --out --base --choices",
     .run = gen_cmd_report},
    {.name = "show",
     .synopsis = "VARIANT [--table FILE] [--out DIR]",
     .help = "prints what there is to see of a variant that is built: what it takes of its budget, its occupancy,\n"
             "its source, and its disassembly with the main loop marked.",
     .options = "--table --out",
     .fewest_operands = 1,
     .most_operands = 1,
     .run = gen_cmd_show},
    {.name = "explain",
     .synopsis = "WHAT [--table FILE]",
     .help = "shows what rows expand to, and which rule refuses what of it. WHAT is a variant's name, a group, or the\n"
             "number of a line of the table.",
     .options = "--table",
     .fewest_operands = 1,
     .most_operands = 1,
     .run = gen_cmd_explain},
    {.name = "merge",
     .synopsis = "[--table FILE] [--only GROUP,...] [--tuning FILE] [--templates DIR] [--out DIR] [--compress]\n"
                 "      [--option WORD]... SHARD_DIR...",
     .help = "makes of the DIRs of mxgen build --shard what mxgen build would have made, if all variants are there\n"
             "and made of the same table, templates, options and compiler.",
     .options = "--table --only --tuning --templates --out --compress --option",
     .fewest_operands = 1,
     .most_operands = SIZE_MAX,
     .run = gen_cmd_merge},
    {.name = "verify",
     .synopsis = "[--table FILE] [--only GROUP,...] [--tuning FILE] [--templates DIR] [--out DIR] [--compress]\n"
                 "      [--option WORD]... [-j N]",
     .help = "compiles all variants anew and compares everything with what is below DIR, where it writes nothing.",
     .options = "--table --only --tuning --templates --out --compress --option -j",
     .run = gen_cmd_verify},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_command(const struct gen_command *command)
{
    printf("  mxgen %s %s\n", command->name, command->synopsis);
    for (const char *line = command->help; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        printf("      %.*s\n", (int)strcspn(line, "\n"), line);
}

static enum gen_exit print_help(void)
{
    puts("mxgen: specialises the MXFP4 GEMM kernel templates and compiles them to gfx950 code objects\n");
    for (size_t i = 0; i < COMMANDS; i++) print_command(&commands[i]);
    puts("  mxgen --version\n"
         "  mxgen --help\n"
         "\n"
         "Not given, FILE of --table is gen/gemm.variants, DIR of --templates templates and of --out out, N one for\n"
         "each CPU. --only takes the variants of some groups of the table alone. FILE of --tuning is the table of\n"
         "times that the pack carries; without it, it carries none.\n"
         "Exit status: 0 done, 1 it failed, 2 the command line was not understood.");
    return GEN_DONE;
}

static enum gen_exit print_version(void)
{
    char version[32];
    gen_comgr_version(version);
    printf("mxgen " MXG_VERSION_TEXT " (comgr %s)\n", version);
    return GEN_DONE;
}

static enum gen_exit run(int count, const char *const *words)
{
    struct gen_options options;
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "--version") == 0) {
        if (count > 1) return gen_misuse("nothing may follow", words[0]);
        return words[0][2] == 'h' ? print_help() : print_version();
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(words[0], commands[i].name) != 0) continue;
        if (count > 1 && strcmp(words[1], "--help") == 0) return print_command(&commands[i]), GEN_DONE;
        enum gen_exit parsed = gen_options_parse(&commands[i], count - 1, words + 1, &options);
        return parsed == GEN_DONE ? commands[i].run(&options) : parsed;
    }
    return gen_misuse("unknown command", words[0]);
}

/* Where one of the three standard files is closed, the next that is opened would have its number, and be printed into.
 * Such a file is opened the wrong way around, so that its use is the error that it is with a closed one. */
static int open_standard_files(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
            return -1;
    return 0;
}

int main(int count, char **words)
{
    if (open_standard_files() != 0) return GEN_FAILED;
    /* Too large a file for `ulimit -f` then is an error of writing like others, in the compiler too. */
    signal(SIGXFSZ, SIG_IGN);
    if (count < 2) return (int)gen_misuse("a command is missing", "");
    enum gen_exit result = run(count - 1, (const char *const *)(words + 1));
    if (fflush(stdout) != 0 && result == GEN_DONE) {
        gen_error("cannot write the output");
        result = GEN_FAILED;
    }
    return (int)result;
}
