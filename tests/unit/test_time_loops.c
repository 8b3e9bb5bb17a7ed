/* Finding the loop of a wave's path that a play shortens. */
#include "tests/emu/time/trace.h"
#include "tests/random.h"
#include "tests/test.h"

struct path_of {
    uint32_t place[100000];
    size_t count;
};

static void add(struct path_of *p, uint32_t from, uint32_t to)
{
    for (uint32_t place = from; place <= to; place++) p->place[p->count++] = place;
}

/* The iterations must be equal and side by side. */
static void check_loop(const struct path_of *p, const struct loop *loop)
{
    REQUIRE(loop->begin + loop->length * (size_t)loop->iterations <= p->count);
    for (size_t n = loop->length; n < loop->length * loop->iterations; n++)
        if (p->place[loop->begin + n] != p->place[loop->begin + n - loop->length]) {
            test_fail(__FILE__, __LINE__, "place %zu of the loop is not repeated", n);
            return;
        }
}

static struct loop find(const struct path_of *p)
{
    struct loop loop = {1, 1, 1};
    CHECK_EQ(find_loop(p->place, p->count, 1, &loop), 0);
    if (loop.iterations) check_loop(p, &loop);
    return loop;
}

/* One iteration more or less is a matter of where it begins. */
static void check_iterations(const struct loop *loop, size_t length, uint64_t iterations)
{
    CHECK_EQ(loop->length, length);
    if (loop->iterations + 2 < iterations || loop->iterations > iterations)
        test_fail(__FILE__, __LINE__, "%" PRIu64 " iterations, not %" PRIu64, loop->iterations, iterations);
}

static struct path_of path;

static void no_loop(void)
{
    path.count = 0;
    CHECK_EQ(find(&path).iterations, 0);
    add(&path, 5, 5);
    CHECK_EQ(find(&path).iterations, 0);
    add(&path, 6, 500);
    add(&path, 700, 900);
    CHECK_EQ(find(&path).iterations, 0);
    add(&path, 100, 200); /* back, but once */
    CHECK_EQ(find(&path).iterations, 0);
}

static void simple_loop(void)
{
    path.count = 0;
    add(&path, 0, 9);
    for (unsigned n = 0; n < 50; n++) add(&path, 10, 19);
    add(&path, 20, 30);
    struct loop loop = find(&path);
    check_iterations(&loop, 10, 50);
}

/* A wave that waits at one instruction. */
static void loop_of_one(void)
{
    path.count = 0;
    add(&path, 0, 3);
    for (unsigned n = 0; n < 40; n++) add(&path, 4, 4);
    add(&path, 5, 5);
    struct loop loop = find(&path);
    check_iterations(&loop, 1, 40);
}

static void nested_loops(void)
{
    path.count = 0;
    add(&path, 0, 3);
    for (unsigned outer = 0; outer < 30; outer++) {
        add(&path, 4, 6);
        for (unsigned n = 0; n < 8; n++) add(&path, 7, 9);
        add(&path, 10, 12);
    }
    add(&path, 13, 13);
    struct loop loop = find(&path);
    check_iterations(&loop, 3 + 24 + 3, 30);
}

static void longer_of_two(void)
{
    path.count = 0;
    for (unsigned n = 0; n < 100; n++) add(&path, 0, 4);
    for (unsigned n = 0; n < 90; n++) add(&path, 10, 19);
    for (unsigned n = 0; n < 100; n++) add(&path, 30, 33);
    struct loop loop = find(&path);
    check_iterations(&loop, 10, 90);
    CHECK(path.place[loop.begin] >= 10 && path.place[loop.begin] <= 19);
}

/* Every other iteration goes another way, of the same length: two of them are the one that repeats, or none is. */
static void alternating(void)
{
    path.count = 0;
    for (unsigned n = 0; n < 40; n++) {
        add(&path, 0, 4);
        add(&path, n % 2 ? 10 : 20, n % 2 ? 14 : 24);
        add(&path, 30, 33);
    }
    struct loop loop = find(&path);
    if (loop.iterations) check_iterations(&loop, 28, 20);
}

/* A loop that is left early in one iteration: a run on one side of it. */
static void interrupted(void)
{
    path.count = 0;
    for (unsigned n = 0; n < 100; n++) {
        add(&path, 0, 5);
        if (n == 30) add(&path, 50, 60);
        add(&path, 6, 9);
    }
    struct loop loop = find(&path);
    check_iterations(&loop, 10, 69);
}

static void random_paths(void)
{
    uint64_t random = 3;
    for (unsigned round = 0; round < 300; round++) {
        path.count = 0;
        uint32_t at = 0;
        while (path.count < 400) {
            path.place[path.count++] = at;
            at = random_below(&random, 4) ? at + 1 : (uint32_t)random_below(&random, 6);
        }
        const struct loop loop = find(&path);
        CHECK(loop.iterations != 1);
    }
}

int main(void)
{
    TEST(no_loop);
    TEST(simple_loop);
    TEST(loop_of_one);
    TEST(nested_loops);
    TEST(longer_of_two);
    TEST(alternating);
    TEST(interrupted);
    TEST(random_paths);
    return test_end();
}
