#!/bin/sh
# The mxgemm command as typed, on the emulator. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}" "${RUN_COMGR:=}" "${HIP_LIBRARY:=}"
mxgemm=$B/bin/mxgemm
hip=$B/lib/emu/libamdhip64.so
golden=tests/golden

zeros() { # FILE BYTES
    head -c "$2" /dev/zero > "$1"
}

# 5x32x256, the golden product.
golden_run() { # OUT MORE-OPTIONS...
    out=$1
    shift
    "$mxgemm" run --m 5 --n 32 --k 256 --a $golden/gemm_a_5x256.bf16 --b $golden/gemm_b_32x256.u8 \
        --b-scale $golden/gemm_bscale_32x8.u8 --out "$out" --out-format f32 --hip "$hip" "$@"
}

# ---- what it does --------------------------------------------------------------------------------------------------

expect 'list shows a variant' 0 gemm_plain_m16n64_w1x4_s1_bf16 "$mxgemm" list
expect 'list --json is JSON of all' 0 '"gemm_plain_m16n64_w1x4_s16_f32"' "$mxgemm" list --json
expect 'list says how slices are summed' 0 ' 2 second launch  bf16 ' "$mxgemm" list
expect 'list --json says which is the quantiser' 0 '"kind": "quantizer", "tile_m": 32, "tile_n": 256, "split": 1, ' \
    "$mxgemm" list --json
facts='"a_format": "bf16", "reduction": "second launch", "k_multiple": 32, "highest_stride": null'
expect 'list --json has what selection asks about' 0 \
    "\"split\": 2, $facts, \"c_format\": \"bf16\", \"grid_order\": \"tiles\"" "$mxgemm" list --json
expect 'explain ranks' 0 gemm_plain "$mxgemm" explain --m 16 --n 2112 --k 7168
expect 'explain --json has what selection asks about' 0 \
    "\"split\": 2, $facts, \"chosen\": true, \"workgroups\": 66, \"predicted_us\": " \
    "$mxgemm" explain --m 16 --n 2112 --k 7168 --json --variant gemm_plain_m16n64_w1x4_s2_bf16
expect 'explain says why a quantiser is none' 0 'is a quantiser, no GEMM' "$mxgemm" explain --m 16 --n 2112 --k 7168

# A pack with times of two variants of split 4 at one point, by which the formula's order is turned round: one measured
# and one predicted. Nothing is compiled for it.
cat > "$work/tuning" << 'EOF'
family gemm_plain_m16n64_w1x4_s4
family gemm_plain_m64n64_w2x2_s4
16 2112 7168 model 18.25 15.5
16 2112 7168 measured:MI355X,6.16.6,2026-11-30 26.125 -
EOF
timed_pack() {
    mkdir "$work/timed" && cp -R out/gfx950 "$work/timed/" &&
        out/bin/mxgen build --table gen/gemm.variants --templates templates --out "$work/timed" &&
        mv "$work/timed/mxgemm-gfx950.mxpack" "$work/timed/untimed.mxpack" &&
        out/bin/mxgen build --table gen/gemm.variants --tuning "$work/tuning" --templates templates --out "$work/timed"
}
expect 'a pack with times' 0 'up to date' timed_pack
timed() {
    "$mxgemm" explain --m 16 --k 7168 --split 4 --pack "$work/timed/mxgemm-gfx950.mxpack" "$@"
}
first_is() { # NAME VARIANT, of the list in $work/said
    if [ "$(sed -n '2s/.* \(gemm[^ ]*\) .*/\1/p' "$work/said")" = "$2" ]; then ok "$1"
    else not_ok "$1" "$(sed -n 2p "$work/said")"; fi
}
expect 'explain without times' 0 'gemm_plain_m64n64_w2x2_s4_bf16                   no times' \
    "$mxgemm" explain --m 16 --n 2112 --k 7168 --split 4 --pack "$work/timed/untimed.mxpack"
first_is 'the best of the formula is first' gemm_plain_m16n64_w1x4_s4_bf16
expect 'explain has the predicted time and its source' 0 \
    '15.50 us  gemm_plain_m64n64_w2x2_s4_bf16                   model at 16 x 2112 x 7168' timed --n 2112
first_is 'the best of the table is first' gemm_plain_m64n64_w2x2_s4_bf16
expect 'a measured time outranks the predicted one' 0 \
    '26.12 us  gemm_plain_m16n64_w1x4_s4_bf16                   measured:MI355X,6.16.6,2026-11-30 at 16 x 2112 x 7168' \
    timed --n 2112
