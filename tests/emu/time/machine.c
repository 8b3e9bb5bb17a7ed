/* The rows of machine.def, by name, and the other words of time.h. */
#include "tests/emu/error.h"
#include "tests/emu/time/time.h"

#include <stdlib.h>
#include <string.h>

static const struct emu_machine_row rows[] = {
#define MACHINE(name, value, unit, fitted, source)                                                                     \
    {#name, unit, source, fitted, value, offsetof(struct emu_machine, name)},
#include "tests/emu/time/machine.def"
#undef MACHINE
};
enum { ROWS = sizeof rows / sizeof *rows };

struct emu_machine emu_machine_default(void)
{
    return (struct emu_machine){
#define MACHINE(name, value, unit, fitted, source) .name = value,
#include "tests/emu/time/machine.def"
#undef MACHINE
    };
}

const struct emu_machine_row *emu_machine_row_at(size_t index)
{
    return index < ROWS ? &rows[index] : NULL;
}

/* Beyond these a play would have no end, or no memory. */
static const double LEAST = 0.01, MOST = 1e6;

int emu_machine_set(struct emu_machine *machine, const char *assignment, struct emu_error *error)
{
    const char *equals = strchr(assignment, '=');
    const size_t length = equals ? (size_t)(equals - assignment) : 0;
    const struct emu_machine_row *row = NULL;
    for (size_t n = 0; equals && n < ROWS; n++)
        if (strlen(rows[n].name) == length && memcmp(rows[n].name, assignment, length) == 0) row = &rows[n];
    if (!equals) return emu_fail(error, "\"%s\" is not of the form NAME=VALUE", assignment);
    if (!row) return emu_fail(error, "\"%.*s\" is no row of the machine's table", (int)length, assignment);
    char *end;
    const double value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end || !(value >= LEAST && value <= MOST))
        return emu_fail(error, "%s must be a number from %g to %g, not \"%s\"", row->name, LEAST, MOST, equals + 1);
    memcpy((char *)machine + row->offset, &value, sizeof value);
    return 0;
}

static const char *const residencies[] = {[EMU_IN_HBM] = "hbm", [EMU_IN_MALL] = "mall", [EMU_IN_L2] = "l2"};

int emu_parse_residency(const char *text, enum emu_residency *residency, struct emu_error *error)
{
    for (size_t n = 0; n < sizeof residencies / sizeof *residencies; n++)
        if (strcmp(text, residencies[n]) == 0) {
            *residency = (enum emu_residency)n;
            return 0;
        }
    return emu_fail(error, "\"%s\" is not hbm, mall or l2", text);
}

const char *emu_residency_name(enum emu_residency residency)
{
    return residencies[residency];
}

const char *emu_part_name(enum emu_part part)
{
    static const char *const names[EMU_PARTS] = {
        [EMU_PART_LAUNCH] = "launch",   [EMU_PART_ISSUE] = "issue", [EMU_PART_VALU] = "valu",
        [EMU_PART_MFMA] = "mfma",       [EMU_PART_LDS] = "lds",     [EMU_PART_SCALAR] = "scalar",
        [EMU_PART_VMEM] = "vmem",       [EMU_PART_L1] = "l1",       [EMU_PART_L2] = "l2",
        [EMU_PART_MALL] = "mall",       [EMU_PART_HBM] = "hbm",     [EMU_PART_STORE] = "store",
        [EMU_PART_BARRIER] = "barrier", [EMU_PART_SLEEP] = "sleep", [EMU_PART_TAIL] = "tail",
    };
    return names[part];
}
