#!/bin/sh
# mxgemm convert: what becomes of every kind of tensor, by an oracle of its own; hostile files; memory; what is left
# when it is stopped. Called by tests/run.sh with its tier: large files are not for check.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}"
mxgemm=$B/bin/mxgemm
oracle=$work/oracle
in=$work/in.safetensors
out=$work/out.safetensors

# shellcheck disable=SC2086 # options
expect 'the oracle compiles' 0 '' $CC -std=gnu11 -D_GNU_SOURCE -O2 -I. -o "$oracle" tests/cli/convert_oracle.c -lm

convert() { # MORE-OPTIONS...: in to out
    "$mxgemm" convert --in "$in" --out "$out" "$@"
}

# becomes NAME TENSOR SCALES-IN-NAME-OR-- SCALES-NAME FORMAT MATRICES ROWS K LAYOUT SCALE-LAYOUT: both bytes and layout.
becomes() {
    name=$1 tensor=$2 scales_in=$3 scales_out=$4
    shift 4
    : > "$work/row_scales"
    [ "$scales_in" = - ] || "$oracle" extract "$in" "$scales_in" "$work/row_scales"
    "$oracle" expect "$in" "$tensor" "$@" "$work/codes" "$work/scales" < "$work/row_scales" &&
        "$oracle" extract "$out" "$tensor" "$work/codes_out" &&
        "$oracle" extract "$out" "$scales_out" "$work/scales_out"
    same "$name: codes" "$work/codes" "$work/codes_out"
    same "$name: scales" "$work/scales" "$work/scales_out"
    layout="\\\"$tensor\\\":{\\\"scales\\\":\\\"$scales_out\\\",\\\"matrices\\\":$2,\\\"rows\\\":$3,\\\"k\\\":$4,"
    layout="$layout\\\"layout\\\":\\\"$5\\\",\\\"scale_layout\\\":\\\"$6\\\"}"
    if grep -aqF "$layout" "$out"; then ok "$name: its layout is in the metadata"
    else not_ok "$name: its layout is in the metadata" "no $layout"; fi
}

copied() { # TENSOR...
    for tensor in "$@"; do
        "$oracle" extract "$in" "$tensor" "$work/before" && "$oracle" extract "$out" "$tensor" "$work/after"
        same "$tensor is copied" "$work/before" "$work/after"
        entry=$("$oracle" entry "$in" "$tensor" | sed 's/,"data_offsets.*//')
        expect "$tensor keeps dtype and shape" 0 "$entry" "$oracle" entry "$out" "$tensor"
    done
}

# ---- weights that are quantised -------------------------------------------------------------------------------------

"$oracle" make "$in" '@note=a \"quoted\" \u00e4 \\' model.embed_tokens.weight:BF16:64,64:1 \
    a.q_proj.weight:BF16:48,192:2 a.k_proj.weight:F16:33,96:3 a.v_proj.weight:F32:16,64:4 \
    a.o_proj.weight:BF16:16,96:5 b.w2.weight:BF16:1,32:6 \
    a.input_layernorm.weight:BF16:64:7 lm_head.weight:BF16:64,64:8 a.gate.weight:BF16:16,64:9 \
    a.odd_proj.weight:BF16:4,48:10 a.experts.up_proj.weight:BF16:2,16,64:11 a.q_proj.bias:F32:7:12 ids:I64:3:13 \
    flags:BOOL:3:14 vision.q_proj.weight:BF16:16,64:15 a.c_proj.weight:BF16:16,64:16 none.q_proj.weight:BF16:0,64:17
expect 'a checkpoint in bf16' 0 \
    '0 weights of MXFP4 converted, 5 quantised (3 of them in row-major codes), 12 tensors copied' convert
becomes 'bf16' a.q_proj.weight - a.q_proj.weight_scale bf16 1 48 192 shuffled shuffled
becomes 'f16 of 33 rows' a.k_proj.weight - a.k_proj.weight_scale f16 1 33 96 row shuffled
becomes 'f32' a.v_proj.weight - a.v_proj.weight_scale f32 1 16 64 shuffled shuffled
becomes 'K of 96' a.o_proj.weight - a.o_proj.weight_scale bf16 1 16 96 row shuffled
becomes 'one block' b.w2.weight - b.w2.weight_scale bf16 1 1 32 row shuffled
copied model.embed_tokens.weight a.input_layernorm.weight lm_head.weight a.gate.weight a.odd_proj.weight \
    a.experts.up_proj.weight a.q_proj.bias ids flags vision.q_proj.weight a.c_proj.weight none.q_proj.weight
