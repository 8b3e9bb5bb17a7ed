/* Random changes of inputs, for the driver. */
#ifndef TESTS_FUZZ_PARSE_MUTATE_H
#define TESTS_FUZZ_PARSE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

void mutate_seed(uint64_t seed);

/* The words of a dictionary as libFuzzer reads it: a line is empty, a # comment, or "word" with \xHH, \\ and \" in it,
 * after a name and = if that is liked. Returns 0, or the number of the line that is none of these. */
int mutate_add_words(const char *dictionary);

/* Bytes of `from` over bytes of `data`, or between them. Returns how many bytes there are now, at most `room`. */
size_t mutate_splice(uint8_t *data, size_t bytes, size_t room, const uint8_t *from, size_t from_bytes);

#endif
