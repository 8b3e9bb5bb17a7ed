/* The reader of the user's measured choices, and selection that follows them. A file that is accepted is read here once
 * more, by what CHOICES.md says: each of its lines must then be what selection goes by, and no problem have one that
 * the file has not. */
#include "loader/choices.h"
#include "tests/fuzz/parse/library.h"
#include "tests/unit/make_pack.h"

#include <inttypes.h>

uint64_t fuzz_accepted;

enum { MOST_TRIED = 48 }; /* lines of a file */

static const char file_name[] = "a/file of choices";

/* ---- What the file says -------------------------------------------------------------------------------------------*/

struct line {
    uint32_t number; /* from 1 */
    char processor[16], formats[4][16], variant[96], source[96];
    mxg_problem problem;
    uint32_t cu_count;
    double us;
};

struct file {
    struct line *lines;
    size_t count;
};

/* 0 where it is none. */
static int32_t value_of(const char *name)
{
    static const struct {
        const char *name;
        int32_t value;
    } names[] = {{"bf16", MXG_FORMAT_BF16},   {"f16", MXG_FORMAT_F16}, {"f32", MXG_FORMAT_F32},
                 {"mxfp4", MXG_FORMAT_MXFP4}, {"row", MXG_LAYOUT_ROW}, {"shuffled", MXG_LAYOUT_SHUFFLED}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) return names[i].value;
    return 0;
}

/* Of a file that is accepted, so that a line has ten fields or none. False for a line without a choice. */
static bool read_line(const char *text, struct line *line)
{
    const mxg_problem empty = MXG_PROBLEM_INIT;
    mxg_problem *p = &line->problem;
    line->problem = empty;
    line->us = 0, line->source[0] = 0;
    const int fields =
        sscanf(text, "%15s %" SCNu32 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %15s %15s %15s %15s %95s %lf %95s",
               line->processor, &line->cu_count, &p->m, &p->n, &p->k, line->formats[0], line->formats[1],
               line->formats[2], line->formats[3], line->variant, &line->us, line->source);
    if (fields <= 0) return false;
    FUZZ_REQUIRE(fields >= 10);
    p->a_format = value_of(line->formats[0]), p->c_format = value_of(line->formats[1]);
    p->b_layout = value_of(line->formats[2]), p->scale_layout = value_of(line->formats[3]);
    FUZZ_REQUIRE(p->a_format && p->c_format && p->b_layout && p->scale_layout);
    return true;
}

static struct file read_accepted(const char *text, size_t bytes)
{
    enum { LEAST_LINE = 30 }; /* bytes of "p 1 1 1 32 bf16 f16 row row v\n" */
    struct file file = {malloc((bytes / LEAST_LINE + 1) * sizeof *file.lines), 0};
    const char *const end = text + bytes;
    char copy[MXG_CHOICES_MAX_LINE + 1];
    if (!file.lines) abort();
    for (uint32_t number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        FUZZ_REQUIRE(stop && (size_t)(stop - text) < sizeof copy && !memchr(text, 0, (size_t)(stop - text)));
        memcpy(copy, text, (size_t)(stop - text));
        copy[stop - text] = 0;
        text = stop + 1;
        char *comment = strchr(copy, '#');
        if (comment) *comment = 0;
        if (number == 1)
            FUZZ_REQUIRE(strcmp(copy, "mxgemm-choices 1") == 0);
        else if (read_line(copy, &file.lines[file.count]))
            file.lines[file.count++].number = number;
    }
    return file;
}

/* The line that must be followed; NULL: none. A second one is an error of the reader, which must have refused it. */
static const struct line *find_line(const struct file *file, const mxg_problem *problem, uint32_t cu_count)
{
    const struct line *found = NULL;
    for (size_t i = 0; i < file->count && problem->split == 0; i++) {
        const struct line *line = &file->lines[i];
        const mxg_problem *p = &line->problem;
        if (strcmp(line->processor, "gfx950") != 0 || line->cu_count != cu_count) continue;
        if (p->m != problem->m || p->n != problem->n || p->k != problem->k) continue;
        if (p->a_format != problem->a_format || p->c_format != problem->c_format) continue;
        if (p->b_layout != problem->b_layout || p->scale_layout != problem->scale_layout) continue;
        FUZZ_REQUIRE(!found);
        found = line;
    }
    return found;
}

/* ---- What the library makes of it ---------------------------------------------------------------------------------*/

struct user {
    struct memory memory; /* first, for allocate() and release() */
    uint32_t warnings;
};

/* FILE:LINE: and a sentence. */
static void check_place(const char *sentence, uint32_t lines)
{
    unsigned long line;
    char *end;
    check_sentence(sentence);
    FUZZ_REQUIRE(strncmp(sentence, file_name, strlen(file_name)) == 0 && sentence[strlen(file_name)] == ':');
    sentence += strlen(file_name) + 1;
    FUZZ_REQUIRE(*sentence >= '1' && *sentence <= '9');
    line = strtoul(sentence, &end, 10);
    FUZZ_REQUIRE(line <= lines && end[0] == ':' && end[1] == ' ' && end[2] > ' ');
}

static void hear(void *user, int32_t level, const char *sentence)
{
    check_sentence(sentence);
    if (level != MXG_LOG_WARNING) return;
    check_place(sentence, UINT32_MAX);
    ((struct user *)user)->warnings++;
}

