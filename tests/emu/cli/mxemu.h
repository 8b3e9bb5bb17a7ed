/* The mxemu command: what its parts share. */
#ifndef EMU_CLI_MXEMU_H
#define EMU_CLI_MXEMU_H

#include "tests/emu/emu.h"

enum mxemu_exit { MXEMU_DONE = 0, MXEMU_FAILED = 1, MXEMU_MISUSED = 2 };

/* Prints "mxemu: sentence" on stderr and returns the status. */
enum mxemu_exit mxemu_fail(enum mxemu_exit status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The commands; arguments begin behind the command's name. */
enum mxemu_exit mxemu_run(int argc, char **argv);
enum mxemu_exit mxemu_mutate(int argc, char **argv);
enum mxemu_exit mxemu_time(int argc, char **argv);
enum mxemu_exit mxemu_machine(int argc, char **argv);
enum mxemu_exit mxemu_list(int argc, char **argv);

/* A code object in an emulator of its own. */
struct mxemu_loaded {
    struct emu *emu;
    struct emu_object *object;
};

/* Reports what fails. After a failure there is nothing to close, but that is allowed. */
enum mxemu_exit mxemu_load(struct mxemu_loaded *loaded, const char *path);
void mxemu_close(struct mxemu_loaded *loaded);

const char *mxemu_kind_name(enum emu_arg_kind kind);

#endif
