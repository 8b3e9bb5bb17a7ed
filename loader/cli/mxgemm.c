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
    [CLI_QUANTIZE] = {"quantize", cli_quantize, 0, 0},
    [CLI_CONVERT] = {"convert", cli_convert, 0, 0},
    [CLI_PACK_LIST] = {"pack list", cli_pack_list, 0, 1},
    [CLI_PACK_VERIFY] = {"pack verify", cli_pack_verify, 0, 1},
    [CLI_PACK_EXTRACT] = {"pack extract", cli_pack_extract, 0, 1},
    [CLI_PACK_BUILD] = {"pack build", cli_pack_build, 0, 1},
    [CLI_PACK_MERGE] = {"pack merge", cli_pack_merge, 2, INT_MAX},
    [CLI_PACK_COMPARE] = {"pack compare", cli_pack_compare, 2, 2},
};

static const char help[] =
    "mxgemm: MXFP4 GEMM for gfx950, C = round(alpha * A * B^T + bias)\n"
    "\n"
    "  mxgemm list [--json]                              the kernel variants of the pack\n"
    "  mxgemm explain --m M --n N --k K [flags] [--json] ranked candidates: predicted time, and the nearest time in\n"
    "                        the pack's table with its source; and why each other one is refused\n"
    "      --cu-count N      for a device of N compute units; default 256\n"
    "      --arch STRING     and of this arch; default gfx950:sramecc+:xnack-\n"
    "  mxgemm choose [--problems LIST] [flags] [--json]  the variant that is chosen for each of many problems, and its\n"
    "                        predicted time; --cu-count and --arch as above\n"
    "      --problems LIST   a file of lines \"m n k [a_format [c_format [b_layout [scale_layout]]]]\"; default the\n"
    "                        standard input. A size may be a list, as in 1,2,4..64+4,128..4096*2\n"
    "  mxgemm run --m M --n N --k K --a FILE --b FILE --b-scale FILE --out FILE [flags]\n"
    "      --bias FILE       f32, one a column\n"
    "      --alpha X         default 1\n"
    "      --a-scale FILE    for --a-format mxfp4\n"
    "      --repeat R        run R times: all must give the same bytes\n"
    "      --poison BYTE     what C and the partial sums hold before each run; default 0 in C\n"
    "  mxgemm quantize --rows R --k K --in FILE --out FILE --scale FILE [--lda E] [--b-layout L] [--scale-layout L]\n"
    "                        to MXFP4 codes and scales, as the kernels quantise A\n"
    "      --in-format bf16|f16|f32     default bf16\n"
    "      --threads T       default one a processor\n"
    "      --device          by the pack's quantiser kernel; default on the host, to the same bytes\n"
    "  mxgemm convert --in FILE.safetensors --out FILE.safetensors [--layout L] [--scale-layout L]\n"
    "                        a checkpoint into the layouts of the kernels: MXFP4 is shuffled, bf16, f16 and f32\n"
    "                        weights are quantised, the rest is copied; see CONVERT.md\n"
    "      --layout row|shuffled        of codes; default shuffled, where N % 16 == 0 and K % 64 == 0\n"
    "      --scale-layout row|shuffled  of scales; default shuffled\n"
    "      --include GLOB    quantise matrices of these names only; may be repeated. Default *_proj.weight,\n"
    "                        *_proj_with_mqa.weight, *.w[123].weight and *.w[qkvo].weight, but none of *embed*,\n"
    "                        *norm*, *head*, *router*, *vision*, *visual*, *audio* and *.c_proj.weight\n"
    "      --exclude GLOB    copy tensors of these names as they are; may be repeated\n"
    "      --threads T       default one a processor\n"
    "      --dry-run         say what would become of each tensor, and write nothing\n"
    "  mxgemm pack list [FILE] [--json]          where code objects lie, their SHA-256, what they share, their times\n"
    "  mxgemm pack verify [FILE]                 every code object against the index; says all faults\n"
    "  mxgemm pack extract [FILE] --out DIR [--variant GLOB]...\n"
    "                        code objects as DIR/NAME.hsaco; a file of other bytes that is there is not replaced\n"
    "  mxgemm pack build [FILE] --out NEW [--variant GLOB]... [--problems LIST] [--quantizer] [--compress]\n"
    "                        a pack of some variants, with all their times\n"
    "      --problems LIST   those that are chosen for a file of lines \"m n k [a_format [c_format [b_layout\n"
    "                        [scale_layout]]]]\"; what a line leaves out is as --a-format, --out-format, --b-layout\n"
    "                        and --scale-layout say\n"
    "      --quantizer       and the quantiser kernel, which is in it only if it is asked for\n"
    "      --compress        by zstd, in a build that has it\n"
    "  mxgemm pack merge FILE FILE... --out NEW [--prefer first|last] [--compress]\n"
    "                        a pack of all variants; --prefer: where two of one name or two times differ\n"
    "  mxgemm pack compare FILE FILE [--json]    what differs, the order of variants left aside; status 1 if anything\n"
    "                        [FILE]: default the embedded pack\n"
    "\n"
    "flags of explain, choose (without strides, --variant and --split) and run:\n"
    "  --a-format bf16|mxfp4     --out-format bf16|f16|f32    default bf16\n"
    "  --b-layout row|shuffled   --scale-layout row|shuffled  default row\n"
    "  --lda E  --ldb E  --ldc E    elements between rows; default tight\n"
    "  --variant NAME  --split S    only this variant, only variants of this split\n"
    "  --choices FILE               measured choices of your own, which come before predicted times: CHOICES.md\n"
    "of all but convert and pack:\n"
    "  --pack FILE   a pack other than the embedded one\n"
    "  --hip PATH    the HIP library to load, as MXG_HIP in the environment; default the system's libamdhip64\n"
    "everywhere:\n"
    "  --version  --help\n"
    "\n"
    "Files, but those of convert, are raw little-endian arrays of exactly rows x leading dimension elements.\n"
    "Exit status: 0 done, 1 failed or refused, 2 the command line was not understood.\n";

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
    struct cli_args args = {.repeat = 1, .poison = -1, .alpha = 1};
    enum cli_exit status = CLI_DONE;
    (void)signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of write() then */
    if (!cli_parse(argc, argv, &request, &args)) return CLI_MISUSED;
    if (request.help)
        (void)fputs(help, stdout); /* looked at below */
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
