/* Fuzzing what reads input from outside. A target is one file, fuzz_NAME.c, of functions with libFuzzer's names, so
 * that it links with libFuzzer or, where the compiler has none, with driver.c. Its corpus is in tests/fuzz/corpus/NAME,
 * its dictionary, where words help, tests/fuzz/dictionary/NAME.dict. */
#ifndef TESTS_FUZZ_PARSE_FUZZ_H
#define TESTS_FUZZ_PARSE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Of every target: one input, which must be refused with a sentence or be safe to use. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Of every target: how many inputs were not refused. A corpus of which all or none are has gone stale. */
extern uint64_t fuzz_accepted;

/* A target may have it: changes an input of `bytes` in memory of `room`, so that it gets past what few random changes
 * do, such as a checksum. Returns how many bytes there are now. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);

/* The drivers have it, for custom mutators: a random change that knows nothing of the format. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room);

/* What holds for every input. */
#define FUZZ_REQUIRE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (void)fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
