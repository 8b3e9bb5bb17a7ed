#include "tests/fuzz/corrupt.h"
#include "tests/emu/emu.h"

#include <string.h>

typedef void apply_fn(const struct places *p, struct image *image, uint64_t *random, int parameter);

static uint64_t get(const struct image *image, struct place place)
{
    uint64_t value = 0;
    if (place.at + (uint64_t)place.bytes <= image->bytes) memcpy(&value, image->data + place.at, place.bytes);
    return value;
}

/* An image that was cut takes only what is still there. */
static void put(struct image *image, struct place place, uint64_t value)
{
    if (place.at + (uint64_t)place.bytes <= image->bytes) memcpy(image->data + place.at, &value, place.bytes);
}

/* ---- Anywhere -----------------------------------------------------------------------------------------------------*/

static void random_bytes(struct image *image, uint64_t *random, struct place in, uint64_t count)
{
    for (; count > 0 && in.bytes; count--) {
        struct place byte = {in.at + (uint32_t)random_below(random, in.bytes), 1};
        put(image, byte, random_next(random));
    }
}

static void random_bits(struct image *image, uint64_t *random, struct place in, uint64_t count)
{
    for (; count > 0 && in.bytes; count--) {
        struct place byte = {in.at + (uint32_t)random_below(random, in.bytes), 1};
        put(image, byte, get(image, byte) ^ UINT64_C(1) << random_below(random, 8));
    }
}

static struct place whole(const struct image *image)
{
    return (struct place){0, (uint32_t)image->bytes};
}

static void some_bytes(const struct places *p, struct image *image, uint64_t *random, int most)
{
    (void)p;
    random_bytes(image, random, whole(image), 1 + random_below(random, (uint64_t)most));
}

static void some_bits(const struct places *p, struct image *image, uint64_t *random, int most)
{
    (void)p;
    random_bits(image, random, whole(image), 1 + random_below(random, (uint64_t)most));
}

static void truncate_image(const struct places *p, struct image *image, uint64_t *random, int parameter)
{
    (void)p, (void)parameter;
    uint64_t most = random_below(random, 2) ? 64 : image->bytes; /* often only the end, which is names of symbols */
    uint64_t cut = 1 + random_below(random, most);
    image->bytes -= cut < image->bytes ? cut : image->bytes - 1;
}

/* At a multiple of 4 or anywhere. */
static size_t cut_point(const struct image *image, uint64_t *random)
{
    size_t at = random_below(random, image->bytes);
    return random_below(random, 2) ? at & ~(size_t)3 : at;
}

static void insert(const struct places *p, struct image *image, uint64_t *random, int most)
{
    (void)p;
    size_t at = cut_point(image, random), bytes = 1 + random_below(random, (uint64_t)most);
    memmove(image->data + at + bytes, image->data + at, image->bytes - at);
    image->bytes += bytes;
    for (size_t n = 0; n < bytes; n++) image->data[at + n] = (unsigned char)random_next(random);
}

static void remove_bytes(const struct places *p, struct image *image, uint64_t *random, int most)
{
    (void)p;
    size_t at = cut_point(image, random), bytes = 1 + random_below(random, (uint64_t)most);
    if (bytes >= image->bytes - at) return;
    memmove(image->data + at, image->data + at + bytes, image->bytes - at - bytes);
    image->bytes -= bytes;
}

/* Two blocks change places, one is written over the other, or one becomes all zeros or all ones. */
static void blocks(const struct places *p, struct image *image, uint64_t *random, int most)
{
    (void)p;
    size_t first = cut_point(image, random), second = cut_point(image, random);
    size_t bytes = 1 + random_below(random, (uint64_t)most), later = first > second ? first : second;
    unsigned char saved[512];
    if (bytes > image->bytes - later) bytes = image->bytes - later;
    uint64_t how = random_below(random, 4);
    memcpy(saved, image->data + first, bytes);
    if (how < 2) memmove(image->data + first, image->data + second, bytes);
    if (how == 0) memcpy(image->data + second, saved, bytes);
    if (how >= 2) memset(image->data + first, how == 2 ? 0 : 0xff, bytes);
}

/* ---- Fields -------------------------------------------------------------------------------------------------------*/

