#!/bin/sh
# The build with libzstd, as far as it differs: what make says without it, and the tests of compressed packs with it.
# Another zstd.h than the system's is found through CPPFLAGS and LDFLAGS.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}" "${MAKE:=make}" "${CPPFLAGS:=}" "${LDFLAGS:=}"

expect 'make names the package that is missing' 2 'install libzstd-dev' \
    env MAKEFLAGS= "$MAKE" -n ZSTD=1 CPPFLAGS=-nostdinc "$B/lib/libmxgemm.a"
# shellcheck disable=SC2086 # lists of options
if ! $CC $CPPFLAGS -E -include zstd.h -x c /dev/null > /dev/null 2>&1; then
    skip 'compressed packs' 'there is no <zstd.h>, of libzstd-dev'
else
    for test in test_pack_image test_pack_write; do
        expect "$test compiles with zstd" 0 '' $CC -std=c11 -O1 -DMXG_ZSTD -I. $CPPFLAGS -o "$work/$test" \
            common/*.c loader/*.c "tests/unit/$test.c" "$B/lib/libmxgemm_gfx950.a" $LDFLAGS -lzstd -ldl -lpthread -lm
        expect "$test with zstd" 0 ' passed, 0 failed' "$work/$test"
    done
fi
finish
