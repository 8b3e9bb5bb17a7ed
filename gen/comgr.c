#define _POSIX_C_SOURCE 200809L
#include "gen/comgr.h"

#include "common/kernarg.h"
#include "gen/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRING_OF(text) #text
#define STRING(macro) STRING_OF(macro)

enum { OPTION_ROOM = 64 };

const char *gen_comgr_options[OPTION_ROOM] = {
    "-O3",
    "-std=c++17",
    "-nogpuinc",
    "-nogpulib",
    "-nostdinc", /* the machine's headers and the compiler's files of options are in no key */
    "--no-default-config",
    "-mcode-object-version=5",
    "-mllvm",
    ("-amdgpu-kernarg-preload-count=" STRING(MXG_KERNARG_PRELOADED)), /* common/kernarg.h */
    "-fno-discard-value-names", /* the metadata then names the arguments, and the inspector compares them */
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter", /* both kernels of a variant take the one list of arguments */
};

static size_t count_options(void)
{
    size_t count = 0;
    while (gen_comgr_options[count]) count++;
    return count;
}

int gen_comgr_add_option(const char *option)
{
    size_t count = count_options();
    if (count + 1 == OPTION_ROOM) return gen_error("there is no room for the option %s of the compiler", option);
    gen_comgr_options[count] = option;
    return 0;
}

/* Fixed, since the name could reach the compiler's output. comgr puts the source into a temporary directory under it,
 * and by that path the compiler's messages name it. */
#define SOURCE_NAME "kernel.hip"
#define SOURCE_PATH_END "/input/" SOURCE_NAME

int gen_comgr_check(amd_comgr_status_t status, const char *variant, const char *call)
{
    if (status == AMD_COMGR_STATUS_SUCCESS) return 0;
    const char *text = "unknown status";
    amd_comgr_status_string(status, &text);
    return gen_error("%s: %s failed with comgr status %d, %s", variant, call, (int)status, text);
}

