/* The emulator against code objects that are made to do harm. tests/fuzz has those that are corrupted at random. */
#define _DEFAULT_SOURCE /* mmap flags */
#include "object_fixture.h"
#include "tests/emu/readable.h"

#include <sys/mman.h>
#include <unistd.h>

static struct emu_error error;

static int launch(struct emu *emu, const struct emu_kernel *kernel, uint32_t threads)
{
    static const unsigned char arguments[4096];
    struct emu_launch launch = {
        .kernel = kernel,
        .grid = {1, 1, 1},
        .block = {threads, 1, 1},
        .kernarg = arguments,
        .kernarg_bytes = sizeof arguments,
        .threads = 1,
        .max_wave_instructions = 20000,
    };
    memset(&error, 0, sizeof error);
    int status = emu_launch(emu, &launch, NULL, &error);
    if (status) CHECK(error.text[0]);
    return status;
}

/* The segments that follow that of a program header are no longer loaded. */
static void drop_segments_behind(unsigned char *data, size_t header)
{
    size_t end = field(offsetof(Elf64_Ehdr, e_phoff), 8) + field(offsetof(Elf64_Ehdr, e_phnum), 2) * sizeof(Elf64_Phdr);
    while ((header += sizeof(Elf64_Phdr)) < end)
        if (field(header, 4) == PT_LOAD) put(data + header, PT_NULL, 4);
}

/* ---- Files --------------------------------------------------------------------------------------------------------*/

/* Without a size the header is believed, but not what it says of memory that cannot be read. */
static void size_is_not_known(void)
{
    static const struct {
        size_t at, bytes;
        uint64_t value;
        const char *reason; /* NULL: loads */
    } cases[] = {
        {offsetof(Elf64_Ehdr, e_ident) + EI_PAD, 1, 0, NULL}, /* as it is */
        {offsetof(Elf64_Ehdr, e_shnum), 2, UINT16_MAX, NULL}, /* the real ones are among them */
        {offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_MAX, "segment 1 is not within the file"},
        {offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_C(1) << 29, "has no symbol"},
        {offsetof(Elf64_Ehdr, e_phnum), 2, UINT16_MAX, "is not within the file"},
        {offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_C(1) << 40, "is outside of the file"},
    };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (real.bytes + page - 1) / page * page;
    unsigned char *memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *image = memory + room - real.bytes;
    struct emu *emu = emu_create(0);
    struct emu_object *object;
    REQUIRE(memory != MAP_FAILED && emu && mprotect(memory + room, page, PROT_NONE) == 0);
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        memcpy(image, real.data, real.bytes);
        put(image + cases[n].at, cases[n].value, cases[n].bytes);
        CHECK_EQ(emu_object_load(emu, image, 0, &object, &error), cases[n].reason ? -1 : 0);
        if (cases[n].reason) CHECK_HAS(error.text, cases[n].reason);
        emu_object_unload(object);
    }
    CHECK(emu_object_load(emu, memory + room - 40, 0, &object, &error) != 0);
    CHECK_HAS(error.text, "40 bytes is too short");
    CHECK_EQ(emu_readable(image, SIZE_MAX), real.bytes);
    CHECK_EQ(emu_readable(image, 100), 100);
    CHECK_EQ(emu_readable(memory + room, 1), 0);
    CHECK_EQ(emu_readable(NULL, 1), 0);
    CHECK_EQ(emu_allocated_bytes(emu), 0);
    emu_destroy(emu);
    munmap(memory, room + page);
}

/* Segments lie one behind the other; what is in no file is zero and costs nothing. */
static void segments_in_order(void)
{
    size_t text = program_header(PT_LOAD, PF_R | PF_X);
    struct emu *emu = emu_create(0);
    unsigned char *data = copy_of(real.data, real.bytes);
    put(data + text + offsetof(Elf64_Phdr, p_memsz), 1 << 29, 8);
    CHECK(load(emu, data, real.bytes, &error) == NULL);
    CHECK_HAS(error.text, "overlaps one before it");
    drop_segments_behind(data, text);
    struct emu_object *object = load(emu, data, real.bytes, &error);
    if (CHECK(object)) {
        CHECK_EQ(object->code.bytes, field(text + offsetof(Elf64_Phdr, p_filesz), 8));
        CHECK_EQ(launch(emu, emu_object_kernel_at(object, 0), 64), 0);
    }
    emu_object_unload(object);
    emu_destroy(emu);
    free(data);
}

