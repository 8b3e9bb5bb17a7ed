#!/bin/sh
# The bytes of a build depend on its sources and its compiler alone, and not on directory, user, environment, number of
# processes, order of rows or what was there before.
. tests/cli/lib.sh
. tests/cli/builds.sh
start=$(pwd)

# ---- mxgen ----------------------------------------------------------------------------------------------------------

table_row plain bf16 16 64 1 4 1 1 1 bf16 > "$work/rows"
table_row plain bf16 16 64 1 4 1 1 8 bf16 >> "$work/rows"
table_row plain bf16 16 64 1 4 1 1 14 f16 >> "$work/rows"
table_row plain bf16 64 128 2 2 1 1 2 f32 >> "$work/rows"
table_row plain mxfp4 64 64 2 2 1 1 1 f32 >> "$work/rows"
table_row quantise bf16 32 256 4 1 1 1 1 mxfp4 >> "$work/rows"
cp "$work/rows" "$work/table"
build "$work/first" -j1 > /dev/null
hashes "$work/first" > "$work/wanted"

# like_the_first NAME COMMAND...: which builds $work/again
like_the_first() {
    name=$1
    shift
    rm -rf "$work/again"
    "$@" > "$work/said" 2>&1 || tail -n 3 "$work/said"
    hashes "$work/again" > "$work/got" 2>&1
    same "$name" "$work/got" "$work/wanted"
}

again() { # ENVIRONMENT...: by env
    env "$@" "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$work/again" -j16
}
like_the_first 'the same with 16 processes' again
mkdir "$work/tmp" "$work/home"
chmod 500 "$work/home"
like_the_first 'and in another environment' again TMPDIR="$work/tmp" HOME="$work/home" USER=nobody LOGNAME=nobody \
    TZ=Asia/Tokyo LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 SOURCE_DATE_EPOCH=1 AMD_COMGR_CACHE=1 \
    AMD_COMGR_CACHE_DIR="$work/tmp/cache" XDG_CACHE_HOME="$work/tmp" COLUMNS=7 TERM=xterm
if [ -z "$(find "$work/tmp" "$work/home" -mindepth 1)" ]; then ok 'which finds nothing in it'
else not_ok 'which finds nothing in it' "$(find "$work/tmp" "$work/home")"; fi
like_the_first 'and in none' again -i PATH="$PATH"
tight() {
    (umask 077 && again)
}
like_the_first 'and with another umask' tight
elsewhere() { # with absolute paths, and a space in each
    mkdir -p "$work/else where"
    cp -R "$work/templates" "$work/else where/templates"
    (cd / && "$start/$mxgen" build --table "$work/table" --templates "$work/else where/templates" \
        --out "$work/else where/out") && cp -R "$work/else where/out" "$work/again"
}
like_the_first 'and in a directory with a space, from elsewhere' elsewhere
for seed in 1 2 3; do
    awk -v seed=$seed 'BEGIN {srand(seed)} {print rand() "\t" $0}' "$work/rows" | sort | cut -f 2- > "$work/table"
    like_the_first "and with the rows in order $seed" again
done
table_row plain bf16 16 64 1 4 1 1 4 f32 > "$work/table"
build "$work/kept" > /dev/null
cp "$work/rows" "$work/table"
after() { # another build, what was killed, and strangers
    cp -R "$work/kept" "$work/again"
    mkdir -p "$work/again/gfx950/tmp/comgr-1"
    echo half > "$work/again/gfx950/manifest.json.mxg-tmp.1"
    echo stranger > "$work/again/gfx950/gemm_stranger.hsaco"
    : > "$work/again/mxgemm-gfx950.mxpack"
    echo half > "$work/again/mxgemm-gfx950.mxpack.mxg-tmp.1"
    again
}
like_the_first 'and after other builds' after
no_temporaries 'of which nothing stays' "$work/again"

# ---- make -----------------------------------------------------------------------------------------------------------

# What a build leaves for users, but for the commands and the emulator, in a directory of another name and with a space.
products='mxgemm-gfx950.mxpack lib/libmxgemm.a lib/libmxgemm.so lib/libmxgemm_gfx950.a lib/libmxgemm_gfx950.so
    include/mxgemm.h'
