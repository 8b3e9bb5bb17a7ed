#include "gen/kernel_code.h"

int gen_kernel_code_read(const struct gen_text *object, const char *symbol, struct gen_kernel_code *code)
{
    *code = (struct gen_kernel_code){.main_loop = GEN_NO_LOOP};
    if (gen_disassemble(object, symbol, &code->disassembly) != 0) return -1;
    gen_loops_find(code->disassembly.all, code->disassembly.count, &code->loops);
    code->main_loop = gen_loop_main(&code->loops);
    return 0;
}

void gen_kernel_code_free(struct gen_kernel_code *code)
{
    gen_disassembly_free(&code->disassembly);
    gen_loops_free(&code->loops);
}
