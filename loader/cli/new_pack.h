/* A new pack, made of variants of others. */
#ifndef MXG_CLI_NEW_PACK_H
#define MXG_CLI_NEW_PACK_H

#include "loader/cli/cmd_pack.h"

/* What it is made of. A variant may be in several inputs, which then have the same record and code of it, and all its
 * times: it is taken from the first. The new table of times has all rows of the inputs, also those that are left with
 * no time, since prediction asks which points are near. Sources stay in the order of the first input, those of others
 * come among them by their rank. */
struct cli_recipe {
    mxg_library *const *inputs;
    uint32_t input_count;
    const uint32_t *from;   /* [variant_count][input_count]: its index there, or CLI_NOT_THERE */
    uint32_t variant_count; /* in the order of the new pack */
    int32_t prefer;         /* enum cli_prefer: of two inputs that have different times of the very same */
    bool compress;
};

struct cli_new_pack {
    unsigned char *data;
    size_t bytes;
    mxg_library *library; /* of data */
};

/* Makes it in memory, opens it and looks at every code object. cli_drop_pack() is for the end in any case. */
bool cli_make_pack(const struct cli_recipe *recipe, struct cli_new_pack *made);
void cli_drop_pack(struct cli_new_pack *made);

/* Puts it at `path`, whole or not at all. */
bool cli_write_pack(const struct cli_new_pack *made, const char *path);

#endif
