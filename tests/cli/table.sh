#!/bin/sh
# mxgen list and explain as typed, and groups of a table. What is said of wrong tables is for
# tests/unit/test_table_errors.c.
. tests/cli/lib.sh
mxgen=out/bin/mxgen
table=$work/my.variants

cat > "$table" << 'EOF'
defaults  waves_k = 1  depth = 1  split = 1  vgprs = 512  lds = 163840  waves = 1  code = 99999
row  template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4  c = f32
group small-m "few rows"
row  template = stream  a = bf16  waves_m = 1  waves_n = 1  c = bf16
     tile_m = 16  tile_n = 32..128 by *2
     waves_k = 4, 8
     where tile_n   *   waves_k < 512  # not all
group other
where  split != 2
row  template = plain  a = mxfp4  tile_m = 16  tile_n = 64, 48  waves_m = 1  waves_n = 4  split = 1, 2  c = bf16
EOF

# says NAME STATUS COMMAND...: the command ends with the status and says exactly what standard input has.
says() {
    name=$1 wanted=$2
    shift 2
    sed "s|TABLE|$table|" > "$work/wanted"
    "$@" > "$work/answer" 2>&1
    status=$?
    if [ $status -ne "$wanted" ]; then not_ok "$name" "status $status, not $wanted: $(head -n 3 "$work/answer")"
    else same "$name" "$work/answer" "$work/wanted"; fi
}

says 'explain of a group' 0 "$mxgen" explain small-m --table "$table" << 'EOF'
TABLE:3:1: group small-m: few rows
TABLE:4:1: the row of group small-m makes 3 variants of 6 combinations:
  gemm_stream_m16n32_w1x1x4_s1_bf16
  gemm_stream_m16n32_w1x1x8_s1_bf16
  gemm_stream_m16n64_w1x1x4_s1_bf16
  gemm_stream_m16n64_w1x1x8_s1_bf16 is refused by TABLE:7:6: where tile_n * waves_k < 512
  gemm_stream_m16n128_w1x1x4_s1_bf16 is refused by TABLE:7:6: where tile_n * waves_k < 512
  gemm_stream_m16n128_w1x1x8_s1_bf16 is refused by TABLE:7:6: where tile_n * waves_k < 512
EOF
sed 's/ "few rows"//' "$table" > "$work/without.variants"
first=$("$mxgen" explain small-m --table "$work/without.variants" | head -n 1)
if [ "$first" = "$work/without.variants:3:1: group small-m" ]; then ok 'explain of a group without a text'
else not_ok 'explain of a group without a text' "$first"; fi
says 'explain of a line within a row' 0 "$mxgen" explain --table "$table" 10 << 'EOF'
TABLE:10:1: the row of group other makes 1 variant of 4 combinations:
  gemm_plain_mxfp4_m16n64_w1x4_s1_bf16
  gemm_plain_mxfp4_m16n64_w1x4_s2_bf16 is refused by TABLE:9:1: where split != 2
  gemm_plain_mxfp4_m16n48_w1x4_s1_bf16 is impossible: tile_n must be a multiple of 16 * waves_n
  gemm_plain_mxfp4_m16n48_w1x4_s2_bf16 is refused by TABLE:9:1: where split != 2
EOF
says 'explain of a variant that is made' 0 "$mxgen" explain gemm_plain_m16n64_w1x4_s1_f32 --table "$table" << 'EOF'
TABLE:2:1: the row makes 1 variant of 1 combination, of which
  gemm_plain_m16n64_w1x4_s1_f32
EOF
says 'explain of one that a where refuses' 0 "$mxgen" explain gemm_plain_mxfp4_m16n64_w1x4_s2_bf16 --table "$table" \
    << 'EOF'
TABLE:10:1: the row of group other makes 1 variant of 4 combinations, of which
  gemm_plain_mxfp4_m16n64_w1x4_s2_bf16 is refused by TABLE:9:1: where split != 2
