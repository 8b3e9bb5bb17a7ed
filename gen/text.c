#define _GNU_SOURCE /* program_invocation_short_name */
#include "gen/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gen_out_of_memory(void)
{
    gen_error("out of memory");
    exit(1);
}

static void *need(void *memory)
{
    if (!memory) gen_out_of_memory();
    return memory;
}

void *gen_alloc(size_t count, size_t size)
{
    return need(calloc(count ? count : 1, size));
}

static void reserve(struct gen_text *text, size_t more)
{
    size_t wanted = text->bytes + more + 1;
    if (wanted <= text->room) return;
    text->room = wanted < 2 * text->room ? 2 * text->room : wanted;
    text->data = need(realloc(text->data, text->room));
}

void gen_text_add(struct gen_text *text, const void *data, size_t bytes)
{
    reserve(text, bytes);
    if (bytes > 0) memcpy(text->data + text->bytes, data, bytes);
    text->bytes += bytes;
    text->data[text->bytes] = 0;
}

void gen_text_print_list(struct gen_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->bytes, (size_t)length + 1, format, again);
        text->bytes += (size_t)length;
    }
    va_end(again);
}

void gen_text_print(struct gen_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    gen_text_print_list(text, format, arguments);
    va_end(arguments);
}

void gen_text_free(struct gen_text *text)
{
    free(text->data);
    *text = (struct gen_text){0};
}

int gen_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return -1;
}