/* ---- Machine code -------------------------------------------------------------------------------------------------*/

/* The real object with code of so many bytes appended as its executable and last segment, in which its kernels begin.
 * They no longer preload arguments: with them waves would begin 256 bytes behind a kernel's entry. */
static unsigned char *with_code(const uint32_t *code, size_t bytes)
{
    size_t text = program_header(PT_LOAD, PF_R | PF_X);
    uint64_t address = field(text + offsetof(Elf64_Phdr, p_vaddr), 8);
    unsigned char *data = realloc(copy_of(real.data, real.bytes), real.bytes + bytes);
    if (!data) abort();
    memcpy(data + real.bytes, code, bytes);
    put(data + text + offsetof(Elf64_Phdr, p_offset), real.bytes, 8);
    put(data + text + offsetof(Elf64_Phdr, p_filesz), bytes, 8);
    put(data + text + offsetof(Elf64_Phdr, p_memsz), bytes, 8);
    drop_segments_behind(data, text);
    for (size_t n = 0; n < 2; n++) {
        const size_t at = descriptor(n);
        put(data + at + 16, address - at, 8);
        put(data + at + 58, 0, 2);
    }
    return data;
}

/* Of the second half of a long instruction, whether it has a prefix itself: a chain of these must not be followed. */
static void chain_of_prefixes(void)
{
    enum { BYTES = 4 << 20 };
    static uint32_t code[BYTES / 4];
    for (size_t n = 0; n < BYTES / 4; n++) code[n] = 0xd3ac0000;
    struct emu *emu = emu_create(0);
    unsigned char *data = with_code(code, BYTES);
    struct emu_object *object = load(emu, data, real.bytes + BYTES, &error);
    if (CHECK(object)) CHECK(launch(emu, emu_object_kernel_at(object, 0), 64) != 0);
    CHECK_HAS(error.text, "is not known to the emulator");
    emu_object_unload(object);
    emu_destroy(emu);
    free(data);
}

/* Programs that do not end, in different ways. */
static void endless(void)
{
    static const struct {
        const char *what;
        uint32_t code[2];
    } programs[] = {
        {"s_branch -1", {0xbf82ffff, 0}},
        {"s_barrier; s_branch -2", {0xbf8a0000, 0xbf82fffe}},
    };
    for (size_t n = 0; n < sizeof programs / sizeof programs[0]; n++) {
        struct emu *emu = emu_create(0);
        unsigned char *data = with_code(programs[n].code, sizeof programs[n].code);
        struct emu_object *object = load(emu, data, real.bytes + sizeof programs[n].code, &error);
        if (CHECK(object)) CHECK(launch(emu, emu_object_kernel_at(object, 0), 256) != 0);
        if (!CHECK_HAS(error.text, "hang")) printf("# %s\n", programs[n].what);
        emu_object_unload(object);
        emu_destroy(emu);
        free(data);
    }
}

/* As many registers as a descriptor can say, all of them but four for accumulation, where the device has 256. */
static void too_many_registers(void)
{
    static const uint32_t end = 0xbf810000;
    struct emu *emu = emu_create(0);
    unsigned char *data = with_code(&end, sizeof end);
    size_t at = descriptor(0);
    data[at + 48] |= 63;
    put(data + at + 44, 0, 4);
    struct emu_object *object = load(emu, data, real.bytes + sizeof end, &error);
    if (CHECK(object)) CHECK_EQ(launch(emu, emu_object_kernel_at(object, 0), 64), 0);
    emu_object_unload(object);
    emu_destroy(emu);
    free(data);
}

static void too_much_scratch(void)
{
    struct emu *emu = emu_create(0);
    struct emu_object *object = load(emu, real.data, real.bytes, &error);
    struct emu_kernel kernel = *emu_object_kernel_at(object, 0);
    kernel.private_bytes = UINT32_MAX;
    CHECK(launch(emu, &kernel, 64) != 0);
    CHECK_HAS(error.text, "4294967295 bytes of scratch a lane");
    kernel.private_bytes = 1 << 16;
    CHECK_EQ(launch(emu, &kernel, 64), 0);
    emu_object_unload(object);
    emu_destroy(emu);
}

int main(void)
{
    open_real_object();
    TEST(size_is_not_known);
    TEST(segments_in_order);
    TEST(chain_of_prefixes);
    TEST(endless);
    TEST(too_many_registers);
    TEST(too_much_scratch);
    mxg_library_close(library);
    return test_end();
}
