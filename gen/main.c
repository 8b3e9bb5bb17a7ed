/* mxgen: makes gfx950 code objects of the variant table. */
#define _GNU_SOURCE
#include "gen/build.h"
#include "gen/comgr.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, FAILED = 1, MISUSED = 2 };

static const char help[] =
    "mxgen: specialises the MXFP4 GEMM kernel templates and compiles them to gfx950 code objects\n"
    "\n"
    "  mxgen build --table FILE --templates DIR --out DIR [--tuning FILE] [--compress] [-j N]\n"
    "      compiles the variants that are out of date, inspects all of them, also for what their rows in the\n"
    "      table allow, and writes below DIR\n"
    "      gfx950/VARIANT.hsaco, gfx950/src/VARIANT.hip, gfx950/manifest.json, gfx950/report.txt and\n"
    "      mxgemm-gfx950.mxpack; --tuning is the table of times that the pack carries; --compress packs the code\n"
    "      objects by zstd, for libraries built with ZSTD=1; -j is the number of processes that compile, all\n"
    "      CPUs by default\n"
    "  mxgen list --table FILE\n"
    "      checks the table and prints the name of each variant\n"
    "  mxgen --version\n"
    "  mxgen --help\n"
    "\n"
    "Exit status: 0 done, 1 it failed, 2 the command line was not understood.\n";

struct options {
    const char *table, *templates, *out, *tuning;
    unsigned jobs;
    int compress;
};

static int misuse(const char *what, const char *value)
{
    gen_error("%s%s%s; mxgen --help lists what there is", what, *value ? " " : "", value);
    return MISUSED;
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
    if (text[0] < '0' || text[0] > '9' || *end || value < 1 || value > 1024) return -1;
    *jobs = (unsigned)value;
    return 0;
}

/* 0, or MISUSED after saying why. */
static int parse_options(int count, char **words, struct options *options)
{
    for (int i = 0; i < count; i++) {
        const char **path = strcmp(words[i], "--table") == 0       ? &options->table
                            : strcmp(words[i], "--templates") == 0 ? &options->templates
                            : strcmp(words[i], "--out") == 0       ? &options->out
                            : strcmp(words[i], "--tuning") == 0    ? &options->tuning
                                                                   : NULL;
        if (strcmp(words[i], "--compress") == 0) {
            options->compress = 1;
            continue;
        }
        int is_jobs = strncmp(words[i], "-j", 2) == 0;
        if (!path && !is_jobs) return misuse("unknown option", words[i]);
        const char *value = is_jobs && words[i][2] ? words[i] + 2 : i + 1 < count ? words[++i] : NULL;
        if (!value || !*value) return misuse("a value is missing after", words[i]);
        if (path)
            *path = value;
        else if (parse_jobs(value, &options->jobs) != 0)
            return misuse("-j takes a number from 1 to 1024 and not", value);
    }
    return 0;
}

static int run_build(const struct options *options)
{
    struct gen_build build = {options->templates, options->out, options->tuning, options->jobs, options->compress};
    struct gen_table table;
    if (!options->table) return misuse("mxgen build needs --table FILE", "");
    if (!options->templates) return misuse("mxgen build needs --templates DIR", "");
    if (!options->out) return misuse("mxgen build needs --out DIR", "");
    if (gen_table_read(options->table, &table) != 0) return FAILED;
    int result = gen_build(&build, &table);
    gen_table_free(&table);
    return result == 0 ? DONE : FAILED;
}

static int run_list(const struct options *options)
{
    struct gen_table table;
    if (!options->table) return misuse("mxgen list needs --table FILE", "");
    if (gen_table_read(options->table, &table) != 0) return FAILED;
    for (size_t i = 0; i < table.count; i++) puts(table.rows[i].name);
    gen_table_free(&table);
    return DONE;
}

static int run_version(void)
{
    char version[32];
    gen_comgr_version(version);
    printf("mxgen " MXG_VERSION_TEXT " (comgr %s)\n", version);
    return DONE;
}

int main(int count, char **words)
{
    struct options options = {.jobs = online_cpus()};
    int result;
    if (count < 2) return misuse("a command is missing", "");
    const char *command = words[1];
    if (strcmp(command, "--help") == 0 || strcmp(command, "--version") == 0) {
        if (count > 2) return misuse("nothing may follow", command);
        result = command[2] == 'h' ? (fputs(help, stdout), DONE) : run_version();
    } else if (strcmp(command, "build") == 0 || strcmp(command, "list") == 0) {
        result = parse_options(count - 2, words + 2, &options);
        if (result == 0) result = command[0] == 'b' ? run_build(&options) : run_list(&options);
    } else {
        return misuse("unknown command", command);
    }
    if (fflush(stdout) != 0 && result == DONE) {
        gen_error("cannot write the output");
        result = FAILED;
    }
    return result;
}
