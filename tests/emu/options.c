/* Settings given as text. */
#include "tests/emu/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned checks;
} check_names[] = {
    {"all", EMU_CHECK_ALL},
    {"none", 0},
    {"bounds", EMU_CHECK_BOUNDS},
    {"uninit", EMU_CHECK_UNINIT},
    {"wait", EMU_CHECK_WAIT},
    {"hazard", EMU_CHECK_HAZARD},
    {"race", EMU_CHECK_RACE},
    {"order", EMU_CHECK_ORDER},
};

enum { CHECK_NAMES = sizeof check_names / sizeof check_names[0] };

static int unknown_check(const char *name, size_t length, struct emu_error *error)
{
    char known[256];
    size_t used = 0;
    for (size_t n = 0; n < CHECK_NAMES; n++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 n == 0 ? "" : n + 1 < CHECK_NAMES ? ", " : " and ", check_names[n].name);
    return emu_fail(error, "\"%.*s\" is not a check; there are %s", (int)length, name, known);
}

int emu_parse_checks(const char *text, unsigned *checks, struct emu_error *error)
{
    unsigned result = 0;
    const char *at = text;
    do {
        size_t length = strcspn(at, ","), known = 0;
        for (size_t n = 0; n < CHECK_NAMES; n++)
            if (strlen(check_names[n].name) == length && memcmp(check_names[n].name, at, length) == 0) {
                result |= check_names[n].checks;
                known = 1;
            }
        if (!known) return unknown_check(at, length, error);
        at += length;
    } while (*at++ == ',');
    *checks = result;
    return 0;
}

int emu_parse_order(const char *text, enum emu_order *order, uint64_t *seed, struct emu_error *error)
{
    *seed = 0;
    if (strcmp(text, "forward") == 0) {
        *order = EMU_ORDER_FORWARD;
        return 0;
    }
    if (strcmp(text, "reverse") == 0) {
        *order = EMU_ORDER_REVERSE;
        return 0;
    }
    char *end;
    errno = 0;
    if (strncmp(text, "random:", 7) == 0 && text[7] >= '0' && text[7] <= '9') {
        *seed = strtoull(text + 7, &end, 0);
        *order = EMU_ORDER_RANDOM;
        if (*end == 0 && errno == 0) return 0;
    }
    return emu_fail(error, "\"%s\" is not an order; there are forward, reverse and random:SEED", text);
}
