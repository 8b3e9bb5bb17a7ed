#include "gen/arena.h"

#include "gen/text.h"

#include <stdlib.h>
#include <string.h>

struct gen_arena_block {
    struct gen_arena_block *before;
    max_align_t memory[];
};

void *gen_arena_alloc(struct gen_arena *arena, size_t count, size_t size)
{
    size_t units = (count * size + sizeof(max_align_t) - 1) / sizeof(max_align_t);
    struct gen_arena_block *block = gen_alloc(1, sizeof *block + units * sizeof(max_align_t));
    block->before = arena->last;
    arena->last = block;
    return block->memory;
}

char *gen_arena_copy(struct gen_arena *arena, const char *text, size_t length)
{
    char *copy = gen_arena_alloc(arena, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

void gen_arena_free(struct gen_arena *arena)
{
    while (arena->last) {
        struct gen_arena_block *before = arena->last->before;
        free(arena->last);
        arena->last = before;
    }
}
