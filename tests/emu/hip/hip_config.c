/* The environment variables of the emulated HIP library. */
#include "tests/emu/error.h"
#include "tests/emu/hip/hip_state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 1024 };

/* A decimal number from 0 to max that is all of the text; -1: not one. */
static int parse_number(const char *text, long max)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return *text < '0' || *text > '9' || *end || errno || value > max ? -1 : (int)value;
}

/* Takes ":name+" or ":name-" off *text, if it comes next. */
static enum hip_feature take_feature(const char **text, const char *name)
{
    size_t length = strlen(name);
    if (**text != ':' || strncmp(*text + 1, name, length) != 0) return HIP_FEATURE_ANY;
    char sign = (*text)[1 + length];
    if (sign != '+' && sign != '-') return HIP_FEATURE_ANY;
    *text += 2 + length;
    return sign == '+' ? HIP_FEATURE_ON : HIP_FEATURE_OFF;
}

int hip_config_arch(struct hip_config *config, const char *text)
{
    size_t length = strlen(text), name = strspn(text, "gfx0123456789abcdef");
    if (length >= sizeof config->arch || strncmp(text, "gfx", 3) != 0 || name < 6) return -1;
    const char *rest = text + name;
    enum hip_feature sramecc = take_feature(&rest, "sramecc");
    enum hip_feature xnack = take_feature(&rest, "xnack");
    if (*rest) return -1;
    memcpy(config->arch, text, length + 1);
    config->gfx950 = name == 6 && memcmp(text, "gfx950", 6) == 0;
    config->sramecc = sramecc;
    config->xnack = xnack;
    return 0;
}

int hip_config_read(struct hip_config *config, struct emu_error *error)
{
    struct emu_error why;
    const char *text = getenv("AMD_LOG_LEVEL");
    config->verbose = text && parse_number(text, INT_MAX) >= 1;

    text = getenv("MXEMU_DEVICES");
    config->devices = text ? parse_number(text, EMU_MAX_DEVICES) : 1;
    if (config->devices < 0)
        return emu_fail(error, "MXEMU_DEVICES is \"%s\", not a number from 0 to %d", text, EMU_MAX_DEVICES);

    text = getenv("MXEMU_THREADS");
    int threads = text ? parse_number(text, MAX_THREADS) : 0;
    if (threads < 0)
        return emu_fail(error, "MXEMU_THREADS is \"%s\", not a number from 0 (all processors) to %d", text,
                        MAX_THREADS);
    config->threads = (unsigned)threads;

    text = getenv("MXEMU_ARCH");
    if (hip_config_arch(config, text ? text : "gfx950:sramecc+:xnack-") != 0)
        return emu_fail(error, "MXEMU_ARCH is \"%s\", not an architecture such as gfx950:sramecc+:xnack-", text);

    text = getenv("MXEMU_CHECK");
    if (emu_parse_checks(text ? text : "all", &config->checks, &why) != 0)
        return emu_fail(error, "MXEMU_CHECK is \"%s\": %.900s", text, why.text);

    text = getenv("MXEMU_ORDER");
    if (emu_parse_order(text ? text : "forward", &config->order, &config->order_seed, &why) != 0)
        return emu_fail(error, "MXEMU_ORDER is \"%s\": %.900s", text, why.text);
    return 0;
}
