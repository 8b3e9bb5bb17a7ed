/* Machine code of instructions given as text, by comgr's assembler. */
#ifndef TESTS_ASSEMBLE_H
#define TESTS_ASSEMBLE_H

#include <amd_comgr/amd_comgr.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASSEMBLE_TRY(call)                                                                                             \
    do {                                                                                                               \
        amd_comgr_status_t assemble_status = (call);                                                                   \
        if (assemble_status != AMD_COMGR_STATUS_SUCCESS) {                                                             \
            fprintf(stderr, "%s: comgr status %d\n", #call, (int)assemble_status);                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The first data object of a kind, from malloc. */
static inline char *assemble_data(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind, size_t *bytes)
{
    amd_comgr_data_t data;
    ASSEMBLE_TRY(amd_comgr_action_data_get_data(set, kind, 0, &data));
    ASSEMBLE_TRY(amd_comgr_get_data(data, bytes, NULL));
    char *copy = malloc(*bytes + 1);
    if (!copy) abort();
    ASSEMBLE_TRY(amd_comgr_get_data(data, bytes, copy));
    copy[*bytes] = 0;
    ASSEMBLE_TRY(amd_comgr_release_data(data));
    return copy;
}

static inline amd_comgr_data_set_t assemble_set(void)
{
    amd_comgr_data_set_t set;
    ASSEMBLE_TRY(amd_comgr_create_data_set(&set));
    return set;
}

/* What comgr refuses gives its log, from malloc, in *log; where that is NULL it ends the program. */
static inline void assemble_act(amd_comgr_action_kind_t kind, amd_comgr_data_set_t input, amd_comgr_data_set_t output,
                                char **log)
{
    amd_comgr_action_info_t info;
    size_t bytes;
    ASSEMBLE_TRY(amd_comgr_create_action_info(&info));
    ASSEMBLE_TRY(amd_comgr_action_info_set_isa_name(info, "amdgcn-amd-amdhsa--gfx950"));
    ASSEMBLE_TRY(amd_comgr_action_info_set_logging(info, true));
    if (amd_comgr_do_action(kind, info, input, output) != AMD_COMGR_STATUS_SUCCESS) {
        char *text = assemble_data(output, AMD_COMGR_DATA_KIND_LOG, &bytes);
        if (!log) {
            fputs(text, stderr);
            exit(1);
        }
        *log = text;
    }
    ASSEMBLE_TRY(amd_comgr_destroy_action_info(info));
}

/* log: see assemble_act. */
static inline amd_comgr_data_set_t assemble_relocatable(const char *text, char **log)
{
    amd_comgr_data_set_t input = assemble_set(), output = assemble_set();
    amd_comgr_data_t source;
    ASSEMBLE_TRY(amd_comgr_create_data(AMD_COMGR_DATA_KIND_SOURCE, &source));
    ASSEMBLE_TRY(amd_comgr_set_data(source, strlen(text), text));
    ASSEMBLE_TRY(amd_comgr_set_data_name(source, "test.s"));
    ASSEMBLE_TRY(amd_comgr_data_set_add(input, source));
    assemble_act(AMD_COMGR_ACTION_ASSEMBLE_SOURCE_TO_RELOCATABLE, input, output, log);
    ASSEMBLE_TRY(amd_comgr_release_data(source));
    ASSEMBLE_TRY(amd_comgr_destroy_data_set(input));
    return output;
}

/* The section of code, from malloc. */
static inline unsigned char *assemble_code(amd_comgr_data_set_t relocatable, size_t *bytes)
{
    char *elf = assemble_data(relocatable, AMD_COMGR_DATA_KIND_RELOCATABLE, bytes);
    Elf64_Ehdr header;
    memcpy(&header, elf, sizeof header);
    *bytes = 0;
    for (size_t n = 0; n < header.e_shnum; n++) {
        Elf64_Shdr section;
        memcpy(&section, elf + header.e_shoff + n * sizeof section, sizeof section);
        if (!(section.sh_flags & SHF_EXECINSTR) || section.sh_size == 0) continue;
        memmove(elf, elf + section.sh_offset, section.sh_size);
        *bytes = section.sh_size;
        break;
    }
    return (unsigned char *)elf;
}

/* The machine code, from malloc. */
static inline unsigned char *assemble(const char *text, size_t *bytes)
{
    amd_comgr_data_set_t relocatable = assemble_relocatable(text, NULL);
    unsigned char *code = assemble_code(relocatable, bytes);
    ASSEMBLE_TRY(amd_comgr_destroy_data_set(relocatable));
    return code;
}

/* A whole code object, from malloc. */
static inline unsigned char *assemble_object(const char *text, size_t *bytes)
{
    amd_comgr_data_set_t relocatable = assemble_relocatable(text, NULL), output = assemble_set();
    assemble_act(AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE, relocatable, output, NULL);
    char *elf = assemble_data(output, AMD_COMGR_DATA_KIND_EXECUTABLE, bytes);
    ASSEMBLE_TRY(amd_comgr_destroy_data_set(relocatable));
    ASSEMBLE_TRY(amd_comgr_destroy_data_set(output));
    return (unsigned char *)elf;
}

#endif
