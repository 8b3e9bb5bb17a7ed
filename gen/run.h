/* What building, merging and verifying have in common: the rows of a table with their sources, and how each is
 * compiled, inspected and put into the index. */
#ifndef MXG_GEN_RUN_H
#define MXG_GEN_RUN_H

#include "gen/build.h"
#include "gen/build_key.h"
#include "gen/signals.h"

/* A row and its files. */
struct gen_item {
    const struct gen_row *row;
    struct gen_text source, source_path, object_path, key_path;
    struct gen_build_key key;
    struct gen_text failure; /* why it has no right object, in short; empty if it has */
};

/* What is written last, about all variants. */
struct gen_index_file {
    struct gen_text path, text;
};
enum { GEN_INDEX_MANIFEST, GEN_INDEX_REPORT, GEN_INDEX_PACK, GEN_INDEX_FILES };

/* The items and products are in the table's order. */
struct gen_run {
    const struct gen_build *build;
    const struct gen_table *table;
    struct gen_tuning tuning;
    struct gen_compiler compiler;
    struct gen_item *items;
    struct gen_product *products;
    struct gen_text directory; /* of the objects */
    struct gen_index_file index[GEN_INDEX_FILES];
    int lock;    /* of the directory of all output */
    int signals; /* gen_signals_hold() */
};

/* Locks build->out, which must be there, `shared` as gen_lock_directory() has it, holds signals and reads the table of
 * times. -1 after a report. To be closed in any case, which is when a signal that came has its effect. */
int gen_run_open(struct gen_run *run, const struct gen_build *build, const struct gen_table *table, int shared);
void gen_run_close(struct gen_run *run);

/* Expands all sources; the failure of a row whose templates are wrong is set after a report, and it has no source.
 * keep_sums: the compiler's library sums may be kept in a file. -1 after a report, but not of rows. */
int gen_run_prepare(struct gen_run *run, int keep_sums);

size_t gen_run_failures(const struct gen_run *run); /* how many items have failed */

#define GEN_MISSING "missing"

/* Takes the object with its record from below a directory into run->products[i].object, if it is right, and returns
 * NULL; else says why not: GEN_MISSING, or what gen_build_key_differs() says. */
const char *gen_run_take_object(struct gen_run *run, size_t i, const char *directory);

/* Compiles the items listed, which it sorts, in processes, each object into its product, or its item's failure set,
 * and calls `keep` for each to store it: -1 stops. `temporaries`, a directory, is the compiler's and will be empty but
 * for what killed processes leave. -1 after a report or a signal. */
int gen_run_compile(struct gen_run *run, size_t *items, size_t count, const char *temporaries,
                    int (*keep)(struct gen_run *run, size_t i));

/* Inspects what did not fail already; returns gen_run_failures(). */
size_t gen_run_inspect(struct gen_run *run);

/* Lists what failed and why. */
void gen_run_list_failures(const struct gen_run *run, size_t failures);

/* Makes the texts of the index from all products. -1 after a report. */
int gen_run_index(struct gen_run *run);

/* All is in its place: from here on a signal has its effect at once, whatever is still to be printed. */
void gen_run_let_signals(struct gen_run *run);

#endif
