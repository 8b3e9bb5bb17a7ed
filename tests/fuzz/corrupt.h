/* Corrupting code objects: where their fields are, and kinds of damage. All of it follows from the numbers that
 * random_next gives. */
#ifndef TESTS_FUZZ_CORRUPT_H
#define TESTS_FUZZ_CORRUPT_H

#include "tests/random.h"

#include <stddef.h>
#include <stdint.h>

/* Groups of fields. */
enum place_group {
    PLACE_ELF,     /* the file header */
    PLACE_PROGRAM, /* program headers */
    PLACE_SECTION, /* section headers */
    PLACE_SYMBOL,  /* .dynsym, the hash tables and the dynamic segment */
    PLACE_NOTE,    /* heads of notes, and the numbers of the metadata */
    PLACE_HEAD,    /* tag bytes of the metadata, which is MessagePack */
    PLACE_DESCRIPTOR,
    PLACE_GROUPS
};

struct place {
    uint32_t at, bytes;
};

enum { MOST_PLACES = 4096, MOST_DESCRIPTORS = 16, MOST_PARTS = 8 };

/* A stretch of the file, and the fields of 64 bits that say where it is and how long. */
struct part {
    struct place what;
    uint32_t offset_at, bytes_at;
};

/* Where things lie in an object that is well-formed. */
struct places {
    struct place place[PLACE_GROUPS][MOST_PLACES];
    size_t count[PLACE_GROUPS];
    struct place text, descriptor[MOST_DESCRIPTORS];
    uint32_t begin; /* in the text, where waves of the first descriptor's kernel begin */
    size_t descriptors;
    struct part part[MOST_PARTS]; /* the notes, the code, .dynsym and its strings */
    size_t parts;
};

/* Returns 0, or -1 where the object lacks what is to be corrupted. */
int places_find(struct places *places, const unsigned char *object, size_t bytes);

/* What is corrupted: data has CORRUPT_ROOM bytes more than the object. */
enum { CORRUPT_ROOM = 32768 };
struct image {
    unsigned char *data;
    size_t bytes;
};

/* Corrupts the image, a copy of the object that places is of, in a kind chosen at random, which is returned. */
unsigned corrupt(const struct places *places, struct image *image, uint64_t *random);

enum { MOST_KINDS = 24 };
const char *corrupt_kind_name(unsigned kind); /* NULL: there is none */

#endif
