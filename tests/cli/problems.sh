#!/bin/sh
# The table of problems, of one problem. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}"
problems=$B/test/bench/problems
unset MXG_ORIGIN MXG_AITER

value() { # NAME: of the JSON, the first of that name
    sed -n "s/.*\"$1\": \"*\([^,\"}]*\).*/\1/p" "$work/json" | head -n 1
}

machine() { # NAME: of the machine's table
    sed -n "s/^MACHINE($1, \([^,]*\),.*/\1/p" tests/emu/time/machine.def
}

holds() { # NAME CONDITION: of numbers, for awk
    if awk "BEGIN {exit !($2)}"; then ok "$1"; else not_ok "$1" "$2"; fi
}

expect 'the table of one problem' 0 '4x2880x512: 0.81 MB' "$problems" --only 4x2880x512 --json "$work/json" \
    --tsv "$work/tsv"
cp "$work/said" "$work/table"
expect 'says that it is predicted' 0 predictions cat "$work/table"
expect 'says that no other object is given' 0 'MXG_ORIGIN names no code object' cat "$work/table"

# A of 4x512 in 2 bytes, B of 2880x512 in half a byte and a scale byte for 32, C of 4x2880 in 2 bytes: over 8 TB/s.
us=$(echo "$(machine launch_us) $(machine hbm_latency)" | awk '
    {print $1 + $2 / 1000 + (4 * 512 * 2 + 2880 * 512 / 2 + 2880 * 512 / 32 + 4 * 2880 * 2) / 8e6}')
holds 'the floor is launch, one round trip and the bytes' "($(value floor_us) - $us) ^ 2 < 1e-6"

chosen=$(sed -n 's/.*"chosen": {"name": "\([^"]*\)", "us": \([0-9.]*\).*/\1 \2/p' "$work/json")
best=$(sed -n 's/.*"best": {"name": "\([^"]*\)", "us": \([0-9.]*\).*/\1 \2/p' "$work/json")
expect 'the chosen one is that of mxgemm explain' 0 "${chosen% *}" sh -c \
    '"$0" explain --m 4 --n 2880 --k 512 --b-layout shuffled --scale-layout shuffled | head -n 2' "$B/bin/mxgemm"
holds 'the best one takes no longer' "0 < ${best#* } && ${best#* } <= ${chosen#* }"
parts=$(sed -n 's/.*"best".*"parts_us": {\([^}]*\)}.*/\1/p' "$work/json" | tr ',' '\n' |
    awk '{sum += $2} END {print sum}')
holds 'the parts of its time add up' "(${best#* } - $parts) ^ 2 < 1e-4"
expect 'and it is in the columns for gnuplot' 0 "${best#* }" cat "$work/tsv"

# What the chosen one does, and what is aimed at.
column() { # NAME: of the one row of the columns
    awk -F'\t' -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) at = i} NR == 2 {print $at}' "$work/tsv"
}
for figure in launches workgroups round_trips instructions beyond_l2_bytes under_way_bytes mfma_instructions; do
    got=$(column chosen_$figure)
    holds "it counts $figure" "${got:-0} > 0"
    case $(value $figure) in
    "$got") ok "of $figure the columns have what the JSON has" ;;
    *) not_ok "of $figure the columns have what the JSON has" "$got, not $(value $figure)" ;;
    esac
done
# M is below a tile's: tiles of N times slices, as the variant's name says.
wanted=$(echo "${chosen% *}" | sed 's/.*_m[0-9]*n\([0-9]*\)_.*_s\([0-9]*\)_.*/\1 \2/' |
    awk '{print int((2880 + $1 - 1) / $1) * $2}')
holds 'workgroups are those that have something to do' "$(column chosen_workgroups) == ${wanted:-0}"
before=$(column chosen_round_trips_before_store)
holds 'some round trips come before a store, and not more than all' \
    "1 <= ${before:-0} && ${before:-0} <= $(column chosen_round_trips)"
holds 'weights, A and scales come from beyond the L2 at least once' \
    "$(column chosen_beyond_l2_bytes) > 2880 * 512 / 2 + 2880 * 512 / 32 + 4 * 512 * 2"
expect 'what is not counted has no number' 0 - column origin_launches
aim=$(sed -n 's/.*"aim": "over_floor", "bound": 1.3, "value": \([0-9.]*\),.*/\1/p' "$work/json")
holds 'the aim over the floor has the chosen one'\''s ratio' "(${aim:-0} - ${chosen#* } / $(value floor_us)) ^ 2 < 1e-6"
expect 'an aim that needs another object is open' 0 '"aim": "over_origin", "bound": 0.55, "value": null' \
    cat "$work/json"

if [ -w /dev/full ]; then
    expect 'a table that cannot be written' 1 'could not be written' \
        sh -c '"$0" --only 4x2880x512 --candidates 1 > /dev/full' "$problems"
else skip 'a table that cannot be written' 'no /dev/full'; fi
# One that has a published time.
expect 'a problem that was measured' 0 published "$problems" --only 1x2112x7168 --candidates 1 --json "$work/json"
count() { # LINES-WITH TEXT: how many of them have it
    grep "$1" "$work/json" | grep -c "$2"
}
holds 'what is predicted is said to be' "$(count '"parts_us"' '"predicted": true') == 2"
holds 'and what is not' "$(count '"published"' '"predicted": false') == 1 && $(count . '"predicted"') == 3"
expect 'a problem that is not in the list' 1 3x5x7 "$problems" --only 3x5x7
expect 'a number that is none' 2 8x "$problems" --candidates 8x
refused 'an origin that is not there' no-such-origin env MXG_ORIGIN="$work/no-such-origin" "$problems"
expect 'an aiter object that is not there' 1 no-such-aiter env MXG_AITER="$work/no-such-aiter" "$problems" \
    --only 4x2880x512
finish
