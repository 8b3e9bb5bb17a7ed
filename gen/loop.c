#include "gen/loop.h"

#include "gen/text.h"

#include <stdlib.h>

enum { SUCCESSORS = 2 };
#define NONE ((size_t)-1)

/* Instructions that run one after the other. */
struct block {
    size_t first, end;       /* instructions */
    size_t next[SUCCESSORS]; /* blocks, or NONE */
    size_t loop;             /* the innermost that earlier searches found */
    int is_entry;            /* of that loop: ways into it do not count for what is inside */
    size_t found;            /* the loop that this search found it in, or NONE */
    size_t number, lowest;   /* of this search: in the order in which it came here, from 1; of those it reaches */
    size_t taken;            /* ways out of it that the search has looked at */
    int on_stack;
};

struct graph {
    const struct gen_instruction *code;
    size_t instruction_count;
    struct block *blocks;
    size_t count;
    size_t *block_of; /* each instruction's */
};

/* The instruction that one goes to other than the next, or NONE. */
static size_t target_of(const struct graph *graph, size_t i)
{
    const struct gen_instruction *from = &graph->code[i];
    if (from->flow != GEN_FLOW_JUMP && from->flow != GEN_FLOW_BRANCH) return NONE;
    size_t target = gen_instruction_at(graph->code, graph->instruction_count, from->target);
    return target < graph->instruction_count ? target : NONE;
}

static void cut_into_blocks(struct graph *graph)
{
    unsigned char *starts = gen_alloc(graph->instruction_count + 1, 1);
    starts[0] = 1;
    for (size_t i = 0; i < graph->instruction_count; i++) {
        if (graph->code[i].flow == GEN_FLOW_NEXT) continue;
        starts[i + 1] = 1;
        size_t target = target_of(graph, i);
        if (target != NONE) starts[target] = 1;
    }
    for (size_t i = 0; i < graph->instruction_count; i++) {
        if (starts[i]) graph->blocks[graph->count++] = (struct block){.first = i, .loop = GEN_NO_LOOP};
        graph->block_of[i] = graph->count - 1;
        graph->blocks[graph->count - 1].end = i + 1;
    }
    free(starts);
}

static void connect_blocks(struct graph *graph)
{
    for (size_t b = 0; b < graph->count; b++) {
        struct block *block = &graph->blocks[b];
        enum gen_flow flow = graph->code[block->end - 1].flow;
        size_t target = target_of(graph, block->end - 1);
        int goes_on = flow == GEN_FLOW_NEXT || flow == GEN_FLOW_BRANCH;
        block->next[0] = goes_on && b + 1 < graph->count ? b + 1 : NONE;
        block->next[1] = target != NONE ? graph->block_of[target] : NONE;
    }
}

/* Whether one goes from a block to the other inside the innermost loop of both, past no entry of it. */
static int goes_inside(const struct graph *graph, size_t from, size_t to)
{
    return to != NONE && graph->blocks[to].loop == graph->blocks[from].loop && !graph->blocks[to].is_entry;
}

static int goes_to_itself(const struct graph *graph, size_t b)
{
    for (int i = 0; i < SUCCESSORS; i++)
        if (graph->blocks[b].next[i] == b && goes_inside(graph, b, b)) return 1;
    return 0;
}

/* One search of Tarjan's for sets of blocks that reach each other, without recursion: code may be long. `path` are the
 * blocks that the search is in, `stack` those whose set is open. */
struct search {
    struct graph *graph;
    struct gen_loops *loops;
    size_t *path, path_count, *stack, stack_count, numbered;
    size_t known; /* loops before this search */
};

static void enter(struct search *search, size_t b)
{
    struct block *block = &search->graph->blocks[b];
    block->number = block->lowest = ++search->numbered;
    block->taken = 0;
    block->on_stack = 1;
    search->path[search->path_count++] = b;
    search->stack[search->stack_count++] = b;
}

/* The set on top of the stack down to block b becomes a loop, if it is one. */
static void close_set(struct search *search, size_t b)
{
    struct graph *graph = search->graph;
    size_t end = search->stack_count, start = end;
    do graph->blocks[search->stack[--start]].on_stack = 0;
    while (search->stack[start] != b);
    search->stack_count = start;
    if (end - start == 1 && !goes_to_itself(graph, b)) return;
    size_t loop = search->loops->count++;
    search->loops->all[loop] = (struct gen_loop){.parent = graph->blocks[b].loop, .first = NONE};
    for (size_t i = start; i < end; i++) graph->blocks[search->stack[i]].found = loop;
}

static void search_from(struct search *search, size_t root)
{
    struct graph *graph = search->graph;
    enter(search, root);
    while (search->path_count > 0) {
        size_t b = search->path[search->path_count - 1];
        struct block *block = &graph->blocks[b];
        if (block->taken < SUCCESSORS) {
            size_t to = block->next[block->taken++];
            if (!goes_inside(graph, b, to)) continue;
            struct block *next = &graph->blocks[to];
            if (next->number == 0)
                enter(search, to);
            else if (next->on_stack && next->number < block->lowest)
                block->lowest = next->number;
            continue;
        }
        search->path_count--;
        if (block->lowest == block->number) close_set(search, b);
        if (search->path_count > 0) {
            struct block *before = &graph->blocks[search->path[search->path_count - 1]];
            if (block->lowest < before->lowest) before->lowest = block->lowest;
        }
    }
}

