#!/bin/sh
# tests/bench/calibrate as typed; with MXG_AITER also on a few rows. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}" "${MXG_AITER:=}"
calibrate=$B/test/bench/calibrate

refused 'no objects' 'MXG_AITER names no directory' env MXG_AITER= "$calibrate"
refused 'a directory without objects' 'cannot be read' env MXG_AITER="$work" "$calibrate" --rows 1 --jobs 1
expect 'an unknown option' 2 '--speed' "$calibrate" --speed 9
expect 'how it is called' 2 'usage: calibrate' "$calibrate" --speed 9
expect 'no rows' 2 '--rows 0' "$calibrate" --rows 0
expect 'an unknown row of the machine' 2 'bogus' "$calibrate" --machine bogus=1
expect 'a report of a fit' 2 'no report' "$calibrate" --fit --report "$work"

few() { # MORE-OPTIONS...
    "$calibrate" --rows 3 "$@" > "$work/printed" 2> "$work/progress"
    [ $? -le 1 ] # which bounds three rows meet does not matter
}
if [ -z "$MXG_AITER" ]; then
    for name in 'three rows' 'their files' 'their rows' 'the same on one core'; do
        skip "$name" 'MXG_AITER names no directory'
    done
else
    if few --report "$work/report"; then ok 'three rows'; else not_ok 'three rows' "$(head -n 1 "$work/progress")"; fi
    same 'their files' "$work/printed" "$work/report/calibration.txt"
    # The header and three rows; the error is what the two times say, up to their digits.
    if awk -F'\t' 'NR > 1 && ($7 / $6 - 1 - $8) ^ 2 > 1e-7 {wrong = 1} END {exit wrong || NR != 4}' \
        "$work/report/calibration.tsv"; then ok 'their rows'
    else not_ok 'their rows' "$(tail -n 1 "$work/report/calibration.tsv")"; fi
    few --jobs 1 --report "$work/again"
    same 'the same on one core' "$work/report/calibration.tsv" "$work/again/calibration.tsv"
fi
finish
