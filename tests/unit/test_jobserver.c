/* gen/jobserver.h against pipes as make makes them, and MAKEFLAGS as anybody may. */
#define _GNU_SOURCE
#include "gen/jobserver.h"
#include "tests/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many bytes wait in the pipe. */
static size_t waiting(int read_end)
{
    char bytes[64];
    int alone; /* so that the pipe itself goes on blocking */
    (void)snprintf(bytes, sizeof bytes, "/proc/self/fd/%d", read_end);
    alone = open(bytes, O_RDONLY | O_NONBLOCK);
    ssize_t got = read(alone, bytes, sizeof bytes);
    close(alone);
    return got > 0 ? (size_t)got : 0;
}

static void make_pipe(int ends[2], const char *tokens, char *flags, const char *option)
{
    if (pipe(ends) != 0 || write(ends[1], tokens, strlen(tokens)) != (ssize_t)strlen(tokens)) abort();
    (void)snprintf(flags, 256, "kw -j4 --jobserver-auth=98,99 %s%d,%d -- V=1", option, ends[0], ends[1]);
}

static void tokens_of_a_pipe(void)
{
    static const char *const options[] = {"--jobserver-auth=", "--jobserver-fds="};
    for (size_t i = 0; i < 2; i++) {
        struct gen_jobserver jobserver;
        char flags[256];
        int ends[2];
        make_pipe(ends, "abc", flags, options[i]);
        if (i == 1) memset(strstr(flags, "--jobserver-auth"), 'k', strlen("--jobserver-auth=98,99"));
        REQUIRE(gen_jobserver_open(&jobserver, flags));
        CHECK_EQ(gen_jobserver_take(&jobserver), 1);
        CHECK_EQ(gen_jobserver_take(&jobserver), 1);
        CHECK_EQ(gen_jobserver_take(&jobserver), 1);
        CHECK_EQ(gen_jobserver_take(&jobserver), 0); /* and does not wait */
        CHECK_EQ(jobserver.held, 3);
        CHECK_EQ(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0); /* what make and its children share is as it was */
        gen_jobserver_give(&jobserver, 2);
        gen_jobserver_give(&jobserver, 2);
        CHECK_EQ(waiting(ends[0]), 1);
        gen_jobserver_close(&jobserver);
        char back[8] = "";
        CHECK_EQ(read(ends[0], back, sizeof back), 2);
        CHECK_STR(back, "ba"); /* the bytes themselves, not others */
        close(ends[0]), close(ends[1]);
    }
}

static void tokens_of_a_fifo(void)
{
    struct gen_jobserver jobserver;
    char directory[] = "/tmp/mxgemm-test.XXXXXX", path[64], flags[128];
    if (!mkdtemp(directory)) abort();
    (void)snprintf(path, sizeof path, "%s/GMfifo1", directory);
    if (mkfifo(path, 0600) != 0) abort();
    int make = open(path, O_RDWR);
    if (make < 0 || write(make, "++", 2) != 2) abort();
    (void)snprintf(flags, sizeof flags, " -j3 --jobserver-auth=fifo:%s", path);
    if (CHECK(gen_jobserver_open(&jobserver, flags))) {
        CHECK_EQ(gen_jobserver_take(&jobserver) + gen_jobserver_take(&jobserver), 2);
        CHECK_EQ(gen_jobserver_take(&jobserver), 0);
        gen_jobserver_close(&jobserver);
        CHECK_EQ(waiting(make), 2);
    }
    close(make);
    unlink(path), rmdir(directory);
}

static void a_jobserver_that_ends(void)
{
    struct gen_jobserver jobserver;
    char flags[256];
    int ends[2];
    make_pipe(ends, "", flags, "--jobserver-auth=");
    REQUIRE(gen_jobserver_open(&jobserver, flags));
    CHECK_EQ(gen_jobserver_take(&jobserver), 0);
    close(jobserver.write_end), close(ends[1]); /* the last ends to write at, as when make is killed */
    jobserver.write_end = -1;
    CHECK_EQ(gen_jobserver_take(&jobserver), 0);
    CHECK_EQ(jobserver.read_end, -1); /* nobody polls for it any longer */
    close(ends[0]);
}

static void what_is_none(void)
{
    int ends[2], others[2], file = open("/dev/null", O_RDWR);
    char flags[32][128], fifo_like[] = "/tmp/mxgemm-test.XXXXXX";
    int plain = mkstemp(fifo_like);
    size_t count = 0;
    if (pipe(ends) != 0 || pipe(others) != 0 || file < 0 || plain < 0) abort();
#define FLAGS(...) (void)snprintf(flags[count++], sizeof flags[0], __VA_ARGS__)
    FLAGS("%s", "");
    FLAGS("n");
    FLAGS("-j");
    FLAGS("--jobserver-auth=");
    FLAGS("--jobserver-auth=-2,-2");
    FLAGS("--jobserver-auth=%d", ends[0]);
    FLAGS("--jobserver-auth=%d,", ends[0]);
    FLAGS("--jobserver-auth=,%d", ends[1]);
    FLAGS("--jobserver-auth=%d,%d,", ends[0], ends[1]);
    FLAGS("--jobserver-auth=%dx,%d", ends[0], ends[1]);
    FLAGS("--jobserver-auth=+%d,%d", ends[0], ends[1]);
    FLAGS("--jobserver-auth=%d,%d", ends[1], ends[0]); /* each the wrong way */
    FLAGS("--jobserver-auth=%d,%d", ends[0], others[1]);
    FLAGS("--jobserver-auth=%d,%d", file, file);
    FLAGS("--jobserver-auth=97,98"); /* closed, as for recipes without a + */
    FLAGS("--jobserver-auth=4294967299,4294967300");
    FLAGS("--jobserver-auth=99999999999999999999,99999999999999999999");
    FLAGS("--jobserver-auth=fifo:");
    FLAGS("--jobserver-auth=fifo:/nowhere/at all");
    FLAGS("--jobserver-auth=fifo:/tmp");
    FLAGS("--jobserver-auth=fifo:%s", fifo_like);
    FLAGS("x--jobserver-auth=%d,%d", ends[0], ends[1]);
    FLAGS("-- X=1 --jobserver-auth=%d,%d", ends[0], ends[1]); /* what follows -- is variables */
#undef FLAGS
    for (size_t i = 0; i < count; i++) {
        struct gen_jobserver jobserver;
        if (!CHECK(!gen_jobserver_open(&jobserver, flags[i]))) printf("# by \"%s\"\n", flags[i]);
        CHECK_EQ(gen_jobserver_take(&jobserver), 0);
        gen_jobserver_close(&jobserver);
    }
    struct gen_jobserver jobserver;
    CHECK(!gen_jobserver_open(&jobserver, NULL));
    unlink(fifo_like);
    close(ends[0]), close(ends[1]), close(others[0]), close(others[1]), close(file), close(plain);
}

int main(void)
{
    TEST(tokens_of_a_pipe);
    TEST(tokens_of_a_fifo);
    TEST(a_jobserver_that_ends);
    TEST(what_is_none);
    return test_end();
}
