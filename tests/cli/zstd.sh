#!/bin/sh
# The tests of compressed packs, in a build with libzstd, which gen/library.sh fetches where it is not installed.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}"

[ -e out/zstd.mk ] || sh gen/library.sh zstd > "$work/library" 2>&1
if [ ! -e out/zstd.mk ]; then
    skip 'compressed packs' "$(tail -n 1 "$work/library")"
else
    flags=$(sed -n 's/^ZSTD_CFLAGS := //p' out/zstd.mk)
    libs=$(sed -n 's/^ZSTD_LIBS := //p' out/zstd.mk)
    for test in test_pack_image test_pack_write; do
        # shellcheck disable=SC2086 # lists of options
        expect "$test compiles with zstd" 0 '' $CC -std=c11 -O1 -DMXG_ZSTD -I. $flags -o "$work/$test" \
            common/*.c loader/*.c "tests/unit/$test.c" "$B/lib/libmxgemm_gfx950.a" $libs -ldl -lpthread -lm
        expect "$test with zstd" 0 ' passed, 0 failed' "$work/$test"
    done
fi
finish
