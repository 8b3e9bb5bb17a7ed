#!/bin/sh
# mxgemm bench as typed: on the emulator, whose times are the host's, and with a HIP whose times are known. Called by
# tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}"
mxgemm=$B/bin/mxgemm
hip=$B/lib/emu/libamdhip64.so

few() {
    "$mxgemm" bench --hip "$hip" --megabytes 1 --repeat 2 --warmup 1 "$@"
}
small() { # MORE-OPTIONS...
    few --m 3 --n 64 --k 256 "$@"
}
equal() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "$2, not $3"; fi
}
names() { # FILE: of a JSON document, those with a measured or predicted time, in its order
    sed -n 's/.*{"name": "\([a-z0-9_]*\)".*"predicted_us".*/\1/p' "$1"
}
member() { # FILE NAME: its values, one a line
    sed -n "s/.*\"$2\": \([^,}]*\).*/\1/p" "$1"
}

# ---- what is measured ----------------------------------------------------------------------------------------------

expect 'bench warns of an emulator' 0 \
    'warning: AMD Instinct MI355X (mxemu) is the emulator: these times say nothing of a device' small
expect 'its table says of what it is' 0 '3 x 64 x 256, A bf16, C bf16, B row, scales row: ' small
expect 'and on what' 0 'AMD Instinct MI355X (mxemu), 256 compute units; medians of 2 launches' small
expect 'and what the choice costs' 0 'the chosen one takes ' small
equal 'the choice is marked' "$(grep -c '  chosen$' "$work/said")" 1
awk '$1 ~ /^[0-9]+\.[0-9]+$/ {print $1}' "$work/said" > "$work/times"
sort -n "$work/times" > "$work/sorted"
same 'the fastest is first' "$work/times" "$work/sorted"

"$mxgemm" explain --m 3 --n 64 --k 256 --json > "$work/explained"
small --json > "$work/json" 2> "$work/said"
names "$work/json" | sort > "$work/measured"
names "$work/explained" | sort > "$work/accepted"
same 'all variants that do the problem are measured' "$work/measured" "$work/accepted"
equal 'JSON says how many do it' "$(member "$work/json" accepted)" "$(wc -l < "$work/accepted" | tr -d ' ')"
for file in json explained; do
    sed -n 's/.*{"name": "\([a-z0-9_]*\)".*"predicted_us": \([0-9.]*\).*/\1 \2/p' "$work/$file" | sort \
        > "$work/$file.us"