expect 'explain says which variant has no times' 0 \
    'gemm_plain_m32n128_w1x4_s4_bf16                  no times' timed --n 2112
measured='{"source": "measured:MI355X,6.16.6,2026-11-30", "m": 16, "n": 2112, "k": 7168}'
expect 'explain --json has the predicted time and its source' 0 \
    "\"workgroups\": 132, \"predicted_us\": 26.125, \"nearest_time\": $measured}" timed --n 2112 --json
expect 'explain --json says that the time decides' 0 '"chosen_by": "time", ' timed --n 2112 --json
expect 'explain --json says when none is chosen' 1 '"chosen_by": null, ' timed --n 2112 --json --variant nobody
expect 'explain --json has null without times' 0 '"nearest_time": null' timed --n 2112 --json
expect 'times hold for every format of C' 0 '15.50 us  gemm_plain_m64n64_w2x2_s4_f32' timed --n 2112 --out-format f32
expect 'times count near their point' 0 'gemm_plain_m64n64_w2x2_s4_bf16                   model at 16 x 2112 x 7168' \
    timed --n 2048

# The fastest has 23 workgroups, another one, 1/64 slower, 45. A measured time would not be argued with.
{ table_row plain bf16 16 64 1 4 1 1 1 bf16 && table_row plain bf16 32 128 1 4 1 1 1 bf16; } > "$work/busy.variants"
busy_pack() { # SOURCE
    { echo 'family gemm_plain_m16n64_w1x4_s1' && echo 'family gemm_plain_m32n128_w1x4_s1' &&
        echo "4 2880 512 $1 3.25 3.2"; } > "$work/busy.tuning" &&
        out/bin/mxgen build --table "$work/busy.variants" --tuning "$work/busy.tuning" --templates templates \
            --out "$work/busy"
}
busy() {
    "$mxgemm" explain --m 4 --n 2880 --k 512 --pack "$work/busy/mxgemm-gfx950.mxpack" "$@"
}
expect 'a pack with a model'\''s times' 0 '2 variants' busy_pack model
expect 'explain says why the fastest is not chosen' 0 'preferred for its workgroups' busy
first_is 'one that keeps more compute units at work is' gemm_plain_m16n64_w1x4_s1_bf16
expect 'explain --json says why the fastest is not chosen' 0 '"chosen_by": "workgroups", ' busy --json
expect 'explain --json says which one is chosen' 0 \
    '"chosen": true, "workgroups": 45, "predicted_us": 3.250, ' busy --json
expect 'explain --json says which ones are not' 0 \
    '"chosen": false, "workgroups": 23, "predicted_us": 3.200, ' busy --json
expect 'a pack with measured times' 0 '' busy_pack measured:MI355X,6.16.6,2026-11-30
expect 'explain with measured times' 0 '23 workgroups' busy
first_is 'the fastest by measured times is chosen' gemm_plain_m32n128_w1x4_s1_bf16
if grep -q preferred "$work/said"; then not_ok 'for its time' "$(grep preferred "$work/said")"
else ok 'for its time'; fi

# Choices of the user's own; and the example of their page is one.
cat > "$work/choices" << 'EOF'
mxgemm-choices 1
gfx950 256 16 2112 7168 bf16 bf16 row row gemm_plain_m16n64_w1x4_s2_bf16 3.5 measured:here
gfx950 256 16 2112 7168 bf16 f16 row row gemm_plain_m16n64_w1x4_s1_bf16 # of another C
EOF
chosen() {
    "$mxgemm" explain --m 16 --n 2112 --k 7168 --choices "$work/choices" "$@"
}
expect 'explain says which one the user prefers' 0 \
    "; preferred by the user's choices, $work/choices:2, which have 3.500 us of it, measured:here" chosen
first_is 'a choice comes before times' gemm_plain_m16n64_w1x4_s2_bf16
expect 'explain --json says which one the user prefers' 0 \
    "\"choice\": {\"file\": \"$work/choices\", \"line\": 2, \"us\": 3.500, \"source\": \"measured:here\"}" chosen --json
expect 'explain --json says that a choice decides' 0 '"chosen_by": "choice", ' chosen --json
expect 'a choice that cannot be followed is not' 0 '"chosen_by": "' chosen --json --out-format f16
expect 'explain says whose choice is in vain' 0 \
    "writes C as bf16, not f16; asked for in vain by the user's choices, $work/choices:3" chosen --out-format f16