copy_tree() {
    mkdir -p "$1/out"
    for part in Makefile README.md LICENSE common gen templates loader tests; do cp -R "$part" "$1/"; done
    for fetched in toolchain packages; do
        [ ! -d "out/$fetched" ] || ln -s "$start/out/$fetched" "$1/out/$fetched"
    done
}
make_in() { # DIRECTORY WORDS...
    directory=$1
    shift
    (cd "$directory" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "$@")
}
all_hashes() { # shellcheck disable=SC2086 # a list
    (cd "$1" && sha256sum gfx950/*.hsaco gfx950/src/* gfx950/manifest.json gfx950/report.txt $products)
}
# forget DIRECTORY PROGRAM: what its objects were made from, of the rows that the awk program prints. All anew would take
# long, and the other rows are no other to mxgen.
forget() {
    (cd "$1/out/gfx950/key" && ls | awk "$2" | xargs rm -f)
}
copy_tree "$work/the other one"
cp -R out/gfx950 "$work/the other one/out/"
rm "$work/the other one/out/gfx950/key/compiler"
forget "$work/the other one" 'NR % 8 == 0'
# shellcheck disable=SC2046,SC2086 # lists
expect 'make in a directory with a space' 0 'compiled' make_in "$work/the other one" TZ=Asia/Tokyo LC_ALL=C \
    HOME="$work" USER=nobody SOURCE_DATE_EPOCH=1 TMPDIR="$work" make -j16 $(printf 'out/%s ' $products)
all_hashes out > "$work/hashes1"
all_hashes "$work/the other one/out" > "$work/hashes2"
same 'has the bytes that it has here' "$work/hashes2" "$work/hashes1"
for place in "$start" "$work"; do
    found=$(cd "$work/the other one/out" && grep -alF -- "$place" gfx950/*.hsaco gfx950/src/* gfx950/*.json \
        gfx950/report.txt $products)
    if [ -z "$found" ]; then ok 'in which no path is'; else not_ok 'in which no path is' "$place is in $found"; fi
done

two_makes() { # of kernels that are not there
    rm -rf "$work/the other one/out/gfx950/src"
    find "$work/the other one/out/gfx950" -name '*_s1_bf16.*' -exec rm {} +
    make_in "$work/the other one" make -j2 out/mxgemm-gfx950.mxpack > "$work/make1" 2>&1 &
    make_in "$work/the other one" make -j2 out/mxgemm-gfx950.mxpack && wait $!
}
expect 'two makes at once' 0 '' two_makes
all_hashes "$work/the other one/out" > "$work/hashes2"
same 'make what one does' "$work/hashes2" "$work/hashes1"

if make --shuffle=reverse --version > /dev/null 2>&1; then
    rm -rf "$work/the other one/out/lib"
    forget "$work/the other one" 'NR % 8 == 1'
    # shellcheck disable=SC2046,SC2086 # lists
    expect 'make -j64 --shuffle' 0 '' make_in "$work/the other one" make -j64 --shuffle $(printf 'out/%s ' $products)
    all_hashes "$work/the other one/out" > "$work/hashes2"
    same 'makes the same' "$work/hashes2" "$work/hashes1"
else
    skip 'make -j64 --shuffle' 'make is older than 4.4'
fi

forget "$work/the other one" 'NR == 1'
for flag in -q -t; do
    make_in "$work/the other one" make $flag out/mxgemm-gfx950.mxpack > "$work/said" 2>&1
    if ! grep -q -e HSACO -e ^mxgen "$work/said"; then ok "make $flag compiles nothing"
    else not_ok "make $flag compiles nothing" "$(grep -e HSACO -e ^mxgen "$work/said" | head -n 2)"; fi
done
expect 'make -n compiles nothing and says what it would' 0 'build --table' make_in . make -n out/mxgemm-gfx950.mxpack
expect 'a second make gen compiles nothing' 0 'up to date' make_in . make gen
before=$(date +%s%N)
make_in . make gen > /dev/null 2>&1
took=$((($(date +%s%N) - before) / 1000000))
if [ $took -lt 1000 ]; then ok 'and takes under a second'; else not_ok 'and takes under a second' "$took ms"; fi
finish
