#define _POSIX_C_SOURCE 200809L
/* The user's measured choices: what the reader takes and refuses, by loader/CHOICES.md, and what selection makes of
 * them. Texts are copied to memory of exactly their size, so that a sanitizer sees any read past them. */
#include "loader/choices.h"
#include "select_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#define FIRST "mxgemm-choices 1\n"
#define DEVICE "gfx950 256 "
#define PROBLEM DEVICE "4 64 512 bf16 bf16 row row "

static mxg_status parse_bytes(const char *text, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1);
    if (!copy) abort();
    memcpy(copy, text, bytes);
    mxg_choices_release(library);
    const mxg_status status = mxg_choices_parse(library, copy, bytes, "some/file");
    memset(copy, 'x', bytes); /* nothing of it is needed any more */
    free(copy);
    return status;
}

static mxg_status parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

/* What is not a legal file leaves no choices. */
static void check_bad(const char *text, size_t bytes, const char *says)
{
    CHECK_EQ(parse_bytes(text, bytes), MXG_ERROR_CHOICES);
    CHECK_HAS(mxg_last_error(), says);
    CHECK(library->choices == NULL);
}

static void chosen_is(const mxg_problem *problem, const mxg_device *device, uint32_t expected)
{
    uint32_t index = UINT32_MAX;
    CHECK_EQ(mxg_library_select(library, problem, device, &index), MXG_OK);
    CHECK_EQ(index, expected);
}

static mxg_candidate explained(const mxg_problem *problem, uint32_t index)
{
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    CHECK_EQ(mxg_library_explain(library, problem, NULL, index, &candidate), MXG_OK);
    return candidate;
}

/* v0 to v3 of split 1 2 4 8. By the formula v0 would be chosen, see test_choice.c. */
static void begin(void)
{
    open_pack(4);
    seal_and_open();
}

