#!/bin/sh
# mxgen show and mxgen report as typed: what they say of a few variants, of earlier reports and of choices, and what of
# such files they refuse.
. tests/cli/lib.sh
mxgen=out/bin/mxgen start_directory=$(pwd)
plain=gemm_plain_m16n64_w1x4_s2_bf16 stream=gemm_stream_m16n64_w1x1x4_s1_f32 quantise=quantise_m32n256_w4x1

{ echo 'group a-group-of-a-name-that-is-long "x"'
  table_row plain bf16 16 64 1 4 1 1 2 bf16; table_row stream bf16 16 64 1 1 4 1 1 f32 96 16384 4 5000
  table_row quantise bf16 32 256 4 1 1 1 1 mxfp4; } > "$work/table"
printf 'family gemm_stream_m16n64_w1x1x4_s1\nfamily gemm_plain_m16n64_w1x4_s2\n%s\n%s\n%s\n' '16 64 512 model 4 5' \
    '16 128 512 model 6 6.5' '16 64 512 measured:MI355X,7.0,2026-11-30 7 5.5' > "$work/tuning"
on_table() { # COMMAND MORE...: mxgen on the small table
    command=$1
    shift
    "$mxgen" "$command" --table "$work/table" --out "$work/out" "$@"
}
report() {
    on_table report --tuning "$work/tuning" "$@"
}

# holds NAME COMMAND...: the command succeeds.
holds() {
    name=$1
    shift
    if "$@" > "$work/said" 2>&1; then ok "$name"; else not_ok "$name" "$(head -n 3 "$work/said" | tr '\n' ' ')"; fi
}

refused 'a variant that is no row' "nobody is no variant of $work/table" on_table show nobody
refused 'a variant that is not built' "$plain is not built" on_table show "$plain"
refused 'a report of what is not built' "$plain is not built" report
holds 'leaves nothing' [ ! -e "$work/out/report" ]
expect 'show needs a name' 2 'something is missing' "$mxgen" show
expect 'and one only' 2 'one word too many' "$mxgen" show a b
on_table build > "$work/said" 2>&1 || not_ok 'the table builds' "$(tail -n 3 "$work/said")"

# ---- show ----------------------------------------------------------------------------------------------------------

# Lines of the listing after the title of a kernel; a line for equal ones counts as often as it says.
listing() {
    awk -v title="---- $1 " 'index($0, "---- ") == 1 {on = index($0, title) == 1; next}
        on && $0 !~ /^L[0-9]*:/ && NF {n = 1; if ($0 ~ /; [0-9]+ times$/) n = $(NF - 1); while (n-- > 0) print}' \
        "$work/shown"
}
on_table show "$stream" > "$work/shown"
said() { # TEXT: a number before it in the summary
    sed -n "s/.* \([0-9][0-9]*\) $1.*/\1/p" "$work/shown" | head -n 1
}
listing "$stream" > "$work/listing"
holds 'the listing has all instructions' [ "$(wc -l < "$work/listing")" -eq "$(sed -n \
    's/^  code .* bytes, \([0-9]*\) instructions$/\1/p' "$work/shown")" ]
grep '^  [+|]' "$work/listing" > "$work/loop"
holds 'the main loop is marked' [ "$(wc -l < "$work/loop")" -eq "$(sed -n \
    's/^  main loop .* \([0-9]*\) instructions,.*/\1/p' "$work/shown")" ]
holds 'its MFMAs are counted' [ "$(grep -c v_mfma_ "$work/loop")" -eq "$(said MFMAs)" ]
holds 'its waits are counted' [ "$(grep -c s_waitcnt "$work/loop")" -eq "$(sed -n 's/^  waits  *//p' "$work/shown")" ]
holds 'it begins and ends' [ "$(sed -n 's/^  \(+->\|+--\).*/\1/p' "$work/loop" | tr '\n' ' ')" = '+-> +-- ' ]
sed -n 's/.*branch[_a-z0-9]* L\([0-9]*\)$/\1/p' "$work/listing" | sort -u > "$work/targets"
sed -n 's/^L\([0-9]*\):.*/\1/p' "$work/shown" | sort -u > "$work/labels"
same 'branches go to labels that are there, and all of these are gone to' "$work/targets" "$work/labels"
sed -n '/^---- .*\.hip -/,/^---- gemm/p' "$work/shown" | sed '1,2d; /^---- gemm/d' | sed '$d' > "$work/source"
same 'the source is the one compiled' "$work/source" "$work/out/gfx950/src/$stream.hip"
takes='"takes": {"vgprs": \([0-9]*\), "lds_bytes": \([0-9]*\),'
takes=$(sed -n "/\"name\": \"$stream\"/,/takes/s/.*$takes.*/\1 \2/p" "$work/out/gfx950/manifest.json")
holds 'the budget is the row'"'"'s' grep -q "^  VGPRs of a lane *${takes% *}  *96 *$((96 - ${takes% *}))$" "$work/shown"
holds 'and its margin what is left' \
    grep -q "^  bytes of LDS *${takes#* }  *16384 *$((16384 - ${takes#* }))$" "$work/shown"
