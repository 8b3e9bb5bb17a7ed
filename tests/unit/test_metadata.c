/* What the emulator reads of a code object's metadata, and its reader of MessagePack. */
#include "object_fixture.h"

#include "common/kernarg.h"
#include "common/msgpack.h"

#include <stddef.h>

static struct emu_error error;

/* ---- A real document ----------------------------------------------------------------------------------------------*/

static const struct {
    const char *name;
    enum emu_arg_kind kind;
    size_t offset, bytes;
} arguments[] = {
#define POINTER(ctype, hiptype, name)                                                                                  \
    {#name, EMU_ARG_GLOBAL_BUFFER, offsetof(struct mxg_kernarg, name), sizeof(((struct mxg_kernarg *)0)->name)},
#define VALUE(ctype, hiptype, name)                                                                                    \
    {#name, EMU_ARG_BY_VALUE, offsetof(struct mxg_kernarg, name), sizeof(((struct mxg_kernarg *)0)->name)},
    MXG_KERNARGS(POINTER, VALUE)};

enum { ARGUMENTS = sizeof arguments / sizeof arguments[0] };

/* The compiler may call an argument that it passes as another type by its name and ".coerce". */
static int is_called(const char *name, const char *expected)
{
    size_t length = strlen(expected);
    return strncmp(name, expected, length) == 0 && (name[length] == 0 || strcmp(name + length, ".coerce") == 0);
}

static void check_kernel(const struct emu_kernel *kernel, const char *name, uint32_t threads)
{
    const size_t end = arguments[ARGUMENTS - 1].offset + arguments[ARGUMENTS - 1].bytes;
    CHECK_STR(kernel->name, name);
    CHECK_EQ(kernel->kernarg_bytes, end);
    CHECK_EQ(kernel->max_workgroup, threads);
    CHECK_EQ(kernel->wave_size, 64);
    CHECK_EQ(kernel->private_bytes, 0);
    CHECK_EQ(kernel->vgpr_spills + kernel->sgpr_spills, 0);
    REQUIRE(kernel->arg_count == ARGUMENTS);
    for (size_t n = 0; n < ARGUMENTS; n++) {
        const struct emu_arg *arg = &kernel->args[n];
        if (!CHECK(is_called(arg->name, arguments[n].name))) printf("# %s, not %s\n", arg->name, arguments[n].name);
        CHECK_EQ(arg->kind, arguments[n].kind);
        CHECK_EQ(arg->offset, arguments[n].offset);
        CHECK_EQ(arg->bytes, arguments[n].bytes);
    }
}

static void kernels(void)
{
    struct emu *emu = emu_create(0);
    struct emu_object *object = load(emu, real.data, real.bytes, &error);
    char reduce[200];
    snprintf(reduce, sizeof reduce, "%s_reduce", real.variant.name);
    REQUIRE(object && emu_object_kernel_count(object) == 2);
    const struct emu_kernel *gemm = emu_object_kernel(object, real.variant.name);
    REQUIRE(gemm && emu_object_kernel(object, reduce));
    check_kernel(gemm, real.variant.name, real.variant.workgroup_threads);
    check_kernel(emu_object_kernel(object, reduce), reduce, real.variant.reduce_threads);
    CHECK_EQ(gemm->kernarg_bytes, real.variant.kernarg_bytes);
    CHECK_EQ(gemm->lds_bytes, real.variant.lds_bytes);
    CHECK_EQ((gemm->vgprs + 7) / 8 * 8, real.variant.vgprs); /* allocated in eights */
    CHECK_EQ(gemm->agprs, real.variant.agprs);
    CHECK_EQ(gemm->sgprs, real.variant.sgprs);
    CHECK_EQ(gemm->code_bytes + emu_object_kernel(object, reduce)->code_bytes, real.variant.code_bytes);
    CHECK(gemm->entry - object->code.address < object->code.bytes);
    CHECK(!emu_object_kernel(object, "gemm"));
    CHECK(!emu_object_kernel_at(object, 2));
    emu_object_unload(object);
    emu_destroy(emu);
}

/* ---- Small documents ----------------------------------------------------------------------------------------------*/

/* Short strings, with their length. */
#define KERNELS                                                                                                        \
    "\xae"                                                                                                             \
    "amdhsa.kernels"
#define ARGS "\xa5.args"
#define NAME "\xa5.name\xa1k"
#define SYMBOL "\xa7.symbol\xa4k.kd"
#define OFFSET "\xa7.offset"
#define SIZE "\xa5.size"
#define KIND "\xab.value_kind"
#define BY_VALUE                                                                                                       \
    KIND "\xa8"                                                                                                        \
         "by_value"

static void documents(void)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *reason; /* NULL: one kernel k is read */
    } cases[] = {
#define DOCUMENT(text, reason) {text, sizeof(text) - 1, reason},
        DOCUMENT("\x81" KERNELS "\x91\x82" NAME SYMBOL,
                 NULL) DOCUMENT("\x82\xa1x\x93\x01\xc0\x81\xa1y\x90" KERNELS "\x91\x83\xa1z\xc3" NAME SYMBOL, NULL)
            DOCUMENT("\x81" KERNELS "\x91\x83" ARGS "\x91\x83" OFFSET "\x08" SIZE "\x04" BY_VALUE NAME SYMBOL,
                     NULL) DOCUMENT("\x81" KERNELS "\x91\x84" ARGS "\x90" ARGS "\x91\x80" NAME SYMBOL,
                                    NULL) DOCUMENT("", "metadata is no map") DOCUMENT("\x91\x01", "metadata is no map")
                DOCUMENT("\xc1", "metadata is no map") DOCUMENT("\x80", "no readable amdhsa.kernels") DOCUMENT(
                    "\x81" KERNELS, "no readable amdhsa.kernels") DOCUMENT("\x81" KERNELS "\x81\x01\x02",
                                                                           "no readable amdhsa.kernels")
                    DOCUMENT("\x81" KERNELS "\xdd\xff\xff\xff\xff", "no readable amdhsa.kernels")
                        DOCUMENT("\x82\xa1x\xdf\xff\xff\xff\xff" KERNELS "\x90", "no readable amdhsa.kernels") DOCUMENT(
                            "\x81" KERNELS "\xdc\x00\x02\x82" NAME SYMBOL,
                            "kernel 1 is malformed") DOCUMENT("\x81" KERNELS "\x91\x90", "kernel 0 is malformed")
                            DOCUMENT("\x81" KERNELS "\x91\x81" NAME, "kernel 0 is malformed") DOCUMENT(
                                "\x81" KERNELS "\x91\x82" SYMBOL "\xa5.name\xa0", "kernel 0 is malformed")
                                DOCUMENT("\x81" KERNELS "\x91\x82" SYMBOL "\xa5.name\xa2k\0", "kernel 0 is malformed")
                                    DOCUMENT("\x81" KERNELS "\x91\x83" NAME SYMBOL ARGS "\xdd\x00\x00\x10\x01",
                                             "kernel 0 is malformed") DOCUMENT("\x81" KERNELS
                                                                               "\x91\x83" NAME SYMBOL ARGS "\x92\x80",
                                                                               "kernel 0 is malformed")
                                        DOCUMENT("\x81" KERNELS "\x91\x83" NAME SYMBOL ARGS "\x91\x81" KIND "\xa5image",
                                                 "kernel 0 is malformed")
                                            DOCUMENT("\x81" KERNELS "\x91\xdf\xff\xff\xff\xff" NAME SYMBOL,
                                                     "kernel 0 is malformed")};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        unsigned char *copy = copy_of((const unsigned char *)cases[n].text, cases[n].bytes + !cases[n].bytes);
        struct metadata_kernel *list;
        size_t count;
        memset(&error, 0, sizeof error);
        int status = metadata_read(copy, cases[n].bytes, &list, &count, &error);
        CHECK_EQ(status, cases[n].reason ? -1 : 0);
        if (cases[n].reason && !CHECK_HAS(error.text, cases[n].reason)) printf("# document %zu\n", n);
        if (status == 0 && CHECK_EQ(count, 1)) CHECK_STR(list->kernel.name, "k");
        metadata_free(list, count);
        free(copy);
    }
}