EOF
says 'explain of one that no row makes' 1 "$mxgen" explain gemm_plain_m16n64_w1x4_s3_f32 --table "$table" << 'EOF'
mxgen: no row of TABLE makes gemm_plain_m16n64_w1x4_s3_f32, and no group has that name
EOF
says 'explain of a line of no row' 1 "$mxgen" explain 9 --table "$table" << 'EOF'
mxgen: line 9 of TABLE is in no row
EOF
expect 'explain of nothing' 2 'something is missing: WHAT' "$mxgen" explain
expect 'explain of two things' 2 'one word too many: b' "$mxgen" explain a b
expect 'explain of a table that is not there' 1 'cannot read the variant table' "$mxgen" explain a --table "$work/none"

says 'list of a table that cannot be' 1 "$mxgen" list --table "$table" << 'EOF'
mxgen: TABLE:10:61: tile_n is "48"; gemm_plain_mxfp4_m16n48_w1x4_s1_bf16 is impossible: tile_n must be a multiple of 16 * waves_n
EOF
sed -i 's/tile_n = 64, 48/tile_n = 64/' "$table"
says 'list' 0 "$mxgen" list --table "$table" << 'EOF'
gemm_plain_m16n64_w1x4_s1_f32         -        2
gemm_plain_mxfp4_m16n64_w1x4_s1_bf16  other    10
gemm_stream_m16n32_w1x1x4_s1_bf16     small-m  4
gemm_stream_m16n32_w1x1x8_s1_bf16     small-m  4
gemm_stream_m16n64_w1x1x4_s1_bf16     small-m  4
EOF
says 'list of two groups' 0 "$mxgen" list --table "$table" --only other,small-m << 'EOF'
gemm_plain_mxfp4_m16n64_w1x4_s1_bf16  other    10
gemm_stream_m16n32_w1x1x4_s1_bf16     small-m  4
gemm_stream_m16n32_w1x1x8_s1_bf16     small-m  4
gemm_stream_m16n64_w1x1x4_s1_bf16     small-m  4
EOF
says 'list of groups that are none' 1 "$mxgen" list --table "$table" --only small,other,m << 'EOF'
mxgen: --only is "small"; the groups of TABLE are: small-m, other
mxgen: --only is "m"; the groups of TABLE are: small-m, other
EOF

# Built alone: nothing of the other groups is there, and nothing is said of their times.
build() {
    "$mxgen" build --table "$table" --tuning "$work/none" --templates templates --out "$work/out" "$@"
}
expect 'a group is built' 0 '1 variants, 1 compiled' build --only other --no-hints
if [ "$(find "$work/out" -name '*.hsaco')" = "$work/out/gfx950/gemm_plain_mxfp4_m16n64_w1x4_s1_bf16.hsaco" ]; then
    ok 'alone'
else not_ok 'alone' "$(find "$work/out" -name '*.hsaco')"; fi
if grep 'no times' "$work/said"; then not_ok 'without a hint' "$(cat "$work/said")"; else ok 'without a hint'; fi
expect 'with a hint' 0 'has no times for 1 of 1 variants: run make tune' build --only other

# The command that make would run, in a line.
dry_run() {
    env -u MAKEFLAGS -u MAKELEVEL make -n out/mxgemm-gfx950.mxpack "$@" | tr '\\\n' '  ' | tr -s ' '
}
expect 'make gen takes a table and groups' 0 "mxgen build --table 'my own.variants' --only 'a,b' --tuning" \
    dry_run VARIANTS='my own.variants' ONLY=a,b
if grep -q -e --no-hints "$work/said"; then ok 'of which no hints are wanted'
else not_ok 'of which no hints are wanted' "$(cat "$work/said")"; fi
expect 'make gen without them' 0 "mxgen build --table 'gen/gemm.variants' --tuning" dry_run
if grep -q -e --no-hints "$work/said"; then not_ok 'of which they are' "$(cat "$work/said")"
else ok 'of which they are'; fi
expect 'a group of the project' 0 'quantise_m32n256_w4x1' "$mxgen" list --only quantiser
finish
