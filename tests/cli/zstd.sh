#!/bin/sh
# The build with libzstd, as far as it differs: the tests of compressed packs, what libmxgemm.so takes in and shows of
# it, and what an installed one is linked with.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}" "${MAKE:=make}"

if ! CC=$CC sh gen/library.sh zstd > "$work/said" 2>&1; then
    why=$(tail -n 1 "$work/said")
    case $why in
    *'cannot read the index'* | *'cannot download'* | *'no Debian mirror'* | *"only Debian's is"* | *'needs apt-get'*)
        skip 'the build with zstd' "$why"
        ;;
    *) not_ok 'libzstd is found or fetched' "$why" ;;
    esac
    finish
fi
cflags=$(sed -n 's/^ZSTD_CFLAGS := //p' out/zstd.mk) libs=$(sed -n 's/^ZSTD_LIBS := //p' out/zstd.mk)
# shellcheck disable=SC2086 # lists of options
for test in test_pack_image test_pack_write; do
    expect "$test compiles with zstd" 0 '' $CC -std=c11 -O1 -DMXG_ZSTD -I. $cflags -o "$work/$test" \
        common/*.c loader/*.c "tests/unit/$test.c" "$B/lib/libmxgemm_gfx950.a" $libs -ldl -lpthread -lm
    expect "$test with zstd" 0 ' passed, 0 failed' "$work/$test"
done

# In a directory of its own: the build that is tested may be one without.
with_zstd() {
    env MAKEFLAGS= MAKELEVEL= "$MAKE" --no-print-directory -j1 B=out/zstd ZSTD=1 CC="$CC" "$@"
}
library=out/zstd/lib/libmxgemm.so
expect 'make ZSTD=1 builds libmxgemm.so' 0 '' with_zstd $library
expect 'it has or needs libzstd' 0 ZSTD_decompress nm $library
nm -D --defined-only $library > "$work/exported"
if [ -s "$work/exported" ] && ! grep -v ' mxg_' "$work/exported" > "$work/others"; then ok 'it exports mxg_ names alone'
else not_ok 'it exports mxg_ names alone' "$(head -n 3 "$work/others")"; fi
if readelf -dW $library | grep -q 'NEEDED.*libzstd'; then found=-lzstd; else found=archive; fi
case $libs in
*.a) wanted=archive ;;
*) wanted=-lzstd ;;
esac
if [ $found = $wanted ]; then ok 'it needs libzstd if that is a shared one'
else not_ok 'it needs libzstd if that is a shared one' "$found, not $wanted"; fi
expect 'an installed one is linked with -lzstd' 0 "LIBS='-ldl -lpthread -lzstd'" with_zstd -n install
finish
