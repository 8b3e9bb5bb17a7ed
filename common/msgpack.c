#include "common/msgpack.h"

#include <string.h>

static uint64_t take_big_endian(struct mxg_msgpack *m, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(m->end - m->at) < bytes) {
        m->bad = 1;
        return 0;
    }
    for (unsigned n = 0; n < bytes; n++) value = value << 8 | *m->at++;
    return value;
}

static int take_bytes(struct mxg_msgpack *m, struct mxg_msgpack_value *value, uint64_t bytes)
{
    if (m->bad || (uint64_t)(m->end - m->at) < bytes) {
        m->bad = 1;
        return 0;
    }
    value->string = (const char *)m->at;
    value->number = bytes;
    m->at += bytes;
    return 1;
}

int mxg_msgpack_next(struct mxg_msgpack *m, struct mxg_msgpack_value *value)
{
    memset(value, 0, sizeof *value);
    if (m->bad || m->at >= m->end) return 0;
    unsigned tag = *m->at++;
    if (tag <= 0x7f) { /* positive fixint */
        value->type = MXG_MSGPACK_UINT;
        value->number = tag;
    } else if (tag <= 0x8f) {
        value->type = MXG_MSGPACK_MAP;
        value->number = tag & 15;
    } else if (tag <= 0x9f) {
        value->type = MXG_MSGPACK_ARRAY;
        value->number = tag & 15;
    } else if (tag <= 0xbf) {
        value->type = MXG_MSGPACK_STRING;
        return take_bytes(m, value, tag & 31);
    } else {
        switch (tag) {
        case 0xc0:
        case 0xc2:
        case 0xc3:
            break; /* nil, false, true */
        case 0xc4:
        case 0xc5:
        case 0xc6:
            return take_bytes(m, value, take_big_endian(m, 1u << (tag - 0xc4)));
        case 0xca:
            return take_bytes(m, value, 4); /* float */
        case 0xcb:
            return take_bytes(m, value, 8);
        case 0xcc:
        case 0xcd:
        case 0xce:
        case 0xcf:
            value->type = MXG_MSGPACK_UINT;
            value->number = take_big_endian(m, 1u << (tag - 0xcc));
            break;
        case 0xd0:
        case 0xd1:
        case 0xd2:
        case 0xd3:
            return take_bytes(m, value, UINT64_C(1) << (tag - 0xd0));
        case 0xd9:
        case 0xda:
        case 0xdb:
            value->type = MXG_MSGPACK_STRING;
            return take_bytes(m, value, take_big_endian(m, 1u << (tag - 0xd9)));
        case 0xdc:
        case 0xdd:
            value->type = MXG_MSGPACK_ARRAY;
            value->number = take_big_endian(m, tag == 0xdc ? 2 : 4);
            break;
        case 0xde:
        case 0xdf:
            value->type = MXG_MSGPACK_MAP;
            value->number = take_big_endian(m, tag == 0xde ? 2 : 4);
            break;
        default:
            if (tag < 0xe0) m->bad = 1; /* extensions do not occur; 0xe0 and up are small negative numbers */
        }
    }
    return !m->bad;
}

int mxg_msgpack_skip(struct mxg_msgpack *m)
{
    /* Each pending value takes at least a byte, so that a head that promises more than is left ends as bad. */
    for (uint64_t pending = 1; pending > 0; pending--) {
        struct mxg_msgpack_value value;
        if (!mxg_msgpack_next(m, &value)) {
            m->bad = 1;
            return 0;
        }
        if (value.type == MXG_MSGPACK_ARRAY) pending += value.number;
        if (value.type == MXG_MSGPACK_MAP) pending += 2 * value.number;
        if (pending > (uint64_t)(m->end - m->at) + 1) {
            m->bad = 1;
            return 0;
        }
    }
    return 1;
}

int mxg_msgpack_is(const struct mxg_msgpack_value *value, const char *string)
{
    return value->type == MXG_MSGPACK_STRING && value->number == strlen(string) &&
           memcmp(value->string, string, value->number) == 0;
}
