/* What the compiler makes of ordinary code, run under all checks. Most kernels are written once, for the device and for
 * the host: the host's compiler and processor then say what is right. */
#include "tests/isa/hip_kernel.h"
#include "tests/random.h"
#include "tests/test.h"

enum { GROUPS = 2, GROUP_ITEMS = 104, ITEMS = GROUPS * GROUP_ITEMS, WORDS = 8 }; /* the last wave is not full */

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

struct mixed {
    u64 wide;
    u32 narrow;
};

/* Code for the host, and its text for the device. */
/* clang-format off */
#define FUNCTION(name, signature, ...)                                                                                 \
    static signature __VA_ARGS__                                                                                       \
    static const char name##_text[] = "static __attribute__((device, noinline)) " #signature #__VA_ARGS__ "\n";
#define BODY(name, ...)                                                                                                \
    static void host_##name(const u32 *in, u32 *out, const u32 *first)                                                 \
    {                                                                                                                  \
        (void)first;                                                                                                   \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    static const char name##_text[] = "KERNEL void " #name "(const u32 *first, u32 *to)\n"                             \
                                      "{ const u32 *in = first + 8 * item(); u32 *out = to + 8 * item(); "             \
                                      "[&]() " #__VA_ARGS__ " (); }\n";
/* clang-format on */

FUNCTION(fold, struct mixed fold(struct mixed m, const u32 *words, u32 count), {
    for (u32 n = 0; n < count; n++) m.wide = m.wide * 31 + words[(m.narrow + n) % 8];
    m.narrow = (u32)(m.wide >> 32) ^ count;
    return m;
})

/* Loops that lanes leave at different times, each in another way. */
BODY(control, {
    u32 sum = 0;
    for (u32 n = 0; n < 8; n++) out[n] = n;
    for (u32 a = 0; a <= in[0] % 9; a++) {
        if ((a ^ in[1]) % 5 == 3) continue;
        u32 x = in[2] + a;
        while (x % 7 != 0) {
            x = x * 5 + 1;
            if (x > 0xf0000000u) break;
            sum++;
        }
        switch (x % 6) {
        case 0:
            sum += a;
            __attribute__((fallthrough));
        case 1:
            sum *= 3;
            break;
        case 2:
            sum ^= in[3];
            break;
        case 3:
            if (in[4] & 1) {
                out[0] = sum;
                return;
            }
            __attribute__((fallthrough));
        default:
            sum -= 7;
        }
    }
    out[1] = sum;
    for (u32 a = 0; a < 4; a++)
        for (u32 b = a; b < in[5] % 6; b++) out[2 + a] += b * in[6];
})

BODY(integers, {
    u64 a = in[0] | (u64)in[1] << 32, b = in[2] | (u64)in[3] << 32;
    i64 c = (i64)(in[4] | (u64)in[5] << 32), d = (i64)(i32)in[6];
    u64 quotient = a / (b | 1), rest = (a ^ b) % (b >> (in[7] & 63) | 1);
    i64 signed_quotient = d != 0 && d != -1 ? c / d : c;
    u64 product = a * b + (u64)((i64)(i32)in[0] * (i32)in[2]);
    out[0] = (u32)(quotient ^ rest);
    out[1] = (u32)(quotient >> 32) + (u32)(rest >> 32);
    out[2] = (u32)signed_quotient;
    out[3] = (u32)((u64)signed_quotient >> 32) - (u32)(c % 1000003);
    out[4] = (u32)(product ^ (u64)(c >> (in[7] & 63)));
    out[5] = (u32)((product << (in[6] & 63)) >> 32);
    out[6] = (u32)__builtin_popcountll(a) << 16 | (u32)__builtin_clzll(b | 1) << 8;
    out[6] |= (u32)__builtin_ctz(in[3] | 1u << 31);
    out[7] = (unsigned short)in[1] * (unsigned char)in[2] + (u32)((signed char)in[3] >> 2) - in[5] / 641;
})

/* Arrays with indices known only at run time: a short one stays in registers if all lanes have the same index, */
BODY(registers, {
    u32 kept[16];
    for (u32 n = 0; n < 16; n++) kept[n] = n * in[1];
    for (u32 n = 0; n < 8; n++) kept[first[n] % 16] += kept[first[7 - n] / 7 % 16] ^ in[n];
    for (u32 n = 0; n < 8; n++) out[n] = kept[first[n] / 16 % 16] + kept[n];
})

/* and others lie in scratch. */
BODY(arrays, {
    u32 small[8];
    u32 large[200];
    unsigned char bytes[24];
    for (u32 n = 0; n < 8; n++) small[n] = in[n];
    for (u32 n = 0; n < 8; n++) small[in[n] % 8] += in[7 - n] ^ n;
    for (u32 n = 0; n < 200; n++) large[n * 37 % 200] = n * in[0];
    for (u32 n = 0; n < 24; n++) bytes[(n * 5 + in[1] % 24) % 24] = (unsigned char)(in[n % 8] >> n);
    for (u32 n = 0; n < 20; n++) large[in[n % 8] % 190 + n % 3] ^= large[in[2] % (180 + n)];
    struct mixed start = {in[3], in[4]};
    struct mixed end = fold(start, small, in[5] % 20);
    end = fold(end, large + in[6] % 190, in[7] % 9);
    out[0] = (u32)end.wide;
    out[1] = end.narrow;
    for (u32 n = 2; n < 8; n++) out[n] = small[in[n] % 8] + large[in[n] % 200] * 3 + bytes[in[n] % 24];
})

/* Finite or not, but no NaN is looked into. */
BODY(floats, {
    float a, b, c;
    __builtin_memcpy(&a, in, 4);
    __builtin_memcpy(&b, in + 1, 4);
    __builtin_memcpy(&c, in + 2, 4);
    double wide = (double)a * b + (double)(i32)in[3] / ((double)in[4] + 1);
    float results[6] = {a / b,     __builtin_sqrtf(a < 0 ? -a : a),        __builtin_fmaf(a, b, c), (float)wide,
                        a * c - b, (float)(i32)in[5] + __builtin_floorf(c)};
    for (u32 n = 0; n < 6; n++) {
        __builtin_memcpy(out + n, results + n, 4);
        if (results[n] != results[n]) out[n] = 0x7fc00000;
    }
    double root = __builtin_sqrt(wide < 0 ? -wide : wide) / 3;
    u64 bits;
    __builtin_memcpy(&bits, &root, 8);
    if (root != root) bits = 0;
    out[6] = (u32)bits;
    out[7] = (u32)(bits >> 32) ^ (u32)(a < b) ^ (u32)(c >= a) << 1 ^ (u32) !(b == c) << 2;
})

static const char head[] = "#pragma clang fp contract(off)\n"
                           "typedef unsigned u32; typedef unsigned long u64; typedef int i32; typedef long i64;\n"
                           "struct mixed { u64 wide; u32 narrow; };\n"
                           "#define KERNEL extern \"C\" __attribute__((global))\n"
                           "static __attribute__((device)) u32 item()\n"
                           "{\n"
                           "    return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +\n"
                           "           __builtin_amdgcn_workitem_id_x();\n"
                           "}\n";

/* Lanes that are on at the end of a partial wave: each word tells of all of them. */
static const char lanes_text[] =
    "#define SHIFTED(control) __builtin_amdgcn_update_dpp(0, (i32)sum, control, 15, 15, true)\n"
    "KERNEL void lanes(const u32 *from, u32 *to)\n"
    "{\n"
    "    u32 l = __builtin_amdgcn_workitem_id_x() & 63, x = from[8 * item()], *out = to + 8 * item(), sum = x;\n"
    "    u64 odd = __builtin_amdgcn_ballot_w64(x & 1), on = __builtin_amdgcn_ballot_w64(true);\n"
    "    out[0] = (u32)odd;\n"
    "    out[1] = (u32)(odd >> 32);\n"
    "    out[2] = __builtin_amdgcn_mbcnt_hi((u32)(odd >> 32), __builtin_amdgcn_mbcnt_lo((u32)odd, 0));\n"
    "    out[3] = __builtin_amdgcn_readfirstlane(x);\n"
    "    out[4] = __builtin_amdgcn_ds_bpermute((i32)(l ^ 5) * 4, (i32)x);\n"
    "    sum += SHIFTED(0x111); sum += SHIFTED(0x112); sum += SHIFTED(0x114); sum += SHIFTED(0x118);\n"
    "    out[5] = sum;\n" /* of the row of 16 so far */
    "    u32 all = 0, group = 0;\n"
    "    for (u64 left = on; left; left &= left - 1) all ^= __builtin_amdgcn_readlane(x, __builtin_ctzll(left));\n"
    "    out[6] = all;\n"
    "    for (bool done = false; !done;)\n"
    "        if ((x & 3) == __builtin_amdgcn_readfirstlane(x & 3)) {\n"
    "            group = (u32)__builtin_popcountll(__builtin_amdgcn_ballot_w64(true));\n"
    "            done = true;\n"
    "        }\n"
    "    out[7] = group;\n"
    "}\n";

static void host_lanes(const u32 *in, u32 *out, const u32 *first)
{
    u32 i = (u32)(in - first) / WORDS, l = i % GROUP_ITEMS % 64, start = i - l, end = start;
    while (end < start + 64 && end / GROUP_ITEMS == i / GROUP_ITEMS) end++;
    memset(out, 0, WORDS * sizeof *out);
    for (u32 other = start; other < end; other++) {
        u32 x = first[WORDS * other], bit = (other - start) % 32;
        out[(other - start) / 32] |= (x & 1) << bit;
        if (other < i) out[2] += x & 1;
        if (other - start == (l ^ 5)) out[4] = x;
        if (other <= i && (other - start) / 16 == l / 16) out[5] += x;
        out[6] ^= x;
        out[7] += (x & 3) == (in[0] & 3);
    }
    out[3] = first[WORDS * start];
}

/* Arguments of every size, and blocks and grids in three dimensions. */
static const char arguments_text[] =
    "struct three { unsigned char c[3]; };\n"
    "KERNEL void arguments(u32 *to, signed char a, short b, float c, struct three d, double e, struct mixed f,\n"
    "                      bool g)\n"
    "{\n"
    "    const unsigned short *sizes = (const unsigned short *)((const u32 *)__builtin_amdgcn_implicitarg_ptr() + 3);\n"
    "    const u32 *counts = (const u32 *)__builtin_amdgcn_implicitarg_ptr();\n"
    "    u32 group = __builtin_amdgcn_workgroup_id_z() * counts[1] + __builtin_amdgcn_workgroup_id_y();\n"
    "    group = group * counts[0] + __builtin_amdgcn_workgroup_id_x();\n"
    "    u32 local = (__builtin_amdgcn_workitem_id_z() * sizes[1] + __builtin_amdgcn_workitem_id_y()) * sizes[0] +\n"
    "                __builtin_amdgcn_workitem_id_x();\n"
    "    double sum = a + b + c + d.c[0] + d.c[1] + d.c[2] + e + (double)f.wide + f.narrow + g;\n"
    "    to[group * (sizes[0] * sizes[1] * sizes[2]) + local] = (u32)(u64)sum + group * 1000 + local;\n"
    "}\n";

static struct emu *emu;
static struct emu_object *object;

static uint64_t buffer(size_t bytes)
{
    struct emu_error error = {""};
    uint64_t address = 0;
    if (emu_alloc(emu, bytes, &address, &error) || emu_fill(emu, address, 0xcc, bytes, &error))
        CHECK_STR(error.text, "");
    return address;
}

static void launch(const char *name, const u32 grid[3], const u32 block[3], const void *kernarg, size_t bytes)
{
    struct emu_error error = {""};
    struct emu_launch how = {.kernel = emu_object_kernel(object, name),
                             .kernarg = kernarg,
                             .kernarg_bytes = bytes,
                             .checks = EMU_CHECK_ALL,
                             .max_wave_instructions = 1000000};
    memcpy(how.grid, grid, sizeof how.grid);
    memcpy(how.block, block, sizeof how.block);
    emu_launch(emu, &how, NULL, &error);
    CHECK_STR(error.text, "");
}

/* Random words, among them small numbers and edges, on the device and on the host. first: the words of all items. */
static void compare(const char *name, void (*host)(const u32 *in, u32 *out, const u32 *first))
{
    static u32 in[ITEMS * WORDS], out[ITEMS * WORDS], expected[ITEMS * WORDS];
    static const u32 edges[] = {0, 1, 0x7fffffff, 0x80000000, ~0u, 0x7f800000, 0xff800000, 0x3f800000, 0x00000007};
    uint64_t random = 1;
    struct emu_error error = {""};
    for (u32 n = 0; n < ITEMS * WORDS; n++) {
        u64 x = random_next(&random);
        in[n] = x % 4 ? (u32)(x >> 32) >> (x % 4 == 1 ? 16 : 0) : edges[(x >> 8) % (sizeof edges / sizeof edges[0])];
    }
    memset(expected, 0xcc, sizeof expected);
    for (u32 n = 0; n < ITEMS; n++) host(in + WORDS * n, expected + WORDS * n, in);
    const uint64_t kernarg[] = {buffer(sizeof in), buffer(sizeof out)};
    CHECK(emu_write(emu, kernarg[0], in, sizeof in, &error) == 0);
    launch(name, (u32[]){GROUPS, 1, 1}, (u32[]){GROUP_ITEMS, 1, 1}, kernarg, sizeof kernarg);
    CHECK(emu_read(emu, kernarg[1], out, sizeof out, &error) == 0);
    for (u32 n = 0; n < ITEMS * WORDS; n++)
        if (out[n] != expected[n]) {
            test_fail(__FILE__, __LINE__, "%s: word %u of item %u is 0x%x, not 0x%x", name, n % WORDS, n / WORDS,
                      out[n], expected[n]);
            return;
        }
}

static void one_source_for_both(void)
{
    compare("control", host_control);
    compare("integers", host_integers);
    compare("registers", host_registers);
    compare("arrays", host_arrays);
    compare("floats", host_floats);
}

static void lanes_of_a_wave(void)
{
    compare("lanes", host_lanes);
}

static void arguments_and_dimensions(void)
{
    enum { X = 5, Y = 3, Z = 7, TOTAL = 2 * 3 * 2 * X * Y * Z };
    static u32 out[TOTAL];
    struct emu_error error = {""};
    struct {
        uint64_t to;
        signed char a;
        int16_t b;
        float c;
        unsigned char d[3];
        double e;
        struct mixed f;
        bool g;
    } kernarg = {buffer(sizeof out), -5, -300, 1000.5f, {1, 20, 200}, 0.25, {5000000000, 17}, true};
    launch("arguments", (u32[]){2, 3, 2}, (u32[]){X, Y, Z}, &kernarg, sizeof kernarg);
    CHECK(emu_read(emu, kernarg.to, out, sizeof out, &error) == 0);
    for (u32 n = 0; n < TOTAL; n++) /* -5 - 300 + 1000.5 + 221 + 0.25 + 17 + 1 and the u64 */
        if (!CHECK_EQ(out[n], (u32)(5000000000 + 934) + n / (X * Y * Z) * 1000 + n % (X * Y * Z))) return;
}

int main(void)
{
    struct gen_text source = {0};
    gen_text_print(&source, "%s%s%s%s%s%s%s%s%s", head, fold_text, control_text, integers_text, registers_text,
                   arrays_text, floats_text, lanes_text, arguments_text);
    emu = emu_create(0);
    object = hip_object(emu, source.data);
    gen_text_free(&source);
    TEST(one_source_for_both);
    TEST(lanes_of_a_wave);
    TEST(arguments_and_dimensions);
    emu_object_unload(object);
    emu_destroy(emu);
    return test_end();
}
