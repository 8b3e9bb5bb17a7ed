/* Reading MessagePack, as far as code object metadata uses it. The input is hostile: every read is bounded, and a
 * reader that met something impossible stays bad. */
#ifndef EMU_MSGPACK_H
#define EMU_MSGPACK_H

#include <stddef.h>
#include <stdint.h>

struct msgpack {
    const unsigned char *at, *end;
    int bad;
};

enum msgpack_type { MSGPACK_OTHER, MSGPACK_UINT, MSGPACK_STRING, MSGPACK_ARRAY, MSGPACK_MAP };

struct msgpack_value {
    enum msgpack_type type;
    uint64_t number;    /* UINT: the value; ARRAY, MAP: the number of elements or pairs; STRING: the length */
    const char *string; /* not terminated */
};

/* The next value; of an array or a map only the head. Returns 0 when bad or at the end. */
int msgpack_next(struct msgpack *m, struct msgpack_value *value);

/* Steps over one value with all it contains. */
int msgpack_skip(struct msgpack *m);

/* Whether the value is this string. */
int msgpack_is(const struct msgpack_value *value, const char *string);

#endif
