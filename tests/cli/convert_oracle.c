/* What tests/cli/convert.sh needs of .safetensors files, written apart from the converter: it makes them, and says what
 * the bytes of a converted one must be, from the rules in the documentation alone.
 *
 *   make FILE [@KEY=VALUE]... [NAME:DTYPE:SHAPE:SEED]...  tensors of random bytes, shape as 2,3; SEED 0: a hole, of
 * zeros extract FILE NAME OUT                                 the bytes of a tensor expect FILE NAME FORMAT MATRICES
 * ROWS K LAYOUT SCALE_LAYOUT [CODES SCALES] < bytes-of-scales writes what NAME of FILE becomes, codes and scales;
 * FORMAT is bf16, f16, f32 or mxfp4, whose scales are on stdin entry FILE NAME its text in the header */
#include "tests/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what, const char *which)
{
    fprintf(stderr, "convert_oracle: %s %s\n", what, which);
    exit(3);
}

static void *need(void *memory)
{
    if (!memory) die("no", "memory");
    return memory;
}

static void put(FILE *file, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, file) != bytes) die("cannot", "write");
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static uint64_t element_bits(const char *dtype)
{
    return strcmp(dtype, "F4") == 0                                  ? 4
           : strcmp(dtype, "BF16") == 0 || strcmp(dtype, "F16") == 0 ? 16
           : strcmp(dtype, "F32") == 0 || strcmp(dtype, "U32") == 0  ? 32
           : strcmp(dtype, "I64") == 0                               ? 64
                                                                     : 8;
}

/* Any bytes at all in every other 64; elsewhere exponents near each other, as weights have them. */
static void fill(unsigned char *data, uint64_t bytes, const char *dtype, uint64_t seed)
{
    int bf16 = strcmp(dtype, "BF16") == 0, f16 = strcmp(dtype, "F16") == 0, f32 = strcmp(dtype, "F32") == 0;
    for (uint64_t i = 0; i < bytes; i++) data[i] = (unsigned char)(random_next(&seed) >> 24);
    for (uint64_t i = 0; i + 4 <= bytes; i += 4) {
        if (i / 64 % 2 == 0) continue;
        uint32_t word;
        memcpy(&word, data + i, 4);
        if (bf16) word = (word & 0x83ff83ff) | 0x3c003c00;
        if (f16) word = (word & 0x8fff8fff) | 0x20002000;
        if (f32) word = (word & 0x83ffffff) | 0x3c000000;
        memcpy(data + i, &word, 4);
    }
}

static void make(const char *path, char **specs)
{
    char *header = NULL;
    size_t header_bytes;
    uint64_t at = 0;
    FILE *file = need(fopen(path, "wb")), *text = need(open_memstream(&header, &header_bytes));
    fprintf(text, "{\"__metadata__\":{\"format\":\"pt\"");
    for (char **spec = specs; *spec; spec++)
        if (**spec == '@')
            fprintf(text, ",\"%.*s\":\"%s\"", (int)strcspn(*spec + 1, "="), *spec + 1, strchr(*spec, '=') + 1);
    fprintf(text, "}");
    for (int pass = 0; pass < 2; pass++) {
        for (char **spec = specs; *spec; spec++) {
            char name[128], dtype[16], shape[64];
            uint64_t seed, bits, count = 1;
            if (**spec == '@') continue;
            if (sscanf(*spec, "%127[^:]:%15[^:]:%63[^:]:%" SCNu64, name, dtype, shape, &seed) != 4) die("bad", *spec);
            for (char *dim = shape; dim; dim = strchr(dim, ','), dim = dim ? dim + 1 : NULL)
                count *= strtoull(dim, NULL, 10);
            bits = count * element_bits(dtype);
            if (pass == 0) {
                fprintf(text, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}",
                        name, dtype, shape, at, at + bits / 8);
                at += bits / 8;
            } else if (seed == 0) {
                if (fseeko(file, (off_t)(bits / 8), SEEK_CUR) != 0) die("cannot seek in", path);
            } else {
                unsigned char *data = need(malloc(bits / 8 + 1));
                fill(data, bits / 8, dtype, seed);
                put(file, data, bits / 8);
                free(data);
            }
        }
        if (pass == 1) break;
        fprintf(text, "}");
        fclose(text);
        for (int i = 0; i < 8; i++) fputc((int)(header_bytes >> 8 * i & 255), file);
        put(file, header, header_bytes);
    }
    if (fflush(file) != 0 || ftruncate(fileno(file), (off_t)(8 + header_bytes + at)) != 0 || fclose(file) != 0)
        die("cannot write", path);
    free(header);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The text after "NAME": in the header; header is the caller's to free. */
