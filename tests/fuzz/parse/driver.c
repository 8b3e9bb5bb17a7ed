/* Runs a target without libFuzzer, with a command line of the same form:
 *
 *     PROGRAM FILE_OR_DIRECTORY...                 every file once, a test each; also what repeats a failure
 *     PROGRAM -max_total_time=SECONDS [-seed=N] [-max_len=BYTES] [-dict=FILE] [-artifact_prefix=PATH] DIRECTORY...
 *
 * The second changes files of the corpus at random, in a child process, blind to what the changes reach in the code.
 * The input that ends the child is written to PATHcrash-NUMBER. */
#define _DEFAULT_SOURCE /* mmap flags */
#include "tests/fuzz/parse/fuzz.h"
#include "tests/fuzz/parse/mutate.h"
#include "tests/random.h"
#include "tests/test.h"

#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_INPUTS = 4096, MOST_BYTES = 1 << 20, INPUT_SECONDS = 20, PROGRESS_SECONDS = 10, MOST_ROUNDS = 2 };

#pragma weak LLVMFuzzerCustomMutator

static struct input {
    char *path;
    uint8_t *data;
    size_t bytes;
} corpus[MOST_INPUTS];
static size_t corpus_count;

static uint64_t seconds, seed = 1, max_len = 12288;
static const char *artifact_prefix = "", *dictionary;

/* What the child works on, shared with its parent. */
struct work {
    uint64_t inputs, accepted;
    size_t bytes; /* of the input that runs */
    uint8_t data[MOST_BYTES];
};

/* ---- Corpus -------------------------------------------------------------------------------------------------------*/

/* With a NUL behind it. */
static uint8_t *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MOST_BYTES + 1);
    if (!file || !data) {
        (void)fprintf(stderr, "%s cannot be read: %s\n", path, strerror(errno));
        exit(2);
    }
    *bytes = fread(data, 1, MOST_BYTES, file);
    const bool whole = !ferror(file) && fgetc(file) == EOF;
    if (fclose(file) || !whole) {
        (void)fprintf(stderr, "%s has more than %d bytes, or cannot be read\n", path, MOST_BYTES);
        exit(2);
    }
    data[*bytes] = 0;
    return data;
}

