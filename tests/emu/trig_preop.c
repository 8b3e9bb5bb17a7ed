/* v_trig_preop_f64: 53 bits of 2 / pi, for reducing an angle of any size to a part of a turn. The second source says
 * which 53, counted from where the angle's exponent makes them matter.
 *
 * CDNA4 ISA, V_TRIG_PREOP_F64. That the digits end after 1184 bits, that what would need more gives zero, and that NaN
 * stays NaN: LLVM, constant folding of llvm.amdgcn.trig.preop. */
#include "tests/emu/valu.h"
#include "tests/emu/valu_exec.h"

/* Binary digits of 2 / pi behind the point. */
static const u32 digits[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046,
};

enum { WORDS = sizeof digits / sizeof digits[0] };

static f64 digits_from(f64 angle, u32 segment)
{
    u32 exponent = (u32)(double_bits(angle) >> 52) & 0x7ff, shift = (segment & 31) * 53;
    if (isnan(angle)) return quiet_f64(angle);
    if (exponent > 1077) shift += exponent - 1077;
    u32 word = shift / 32, bit = shift % 32;
    if (word + 2 >= WORDS) return 0;
    u64 first = (u64)digits[word] << 32 | digits[word + 1];
    u64 whole = (first << bit | (u64)digits[word + 2] >> (32 - bit)) >> 11;
    int scale = -53 - (int)shift + (exponent >= 1968 ? 128 : 0);
    int lost = scale < -1074 ? -1074 - scale : 0; /* denormals: what does not fit is dropped */
    return lost < 53 ? ldexp((f64)(whole >> lost), scale + lost) : 0;
}

void exec_v_trig_preop_f64(struct wave *w, const struct insn *i)
{
    f64 a[LANES], result[LANES];
    lanes buffer;
    fetch_f64(w, i, 0, a);
    const u32 *b = fetch_u32(w, i, 1, &buffer);
    for (int l = 0; l < LANES; l++) result[l] = digits_from(a[l], b[l]);
    put_f64(w, i, result);
}
