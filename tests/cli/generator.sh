#!/bin/sh
# mxgen as typed: what is built anew, the table of times, budgets, and what is refused.
. tests/cli/lib.sh
. tests/cli/builds.sh

# A small table of its own: two formats of C of one family, another family, and a quantiser, which is of none.
small_table() {
    table_row plain bf16 16 64 1 4 1 1 1 bf16
    table_row plain bf16 16 64 1 4 1 1 1 f16
    table_row plain bf16 64 128 2 2 1 1 2 f32
    table_row quantise bf16 32 256 4 1 1 1 1 mxfp4
}
bf16=gemm_plain_m16n64_w1x4_s1_bf16 f16=gemm_plain_m16n64_w1x4_s1_f16 split=gemm_plain_m64n128_w2x2_s2_f32
quantiser=$(small_table > "$work/table" && "$mxgen" list --table "$work/table" | sed -n 's/^\(quantise[^ ]*\).*/\1/p')
all="$bf16 $f16 $split $quantiser"

builds 'a small table' "$all" build "$work/out"
builds 'nothing when it is up to date' '' build "$work/out"
if [ "$(find "$work/out/gfx950" -name '*.hsaco' | wc -l)" -eq 4 ]; then ok 'four objects are there'
else not_ok 'four objects are there' "$(ls "$work/out/gfx950")"; fi

one=$(find "$work/out/gfx950" -name '*.hsaco' | sort | head -n 1)
cp "$one" "$work/kept"
rm "$one"
builds 'a deleted object, alone' "$(basename "$one" .hsaco)" build "$work/out"
same 'and it is the same' "$one" "$work/kept"
head -c 1000 "$work/kept" > "$one"
builds 'a truncated object, alone' "$(basename "$one" .hsaco)" build "$work/out"
same 'and it is the same again' "$one" "$work/kept"
: > "$one"
builds 'an empty object that is newer than all else' "$(basename "$one" .hsaco)" build "$work/out"
same 'and it is the same once more' "$one" "$work/kept"

# ---- what is built anew ---------------------------------------------------------------------------------------------

table_row plain bf16 16 64 1 4 1 1 2 bf16 >> "$work/table"
builds 'a new row, alone' gemm_plain_m16n64_w1x4_s2_bf16 build "$work/out"
small_table > "$work/table"
builds 'nothing for a dropped row' '' build "$work/out"
if [ "$(find "$work/out" -name '*_s2_bf16*' | wc -l)" -eq 0 ]; then ok 'and it leaves no file'
else not_ok 'and it leaves no file' "$(find "$work/out" -name '*_s2_bf16*')"; fi
small_table | sed '3d' > "$work/table"
table_row plain bf16 64 64 2 2 1 1 2 f32 >> "$work/table"
builds 'an edited row, alone' gemm_plain_m64n64_w2x2_s2_f32 build "$work/out"
small_table > "$work/table"
builds 'and edited back' "$split" build "$work/out"
table_row plain bf16 16 64 1 4 1 1 1 bf16 64 65536 1 65536 > "$work/table"
small_table | sed 1d >> "$work/table"
builds 'nothing for a budget' '' build "$work/out"
small_table > "$work/table"

