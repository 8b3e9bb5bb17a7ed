/* What mxgen reads in a code object by itself: in the pack's first one, whole, cut short, and with its preloaded
 * arguments elsewhere. */
#include "common/kernarg.h"
#include "common/variant.h"
#include "gen/elf_read.h"
#include "loader/mxgemm.h"
#include "tests/test.h"

#include <stdlib.h>

static mxg_library *library;
static mxg_variant_info variant;
static struct gen_text object;

static const char *read_kernel(struct gen_descriptor *descriptor)
{
    uint32_t code_bytes;
    return gen_elf_kernel(&object, variant.name, &code_bytes, descriptor);
}

static void whole(void)
{
    struct gen_descriptor descriptor = {0};
    CHECK(!read_kernel(&descriptor));
    CHECK_EQ(descriptor.vgprs, variant.vgprs);
    CHECK_EQ(descriptor.lds_bytes, variant.lds_bytes);
    CHECK_EQ(descriptor.kernarg_bytes, variant.kernarg_bytes);
    CHECK_EQ(descriptor.private_bytes, 0);
    CHECK_EQ(descriptor.preloaded, MXG_KERNARG_PRELOADED);
}

/* e_flags: the processor, and two bits each of what the object asks of a device's modes. */
static void flags(void)
{
    const char saved = object.data[49];
    struct gen_elf elf;
    CHECK(!gen_elf_read(&object, &elf));
    CHECK_EQ(elf.mach, 0x4f);
    CHECK_EQ(elf.xnack, MXG_FEATURE_ANY);
    CHECK_EQ(elf.sramecc, MXG_FEATURE_ANY);
    object.data[49] = 0x0b;
    CHECK(!gen_elf_read(&object, &elf));
    CHECK_EQ(elf.mach, 0x4f);
    CHECK_EQ(elf.xnack, MXG_FEATURE_ON);
    CHECK_EQ(elf.sramecc, MXG_FEATURE_OFF);
    object.data[49] = saved;
}

/* Of all places where that number of dwords stands, one is the descriptor's: its other bits are the first dword. */
static void preloaded_from_elsewhere(void)
{
    struct gen_descriptor descriptor;
    int places = 0;
    for (size_t i = 0; i + 1 < object.bytes; i += 2) {
        if (object.data[i] != MXG_KERNARG_PRELOADED || object.data[i + 1] != 0) continue;
        object.data[i + 1] = 1;
        const char *wrong = read_kernel(&descriptor);
        if (wrong && strstr(wrong, "do not begin with the first")) places++;
        object.data[i + 1] = 0;
    }
    CHECK_EQ(places, 1);
}

static void cut_short(void)
{
    char *all = object.data;
    const size_t bytes = object.bytes;
    for (object.bytes = 0; object.bytes < bytes; object.bytes++) {
        object.data = malloc(object.bytes + 1); /* of its size, so that a sanitizer sees a read past it */
        if (!object.data) abort();
        memcpy(object.data, all, object.bytes);
        struct gen_descriptor descriptor = {0};
        const char *wrong = read_kernel(&descriptor);
        /* Not all that an object has at its end is needed. */
        CHECK(wrong || (object.bytes > bytes / 2 && descriptor.preloaded == MXG_KERNARG_PRELOADED));
        free(object.data);
        if (object.bytes >= 64) object.bytes += 6; /* else it takes long */
    }
    object.data = all, object.bytes = bytes;
}

int main(void)
{
    variant.struct_bytes = sizeof variant;
    if (mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library) ||
        mxg_library_variant(library, 0, &variant))
        return 1;
    gen_text_add(&object, variant.code_object, (size_t)variant.code_object_bytes);
    TEST(whole);
    TEST(flags);
    TEST(preloaded_from_elsewhere);
    TEST(cut_short);
    gen_text_free(&object);
    mxg_library_close(library);
    return test_end();
}
