#define _GNU_SOURCE
#include "gen/comgr.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

/* The build id in the notes of a loaded library, 0 bytes if there is none. */
static size_t find_build_id(const struct dl_phdr_info *info, const unsigned char **id)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE) continue;
        const unsigned char *p = (const unsigned char *)(info->dlpi_addr + segment->p_vaddr);
        const unsigned char *end = p + segment->p_memsz;
        while ((size_t)(end - p) >= sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            memcpy(&note, p, sizeof note);
            const unsigned char *name = p + sizeof note, *text = name + (note.n_namesz + 3u) / 4u * 4u;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                *id = text;
                return note.n_descsz;
            }
            p = text + (note.n_descsz + 3u) / 4u * 4u;
        }
    }
    return 0;
}

static int add_library(struct dl_phdr_info *info, size_t size, void *hash)
{
    static const char *const parts[] = {"libamd_comgr", "libLLVM", "libclang", "liblld"};
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    size_t part = 0;
    while (part < sizeof parts / sizeof parts[0] && strncmp(name, parts[part], strlen(parts[part])) != 0) part++;
    if (part == sizeof parts / sizeof parts[0]) return 0;

    const unsigned char *id;
    size_t id_bytes = find_build_id(info, &id);
    mxg_sha256_update(hash, name, strlen(name) + 1);
    if (id_bytes > 0) {
        mxg_sha256_update(hash, id, id_bytes);
    } else { /* a library without one is known by its file */
        struct stat file;
        if (stat(info->dlpi_name, &file) != 0) return 0;
        mxg_sha256_update(hash, &file.st_size, sizeof file.st_size);
        mxg_sha256_update(hash, &file.st_mtim, sizeof file.st_mtim);
    }
    return 0;
}

void gen_comgr_identity(struct mxg_sha256 *hash)
{
    dl_iterate_phdr(add_library, hash);
}
