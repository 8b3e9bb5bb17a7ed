/* mxgemm: the loader library on the command line. */
#define _POSIX_C_SOURCE 200809L
#include "loader/cli/cli.h"
#include "loader/select.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct cli_command cli_commands[CLI_COMMANDS] = {
    [CLI_LIST] = {"list", cli_list, 0, 0},
    [CLI_EXPLAIN] = {"explain", cli_explain, 0, 0},
    [CLI_CHOOSE] = {"choose", cli_choose, 0, 0},
    [CLI_RUN] = {"run", cli_run, 0, 0},
    [CLI_BENCH] = {"bench", cli_bench, 0, 0},
    [CLI_QUANTIZE] = {"quantize", cli_quantize, 0, 0},
    [CLI_CONVERT] = {"convert", cli_convert, 0, 0},
    [CLI_PACK_LIST] = {"pack list", cli_pack_list, 0, 1},
    [CLI_PACK_VERIFY] = {"pack verify", cli_pack_verify, 0, 1},
    [CLI_PACK_EXTRACT] = {"pack extract", cli_pack_extract, 0, 1},
    [CLI_PACK_BUILD] = {"pack build", cli_pack_build, 0, 1},
    [CLI_PACK_MERGE] = {"pack merge", cli_pack_merge, 2, INT_MAX},
    [CLI_PACK_COMPARE] = {"pack compare", cli_pack_compare, 2, 2},
};

bool cli_fail(const char *format, ...)
{
    va_list values;
    (void)fputs("mxgemm: ", stderr); /* there is nowhere to report that stderr cannot be written */
    va_start(values, format);
    (void)vfprintf(stderr, format, values);
    va_end(values);
    (void)fputc('\n', stderr);
    return false;
}

bool cli_check(mxg_status status)
{
    return !status || cli_fail("%s", mxg_last_error());
}

void cli_print_json_string(const char *text)
{
    printf("\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\')
            printf("\\u%04x", c);
        else
            printf("%c", c);
    }
    printf("\"");
}

static void warn(void *user, int32_t level, const char *sentence)
{
    (void)user;
    if (level <= MXG_LOG_WARNING) (void)cli_fail("warning: %s", sentence);
}

bool cli_open_library(const struct cli_args *args, mxg_library **library)
{
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    options.path = args->pack;
    if (!args->pack) options.data = mxg_pack_gfx950, options.bytes = mxg_pack_gfx950_bytes;
    options.choices_path = args->choices;
    options.log = warn;
    return cli_check(mxg_library_open(&options, library));
}

void cli_problem(const struct cli_args *args, mxg_problem *problem)
{
    const mxg_problem fresh = MXG_PROBLEM_INIT;
    *problem = fresh;
    problem->m = args->m, problem->n = args->n, problem->k = args->k;
    problem->lda = args->lda, problem->ldb = args->ldb, problem->ldc = args->ldc;
    problem->a_format = args->a_format, problem->c_format = args->c_format;
    problem->b_layout = args->b_layout, problem->scale_layout = args->scale_layout;
    if (args->variants.count) problem->variant = args->variants.glob[args->variants.count - 1];
    problem->split = args->split;
}

bool cli_device_of(const struct cli_args *args, mxg_device *device)
{
    const mxg_device mi355x = MXG_DEVICE_MI355X;
    *device = mi355x;
    if (args->cu_count) device->cu_count = (uint32_t)args->cu_count;
    if (!args->arch) return true;
    const size_t length = strlen(args->arch);
    if (length >= sizeof device->arch) return cli_fail("--arch %s: longer than any", args->arch);
    memcpy(device->arch, args->arch, length + 1);
    return true;
}

const char *cli_format_text(uint32_t format)
{
    return mxg_format_name(format);
}

const char *cli_layouts_text(uint32_t layouts)
{
    return layouts == (MXG_LAYOUT_ROW | MXG_LAYOUT_SHUFFLED) ? "row+shuffled" : mxg_layout_name(layouts);
}

int main(int argc, char **argv)
{
    struct cli_request request = {0};
    struct cli_args args = {.poison = -1, .alpha = 1};
    enum cli_exit status = CLI_DONE;
    (void)signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of write() then */
    if (!cli_parse(argc, argv, &request, &args)) return CLI_MISUSED;
    if (request.help)
        cli_print_help(request.subject);
    else if (request.version)
        (void)printf("mxgemm %s\n", mxg_version());
    else
        status = cli_commands[request.command].run(&args);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)cli_fail("cannot write to the standard output");
        return CLI_FAILED;
    }
    return (int)status;
}
