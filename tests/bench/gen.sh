#!/bin/sh
# gen.sh [JOBS]: how fast mxgen compiles the family of variants: all by one `mxgen build`, whose processes take one
# variant after the other, and beside it, in turns, by an mxgen for each (a shard of one row), as many at a time.
# The best of ROUNDS (2) counts, since a machine is never slower than it is. Then what `make gen` takes with nothing to
# do. Ends with 1 if that is below the limits here.
set -eu
jobs=${1:-$(nproc)}
least_rate=10 least_ratio=1.5 most_seconds=0.3
mxgen=out/bin/mxgen
work=$(mktemp -d "${TMPDIR:-/tmp}/mxgemm-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
count=$("$mxgen" list | wc -l)

now() {
    date +%s%N
}
# Of $work/times, what `times` said in this shell: seconds of processor time of what it has waited for so far.
processor_seconds() {
    sed -n 2p "$work/times" | sed 's/[ms]/ /g' | awk '{print $1 * 60 + $2 + $3 * 60 + $4}'
}
# measure NAME COMMAND...: prints and keeps in $work/NAME seconds and seconds of processor time
measure() {
    name=$1
    shift
    rm -rf "$work/out"
    mkdir "$work/out"
    times > "$work/times"
    processor=$(processor_seconds) start=$(now)
    "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    end=$(now)
    times > "$work/times"
    objects=$(find "$work/out" -name '*.hsaco' | wc -l)
    [ "$objects" -eq "$count" ] || { echo "$name made $objects of $count objects" >&2; exit 1; }
    processor_seconds | awk -v s="$start" -v e="$end" -v p="$processor" -v n="$count" -v name="$name" \
        '{t = (e - s) / 1e9; printf "%.3f %.3f\n", t, $1 - p > "/dev/stderr";
          printf "  %-26s %6.2f s  %5.1f variants/s  %.3f s of a processor each\n", name, t, n / t, ($1 - p) / n}' \
        2>> "$work/$name"
}
one_mxgen() {
    "$mxgen" build --out "$work/out" -j "$jobs"
}
mxgen_each() {
    seq "$count" | xargs -P "$jobs" -I '{}' "$mxgen" build --shard "{}/$count" --out "$work/out/{}" -j 1
}

echo "$count variants, $jobs processes at a time, $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg)"
for _ in $(seq "${ROUNDS:-2}"); do
    measure one_mxgen one_mxgen
    measure mxgen_each mxgen_each
done
for _ in 1 2 3 4 5; do
    start=$(now)
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "${MAKE:-make}" gen > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    echo "$start $(now)" | awk '{printf "%.3f\n", ($2 - $1) / 1e9}' >> "$work/nothing"
done

best() {
    sort -n "$work/$1" | head -n 1 | cut -d ' ' -f 1
}
awk -v n="$count" -v one="$(best one_mxgen)" -v each="$(best mxgen_each)" -v nothing="$(best nothing)" \
    -v least_rate=$least_rate -v least_ratio=$least_ratio -v most_seconds=$most_seconds '
function line(text, value, limit, holds) {
    printf "%-58s %6.2f  limit %5.2f  %s\n", text, value, limit, holds ? "ok" : "MISSED"
    missed += !holds
}
BEGIN {
    line("variants a second", n / one, least_rate, n / one >= least_rate)
    line("times as fast as an mxgen for each", each / one, least_ratio, each / one >= least_ratio)
    line("seconds of make gen with nothing to do", nothing, most_seconds, nothing <= most_seconds)
    exit missed > 0
}'