static uint64_t edge_value(const struct places *p, const struct image *image, uint64_t *random, int group, uint64_t old)
{
    const uint64_t some = random_next(random);
    const uint64_t other = get(image, p->place[group][random_below(random, p->count[group])]);
    const uint64_t bit = UINT64_C(1) << some % 64;
    const uint64_t edges[] = {
        /* of the type */
        0, 1, UINT64_MAX, INT32_MAX, INT64_MAX, bit, UINT64_C(1) << 30, UINT64_C(1) << 31, UINT64_C(1) << 32,
        UINT64_C(1) << 63, UINT64_MAX - some % 4096,
        /* near what is there */
        old + 1, old - 1, old + 8, old * 2, old << 32, old ^ bit, 0 - old,
        /* of the file */
        image->bytes, image->bytes - 1, image->bytes + 1, image->bytes - some % 64,
        /* anything */
        some, some % 256, some % 8192, other};
    return edges[random_below(random, sizeof edges / sizeof edges[0])];
}

static uint64_t big_endian(uint64_t value, uint32_t bytes)
{
    uint64_t reversed = 0;
    for (; bytes > 0; bytes--, value >>= 8) reversed = reversed << 8 | (value & 255);
    return reversed;
}

static void edges(const struct places *p, struct image *image, uint64_t *random, int group)
{
    for (uint64_t count = 1 + random_below(random, 2); count > 0; count--) {
        struct place place = p->place[group][random_below(random, p->count[group])];
        uint64_t value = edge_value(p, image, random, group, get(image, place));
        if (group == PLACE_NOTE && random_below(random, 2)) value = big_endian(value, place.bytes);
        put(image, place, value);
    }
}

/* Of MessagePack: each that has a number or a length behind it, and others. */
static const unsigned char tags[] = {0x00, 0x01, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc4,
                                     0xc6, 0xc7, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd3, 0xd4, 0xd8,
                                     0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xff};

/* Another tag in the place of one, half of the time with a large number behind it. */
static void heads(const struct places *p, struct image *image, uint64_t *random, int group)
{
    for (uint64_t count = 1 + random_below(random, 2); count > 0; count--) {
        struct place place = p->place[group][random_below(random, p->count[group])];
        uint64_t old = get(image, place), tag = tags[random_below(random, sizeof tags)];
        put(image, place, random_below(random, 3) ? tag : old + 1 - 2 * random_below(random, 2));
        struct place behind = {place.at + 1, 1 + (uint32_t)random_below(random, 8)};
        if (random_below(random, 2)) put(image, behind, UINT64_MAX >> random_below(random, 64));
    }
}

/* A part moves to the very end, where the fence begins, or a little beyond. */
static void part_at_end(const struct places *p, struct image *image, uint64_t *random, int most)
{
    const struct part *part = &p->part[random_below(random, p->parts)];
    if (random_below(random, 2)) heads(p, image, random, PLACE_HEAD);
    if (random_below(random, 4) == 0) edges(p, image, random, PLACE_NOTE);
    uint32_t cut = random_below(random, 2) ? (uint32_t)random_below(random, (uint64_t)most) : 0;
    if (cut >= part->what.bytes || part->what.at + part->what.bytes > image->bytes) return;
    memmove(image->data + image->bytes, image->data + part->what.at, part->what.bytes);
    put(image, (struct place){part->offset_at, 8}, image->bytes);
    if (random_below(random, 2)) put(image, (struct place){part->bytes_at, 8}, part->what.bytes - cut);
    image->bytes += part->what.bytes - cut;
    struct place last = {(uint32_t)(image->bytes - 1 - random_below(random, 8)), 1};
    if (random_below(random, 4) == 0) put(image, last, tags[random_below(random, sizeof tags)]);
}

/* ---- Kernels ------------------------------------------------------------------------------------------------------*/

static void descriptor_bytes(const struct places *p, struct image *image, uint64_t *random, int most)
{
    struct place descriptor = p->descriptor[random_below(random, p->descriptors)];
    if (random_below(random, 2))
        random_bytes(image, random, descriptor, 1 + random_below(random, (uint64_t)most));
    else
        random_bits(image, random, descriptor, 1 + random_below(random, (uint64_t)most));
}

static void text_bytes(const struct places *p, struct image *image, uint64_t *random, int most)
{
    random_bytes(image, random, p->text, 1 + random_below(random, (uint64_t)most));
}

static void text_bits(const struct places *p, struct image *image, uint64_t *random, int most)
{
    random_bits(image, random, p->text, 1 + random_below(random, (uint64_t)most));
}