expect 'a quantiser without a loop is a straight line' 0 'main loop     none: a straight line' on_table show "$quantise"
on_table show "$plain" > "$work/shown"
holds 'both kernels of a variant are shown' [ "$(grep -c '^---- gemm_plain' "$work/shown")" -eq 2 ]

# ---- report --------------------------------------------------------------------------------------------------------

expect 'a report' 0 "$work/out/report/variants.html" report
written=$work/out/report/variants json=$work/out/report/variants.json
holds 'its text fits 120 columns' awk 'length > 120 {exit 1}' "$written.txt"
# The last column of each table is to the right.
holds 'all lines of a table end together' awk '
    /^variant / {bytes = length} /^(gemm|quantise)_/ {lines++; if (length != bytes) exit 1} END {exit lines != 15}' \
    "$written.txt"
holds 'the report of the build fits 120 columns' awk 'length > 120 {exit 1}' "$work/out/gfx950/report.txt"
holds 'and says what limits occupancy' \
    grep -q "^$quantise  *40/[0-9]*  *0/[0-9]*  *8/[0-9]*  *waves " "$work/out/gfx950/report.txt"
for key in vgprs_allocated agprs; do
    sed -n "s/.*\"$key\": \([0-9]*\).*/\1/p" "$json" | sort > "$work/reported"
    sed -n "/\"symbol\": \"[a-z0-9_]*\(_reduce\)\"/d; s/.*\"symbol\".*[ {]\"$key\": \([0-9]*\).*/\1/p" \
        "$work/out/gfx950/manifest.json" | sort > "$work/built"
    same "$key are those of the manifest" "$work/reported" "$work/built"
    holds "$key of three variants" [ "$(wc -l < "$work/reported")" -eq 3 ]
done
one_line() { # the objects of the JSON, a line each
    tr -d '\n' < "$json" | sed 's/  */ /g'
}
# By hand: the stream kernel is faster by the model at 16 x 128 x 512 and slower by the measurement, which counts, at
# the other; 2 * 16 * 128 * 512 operations in 6 us are 0.350 TFLOP/s.
stream_times='"times": { "problems": 2, "fastest_at": 1, "best": { "problem": "16 x 128 x 512", "m": 16, "n": 128,'
one_line > "$work/line"
holds 'times of a family' \
    grep -qF "$stream_times \"k\": 512, \"source\": \"model\", \"us\": 6.0, \"tflops\": 0.35 } }" "$work/line"
plain_times='"times": { "problems": 2, "fastest_at": 1, "best": { "problem": "16 x 128 x 512"'
holds 'and of the other' [ "$(grep -oF "$plain_times" "$work/line" | wc -l)" -eq 2 ]
holds 'a variant without times has none' grep -qF '"times": null' "$work/line"
cp "$json" "$work/earlier.json"
cp "$written.html" "$work/earlier.html"
rm -r "$work/out/report"
(cd "$work" && TZ=UTC+5 LC_ALL=C "$start_directory/$mxgen" report --table table --tuning tuning \
    --out out) > "$work/said" 2>&1 || not_ok 'a report from elsewhere' "$(cat "$work/said")"
same 'a report from elsewhere has the same bytes' "$json" "$work/earlier.json"
same 'and the same page' "$written.html" "$work/earlier.html"

# ---- changes -------------------------------------------------------------------------------------------------------

