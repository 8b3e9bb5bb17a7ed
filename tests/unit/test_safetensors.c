/* The header of a .safetensors file: what is accepted, and that everything else is refused with the tensor's name and
 * the value. */
#include "loader/cli/safetensors.h"
#include "tests/random.h"
#include "tests/test.h"

#include <stdlib.h>

static struct safetensors file;
static struct safetensors_error error;

static bool parse(const char *header, uint64_t data_bytes)
{
    safetensors_free(&file);
    error.text[0] = 0;
    /* Without a NUL behind it: a read too far is one beyond an allocation. */
    size_t bytes = strlen(header);
    char *copy = malloc(bytes + !bytes);
    if (!copy) abort();
    memcpy(copy, header, bytes);
    bool good = safetensors_parse(copy, bytes, data_bytes, &file, &error);
    free(copy);
    return good;
}

static void refused(int line, const char *header, uint64_t data_bytes, const char *part)
{
    if (parse(header, data_bytes)) test_fail(__FILE__, line, "accepted: %s", header);
    test_has(__FILE__, line, error.text, part);
}
#define REFUSED(header, data_bytes, part) refused(__LINE__, header, data_bytes, part)

/* Tensor "a b" with these values. */
#define TENSOR(dtype, shape, offsets) "{\"a b\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void accepts(void)
{
    REQUIRE(parse("{ \"z\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[4,28]},\n"
                  "\"__metadata__\":{\"k\":\"v\",\"\":\"\"},"
                  "\"y\":{\"data_offsets\":[0,4],\"shape\":[],\"dtype\":\"I32\"},"
                  "\"e\\u00e9\":{\"dtype\":\"BF16\",\"shape\":[7,0],\"data_offsets\":[4,4]}}   ",
                  28));
    CHECK_EQ(file.count, 3);
    CHECK_STR(file.tensors[0].name, "y");
    CHECK_STR(file.tensors[1].name, "e\xc3\xa9");
    CHECK_STR(file.tensors[2].name, "z");
    CHECK_EQ(file.tensors[2].dtype, SAFETENSORS_F32);
    CHECK_EQ(file.tensors[2].dims, 2);
    CHECK_EQ(file.tensors[2].shape[1], 3);
    CHECK_EQ(file.tensors[2].begin, 4);
    CHECK_EQ(file.tensors[2].end, 28);
    CHECK_EQ(file.tensors[0].dims, 0);
    CHECK_EQ(file.metadata_count, 2);
    CHECK_STR(file.metadata[0].key, "k");
    CHECK_STR(file.metadata[0].value, "v");
    CHECK(safetensors_find(&file, "z") == &file.tensors[2]);
    CHECK(safetensors_find(&file, "x") == NULL);
    CHECK(parse("{}", 0));
    CHECK_EQ(file.count, 0);
    CHECK(safetensors_find(&file, "x") == NULL);
}

static void knows_every_dtype(void)
{
    /* Bits of an element as the format's own list has them; shape [8], so bits are bytes. */
    static const struct {
        const char *name;
        int bits;
    } all[] = {{"BOOL", 8},        {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},
               {"F8_E5M2", 8},     {"F8_E4M3", 8},     {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16}, {"F16", 16},
               {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"BF16", 16},   {"I32", 32},    {"U32", 32}, {"F32", 32},
               {"C64", 64},        {"F64", 64},        {"I64", 64},    {"U64", 64}};
    CHECK_EQ(sizeof all / sizeof *all, SAFETENSORS_DTYPES);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char header[128];
        snprintf(header, sizeof header, TENSOR("\"%s\"", "[8]", "[0,%d]"), all[i].name, all[i].bits);
        if (!CHECK(parse(header, (uint64_t)all[i].bits))) continue;
        CHECK_STR(safetensors_dtype_name(file.tensors[0].dtype), all[i].name);
        CHECK_EQ(safetensors_dtype_bits(file.tensors[0].dtype), all[i].bits);
    }
}

static void refuses_lengths(void)
{
    static const struct {
        unsigned char prefix[8];
        uint64_t file_bytes;
        const char *part;
    } cases[] = {{{2}, 7, "7 bytes"},
                 {{3}, 10, "length is 3, and the file has 10 bytes"},
                 {{0, 0, 0, 0, 0, 0, 0, 128}, UINT64_MAX, "9223372036854775808"},
                 {{255, 255, 255, 255, 255, 255, 255, 255}, 100, "18446744073709551615"},
                 {{1, 225, 245, 5}, UINT64_MAX, "100000001, above the 100000000"}};
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!safetensors_header_bytes(cases[i].prefix, cases[i].file_bytes, &bytes, &error));
        CHECK_HAS(error.text, cases[i].part);
    }
    static const unsigned char largest[8] = {0, 225, 245, 5};
    CHECK(safetensors_header_bytes(largest, UINT64_MAX, &bytes, &error));
    CHECK_EQ(bytes, 100000000);
}

