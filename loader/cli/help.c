/* What mxgemm --help says: an overview, and a screen for each command. */
#include "loader/cli/cli.h"

#include <stdio.h>
#include <string.h>

static const char overview[] =
    "mxgemm: MXFP4 GEMM for gfx950, C = round(alpha * A * B^T + bias), by kernels compiled ahead of time\n"
    "\n"
    "  mxgemm list        the kernel variants of a pack\n"
    "  mxgemm explain     which variant a problem gets, by what times, and why others are refused\n"
    "  mxgemm choose      the variant that each of many problems gets, and its predicted time\n"
    "  mxgemm run         one product, from files to a file\n"
    "  mxgemm bench       what variants take on this machine's device; writes files of measured choices\n"
    "  mxgemm quantize    a matrix to MXFP4 codes and scales\n"
    "  mxgemm convert     a safetensors checkpoint into the layouts of the kernels\n"
    "  mxgemm pack        list, verify, extract, build, merge and compare packs\n"
    "\n"
    "  mxgemm COMMAND --help    all about one of them\n"
    "  mxgemm --version\n"
    "\n"
    "Exit status: 0 done, 1 failed or refused, 2 the command line was not understood.\n";

/* ---- What commands share. ---- */

static const char problem[] =
    "  --m M --n N --k K            C is M x N; K is a multiple of 32\n"
    "  --a-format bf16|mxfp4        default bf16, quantised by the kernel\n"
    "  --out-format bf16|f16|f32    of C; default bf16\n"
    "  --b-layout row|shuffled      of B's codes; default row\n"
    "  --scale-layout row|shuffled  of all scales; default row\n"
    "  --lda E  --ldb E  --ldc E    elements between rows; default tight\n"
    "  --variant NAME  --split S    only this variant, only variants that cut K into S slices\n"
    "  --choices FILE               measured choices of your own, which come before predicted times: CHOICES.md\n";

static const char json[] = "  --json                       for programs\n";
static const char other_pack[] = "  --pack FILE                  a pack other than the embedded one\n";
static const char other_hip[] =
    "  --hip PATH                   the HIP library, as MXG_HIP in the environment; default the system's libamdhip64\n";
static const char raw[] = "\nFiles are raw little-endian arrays of exactly rows x leading dimension elements.\n";

/* ---- Each command. ---- */

static const char list[] = "mxgemm list [--json]: the kernel variants of a pack, with what each accepts and needs\n\n";

static const char explain[] =
    "mxgemm explain --m M --n N --k K [options]: ranks the variants that do a problem\n"
    "\n"
    "The chosen one comes first, others by predicted time, each with the nearest time in the pack's table and its\n"
    "source; then those that are refused, with the reason. It needs no device.\n"
    "\n";
static const char device_options[] =
    "  --cu-count N                 for a device of N compute units; default 256\n"
    "  --arch STRING                and of this arch; default gfx950:sramecc+:xnack-\n";

static const char choose[] =
    "mxgemm choose [--problems LIST] [options]: which variant each of many problems gets, and its predicted time\n"
    "\n"
    "It needs no device.\n"
    "\n"
    "  --problems LIST              a file of lines \"m n k [a_format [c_format [b_layout [scale_layout]]]]\"; "
    "default\n"
    "                               the standard input. A size may be several, as in 1,2,4..64+4,128..4096*2; what a\n"
    "                               line leaves out is as these options say:\n"
    "  --a-format bf16|mxfp4        default bf16\n"
    "  --out-format bf16|f16|f32    default bf16\n"
    "  --b-layout row|shuffled      default row\n"
    "  --scale-layout row|shuffled  default row\n"
    "  --choices FILE               measured choices of your own, which come before predicted times: CHOICES.md\n";

static const char run[] =
    "mxgemm run --m M --n N --k K --a FILE --b FILE --b-scale FILE --out FILE [options]: one product\n"
    "\n";
static const char run_options[] =
    "  --a FILE                     bf16 [M][lda], or codes [M][lda / 2]\n"
    "  --a-scale FILE               E8M0, for --a-format mxfp4\n"
    "  --b FILE  --b-scale FILE     codes [N][ldb / 2] and E8M0 of B\n"
    "  --bias FILE                  f32 [N]\n"
    "  --alpha X                    default 1\n"
    "  --out FILE                   C [M][ldc]\n"
    "  --repeat R                   run R times: all must give the same bytes\n"
    "  --poison BYTE                what C and the partial sums hold before each run; default 0 in C\n";

static const char bench[] =
    "mxgemm bench --m M --n N --k K [options]: times the variants that do a problem on the current device\n"
    "\n"
    "Random operands, warm-up, then R launches of each variant, timed by HIP events: the median counts, less that of\n"
    "two events with nothing between them. Launches rotate over buffers that are larger than the caches. Ranked by\n"
    "measured time, beside quartiles and the predicted time; the variant that the loader chooses is marked.\n"
    "\n";
