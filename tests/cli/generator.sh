#!/bin/sh
# mxgen and make gen as typed: what rebuilds, what is refused, and that bytes depend on nothing but sources.
. tests/cli/lib.sh
mxgen=out/bin/mxgen
start=$(pwd)

build() { # OUT MORE-OPTIONS...
    out=$1
    shift
    "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$out" "$@"
}

# A small table of its own: two formats of C of one family, another family, and a quantiser, which is of none.
cp -R templates "$work/templates"
{
    table_row plain bf16 16 64 1 4 1 1 1 bf16
    table_row plain bf16 16 64 1 4 1 1 1 f16
    table_row plain bf16 64 128 2 2 1 1 2 f32
    table_row quantise bf16 32 256 4 1 1 1 1 mxfp4
} > "$work/table"

expect 'a small table builds' 0 '4 compiled' build "$work/out"
expect 'it is up to date then' 0 'up to date' build "$work/out"
if [ "$(find "$work/out/gfx950" -name '*.hsaco' | wc -l)" -eq 4 ]; then ok 'four objects are there'
else not_ok 'four objects are there' "$(ls "$work/out/gfx950")"; fi

one=$(find "$work/out/gfx950" -name '*.hsaco' | sort | head -n 1)
cp "$one" "$work/kept"
rm "$one"
expect 'a deleted object is made again, alone' 0 '1 compiled' build "$work/out"
same 'and is the same' "$one" "$work/kept"
head -c 1000 "$work/kept" > "$one"
expect 'a truncated object is made again, alone' 0 '1 compiled' build "$work/out"
same 'and is the same again' "$one" "$work/kept"
table_row plain bf16 16 64 1 4 1 1 2 bf16 >> "$work/table"
expect 'a new row is compiled, alone' 0 '1 compiled' build "$work/out"
sed -i '$d' "$work/table"
expect 'a dropped row compiles nothing' 0 '' build "$work/out"
if [ "$(find "$work/out" -name '*_s2_bf16*' | wc -l)" -eq 0 ]; then ok 'and leaves no file'
else not_ok 'and leaves no file' "$(find "$work/out" -name '*_s2_bf16*')"; fi

# ---- the table of times --------------------------------------------------------------------------------------------

tuned() {
    build "$work/out" --tuning "$work/tuning"
}
manifest_has() { # NAME TEXT
    if grep -qF -- "$2" "$work/out/gfx950/manifest.json"; then ok "$1"
    else not_ok "$1" "$(grep tuning "$work/out/gfx950/manifest.json")"; fi
}

expect 'a table of times that is not there is an empty one' 0 'has no times for 3 of 3 variants: run make tune' tuned
manifest_has 'the manifest says so' '"tuning": {"rows": 0, "families": 0, "times": 0, "sources": []}'
cp "$work/out/mxgemm-gfx950.mxpack" "$work/untimed"
family=gemm_plain_m16n64_w1x4_s1
printf 'family %s\nfamily gone\n16 64 512 model 5.5 6\n16 64 512 measured:MI355X,7.0,2026-11-30 - 6\n' "$family" \
    > "$work/tuning"
expect 'a table that lacks a variant is said to' 0 'has no times for 1 of 3 variants: run make tune' tuned
expect 'a table that has too many is said to' 0 'has times for 1 families of which no variant is built, such as gone' \
    tuned
expect 'nothing is compiled for a table of times' 0 '4 variants are up to date' tuned
manifest_has 'the manifest has its size and sources' \
    '"rows": 2, "families": 2, "times": 3, "sources": ["measured:MI355X,7.0,2026-11-30", "model"]'
