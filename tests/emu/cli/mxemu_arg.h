/* Arguments of a kernel as the command line gives them. */
#ifndef EMU_CLI_ARG_H
#define EMU_CLI_ARG_H

#include "tests/emu/cli/mxemu_file.h"

enum mxemu_form { MXEMU_VALUE, MXEMU_IN, MXEMU_OUT, MXEMU_INOUT, MXEMU_SCRATCH };

struct mxemu_arg {
    const char *spec; /* as written, for messages */
    enum mxemu_form form;
    /* MXEMU_VALUE */
    uint64_t bits;
    uint32_t value_bytes;
    /* Buffers */
    char *input, *output; /* file names; NULL: none */
    size_t bytes;         /* of a buffer without input */
    int fill;             /* byte to fill it with; -1: not filled */
    uint64_t address;     /* on the device, once made */
    struct mxg_output file;
};

/* Reports what is wrong with the text. Pairs with mxemu_arg_free, also after a failure. */
enum mxemu_exit mxemu_arg_parse(struct mxemu_arg *arg, const char *text);
void mxemu_arg_free(struct mxemu_arg *arg);

/* A number, decimal or with 0x, of at most max, that is all of the text; 0: not one. */
int mxemu_parse_number(const char *text, uint64_t max, uint64_t *value);

#endif
