#!/bin/sh
# Tuning as typed, of a few small problems: by the model, in shards, and through HIP, where the emulator stands for a
# device and its times are the host's. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}"
tune=$B/test/bench/tune
hip=$B/lib/emu/libamdhip64.so

printf '%s\n' '# m n k' '1 64 128' '16 128 256  # two K-steps' '' '20 200 480' '64 64 256' '1 64 128' > "$work/points"
few() { # OUT MORE-OPTIONS...
    out=$1
    shift
    "$tune" sweep --out "$out" --points "$work/points" --only _m16n64_ "$@"
}

rows() { # FILE SOURCE: how many rows are of the source
    grep -c "^ *[0-9]* *[0-9]* *[0-9]* $2" "$1"
}

equal() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "$2, not $3"; fi
}

# ---- the model -----------------------------------------------------------------------------------------------------

expect 'a sweep by the model' 0 '' few "$work/all"
equal 'it has a row for each different point' "$(rows "$work/all" model)" 4
equal 'a split above the K-steps has no time' "$(awk '$1 == 1 && $4 == "model" {print $6}' "$work/all")" -
expect 'the same in one process' 0 '' few "$work/one" --jobs 1
same 'gives the same table' "$work/all" "$work/one"
expect 'again, over what is there' 0 '' few "$work/one" --jobs 3
same 'gives the same table again' "$work/all" "$work/one"

# ---- shards --------------------------------------------------------------------------------------------------------

# A table with what no sweep makes today: a family and a point that are gone, and a time that is wrong; and what was
# measured.
family=$(awk '$1 == "family" {print $2; exit}' "$work/all")
printf '%s\n' 'family gone' "family $family" '16 128 256 model 1 0.007' '16 128 256 measured:X,1,2026-01-01 2 3' \
    '5 128 256 model 4 5' '5 128 256 measured:X,1,2026-01-01 6 -' > "$work/old"

merged() { # OUT
    "$tune" merge --out "$1" "$work/shards"
}
for mode in --replace ''; do
    cp "$work/old" "$work/plain"
    cp "$work/old" "$work/merged"
    expect "a sweep ${mode:-that adds} over old times" 0 '' few "$work/plain" $mode
    for i in 2 3 1; do expect "shard $i of 3 ${mode:-that adds}" 0 '' few "$work/shards" --shard $i/3 $mode; done
    same 'a shard leaves the table as it is' "$work/old" "$work/merged"
    expect 'shards are merged' 0 '3 shards' merged "$work/merged"
    same 'to the table of the whole' "$work/plain" "$work/merged"
    equal 'they are gone then' "$(ls "$work/shards")" ''
    if [ -n "$mode" ]; then stay=0; else stay=1; fi
    equal 'old times of the model' "$(awk '$4 == "model" && $1 == 5' "$work/merged" | wc -l | tr -d ' ')" $stay
    equal 'what was measured' "$(rows "$work/merged" measured:X,1,2026-01-01)" 2
done

refused 'a merge of nothing' "$work/shards has no shards" merged "$work/merged"
refused 'a merge from nowhere' "$work/nowhere has no shards" "$tune" merge --out "$work/merged" "$work/nowhere"
few "$work/shards" --shard 1/3 --replace 2> "$work/said"
few "$work/shards" --shard 3/3 --replace 2> "$work/said"
refused 'a shard that is missing' "2 of 3 shards; the first that is missing is $work/shards/replace-2-of-3.tuning" \
    merged "$work/merged"
few "$work/shards" --shard 2/2 --replace 2> "$work/said"
refused 'shards of two sweeps' replace-2-of-2.tuning merged "$work/merged"
rm "$work/shards/replace-2-of-2.tuning"
few "$work/shards" --shard 2/3 2> "$work/said"
refused 'a shard that adds among those that replace' add-2-of-3.tuning merged "$work/merged"
mv "$work/shards/add-2-of-3.tuning" "$work/shards/2-of-3.tuning"
refused 'a table that is no shard' 2-of-3.tuning merged "$work/merged"
echo 'not a table' > "$work/shards/replace-2-of-3.tuning"
rm "$work/shards/2-of-3.tuning"
refused 'a shard that is no table' replace-2-of-3.tuning:1 merged "$work/merged"
same 'the table stays as it is' "$work/plain" "$work/merged"
equal 'and so do the shards' "$(ls "$work/shards" | wc -l | tr -d ' ')" 3

# ---- two tables ----------------------------------------------------------------------------------------------------

# Ratios 1.5 and 2 of one family, whose mean is the root of 3, and 0.5 of another; the third is in one table alone.
printf 'family %s\n' gemm_plain_m16n64_w1x4_s1 gemm_plain_m64n64_w2x2_s1 gemm_plain_mxfp4_m16n64_w1x4_s1 > "$work/first"
cp "$work/first" "$work/second"
printf '%s\n' '16 128 256 model 4 2 3' '32 128 256 model 5 - -' '48 128 256 model 1 - -' >> "$work/first"
printf '%s\n' '16 128 256 model 6 1 -' '32 128 256 model 10 8 -' '64 128 256 model 1 - -' >> "$work/second"
expect 'two tables' 0 '' "$tune" compare "$work/first" "$work/second"
tr -s ' ' < "$work/said" > "$work/words"
for line in '16x128x256 bf16 gemm_plain_m64n64_w2x2_s1 2.000 the same 1.000 0.500' \
    '32x128x256 bf16 gemm_plain_m16n64_w1x4_s1 5.000 gemm_plain_m64n64_w2x2_s1 8.000 1.600' \
    'gemm_plain_m16n64_w1x4_s1 2 1.500 1.732 2.000' 'gemm_plain_m64n64_w2x2_s1 1 0.500 0.500 0.500'; do
    if grep -qxF "$line" "$work/words"; then ok "compared: $line"; else not_ok "compared: $line" "it is not said"; fi