static void what_is_refused(void)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "some/file:1: the first line is not 'mxgemm-choices 1'"},
        {"\n", "some/file:1: the first line"},
        {"mxgemm-choices 2\n", "some/file:1: the first line"},
        {"mxgemm-choices 1 \n", "some/file:1: the first line"},
        {"mxgemm-choices 10\n", "some/file:1: the first line"},
        {"# comment\n" FIRST, "some/file:1: the first line"},
        {"mxgemm-choices 1", "some/file:1: the line has no end"},
        {"mxgemm-choices 1\r\n", "some/file:1: the line has the byte 0x0d at 16"},
        {FIRST PROBLEM "v1", "some/file:2: the line has no end"},
        {FIRST "#", "some/file:2: the line has no end"},
        {FIRST "\n\n\x01\n", "some/file:4: the line has the byte 0x01 at 0"},
        {FIRST "# \x7f\n", "some/file:2: the line has the byte 0x7f at 2"},
        {FIRST "gfx950\n", "some/file:2: the line ends before its cu_count, which is field 2"},
        {FIRST PROBLEM "\n", "the line ends before its variant, which is field 10"},
        {FIRST PROBLEM "# v1\n", "the line ends before its variant"},
        {FIRST PROBLEM "v1 1 s more\n", "the line goes on after its 12 fields with 'more'"},
        {FIRST PROBLEM "v1 1 s more\tand more\n", "fields with 'more'"},
        {FIRST "GFX950 256 4 64 512 bf16 bf16 row row v1\n", "processor is 'GFX950', not of abc"},
        {FIRST "gfx950:xnack+ 256 4 64 512 bf16 bf16 row row v1\n", "processor is 'gfx950:xnack+', not of"},
        {FIRST "abcdefghijklmnop 256 4 64 512 bf16 bf16 row row v1\n", "longer than 15"},
        {FIRST "gfx950 0 4 64 512 bf16 bf16 row row v1\n", "cu_count is '0', not a number within 1 to 65535"},
        {FIRST "gfx950 65536 4 64 512 bf16 bf16 row row v1\n", "cu_count is '65536'"},
        {FIRST "gfx950 -1 4 64 512 bf16 bf16 row row v1\n", "cu_count is '-1'"},
        {FIRST DEVICE "0 64 512 bf16 bf16 row row v1\n", "m is '0', not a number within 1 to 2147483647"},
        {FIRST DEVICE "04 64 512 bf16 bf16 row row v1\n", "m is '04'"},
        {FIRST DEVICE "+4 64 512 bf16 bf16 row row v1\n", "m is '+4'"},
        {FIRST DEVICE "0x4 64 512 bf16 bf16 row row v1\n", "m is '0x4'"},
        {FIRST DEVICE "4. 64 512 bf16 bf16 row row v1\n", "m is '4.'"},
        {FIRST DEVICE "4 2147483648 512 bf16 bf16 row row v1\n", "n is '2147483648'"},
        {FIRST DEVICE "4 18446744073709551617 512 bf16 bf16 row row v1\n", "n is '18446744073709551617'"},
        {FIRST DEVICE "4 64 0 bf16 bf16 row row v1\n", "k is '0', not a number within 32 to 2147483520"},
        {FIRST DEVICE "4 64 500 bf16 bf16 row row v1\n", "k is 500: it must be a multiple of 32"},
        {FIRST DEVICE "4 64 512 f16 bf16 row row v1\n", "a_format is 'f16', not bf16 or mxfp4"},
        {FIRST DEVICE "4 64 512 bf16 mxfp4 row row v1\n", "c_format is 'mxfp4', not bf16 or f16 or f32"},
        {FIRST DEVICE "4 64 512 bf16 bf16 none row v1\n", "b_layout is 'none', not row or shuffled"},
        {FIRST DEVICE "4 64 512 bf16 bf16 row Row v1\n", "scale_layout is 'Row', not row or shuffled"},
        {FIRST PROBLEM "V1\n", "variant is 'V1', not of abc"},
        {FIRST PROBLEM "v1 0\n", "us is '0', not a time within 0.001 to 4000000 with up to 3 decimals"},
        {FIRST PROBLEM "v1 0.000\n", "us is '0.000'"},
        {FIRST PROBLEM "v1 4000000.001\n", "us is '4000000.001'"},
        {FIRST PROBLEM "v1 1.2345\n", "us is '1.2345'"},
        {FIRST PROBLEM "v1 1.\n", "us is '1.'"},
        {FIRST PROBLEM "v1 .5\n", "us is '.5'"},
        {FIRST PROBLEM "v1 1,5\n", "us is '1,5'"},
        {FIRST PROBLEM "v1 1e3\n", "us is '1e3'"},
        {FIRST PROBLEM "v1 1.-5\n", "us is '1.-5'"},
        {FIRST PROBLEM "v1 nan\n", "us is 'nan'"},
        {FIRST PROBLEM "v1 1 a\"b\n", "source is 'a\"b', not of ABC"},
        {FIRST PROBLEM "v1\n\n" PROBLEM "v2\n", "some/file:4: the device and problem of line 2 again"},
        {FIRST PROBLEM "v1\n" PROBLEM "v1\n", "some/file:3: the device and problem of line 2 again"},
        {FIRST PROBLEM "nobody\n" PROBLEM "v1\n", "some/file:3: the device"},
        {FIRST "other 1 1 1 32 bf16 bf16 row row v\n" PROBLEM "v1\nother 1 1 1 32 bf16 bf16 row row v\n",
         "some/file:4: the device and problem of line 2 again"},
    };
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) check_bad(bad[i].text, strlen(bad[i].text), bad[i].says);
    static const char nul[] = FIRST PROBLEM "v1\n# \0\n";
    check_bad(nul, sizeof nul - 1, "some/file:3: the line has the byte 0x00 at 2");
    close_pack();
}