echo 'gfx950 256 5 32 256 bf16 f32 row row gemm_gone' >> "$work/choices"
expect 'a choice that the pack does not have is told' 0 "warning: $work/choices:4: this pack has no variant gemm_gone" \
    chosen
echo 'gfx950 256 16 2112' >> "$work/choices"
refused 'choices that are none' "$work/choices:5: the line ends before its k, which is field 5" chosen
refused 'choices that are none, before a run' "$work/choices:5: " golden_run "$work/none" --choices "$work/choices"
refused 'choices that are not there' "cannot open choices $work/no_choices" golden_run "$work/none" \
    --choices "$work/no_choices"
sed -n '/^    mxgemm-choices 1/,/not measured$/s/^    //p' loader/CHOICES.md > "$work/example"
expect 'the example of CHOICES.md' 0 "; preferred by the user's choices, $work/example:4, which have 5.900 us of it" \
    "$mxgemm" explain --m 1 --n 24576 --k 1536 --b-layout shuffled --scale-layout shuffled --choices "$work/example"
if grep warning "$work/said"; then not_ok 'all its variants are there' 'a warning'
else ok 'all its variants are there'; fi

# Another device.
expect 'explain on fewer compute units' 0 'predicted for 64 compute units of gfx950:sramecc+:xnack-, ' \
    "$mxgemm" explain --m 1024 --n 2112 --k 7168 --cu-count 64
expect 'explain --json on fewer compute units' 0 '{"cu_count": 64, "arch": "gfx950:sramecc+:xnack+", ' \
    "$mxgemm" explain --m 1024 --n 2112 --k 7168 --cu-count 64 --arch gfx950:sramecc+:xnack+ --json
gemms=$("$mxgemm" list --json | grep -c '"kind": "gemm"')
expect 'explain on another processor' 1 "$gemms by arch (gemm_plain_m16n64_w1x4_s1_bf16 is for gfx950, not gfx942)" \
    "$mxgemm" explain --m 16 --n 2112 --k 7168 --arch gfx942
expect 'an arch that is none' 1 "device: arch is 'gfx950:', not a processor" \
    "$mxgemm" explain --m 16 --n 2112 --k 7168 --arch gfx950:
expect 'no compute units' 2 '--cu-count 0' "$mxgemm" explain --m 16 --n 2112 --k 7168 --cu-count 0

expect 'run on the golden product' 0 '' golden_run "$work/c"
same 'the golden product is exact' "$work/c" $golden/gemm_c_5x32.f32
expect 'run with split 2, repeated, poisoned' 0 '' golden_run "$work/c2" --split 2 --repeat 5 --poison 0xff
same 'the golden product with split 2 is exact' "$work/c2" $golden/gemm_c_5x32.f32
expect 'run a variant by name' 0 '' golden_run "$work/c3" --variant gemm_plain_m64n64_w2x2_s1_f32
same 'the golden product of that variant is exact' "$work/c3" $golden/gemm_c_5x32.f32

expect 'quantize' 0 '' "$mxgemm" quantize --rows 54 --k 32 --in $golden/quant_in.bf16 --out "$work/codes" \
    --scale "$work/scale"
same 'codes are the golden ones' "$work/codes" $golden/quant_codes.u8
same 'scales are the golden ones' "$work/scale" $golden/quant_scale.u8

for layout in row shuffled; do
    expect "quantize on the host, scales $layout" 0 '' "$mxgemm" quantize --rows 54 --k 32 --in $golden/quant_in.bf16 \
        --out "$work/codes" --scale "$work/scale" --scale-layout $layout
    expect "quantize --device, scales $layout" 0 '' "$mxgemm" quantize --rows 54 --k 32 --in $golden/quant_in.bf16 \
        --out "$work/device_codes" --scale "$work/device_scale" --scale-layout $layout --device --hip "$hip"
    same "codes of the device are the host's, scales $layout" "$work/device_codes" "$work/codes"
    same "scales of the device are the host's, scales $layout" "$work/device_scale" "$work/scale"
done
# 37 rows of 31 blocks, 1000 elements apart; any bytes will do.
head -c 74000 "$mxgemm" > "$work/wide_in"
for device in '' --device; do
    # shellcheck disable=SC2086 # an option or none
    expect "quantize $device with lda" 0 '' "$mxgemm" quantize --rows 37 --k 992 --lda 1000 --in "$work/wide_in" \
        --out "$work/codes$device" --scale "$work/scale$device" --scale-layout shuffled --hip "$hip" $device
