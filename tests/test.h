/* Unit tests: one program a file, one line of TAP a test function, "N passed, N failed" at the end.
 *
 *     static void adds(void) { CHECK_EQ(1 + 1, 2); }
 *     int main(void) { TEST(adds); return test_end(); }
 *
 * A check that fails says where and what, and the test function goes on; REQUIRE leaves it. Checks are for the main
 * thread, and work with NDEBUG too. */
#ifndef MXG_TESTS_TEST_H
#define MXG_TESTS_TEST_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
    int passed, failed, skipped;
    int checks_failed; /* of the function that runs */
    const char *skip;  /* why it does not, or NULL */
} test_state;

#define TEST(function) test_run(#function, function)

static inline void test_run(const char *name, void (*function)(void))
{
    test_state.checks_failed = 0;
    test_state.skip = NULL;
    function();
    int number = test_state.passed + test_state.failed + test_state.skipped + 1;
    bool failed = test_state.checks_failed > 0, skipped = !failed && test_state.skip;
    *(failed ? &test_state.failed : skipped ? &test_state.skipped : &test_state.passed) += 1;
    printf("%sok %d - %s%s%s\n", failed ? "not " : "", number, name, skipped ? " # skip " : "",
           skipped ? test_state.skip : "");
    fflush(stdout);
}

/* What main returns. */
static inline int test_end(void)
{
    int all = test_state.passed + test_state.failed + test_state.skipped;
    printf("1..%d\n", all);
    if (test_state.skipped) printf("%d skipped\n", test_state.skipped);
    printf("%d passed, %d failed\n", test_state.passed, test_state.failed);
    return test_state.failed || all == 0;
}

/* In a test function: it needs something that is absent here. */
#define SKIP(why)                                                                                                      \
    do {                                                                                                               \
        test_state.skip = (why);                                                                                       \
        return;                                                                                                        \
    } while (0)

#define CHECK(condition) test_true(__FILE__, __LINE__, #condition, (condition))

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!CHECK(condition)) return;                                                                                 \
    } while (0)

/* Integers of up to 64 bits; strings, of which either may be NULL; a string that has a part; memory; numbers within a
 * bound, where a NaN is near nothing. */
#define CHECK_EQ(got, expected) test_eq(__FILE__, __LINE__, #got, (int64_t)(got), (int64_t)(expected))
#define CHECK_STR(got, expected) test_str(__FILE__, __LINE__, #got, (got), (expected))
#define CHECK_HAS(text, part) test_has(__FILE__, __LINE__, (text), (part))
#define CHECK_MEM(got, expected, bytes) test_mem(__FILE__, __LINE__, #got, (got), (expected), (bytes))
#define CHECK_NEAR(got, expected, bound) test_near(__FILE__, __LINE__, #got, (got), (expected), (bound))

__attribute__((format(printf, 3, 4))) static inline bool test_fail(const char *file, int line, const char *format, ...)
{
    va_list values;
    test_state.checks_failed++;
    printf("# %s:%d: ", file, line);
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
    return false;
}

static inline bool test_true(const char *file, int line, const char *what, bool holds)
{
    return holds || test_fail(file, line, "%s is false", what);
}

static inline bool test_eq(const char *file, int line, const char *what, int64_t got, int64_t expected)
{
    return got == expected || test_fail(file, line, "%s is %" PRId64 ", not %" PRId64, what, got, expected);
}

static inline bool test_near(const char *file, int line, const char *what, double got, double expected, double bound)
{
    return fabs(got - expected) <= bound || test_fail(file, line, "%s is %.9g, not %.9g", what, got, expected);
}

static inline bool test_str(const char *file, int line, const char *what, const char *got, const char *expected)
{
    return got == expected || (got && expected && strcmp(got, expected) == 0) ||
           test_fail(file, line, "%s is \"%s\", not \"%s\"", what, got ? got : "NULL", expected ? expected : "NULL");
}

static inline bool test_has(const char *file, int line, const char *text, const char *part)
{
    return (text && strstr(text, part)) ||
           test_fail(file, line, "\"%s\" does not have \"%s\"", text ? text : "NULL", part);
}

static inline bool test_mem(const char *file, int line, const char *what, const void *got, const void *expected,
                            size_t n)
{
    const unsigned char *a = got, *b = expected;
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i == n || test_fail(file, line, "%s: byte %zu of %zu is 0x%02x, not 0x%02x", what, i, n, a[i], b[i]);
}

#endif
