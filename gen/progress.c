#define _DEFAULT_SOURCE
#include "gen/progress.h"

#include "gen/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

enum { BAR = 30, SHORTEST_BAR = 5, REFRESH_MS = 200, REMIND_S = 60, MOST_COLUMNS = 1000, USUAL_COLUMNS = 80 };

double gen_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void gen_progress_begin(struct gen_progress *progress, size_t count, double weight)
{
    const char *kind = getenv("TERM");
    *progress = (struct gen_progress){.count = count, .weight = weight, .start = gen_seconds()};
    progress->terminal = isatty(STDOUT_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
    progress->reminded = progress->start;
}

void gen_progress_end_item(struct gen_progress *progress, const char *name, int failed, double seconds, double weight)
{
    progress->done++;
    progress->weight_done += weight;
    if (!failed && progress->terminal) return;
    gen_progress_clear(progress);
    printf("  %-6s  %s  %.2f s\n", failed ? "FAILED" : "HSACO", name, seconds);
    fflush(stdout);
}

/* Appends as much of the text as the line has room for, all of it or, `cut`, a beginning; returns whether all. */
static int append(char *line, size_t most, const char *text, int cut)
{
    size_t length = strlen(line), more = strlen(text), room = most - length;
    if (more > room && !cut) return 0;
    snprintf(line + length, room + 1, "%s", text);
    return more <= room;
}

static void append_more_names(char *line, size_t most, const char *const *names, size_t name_count)
{
    for (size_t i = 1; i < name_count; i++) {
        char rest[32];
        size_t length = strlen(line);
        if (append(line, most, ", ", 0) && append(line, most, names[i], 0)) continue;
        line[length] = 0;
        snprintf(rest, sizeof rest, " +%zu", name_count - i);
        append(line, most, rest, 0);
        return;
    }
}

/* Puts a bar in front of the line, as long as there is room for. */
static void prepend_bar(const struct gen_progress *progress, size_t most, char *line)
{
    enum { FRAME = 3 }; /* "[] " */
    size_t length = strlen(line), room = most - length, bar = room > BAR + FRAME ? BAR : room - FRAME;
    if (room < SHORTEST_BAR + FRAME) return;
    size_t full = progress->count > 0 ? bar * progress->done / progress->count : bar;
    memmove(line + bar + FRAME, line, length + 1);
    line[0] = '[';
    memset(line + 1, '#', full), memset(line + 1 + full, ' ', bar - full);
    line[bar + 1] = ']', line[bar + 2] = ' ';
}

void gen_progress_line(const struct gen_progress *progress, double elapsed, const char *const *names, size_t name_count,
                       size_t width, char *line)
{
    char counts[64], rate[32] = "", left[32] = "  ETA -:--";
    size_t most = width > 0 ? width - 1 : 0;
    snprintf(counts, sizeof counts, "%zu/%zu", progress->done, progress->count);
    if (progress->done > 0 && elapsed > 0) {
        double seconds = (progress->weight - progress->weight_done) * elapsed / progress->weight_done;
        unsigned whole = seconds < 0 ? 0 : seconds > 359999 ? 359999 : (unsigned)(seconds + 0.5);
        snprintf(rate, sizeof rate, "  %.1f/s", (double)progress->done / elapsed);
        if (whole < 3600)
            snprintf(left, sizeof left, "  ETA %u:%02u", whole / 60, whole % 60);
        else
            snprintf(left, sizeof left, "  ETA %u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
    }
    line[0] = 0;
    if (!append(line, most, counts, 0) || !append(line, most, rate, 0) || !append(line, most, left, 0)) return;
    if (name_count > 0 && append(line, most, "  ", 0)) append(line, most, names[0], 1);
    prepend_bar(progress, most, line);
    append_more_names(line, most, names, name_count);
}

static size_t columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL_COLUMNS;
    return size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
}

void gen_progress_show(struct gen_progress *progress, const char *const *names, size_t name_count, double since)
{
    char line[MOST_COLUMNS + 1];
    double now = gen_seconds();
    if (progress->terminal) {
        gen_progress_line(progress, now - progress->start, names, name_count, columns(), line);
        printf(CLEAR_LINE "%s", line);
    } else if (name_count > 0 && now - since >= REMIND_S && now - progress->reminded >= REMIND_S) {
        printf("  after %.0f s still at %s\n", now - since, names[0]);
        progress->reminded = now;
    }
    fflush(stdout);
}

void gen_progress_clear(const struct gen_progress *progress)
{
    if (progress->terminal) fputs(CLEAR_LINE, stdout);
}

int gen_progress_wait(const struct gen_progress *progress)
{
    return progress->terminal ? REFRESH_MS : REMIND_S * 1000;
}