static void refuses_what_is_no_header(void)
{
    REFUSED("", 0, "does not begin with {");
    REFUSED("[]", 0, "does not begin with {");
    REFUSED(" {}", 0, "does not begin with {");
    REFUSED("{", 0, "not good JSON at byte 1");
    REFUSED("{}x", 0, "not good JSON");
    REFUSED("{\"a\":1,}", 0, "not good JSON");
    REFUSED("{\"a\xff\":{}}", 0, "not good JSON");
    REFUSED("{\"a\xc0\x80\":{}}", 0, "not good JSON");
    REFUSED("{\"a\xed\xa0\x80\":{}}", 0, "not good JSON");
    REFUSED("{\"a\\ud800\":{}}", 0, "not good JSON");
    REFUSED("{\"a\\u0000b\":{}}", 0, "not good JSON");
    REFUSED("{\"a\nb\":{}}", 0, "not good JSON");
}

static void refuses_duplicates(void)
{
    REFUSED("{\"ab\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
            "\"ab\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
            0, "\"ab\"");
    CHECK_HAS(error.text, "duplicate");
    REFUSED("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"I8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, "\"dtype\"");
    REFUSED("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "duplicate");
    REFUSED("{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
            "\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
            0, "duplicate");
}

static void refuses_what_is_no_tensor(void)
{
    REFUSED("{\"a b\":1}", 0, "tensor \"a b\" is an integer, not an object");
    REFUSED("{\"a b\":[]}", 0, "tensor \"a b\" is an array");
    REFUSED("{\"a b\":null}", 0, "tensor \"a b\" is null");
    REFUSED("{\"a b\":{}}", 0, "tensor \"a b\" has a dtype that is absent");
    REFUSED(TENSOR("3", "[1]", "[0,1]"), 1, "tensor \"a b\" has a dtype that is an integer");
    REFUSED(TENSOR("\"U9\"", "[1]", "[0,1]"), 1, "tensor \"a b\" has the unknown dtype \"U9\"");
    REFUSED(TENSOR("\"u8\"", "[1]", "[0,1]"), 1, "unknown dtype \"u8\"");
    REFUSED(TENSOR("\"U8\"", "1", "[0,1]"), 1, "tensor \"a b\" has a shape that is an integer, not an array");
    REFUSED(TENSOR("\"U8\"", "[true]", "[0,1]"), 1, "tensor \"a b\" has shape[0] that is true");
    REFUSED(TENSOR("\"U8\"", "[1.0]", "[0,1]"), 1, "shape[0] that is no integer");
    REFUSED(TENSOR("\"U8\"", "[1,-7]", "[0,1]"), 1, "tensor \"a b\" has shape[1] -7, which is negative");
    REFUSED(TENSOR("\"U8\"", "[1]", "{}"), 1, "tensor \"a b\" has data_offsets that are an object");
    REFUSED(TENSOR("\"U8\"", "[1]", "[0]"), 1, "tensor \"a b\" has 1 data_offsets, not 2");
    REFUSED(TENSOR("\"U8\"", "[1]", "[0,1,2]"), 1, "has 3 data_offsets");
    REFUSED(TENSOR("\"U8\"", "[1]", "[-1,0]"), 1, "data_offsets[0] -1");
    REFUSED(TENSOR("\"U8\"", "[1]", "[0,\"1\"]"), 1, "data_offsets[1] that is a string");
    REFUSED(TENSOR("\"U8\"", "[1]", "[0,1],\"extra\":0"), 1, "tensor \"a b\" has \"extra\"");
    REFUSED(TENSOR("\"U8\"", "[99999999999999999999]", "[0,1]"), 1, "99999999999999999999");
    REFUSED("{\"__metadata__\":[]}", 0, "__metadata__ is an array");
    REFUSED("{\"__metadata__\":{\"key\":1}}", 0, "__metadata__ \"key\" is an integer, not a string");
}

static void refuses_sizes(void)
{
    REFUSED(TENSOR("\"U8\"", "[3]", "[0,2]"), 2, "tensor \"a b\" has 2 bytes in the file, and its shape of U8 needs 3");
    REFUSED(TENSOR("\"BF16\"", "[3]", "[0,3]"), 3, "needs 6");
    REFUSED(TENSOR("\"F4\"", "[3]", "[0,1]"), 1, "tensor \"a b\" has 12 bits of F4");
    REFUSED(TENSOR("\"U8\"", "[2]", "[2,0]"), 2, "tensor \"a b\" begins at 2, behind its end at 0");
    REFUSED(TENSOR("\"U8\"", "[9]", "[0,9]"), 8, "tensor \"a b\" ends at 9, and the file has 8 bytes of data");
    /* Products that wrap around to what the file has. */
    REFUSED(TENSOR("\"U8\"", "[4294967296,4294967296]", "[0,0]"), 0, "tensor \"a b\" has a shape of U8 whose product");
    REFUSED(TENSOR("\"F32\"", "[4611686018427387905]", "[0,4]"), 4, "whose product");
    REFUSED(TENSOR("\"F64\"", "[2305843009213693952]", "[0,0]"), 0, "whose product");
    CHECK(parse(TENSOR("\"U8\"", "[0,4294967296,4294967296]", "[0,0]"), 0));
}

static void refuses_places(void)
{
#define TWO(first, second)                                                                                             \
    "{\"one\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" first "},"                                            \
    "\"two\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" second "}}"
    CHECK(parse(TWO("[0,4]", "[4,8]"), 8));
    CHECK(parse(TWO("[4,8]", "[0,4]"), 8));
    REFUSED(TWO("[0,4]", "[3,7]"), 7, "tensor \"two\" begins at 3, inside tensor \"one\", which ends at 4");
    REFUSED(TWO("[0,4]", "[0,4]"), 4, "tensor \"two\" begins at 0, inside tensor \"one\"");
    REFUSED(TWO("[0,4]", "[5,9]"), 9, "tensor \"two\" begins at 5, and the 1 bytes before it belong to no tensor");
    REFUSED(TWO("[1,5]", "[5,9]"), 9, "tensor \"one\" begins at 1");
    REFUSED(TWO("[0,4]", "[4,8]"), 9, "the tensors end at 8, and the file has 9 bytes of data");
}

/* Nesting, dimensions and objects beyond all use end in a sentence, soon and in bounded memory. */
static void refuses_excess(void)
{
    enum { MANY = 4000000 };
    char *header = malloc(4 * MANY + 64), *end = header;
    REQUIRE(header);
    end += sprintf(end, "{\"deep\":");
    memset(end, '[', MANY);
    end[MANY] = 0;
    REFUSED(header, 0, "depth");
    end = header + sprintf(header, "{\"a b\":{\"dtype\":\"U8\",\"data_offsets\":[0,1],\"shape\":[1");
    for (int i = 0; i < SAFETENSORS_DIMS_MAX; i++) end += sprintf(end, ",1");
    sprintf(end, "]}}");
    REFUSED(header, 1, "tensor \"a b\" has 65 dimensions, more than 64");
    end = header + sprintf(header, "{\"a\":[");
    for (int i = 0; i < MANY; i++) end += sprintf(end, "{},");
    sprintf(end, "{}]}");
    REFUSED(header, 0, "192 MiB");
    CHECK(parse("{}", 0)); /* and the next one has all the memory again */
    free(header);
}

static void shows_names_on_one_line(void)
{
    char header[600];
    snprintf(header, sizeof header, "{\"\\u001b[31m\\n%0300d\":0}", 7);
    REQUIRE(!parse(header, 0));
    CHECK_HAS(error.text, "tensor \"?[31m?0000");
    CHECK_HAS(error.text, "...\" is an integer");
    CHECK(strlen(error.text) < 200);
}

/* Every byte of a good header changed to every other: it is refused or says the same size. Sanitizers see the rest. */
static void survives_changes(void)
{
    static const char good[] = "{\"__metadata__\":{\"k\":\"v\"},"
                               "\"one\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[0,4]},"
                               "\"two\":{\"dtype\":\"F4\",\"shape\":[4,2],\"data_offsets\":[4,8]}}";
    uint64_t seed = 1;
    int accepted = 0;
    for (size_t at = 0; at + 1 < sizeof good; at++)
        for (int byte = 1; byte < 256; byte++) {
            char header[sizeof good];
            memcpy(header, good, sizeof good);
            header[at] = (char)byte;
            if (random_below(&seed, 2)) header[random_below(&seed, sizeof good - 1)] = (char)(random_next(&seed) | 1);
            if (!parse(header, 8)) {
                CHECK(error.text[0] != 0);
                continue;
            }
            accepted++;
            uint64_t end = 0;
            for (size_t i = 0; i < file.count; i++) {
                CHECK_EQ(file.tensors[i].begin, end);
                end = file.tensors[i].end;
            }
            CHECK_EQ(end, 8);
        }
    CHECK(accepted > 100); /* names and values of metadata may change */
}

int main(void)
{
    TEST(accepts);
    TEST(knows_every_dtype);
    TEST(refuses_lengths);
    TEST(refuses_what_is_no_header);
    TEST(refuses_duplicates);
    TEST(refuses_what_is_no_tensor);
    TEST(refuses_sizes);
    TEST(refuses_places);
    TEST(refuses_excess);
    TEST(shows_names_on_one_line);
    TEST(survives_changes);
    safetensors_free(&file);
    return test_end();
}