if cmp -s "$work/out/mxgemm-gfx950.mxpack" "$work/untimed"; then not_ok 'the pack has it' 'the pack is as it was'
else ok 'the pack has it'; fi
cp "$work/out/mxgemm-gfx950.mxpack" "$work/timed"
printf '16 64 512 model 1e3 6\n' >> "$work/tuning"
expect 'a bad row of times is refused' 1 "$work/tuning:5: the time of $family is \"1e3\"" tuned
same 'and leaves the pack as it was' "$work/out/mxgemm-gfx950.mxpack" "$work/timed"
rm "$work/tuning"
expect 'without the table' 0 'up to date' tuned
same 'the pack is the first one again' "$work/out/mxgemm-gfx950.mxpack" "$work/untimed"

# ---- budgets -------------------------------------------------------------------------------------------------------

# A row whose waves are below the most that a SIMD holds, and what its object takes in the order of the columns.
row='plain bf16 64 128 2 2 1 1 1 f32'
# shellcheck disable=SC2086 # a list of columns
table_row $row > "$work/table"
build "$work/tight" > "$work/said" 2>&1
taken=$(sed -n 's/.*"takes": {\([^}]*\)}.*/\1/p' "$work/tight/gfx950/manifest.json" | tr -dc '0-9,' | tr , ' ')
# shellcheck disable=SC2086
table_row $row $taken > "$work/table"
expect 'a budget that is just kept' 0 'up to date' build "$work/tight"

over() { # COLUMN VGPRS LDS WAVES CODE: how much tighter than what its object takes the row is
    column=$1
    # shellcheck disable=SC2046,SC2086
    table_row $row $(echo "$taken" | awk -v v="$2" -v l="$3" -v w="$4" -v c="$5" \
        '{print $1 - v, $2 - l, $3 + w, $4 - c}') > "$work/table"
    expect "a broken budget of $column" 1 "its budget, $column, " build "$work/tight"
    if [ "$(grep -c 'its budget' "$work/said")" -eq 1 ] && grep -q "$work/table:1:[0-9]*: " "$work/said" &&
        grep -q gemm_plain_m64n128_w2x2_s1_f32 "$work/said"; then ok 'is said alone, with variant and line'
    else not_ok 'is said alone, with variant and line' "$(cat "$work/said")"; fi
    left=$(find "$work/tight" -type f ! -path '*/src/*')
    if [ -z "$left" ]; then ok 'and leaves nothing'
    else not_ok 'and leaves nothing' "$left"; fi
}
over vgprs 8 0 0 0
over lds 0 1 0 0
over waves 0 0 1 0
over code 0 0 0 1

# LDS has room for two workgroups of 8 waves, 4 waves a SIMD. The compiler then has as many registers allocated as leave
# no room for a fifth, in whole granules 104 of 512, though the kernel uses fewer.
table_row plain mxfp4 1024 16 8 1 1 1 1 bf16 104 69632 4 99999 > "$work/table"
expect 'registers that nobody else could have' 0 ' 104/104 ' build "$work/few"

# ---- refusals ------------------------------------------------------------------------------------------------------

# The rules are tests/unit/test_table.c's.
table_row plain bf16 16 64 2 4 1 1 1 bf16 > "$work/table"
expect 'an impossible row is refused' 1 'tile_m must be a multiple of 16 * waves_m' build "$work/bad"
if [ -z "$(find "$work/bad" -name '*.hsaco' 2> /dev/null)" ]; then ok 'a refused table makes nothing'
else not_ok 'a refused table makes nothing' "$(find "$work/bad")"; fi