#define TRY(variant, call)                                                                                             \
    do {                                                                                                               \
        if (gen_comgr_check(call, variant, #call) != 0) goto release;                                                  \
    } while (0)

/* Appends the bytes of the set's data objects of a kind: of all of them, their number in *count. */
static int add_data(const char *variant, amd_comgr_data_set_t set, amd_comgr_data_kind_t kind, struct gen_text *text,
                    size_t *count)
{
    amd_comgr_data_t data = {0};
    char *bytes = NULL;
    int result = -1;
    TRY(variant, amd_comgr_action_data_count(set, kind, count));
    for (size_t i = 0; i < *count; i++) {
        size_t size = 0;
        TRY(variant, amd_comgr_action_data_get_data(set, kind, i, &data));
        TRY(variant, amd_comgr_get_data(data, &size, NULL));
        bytes = gen_alloc(size, 1);
        TRY(variant, amd_comgr_get_data(data, &size, bytes));
        gen_text_add(text, bytes, size);
        free(bytes), bytes = NULL;
        amd_comgr_status_t status = amd_comgr_release_data(data);
        data.handle = 0;
        TRY(variant, status);
    }
    result = 0;
release:
    free(bytes);
    if (data.handle) amd_comgr_release_data(data);
    return result;
}

/* Shows a compiler's log, with the source's own path in place of the temporary one, which may have spaces. */
static void show_log(const struct gen_text *log, const char *source_path)
{
    const char *set = getenv("TMPDIR"), *parent = set ? set : "/tmp", *from = log->data, *found;
    while (from && (found = strstr(from, SOURCE_PATH_END)) != NULL) {
        const char *start = found;
        while (start > from && strncmp(start, parent, strlen(parent)) != 0) start--;
        fprintf(stderr, "%.*s%s", (int)(start - from), from, source_path);
        from = found + strlen(SOURCE_PATH_END);
    }
    if (from) fputs(from, stderr);
}

static int run_action(const char *variant, const char *source_path, amd_comgr_action_kind_t kind, const char *action,
                      const char *const options[], size_t option_count, amd_comgr_data_set_t input,
                      amd_comgr_data_set_t output)
{
    amd_comgr_action_info_t info = {0};
    struct gen_text log = {0};
    size_t logs = 0;
    int result = -1;
    TRY(variant, amd_comgr_create_action_info(&info));
    TRY(variant, amd_comgr_action_info_set_isa_name(info, GEN_ISA));
    TRY(variant,
        amd_comgr_action_info_set_language(info, option_count ? AMD_COMGR_LANGUAGE_HIP : AMD_COMGR_LANGUAGE_NONE));
    TRY(variant, amd_comgr_action_info_set_option_list(info, (const char **)(uintptr_t)options, option_count));
    TRY(variant, amd_comgr_action_info_set_logging(info, true));
    amd_comgr_status_t status = amd_comgr_do_action(kind, info, input, output);
    if (add_data(variant, output, AMD_COMGR_DATA_KIND_LOG, &log, &logs) != 0) goto release;
    if (status == AMD_COMGR_STATUS_SUCCESS) {
        if (log.bytes > 0) fprintf(stderr, "mxgen: %s: %s says:\n", variant, action);
        show_log(&log, source_path);
        result = 0;
    } else {
        gen_comgr_check(status, variant, action);
        fputs("  options:", stderr);
        for (size_t i = 0; i < option_count; i++) fprintf(stderr, " %s", options[i]);
        fputs(option_count ? "\n" : " none\n", stderr);
        if (log.bytes == 0) fputs("  the compiler's log is empty\n", stderr);
        show_log(&log, source_path);
    }
release:
    gen_text_free(&log);
    if (info.handle) amd_comgr_destroy_action_info(info);
    return result;
}

static int add_source(const char *variant, const struct gen_text *source, amd_comgr_data_set_t set)
{
    amd_comgr_data_t data = {0};
    int result = -1;
    TRY(variant, amd_comgr_create_data(AMD_COMGR_DATA_KIND_SOURCE, &data));
    TRY(variant, amd_comgr_set_data(data, source->bytes, source->data));
    TRY(variant, amd_comgr_set_data_name(data, SOURCE_NAME));
    TRY(variant, amd_comgr_data_set_add(set, data));
    result = 0;
release:
    if (data.handle) amd_comgr_release_data(data);
    return result;
}

int gen_comgr_compile(const char *variant, const char *source_path, const struct gen_text *source,
                      struct gen_text *object)
{
    amd_comgr_data_set_t input = {0}, relocatable = {0}, executable = {0};
    size_t count = 0;
    int result = -1;
    setenv("AMD_COMGR_CACHE", "0", 1); /* else it looks for compiled objects in the user's home */
    TRY(variant, amd_comgr_create_data_set(&input));
    TRY(variant, amd_comgr_create_data_set(&relocatable));
    TRY(variant, amd_comgr_create_data_set(&executable));
    if (add_source(variant, source, input) != 0) goto release;
    if (run_action(variant, source_path, AMD_COMGR_ACTION_COMPILE_SOURCE_TO_RELOCATABLE,
                   "COMPILE_SOURCE_TO_RELOCATABLE", gen_comgr_options, count_options(), input, relocatable) != 0)
        goto release;
    if (run_action(variant, source_path, AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE,
                   "LINK_RELOCATABLE_TO_EXECUTABLE", NULL, 0, relocatable, executable) != 0)
        goto release;
    if (add_data(variant, executable, AMD_COMGR_DATA_KIND_EXECUTABLE, object, &count) != 0) goto release;
    if (count != 1)
        gen_error("%s: LINK_RELOCATABLE_TO_EXECUTABLE gave %zu code objects instead of 1", variant, count);
    else
        result = 0;
release:
    if (input.handle) amd_comgr_destroy_data_set(input);
    if (relocatable.handle) amd_comgr_destroy_data_set(relocatable);
    if (executable.handle) amd_comgr_destroy_data_set(executable);
    return result;
}

void gen_comgr_version(char version[32])
{
    size_t major = 0, minor = 0;
    amd_comgr_get_version(&major, &minor);
    snprintf(version, 32, "%zu.%zu", major, minor);
}