done
same 'codes of the device are those of the host with lda' "$work/codes--device" "$work/codes"
same 'scales of the device are those of the host with lda' "$work/scale--device" "$work/scale"
expect 'quantize --device of no rows' 0 '' "$mxgemm" quantize --rows 0 --k 32 --in /dev/null --out "$work/none_codes" \
    --scale "$work/none_scale" --device --hip "$hip"

head -c 65536 "$mxgemm" > "$work/in"
for device in '' --device; do
    # shellcheck disable=SC2086 # an option or none
    expect "quantize $device to shuffled codes" 0 '' "$mxgemm" quantize --rows 32 --k 1024 --in "$work/in" \
        --out "$work/codes$device" --scale "$work/scale$device" --b-layout shuffled --hip "$hip" $device
done
same 'shuffled codes of the device are those of the host' "$work/codes--device" "$work/codes"
# The golden bf16 as f32: two bytes of zeros before each.
# shellcheck disable=SC2059 # octal escapes are the format
printf "$(od -An -v -tu1 $golden/quant_in.bf16 |
    awk '{for (i = 1; i < NF; i += 2) printf "\\000\\000\\%03o\\%03o", $i, $(i + 1)}')" > "$work/quant_in.f32"
expect 'quantize f32 in three threads' 0 '' "$mxgemm" quantize --rows 54 --k 32 --in "$work/quant_in.f32" \
    --in-format f32 --threads 3 --out "$work/codes" --scale "$work/scale"
same 'codes of f32 are the golden ones' "$work/codes" $golden/quant_codes.u8
same 'scales of f32 are the golden ones' "$work/scale" $golden/quant_scale.u8
for scale in "$work/one" "$work/./one"; do
    refused 'codes and scales in one file' 'are the same file' "$mxgemm" quantize --rows 54 --k 32 \
        --in $golden/quant_in.bf16 --out "$work/one" --scale "$scale"
    expect 'and nothing is there' 2 '' ls "$work"/one*
done
refused 'a result above the limit of files' 'File too large' sh -c 'ulimit -f 1 && exec "$@"' sh "$mxgemm" quantize \
    --rows 32 --k 1024 --in "$work/in" --out "$work/one" --scale "$work/one_scale"
expect 'and nothing is there' 2 '' ls "$work"/one*
refused 'f16 by the kernel' '--device --in-format f16: the kernel quantises bf16' "$mxgemm" quantize --rows 54 --k 32 \
    --in $golden/quant_in.bf16 --in-format f16 --out "$work/none" --scale "$work/none" --device --hip "$hip"
refused 'a file of another format' 'has 3456 bytes, not the 6912 of its matrix' "$mxgemm" quantize --rows 54 --k 32 \
    --in $golden/quant_in.bf16 --in-format f32 --out "$work/none" --scale "$work/none"
refused 'shuffled codes of 54 rows' 'rows is 54, not a multiple of 16' "$mxgemm" quantize --rows 54 --k 64 \
    --in "$work/quant_in.f32" --out "$work/none" --scale "$work/none" --b-layout shuffled
expect 'quantize of a format that is none' 2 '--in-format mxfp4: bf16, f16 or f32 is expected' "$mxgemm" quantize \
    --rows 54 --k 32 --in $golden/quant_in.bf16 --in-format mxfp4 --out "$work/none" --scale "$work/none"
expect 'quantize in no threads' 2 '--threads 0' "$mxgemm" quantize --rows 54 --k 32 --in $golden/quant_in.bf16 \
    --threads 0 --out "$work/none" --scale "$work/none"

# A in MXFP4, by a pack of two variants: the golden product again, whose A is what the kernels quantise it to.
{ table_row plain mxfp4 16 64 1 4 1 1 1 f32 && table_row plain mxfp4 16 64 1 4 1 1 2 f32; } > "$work/mxfp4.variants"
expect 'a pack of A in MXFP4' 0 '2 variants' out/bin/mxgen build --table "$work/mxfp4.variants" --templates templates \
    --out "$work/mxfp4"