static void mark_entry(struct block *block, unsigned char *entered)
{
    block->is_entry = entered[block->loop] = 1;
}

/* Gives the blocks of new loops to them, and marks where each is entered. */
static void settle(struct search *search)
{
    struct graph *graph = search->graph;
    unsigned char *entered = gen_alloc(search->loops->count, 1);
    for (size_t b = 0; b < graph->count; b++)
        if (graph->blocks[b].found != NONE)
            graph->blocks[b].loop = graph->blocks[b].found, graph->blocks[b].is_entry = 0;
    for (size_t b = 0; b < graph->count; b++)
        for (int i = 0; i < SUCCESSORS; i++) {
            size_t to = graph->blocks[b].next[i];
            if (to == NONE || graph->blocks[to].found == NONE) continue;
            if (graph->blocks[to].loop != graph->blocks[b].loop) mark_entry(&graph->blocks[to], entered);
        }
    /* The kernel's own entry, and where what nothing leads to begins. */
    for (size_t b = 0; b < graph->count; b++)
        if (graph->blocks[b].found != NONE && (b == 0 || !entered[graph->blocks[b].loop]))
            mark_entry(&graph->blocks[b], entered);
    free(entered);
}

/* Loops of one depth after the other, until no more are found. Every loop has an entry that no loop inside it has, so
 * that there are at most as many as blocks. */
static void find_sets(struct graph *graph, struct gen_loops *loops)
{
    struct search search = {.graph = graph, .loops = loops};
    search.path = gen_alloc(graph->count, sizeof *search.path);
    search.stack = gen_alloc(graph->count, sizeof *search.stack);
    do {
        search.known = loops->count;
        search.numbered = 0;
        for (size_t b = 0; b < graph->count; b++) graph->blocks[b].number = 0, graph->blocks[b].found = NONE;
        for (size_t b = 0; b < graph->count; b++)
            if (graph->blocks[b].number == 0) search_from(&search, b);
        settle(&search);
    } while (loops->count > search.known);
    free(search.path), free(search.stack);
}

static void count_code(const struct graph *graph, struct gen_loops *loops)
{
    for (size_t i = 0; i < graph->instruction_count; i++) {
        loops->of[i] = graph->blocks[graph->block_of[i]].loop;
        gen_tally_add(&loops->code, &graph->code[i]);
        for (size_t loop = loops->of[i]; loop != GEN_NO_LOOP; loop = loops->all[loop].parent) {
            gen_tally_add(&loops->all[loop].code, &graph->code[i]);
            if (loops->all[loop].first == NONE) loops->all[loop].first = i;
            loops->all[loop].last = i;
        }
    }
    loops->work = loops->code.classes[GEN_CLASS_MFMA] > 0 ? GEN_CLASS_MFMA : GEN_CLASS_VALU;
    for (size_t i = 0; i < loops->count; i++) {
        struct gen_loop *loop = &loops->all[i];
        loop->innermost_work = loop->code.classes[loops->work] > 0;
        if (loop->innermost_work && loop->parent != GEN_NO_LOOP) loops->all[loop->parent].innermost_work = 0;
    }
}

void gen_loops_find(const struct gen_instruction *code, size_t count, struct gen_loops *loops)
{
    struct graph graph = {.code = code, .instruction_count = count};
    *loops = (struct gen_loops){.all = gen_alloc(count, sizeof *loops->all), .of = gen_alloc(count, sizeof *loops->of)};
    if (count == 0) return;
    graph.blocks = gen_alloc(count, sizeof *graph.blocks);
    graph.block_of = gen_alloc(count, sizeof *graph.block_of);
    cut_into_blocks(&graph);
    connect_blocks(&graph);
    find_sets(&graph, loops);
    count_code(&graph, loops);
    free(graph.blocks), free(graph.block_of);
}

void gen_loops_free(struct gen_loops *loops)
{
    free(loops->all), free(loops->of);
    *loops = (struct gen_loops){0};
}

int gen_loop_has(const struct gen_loops *loops, size_t loop, size_t instruction)
{
    size_t at = loops->of[instruction];
    while (at != loop && at != GEN_NO_LOOP) at = loops->all[at].parent;
    return at == loop;
}

/* Negative, 0 or positive as the left loop is to come before, with or after the right one. */
static int64_t compare_loops(const struct gen_loops *loops, const struct gen_loop *left, const struct gen_loop *right)
{
    const struct gen_tally *a = &left->code, *b = &right->code;
    int64_t more_work = (int64_t)b->classes[loops->work] - a->classes[loops->work];
    int64_t branches = (int64_t)a->classes[GEN_CLASS_BRANCH] - b->classes[GEN_CLASS_BRANCH];
    int64_t instructions = (int64_t)a->instructions - b->instructions;
    if (more_work != 0) return more_work;
    if (branches != 0) return branches;
    return instructions != 0 ? instructions : (int64_t)left->first - (int64_t)right->first;
}

size_t gen_loop_main(const struct gen_loops *loops)
{
    size_t best = GEN_NO_LOOP;
    for (size_t i = 0; i < loops->count; i++)
        if (loops->all[i].innermost_work &&
            (best == GEN_NO_LOOP || compare_loops(loops, &loops->all[i], &loops->all[best]) < 0))
            best = i;
    return best;
}
