/* Reading MessagePack, as far as code object metadata uses it. The input is hostile: every read is bounded, and a
 * reader that met something impossible stays bad. */
#ifndef MXG_COMMON_MSGPACK_H
#define MXG_COMMON_MSGPACK_H

#include <stddef.h>
#include <stdint.h>

struct mxg_msgpack {
    const unsigned char *at, *end;
    int bad;
};

enum mxg_msgpack_type { MXG_MSGPACK_OTHER, MXG_MSGPACK_UINT, MXG_MSGPACK_STRING, MXG_MSGPACK_ARRAY, MXG_MSGPACK_MAP };

struct mxg_msgpack_value {
    enum mxg_msgpack_type type;
    uint64_t number;    /* UINT: the value; ARRAY, MAP: the number of elements or pairs; STRING: the length */
    const char *string; /* not terminated */
};

/* The next value; of an array or a map only the head. Returns 0 when bad or at the end. */
int mxg_msgpack_next(struct mxg_msgpack *m, struct mxg_msgpack_value *value);

/* Steps over one value with all it contains. */
int mxg_msgpack_skip(struct mxg_msgpack *m);

/* Whether the value is this string. */
int mxg_msgpack_is(const struct mxg_msgpack_value *value, const char *string);

#endif
