#!/bin/sh
# make report-compilers: the variants by the compiler that `make gen` takes and by that of another Debian suite, side by
# side: what each takes and what is in its main loop, as `mxgen report` has it, and its times by the model. The Makefile
# calls it with SECOND (the suite), INTO (a directory, which gets all that is built and written), B, CC, VARIANTS, ONLY,
# JOBS and RUN_COMGR (how to start a program linked to comgr). POINTS: a file of lines "m n k", the problems that are
# timed; not given, the contest's.
set -eu
first=$INTO/first
second=$INTO/$SECOND
mkdir -p "$INTO"

# The generator is the same program, run through the other one's ld.so and with its libraries.
MXG_TOOLCHAIN=private MXG_SUITE=$SECOND sh gen/toolchain.sh "$INTO/$SECOND.mk"
comgr_of() { sed -n 's/^COMGR := //p' "$1"; }
if [ "$(comgr_of out/toolchain.mk)" = "$(comgr_of "$INTO/$SECOND.mk")" ]; then
    echo "report-compilers: both compilers are $(comgr_of out/toolchain.mk); SECOND=SUITE names another one" >&2
    exit 1
fi

[ -n "${POINTS:-}" ] ||
    sed -n 's/^PROBLEM(\([0-9]*\), \([0-9]*\), \([0-9]*\), CONTEST.*/\1 \2 \3/p' tests/bench/problems.def \
        > "$INTO/points"

# of DIRECTORY RUN-PREFIX [BASE]: builds, times and reports.
of() {
    mkdir -p "$1"
    # shellcheck disable=SC2086 # the prefix is words
    $2 out/libexec/mxgen build --table "$VARIANTS" ${ONLY:+--only "$ONLY"} --no-hints --out "$1" ${JOBS:+-j "$JOBS"} \
        > "$1/log"
    "$B/test/bench/tune" sweep --points "${POINTS:-$INTO/points}" --pack "$1/mxgemm-gfx950.mxpack" --replace \
        --out "$1/times" ${JOBS:+--jobs "$JOBS"}
    # shellcheck disable=SC2086
    $2 out/libexec/mxgen report --table "$VARIANTS" ${ONLY:+--only "$ONLY"} --tuning "$1/times" --out "$1" \
        ${3:+--base "$3"} > "$1/log"
}
of "$first" "$RUN_COMGR"
of "$second" "$(sed -n 's/^RUN_COMGR := //p' "$INTO/$SECOND.mk")" "$first/report/variants.json"

times=$second/report/times.txt
{
    echo "the first:  $(comgr_of out/toolchain.mk)"
    echo "the second: $(comgr_of "$INTO/$SECOND.mk")"
    echo
    "$B/test/bench/tune" compare --pack "$second/mxgemm-gfx950.mxpack" "$first/times" "$second/times"
} > "$times"
echo
cat "$times"
echo
echo "this is $times; all else that differs is in $second/report/variants.html"