done
equal 'and nothing else is' "$(grep -c gemm_ "$work/words")" 4
printf 'family %s\n8 128 256 model 1\n' gemm_plain_m16n64_w1x4_s1 > "$work/other"
refused 'tables of different problems' 'no time of the same variants and problem' "$tune" compare "$work/first" \
    "$work/other"
refused 'the times of a pack that is not there' no-such-pack "$tune" compare --pack "$work/no-such-pack" \
    "$work/first" "$work/second"
expect 'one table is not understood' 2 compare "$tune" compare "$work/first"

# ---- another pack --------------------------------------------------------------------------------------------------

"$B/bin/mxgemm" pack build --variant 'gemm_plain_m16n64_w1x4_s1_*' --out "$work/pack" > "$work/said" 2>&1
expect 'a sweep of another pack' 0 '' few "$work/of_pack" --pack "$work/pack"
equal 'is of its variants' "$(sed -n 's/^family //p' "$work/of_pack")" gemm_plain_m16n64_w1x4_s1
equal 'at all points' "$(rows "$work/of_pack" model)" 4
refused 'a sweep of a pack that is not there' no-such-pack few "$work/none" --pack "$work/no-such-pack"

# ---- a device ------------------------------------------------------------------------------------------------------

printf '16 128 256\n' > "$work/point"
cp "$work/all" "$work/both"
on_device() {
    few "$work/both" --points "$work/point" --backend gpu --hip "$hip" --megabytes 1 --repeats 3 "$@"
}
refused 'the emulator as a device' '(mxemu)' on_device
same 'which leaves the table as it is' "$work/all" "$work/both"
before=$(date -u +%Y-%m-%d)
expect 'the emulator, asked for' 0 '' on_device --emulated
after=$(date -u +%Y-%m-%d)
day=$(sed -n 's/.* measured:AMD_Instinct_MI355X[^, ]*,[0-9]*,\([0-9-]*\) .*/\1/p' "$work/both")
case $day in
"$before" | "$after") ok 'its row has device, driver and date' ;; # it may be midnight
*) not_ok 'its row has device, driver and date' "the date is \"$day\", not $after" ;;
esac
equal 'the rows of the model stay' "$(rows "$work/both" model)" 4
first=$(awk '$1 == 16 && $2 == 128 {print substr($4, 1, 8); exit}' "$work/both")
equal 'what is measured stands first' "$first" measured
cp "$work/both" "$work/again"
expect 'a sweep by the model after it' 0 '' few "$work/again"
same 'leaves what was measured' "$work/both" "$work/again"
expect 'one that replaces' 0 '' few "$work/again" --replace
same 'leaves it too' "$work/both" "$work/again"

# ---- what it refuses -----------------------------------------------------------------------------------------------

no_device() {
    env MXEMU_DEVICES=0 "$tune" sweep --out "$work/none" --points "$work/point" --backend gpu --hip "$hip"
}
refused 'no device' 'no device to time on' no_device
refused 'no HIP library' no-such-hip "$tune" sweep --out "$work/none" --backend gpu \
    --hip "$work/no-such-hip"
for shard in 0/3 4/3 1/0 1 1/ a/3; do
    expect "shard $shard is not understood" 2 "\"--shard $shard\"" "$tune" sweep --out "$work/none" --shard $shard
done
expect 'another backend is not understood' 2 '--backend cpu' "$tune" sweep --out "$work/none" --backend cpu
expect 'a sweep to nowhere is not understood' 2 'without --out' "$tune" sweep
expect 'a merge without a directory is not understood' 2 merge "$tune" merge --out "$work/none"
expect 'a device that replaces the model is not understood' 2 --replace few "$work/none" --backend gpu --replace
expect 'help' 0 'merge --out FILE DIRECTORY' "$tune" --help
for line in '16 128' '16 128 255' '0 128 256' '16 128 256 1' '16 x 256' '16 128 2147483552'; do
    printf '%s\n' "$line" > "$work/bad"
    refused "a point \"$line\"" "$work/bad:1" "$tune" sweep --out "$work/none" --points "$work/bad"
done
refused 'points that are not there' no-such-points "$tune" sweep --out "$work/none" --points "$work/no-such-points"
refused 'a name that no variant has' '--only m17' few "$work/none" --only m17
refused 'a quantiser, which has no times' '--only quantise' few "$work/none" --only quantise
printf 'not a table\n' > "$work/bad"
cp "$work/bad" "$work/kept"
refused 'a table that is none' "$work/bad:1" few "$work/bad"
same 'which stays as it is' "$work/bad" "$work/kept"
refused 'a table that may not be read' "$work" few "$work"
refused 'a table in no directory' no-such-directory few "$work/no-such-directory/table"
if [ -e "$work/none" ]; then not_ok 'what is refused leaves no file' "$work/none is there"
else ok 'what is refused leaves no file'; fi
finish