since() { # NAME TEXT SED: the report against the earlier one after an edit says the text
    sed "$3" "$work/earlier.json" > "$work/base.json"
    expect "$1" 0 "$2" report --base "$work/base.json"
    cp "$work/said" "$work/changes"
}
since 'nothing changed' 'Since base.json: 0 came, 0 went, 0 changed, 3 are the same.' ''
since 'a variant came and another went' '1 came, 1 went, 0 changed, 2 are the same.' "s/$quantise/old_one/"
holds 'the one that came' grep -q "^  came      $quantise$" "$work/changes"
holds 'the one that went' grep -q '^  went      old_one$' "$work/changes"
vgprs=$(sed -n 's/.*"vgprs_allocated": \([0-9]*\).*/\1/p' "$json" | head -n 1)
since 'more registers are worse' "8 -> $vgprs  worse" "s/\"vgprs_allocated\": $vgprs,/\"vgprs_allocated\": 8,/"
since 'fewer are better' "504 -> $vgprs  better" "s/\"vgprs_allocated\": $vgprs,/\"vgprs_allocated\": 504,/"
since 'more waves are better' '1 -> 8  better' 's/"waves_per_simd": 8,/"waves_per_simd": 1,/'
since 'a limit is neither' 'occupancy.limited_by             lds+vgprs -> waves' \
    '/"limited_by"/,/]/s/"waves"/"lds", "vgprs"/'
since 'an empty list and an empty text are nothing' 'occupancy.limited_by             - -> waves' \
    '/"limited_by"/,/]/s/"waves"//; s/"template": "[a-z]*"/"template": ""/'
holds 'both of them' grep -q '  template  *- -> stream$' "$work/changes"
since 'what there was not' 'times.best.us                    - -> 6.00' 's/"us": 6.0,/"us": null,/'
since 'control characters are not printed' '?[31m -> stream' 's/"template": "stream"/"template": "\\u001b[31m"/'
since 'nor those above ASCII' '??31m -> stream' 's/"template": "stream"/"template": "\\u009b31m"/'
holds 'the text has the changes too' grep -q 'Since base.json' "$written.txt"
expect 'a report against itself where it is' 0 '0 changed, 3 are the same' report --base "$json"

bad_base() { # NAME TEXT CONTENT
    printf '%s' "$3" > "$work/bad.json"
    cp "$json" "$work/kept.json"
    refused "$1" "$2" report --base "$work/bad.json"
    cmp -s "$json" "$work/kept.json" || not_ok "$1 leaves the report" 'it has changed'
}
refused 'no such base' 'no-such-file' report --base "$work/no-such-file"
refused 'a directory' "$work" report --base "$work"
bad_base 'an empty base' 'bad.json' ''
bad_base 'no JSON' 'bad.json:1:9' '{nonsense'
bad_base 'no JSON that a terminal would obey' "bad.json:1:1: '[' or '{' expected near '\\x1b'" \
    "$(printf '\033[31m')"
bad_base 'cut short' 'bad.json' "$(head -c 2000 "$json")"
bad_base 'another schema' 'no report of mxgen with "schema": 1' '{"schema": 2, "variants": []}'
bad_base 'a schema that is no number' 'no report of mxgen' '{"schema": "1", "variants": []}'
bad_base 'no variants' 'no report of mxgen' '{"schema": 1}'
bad_base 'variants that are no list' 'no report of mxgen' '{"schema": 1, "variants": {"name": "a"}}'
bad_base 'a list' 'no report of mxgen' '[1]'
bad_base 'a variant without a name' 'variant 0 has no name' '{"schema": 1, "variants": [{}]}'
bad_base 'a variant that is no object' 'variant 1 has no name' '{"schema": 1, "variants": [{"name": "a"}, 5]}'
bad_base 'a name of other characters' 'variant 0 has no name' '{"schema": 1, "variants": [{"name": "<script>"}]}'
bad_base 'a name with an escape' 'variant 0 has no name' '{"schema": 1, "variants": [{"name": "a\u001b"}]}'
bad_base 'a long name' 'variant 0 has no name' "{\"schema\": 1, \"variants\": [{\"name\": \"$(printf '%0200d' 0)\"}]}"
bad_base 'two of a name' 'has two variants a' '{"schema": 1, "variants": [{"name": "a"}, {"name": "a"}]}'
bad_base 'a key twice' 'bad.json' '{"schema": 1, "schema": 1, "variants": []}'
bad_base 'a value that is an object' 'lds_bytes of a is neither' \
    '{"schema": 1, "variants": [{"name": "a", "lds_bytes": {}}]}'