{ table_row plain bf16 16 64 1 4 1 1 1 bf16 && table_row plain bf16 16 64 1 4 1 1 2 bf16; } > "$work/table"
bad_template() { # NAME TEXT: with the templates as they are now
    expect "$1 is refused" 1 "$2" build "$work/bad"
    cp templates/* "$work/templates/"
}
sed -i '1s/^/#error XYZZY\n/' "$work/templates/plain.hip.in"
bad_template 'a template that does not compile' XYZZY
if grep -q gemm_plain_m16n64_w1x4_s2 "$work/said" && grep -q 's1_bf16' "$work/said"; then
    ok 'all rows that failed are listed'
else
    not_ok 'all rows that failed are listed' "$(cat "$work/said")"
fi
sed -i '1s/^/\/\/ ${FROBNICATE}\n/' "$work/templates/plain.hip.in"
bad_template 'an unknown template key' FROBNICATE
sed -i 's/\${TILE_N}/64/' "$work/templates/prelude.hip.in"
bad_template 'a key that no template uses' TILE_N
sed -i 's/SPLIT > 1/SPLIT > 1 \&\& __builtin_amdgcn_workgroup_size_x() == 7/' "$work/templates/plain.hip.in"
bad_template 'a kernel that wants hidden arguments' hidden_
sed -i 's/alpha, bias, column/alpha + *(const float *)__builtin_amdgcn_dispatch_ptr(), bias, column/' \
    "$work/templates/plain.hip.in"
bad_template 'a kernel without room for all preloaded arguments' \
    "the descriptor's number of preloaded dwords is 12 in the code object; it should be 14"
sed -i -e 's/LDS u8 scales\[/LDS u8 more[64]; &/' -e 's/for (int step = first/more[lane] = (u8)first; &/' \
    -e 's/w.codes, w.scale/& + more[63 - lane]/' \
    "$work/templates/plain.hip.in"
bad_template 'an object with more LDS than its row says' group_segment_fixed_size
table_row quantise bf16 32 256 4 1 1 1 1 mxfp4 > "$work/table"
sed -i 's/${KERNEL_ARGUMENTS}/&, int more/' "$work/templates/quantise.hip.in"
bad_template 'a quantiser of an argument too many' 'argument 9 is one more than common/kernarg.h has'

# ---- repeatability -------------------------------------------------------------------------------------------------

# Two whole builds in directories of other names, one with a space, with other -j, time zone, locale, umask and home.
copy_tree() {
    mkdir -p "$1/out"
    for part in Makefile README.md LICENSE common gen templates loader tests; do cp -R "$part" "$1/"; done
    [ ! -d out/toolchain ] || ln -s "$start/out/toolchain" "$1/out/toolchain"
}

hashes() { # of all that a build leaves for users
    (cd "$1/out" && sha256sum gfx950/*.hsaco gfx950/src/* gfx950/manifest.json gfx950/report.txt mxgemm-gfx950.mxpack \
        lib/libmxgemm.a lib/libmxgemm.so lib/libmxgemm_gfx950.a include/mxgemm.h)
}

make_gen() { # DIRECTORY JOBS ENVIRONMENT...
    directory=$1 jobs=$2
    shift 2
    (cd "$directory" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "$@" make "-j$jobs" gen)
}

copy_tree "$work/one"
copy_tree "$work/the other one"
expect 'make gen in a directory' 0 'variants in out/gfx950' make_gen "$work/one" 1
expect 'make gen in a directory with a space' 0 'variants in out/gfx950' make_gen "$work/the other one" 4 \
    TZ=Asia/Tokyo LC_ALL=C HOME="$work" USER=nobody SOURCE_DATE_EPOCH=1 TMPDIR="$work"
hashes "$work/one" > "$work/hashes1"
hashes "$work/the other one" > "$work/hashes2"
same 'both builds have the same bytes' "$work/hashes1" "$work/hashes2"
hashes . > "$work/hashes3"
same 'and so has the first' "$work/hashes1" "$work/hashes3"
if strings -a "$work/one/out/mxgemm-gfx950.mxpack" 2> /dev/null | grep -qF "$work"; then
    not_ok 'no path is in the pack' "$(strings -a "$work/one/out/mxgemm-gfx950.mxpack" | grep -F "$work" | head -n 1)"
else
    ok 'no path is in the pack'
fi

expect 'a second make gen compiles nothing' 0 'up to date' make_gen "$work/one" 2
before=$(date +%s%N)
make_gen "$work/one" 2 > /dev/null 2>&1
took=$((($(date +%s%N) - before) / 1000000))
if [ $took -lt 1000 ]; then ok 'a second make gen takes under a second'
else not_ok 'a second make gen takes under a second' "$took ms"; fi
finish