done
same 'their predicted times are those of explain' "$work/json.us" "$work/explained.us"
equal 'the chosen one is that of explain' \
    "$(sed -n 's/.*"name": "\([^"]*\)".*"chosen": true.*/\1/p' "$work/json")" "$(names "$work/explained" | head -n 1)"
equal 'JSON says that it was emulated' "$(member "$work/json" emulated)" true
awk -F'[][]' '/measured_us/ {split($2, q, ", "); split($1, m, "measured_us\": "); split(m[2], us, ",")
    if (!(q[1] <= us[1] && us[1] <= q[2] && us[1] > 0)) print}' "$work/json" > "$work/said"
equal 'medians lie between their quartiles' "$(cat "$work/said")" ''

expect 'the two that are ranked first' 0 '' small --json --top 2
names "$work/said" | sort > "$work/measured"
names "$work/explained" | head -n 2 | sort > "$work/accepted"
same 'are those of explain' "$work/measured" "$work/accepted"
last=$(names "$work/explained" | tail -n 1)
expect 'one variant by name' 0 '1 of 1 variants' small --variant "$last"
expect 'those of a split' 0 '_s2_' small --split 2
equal 'and no other' "$(grep -c '_s[13-9][0-9]*_bf16' "$work/said")" 0
expect 'A in MXFP4, C in f32, all shuffled, with strides' 0 ', A mxfp4, C f32, B shuffled, scales shuffled: ' \
    small --a-format mxfp4 --out-format f32 --b-layout shuffled --scale-layout shuffled --lda 288 --ldc 80 --top 2
expect 'a stride of B' 0 '"ldb": 264' small --ldb 264 --top 1 --json

printf '%s\n' '# two' '1 32 128' '5 64 128 mxfp4 f32 shuffled # the other' > "$work/problems"
expect 'problems of a file' 0 '1 x 32 x 128, A bf16, C f16, B row, scales shuffled: 1 of ' \
    few --problems "$work/problems" --top 1 --out-format f16 --scale-layout shuffled
cp "$work/said" "$work/both"
expect 'the second of them' 0 '5 x 64 x 128, A mxfp4, C f32, B shuffled, scales shuffled: 1 of ' \
    cat "$work/both"

# ---- times that are known ------------------------------------------------------------------------------------------

expect 'a HIP with a clock compiles' 0 '' "$CC" -std=c11 -Wall -Wextra -Werror -I. -fPIC -shared \
    -o "$work/libclock.so" tests/cli/clock_hip.c
clocked() {
    "$mxgemm" bench --m 3 --n 64 --k 256 --megabytes 1 --warmup 2 --json --hip "$work/libclock.so" "$@"
}
# Of names of one launch or two: what the clock says that launches take, the median and quartiles of what is more given.
wanted() { # MEDIAN LOWER UPPER
    while read -r variant; do
        case $variant in *_s1_*) launches=1 more=0 ;; *) launches=2 more=7 ;; esac # ends in _reduce
        echo "$variant ${#variant} $launches $more"
    done < "$work/plain" | awk -v median="$1" -v lower="$2" -v upper="$3" \
        '{us = $2 * $3 + $4; printf "%s %.3f %.3f, %.3f\n", $1, us + $3 * median, us + $3 * lower, us + $3 * upper}'
}
names "$work/explained" | sort > "$work/plain"
grep -q _s2_ "$work/plain" || not_ok 'some have two launches' "$(cat "$work/plain")"
for times in '4 0.375 0.25 0.5' '5 0.25 0 0.5'; do
    # shellcheck disable=SC2086 # numbers
    set -- $times
    expect "a bench of $1 launches by the clock" 0 '"device": "A \u0022clock\u0022, 1", ' clocked --repeat "$1"
    sed -n 's/.*{"name": "\([a-z0-9_]*\)".*"measured_us": \([0-9.]*\).*"quartiles_us": \[\([^]]*\)\].*/\1 \2 \3/p' \
        "$work/said" | sort > "$work/found"
    wanted "$2" "$3" "$4" > "$work/wanted"
    same "has the median and quartiles of $1" "$work/found" "$work/wanted"
done
equal 'it is no emulator' "$(clocked | sed -n 's/.*"emulated": \([a-z]*\).*/\1/p')" false
expect 'and its times are choices' 0 '' clocked --repeat 4 --choices-out "$work/clock_choices"
fastest=$(awk '{print length($0), $0}' "$work/plain" | sort -n | sed 's/.* //;q')
equal 'of the fastest' "$(awk 'NR == 2 {print length($10), $11, $12}' "$work/clock_choices" | sed 's/,[0-9-]*$//')" \
    "${#fastest} ${#fastest}.375 measured:A__clock___1,70"

# ---- choices -------------------------------------------------------------------------------------------------------

refused 'times of the emulator as choices' '(mxemu), the emulator, whose times are the host' small --top 2 \
    --choices-out "$work/choices"
if [ -e "$work/choices" ]; then not_ok 'leave no file' "$work/choices is there"; else ok 'leave no file'; fi

# Of the last by prediction, which nothing but the choice leads to.
expect 'choices of the emulator, asked for' 0 '' small --json --variant "$last" --choices-out "$work/choices" --emulated
equal 'make a file of two lines' "$(wc -l < "$work/choices" | tr -d ' ')" 2
expect 'which explain takes' 0 '"chosen_by": "choice"' "$mxgemm" explain --m 3 --n 64 --k 256 --json \
    --choices "$work/choices"
equal 'and follows' "$(names "$work/said" | head -n 1)" "$last"
if [ "$(names "$work/explained" | head -n 1)" = "$last" ]; then not_ok 'another than before' "$last"
else ok 'another than before'; fi
expect 'bench too' 0 "$last  chosen" small --choices "$work/choices"

# The line of this device and problem is replaced wherever it is and however it is written; all others stay.
cat > "$work/old" << EOF
mxgemm-choices 1
# what was measured before	by hand

gfx950 255 3 64 256 bf16 bf16 row row gemm_gone_m16
gfx950 256 3 64 256 bf16 f32 row row gemm_gone_m16 1.5 # another C
 gfx950	256 3  64 256 bf16 bf16 row	row gemm_gone_m16 2.5 measured:long_ago # this
