#include "tests/fuzz/parse/mutate.h"
#include "tests/fuzz/parse/fuzz.h"
#include "tests/random.h"

#include <ctype.h>
#include <string.h>

enum { MOST_WORDS = 256, WORD_BYTES = 64, LONGEST_STRETCH = 256, MOST_CHANGES = 3 };

static uint64_t state;
static struct {
    uint8_t text[WORD_BYTES];
    size_t bytes;
} words[MOST_WORDS];
static size_t word_count;

void mutate_seed(uint64_t seed)
{
    state = seed;
}

static size_t below(size_t bound)
{
    return (size_t)random_below(&state, bound);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- Words --------------------------------------------------------------------------------------------------------*/

/* Behind the first quote. Returns what follows the closing one, or NULL. */
static const char *add_word(const char *at)
{
    uint8_t text[WORD_BYTES];
    size_t bytes = 0;
    for (; *at && *at != '\n' && *at != '"' && bytes < WORD_BYTES; at++) {
        text[bytes] = (uint8_t)*at;
        if (*at == '\\' && at[1] == 'x' && isxdigit((unsigned char)at[2]) && isxdigit((unsigned char)at[3])) {
            const char digits[] = {at[2], at[3], 0};
            text[bytes] = (uint8_t)strtoul(digits, NULL, 16);
            at += 3;
        } else if (*at == '\\') {
            if (at[1] != '\\' && at[1] != '"') return NULL;
            text[bytes] = (uint8_t) * ++at;
        }
        bytes++;
    }
    if (*at != '"' || bytes == 0 || word_count == MOST_WORDS) return NULL;
    memcpy(words[word_count].text, text, bytes);
    words[word_count++].bytes = bytes;
    return at + 1;
}

int mutate_add_words(const char *dictionary)
{
    for (int line = 1; *dictionary; line++) {
        const size_t length = strcspn(dictionary, "\n");
        const char *quote = memchr(dictionary, '"', length);
        if (length > 0 && *dictionary != '#') {
            const char *behind = quote ? add_word(quote + 1) : NULL;
            if (behind != dictionary + length) return line;
        }
        dictionary += length + (dictionary[length] == '\n');
    }
    return 0;
}

/* ---- Changes: each returns how many bytes there are now -----------------------------------------------------------*/

typedef size_t change_fn(uint8_t *data, size_t bytes, size_t room);

static size_t write_over(uint8_t *data, size_t bytes, const uint8_t *from, size_t from_bytes)
{
    if (from_bytes == 0 || from_bytes > bytes) return bytes;
    memmove(data + below(bytes - from_bytes + 1), from, from_bytes);
    return bytes;
}

/* `from` is not in the data. */
static size_t write_between(uint8_t *data, size_t bytes, size_t room, const uint8_t *from, size_t from_bytes)
{
    if (from_bytes > room - bytes) return bytes;
    const size_t at = below(bytes + 1);
    memmove(data + at + from_bytes, data + at, bytes - at);
    memcpy(data + at, from, from_bytes);
    return bytes + from_bytes;
}

static size_t flip_bit(uint8_t *data, size_t bytes, size_t room)
{
    (void)room;
    if (bytes > 0) data[below(bytes)] ^= (uint8_t)(1u << below(8));
    return bytes;
}

static size_t set_byte(uint8_t *data, size_t bytes, size_t room)
{
    (void)room;
    if (bytes > 0) data[below(bytes)] = (uint8_t)random_next(&state);
    return bytes;
}

/* A number of 1, 2, 4 or 8 bytes, often at a multiple of its size: at a limit, or near what stands there. */
static size_t change_number(uint8_t *data, size_t bytes, size_t room)
{
    static const uint64_t limits[] = {
        0,          1,         4096,       INT8_MAX,          UINT8_MAX,         INT16_MAX,
        UINT16_MAX, INT32_MAX, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 53, INT64_MAX,
        UINT64_MAX};
    const size_t size = (size_t)1 << below(4);
    (void)room;
    if (bytes < size) return bytes;
    size_t at = below(bytes - size + 1);
    if (below(4)) at -= at % size;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t)data[at + i] << 8 * i;
    if (below(2)) value = limits[below(sizeof limits / sizeof *limits)];
    value += below(33) - 16; /* modulo 2^64 */
    for (size_t i = 0; i < size; i++) data[at + i] = (uint8_t)(value >> 8 * i);
    return bytes;
}

static size_t cut_end(uint8_t *data, size_t bytes, size_t room)
{
    (void)data, (void)room;
    return below(bytes + 1);
}

static size_t erase(uint8_t *data, size_t bytes, size_t room)
{
    (void)room;
    if (bytes == 0) return 0;
    const size_t at = below(bytes), count = 1 + below(smaller(bytes - at, LONGEST_STRETCH));
    memmove(data + at, data + at + count, bytes - at - count);
    return bytes - count;
}

/* Bytes of one value. */
static size_t insert_run(uint8_t *data, size_t bytes, size_t room)
{
    uint8_t run[LONGEST_STRETCH];
    const size_t count = 1 + below(below(8) ? 8 : sizeof run);
    memset(run, (int)below(256), count);
    return write_between(data, bytes, room, run, count);
}

static size_t copy_within(uint8_t *data, size_t bytes, size_t room)
{
    uint8_t stretch[LONGEST_STRETCH];
    if (bytes == 0) return 0;
    const size_t at = below(bytes), count = 1 + below(smaller(bytes - at, sizeof stretch));
    memcpy(stretch, data + at, count);
    return below(2) ? write_over(data, bytes, stretch, count) : write_between(data, bytes, room, stretch, count);
}

static size_t put_word(uint8_t *data, size_t bytes, size_t room)
{
    if (word_count == 0) return set_byte(data, bytes, room);
    const size_t word = below(word_count);
    return below(2) ? write_over(data, bytes, words[word].text, words[word].bytes)
                    : write_between(data, bytes, room, words[word].text, words[word].bytes);
}

/* A decimal digit, in text that has numbers. */
static size_t change_digit(uint8_t *data, size_t bytes, size_t room)
{
    (void)room;
    if (bytes == 0) return 0;
    const size_t from = below(bytes);
    for (size_t i = 0; i < bytes; i++) {
        uint8_t *at = &data[(from + i) % bytes];
        if (!isdigit(*at)) continue;
        *at = (uint8_t)("0123456789-.e"[below(13)]);
        break;
    }
    return bytes;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room)
{
    static change_fn *const changes[] = {flip_bit,   set_byte,    change_number, change_number, cut_end,     erase,
                                         insert_run, copy_within, put_word,      put_word,      change_digit};
    for (size_t count = 1 + below(MOST_CHANGES); count > 0; count--)
        bytes = changes[below(sizeof changes / sizeof *changes)](data, bytes, room);
    return bytes;
}

size_t mutate_splice(uint8_t *data, size_t bytes, size_t room, const uint8_t *from, size_t from_bytes)
{
    if (from_bytes == 0) return bytes;
    const size_t at = below(from_bytes), count = 1 + below(smaller(from_bytes - at, room));
    return below(2) ? write_over(data, bytes, from + at, count) : write_between(data, bytes, room, from + at, count);
}
