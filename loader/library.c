#define _POSIX_C_SOURCE 200809L
#include "loader/choices.h"
#include "loader/pack.h"
#include "loader/predict.h"
#include "loader/status.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void mxg_library_close(mxg_library *library)
{
    if (!library || atomic_fetch_sub(&library->references, 1) > 1) return;
    const struct mxg_host host = library->host;
    /* That a mapping of our own cannot be unmapped does not happen, and nobody could act on it. */
    if (library->mapped) (void)munmap((void *)(uintptr_t)library->data, (size_t)library->bytes);
    mxg_choices_release(library);
    mxg_selection_release(library);
    mxg_pack_release(library);
    mxg_release(&host, library);
}

void mxg_library_retain(mxg_library *library)
{
    atomic_fetch_add(&library->references, 1);
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

static mxg_status map_path(const char *path, const void **data, uint64_t *bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* or a FIFO would wait for its writer */
    if (file < 0) return mxg_fail(MXG_ERROR_FILE, "cannot open pack %s: %s", path, strerror(errno));
    mxg_status status = map_file(path, file, data, bytes);
    (void)close(file); /* read only: nothing can be lost */
    return status;
}

static mxg_status read_pack(mxg_library *library, const char *path)
{
    mxg_status status = mxg_pack_read_index(library);
    if (!status || !path) return status;
    char why[768];
    why[0] = 0;
    strncat(why, mxg_last_error(), sizeof why - 1);
    return mxg_fail(status, "%s: %s", path, why);
}

mxg_status mxg_library_open(const mxg_library_options *options, mxg_library **library)
{
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open: library is NULL");
    *library = NULL;
    mxg_library_options own = MXG_LIBRARY_OPTIONS_INIT;
    mxg_status status = mxg_take_struct(&own, sizeof own, options, "library options");
    if (status) return status;
    if (!own.data == !own.path)
        return mxg_fail(MXG_ERROR_ARGUMENT, "library options: %s data and path are given",
                        own.data ? "both" : "neither of");
    if (own.bytes > PTRDIFF_MAX) return mxg_fail(MXG_ERROR_ARGUMENT, "library options: bytes is more than there is");
    struct mxg_host host;
    status = mxg_host_take(&host, &own);
    if (status) return status;

    mxg_library *made = mxg_allocate(&host, 1, sizeof *made);
    if (!made) return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a library");
    made->host = host;
    atomic_init(&made->references, 1);
    made->data = own.data, made->bytes = own.bytes;
    if (own.path) {
        const void *data = NULL;
        status = map_path(own.path, &data, &made->bytes);
        made->data = data, made->mapped = !status;
    }
    if (!status) status = read_pack(made, own.path);
    if (!status) status = mxg_selection_make(made);
    if (!status && own.choices_path) status = mxg_choices_read(made, own.choices_path);
    if (status) {
        mxg_library_close(made);
        return status;
    }
    *library = made;
    return MXG_OK;
}

mxg_status mxg_library_open_memory(const void *data, uint64_t bytes, mxg_library **library)
{
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_memory: library is NULL");
    *library = NULL;
    if (!data) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_memory: data is NULL");
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    options.data = data, options.bytes = bytes;
    return mxg_library_open(&options, library);
}

mxg_status mxg_library_open_file(const char *path, mxg_library **library)
{
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_file: library is NULL");
    *library = NULL;
    if (!path) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_open_file: path is NULL");
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    options.path = path;
    return mxg_library_open(&options, library);
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