expect 'codes have the shape of their bytes' 0 '{"dtype":"U8","shape":[48,96],' "$oracle" entry "$out" a.q_proj.weight
expect 'scales have the shape of their padded bytes' 0 '{"dtype":"U8","shape":[64,8],' \
    "$oracle" entry "$out" a.q_proj.weight_scale
expect 'the old metadata is kept' 0 '"format":"pt","note":"a \"quoted\" ä \\","mxgemm.format":"1"' grep -a '' "$out"
expect 'what is left alone is said with the reason' 0 'a.odd_proj.weight: its last dimension is no multiple of 32' \
    convert
expect 'experts may have K first' 0 'a.experts.up_proj.weight: it has more than two dimensions' convert
refused 'what is converted already' 'mxgemm has converted it already' "$mxgemm" convert --in "$out" --out "$work/again"

"$oracle" extract "$in" a.q_proj.weight "$work/raw"
"$mxgemm" quantize --rows 48 --k 192 --in "$work/raw" --out "$work/codes" --scale "$work/scales" --b-layout shuffled \
    --scale-layout shuffled
"$oracle" extract "$out" a.q_proj.weight "$work/codes_out"
"$oracle" extract "$out" a.q_proj.weight_scale "$work/scales_out"
same 'codes are those of mxgemm quantize' "$work/codes" "$work/codes_out"
same 'scales are those of mxgemm quantize' "$work/scales" "$work/scales_out"

expect 'row-major, one thread' 0 '5 quantised (5 of them in row-major codes)' convert --layout row --scale-layout row \
    --threads 1
becomes 'row-major' a.q_proj.weight - a.q_proj.weight_scale bf16 1 48 192 row row
becomes 'row-major f32' a.v_proj.weight - a.v_proj.weight_scale f32 1 16 64 row row
expect 'shuffled codes, row-major scales' 0 '5 quantised' convert --layout=shuffled --scale-layout=row
becomes 'half shuffled' a.q_proj.weight - a.q_proj.weight_scale bf16 1 48 192 shuffled row

expect '--include replaces what is quantised' 0 '0 weights of MXFP4 converted, 2 quantised' \
    convert --include 'lm_*' --include '*experts.up_proj.weight'
becomes 'an included head' lm_head.weight - lm_head.weight_scale bf16 1 64 64 shuffled shuffled
becomes 'included experts' a.experts.up_proj.weight - a.experts.up_proj.weight_scale bf16 2 16 64 shuffled shuffled
copied a.q_proj.weight
expect '--exclude is for what is not' 0 '3 quantised' convert --exclude 'a.[qk]_proj.weight'
copied a.q_proj.weight a.k_proj.weight
rm -f "$out"
expect '--dry-run says what would be' 0 'quantised  a.q_proj.weight: 1 x 48 x 192, codes shuffled, scales shuffled' \
    convert --dry-run
if [ -e "$out" ]; then not_ok '--dry-run writes nothing' "$out"; else ok '--dry-run writes nothing'; fi
"$oracle" make "$in" a.q_proj.weight:BF16:16,64:1 a.q_proj.weight_scale:F32:1:2
refused 'a name that is taken' \
    '"a.q_proj.weight" gets scales of a name that the file has already, "a.q_proj.weight_scale"' convert

# ---- MXFP4 as published ---------------------------------------------------------------------------------------------

"$oracle" make "$in" e.gate_up_proj_blocks:U8:3,32,4,16:1 e.gate_up_proj_scales:U8:3,32,4:2 \
    o.mlp1_weight.blocks:U8:2,6,1,16:3 o.mlp1_weight.scales:U8:2,6,1:4 q.weight_scale:U8:80,9:5 q.weight:U8:80,144:6 \
    c.weight_packed:U8:16,32:7 \
    c.weight_scale:U8:16,2:8 d.weight:I8:32,64:9 d.scale:F8_E8M0:32,4:10 f.weight:F4:16,128:11 f.scale:F8_E8M0:16,4:12 \
    g.weight:F4:2,16,64:13 g.weight_scale:F8_E8M0:2,16,2:14 n.weight:U8:16,32:15 n.weight_scale:F8_E4M3:16,4:16 \
    i.weight:I8:16,32:17 i.weight_scale:F32:16:18 w.weight:F8_E4M3:32,32:19 w.weight_scale:U8:32,1:20 \
    m.weight:U32:16,8:21 m.scales:U8:16,2:22 s.weight:U8:16,32:23 s.weight_scale:U8:16,2:24 s.weight_scale_2:F32:1:25
expect 'a checkpoint in MXFP4' 0 \
    '7 weights of MXFP4 converted, 0 quantised (2 of them in row-major codes), 11 tensors copied' convert
