#!/bin/sh
# Another compiler than the one that `make gen` has taken: it builds a variant of each template, and they compute right.
# MXG_TEST_SUITES has the Debian suites whose compilers are tried, and fetched if they are not there yet; not given,
# those that are there. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}" "${RUN_COMGR:=$(sed -n 's/^RUN_COMGR := //p' out/toolchain.mk)}"

used=$(echo "$RUN_COMGR" | sed -n 's|^out/toolchain/\([^/]*\)/.*|\1|p')
suites=${MXG_TEST_SUITES-$(cd out/toolchain 2> /dev/null && ls -d */ | tr -d / | grep -vxF "${used:-/}")}
[ -n "$suites" ] || skip 'another compiler' 'out/toolchain has no other; MXG_TEST_SUITES=experimental fetches one'

{
    table_row plain bf16 16 64 1 4 1 1 2 bf16
    table_row stream bf16 16 64 1 1 4 2 4 bf16
    table_row stream mxfp4 32 64 1 1 4 2 1 f16
    table_row tile bf16 32 128 1 4 1 4 2 bf16
    table_row tile mxfp4 64 128 1 4 1 4 1 f16
    table_row wide mxfp4 128 256 1 4 1 4 1 f32
    table_row wide mxfp4 352 256 1 4 1 4 1 bf16
    table_row quantise bf16 32 256 4 1 1 1 1 mxfp4
} > "$work/table"

build() { # DIRECTORY RUN-PREFIX
    # shellcheck disable=SC2086 # the prefix is words
    $2 out/libexec/mxgen build --table "$work/table" --no-hints --out "$1" &&
        [ "$(ls "$1"/gfx950/*.hsaco | wc -l)" -eq "$(wc -l < "$work/table")" ]
}

try() { # SUITE
    expect "suite $1 has a compiler" 0 "from suite $1" env MXG_TOOLCHAIN=private MXG_SUITE="$1" \
        sh gen/toolchain.sh "$work/toolchain.mk"
    mkdir "$work/$1"
    expect 'which builds a variant of each template' 0 '' \
        build "$work/$1" "$(sed -n 's/^RUN_COMGR := //p' "$work/toolchain.mk")"
    if cmp -s "$work/first/mxgemm-gfx950.mxpack" "$work/$1/mxgemm-gfx950.mxpack"; then
        not_ok 'other ones than this compiler' 'their bytes are the same'
    else
        ok 'other ones than this compiler'
    fi
    expect 'they compute right' 0 ' 0 failed' "$B/test/gemm" --hip "$B/lib/emu/libamdhip64.so" \
        --pack "$work/$1/mxgemm-gfx950.mxpack" --quick
}

if [ -n "$suites" ]; then
    mkdir "$work/first"
    expect 'this compiler builds them too' 0 '' build "$work/first" "$RUN_COMGR"
    for suite in $suites; do try "$suite"; done
fi
finish