"$mxgemm" quantize --rows 5 --k 256 --in $golden/gemm_a_5x256.bf16 --out "$work/a" --scale "$work/a_scale"
mxfp4_run() { # OUT MORE-OPTIONS...
    out=$1
    shift
    "$mxgemm" run --m 5 --n 32 --k 256 --a "$work/a" --a-format mxfp4 --a-scale "$work/a_scale" \
        --b $golden/gemm_b_32x256.u8 --b-scale $golden/gemm_bscale_32x8.u8 --out "$out" --out-format f32 --hip "$hip" \
        --pack "$work/mxfp4/mxgemm-gfx950.mxpack" "$@"
}
expect 'run with A in MXFP4' 0 '' mxfp4_run "$work/c4"
same 'the golden product of A in MXFP4 is exact' "$work/c4" $golden/gemm_c_5x32.f32
expect 'run with A in MXFP4 and split 2' 0 '' mxfp4_run "$work/c5" --split 2 --repeat 3 --poison 0xff
same 'the golden product of A in MXFP4 with split 2 is exact' "$work/c5" $golden/gemm_c_5x32.f32
expect 'explain takes the format of A' 0 'A mxfp4, reduction none, K in multiples of 32, highest stride any' \
    "$mxgemm" explain --m 5 --n 32 --k 256 --a-format mxfp4 --out-format f32 --pack "$work/mxfp4/mxgemm-gfx950.mxpack"
expect 'explain says who takes another' 0 \
    'gemm_plain_m16n64_w1x4_s1_f32                    takes A as bf16, not mxfp4' \
    sh -c '"$0" explain --m 5 --n 32 --k 256 --a-format mxfp4 --out-format f32; :' "$mxgemm"
refused 'a pack without the format of A' 'takes A as mxfp4, not bf16' golden_run "$work/none" \
    --pack "$work/mxfp4/mxgemm-gfx950.mxpack"
refused 'a pack without a quantiser' 'none of the 2 variants of this pack is a quantiser' "$mxgemm" quantize --rows 54 \
    --k 32 --in $golden/quant_in.bf16 --out "$work/none" --scale "$work/none" --device --hip "$hip" \
    --pack "$work/mxfp4/mxgemm-gfx950.mxpack"
refused 'an odd lda of A in MXFP4' 'lda is 257' mxfp4_run "$work/none" --lda 257
expect 'A in MXFP4 without scales' 2 --a-scale "$mxgemm" run --m 5 --n 32 --k 256 --a "$work/a" --a-format mxfp4 \
    --b $golden/gemm_b_32x256.u8 --b-scale $golden/gemm_bscale_32x8.u8 --out "$work/none"
expect 'scales of A in bf16' 2 --a-scale golden_run "$work/none" --a-scale "$work/a_scale"

zeros "$work/empty" 0
expect 'M of 0 is a success' 0 '' "$mxgemm" run --m 0 --n 32 --k 256 --a "$work/empty" --b $golden/gemm_b_32x256.u8 \
    --b-scale $golden/gemm_bscale_32x8.u8 --out "$work/c0" --hip "$hip"
same 'M of 0 gives an empty file' "$work/c0" "$work/empty"

# ldc 40: what is between N and ldc comes back as it was, here poisoned.
expect 'run with ldc 40' 0 '' golden_run "$work/wide" --ldc 40 --poison 165
for row in 0 1 2 3 4; do
    tail -c +$((row * 160 + 1)) "$work/wide" | head -c 128 >> "$work/narrow"
    tail -c +$((row * 160 + 129)) "$work/wide" | head -c 32 >> "$work/gaps"
done
same 'rows of ldc 40 are exact' "$work/narrow" $golden/gemm_c_5x32.f32
if [ "$(tr -d '\245' < "$work/gaps" | wc -c)" -eq 0 ]; then ok 'gaps of ldc 40 are as they were'
else not_ok 'gaps of ldc 40 are as they were' 'other bytes than the poison'; fi

# ---- what it refuses -----------------------------------------------------------------------------------------------

"$mxgemm" --help > "$work/help"
for command in list explain run bench quantize convert pack; do
    expect "help names $command" 0 "mxgemm $command  " cat "$work/help"
    expect "help of $command" 0 "mxgemm $command" "$mxgemm" $command --help
    cp "$work/said" "$work/help_$command"
done
same 'help comes before what else is on the line' "$work/help_run" - << EOF
$("$mxgemm" run --m 3 --help --frob)
EOF
sed -n 's/^    {"\([a-z-]*\)", [A-Z].*AT(.*/\1/p' loader/cli/options.c > "$work/options"
sed -n '/^static const struct option {/,/^};/p' loader/cli/options.c | grep -c '^    {"' > "$work/count"
if [ "$(wc -l < "$work/options")" -eq "$(cat "$work/count")" ]; then ok 'all options are looked for'
else not_ok 'all options are looked for' "$(cat "$work/options")"; fi
while read -r option; do
    cat "$work"/help_* | grep -qE -- "--$option([^a-z-]|$)" || echo "$option"