gfx950 256 3 64 256 bf16 bf16 row shuffled gemm_gone_m16
gfx942 256 3 64 256 bf16 bf16 row row gemm_gone_m16
EOF
cp "$work/old" "$work/choices"
before=$(date -u +%Y-%m-%d)
expect 'a line of choices is replaced' 0 '' small --json --top 3 --choices-out "$work/choices" --emulated
after=$(date -u +%Y-%m-%d)
fastest=$(names "$work/said" | head -n 1) us=$(member "$work/said" measured_us | head -n 1)
source=$(sed -n '6s/.* //p' "$work/choices")
case $source in
"measured:AMD_Instinct_MI355X_(mxemu),"[0-9]*",$before" | "measured:AMD_Instinct_MI355X_(mxemu),"[0-9]*",$after")
    ok 'its source has device, driver and date' ;;
*) not_ok 'its source has device, driver and date' "$source" ;;
esac
sed "6s/.*/gfx950 256 3 64 256 bf16 bf16 row row $fastest $us $source/" "$work/old" > "$work/wanted"
same 'by the fastest, and others stay' "$work/choices" "$work/wanted"
expect 'explain follows it' 0 "; preferred by the user's choices, $work/choices:6, which have $us us of it, measured:" \
    "$mxgemm" explain --m 3 --n 64 --k 256 --choices "$work/choices"

cp "$work/wanted" "$work/choices"
expect 'choices of two more problems' 0 '' few --problems "$work/problems" --top 1 --choices-out "$work/choices" \
    --emulated
head -n 8 "$work/choices" > "$work/head"
same 'are added behind what is there' "$work/head" "$work/wanted"
equal 'with their formats' "$(sed -n '9,$p' "$work/choices" | cut -d ' ' -f 1-9 | tr '\n' ';')" \
    'gfx950 256 1 32 128 bf16 bf16 row row;gfx950 256 5 64 128 mxfp4 f32 shuffled row;'

for bad in 'no choices' 'mxgemm-choices 1
gfx950 256 3'; do
    printf '%s' "$bad" > "$work/bad"
    cp "$work/bad" "$work/kept"
    refused 'a file that is not one of choices' "$work/bad:" small --top 1 --emulated --choices-out "$work/bad"
    same 'stays as it is' "$work/bad" "$work/kept"
done
refused 'choices in a directory' "$work is not a file" small --top 1 --emulated --choices-out "$work"
expect 'choices in no directory' 1 "cannot write $work/nowhere/choices: " small --top 1 --emulated \
    --choices-out "$work/nowhere/choices"
left=$(find "$work" -name '*.mxg-tmp.*')
equal 'no temporary file is left' "$left" ''

# ---- what is refused -----------------------------------------------------------------------------------------------

expect 'no problem' 2 'bench needs --m, --n and --k, all above 0, or --problems instead' few
expect 'half a problem' 2 'bench needs ' few --m 3 --n 64
expect 'nothing to launch' 2 'bench needs ' few --m 0 --n 64 --k 256
expect 'a problem and problems' 2 'bench needs ' small --problems "$work/problems"
expect 'no launch' 2 '--repeat 0: not a number it can have' small --repeat 0
expect 'no variant' 2 '--top 0: not a number it can have' small --top 0
expect 'no buffers' 2 '--megabytes 0: not a number it can have' small --megabytes 0
expect 'a file of results' 2 'bench has no option --out' small --out "$work/none"
refused 'too many launches' '--repeat 100001: more than 100000' small --repeat 100001
refused 'K of 33' 'k is 33' few --m 3 --n 64 --k 33
refused 'a split nobody has' 'not 3' few --m 3 --n 64 --k 1024 --split 3
printf '1 32 128\n4 30 128 bf16 bf16 shuffled\n' > "$work/problems"
refused 'a problem of a file that cannot be done, before any is measured' '4 x 30 x 128: ' \
    few --problems "$work/problems"
refused 'problems that are not there' no-such-problems few --problems "$work/no-such-problems"
refused 'no device' 'no ROCm-capable device' env MXEMU_DEVICES=0 "$mxgemm" bench --m 3 --n 64 --k 256 --hip "$hip"
refused 'no HIP library' no-such-hip "$mxgemm" bench --m 3 --n 64 --k 256 --hip "$work/no-such-hip"
refused 'more memory than there is' 'hipMalloc failed' few --m 3 --n 64 --k 256 --megabytes 2000000000
finish
