/* How far a work of many items is: on a terminal one line that changes, else a line for each item that ended. */
#ifndef MXG_GEN_PROGRESS_H
#define MXG_GEN_PROGRESS_H

#include <stddef.h>

struct gen_progress {
    int terminal; /* stdout is one that can go back to a line's start */
    size_t count, done;
    double weight, weight_done; /* how much work that is, in any unit: what the time left is estimated by */
    double start;               /* gen_seconds() */
    double reminded;            /* when a line last said what still runs */
};

/* Of a clock that only goes forward. */
double gen_seconds(void);

void gen_progress_begin(struct gen_progress *progress, size_t count, double weight);

/* An item ended. It is named where it is not shown otherwise, in a log, and where it failed. */
void gen_progress_end_item(struct gen_progress *progress, const char *name, int failed, double seconds, double weight);

/* Shows what runs now; `since` is gen_seconds() when the first of the names, the oldest, began. In a log that is a line
 * for each minute that it takes. */
void gen_progress_show(struct gen_progress *progress, const char *const *names, size_t name_count, double since);

/* Removes the line that changes, for what is to be printed in its place, by gen_error() or to stdout. */
void gen_progress_clear(const struct gen_progress *progress);

/* Milliseconds until it is to be shown again, for poll(). */
int gen_progress_wait(const struct gen_progress *progress);

/* The line for a terminal of `width` columns, `elapsed` seconds after the start, into line[width + 1]: at most width -
 * 1 characters, so that no terminal wraps it. What has no room is left out, the least needed first. */
void gen_progress_line(const struct gen_progress *progress, double elapsed, const char *const *names, size_t name_count,
                       size_t width, char *line);

#endif