edit() { # FILE of the templates
    printf '// One line more.\n' >> "$work/templates/$1"
}
edit reduce.hip.in
builds 'for a line of reduce.hip.in the one variant that has a second kernel' "$split" build "$work/out"
edit quantise.hip.in
builds 'for a line of quantise.hip.in the quantiser' "$quantiser" build "$work/out"
edit plain.hip.in
builds 'for a line of plain.hip.in those of the template plain' "$bf16 $f16 $split" build "$work/out"
edit stream.hip.in
builds 'nothing for a line of a template that no row uses' '' build "$work/out"
touch "$work/templates"/*
builds 'nothing for templates that are only newer' '' build "$work/out"
edit prelude.hip.in
builds 'for a line of prelude.hip.in all' "$all" build "$work/out"
cp templates/* "$work/templates/"
builds 'all when the lines are gone' "$all" build "$work/out"

builds 'all for one more option of the compiler' "$all" build "$work/out" --option -DNOBODY_ASKS=1
expect 'which the manifest has' 0 '"-DNOBODY_ASKS=1"' cat "$work/out/gfx950/manifest.json"
builds 'nothing for the same options' '' build "$work/out" --option -DNOBODY_ASKS=1
builds 'all without it' "$all" build "$work/out"
expect 'which the manifest has no longer' 1 '' grep -q NOBODY_ASKS "$work/out/gfx950/manifest.json"

# Another comgr: the same with a byte more at its end, and a real one if it is there. Each runs on its own C library.
cp -R "$work/out" "$work/first"
if [ -n "$RUN_COMGR" ]; then
    libraries=$(dirname "${RUN_COMGR%% *}")
    mkdir "$work/compiler"
    ln -s "$(pwd)/$libraries"/*.so* "$work/compiler/"
    comgr=$(basename "$(readlink -f "$libraries/libamd_comgr.so.3")")
    rm "$work/compiler"/libamd_comgr.so*
    cp "$libraries/$comgr" "$work/compiler/libamd_comgr.so.3"
    build_by() { # DIRECTORY OUT: by the compiler there
        "$1/ld-linux-x86-64.so.2" --library-path "$1" out/libexec/mxgen build --table "$work/table" \
            --templates "$work/templates" --out "$2"
    }
    builds 'nothing for a copy of comgr elsewhere' '' build_by "$work/compiler" "$work/out"
    printf x >> "$work/compiler/libamd_comgr.so.3"
    builds 'all for a comgr of other bytes' "$all" build_by "$work/compiler" "$work/out"
    builds 'nothing for it again' '' build_by "$work/compiler" "$work/out"
    for name in $all; do cmp "$work/first/gfx950/$name.hsaco" "$work/out/gfx950/$name.hsaco"; done > "$work/said" 2>&1
    if [ ! -s "$work/said" ]; then ok 'whose objects are the same'; else not_ok 'whose objects are the same' \
        "$(cat "$work/said")"; fi
    library=$work/compiler/libamd_comgr.so.3 last=$(($(wc -c < "$work/compiler/libamd_comgr.so.3") - 1))
    touch -r "$library" "$work/time"
    printf y | dd of="$library" bs=1 seek="$last" conv=notrunc 2> /dev/null
    touch -r "$work/time" "$library"
    builds 'all for another byte in it, though size and time are the same' "$all" build_by "$work/compiler" "$work/out"
    builds 'all for the first comgr' "$all" build "$work/out"
    same 'and the manifest is the first' "$work/out/gfx950/manifest.json" "$work/first/gfx950/manifest.json"
else
    skip 'other compilers' 'the compiler is not a private one'
fi
other=out/toolchain/experimental/usr/lib/x86_64-linux-gnu
if [ -n "$RUN_COMGR" ] && [ -e "$other/libamd_comgr.so.3" ] && [ ! "$other" -ef "$libraries" ]; then
    builds 'all for another LLVM' "$all" build_by "$other" "$work/out"
    builds 'nothing for it again either' '' build_by "$other" "$work/out"
    builds 'all for the first LLVM' "$all" build "$work/out"
    same 'and the manifest is the first again' "$work/out/gfx950/manifest.json" "$work/first/gfx950/manifest.json"
else
    skip 'another LLVM' 'there is none in out/toolchain/experimental'
fi

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
ln -sf /dev/zero "$work/tuning"
expect 'a table of times without an end is refused' 1 \
    "$work/tuning is not a table of times: it has more than 67108864 bytes" tuned
rm "$work/tuning"
expect 'without the table' 0 'up to date' tuned
same 'the pack is the first one again' "$work/out/mxgemm-gfx950.mxpack" "$work/untimed"

# ---- budgets -------------------------------------------------------------------------------------------------------

# A row whose waves are below the most that a SIMD holds, and what its object takes in the order of the columns.
row='plain bf16 64 128 2 2 1 1 1 f32'
table_row $row > "$work/table"
build "$work/tight" > "$work/said" 2>&1
taken=$(sed -n 's/.*"takes": {\([^}]*\)}.*/\1/p' "$work/tight/gfx950/manifest.json" | tr -dc '0-9,' | tr , ' ')
table_row $row $taken > "$work/table"
expect 'a budget that is just kept' 0 'up to date' build "$work/tight"

