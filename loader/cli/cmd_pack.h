/* What the commands on packs share. They look into a library's own structs: every pack of the command line comes
 * through mxg_library_open(), which has checked all that its index says. */
#ifndef MXG_CLI_CMD_PACK_H
#define MXG_CLI_CMD_PACK_H

#include "loader/cli/cli.h"
#include "loader/pack.h"

/* The file of this place on the command line, or the embedded pack where none is given. */
bool cli_open_pack(const struct cli_args *args, int place, mxg_library **library);

/* Marks the variants that the patterns of --variant name; one that names none is refused. `wanted` has library->count.
 */
bool cli_match_variants(const struct cli_args *args, const mxg_library *library, bool *wanted);

/* Looks at the code objects of the variants that are `wanted` (NULL: all), all of them, and says each fault. Afterwards
 * the entries that it is content with have their `image`. Returns how many it is not content with. */
uint32_t cli_check_variants(const mxg_library *library, const bool *wanted);

/* The fields of a variant's record, for comparing. */
struct cli_field {
    const char *name;
    size_t at; /* of a uint32_t in struct mxg_variant */
};
#define CLI_COUNT_FIELD(field, lowest, highest) +1
enum { CLI_FIELDS = 0 MXG_VARIANT_FIELDS(CLI_COUNT_FIELD) };
extern const struct cli_field cli_fields[CLI_FIELDS];
uint32_t cli_field_value(const struct mxg_variant *variant, const struct cli_field *field);

/* By size and SHA-256 of the index; cli_check_variants() says whether the code objects are what that says. */
bool cli_same_code(const struct mxg_pack_entry *a, const struct mxg_pack_entry *b);

/* By m, n and k: negative, 0 or positive. */
int cli_compare_points(const struct mxg_time_row *a, const struct mxg_time_row *b);

enum { CLI_SHA256_TEXT = 65 };
const char *cli_sha256_text(const unsigned char *digest, char text[CLI_SHA256_TEXT]);

/* Variants by name: cli_find_name() is for names that cli_sort_names() has sorted, and returns CLI_NOT_THERE where none
 * is the one. */
enum { CLI_NOT_THERE = UINT32_MAX };
struct cli_name {
    const char *name;
    uint32_t index;
};
void cli_sort_names(struct cli_name *names, size_t count);
uint32_t cli_find_name(const struct cli_name *names, size_t count, const char *name);

#endif
