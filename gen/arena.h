/* Memory of many small things that are all freed at once. */
#ifndef MXG_GEN_ARENA_H
#define MXG_GEN_ARENA_H

#include <stddef.h>

/* A zeroed one is empty. */
struct gen_arena {
    struct gen_arena_block *last;
};

void *gen_arena_alloc(struct gen_arena *arena, size_t count, size_t size); /* zeroed */
char *gen_arena_copy(struct gen_arena *arena, const char *text, size_t length);
void gen_arena_free(struct gen_arena *arena);

#endif