static void add_file(const char *path)
{
    if (corpus_count == MOST_INPUTS) {
        (void)fprintf(stderr, "%s is one input more than %d\n", path, MOST_INPUTS);
        exit(2);
    }
    struct input *input = &corpus[corpus_count++];
    input->path = strdup(path);
    input->data = read_file(path, &input->bytes);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* A directory's files by name, so that a seed means the same everywhere. */
static void add_path(const char *path)
{
    struct stat about;
    struct dirent **entries;
    if (stat(path, &about) || !S_ISDIR(about.st_mode)) {
        add_file(path);
        return;
    }
    const int count = scandir(path, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        add_file(name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

/* In memory of its own that ends where the input does, for the address sanitizer. */
static void run(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = malloc(bytes ? bytes : 1);
    if (!copy) abort();
    memcpy(copy, data, bytes);
    (void)alarm(INPUT_SECONDS);
    (void)LLVMFuzzerTestOneInput(copy, bytes);
    (void)alarm(0);
    free(copy);
}

static void replays(void)
{
    static size_t next;
    run(corpus[next].data, corpus[next].bytes);
    next++;
}

/* Else the corpus is of no use any more. */
static void some_are_accepted_and_some_refused(void)
{
    CHECK(fuzz_accepted > 0);
    CHECK(fuzz_accepted < corpus_count);
}

static int replay(void)
{
    for (size_t i = 0; i < corpus_count; i++) {
        printf("# %s\n", corpus[i].path);
        fflush(stdout); /* known if it is the last */
        test_run(corpus[i].path, replays);
    }
    if (corpus_count > 1) TEST(some_are_accepted_and_some_refused);
    return test_end();
}

static void make_input(struct work *work, uint64_t *random)
{
    const struct input *from = &corpus[random_below(random, corpus_count)];
    const size_t room = (size_t)max_len;
    mutate_seed(random_next(random));
    work->bytes = from->bytes < room ? from->bytes : room;
    memcpy(work->data, from->data, work->bytes);
    if (random_below(random, 8) == 0) {
        const struct input *other = &corpus[random_below(random, corpus_count)];
        work->bytes = mutate_splice(work->data, work->bytes, room, other->data, other->bytes);
    }
    for (uint64_t rounds = 1 + random_below(random, MOST_ROUNDS); rounds > 0; rounds--)
        work->bytes = LLVMFuzzerCustomMutator
                          ? LLVMFuzzerCustomMutator(work->data, work->bytes, room, (unsigned)random_next(random))
                          : LLVMFuzzerMutate(work->data, work->bytes, room);
}

static void run_until(struct work *work, time_t end)
{
    uint64_t random = seed;
    time_t said = time(NULL);
    for (time_t now = said; now < end; now = time(NULL)) {
        make_input(work, &random);
        run(work->data, work->bytes);
        work->inputs++;
        work->accepted = fuzz_accepted;
        if (now - said < PROGRESS_SECONDS) continue;
        printf("# %" PRIu64 " inputs, %" PRIu64 " accepted\n", work->inputs, work->accepted);
        fflush(stdout);
        said = now;
    }
}

static void keep_input(const char *program, const struct work *work)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%scrash-%" PRIu64 "-%" PRIu64, artifact_prefix, seed, work->inputs);
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(work->data, 1, work->bytes, file) == work->bytes;
    if ((file && fclose(file)) || !written)
        printf("# the input cannot be written to %s: %s\n", path, strerror(errno));
    else
        printf("# again: %s %s\n", program, path);
}

static int child_status;

static void every_input_returns(void)
{
    CHECK(WIFEXITED(child_status) && WEXITSTATUS(child_status) == 0);
}

static int fuzz(const char *program)
{
    struct work *work = mmap(NULL, sizeof *work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work == MAP_FAILED) abort();
    printf("# seed %" PRIu64 ", %" PRIu64 " seconds, %zu inputs to begin with\n", seed, seconds, corpus_count);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        run_until(work, time(NULL) + (time_t)seconds);
        exit(0); /* where a sanitizer looks for leaks */
    }
    if (child < 0 || waitpid(child, &child_status, 0) != child) abort();
    printf("# %" PRIu64 " inputs, %" PRIu64 " accepted\n", work->inputs, work->accepted);
    TEST(every_input_returns);
    if (WIFSIGNALED(child_status))
        printf("# input %" PRIu64 " %s signal %d\n", work->inputs,
               WTERMSIG(child_status) == SIGALRM ? "took longer than its time:" : "ended the process:",
               WTERMSIG(child_status));
    if (test_state.failed) keep_input(program, work);
    return test_end();
}

/* ---- Command line -------------------------------------------------------------------------------------------------*/

static bool number(const char *text, const char *name, uint64_t lowest, uint64_t highest, uint64_t *value)
{
    const size_t length = strlen(name);
    char *end;
    if (strncmp(text, name, length) != 0) return false;
    *value = strtoull(text + length, &end, 10);
    return end != text + length && *end == 0 && *value >= lowest && *value <= highest;
}

static bool word(const char *text, const char *name, const char **value)
{
    const size_t length = strlen(name);
    if (strncmp(text, name, length) != 0) return false;
    *value = text + length;
    return true;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            add_path(argv[i]);
        } else if (!number(argv[i], "-max_total_time=", 1, 1000000, &seconds) &&
                   !number(argv[i], "-seed=", 0, UINT64_MAX, &seed) &&
                   !number(argv[i], "-max_len=", 1, MOST_BYTES, &max_len) && !word(argv[i], "-dict=", &dictionary) &&
                   !word(argv[i], "-artifact_prefix=", &artifact_prefix)) {
            (void)fprintf(stderr, "not understood: %s\n", argv[i]);
            return 2;
        }
    }
    if (corpus_count == 0) {
        (void)fprintf(stderr, "%s: no file to begin with\n", argv[0]);
        return 2;
    }
    if (dictionary) {
        size_t bytes;
        char *text = (char *)read_file(dictionary, &bytes);
        const int wrong = mutate_add_words(text);
        free(text);
        if (wrong) {
            (void)fprintf(stderr, "%s: line %d is not understood\n", dictionary, wrong);
            return 2;
        }
    }
    const int status = seconds ? fuzz(argv[0]) : replay();
    for (size_t i = 0; i < corpus_count; i++) free(corpus[i].path), free(corpus[i].data);
    return status;
}