bad_base 'a list of lists' 'occupancy.limited_by of a is neither' \
    '{"schema": 1, "variants": [{"name": "a", "occupancy": {"limited_by": [[]]}}]}'
bad_base 'a value that is long' 'template of a is neither' \
    "{\"schema\": 1, \"variants\": [{\"name\": \"a\", \"template\": \"$(printf '%0300d' 0)\"}]}"
bad_base 'a number beyond numbers' 'bad.json' '{"schema": 1, "variants": [{"name": "a", "lds_bytes": 1e999}]}'
bad_base 'deep nesting' 'bad.json' "$(printf '%05000d' 0 | tr 0 '[')"

# ---- choices -------------------------------------------------------------------------------------------------------

choice="\"m\": 16, \"n\": 64, \"k\": 512, \"a_format\": \"bf16\", \"c_format\": \"bf16\", \"b_layout\": \"row\", \
\"scale_layout\": \"row\""
choices() { # MEMBERS: of the only choice
    printf '{"choices": [{%s}]}' "$1" > "$work/choices.json"
}
choices "$choice, \"variant\": \"$plain\", \"predicted_us\": 5.25, \"note\": \"layer\""
expect 'choices' 0 variants.html report --choices "$work/choices.json"
one_line > "$work/line"
holds 'are in the report' \
    grep -qF '"points": [ [ 16, 64, 512, 0, 5.25 ] ], "notes": { "64 x 512": "layer" }' "$work/line"
choices "$choice, \"variant\": null"
expect 'a problem that nothing does' 0 variants.html report --choices "$work/choices.json"
one_line > "$work/line"
holds 'is in the report' grep -qF '"points": [ [ 16, 64, 512, -1, 0.0 ] ]' "$work/line"
bad_choice() { # NAME TEXT MEMBERS
    choices "$3"
    refused "$1" "$2" report --choices "$work/choices.json"
}
refused 'no such choices' 'no-such-file' report --choices "$work/no-such-file"
bad_choice 'a choice of a variant that is not there' 'choice 0 is gemm_gone, which is not in this report' \
    "$choice, \"variant\": \"gemm_gone\""
bad_choice 'a choice of no name' 'which is not in this report' "$choice, \"variant\": \"\\u001b\""
bad_choice 'a choice of a number' 'neither a name nor null' "$choice, \"variant\": 5"
bad_choice 'a choice without a variant' 'variant' "$choice"
bad_choice 'a size of 0' 'a size or a time below' "\"variant\": null, $(echo "$choice" | sed 's/16/0/')"
bad_choice 'a size that is a text' 'choice 0' "\"variant\": null, $(echo "$choice" | sed 's/16/"16"/')"
bad_choice 'a format of other characters' 'no word' "\"variant\": null, $(echo "$choice" | sed 's/"bf16"/"<b>"/')"
bad_choice 'a time below 0' 'a size or a time below' "$choice, \"variant\": \"$plain\", \"predicted_us\": -1"
bad_choice 'a long note' 'the note of choice 0' "$choice, \"variant\": null, \"note\": \"$(printf '%0300d' 0)\""
printf '{"choices": 5}' > "$work/choices.json"
refused 'choices that are no list' 'has no list "choices"' report --choices "$work/choices.json"
printf '[]' > "$work/choices.json"
refused 'a list instead' 'has no list "choices"' report --choices "$work/choices.json"

# ---- what is there no longer, or not to be written -------------------------------------------------------------------

head -c 3000 "$work/out/gfx950/$stream.hsaco" > "$work/cut" && cp "$work/cut" "$work/out/gfx950/$stream.hsaco"
expect 'an object cut short is not shown' 1 "$stream" on_table show "$stream"
expect 'nor reported' 1 "$stream" report
on_table build > "$work/said" 2>&1 || not_ok 'the table builds again' "$(tail -n 3 "$work/said")"
rm -r "$work/out/report" && touch "$work/out/report"
refused 'a file where the directory is to be' "$work/out/report" report
finish
