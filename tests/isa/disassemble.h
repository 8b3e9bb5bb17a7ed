/* Texts of instructions, by comgr's disassembler. */
#ifndef TESTS_DISASSEMBLE_H
#define TESTS_DISASSEMBLE_H

#include <amd_comgr/amd_comgr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    const unsigned char *code;
    size_t bytes;
    uint64_t address; /* of code */
    char line[512];   /* of the instruction last looked at */
};

static inline uint64_t listing_read(uint64_t from, char *to, uint64_t size, void *user)
{
    const struct listing *l = user;
    uint64_t at = from - l->address;
    if (at >= l->bytes) return 0;
    if (size > l->bytes - at) size = l->bytes - at;
    memcpy(to, l->code + at, size);
    return size;
}

static inline void listing_print(const char *line, void *user)
{
    struct listing *l = user;
    snprintf(l->line, sizeof l->line, "%s", line + strspn(line, " \t"));
}

static inline void listing_print_address(uint64_t address, void *user)
{
    (void)address, (void)user;
}

/* A comgr that cannot do it ends the program. */
static inline amd_comgr_disassembly_info_t listing_create(void)
{
    amd_comgr_disassembly_info_t info;
    if (amd_comgr_create_disassembly_info("amdgcn-amd-amdhsa--gfx950", listing_read, listing_print,
                                          listing_print_address, &info) != AMD_COMGR_STATUS_SUCCESS) {
        fprintf(stderr, "comgr has no disassembler for gfx950\n");
        exit(1);
    }
    return info;
}

/* Fills the line. Returns the length of the instruction at that address; 0: comgr knows none there. */
static inline unsigned listing_at(amd_comgr_disassembly_info_t info, struct listing *l, uint64_t address)
{
    uint64_t size = 0;
    l->line[0] = 0;
    return amd_comgr_disassemble_instruction(info, address, l, &size) == AMD_COMGR_STATUS_SUCCESS ? (unsigned)size : 0;
}

#endif
