#include "gen/listing.h"

#include "gen/report_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDED = 4 }; /* equal lines from here on are one, such as the padding before a kernel's entry without preload */

/* Numbers the instructions that others jump to, from 1 on; 0: none does. */
static unsigned *number_labels(const struct gen_disassembly *code)
{
    unsigned *labels = gen_alloc(code->count, sizeof *labels), last = 0;
    for (size_t i = 0; i < code->count; i++) {
        if (code->all[i].flow != GEN_FLOW_JUMP && code->all[i].flow != GEN_FLOW_BRANCH) continue;
        size_t target = gen_instruction_at(code->all, code->count, code->all[i].target);
        if (target < code->count) labels[target] = 1;
    }
    for (size_t i = 0; i < code->count; i++)
        if (labels[i]) labels[i] = ++last;
    return labels;
}

/* What stands beside an instruction. */
static const char *bar(const struct gen_kernel_code *code, size_t i)
{
    if (code->main_loop != GEN_NO_LOOP && gen_loop_has(&code->loops, code->main_loop, i)) {
        const struct gen_loop *loop = &code->loops.all[code->main_loop];
        return i == loop->first ? "+->" : i == loop->last ? "+--" : "|  ";
    }
    return code->loops.of[i] != GEN_NO_LOOP ? ":  " : "   ";
}

static size_t equal_lines(const struct gen_disassembly *code, const unsigned *labels, size_t i)
{
    size_t end = i + 1;
    while (end < code->count && !labels[end] && strcmp(code->all[end].text, code->all[i].text) == 0) end++;
    return end - i;
}

static void put_instruction(const struct gen_disassembly *code, const unsigned *labels, size_t i, struct gen_text *text)
{
    const struct gen_instruction *instruction = &code->all[i];
    size_t target = code->count;
    if (instruction->flow == GEN_FLOW_JUMP || instruction->flow == GEN_FLOW_BRANCH)
        target = gen_instruction_at(code->all, code->count, instruction->target);
    if (target < code->count)
        gen_text_print(text, "%.*s L%u", (int)strcspn(instruction->text, " "), instruction->text, labels[target]);
    else
        gen_text_print(text, "%s", instruction->text);
}

void gen_listing(const struct gen_kernel_code *code, struct gen_text *text)
{
    const struct gen_disassembly *all = &code->disassembly;
    unsigned *labels = number_labels(all);
    for (size_t i = 0; i < all->count; i++) {
        int starts = code->main_loop != GEN_NO_LOOP && i == code->loops.all[code->main_loop].first;
        if (labels[i] || starts) {
            if (labels[i]) gen_text_print(text, "L%u:", labels[i]);
            gen_text_print(text, "%s\n", starts ? "    ; the main loop" : "");
        }
        gen_text_print(text, "  %s %6" PRIx64 "  ", bar(code, i), all->all[i].address);
        put_instruction(all, labels, i, text);
        size_t equal = equal_lines(all, labels, i);
        if (equal >= FOLDED) gen_text_print(text, "    ; %zu times", equal), i += equal - 1;
        gen_text_add(text, "\n", 1);
    }
    free(labels);
}

static void put_bytes(const struct gen_traffic *traffic, const char *indent, struct gen_text *text)
{
    const struct {
        const char *what;
        uint32_t bytes;
    } moves[] = {{"loaded", traffic->loaded},
                 {"stored", traffic->stored},
                 {"by scalar loads", traffic->scalar_loaded},
                 {"read of LDS", traffic->lds_read},
                 {"written to LDS", traffic->lds_written}};
    const char *comma = "";
    gen_text_print(text, "%sbytes a wave  ", indent);
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        if (moves[i].bytes == 0) continue;
        gen_text_print(text, "%s%u %s", comma, moves[i].bytes, moves[i].what), comma = ", ";
    }
    gen_text_print(text, "%s\n", *comma ? "" : "none");
}

void gen_listing_loop(const struct gen_kernel_code *code, const char *indent, struct gen_text *text)
{
    const char *unit = code->loops.work == GEN_CLASS_MFMA ? "MFMA" : "VALU instruction";
    if (code->main_loop == GEN_NO_LOOP) {
        gen_text_print(text, "%smain loop     none: %s, with %u %ss in all\n", indent,
                       code->loops.count > 0 ? "no loop does the work" : "a straight line",
                       code->loops.code.classes[code->loops.work], unit);
        return;
    }
    const struct gen_loop *loop = &code->loops.all[code->main_loop];
    const struct gen_instruction *all = code->disassembly.all;
    uint32_t work = loop->code.classes[code->loops.work];
    gen_text_print(text, "%smain loop     %" PRIx64 " to %" PRIx64 ": %u %s%s, %u instructions, %u bytes of code\n",
                   indent, all[loop->first].address, all[loop->last].address, work, unit, work == 1 ? "" : "s",
                   loop->code.instructions, loop->code.bytes);
    gen_text_print(text, "%sper %-10s", indent, code->loops.work == GEN_CLASS_MFMA ? "MFMA" : "VALU");
    const char *comma = "";
    for (int class = 0; class < GEN_CLASSES; class ++) {
        if (loop->code.classes[class] == 0 || (enum gen_class) class == code->loops.work) continue;
        gen_text_print(text, "%s%.2f %s", comma, gen_hundredths((double)loop->code.classes[class] / work),
                       gen_class_names[class]);
        comma = ", ";
    }
    gen_text_print(text, "\n%swaits         %u\n", indent, loop->code.classes[GEN_CLASS_WAIT]);
    put_bytes(&loop->code.traffic, indent, text);
}
