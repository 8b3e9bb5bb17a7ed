#include "gen/complaint.h"

#include "gen/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TOLD = 200 };

struct gen_complaint {
    struct gen_place place;
    size_t number; /* qsort does not keep the order of equals */
    char *sentence;
};

void gen_complain(struct gen_complaints *complaints, struct gen_place place, const char *format, ...)
{
    struct gen_text sentence = {0};
    va_list arguments;
    if (complaints->count == complaints->room) {
        struct gen_complaint *more = gen_alloc(complaints->room * 2 + 8, sizeof *more);
        for (size_t i = 0; i < complaints->count; i++) more[i] = complaints->all[i];
        free(complaints->all);
        complaints->all = more;
        complaints->room = complaints->room * 2 + 8;
    }
    va_start(arguments, format);
    gen_text_print_list(&sentence, format, arguments);
    va_end(arguments);
    complaints->all[complaints->count] = (struct gen_complaint){place, complaints->count, sentence.data};
    complaints->count++;
}

static int compare(const void *left, const void *right)
{
    const struct gen_complaint *a = left, *b = right;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column) return a->place.column < b->place.column ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

int gen_complaints_tell(struct gen_complaints *complaints)
{
    size_t count = complaints->count;
    if (count > 0) qsort(complaints->all, count, sizeof *complaints->all, compare);
    for (size_t i = 0; i < count; i++) {
        const struct gen_complaint *one = &complaints->all[i];
        if (i < MOST_TOLD)
            gen_error("%s:%u:%u: %s", complaints->path, one->place.line, one->place.column, one->sentence);
        free(one->sentence);
    }
    if (count > MOST_TOLD) gen_error("%s: %zu more are not shown", complaints->path, count - MOST_TOLD);
    free(complaints->all);
    *complaints = (struct gen_complaints){.path = complaints->path};
    return count > 0 ? -1 : 0;
}

const char *gen_shown(const char *text, size_t length, char shown[GEN_SHOWN_BYTES])
{
    enum { ESCAPED = 4, DOTS = 4 };
    size_t at = 0, i = 0;
    for (; i < length && at + ESCAPED + DOTS <= GEN_SHOWN_BYTES; i++) {
        unsigned char byte = (unsigned char)text[i];
        int prints = byte >= ' ' && byte < 0x7f;
        at += (size_t)snprintf(shown + at, GEN_SHOWN_BYTES - at, prints ? "%c" : "\\x%02x", byte);
    }
    snprintf(shown + at, GEN_SHOWN_BYTES - at, "%s", i < length ? "..." : "");
    return shown;
}
