/* mxemu: runs any kernel of any gfx950 code object on the CPU. */
#include "tests/emu/cli/mxemu.h"
#include "tests/emu/cli/mxemu_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "mxemu runs a kernel of a gfx950 code object on the CPU.\n"
    "\n"
    "  mxemu run FILE.hsaco KERNEL --grid X[,Y[,Z]] --block X[,Y[,Z]] [option]...\n"
    "  mxemu mutate FILE.hsaco KERNEL ... [--json]\n"
    "                         the arguments of run; runs the kernel without each s_waitcnt, s_barrier, s_nop and\n"
    "                         cache control instruction in turn, and tells which removals the checks notice\n"
    "  mxemu time FILE.hsaco KERNEL ... [--json] [--from LEVEL] [--machine NAME=VALUE]...\n"
    "                         the arguments of run but for checks, order and statistics; predicts how long an MI355X\n"
    "                         would take, and where the time goes (schema: tests/emu/cli/mxemu_time.h). Files of\n"
    "                         out and inout are not written, as no products are computed\n"
    "  mxemu machine          the numbers of the MI355X that time counts with, and where they come from\n"
    "  mxemu list FILE.hsaco  kernels with their arguments and resources\n"
    "  mxemu --version\n"
    "\n"
    "  --grid X[,Y[,Z]]       workgroups\n"
    "  --block X[,Y[,Z]]      work-items of a workgroup\n"
    "  --lds BYTES            dynamic LDS of a workgroup\n"
    "  --arg SPEC             one for each explicit argument of the kernel, in order:\n"
    "      i32:V u32:V i64:V u64:V f32:V   a value; u64:V also a pointer, as it stands: u64:0 is null\n"
    "      in:FILE                         a buffer with the file's bytes\n"
    "      out:FILE:BYTES[:FILLBYTE]       a buffer that is written to the file after the run\n"
    "      inout:IN:OUT                    both\n"
    "      scratch:BYTES[:FILLBYTE]        a buffer\n"
    "  --check LIST|all|none  checks to make; a finding ends the run (all)\n"
    "  --order ORDER          of the workgroups: forward, reverse or random:SEED (forward)\n"
    "  --threads T            of the host; 0: as many as there are processors (0)\n"
    "  --xnack                the device executes memory instructions again after page faults\n"
    "  --stats FILE.json      where to write what was executed: instructions, products, memory traffic, bank\n"
    "                         conflicts, barriers, round trips, occupancy (schema: tests/emu/cli/mxemu_stats.h)\n"
    "  --per-pc               in it, also by instruction\n"
    "  --from LEVEL           where the kernel finds its buffers when it begins: hbm, mall (the Infinity Cache) or\n"
    "                         l2 (hbm)\n"
    "  --machine NAME=VALUE   another value for a row of mxemu machine\n"
    "\n"
    "Buffers have exactly the bytes given; without FILLBYTE their contents are not defined. Files are written\n"
    "only when all went well. Exit status: 0 done, 1 the work failed or a check found something, 2 the command\n"
    "line was not understood.\n";

