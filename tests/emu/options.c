/* Settings given as text. */
#include "tests/emu/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned checks;
} check_names[] = {
    {"all", EMU_CHECK_ALL},
    {"none", 0},
    {"bounds", EMU_CHECK_BOUNDS},
};

int emu_parse_checks(const char *text, unsigned *checks, struct emu_error *error)
{
    unsigned result = 0;
    const char *at = text;
    do {
        size_t length = strcspn(at, ","), known = 0;
        for (size_t n = 0; n < sizeof check_names / sizeof check_names[0]; n++)
            if (strlen(check_names[n].name) == length && memcmp(check_names[n].name, at, length) == 0) {
                result |= check_names[n].checks;
                known = 1;
            }
        if (!known) return emu_fail(error, "\"%.*s\" is not a check; there are all, none and bounds", (int)length, at);
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
