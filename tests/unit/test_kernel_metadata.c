/* What the loader makes of metadata: of the embedded pack's own, of these with one thing changed at a time, and of
 * documents that mean harm. Copies end where they say, so that AddressSanitizer sees what is read beyond. */
#define _GNU_SOURCE
#include "loader/kernel_metadata.h"
#include "loader/pack.h"
#include "tests/test.h"

#include <stdlib.h>

static mxg_library *library;

/* The object that is looked at: image and record of a variant of each kind, see open_object(). */
static struct {
    struct mxg_variant variant;
    const unsigned char *image;
    size_t bytes;
    size_t document, document_bytes; /* of the metadata in it */
    const char *const *arguments;    /* by name */
    size_t argument_count, kernels;
} real;

static const char *const gemm_arguments[] = {"a",    "b",   "b_scale",    "a_scale",    "lda",      "m",
                                             "n",    "k",   "alpha",      "c",          "counters", "partials",
                                             "bias", "ldb", "ld_b_scale", "ld_a_scale", "ldc",      "layout"};
static const char *const quantizer_arguments[] = {"in",       "codes", "scale", "ld_in", "ld_codes",
                                                  "ld_scale", "rows",  "k",     "layout"};

enum object { ONE_KERNEL, SECOND_LAUNCH, QUANTIZER, OBJECTS };

static void open_object(enum object object)
{
    uint32_t i = 0;
    for (; i < library->count; i++) {
        const struct mxg_variant *variant = &library->entries[i].variant;
        if (object == QUANTIZER ? variant->kind == 1
                                : variant->kind == 0 && (variant->reduction == 1) == (object == SECOND_LAUNCH))
            break;
    }
    if (i == library->count) abort();
    real.variant = library->entries[i].variant;
    real.image = library->entries[i].blob;
    real.bytes = (size_t)library->entries[i].blob_bytes;
    real.arguments = object == QUANTIZER ? quantizer_arguments : gemm_arguments;
    real.argument_count = object == QUANTIZER ? 9 : 18;
    real.kernels = object == SECOND_LAUNCH ? 2 : 1;
    const unsigned char *found = memmem(real.image, real.bytes, "AMDGPU\0", 8);
    if (!found) abort();
    real.document = (size_t)(found + 8 - real.image);
    real.document_bytes = found[-8] | (size_t)found[-7] << 8;
}

static mxg_status check(const unsigned char *image, size_t bytes)
{
    unsigned char *copy = malloc(bytes);
    if (!copy) abort();
    memcpy(copy, image, bytes);
    mxg_status status = mxg_kernel_metadata_check(copy, bytes, &real.variant);
    free(copy);
    return status;
}

/* A copy of the object, to change. */
static unsigned char *begin(void)
{
    unsigned char *copy = malloc(real.bytes);
    if (!copy) abort();
    memcpy(copy, real.image, real.bytes);
    return copy;
}

/* Refused with all three in the sentence, and with the variant's name. */
static void check_refused(unsigned char *image, const char *field, const char *argument, const char *kernel)
{
    if (!CHECK_EQ(check(image, real.bytes), MXG_ERROR_PACK)) printf("# %s %s %s\n", field, argument, kernel);
    char name[128];
    (void)snprintf(name, sizeof name, "variant %s", real.variant.name);
    CHECK_HAS(mxg_last_error(), name);
    CHECK_HAS(mxg_last_error(), field);
    CHECK_HAS(mxg_last_error(), argument);
    CHECK_HAS(mxg_last_error(), kernel);
    free(image);
}

/* Where in the object the value of the nth such key is; keys and their values are in the order of the document. */
static size_t value_of(const char *key, size_t n)
{
    char head[64];
    size_t length = strlen(key), at = real.document;
    head[0] = (char)(0xa0 + length);
    memcpy(head + 1, key, length);
    for (;; n--) {
        const unsigned char *found =
            memmem(real.image + at, real.document + real.document_bytes - at, head, length + 1);
        if (!found) abort();
        at = (size_t)(found - real.image) + length + 1;
        if (n == 0) return at;
    }
}

