/* The emulator against code objects that are corrupted, or made to do harm: a load fails with a sentence or succeeds,
 * and then every launch returns, whatever the machine code does. */
#include "object_fixture.h"

#include "common/kernarg.h"

static struct emu_error error;

/* ---- At random ----------------------------------------------------------------------------------------------------*/

static int launch(struct emu *emu, const struct emu_kernel *kernel, const void *arguments, size_t bytes,
                  uint32_t threads, unsigned checks)
{
    struct emu_launch launch = {
        .kernel = kernel,
        .grid = {1, 1, 1},
        .block = {threads, 1, 1},
        .kernarg = arguments,
        .kernarg_bytes = bytes,
        .checks = checks,
        .threads = 1,
        .max_wave_instructions = 20000,
    };
    memset(&error, 0, sizeof error);
    int status = emu_launch(emu, &launch, NULL, &error);
    if (status) CHECK(error.text[0]);
    return status;
}

/* Once without arguments, once with such as lead through a small product, reading and writing one buffer. */
static void launch_all(struct emu *emu, const struct emu_object *object, unsigned checks)
{
    enum { BUFFER_BYTES = 65536 };
    static const unsigned char zeros[4096];
    uint64_t buffer = 0;
    if (emu_alloc(emu, BUFFER_BYTES, &buffer, NULL)) return; /* the object may have taken up what there is */
    void *at = (void *)(uintptr_t)buffer;
    struct mxg_kernarg arguments = {at, at, at, at, at, at, 512, 256, 16, 64, 16, 64, 512, 1, 0};
    for (size_t n = 0; n < emu_object_kernel_count(object); n++) {
        const struct emu_kernel *kernel = emu_object_kernel_at(object, n);
        launch(emu, kernel, zeros, sizeof zeros, 64, checks);
        launch(emu, kernel, &arguments, sizeof arguments, 256, checks);
    }
    emu_free(emu, buffer, NULL);
}

static uint64_t random_state;

static uint64_t random_below(uint64_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % bound;
}

/* From 1 to 8 random bytes in [first, end), many times. */
static void corrupt(int times, size_t first, size_t end)
{
    int loaded = 0;
    for (int n = 0; n < times; n++) {
        struct emu *emu = emu_create(0);
        unsigned char *data = copy_of(real.data, real.bytes);
        for (uint64_t change = random_below(8) + 1; change > 0; change--)
            data[first + random_below(end - first)] = (unsigned char)random_below(256);
        struct emu_object *object = load(emu, data, real.bytes, &error);
        if (object) launch_all(emu, object, n % 2 ? EMU_CHECK_ALL : 0);
        loaded += object != NULL;
        emu_object_unload(object);
        CHECK_EQ(emu_allocated_bytes(emu), 0);
        emu_destroy(emu);
        free(data);
    }
    printf("# %d of %d loaded\n", loaded, times);
}

static void corrupted_anywhere(void)
{
    random_state = 1;
    corrupt(2000, 0, real.bytes);
}

static void corrupted_headers(void)
{
    size_t symbols = section_header(SHT_DYNSYM);
    random_state = 2;
    corrupt(300, 0, program_header(PT_NOTE, PF_R) + sizeof(Elf64_Phdr));
    corrupt(300, section_header(SHT_NULL), symbols + sizeof(Elf64_Shdr));
    corrupt(300, field(symbols + offsetof(Elf64_Shdr, sh_offset), 8), descriptor(0));
    for (size_t n = 0; n < 2; n++) corrupt(300, descriptor(n), descriptor(n) + 64);
}

static void corrupted_code(void)
{
    size_t text = program_header(PT_LOAD, PF_R | PF_X);
    size_t first = field(text + offsetof(Elf64_Phdr, p_offset), 8);
    random_state = 3;
    corrupt(2000, first, first + field(text + offsetof(Elf64_Phdr, p_filesz), 8));
}

/* ---- Made to do harm ----------------------------------------------------------------------------------------------*/