/* Words of the code become other words of it, anything, or anything with the encoding bits of an instruction. */
static void text_words(const struct places *p, struct image *image, uint64_t *random, int most)
{
    for (uint64_t count = 1 + random_below(random, (uint64_t)most); count > 0; count--) {
        struct place to = {p->text.at + 4 * (uint32_t)random_below(random, p->text.bytes / 4), 4};
        struct place from = {p->text.at + 4 * (uint32_t)random_below(random, p->text.bytes / 4), 4};
        const uint64_t some = random_next(random), old = get(image, to), other = get(image, from);
        const uint64_t words[] = {other, (other & 0xfe000000) | (some & 0x1ffffff),
                                  (old & 0xffff0000) | (some & 0xffff), some};
        put(image, to, words[random_below(random, 4)]);
    }
}

/* A run of random instructions, often where a kernel's waves begin. */
static void text_instructions(const struct places *p, struct image *image, uint64_t *random, int most)
{
    uint32_t at = p->begin, end = p->text.at + p->text.bytes;
    if (random_below(random, 2)) at = p->text.at + 4 * (uint32_t)random_below(random, p->text.bytes / 4);
    for (uint64_t count = 1 + random_below(random, (uint64_t)most); count > 0; count--) {
        uint32_t words[4];
        char mnemonic[64];
        unsigned length = 0;
        while (length == 0) {
            for (int n = 0; n < 4; n++) words[n] = (uint32_t)random_next(random);
            if (random_below(random, 2)) words[0] |= 0xc0000000; /* the long encodings, memory among them */
            length = emu_decode(words, sizeof words, mnemonic);
        }
        if (length > end - at) return;
        for (uint32_t n = 0; n < length; n += 4, at += 4) put(image, (struct place){at, 4}, words[n / 4]);
    }
}

/* ---- All ----------------------------------------------------------------------------------------------------------*/

static apply_fn several;

static const struct {
    const char *name;
    apply_fn *apply;
    int parameter;   /* the most of something, or a group */
    unsigned weight;
} kinds[] = {
    {"a byte", some_bytes, 1, 7},
    {"bytes", some_bytes, 16, 7},
    {"bits", some_bits, 8, 7},
    {"ELF header", edges, PLACE_ELF, 4},
    {"program headers", edges, PLACE_PROGRAM, 7},
    {"section headers", edges, PLACE_SECTION, 5},
    {"symbols, dynamic", edges, PLACE_SYMBOL, 6},
    {"notes, numbers", edges, PLACE_NOTE, 5},
    {"MessagePack tags", heads, PLACE_HEAD, 7},
    {"truncation", truncate_image, 0, 3},
    {"insertion", insert, 64, 3},
    {"removal", remove_bytes, 64, 3},
    {"blocks", blocks, 512, 4},
    {"a part at the end", part_at_end, 8, 8},
    {"descriptor fields", edges, PLACE_DESCRIPTOR, 5},
    {"descriptor", descriptor_bytes, 8, 4},
    {"code bytes", text_bytes, 8, 7},
    {"code bits", text_bits, 8, 5},
    {"code words", text_words, 4, 8},
    {"code instructions", text_instructions, 48, 10},
    {"several kinds", several, 0, 3},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
_Static_assert((int)KINDS <= (int)MOST_KINDS, "the results of a kind have no place");

/* One of the first so many kinds, by weight. */
static unsigned apply_any(const struct places *p, struct image *image, uint64_t *random, unsigned count)
{
    unsigned kind = 0, weights = 0;
    for (unsigned n = 0; n < count; n++) weights += kinds[n].weight;
    for (uint64_t left = random_below(random, weights); left >= kinds[kind].weight; kind++) left -= kinds[kind].weight;
    kinds[kind].apply(p, image, random, kinds[kind].parameter);
    return kind;
}

/* Not itself, which is the last of the table. */
static void several(const struct places *p, struct image *image, uint64_t *random, int parameter)
{
    (void)parameter;
    for (uint64_t count = 2 + random_below(random, 3); count > 0; count--) apply_any(p, image, random, KINDS - 1);
}

unsigned corrupt(const struct places *p, struct image *image, uint64_t *random)
{
    return apply_any(p, image, random, KINDS);
}

const char *corrupt_kind_name(unsigned kind)
{
    return kind < KINDS ? kinds[kind].name : NULL;
}