becomes 'gpt-oss' e.gate_up_proj_blocks e.gate_up_proj_scales e.gate_up_proj_scales mxfp4 3 32 128 shuffled shuffled
becomes 'gpt-oss by OpenAI' o.mlp1_weight.blocks o.mlp1_weight.scales o.mlp1_weight.scales mxfp4 2 6 32 row shuffled
becomes 'Quark' q.weight q.weight_scale q.weight_scale mxfp4 1 80 288 row shuffled
becomes 'compressed-tensors' c.weight_packed c.weight_scale c.weight_scale mxfp4 1 16 64 shuffled shuffled
becomes 'DeepSeek-V4' d.weight d.scale d.scale mxfp4 1 32 128 shuffled shuffled
becomes 'F4' f.weight f.scale f.scale mxfp4 1 16 128 shuffled shuffled
becomes 'F4 of three dimensions' g.weight g.weight_scale g.weight_scale mxfp4 2 16 64 shuffled shuffled
copied n.weight n.weight_scale i.weight i.weight_scale w.weight w.weight_scale m.weight m.scales s.weight \
    s.weight_scale s.weight_scale_2
expect 'blocks become rows' 0 '{"dtype":"U8","shape":[3,32,64],' "$oracle" entry "$out" e.gate_up_proj_blocks
expect 'F4 becomes bytes' 0 '{"dtype":"U8","shape":[16,64],' "$oracle" entry "$out" f.weight
expect 'scales that are no E8M0 of 32' 0 'n.weight: its scales are not one E8M0 byte a block of 32' convert
expect 'NVFP4 is left alone' 0 's.weight: it has a second scale, so it is not MXFP4' convert
expect '--exclude leaves a pair alone' 0 '6 weights of MXFP4 converted' convert --exclude q.weight_scale
copied q.weight q.weight_scale

"$oracle" make "$in" q.weight:U8:16,32:1
refused 'codes whose scales are elsewhere' \
    'tensor "q.weight" looks like MXFP4 without its scales: the file has no "q.weight_scale"' convert
expect 'unless they are to be copied' 0 '1 tensors copied' convert --exclude q.weight
"$oracle" make "$in" e_scales:U8:4,16,2:1
refused 'scales whose codes are elsewhere' \
    'tensor "e_scales" looks like scales of MXFP4 without their codes: the file has no "e_blocks"' convert
"$oracle" make "$in" q.weight:U8:16,32:1 q.weight_packed:U8:16,32:2 q.weight_scale:U8:16,2:3
refused 'scales of two' 'shares its scales with another: "q.weight_scale"' convert
"$oracle" make "$in"
expect 'a file without tensors' 0 '0 tensors copied' convert

# ---- what cannot be ------------------------------------------------------------------------------------------------

refused 'no input' 'cannot open' "$mxgemm" convert --in "$work/absent" --out "$out"
refused 'an input that is no file' 'is not a regular file' "$mxgemm" convert --in /dev/null --out "$out"
mkfifo "$work/fifo"
refused 'an input that nobody writes' 'is not a regular file' \
    timeout 10 "$mxgemm" convert --in "$work/fifo" --out "$out"
echo somebody > "$work/victim"
# shellcheck disable=SC2016 # for the inner shell, whose process number convert gets
expect 'a link where the temporary file goes' 0 '' sh -c \
    'ln -s victim "$3.mxg-tmp.$$" && exec "$1" convert --in "$2" --out "$3"' sh "$mxgemm" "$in" "$work/linked"
expect 'is not followed' 0 somebody cat "$work/victim"
if [ ! -L "$work/linked" ]; then ok 'and not left'; else not_ok 'and not left' "$work/linked is a link"; fi
refused 'an output that is no file' 'is not a regular file' "$mxgemm" convert --in "$in" --out /dev/full
refused 'the input as the output' 'is the input' "$mxgemm" convert --in "$in" --out "$in"
refused 'an output in no directory' 'cannot write' "$mxgemm" convert --in "$in" --out "$work/absent/out"
expect 'no --out' 2 'convert needs --out' "$mxgemm" convert --in "$in"
expect 'no such layout' 2 'row or shuffled' convert --layout tiled
expect 'no threads' 2 '--threads 0' convert --threads 0
expect 'a device' 2 'convert has no option --device' convert --device
printf 'short' > "$work/bad"
refused 'a file of 5 bytes' 'has 5 bytes' "$mxgemm" convert --in "$work/bad" --out "$work/none"
printf '\004\0\0\0\0\0\0\0{"a"' > "$work/bad"
refused 'a header that is no JSON' 'not good JSON' "$mxgemm" convert --in "$work/bad" --out "$work/none"
printf '\002\0\0\0\0\0\0\0{}x' > "$work/bad"
refused 'bytes of no tensor' 'the tensors end at 0, and the file has 1 bytes of data' \
    "$mxgemm" convert --in "$work/bad" --out "$work/none"