/* A line of 1024 bytes, and one more; names as long as they may be; a file of 16 MiB, and one byte more. */
static void limits(void)
{
    enum { MOST = 16 << 20 };
    begin();
    char line[2048];
    (void)snprintf(line, sizeof line, FIRST "%-1024s\n", "#");
    CHECK_EQ(parse(line), MXG_OK);
    (void)snprintf(line, sizeof line, FIRST "%-1025s\n", "#");
    check_bad(line, strlen(line), "some/file:2: the line has 1025 bytes, more than 1024");
    char name[98], source[98];
    memset(name, 'a', 97), memset(source, 's', 97);
    for (int longer = 0; longer < 2; longer++) {
        name[95] = longer ? 'a' : 0, name[96] = 0, source[95] = 0;
        (void)snprintf(line, sizeof line, FIRST PROBLEM "%s 1 %s\n", name, source);
        CHECK_EQ(parse(line), longer ? MXG_ERROR_CHOICES : MXG_OK);
    }
    CHECK_HAS(mxg_last_error(), "longer than 95");
    (void)snprintf(line, sizeof line, FIRST PROBLEM "v1 1 %ss\n", source);
    check_bad(line, strlen(line), "longer than 95");

    char *large = malloc(MOST + 1);
    if (!large) abort();
    memset(large, '\n', MOST + 1);
    memcpy(large, FIRST, strlen(FIRST));
    memcpy(large + MOST - strlen(PROBLEM "v2\n"), PROBLEM "v2\n", strlen(PROBLEM "v2\n"));
    CHECK_EQ(parse_bytes(large, MOST), MXG_OK);
    const mxg_problem p = problem_of(4, 64, 512);
    chosen_is(&p, NULL, 2);
    check_bad(large, MOST + 1, "some/file: it has 16777217 bytes, more than 16777216");
    free(large);
    close_pack();
}

static void choices_win(void)
{
    begin();
    const mxg_problem p = problem_of(4, 64, 512);
    chosen_is(&p, NULL, 0);
    CHECK_EQ(parse(FIRST "# what we measured\n\n \t \n" PROBLEM "v2 3.25 measured:here # quick\n" DEVICE
                         "5\t64 512 bf16 bf16 row row v1"
                         "\ngfx950 128 4 64 512 bf16 bf16 row row v1\n" DEVICE "4 64 512 bf16 bf16 shuffled row v1\n"),
             MXG_OK);
    chosen_is(&p, NULL, 2);
    chosen_is(&p, ON_CUS(256), 2); /* whatever its xnack and sramecc are */
    chosen_is(&p, ON_CUS(128), 1);
    chosen_is(&p, ON_CUS(255), 0);
    mxg_candidate candidate = explained(&p, 2);
    CHECK_EQ(candidate.accepted, 1);
    CHECK_EQ(candidate.preferred, 1);
    CHECK_STR(candidate.choice_path, "some/file");
    CHECK_EQ(candidate.choice_line, 5);
    CHECK(candidate.choice_us == 3.25);
    CHECK_STR(candidate.choice_source, "measured:here");
    CHECK(candidate.predicted_us > 0 && candidate.predicted_us != 3.25);
    candidate = explained(&p, 0);
    CHECK_EQ(candidate.preferred, 0);
    CHECK_STR(candidate.choice_path, NULL);
    CHECK_EQ(candidate.choice_line, 0);
    CHECK_STR(candidate.choice_source, NULL);

    mxg_problem other = p; /* what is not the same in all of the nine is another problem */
    other.b_layout = MXG_LAYOUT_SHUFFLED;
    chosen_is(&other, NULL, 1);
    CHECK_STR(explained(&other, 1).choice_source, "");
    other.scale_layout = MXG_LAYOUT_SHUFFLED;
    chosen_is(&other, NULL, 0);
    other = p, other.m = 5;
    chosen_is(&other, NULL, 1);
    CHECK(explained(&other, 1).choice_us == 0);
    other.m = 6;
    chosen_is(&other, NULL, 0);
    other = p, other.n = 128;
    chosen_is(&other, NULL, 0);
    other = p, other.lda = 1000, other.ldc = 77; /* strides are none of them */
    chosen_is(&other, NULL, 2);

    /* the problem's own wish comes first, also where it is the same */
    other = p, other.variant = "v1";
    chosen_is(&other, NULL, 1);
    CHECK_EQ(explained(&other, 2).preferred, 0);
    other = p, other.split = 2;
    chosen_is(&other, NULL, 1);
    other.split = 4;
    CHECK_EQ(explained(&other, 2).preferred, 0);
    close_pack();
}

static char told[256];
static int tellings, listening_for;

static void hear(void *user, int32_t level, const char *sentence)
{
    (void)user;
    if (level != listening_for) return;
    (void)snprintf(told, sizeof told, "%s", sentence);
    tellings++;
}

