#define _POSIX_C_SOURCE 200809L
#include "loader/pack.h"
#include "loader/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void mxg_library_close(mxg_library *library)
{
    if (!library || atomic_fetch_sub(&library->references, 1) > 1) return;
    /* That a mapping of our own cannot be unmapped does not happen, and nobody could act on it. */
    if (library->mapped) (void)munmap((void *)(uintptr_t)library->data, (size_t)library->bytes);
    free(library->entries);
    free(library->rows);
    free(library);
}

void mxg_library_retain(mxg_library *library)
{
    atomic_fetch_add(&library->references, 1);
}

static mxg_status open_library(const void *data, uint64_t bytes, bool mapped, mxg_library **result)
{
    mxg_library *library = calloc(1, sizeof *library);
    if (!library) {
        if (mapped) (void)munmap((void *)(uintptr_t)data, (size_t)bytes);
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a library");
    }
    library->data = data, library->bytes = bytes, library->mapped = mapped;
    atomic_init(&library->references, 1);
    mxg_status status = mxg_pack_read_index(library);
    if (status) {
        mxg_library_close(library);
        return status;
    }
    *result = library;
    return MXG_OK;
}

mxg_status mxg_library_open_memory(const void *data, uint64_t bytes, mxg_library **library)
{
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_memory: library is NULL");
    *library = NULL;
    if (!data) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_memory: data is NULL");
    if (bytes > PTRDIFF_MAX)
        return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_memory: bytes is more than there is");
    return open_library(data, bytes, false, library);
}

static mxg_status map_file(const char *path, int file, const void **data, uint64_t *bytes)
{
    struct stat about;
    if (fstat(file, &about) != 0) return mxg_fail(MXG_ERROR_FILE, "cannot read pack %s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return mxg_fail(MXG_ERROR_FILE, "pack %s is not a file", path);
    if (about.st_size <= 0) return mxg_fail(MXG_ERROR_PACK, "pack %s is empty", path);
    void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) return mxg_fail(MXG_ERROR_FILE, "cannot map pack %s: %s", path, strerror(errno));
    *data = map, *bytes = (uint64_t)about.st_size;
    return MXG_OK;
}

mxg_status mxg_library_open_file(const char *path, mxg_library **library)
{
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_file: library is NULL");
    *library = NULL;
    if (!path) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_file: path is NULL");

    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* or a FIFO would wait for its writer */
    if (file < 0) return mxg_fail(MXG_ERROR_FILE, "cannot open pack %s: %s", path, strerror(errno));
    const void *data = NULL;
    uint64_t bytes = 0;
    mxg_status status = map_file(path, file, &data, &bytes);
    (void)close(file); /* read only: nothing can be lost */
    if (status) return status;
    status = open_library(data, bytes, true, library);
    if (status) {
        char why[768];
        why[0] = 0;
        strncat(why, mxg_last_error(), sizeof why - 1);
        return mxg_fail(status, "%s: %s", path, why);
    }
    return MXG_OK;
}

uint32_t mxg_library_variant_count(const mxg_library *library)
{
    return library ? library->count : 0;
}

const char *mxg_library_arch(const mxg_library *library)
{
    return library ? library->arch : "";
}

mxg_status mxg_library_variant(const mxg_library *library, uint32_t index, mxg_variant_info *info)
{
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_variant: library is NULL");
    if (index >= library->count)
        return mxg_fail(MXG_ERROR_ARGUMENT, "variant index %u of a pack of %u", index, library->count);
    return mxg_pack_give_info(&library->entries[index], info);
}