/* ---- MessagePack --------------------------------------------------------------------------------------------------*/

static struct mxg_msgpack reader(const unsigned char *data, size_t bytes)
{
    return (struct mxg_msgpack){data, data + bytes, 0};
}

static void values(void)
{
    static const struct {
        const char *text;
        size_t bytes;
        enum mxg_msgpack_type type;
        uint64_t number;
    } cases[] = {
#define CASE(text, type, number) {text, sizeof(text) - 1, type, number},
        CASE("\x7f", MXG_MSGPACK_UINT, 127) CASE("\xcc\xff", MXG_MSGPACK_UINT, 255)
            CASE("\xcd\x12\x34", MXG_MSGPACK_UINT, 0x1234) CASE("\xce\x12\x34\x56\x78", MXG_MSGPACK_UINT, 0x12345678)
                CASE("\xcf\xff\xff\xff\xff\xff\xff\xff\xfe", MXG_MSGPACK_UINT, UINT64_MAX - 1)
                    CASE("\xa3"
                         "abc",
                         MXG_MSGPACK_STRING, 3) CASE("\xd9\x02"
                                                     "ab",
                                                     MXG_MSGPACK_STRING, 2) CASE("\xda\x00\x01"
                                                                                 "a",
                                                                                 MXG_MSGPACK_STRING, 1)
                        CASE("\xdb\x00\x00\x00\x00", MXG_MSGPACK_STRING, 0) CASE("\x9f", MXG_MSGPACK_ARRAY, 15)
                            CASE("\xdc\x01\x00", MXG_MSGPACK_ARRAY, 256)
                                CASE("\xdd\x80\x00\x00\x01", MXG_MSGPACK_ARRAY, 0x80000001)
                                    CASE("\x8a", MXG_MSGPACK_MAP, 10) CASE("\xde\xff\xff", MXG_MSGPACK_MAP, 0xffff)
                                        CASE("\xdf\xff\xff\xff\xff", MXG_MSGPACK_MAP, 0xffffffff)
                                            CASE("\xc0", MXG_MSGPACK_OTHER, 0) CASE("\xff", MXG_MSGPACK_OTHER, 0)
                                                CASE("\xc4\x01x", MXG_MSGPACK_OTHER, 1) CASE("\xca"
                                                                                             "1234",
                                                                                             MXG_MSGPACK_OTHER, 4)
                                                    CASE("\xcb"
                                                         "12345678",
                                                         MXG_MSGPACK_OTHER, 8) CASE("\xd3"
                                                                                    "12345678",
                                                                                    MXG_MSGPACK_OTHER, 8)};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const unsigned char *text = (const unsigned char *)cases[n].text;
        for (size_t bytes = 0; bytes <= cases[n].bytes; bytes++) { /* whole, and cut off anywhere */
            unsigned char *copy = copy_of(text, bytes ? bytes : 1);
            struct mxg_msgpack m = reader(copy, bytes);
            struct mxg_msgpack_value value;
            int whole = bytes == cases[n].bytes;
            if (!CHECK_EQ(mxg_msgpack_next(&m, &value), whole)) printf("# case %zu, %zu bytes\n", n, bytes);
            if (whole) {
                CHECK_EQ(value.type, cases[n].type);
                CHECK_EQ(value.number, cases[n].number);
                CHECK(m.at == m.end && !m.bad);
            } else {
                CHECK(!mxg_msgpack_skip(&m) && m.bad);
            }
            free(copy);
        }
    }
}