/* The choice, if the file has one for it, is told of its variant alone, and taken where that does the problem. */
static void check_choice(const mxg_library *library, const struct file *file, const mxg_problem *problem,
                         uint32_t cu_count)
{
    const struct line *line = find_line(file, problem, cu_count);
    mxg_device device = MXG_DEVICE_MI355X;
    uint32_t chosen = UINT32_MAX;
    device.cu_count = cu_count;
    const mxg_status status = mxg_library_select(library, problem, &device, &chosen);
    if (status) check_refusal(status, MXG_ERROR_NO_VARIANT, MXG_ERROR_ARGUMENT);
    if (status == MXG_ERROR_ARGUMENT) return;
    for (uint32_t i = 0; i < mxg_library_variant_count(library); i++) {
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        mxg_variant_info info = {.struct_bytes = sizeof info};
        FUZZ_REQUIRE(mxg_library_variant(library, i, &info) == MXG_OK);
        FUZZ_REQUIRE(mxg_library_explain(library, problem, &device, i, &candidate) == MXG_OK);
        const bool named = line && strcmp(line->variant, info.name) == 0;
        FUZZ_REQUIRE(candidate.preferred == (named && candidate.accepted));
        if (candidate.preferred) FUZZ_REQUIRE(chosen == i);
        FUZZ_REQUIRE(candidate.choice_line == (named ? line->number : 0));
        FUZZ_REQUIRE(!named == !candidate.choice_path && !named == !candidate.choice_source);
        if (!named) continue;
        FUZZ_REQUIRE(strcmp(candidate.choice_path, file_name) == 0);
        FUZZ_REQUIRE(strcmp(candidate.choice_source, line->source) == 0);
        FUZZ_REQUIRE(candidate.choice_us - line->us < 1e-6 && line->us - candidate.choice_us < 1e-6);
    }
}

static void check_accepted(const mxg_library *library, const struct file *file, uint32_t warnings, uint64_t random)
{
    uint32_t unknown = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct line *line = &file->lines[i];
        const char *name = line->variant;
        const bool known = strlen(name) == 2 && name[0] == 'v' && name[1] >= '0' && name[1] <= '3';
        if (!known && strcmp(line->processor, "gfx950") == 0) unknown++;
    }
    FUZZ_REQUIRE(warnings == unknown);
    for (size_t tried = 0; tried < file->count && tried < MOST_TRIED; tried++) {
        const size_t all = file->count <= MOST_TRIED;
        const struct line *line = &file->lines[all ? tried : random_below(&random, file->count)];
        mxg_problem problem = line->problem;
        check_choice(library, file, &problem, line->cu_count);
        check_choice(library, file, &problem, line->cu_count + 1);
        problem.m++;
        check_choice(library, file, &problem, line->cu_count);
        problem.m--, problem.split = 1;
        check_choice(library, file, &problem, line->cu_count);
    }
    for (int i = 0; i < 4; i++) {
        const mxg_problem problem = some_problem(&random);
        select_and_explain(library, &problem, 1 + (uint32_t)random_below(&random, 512));
    }
}

/* v0 to v3, which do different problems. */
static mxg_library *open_library(struct user *user)
{
    static struct test_pack pack;
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    mxg_library *library = NULL;
    if (!pack.data) {
        pack = make_pack(4);
        pack_set(&pack, 1, RECORD_A_FORMAT, MXG_FORMAT_MXFP4);
        pack_set(&pack, 2, RECORD_C_FORMAT, MXG_FORMAT_F16);
        pack_set(&pack, 3, RECORD_HIGHEST_STRIDE, 32768);
    }
    options.data = pack.data, options.bytes = pack.bytes;
    options.allocate = allocate, options.release = release, options.log = hear, options.user = user;
    FUZZ_REQUIRE(mxg_library_open(&options, &library) == MXG_OK);
    return library;
}

/* With `fails` the allocation of that number has no memory, counted from where the file is read. Returns how many there
 * are. */
static uint64_t parse_and_use(const char *text, size_t bytes, uint64_t fails, uint64_t random)
{
    struct user user = {{0, 0, 0}, 0};
    mxg_library *library = open_library(&user);
    const uint64_t before = user.memory.made;
    user.memory.fails = fails ? before + fails : 0;
    const mxg_status status = mxg_choices_parse(library, text, bytes, file_name);
    const uint64_t made = user.memory.made - before;
    if (status == MXG_OK) {
        struct file file = read_accepted(text, bytes);
        FUZZ_REQUIRE(library->choices && library->choices->count == file.count);
        check_accepted(library, &file, user.warnings, random);
        free(file.lines);
        if (!fails) fuzz_accepted++;
    } else {
        uint32_t lines = 1;
        for (size_t i = 0; i < bytes; i++) lines += text[i] == '\n';
        FUZZ_REQUIRE(!library->choices && user.warnings == 0);
        check_refusal(status, MXG_ERROR_CHOICES, fails ? MXG_ERROR_OUT_OF_MEMORY : MXG_ERROR_CHOICES);
        if (status == MXG_ERROR_CHOICES) check_place(mxg_last_error(), lines);
        const mxg_problem problem = some_problem(&random);
        select_and_explain(library, &problem, 256);
    }
    mxg_library_close(library);
    FUZZ_REQUIRE(user.memory.made == user.memory.freed);
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *text = (const char *)data;
    uint64_t random = hash_input(data, bytes);
    const uint64_t made = parse_and_use(text, bytes, 0, random);
    (void)parse_and_use(text, bytes, 1 + random_below(&random, made), random);
    return 0;
}