/* The real object with code of so many bytes appended as its executable segment, in which the first kernel begins. */
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
    for (size_t n = 0; n < 2; n++) put(data + descriptor(n) + 16, address - descriptor(n), 8);
    return data;
}

/* Of the second half of a long instruction, whether it has a prefix itself: a chain of these must not be followed. */
static void chain_of_prefixes(void)
{
    enum { BYTES = 4 << 20 };
    static uint32_t code[BYTES / 4];
    static const unsigned char zeros[256];
    for (size_t n = 0; n < BYTES / 4; n++) code[n] = 0xd3ac0000;
    struct emu *emu = emu_create(0);
    unsigned char *data = with_code(code, BYTES);
    struct emu_object *object = load(emu, data, real.bytes + BYTES, &error);
    if (CHECK(object)) CHECK(launch(emu, emu_object_kernel_at(object, 0), zeros, sizeof zeros, 64, 0) != 0);
    CHECK_HAS(error.text, "is not known to the emulator");
    emu_object_unload(object);
    emu_destroy(emu);
    free(data);
}

/* Zeros that are in no file are not decoded. */
static void code_without_end(void)
{
    struct emu *emu = emu_create(0);
    unsigned char *data = copy_of(real.data, real.bytes);
    put(data + program_header(PT_LOAD, PF_R | PF_X) + offsetof(Elf64_Phdr, p_memsz), 1 << 30, 8);
    struct emu_object *object = load(emu, data, real.bytes, &error);
    if (CHECK(object)) launch_all(emu, object, 0);
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
    static const unsigned char zeros[256];
    for (size_t n = 0; n < sizeof programs / sizeof programs[0]; n++) {
        struct emu *emu = emu_create(0);
        unsigned char *data = with_code(programs[n].code, sizeof programs[n].code);
        struct emu_object *object = load(emu, data, real.bytes + sizeof programs[n].code, &error);
        if (CHECK(object)) CHECK(launch(emu, emu_object_kernel_at(object, 0), zeros, sizeof zeros, 256, 0) != 0);
        if (!CHECK_HAS(error.text, "hang")) printf("# %s\n", programs[n].what);
        emu_object_unload(object);
        emu_destroy(emu);
        free(data);
    }
}

/* As many registers as a descriptor can say, all of them but four for accumulation, where the device has 256. */
static void too_many_registers(void)
{
    static const unsigned char zeros[256];
    static const uint32_t end = 0xbf810000;
    struct emu *emu = emu_create(0);
    unsigned char *data = with_code(&end, sizeof end);
    size_t at = descriptor(0);
    data[at + 48] |= 63;
    put(data + at + 44, 0, 4);
    struct emu_object *object = load(emu, data, real.bytes + sizeof end, &error);
    if (CHECK(object)) CHECK_EQ(launch(emu, emu_object_kernel_at(object, 0), zeros, sizeof zeros, 64, 0), 0);
    emu_object_unload(object);
    emu_destroy(emu);
    free(data);
}

static void too_much_scratch(void)
{
    static const unsigned char zeros[256];
    struct emu *emu = emu_create(0);
    struct emu_object *object = load(emu, real.data, real.bytes, &error);
    struct emu_kernel kernel = *emu_object_kernel_at(object, 0);
    kernel.private_bytes = UINT32_MAX;
    CHECK(launch(emu, &kernel, zeros, sizeof zeros, 64, 0) != 0);
    CHECK_HAS(error.text, "4294967295 bytes of scratch a lane");
    kernel.private_bytes = 1 << 16;
    CHECK_EQ(launch(emu, &kernel, zeros, sizeof zeros, 64, 0), 0);
    emu_object_unload(object);
    emu_destroy(emu);
}

int main(void)
{
    open_real_object();
    TEST(corrupted_anywhere);
    TEST(corrupted_headers);
    TEST(corrupted_code);
    TEST(chain_of_prefixes);
    TEST(code_without_end);
    TEST(endless);
    TEST(too_many_registers);
    TEST(too_much_scratch);
    mxg_library_close(library);
    return test_end();
}
