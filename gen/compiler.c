#define _GNU_SOURCE
#include "gen/compiler.h"

#include "gen/comgr.h"
#include "gen/io.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A loaded library's file, and what of its status changes whenever its content does. */
struct file {
    char path[4096];
    struct gen_file_sum *sum;
    char status[160];
    int settled; /* it was last changed so long ago that a later change cannot have the same time */
};

struct search {
    struct gen_compiler *compiler;
    struct file files[GEN_COMPILER_LIBRARIES];
    int failed;
};

static int add_library(struct dl_phdr_info *info, size_t size, void *context)
{
    static const char *const parts[] = {"libamd_comgr", "libLLVM", "libclang", "liblld"};
    struct search *search = context;
    struct gen_compiler *compiler = search->compiler;
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    size_t part = 0;
    while (part < sizeof parts / sizeof parts[0] && strncmp(name, parts[part], strlen(parts[part])) != 0) part++;
    if (part == sizeof parts / sizeof parts[0]) return 0;
    struct file *file = &search->files[compiler->library_count];
    struct gen_file_sum *sum = &compiler->libraries[compiler->library_count];
    if (compiler->library_count == GEN_COMPILER_LIBRARIES || strlen(name) >= sizeof sum->name ||
        strlen(info->dlpi_name) >= sizeof file->path) {
        gen_error("the compiler has more libraries, or longer names of them, than mxgen can tell: %s", info->dlpi_name);
        return search->failed = 1;
    }
    compiler->library_count++;
    strcpy(sum->name, name), strcpy(file->path, info->dlpi_name);
    return 0;
}

static int by_name(const void *left, const void *right)
{
    const struct gen_file_sum *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static int read_status(struct file *file)
{
    enum { SETTLED_S = 2 };
    struct stat about;
    if (stat(file->path, &about) != 0)
        return gen_error("cannot look at the compiler's library %s: %s", file->path, strerror(errno));
    snprintf(file->status, sizeof file->status, "%jd %jd.%09ld %jd.%09ld %ju:%ju", (intmax_t)about.st_size,
             (intmax_t)about.st_mtim.tv_sec, about.st_mtim.tv_nsec, (intmax_t)about.st_ctim.tv_sec,
             about.st_ctim.tv_nsec, (uintmax_t)about.st_dev, (uintmax_t)about.st_ino);
    time_t now = time(NULL);
    file->settled = about.st_ctim.tv_sec + SETTLED_S < now && about.st_mtim.tv_sec + SETTLED_S < now;
    return 0;
}

static int hash_file(struct file *file)
{
    unsigned char digest[MXG_SHA256_BYTES];
    struct stat about;
    int opened = open(file->path, O_RDONLY | O_CLOEXEC);
    void *data = MAP_FAILED;
    if (opened >= 0 && fstat(opened, &about) == 0 && about.st_size > 0)
        data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, opened, 0);
    int why = errno;
    if (opened >= 0) close(opened);
    if (data == MAP_FAILED) return gen_error("cannot read the compiler's library %s: %s", file->path, strerror(why));
    mxg_sha256(data, (size_t)about.st_size, digest);
    munmap(data, (size_t)about.st_size);
    gen_hex(digest, file->sum->sha256);
    return 0;
}

/* A line of the cache: SHA256 STATUS PATH. */
static void cache_line(const struct file *file, struct gen_text *text)
{
    gen_text_print(text, "%s %s %s\n", file->sum->sha256, file->status, file->path);
}

/* The cache's first line is the sum of the others: with a wrong sum of a library all would be compiled anew, and the
 * manifest would name a compiler that nobody has. */
static void seal(const struct gen_text *lines, struct gen_text *cache)
{
    unsigned char digest[MXG_SHA256_BYTES];
    char hex[GEN_HEX_BYTES];
    mxg_sha256(lines->data, lines->bytes, digest);
    gen_hex(digest, hex);
    gen_text_print(cache, "%s\n%s", hex, lines->data);
}

/* Appends the lines of a cache that is whole. */
static void read_cache(const char *path, struct gen_text *lines)
{
    enum { MOST_BYTES = 1 << 16 };
    struct gen_text cache = {0}, wanted = {0};
    if (gen_read_regular_file(path, MOST_BYTES, &cache) == 0 && cache.bytes > GEN_HEX_BYTES) {
        gen_text_add(lines, cache.data + GEN_HEX_BYTES, cache.bytes - GEN_HEX_BYTES);
        seal(lines, &wanted);
        if (wanted.bytes != cache.bytes || memcmp(wanted.data, cache.data, cache.bytes) != 0) gen_text_free(lines);
    }
    gen_text_free(&cache), gen_text_free(&wanted);
}

static int find_in_cache(struct file *file, const struct gen_text *cache)
{
    struct gen_text tail = {0};
    gen_text_print(&tail, " %s %s\n", file->status, file->path);
    int found = 0;
    for (const char *line = cache->data; line && *line && !found;) {
        const char *end = strchr(line, '\n');
        if (!end) break;
        size_t bytes = (size_t)(end + 1 - line), digits = GEN_HEX_BYTES - 1;
        found = bytes == digits + tail.bytes && memcmp(line + digits, tail.data, tail.bytes) == 0;
        if (found) snprintf(file->sum->sha256, GEN_HEX_BYTES, "%.*s", (int)digits, line);
        line = end + 1;
    }
    gen_text_free(&tail);
    return found;
}

static int sum_files(struct search *search, const char *cache)
{
    struct gen_text old = {0}, new = {0}, sealed = {0};
    int result = 0, hashed = 0;
    if (cache) read_cache(cache, &old);
    for (size_t i = 0; result == 0 && i < search->compiler->library_count; i++) {
        struct file *file = &search->files[i];
        if ((result = read_status(file)) != 0) break;
        if (!find_in_cache(file, &old)) hashed = 1, result = hash_file(file);
        if (result == 0 && file->settled) cache_line(file, &new);
    }
    if (result == 0 && hashed && cache && new.bytes > 0) {
        seal(&new, &sealed);
        result = gen_write_file(cache, &sealed);
    }
    gen_text_free(&old), gen_text_free(&new), gen_text_free(&sealed);
    return result;
}

int gen_compiler_identify(const char *cache, struct gen_compiler *compiler)
{
    struct search *search = gen_alloc(1, sizeof *search);
    unsigned char digest[MXG_SHA256_BYTES];
    struct mxg_sha256 hash;
    *compiler = (struct gen_compiler){0};
    search->compiler = compiler;
    gen_comgr_version(compiler->version);
    dl_iterate_phdr(add_library, search);
    for (size_t i = 0; i < compiler->library_count; i++) search->files[i].sum = &compiler->libraries[i];
    int result = search->failed ? -1 : sum_files(search, cache);
    free(search);
    if (result != 0) return -1;
    if (compiler->library_count == 0) return gen_error("cannot tell which libraries the compiler is made of");
    qsort(compiler->libraries, compiler->library_count, sizeof compiler->libraries[0], by_name);
    mxg_sha256_init(&hash);
    mxg_sha256_update(&hash, compiler->version, strlen(compiler->version) + 1);
    for (size_t i = 0; i < compiler->library_count; i++) {
        mxg_sha256_update(&hash, compiler->libraries[i].name, strlen(compiler->libraries[i].name) + 1);
        mxg_sha256_update(&hash, compiler->libraries[i].sha256, GEN_HEX_BYTES);
    }
    mxg_sha256_final(&hash, digest);
    gen_hex(digest, compiler->sha256);
    return 0;
}