static void skipping(void)
{
    static const unsigned char nested[] = "\x93\x01\x82\xa1"
                                          "a\x92\x02\x03\xa1"
                                          "b\xc0\xdc\x00\x01\x04\x05";
    struct mxg_msgpack m = reader(nested, sizeof nested - 1);
    struct mxg_msgpack_value value;
    CHECK(mxg_msgpack_skip(&m));
    CHECK(mxg_msgpack_next(&m, &value) && value.number == 5);
    for (size_t bytes = 0; bytes < sizeof nested - 2; bytes++) {
        unsigned char *copy = copy_of(nested, bytes ? bytes : 1);
        m = reader(copy, bytes);
        CHECK(!mxg_msgpack_skip(&m) && m.bad);
        CHECK(!mxg_msgpack_skip(&m) && !mxg_msgpack_next(&m, &value)); /* and stays so */
        free(copy);
    }
    /* Arrays in arrays, as deep as a file can be long: no recursion. And more elements than bytes, at every level. */
    enum { DEPTH = 1 << 20 };
    unsigned char *deep = malloc(DEPTH);
    REQUIRE(deep);
    memset(deep, 0x91, DEPTH);
    deep[DEPTH - 1] = 7;
    m = reader(deep, DEPTH);
    CHECK(mxg_msgpack_skip(&m) && m.at == m.end);
    memset(deep, 0xdd, DEPTH);
    m = reader(deep, DEPTH);
    CHECK(!mxg_msgpack_skip(&m));
    memset(deep, 0x8f, DEPTH);
    m = reader(deep, DEPTH);
    CHECK(!mxg_msgpack_skip(&m));
    free(deep);
}

static void comparing(void)
{
    static const unsigned char text[] = "\xa3"
                                        "abc\x03";
    struct mxg_msgpack m = reader(text, sizeof text - 1);
    struct mxg_msgpack_value value;
    CHECK(mxg_msgpack_next(&m, &value));
    CHECK(mxg_msgpack_is(&value, "abc") && !mxg_msgpack_is(&value, "ab") && !mxg_msgpack_is(&value, "abcd"));
    CHECK(mxg_msgpack_next(&m, &value));
    CHECK(!mxg_msgpack_is(&value, "\x03") && !mxg_msgpack_is(&value, ""));
}

int main(void)
{
    open_real_object();
    TEST(kernels);
    TEST(documents);
    TEST(values);
    TEST(skipping);
    TEST(comparing);
    mxg_library_close(library);
    return test_end();
}
