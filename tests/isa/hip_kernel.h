/* Kernels of a test's own, compiled from HIP as the generator compiles its kernels. */
#ifndef TESTS_HIP_KERNEL_H
#define TESTS_HIP_KERNEL_H

#include "gen/comgr.h"
#include "tests/emu/emu.h"

#include <stdio.h>
#include <stdlib.h>

/* barrier() for all waves of a workgroup, and what they have stored is then seen. */
#define HIP_BARRIER                                                                                                    \
    "static __attribute__((device)) void barrier()\n"                                                                  \
    "{\n"                                                                                                              \
    "    __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");\n"                                                   \
    "    __builtin_amdgcn_s_barrier();\n"                                                                              \
    "    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n"                                                   \
    "}\n"

/* What fails here ends the program. */
static inline struct emu_object *hip_object(struct emu *emu, const char *source)
{
    struct gen_text text = {0}, image = {0};
    struct emu_error error;
    struct emu_object *object = NULL;
    gen_text_print(&text, "%s", source);
    if (gen_comgr_compile("test", "the test's own source", &text, &image)) exit(1);
    if (emu_object_load(emu, image.data, image.bytes, &object, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    gen_text_free(&text);
    gen_text_free(&image);
    return object;
}

#endif