/* The last byte of a number, or the first of a string's characters. */
static size_t changeable(size_t at)
{
    unsigned char tag = real.image[at];
    return tag <= 0x7f                  ? at
           : tag == 0xcd                ? at + 2
           : tag == 0xce                ? at + 4
           : tag >= 0xd9 && tag <= 0xdb ? at + 2
                                        : at + 1;
}

static void kernel_of(size_t kernel, char name[128])
{
    (void)snprintf(name, 128, "kernel %s%s", real.variant.name, kernel ? "_reduce " : " ");
}

static void every_variant_of_the_pack(void)
{
    for (uint32_t i = 0; i < library->count; i++)
        if (!CHECK_EQ(mxg_pack_check_blob(library, &library->entries[i]), MXG_OK)) printf("# %s\n", mxg_last_error());
}

static void arguments_are_compared(void)
{
    static const char *const fields[] = {".offset", ".size", ".value_kind", ".name"};
    for (int object = 0; object < OBJECTS; object++) {
        open_object((enum object)object);
        for (size_t kernel = 0; kernel < real.kernels; kernel++)
            for (size_t argument = 0; argument < real.argument_count; argument++)
                for (int field = 0; field < 4; field++) {
                    /* kernels have a .name too, behind their arguments' */
                    size_t n = kernel * (real.argument_count + (field == 3)) + argument;
                    size_t at = value_of(fields[field], n);
                    char where[128], name[128];
                    (void)snprintf(where, sizeof where, "argument %s of", real.arguments[argument]);
                    kernel_of(kernel, name);
                    unsigned char *changed = begin();
                    changed[changeable(at)] ^= 1;
                    check_refused(changed, fields[field], where, name);
                    if (field == 3) continue; /* a name may be missing */
                    changed = begin();
                    changed[at - 2] ^= 1; /* the key itself */
                    check_refused(changed, fields[field], "is absent", name);
                    changed = begin();
                    changed[at] = 0xc0; /* nil, with or without something behind it */
                    CHECK_EQ(check(changed, real.bytes), MXG_ERROR_PACK);
                    free(changed);
                }
    }
}

static void what_may_be_missing(void)
{
    static const struct {
        const char *key, *wanted;
    } fields[] = {{".address_space", "and should be global"}, {".kernarg_segment_align", "and should be 8"}};
    for (int object = 0; object < OBJECTS; object++) {
        open_object((enum object)object);
        for (int field = 0; field < 2; field++) {
            size_t at = value_of(fields[field].key, 0);
            unsigned char *changed = begin();
            changed[changeable(at)] ^= 1;
            check_refused(changed, fields[field].key, fields[field].wanted, real.variant.name);
            changed = begin();
            changed[at - 2] ^= 1; /* the key itself */
            CHECK_EQ(check(changed, real.bytes), MXG_OK);
            free(changed);
        }
    }
}

static void kernels_are_compared(void)
{
    static const char *const fields[] = {".kernarg_segment_size", ".max_flat_workgroup_size", ".wavefront_size",
                                         ".group_segment_fixed_size", ".symbol"};
    for (int object = 0; object < OBJECTS; object++) {
        open_object((enum object)object);
        for (size_t kernel = 0; kernel < real.kernels; kernel++) {
            char name[128];
            kernel_of(kernel, name);
            for (int field = 0; field < 5; field++) {
                unsigned char *changed = begin();
                size_t at = value_of(fields[field], kernel);
                changed[changeable(at)] ^= 1;
                check_refused(changed, fields[field], "and should be", name);
                changed = begin();
                changed[at - 2] ^= 1;
                check_refused(changed, fields[field], "is absent", name);
            }
            unsigned char *changed = begin();
            changed[changeable(value_of(".name", kernel * (real.argument_count + 1) + real.argument_count))] ^= 1;
            name[strlen(name) - 1] = 0;
            check_refused(changed, "has no", "", name);
        }
    }
}

