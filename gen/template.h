/* Strict expansion of kernel templates: every ${KEY} must be known and every key must be used. */
#ifndef MXG_GEN_TEMPLATE_H
#define MXG_GEN_TEMPLATE_H

#include "gen/row.h"
#include "gen/text.h"

enum { GEN_TEMPLATE_BYTES = 1 << 20 }; /* of a file, at most */

struct gen_key {
    const char *name, *value;
    int used;
};

/* Appends the template's text with its keys replaced, and marks those used. `path` is for messages. -1 after a report
 * of all that is wrong, as is #include: what it reads would change and the build not see it. */
int gen_expand(const char *path, const struct gen_text *input, struct gen_key *keys, size_t count,
               struct gen_text *output);

/* Says which keys no template used; -1 if there is one. `where` names the templates. */
int gen_expand_unused(const char *where, const struct gen_key *keys, size_t count);

#endif