/* v2 takes strides up to 1000 and v3's split is above the K-steps of 512; v1 needs much LDS. */
static void choices_that_cannot_be_followed(void)
{
    open_pack(4);
    pack_set(&pack, 2, RECORD_HIGHEST_STRIDE, 1000);
    pack_set(&pack, 1, RECORD_LDS_BYTES, 100000);
    seal_and_open();
    library->host.log = hear;
    tellings = 0, listening_for = MXG_LOG_WARNING;
    CHECK_EQ(parse(FIRST PROBLEM
                   "v2\n" DEVICE "5 64 512 bf16 bf16 row row v3\n" DEVICE "6 64 512 bf16 bf16 row row gone\n"
                   "gfx942 304 6 64 512 bf16 bf16 row row elsewhere\n" DEVICE "7 64 512 bf16 bf16 row row v1\n"),
             MXG_OK);
    CHECK_EQ(tellings, 1);
    CHECK_STR(told, "some/file:4: this pack has no variant gone: ignored");
    mxg_problem p = problem_of(4, 64, 512);
    chosen_is(&p, NULL, 2);
    p.ldc = 1001;
    chosen_is(&p, NULL, 0);
    mxg_candidate candidate = explained(&p, 2);
    CHECK_EQ(candidate.accepted, 0);
    CHECK_EQ(candidate.preferred, 0);
    CHECK_STR(candidate.reason, "has ldc up to 1000, not 1001");
    CHECK_EQ(candidate.choice_line, 2);
    p = problem_of(5, 64, 512);
    chosen_is(&p, NULL, 0);
    CHECK_EQ(explained(&p, 3).choice_line, 3);
    p = problem_of(6, 64, 512);
    chosen_is(&p, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) CHECK_STR(explained(&p, i).choice_path, NULL);
    p = problem_of(7, 64, 512);
    chosen_is(&p, NULL, 1);
    mxg_device small = MXG_DEVICE_MI355X;
    small.lds_bytes = 99999;
    chosen_is(&p, &small, 0);
    close_pack();
}

/* The log hears what is chosen, and why. */
static void what_is_told(void)
{
    begin();
    library->host.log = hear;
    tellings = 0, listening_for = MXG_LOG_DEBUG;
    mxg_problem p = problem_of(4, 64, 512);
    CHECK_EQ(parse(FIRST PROBLEM "v2\n"), MXG_OK);
    chosen_is(&p, NULL, 2);
    CHECK_EQ(tellings, 1);
    CHECK_STR(told, "v2 is chosen for m 4, n 64, k 512 with A bf16, B row, scales row, C bf16: by the user's choices, "
                    "some/file:2");
    p.m = 5;
    chosen_is(&p, NULL, 0);
    CHECK_EQ(tellings, 2);
    CHECK_HAS(told, "v0 is chosen for m 5, n 64, k 512 with A bf16, B row, scales row, C bf16: ");
    CHECK_HAS(told, " ns, the lowest of 3 that do it are "); /* v3 has more slices than K has steps */
    p.k = 33;
    uint32_t index;
    CHECK_EQ(mxg_library_select(library, &p, NULL, &index), MXG_ERROR_ARGUMENT);
    CHECK_EQ(tellings, 2);
    close_pack();
}