printf '\377\377\377\377\377\377\377\377{}' > "$work/bad"
refused 'a header of all memory' '18446744073709551615' "$mxgemm" convert --in "$work/bad" --out "$work/none"
if [ -e "$work/none" ]; then not_ok 'a refused file gives none' "$work/none"; else ok 'a refused file gives none'; fi

case ${1:-test} in check*) finish ;; esac

# ---- shapes beyond one window of memory ------------------------------------------------------------------------------

"$oracle" make "$in" t.q_proj.weight:BF16:70000,320:1 w.q_proj.weight:BF16:48,1048640:2 q.weight:U8:20,4194336:3 \
    q.weight_scale:U8:20,262146:4 s.q_proj.weight:F32:1,9437184:5 n.weight:U8:2200000,16:6 n.weight_scale:U8:2200000,1:7
expect 'large and wide ones' 0 '2 weights of MXFP4 converted, 3 quantised' convert
becomes 'many rows' t.q_proj.weight - t.q_proj.weight_scale bf16 1 70000 320 shuffled shuffled
becomes 'a wide K' w.q_proj.weight - w.q_proj.weight_scale bf16 1 48 1048640 shuffled shuffled
becomes 'a wide K of MXFP4' q.weight q.weight_scale q.weight_scale mxfp4 1 20 8388672 row shuffled
becomes 'one row' s.q_proj.weight - s.q_proj.weight_scale f32 1 1 9437184 row shuffled
becomes 'a narrow K' n.weight n.weight_scale n.weight_scale mxfp4 1 2200000 32 row shuffled
expect 'large and wide ones, row-major' 0 '3 quantised' convert --layout row --scale-layout row
becomes 'a wide K, row-major' w.q_proj.weight - w.q_proj.weight_scale bf16 1 48 1048640 row row
becomes 'a wide K of MXFP4, row-major' q.weight q.weight_scale q.weight_scale mxfp4 1 20 8388672 row row

# ---- 2 GiB, and what is left of a work that did not end -------------------------------------------------------------

big=$work/big.safetensors
"$oracle" make "$big" a.q_proj.weight:BF16:65536,16384:0 # 2 GiB, of holes

rm -f "$in" "$out"
expect '2 GiB are converted' 0 '1 quantised' "$oracle" peak "$mxgemm" convert --in "$big" --out "$out"
peak=$(sed -n 's/ MiB resident at most$//p' "$work/said")
if [ "${peak:-400}" -lt 400 ]; then ok 'in less than 400 MiB of memory'
else not_ok 'in less than 400 MiB of memory' "$peak MiB"; fi
if grep -q 'of 2048 MiB' "$work/said"; then ok 'with progress'; else not_ok 'with progress' "$(cat "$work/said")"; fi
rm -f "$out"

# stopped NAME SIGNAL SECONDS STATUS LEFT: LEFT is how many temporary files stay.
stopped() {
    rm -rf "$work/result"
    mkdir "$work/result"
    echo old > "$work/result/out.safetensors"
    "$mxgemm" convert --in "$big" --out "$work/result/out.safetensors" > "$work/said" 2>&1 &
    pid=$!
    until [ -n "$(find "$work/result" -name '*.mxg-tmp.*')" ] || ! kill -0 $pid 2> /dev/null; do :; done
    sleep "$3"
    kill -"$2" $pid
    wait $pid 2> /dev/null
    status=$?
    left=$(find "$work/result" -name '*.mxg-tmp.*' | wc -l)
    if [ $status -ne "$4" ]; then not_ok "$1" "status $status, not $4: $(head -n 1 "$work/said")"
    elif [ "$(cat "$work/result/out.safetensors")" != old ]; then not_ok "$1" 'the old file is gone'
    elif [ "$left" -ne "$5" ]; then not_ok "$1" "$left temporary files are left"
    else ok "$1"; fi
}
stopped 'killed at its start' KILL 0 137 1
stopped 'killed a little later' KILL 0.05 137 1
stopped 'killed in the middle' KILL 0.15 137 1
stopped 'terminated at its start' TERM 0 143 0
stopped 'terminated in the middle' TERM 0.15 143 0
stopped 'hung up' HUP 0.05 129 0
stopped 'without a reader' PIPE 0.05 141 0

rm -rf "$work/result"
mkdir "$work/result"
limited() { # BLOCKS-OF-512: the largest file
    (ulimit -f "$1" && exec "$mxgemm" convert --in "$big" --out "$work/result/out.safetensors")
}
refused 'no room for the file' 'File too large' limited 1000
if [ -z "$(ls "$work/result")" ]; then ok 'nothing is left'; else not_ok 'nothing is left' "$(ls "$work/result")"; fi
finish