static const char bench_options[] =
    "  --problems LIST              instead of --m, --n and --k: a file of lines \"m n k [a_format [c_format "
    "[b_layout\n"
    "                               [scale_layout]]]]\"; what a line leaves out is as the options say\n"
    "  --top T                      only the T that are ranked first by prediction\n"
    "  --repeat R  --warmup W       launches that count, default 51; and before them, default 5\n"
    "  --megabytes MB               of all buffers, default 512; of 1 the operands stay in caches\n"
    "  --choices-out FILE           write the fastest of each problem into a file of choices, for --choices and\n"
    "                               mxg_library_options: its line is replaced or added, others stay as they are\n"
    "  --emulated                   let --choices-out have times of the emulator, which are the host's\n";

static const char quantize[] =
    "mxgemm quantize --rows R --k K --in FILE --out FILE --scale FILE [options]: to MXFP4, as the kernels quantise A\n"
    "\n"
    "  --rows R --k K               of the matrix; K is a multiple of 32\n"
    "  --in FILE                    [R][lda]\n"
    "  --in-format bf16|f16|f32     default bf16\n"
    "  --lda E                      elements between rows of --in; default K\n"
    "  --out FILE  --scale FILE     codes and E8M0 scales\n"
    "  --b-layout row|shuffled      of codes; default row\n"
    "  --scale-layout row|shuffled  default row\n"
    "  --threads T                  default one a processor\n"
    "  --device                     by the pack's quantiser kernel, to the same bytes; default on the host\n";

static const char convert[] =
    "mxgemm convert --in FILE.safetensors --out FILE.safetensors [options]: a checkpoint into the kernels' layouts\n"
    "\n"
    "MXFP4 is shuffled, bf16, f16 and f32 weights are quantised, the rest is copied; CONVERT.md has the rules.\n"
    "\n"
    "  --layout row|shuffled        of codes; default shuffled, where N % 16 == 0 and K % 64 == 0\n"
    "  --scale-layout row|shuffled  of scales; default shuffled\n"
    "  --include GLOB               quantise matrices of these names only; may be repeated. Default *_proj.weight,\n"
    "                               *_proj_with_mqa.weight, *.w[123].weight and *.w[qkvo].weight, but none of\n"
    "                               *embed*, *norm*, *head*, *router*, *vision*, *visual*, *audio* and\n"
    "                               *.c_proj.weight\n"
    "  --exclude GLOB               copy tensors of these names as they are; may be repeated\n"
    "  --threads T                  default one a processor\n"
    "  --dry-run                    say what would become of each tensor, and write nothing\n";

static const char pack[] =
    "mxgemm pack: what is in packs, and new ones of old ones. FILE: default the embedded pack; see PACK.md\n"
    "\n"
    "  mxgemm pack list [FILE] [--json]\n"
    "      where code objects lie, their SHA-256, what they share, their times\n"
    "  mxgemm pack verify [FILE]\n"
    "      every code object against the index; says all faults\n"
    "  mxgemm pack extract [FILE] --out DIR [--variant GLOB]...\n"
    "      code objects as DIR/NAME.hsaco; a file of other bytes that is there is not replaced\n"
    "  mxgemm pack build [FILE] --out NEW [--variant GLOB]... [--problems LIST] [--quantizer] [--compress]\n"
    "      a pack of some variants, with all their times\n"
    "      --problems LIST  those that are chosen for a file of lines \"m n k [a_format [c_format [b_layout\n"
    "                       [scale_layout]]]]\"; what a line leaves out is as --a-format, --out-format, --b-layout\n"
    "                       and --scale-layout say\n"
    "      --quantizer      and the quantiser kernel, which is in it only if it is asked for\n"
    "      --compress       by zstd, in a build that has it\n"
    "  mxgemm pack merge FILE FILE... --out NEW [--prefer first|last] [--compress]\n"
    "      a pack of all variants; --prefer: where two of one name or two times differ\n"
    "  mxgemm pack compare FILE FILE [--json]\n"
    "      what differs, the order of variants left aside; status 1 if anything\n";

void cli_print_help(const char *subject)
{
    enum { PARTS = 7 };
    static const struct {
        const char *subject, *parts[PARTS];
    } texts[] = {
        {"list", {list, json, other_pack}},
        {"explain", {explain, problem, device_options, json, other_pack}},
        {"choose", {choose, device_options, json, other_pack}},
        {"run", {run, problem, run_options, other_pack, other_hip, raw}},
        {"bench", {bench, problem, bench_options, json, other_pack, other_hip}},
        {"quantize", {quantize, other_pack, other_hip, raw}},
        {"convert", {convert}},
        {"pack", {pack}},
    };
    static const char *const overview_alone[PARTS] = {overview};
    const char *const *part = overview_alone;
    for (size_t i = 0; subject && i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].subject, subject) == 0) part = texts[i].parts;
    for (; *part; part++) (void)fputs(*part, stdout); /* main() looks whether it could */
}
