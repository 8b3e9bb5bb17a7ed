/* mxemu machine */
#include "tests/emu/cli/mxemu.h"
#include "tests/emu/time/time.h"

#include <stdio.h>

enum mxemu_exit mxemu_machine(int argc, char **argv)
{
    const struct emu_machine_row *row;
    if (argc) return mxemu_fail(MXEMU_MISUSED, "machine takes no arguments, but %s is given", argv[0]);
    for (size_t n = 0; (row = emu_machine_row_at(n)); n++)
        printf("%-24s %8g %-12s %s%s\n", row->name, row->value, row->unit, row->fitted ? "fitted: " : "", row->source);
    return fflush(stdout) ? mxemu_fail(MXEMU_FAILED, "the list could not be written") : MXEMU_DONE;
}