/* Many lines in any order, each for its own m: variant m % 4. */
static void many(void)
{
    enum { LINES = 5000, SCATTER = 1777 };
    begin();
    char *text = malloc(LINES * 64 + sizeof FIRST);
    if (!text) abort();
    char *end = text + sprintf(text, FIRST);
    for (uint32_t i = 0; i < LINES; i++) {
        const uint32_t m = 1 + i * SCATTER % LINES;
        end += sprintf(end, DEVICE "%u 64 8192 bf16 bf16 row row v%u\n", m, m % 4);
    }
    CHECK_EQ(parse(text), MXG_OK);
    for (int64_t m = 1; m <= LINES; m++) {
        const mxg_problem p = problem_of(m, 64, 8192);
        chosen_is(&p, NULL, (uint32_t)m % 4);
    }
    free(text);
    close_pack();
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

static mxg_status open_with(const char *choices_path)
{
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    options.data = pack.data, options.bytes = pack.bytes;
    options.choices_path = choices_path;
    return mxg_library_open(&options, &library);
}

static void files(void)
{
    char directory[] = "/tmp/mxg_choices_XXXXXX", path[64], says[96];
    REQUIRE(mkdtemp(directory) != NULL);
    (void)snprintf(path, sizeof path, "%s/choices", directory);
    pack = make_pack(4);
    CHECK_EQ(open_with(path), MXG_ERROR_FILE);
    CHECK_HAS(mxg_last_error(), path);
    CHECK(library == NULL);
    CHECK_EQ(open_with(directory), MXG_ERROR_FILE);
    CHECK_HAS(mxg_last_error(), "is not a file");
    write_file(path, FIRST PROBLEM "v9 1 2 3\n");
    CHECK_EQ(open_with(path), MXG_ERROR_CHOICES);
    (void)snprintf(says, sizeof says, "%s:2: the line goes on", path);
    CHECK_HAS(mxg_last_error(), says);
    CHECK(library == NULL);
    write_file(path, "");
    CHECK_EQ(open_with(path), MXG_ERROR_CHOICES);
    write_file(path, FIRST PROBLEM "v2\n");
    REQUIRE(open_with(path) == MXG_OK);
    CHECK_EQ(unlink(path), 0); /* it is read already */
    const mxg_problem p = problem_of(4, 64, 512);
    chosen_is(&p, NULL, 2);
    CHECK_STR(explained(&p, 2).choice_path, path);
    mxg_library_close(library);
    REQUIRE(open_with(NULL) == MXG_OK);
    chosen_is(&p, NULL, 0);
    close_pack();
    CHECK_EQ(rmdir(directory), 0);
}

static int allocations_left, held;

static void *allocate_few(void *user, size_t bytes)
{
    (void)user;
    if (allocations_left-- <= 0) return NULL;
    held++;
    return malloc(bytes);
}

static void release_one(void *user, void *memory)
{
    (void)user;
    held--;
    free(memory);
}

/* Each allocation of opening and choosing fails in its turn: nothing is kept, and a retry works. */
static void memory_that_is_not_there(void)
{
    enum { VARIANTS = 600, TRIES = 100 }; /* more than a choice has room for on its stack */
    char path[] = "/tmp/mxg_choices_XXXXXX";
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    CHECK_EQ(close(file), 0);
    write_file(path, FIRST PROBLEM "v2\n");
    pack = make_pack(VARIANTS);
    const mxg_problem other = problem_of(16, 2112, 7168);
    int succeeded_with = -1;
    for (int few = 0; few < TRIES && succeeded_with < 0; few++) {
        mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
        uint32_t index = UINT32_MAX;
        options.data = pack.data, options.bytes = pack.bytes, options.choices_path = path;
        options.allocate = allocate_few, options.release = release_one;
        allocations_left = few, held = 0;
        mxg_status status = mxg_library_open(&options, &library);
        CHECK((status == MXG_OK) == (library != NULL));
        /* Explaining needs none, though what has no time needs the others'. */
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        if (!status) CHECK_EQ(mxg_library_explain(library, &other, NULL, 1, &candidate), MXG_OK);
        if (!status) status = mxg_library_select(library, &other, NULL, &index);
        if (status) CHECK_EQ(status, MXG_ERROR_OUT_OF_MEMORY);
        if (!status) succeeded_with = few;
        mxg_library_close(library);
        CHECK_EQ(held, 0);
    }
    CHECK(succeeded_with > 10);
    free(pack.data);
    CHECK_EQ(unlink(path), 0);
}

/* As many choices as a file of its size can have, so that there is room for each. */
static void the_shortest_lines(void)
{
    static const char shortest[] = "p 1 1 1 32 bf16 f16 row row v\n";
    enum { LINES = 500000, BYTES = sizeof shortest - 1 };
    begin();
    char *text = malloc(sizeof FIRST + (size_t)LINES * BYTES);
    if (!text) abort();
    char *end = text + sprintf(text, FIRST);
    for (uint32_t i = 0; i < LINES; i++, end += BYTES) memcpy(end, shortest, BYTES);
    check_bad(text, (size_t)(end - text), "some/file:3: the device and problem of line 2 again");
    free(text);
    close_pack();
}

int main(void)
{
    TEST(what_is_refused);
    TEST(limits);
    TEST(choices_win);
    TEST(choices_that_cannot_be_followed);
    TEST(what_is_told);
    TEST(many);
    TEST(the_shortest_lines);
    TEST(files);
    TEST(memory_that_is_not_there);
    return test_end();
}