enum mxemu_exit mxemu_fail(enum mxemu_exit status, const char *format, ...)
{
    va_list args;
    fputs("mxemu: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return status;
}

enum mxemu_exit mxemu_load(struct mxemu_loaded *loaded, const char *path)
{
    struct emu_error error;
    struct mxemu_bytes image;
    loaded->object = NULL;
    loaded->emu = NULL;
    enum mxemu_exit status = mxemu_read_file(path, &image);
    if (status != MXEMU_DONE) return status;
    loaded->emu = emu_create(0);
    if (!loaded->emu)
        status = mxemu_fail(MXEMU_FAILED, "out of memory");
    else if (image.bytes == 0)
        status = mxemu_fail(MXEMU_FAILED, "%s is empty", path);
    else if (emu_object_load(loaded->emu, image.data, image.bytes, &loaded->object, &error) != 0)
        status = mxemu_fail(MXEMU_FAILED, "%s: %s", path, error.text);
    free(image.data);
    if (status != MXEMU_DONE) mxemu_close(loaded);
    return status;
}

void mxemu_close(struct mxemu_loaded *loaded)
{
    emu_object_unload(loaded->object);
    emu_destroy(loaded->emu);
    loaded->object = NULL;
    loaded->emu = NULL;
}

const char *mxemu_kind_name(enum emu_arg_kind kind)
{
    switch (kind) {
    case EMU_ARG_BY_VALUE: return "value";
    case EMU_ARG_GLOBAL_BUFFER: return "buffer";
    case EMU_ARG_DYNAMIC_LDS: return "LDS pointer";
    default: return "hidden";
    }
}

static enum mxemu_exit list_kernels(const struct emu_object *object)
{
    for (size_t n = 0; n < emu_object_kernel_count(object); n++) {
        const struct emu_kernel *k = emu_object_kernel_at(object, n);
        printf("%s\n", k->name);
        printf("    %u VGPRs (%u of them AGPRs), %u SGPRs, spilled %u and %u, %u bytes of LDS, %u of scratch a lane\n",
               k->vgprs, k->agprs, k->sgprs, k->vgpr_spills, k->sgpr_spills, k->lds_bytes, k->private_bytes);
        printf("    at most %u work-items a workgroup, waves of %u, %llu bytes of code, %u of arguments\n",
               k->max_workgroup, k->wave_size, (unsigned long long)k->code_bytes, k->kernarg_bytes);
        for (uint32_t i = 0; i < k->arg_count; i++)
            if (emu_arg_is_explicit(&k->args[i]))
                printf("    argument at %-4u %3u bytes  %-11s  %s\n", k->args[i].offset, k->args[i].bytes,
                       mxemu_kind_name(k->args[i].kind), k->args[i].name);
    }
    return fflush(stdout) == 0 ? MXEMU_DONE : mxemu_fail(MXEMU_FAILED, "the list could not be written");
}

enum mxemu_exit mxemu_list(int argc, char **argv)
{
    struct mxemu_loaded loaded;
    if (argc != 1 || argv[0][0] == '-')
        return mxemu_fail(MXEMU_MISUSED, "list takes one code object; see mxemu --help");
    enum mxemu_exit status = mxemu_load(&loaded, argv[0]);
    if (status != MXEMU_DONE) return status;
    status = list_kernels(loaded.object);
    mxemu_close(&loaded);
    return status;
}

static enum mxemu_exit print_version(void)
{
    puts("mxemu " MXG_VERSION_TEXT);
    return fflush(stdout) == 0 ? MXEMU_DONE : mxemu_fail(MXEMU_FAILED, "the version could not be written");
}

static enum mxemu_exit print_help(void)
{
    fputs(help, stdout);
    return fflush(stdout) == 0 ? MXEMU_DONE : mxemu_fail(MXEMU_FAILED, "the help could not be written");
}

static enum mxemu_exit command(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) return print_help();
    if (argc < 2) return mxemu_fail(MXEMU_MISUSED, "no command given; see mxemu --help");
    if (argc == 2 && strcmp(argv[1], "--version") == 0) return print_version();
    if (strcmp(argv[1], "run") == 0) return mxemu_run(argc - 2, argv + 2);
    if (strcmp(argv[1], "list") == 0) return mxemu_list(argc - 2, argv + 2);
    if (strcmp(argv[1], "mutate") == 0) return mxemu_mutate(argc - 2, argv + 2);
    if (strcmp(argv[1], "time") == 0) return mxemu_time(argc - 2, argv + 2);
    if (strcmp(argv[1], "machine") == 0) return mxemu_machine(argc - 2, argv + 2);
    return mxemu_fail(MXEMU_MISUSED, "there is no command %s; see mxemu --help", argv[1]);
}

int main(int argc, char **argv)
{
    return (int)command(argc, argv);
}