static const char *find(FILE *file, const char *name, char **header, uint64_t *bytes)
{
    unsigned char prefix[8];
    if (fread(prefix, 1, 8, file) != 8) die("no header for", name);
    *bytes = 0;
    for (int i = 8; i-- > 0;) *bytes = *bytes << 8 | prefix[i];
    *header = need(calloc(1, *bytes + 1));
    if (fread(*header, 1, *bytes, file) != *bytes) die("short header for", name);
    char key[256];
    snprintf(key, sizeof key, "\"%s\":{", name);
    const char *found = strstr(*header, key);
    if (!found) die("no tensor", name);
    return found + strlen(key) - 1;
}

static unsigned char *tensor(const char *path, const char *name, uint64_t *bytes)
{
    char *header;
    uint64_t header_bytes, begin, end;
    FILE *file = fopen(path, "rb");
    if (!file) die("cannot open", path);
    const char *offsets = strstr(find(file, name, &header, &header_bytes), "\"data_offsets\":[");
    if (!offsets || sscanf(offsets, "\"data_offsets\":[%" SCNu64 ",%" SCNu64, &begin, &end) != 2)
        die("no offsets of", name);
    *bytes = end - begin;
    unsigned char *data = need(malloc(*bytes + 1));
    if (fseeko(file, (off_t)(8 + header_bytes + begin), SEEK_SET) != 0 || fread(data, 1, *bytes, file) != *bytes)
        die("cannot read", name);
    fclose(file);
    free(header);
    return data;
}

static void write_file(const char *path, const void *data, uint64_t bytes)
{
    FILE *file = need(fopen(path, "wb"));
    put(file, data, bytes);
    if (fclose(file) != 0) die("cannot write", path);
}

static void entry(const char *path, const char *name)
{
    char *header;
    uint64_t bytes;
    FILE *file = need(fopen(path, "rb"));
    const char *text = find(file, name, &header, &bytes);
    printf("%.*s\n", (int)strcspn(text, "}") + 1, text);
    fclose(file);
    free(header);
}

/* ---- what must come out ------------------------------------------------------------------------------------------ */

static double value_of(const unsigned char *in, const char *format, uint64_t i)
{
    uint32_t bits = 0;
    float value;
    if (strcmp(format, "f16") == 0) {
        uint16_t half;
        memcpy(&half, in + 2 * i, 2);
        int exponent = half >> 10 & 31, fraction = half & 1023;
        double magnitude = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                           : exponent == 0 ? ldexp(fraction, -24)
                                           : ldexp(1024 + fraction, exponent - 25);
        return half & 0x8000 ? -magnitude : magnitude;
    }
    if (strcmp(format, "bf16") == 0)
        memcpy((char *)&bits + 2, in + 2 * i, 2);
    else
        memcpy(&bits, in + 4 * i, 4);
    memcpy(&value, &bits, 4);
    return (double)value;
}

/* A block of 32: the rule of the design in doubles, which are exact here. */
static unsigned quantize(const double x[32], unsigned codes[32])
{
    static const double values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    double amax = 0;
    for (int i = 0; i < 32; i++) codes[i] = 0;
    for (int i = 0; i < 32; i++)
        if (!isfinite(x[i])) return 255;
    for (int i = 0; i < 32; i++) amax = fmax(amax, fabs(x[i]));
    float single = (float)amax;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    int e = (int)((bits + 0x200000) >> 23 & 255) - 127 - 2;
    if (e < -127) e = -127;
    for (int i = 0; i < 32; i++) {
        double scaled = ldexp(fabs(x[i]), -e);
        unsigned code = 0;
        for (unsigned c = 1; c < 8; c++) {
            double middle = (values[c - 1] + values[c]) / 2;
            if (scaled > middle || (scaled == middle && c % 2 == 0)) code = c;
        }
        codes[i] = code | (signbit(x[i]) ? 8u : 0u);
    }
    return (unsigned)(e + 127);
}