over() { # COLUMN VGPRS LDS WAVES CODE: how much tighter than what its object takes the row is
    over=$1
    # shellcheck disable=SC2046 # four numbers
    table_row $row $(echo "$taken" | awk -v v="$2" -v l="$3" -v w="$4" -v c="$5" \
        '{print $1 - v, $2 - l, $3 + w, $4 - c}') > "$work/table"
    expect "a broken budget of $over" 1 "its budget, $over, " build "$work/tight"
    if [ "$(grep -c '^mxgen: .*its budget' "$work/said")" -eq 1 ] && grep -q "$work/table:1:" "$work/said" &&
        grep -q gemm_plain_m64n128_w2x2_s1_f32 "$work/said"; then ok 'is said alone, with variant and line'
    else not_ok 'is said alone, with variant and line' "$(cat "$work/said")"; fi
    left=$(find "$work/tight" -type f ! -path '*/src/*' ! -name compiler)
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

# The rules are tests/unit/test_table.c's, and wrong templates tests/cli/templates.sh's.
table_row plain bf16 16 64 2 4 1 1 1 bf16 > "$work/table"
expect 'an impossible row is refused' 1 'tile_m must be a multiple of 16 * waves_m' build "$work/bad"
if [ -z "$(find "$work/bad" -name '*.hsaco' 2> /dev/null)" ]; then ok 'a refused table makes nothing'
else not_ok 'a refused table makes nothing' "$(find "$work/bad")"; fi

# ---- what is seen of it ----------------------------------------------------------------------------------------------

small_table > "$work/table"
rm -rf "$work/out"
escape=$(printf '\033')
build "$work/out" > "$work/said" 2>&1
if grep -q "$escape" "$work/said" || grep -q "$(printf '\r')" "$work/said"; then
    not_ok 'a log has plain lines' "$(grep -n "$escape" "$work/said" | head -n 1)"
else ok 'a log has plain lines'; fi
if [ "$(grep -cE '^  HSACO   gemm_plain_[a-z0-9_]+  [0-9]+\.[0-9]{2} s$' "$work/said")" -eq 3 ]; then
    ok 'with name and time of each variant'
else not_ok 'with name and time of each variant' "$(head -n 5 "$work/said")"; fi

# on_terminal TERM COLUMNS: all that a build writes to a terminal, in $work/screen
on_terminal() {
    rm -rf "$work/out"
    cat > "$work/terminal.sh" << EOF
stty cols $2
TERM=$1 '$mxgen' build --table '$work/table' --templates '$work/templates' --out '$work/out' -j2
EOF
    script -qec "sh '$work/terminal.sh'" /dev/null < /dev/null > "$work/screen" 2>&1
}
# The changing line: each is cleared before the next, and holds what is in no log.
frames() {
    tr '\r' '\n' < "$work/screen" | sed -n "s/^$escape\[K\(.*[0-9]\/4 .*\)/\1/p"
}
if command -v script > /dev/null && on_terminal xterm 90 && grep -q "$escape" "$work/screen"; then
    if frames | grep -qE '^\[ *\] 0/4  ETA -:--  (gemm|quantise)' && frames | grep -qE \
        '^\[#+ *\] 3/4  [0-9.]+/s  ETA 0:0[0-9]  (gemm|quantise)[a-z0-9_]+'; then
        ok 'a terminal has a line with bar, count, rate, time left and row'
    else not_ok 'a terminal has a line with bar, count, rate, time left and row' "$(frames | head -n 9)"; fi
    if grep -q HSACO "$work/screen"; then not_ok 'in place of the lines of a log' "$(grep HSACO "$work/screen")"
    else ok 'in place of the lines of a log'; fi
    if tr '\r' '\n' < "$work/screen" | grep -q "^$escape\[KWhat mxgen read in"; then
        ok 'which is gone at the end'
    else not_ok 'which is gone at the end' "$(tail -n 3 "$work/screen")"; fi
    on_terminal xterm 33
    longest=$(frames | awk '{if (length($0) > n) n = length($0)} END {print n + 0}')
    if [ "$longest" -le 32 ] && [ "$longest" -ge 20 ]; then ok 'and fits into a narrow one'
    else not_ok 'and fits into a narrow one' "$longest columns: $(frames | head -n 3)"; fi
    on_terminal dumb 90
    if grep -q "$escape" "$work/screen"; then not_ok 'a dumb terminal has plain lines' "$(head -n 3 "$work/screen")"
    else ok 'a dumb terminal has plain lines'; fi
else
    skip 'a terminal has a line with bar, count, rate, time left and row' 'script cannot make a terminal here'
fi
finish
