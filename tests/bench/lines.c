#include "tests/bench/lines.h"
#include "gen/io.h"
#include "tests/bench/bench.h"

#include <string.h>

void lines_open(struct lines *lines, const char *path)
{
    *lines = (struct lines){.path = path};
    if (gen_read_file(path, &lines->text)) bench_fail("%s: cannot be read", path);
    lines->rest = lines->text.data;
}

char *lines_next(struct lines *lines)
{
    for (char *line; (line = lines->rest) && *line;) {
        char *end = strchr(line, '\n');
        lines->rest = end ? end + 1 : NULL;
        lines->number++;
        if (end) *end = 0;
        line[strcspn(line, "#\r")] = 0;
        if (line[strspn(line, " \t")]) return line;
    }
    return NULL;
}

void lines_close(struct lines *lines)
{
    gen_text_free(&lines->text);
}
