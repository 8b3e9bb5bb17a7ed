/* The compiler: ROCm's code object manager. */
#ifndef MXG_GEN_COMGR_H
#define MXG_GEN_COMGR_H

#include "gen/text.h"

#include <amd_comgr/amd_comgr.h>

/* Says which call failed for which variant and returns -1; 0 if it did not fail. */
int gen_comgr_check(amd_comgr_status_t status, const char *variant, const char *call);

/* Compiles and links one source, appending the code object. A failure is reported with action, variant, options and
 * the compiler's log; what the compiler says about a source that it accepts is shown as well. The log names the source
 * by `source_path`, where the user can see it. */
int gen_comgr_compile(const char *variant, const char *source_path, const struct gen_text *source,
                      struct gen_text *object);

/* The options of the compile action, in order; ends with null. */
extern const char *gen_comgr_options[];

/* One more, after those that there are; it must stay. -1 after a report that there are too many. */
int gen_comgr_add_option(const char *option);

/* "3.0" */
void gen_comgr_version(char version[32]);

#endif