static void records_are_compared(void)
{
    open_object(SECOND_LAUNCH);
    const struct mxg_variant good = real.variant;
    real.variant.workgroup_threads += 64;
    check_refused(begin(), ".max_flat_workgroup_size", "and should be", real.variant.name);
    real.variant = good, real.variant.reduce_threads += 64;
    check_refused(begin(), ".max_flat_workgroup_size", "and should be", "_reduce");
    real.variant = good, real.variant.lds_bytes++;
    check_refused(begin(), ".group_segment_fixed_size", "and should be", real.variant.name);
    real.variant = good, real.variant.kernarg_bytes += 4;
    check_refused(begin(), "kernarg_bytes", "is 128", "fills 124");
    real.variant = good, real.variant.name[0] = 'x';
    check_refused(begin(), "has no kernel", "xemm", "");
    real.variant = good, real.variant.kind = 1;
    check_refused(begin(), "kernarg_bytes", "is 124", "fills 60");
    open_object(ONE_KERNEL);
    real.variant.reduction = 1;
    check_refused(begin(), "has no kernel", "_reduce", "");
}

/* The object with another document in its note, which is moved to the end. */
static mxg_status check_document(const unsigned char *document, size_t bytes)
{
    size_t note = (real.bytes + 3) / 4 * 4, all = note + 20 + bytes, header = 0;
    unsigned char *image = calloc(1, all);
    if (!image) abort();
    memcpy(image, real.image, real.bytes);
    for (header = 64; image[header] != 4; header += 56) continue; /* PT_NOTE */
    memcpy(image + note, "\7\0\0\0....\40\0\0\0AMDGPU\0", 20);
    for (int i = 0; i < 8; i++) {
        image[header + 8 + (size_t)i] = (unsigned char)((uint64_t)note >> 8 * i);
        image[header + 32 + (size_t)i] = (unsigned char)((uint64_t)(20 + bytes) >> 8 * i);
        if (i < 4) image[note + 4 + (size_t)i] = (unsigned char)(bytes >> 8 * i);
    }
    memcpy(image + note + 20, document, bytes);
    mxg_status status = check(image, all);
    free(image);
    return status;
}

/* One argument more than common/kernarg.h has, such as a kernel wants that asks for its number of workgroups. */
static void hidden_arguments(void)
{
    static const char hidden[] = "\x83\xa7.offset\x7c\xa5.size\x04\xab.value_kind\xb4hidden_block_count_x";
    open_object(ONE_KERNEL);
    CHECK_EQ(check_document(real.image + real.document, real.document_bytes), MXG_OK);
    unsigned char document[8192];
    size_t args = value_of(".args", 0) - real.document; /* 0xdc, then 18 in two bytes */
    size_t end = value_of(".group_segment_fixed_size", 0) - 26 - real.document, extra = sizeof hidden - 1;
    if (real.document_bytes + extra > sizeof document) abort();
    memcpy(document, real.image + real.document, end);
    memcpy(document + end, hidden, extra);
    memcpy(document + end + extra, real.image + real.document + end, real.document_bytes - end);
    CHECK_EQ(document[args + 2], 18);
    document[args + 2] = 19;
    CHECK_EQ(check_document(document, real.document_bytes + extra), MXG_ERROR_PACK);
    CHECK_HAS(mxg_last_error(), real.variant.name);
    CHECK_HAS(mxg_last_error(), "argument 18");
    CHECK_HAS(mxg_last_error(), "hidden_block_count_x");

    memcpy(document, real.image + real.document, real.document_bytes);
    size_t last = value_of(".value_kind", 17) - real.document; /* and one for the last that there is */
    memcpy(document + last + 1, "hidden_h", 8);
    CHECK_EQ(check_document(document, real.document_bytes), MXG_ERROR_PACK);
    CHECK_HAS(mxg_last_error(), "argument layout");
    CHECK_HAS(mxg_last_error(), "'hidden_h'");
}

