/* Which compiler this is: comgr's version and the content of its libraries. */
#ifndef MXG_GEN_COMPILER_H
#define MXG_GEN_COMPILER_H

#include "gen/product.h"

enum { GEN_COMPILER_LIBRARIES = 8 };

/* A file by its content. */
struct gen_file_sum {
    char name[64]; /* without directories */
    char sha256[GEN_HEX_BYTES];
};

struct gen_compiler {
    char version[32];                                      /* comgr's */
    struct gen_file_sum libraries[GEN_COMPILER_LIBRARIES]; /* comgr's and LLVM's, by name */
    size_t library_count;
    char sha256[GEN_HEX_BYTES]; /* of all of this */
};

/* Looks at the libraries that this process runs on. They are large: `cache`, a file that need not be there or NULL,
 * keeps their sums, and by what a file's status tells whether it changed. A cache that is not as it was written is
 * none. -1 after a report. */
int gen_compiler_identify(const char *cache, struct gen_compiler *compiler);

#endif
