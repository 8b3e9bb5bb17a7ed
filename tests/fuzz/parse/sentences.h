/* What mxgen says of an input, for the targets of its readers. */
#ifndef TESTS_FUZZ_PARSE_SENTENCES_H
#define TESTS_FUZZ_PARSE_SENTENCES_H

#include "gen/text.h"
#include "tests/fuzz/parse/fuzz.h"

#include <string.h>

static struct gen_text said;

/* The length of a line of the input, with its end; 0 of none. */
static inline size_t line_bytes(const uint8_t *data, size_t bytes, unsigned long number)
{
    const uint8_t *at = data, *const end = data + bytes;
    for (; at < end; number--) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = stop ? (size_t)(stop + 1 - at) : (size_t)(end - at);
        if (number == 1) return length;
        at += length;
    }
    return 0;
}

/* "PROGRAM: PATH:LINE:COLUMN: sentence", of a place in the input. */
static inline void check_place(const char *line, const char *path, const uint8_t *data, size_t bytes)
{
    char *end;
    const char *place = strstr(line, path);
    FUZZ_REQUIRE(place);
    place += strlen(path);
    FUZZ_REQUIRE(*place == ':');
    const unsigned long number = strtoul(place + 1, &end, 10);
    FUZZ_REQUIRE(*end == ':' && number > 0);
    const unsigned long column = strtoul(end + 1, &end, 10);
    FUZZ_REQUIRE(end[0] == ':' && end[1] == ' ' && end[2] > ' ' && column > 0);
    FUZZ_REQUIRE(column <= line_bytes(data, bytes, number));
}

/* Whether the line is what ends a list of too many mistakes. */
static inline int ends_long_list(const char *line, const char *path)
{
    const char *count = strstr(line, path);
    size_t hidden, all;
    int length = 0;
    if (!count || sscanf(count + strlen(path), ": %zu of %zu mistakes are not shown%n", &hidden, &all, &length) != 2)
        return 0;
    return length > 0 && !count[strlen(path) + (size_t)length] && hidden > 0 && hidden < all;
}

/* Lines of printable ASCII, at least one, each with a place but for one that has `without`, if that is not NULL, and
 * for the end of a long list. */
static inline void check_said(const char *path, const char *without, const uint8_t *data, size_t bytes)
{
    FUZZ_REQUIRE(said.bytes > 0 && said.data[said.bytes - 1] == '\n' && strlen(said.data) == said.bytes);
    for (char *line = said.data, *next; *line; line = next) {
        next = strchr(line, '\n');
        *next++ = 0;
        for (const char *at = line; *at; at++) FUZZ_REQUIRE((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7f);
        if (without && strstr(line, without)) continue;
        if (*next || !ends_long_list(line, path)) check_place(line, path, data, bytes);
    }
}

#endif
