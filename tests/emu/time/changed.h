/* Values of a machine by their rows, and which are not as machine.def has them. */
#ifndef EMU_TIME_CHANGED_H
#define EMU_TIME_CHANGED_H

#include "tests/emu/time/time.h"

static inline double emu_machine_value(const struct emu_machine *machine, const struct emu_machine_row *row)
{
    return *(const double *)((const char *)machine + row->offset);
}

/* The next row from *index on whose value is another; *index is then behind it. NULL: no more. */
static inline const struct emu_machine_row *emu_machine_changed(const struct emu_machine *machine, size_t *index)
{
    const struct emu_machine_row *row;
    while ((row = emu_machine_row_at((*index)++)))
        if (emu_machine_value(machine, row) < row->value || emu_machine_value(machine, row) > row->value) break;
    return row;
}

#endif