static void expect(char **arg, int count)
{
    const char *format = arg[2];
    uint64_t matrices = strtoull(arg[3], NULL, 10), rows = strtoull(arg[4], NULL, 10), k = strtoull(arg[5], NULL, 10);
    int shuffled = strcmp(arg[6], "shuffled") == 0, scales_shuffled = strcmp(arg[7], "shuffled") == 0;
    uint64_t groups = k / 32, padded_rows = (rows + 31) / 32 * 32, padded = (groups + 7) / 8 * 8, bytes;
    uint64_t scale_bytes = scales_shuffled ? padded_rows * padded : rows * groups;
    unsigned char *in = tensor(arg[0], arg[1], &bytes);
    unsigned char *row_scales = need(malloc(matrices * rows * groups + 1));
    unsigned char *codes = need(malloc(matrices * rows * k / 2 + 1)),
                  *scales = need(malloc(matrices * scale_bytes + 1));
    int mxfp4 = strcmp(format, "mxfp4") == 0;
    if (mxfp4 && fread(row_scales, 1, matrices * rows * groups, stdin) != matrices * rows * groups) die("no", "scales");
    memset(scales, 127, matrices * scale_bytes);
    for (uint64_t m = 0; m < matrices; m++)
        for (uint64_t r = 0; r < rows; r++)
            for (uint64_t g = 0; g < groups; g++) {
                uint64_t block = (m * rows + r) * groups + g;
                unsigned char packed[16];
                if (mxfp4) {
                    memcpy(packed, in + block * 16, 16);
                } else {
                    double x[32];
                    unsigned nibbles[32];
                    for (uint64_t i = 0; i < 32; i++) x[i] = value_of(in, format, block * 32 + i);
                    row_scales[block] = (unsigned char)quantize(x, nibbles);
                    for (int i = 0; i < 16; i++) packed[i] = (unsigned char)(nibbles[2 * i] | nibbles[2 * i + 1] << 4);
                }
                uint64_t at =
                    shuffled ? ((r / 16 * (k / 64) + g / 2) * 2 + g % 2) * 256 + r % 16 * 16 : (r * groups + g) * 16;
                memcpy(codes + m * rows * k / 2 + at, packed, 16);
                at = scales_shuffled
                         ? r / 32 * 32 * padded + g / 8 * 256 + g % 4 * 64 + r % 16 * 4 + g % 8 / 4 * 2 + r % 32 / 16
                         : r * groups + g;
                scales[m * scale_bytes + at] = row_scales[block];
            }
    write_file(count > 8 ? arg[8] : "codes", codes, matrices * rows * k / 2);
    write_file(count > 9 ? arg[9] : "scales", scales, matrices * scale_bytes);
    free(in), free(row_scales), free(codes), free(scales);
}

/* Its status is the command's. */
static int peak(char **command)
{
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (child == 0) execv(command[0], command);
    if (child <= 0 || wait4(child, &status, 0, &usage) != child) die("cannot run", command[0]);
    printf("%ld MiB resident at most\n", usage.ru_maxrss / 1024 + 1);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "make") == 0) {
        make(argv[2], argv + 3);
    } else if (argc == 5 && strcmp(argv[1], "extract") == 0) {
        uint64_t bytes;
        unsigned char *data = tensor(argv[2], argv[3], &bytes);
        write_file(argv[4], data, bytes);
        free(data);
    } else if (argc >= 10 && strcmp(argv[1], "expect") == 0) {
        expect(argv + 2, argc - 2);
    } else if (argc == 4 && strcmp(argv[1], "entry") == 0) {
        entry(argv[2], argv[3]);
    } else if (argc >= 3 && strcmp(argv[1], "peak") == 0) {
        return peak(argv + 2);
    } else {
        die("see the beginning of", "convert_oracle.c");
    }
    return 0;
}
