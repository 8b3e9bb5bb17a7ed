#!/bin/sh
# Another compiler than the one that `make gen` has taken: it builds a variant of each template, they compute right, and
# the two are compared. MXG_TEST_SUITES has the Debian suites whose compilers are tried, and fetched if they are not
# there yet; not given, those that are there. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}" "${RUN_COMGR:=$(sed -n 's/^RUN_COMGR := //p' out/toolchain.mk)}"
export B CC RUN_COMGR

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
echo '16 128 512' > "$work/points"

compared() { # SUITE
    SECOND=$1 INTO=$work/both VARIANTS=$work/table ONLY='' JOBS='' POINTS=$work/points sh tests/bench/compilers.sh
}

try() { # SUITE
    expect "suite $1 has a compiler for a variant of each template" 0 'ratio' compared "$1"
    objects=$(ls "$work/both/$1/gfx950/"*.hsaco | wc -l)
    if [ "$objects" -eq 8 ]; then ok 'it builds all'; else not_ok 'it builds all' "$objects and not 8"; fi
    expect 'the report says what is not as with this one' 0 ': 0 came, 0 went, 8 changed, 0 are the same' \
        cat "$work/both/$1/report/variants.txt"
    expect 'they compute right' 0 ' 0 failed' "$B/test/gemm" --hip "$B/lib/emu/libamdhip64.so" \
        --pack "$work/both/$1/mxgemm-gfx950.mxpack" --quick
}
for suite in $suites; do try "$suite"; done

[ -z "$used" ] || expect 'the same compiler twice is refused' 1 'report-compilers: both compilers are' compared "$used"
finish
