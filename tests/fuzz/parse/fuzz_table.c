/* The reader of variant tables. One that is accepted is written out here, a row for each variant, in another order, and
 * must then be read as the same table. */
#include "gen/budget.h"
#include "gen/rules.h"
#include "gen/table.h"
#include "tests/fuzz/parse/sentences.h"

uint64_t fuzz_accepted;

static const char path[] = "a/table";

static int read_text(const char *data, size_t bytes, const char *only, struct gen_table *table)
{
    struct gen_text text = {0};
    gen_text_add(&text, data, bytes);
    gen_text_free(&said);
    gen_errors_into(&said);
    const int result = gen_table_read_text(path, &text, only, table);
    gen_errors_into(NULL);
    gen_text_free(&text);
    return result;
}

static void print_budget(const struct gen_budget *budget, struct gen_text *text)
{
    gen_text_print(text, " vgprs=%u lds=%u waves=%u code=%u", budget->vgprs, budget->lds, budget->waves, budget->code);
}

static void print_row(const struct gen_row *row, struct gen_text *text)
{
    gen_text_print(text,
                   "row template=%s a=%s tile_m=%u tile_n=%u waves_m=%u waves_n=%u waves_k=%u depth=%u split=%u c=%s",
                   row->kernel->name, row->a->name, row->tile_m, row->tile_n, row->waves_m, row->waves_n, row->waves_k,
                   row->depth, row->split, row->c->name);
    print_budget(&row->budget, text);
    for (size_t i = 0; i < row->later_count; i++) {
        gen_text_print(text, " llvm %u", row->later[i].llvm);
        print_budget(&row->later[i].budget, text);
    }
    gen_text_add(text, "\n", 1);
}

static void check_budget(const struct gen_budget *budget)
{
    FUZZ_REQUIRE(budget->vgprs >= 1 && budget->vgprs <= 512 && budget->lds <= 163840);
    FUZZ_REQUIRE(budget->waves >= 1 && budget->waves <= 8 && budget->code >= 1 && budget->code <= 1 << 24);
}

static void check_row(const struct gen_table *table, const struct gen_row *row)
{
    struct gen_broken broken;
    struct gen_row named = *row;
    FUZZ_REQUIRE(gen_row_name(&named) == 0 && strcmp(named.name, row->name) == 0);
    FUZZ_REQUIRE(gen_table_find(table, row->name) == row); /* so that no other one has the name */
    FUZZ_REQUIRE(!gen_rules_broken(row, &broken));
    check_budget(&row->budget);
    for (size_t i = 0; i < row->later_count; i++) {
        struct gen_facts facts = {0};
        (void)snprintf(facts.compiler, sizeof facts.compiler, "clang version %u.0", row->later[i].llvm);
        const struct gen_budget later = gen_budget_of(row, &facts);
        FUZZ_REQUIRE(memcmp(&later, &row->later[i].budget, sizeof later) == 0);
        FUZZ_REQUIRE(i == 0 || row->later[i - 1].llvm < row->later[i].llvm);
        check_budget(&later);
    }
}

/* What the table says, in the opposite of its order; in pieces, for a text of a file may be of a size. */
static void check_again(const struct gen_table *table)
{
    enum { MOST_ROWS = 4000 };
    struct gen_text text = {0};
    struct gen_table again;
    if (table->count > MOST_ROWS) return;
    for (size_t i = table->count; i-- > 0;) print_row(&table->rows[i], &text);
    FUZZ_REQUIRE(read_text(text.data, text.bytes, NULL, &again) == 0);
    FUZZ_REQUIRE(again.count == table->count);
    struct gen_text first = {0}, second = {0};
    for (size_t i = 0; i < again.count; i++) print_row(&table->rows[i], &first), print_row(&again.rows[i], &second);
    FUZZ_REQUIRE(first.bytes == second.bytes && memcmp(first.data, second.data, first.bytes) == 0);
    gen_text_free(&first), gen_text_free(&second), gen_text_free(&text);
    gen_table_free(&again);
}

/* The variants of the first one's group alone. */
static void check_only(const struct gen_table *table, const char *data, size_t bytes)
{
    const char *group = table->rows[0].group;
    struct gen_table part;
    size_t count = 0;
    if (!*group) return;
    for (size_t i = 0; i < table->count; i++) count += strcmp(table->rows[i].group, group) == 0;
    FUZZ_REQUIRE(read_text(data, bytes, group, &part) == 0 && part.count == count);
    gen_table_free(&part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct gen_table table;
    if (read_text((const char *)data, bytes, NULL, &table) == 0) {
        FUZZ_REQUIRE(said.bytes == 0 && table.count > 0 && table.count <= 65536);
        for (size_t i = 0; i < table.count; i++) check_row(&table, &table.rows[i]);
        check_again(&table);
        check_only(&table, (const char *)data, bytes);
        gen_table_free(&table);
        fuzz_accepted++;
    } else {
        check_said(path, "a/table has no row; it needs at least one variant", data, bytes);
    }
    gen_text_free(&said);
    return 0;
}