static void hostile_documents(void)
{
    open_object(SECOND_LAUNCH);
    const unsigned char *document = real.image + real.document;
    for (size_t bytes = 0; bytes < real.document_bytes; bytes++) {
        mxg_status status = check_document(document, bytes);
        /* what comes behind the kernels is not looked at, but has to be there */
        if (!CHECK_EQ(status, MXG_ERROR_PACK)) printf("# of %zu bytes %zu\n", real.document_bytes, bytes);
    }
    static const char kernels[] = "\x81\xae"
                                  "amdhsa.kernels";
    static const struct {
        const char *bytes;
        size_t count;
    } values[] = {
        {"\xdd\xff\xff\xff\xff", 5},
        {"\xdf\xff\xff\xff\xff", 5},
        {"\xdc\xff\xff", 3},
        {"\xdb\xff\xff\xff\xff", 5},
        {"\xc6\xff\xff\xff\xff", 5},
        {"\x91\xdf\xff\xff\xff\xff", 6},
        {"\x91\x81\xa5.args\x91", 8},
        {"\x91\x81\xa5.name\xdb\x7f\xff\xff\xff", 12},
        {"\x91\x80", 2},
        {"\xc1", 1},
        {"\xc7", 1},
        {"\x90", 1},
        {"\xcf\xff\xff\xff\xff\xff", 6},
        {"\x91\x82\xa5.name\xa1x\xa5.name\xa1x", 18},
        {"\x91\xc0", 2},
    };
    unsigned char made[70000];
    memcpy(made, kernels, sizeof kernels - 1);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        memcpy(made + sizeof kernels - 1, values[i].bytes, values[i].count);
        CHECK_EQ(check_document(made, sizeof kernels - 1 + values[i].count), MXG_ERROR_PACK);
    }
    for (int deep = 0x81; deep <= 0x91; deep += 0x10) { /* nested far deeper than a stack could be */
        memset(made + sizeof kernels - 1, deep, sizeof made - sizeof kernels + 1);
        CHECK_EQ(check_document(made, sizeof made), MXG_ERROR_PACK);
    }
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        memcpy(made, document, real.document_bytes);
        for (int change = 0; change < 1 + round % 4; change++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            made[(seed >> 33) % real.document_bytes] = (unsigned char)(seed >> 24);
        }
        mxg_status status = check_document(made, real.document_bytes);
        CHECK(status == MXG_OK || (status == MXG_ERROR_PACK && strchr(mxg_last_error(), ' ')));
    }
}

/* Segments and notes that are not where they say. */
static void hostile_notes(void)
{
    open_object(ONE_KERNEL);
    size_t header = 64;
    while (real.image[header] != 4) header += 56;
    const struct {
        size_t at;
        int bytes;
        uint64_t value;
    } cases[] = {
        {54, 2, 55},                     /* size of a program header */
        {56, 2, 0},                      /* number of them */
        {header, 4, 1},                  /* type */
        {header + 8, 8, real.bytes + 1}, /* offset */
        {header + 8, 8, UINT64_MAX},
        {header + 32, 8, 0}, /* size */
        {header + 32, 8, 11},
        {header + 32, 8, 19},
        {header + 32, 8, real.document_bytes}, /* 20 less than it takes */
        {header + 32, 8, UINT64_MAX},
        {real.document - 20, 4, UINT32_MAX}, /* the note: size of its name */
        {real.document - 20, 4, 8},
        {real.document - 16, 4, UINT32_MAX}, /* and of its content */
        {real.document - 12, 4, 31},         /* type */
        {real.document - 8, 1, 'B'},         /* name */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *changed = begin();
        for (int n = 0; n < cases[i].bytes; n++)
            changed[cases[i].at + (size_t)n] = (unsigned char)(cases[i].value >> 8 * n);
        check_refused(changed, "has no metadata", "", "");
    }
}

int main(void)
{
    if (mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library)) return 1;
    TEST(every_variant_of_the_pack);
    TEST(arguments_are_compared);
    TEST(what_may_be_missing);
    TEST(kernels_are_compared);
    TEST(records_are_compared);
    TEST(hidden_arguments);
    TEST(hostile_documents);
    TEST(hostile_notes);
    mxg_library_close(library);
    return test_end();
}