done < "$work/options" > "$work/left"
if [ -s "$work/left" ]; then not_ok 'help names all options' "$(cat "$work/left")"; else ok 'help names all options'; fi

expect 'no command' 2 '' "$mxgemm"
expect 'an unknown command' 2 frobnicate "$mxgemm" frobnicate
expect 'an unknown option' 2 --frob "$mxgemm" list --frob
expect 'a number that is none' 2 12x "$mxgemm" explain --m 12x --n 32 --k 256
expect 'a missing option' 2 --k "$mxgemm" explain --m 12 --n 32

zeros "$work/x" 4096
small() {
    "$mxgemm" run --m 1 --n 32 --a "$work/x" --b "$work/x" --b-scale "$work/x" --out "$work/none" --hip "$hip" "$@"
}
refused 'K of 33' 'k is 33' small --k 33
refused 'K of 0' 'k is 0' small --k 0
refused 'lda below K' 'lda is 31' small --k 32 --lda 31
refused 'ldc below N' 'ldc is 31' small --k 32 --ldc 31
refused 'an odd ldb' 'ldb is 33' small --k 32 --ldb 33
refused 'a file of the wrong size' 4096 small --k 32
refused 'a split nobody has' 'not 3' small --k 1024 --split 3
refused 'a split above the number of K-steps' 'split is 4' golden_run "$work/none" --split 4
refused 'a variant nobody has' gemm_none golden_run "$work/none" --variant gemm_none
refused 'a file that is not there' no-such-file golden_run "$work/none" --bias "$work/no-such-file"

printf 'not a pack, though long enough to hold the header of one%80s' '' > "$work/foreign"
head -c 20000 "out/mxgemm-gfx950.mxpack" > "$work/truncated"
refused 'a missing pack' no-such-pack golden_run "$work/none" --pack "$work/no-such-pack"
refused 'an empty pack' empty golden_run "$work/none" --pack "$work/empty"
refused 'a truncated pack' truncated golden_run "$work/none" --pack "$work/truncated"
refused 'a foreign pack' foreign golden_run "$work/none" --pack "$work/foreign"
refused 'a directory as pack' "$work" golden_run "$work/none" --pack "$work"
refused 'another architecture' gfx942 env MXEMU_ARCH=gfx942:sramecc+:xnack- "$mxgemm" run --m 5 --n 32 --k 256 \
    --a $golden/gemm_a_5x256.bf16 --b $golden/gemm_b_32x256.u8 --b-scale $golden/gemm_bscale_32x8.u8 \
    --out "$work/none" --hip "$hip"
if [ -e "$work/none" ]; then not_ok 'a refused run leaves no file' "$work/none is there"
else ok 'a refused run leaves no file'; fi

refused 'a HIP library that is not there' no-hip golden_run "$work/none" --hip "$work/no-hip.so"
if ldconfig -p 2> /dev/null | grep -q libamdhip64; then
    skip 'no HIP library at all is said' 'this system has one'
else
    refused 'no HIP library at all is said' libamdhip64 env -u MXG_HIP "$mxgemm" run --m 5 --n 32 --k 256 \
        --a $golden/gemm_a_5x256.bf16 --b $golden/gemm_b_32x256.u8 --b-scale $golden/gemm_bscale_32x8.u8 \
        --out "$work/none"
fi

# The real runtime, on a machine without a GPU. One unpacked beside the private compiler needs that one's ld.so.
case $HIP_LIBRARY in
out/toolchain/*) start=$RUN_COMGR ;;
*) start= ;;
esac
if [ -e /dev/kfd ]; then
    skip "the real HIP says there is no device" 'this machine has an AMD GPU'
elif [ ! -e "$HIP_LIBRARY" ]; then
    skip "the real HIP says there is no device" 'there is no HIP library'
else
    # shellcheck disable=SC2086 # a command and its options
    refused "the real HIP says there is no device" 'no ROCm-capable device' $start "$mxgemm" run --m 5 --n 32 --k 256 \
        --a $golden/gemm_a_5x256.bf16 --b $golden/gemm_b_32x256.u8 --b-scale $golden/gemm_bscale_32x8.u8 \
        --out "$work/none" --hip "$HIP_LIBRARY"
fi
finish
