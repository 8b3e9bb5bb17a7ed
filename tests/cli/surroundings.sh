#!/bin/sh
# Builds in surroundings that mean them no good: variables that compilers heed, files that are none, readers that stop,
# too few processes. The bytes are those of any other build, and what is not mxgen's stays as it is.
. tests/cli/lib.sh
. tests/cli/builds.sh

for c in bf16 f16 f32; do
    table_row plain bf16 16 64 1 4 1 1 1 $c
    table_row plain bf16 16 64 1 4 1 1 2 $c
done > "$work/table"
one=gemm_plain_m16n64_w1x4_s1_bf16
build "$work/whole" -j2 > /dev/null
hashes "$work/whole" > "$work/wanted"
like_the_whole() { # NAME OUT
    hashes "$2" > "$work/got" 2>&1
    same "$1" "$work/got" "$work/wanted"
}
again() { # COMMAND...: a build into an empty $work/out, by env
    rm -rf "$work/out"
    env "$@" "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$work/out" -j2
}

# ---- the environment ------------------------------------------------------------------------------------------------

# Some change what is compiled, some leave files.
mkdir -p "$work/nasty/include"
expect 'variables of compilers' 0 '6 compiled' again \
    CCC_OVERRIDE_OPTIONS='# +-O0 +-DSPLIT=7' CPATH="$work/nasty/include" C_INCLUDE_PATH="$work/nasty/include" \
    CPLUS_INCLUDE_PATH="$work/nasty/include" HIP_PATH="$work/nasty" \
    ROCM_PATH="$work/nasty" LLVM_PATH="$work/nasty" COMPILER_PATH="$work/nasty" LIBRARY_PATH="$work/nasty" \
    AMD_COMGR_SAVE_TEMPS=1 AMD_COMGR_SAVE_LLVM_TEMPS=1 AMD_COMGR_EMIT_VERBOSE_LOGS=1 AMD_COMGR_TIME_STATISTICS=1 \
    AMD_COMGR_REDIRECT_LOGS="$work/nasty/comgr" AMD_COMGR_CACHE=1 AMD_COMGR_CACHE_DIR="$work/nasty/cache" \
    CC_PRINT_OPTIONS=1 CC_PRINT_OPTIONS_FILE="$work/nasty/options" CC_PRINT_HEADERS=1 \
    CC_PRINT_HEADERS_FILE="$work/nasty/headers" CC_LOG_DIAGNOSTICS=1 CC_LOG_DIAGNOSTICS_FILE="$work/nasty/log" \
    LLVM_PROFILE_FILE="$work/nasty/profile" CLANG_CRASH_DIAGNOSTICS_DIR="$work/nasty"
like_the_whole 'change no byte' "$work/out"
left=$(find "$work/nasty" -type f)
if [ -z "$left" ]; then ok 'and leave no file'; else not_ok 'and leave no file' "$left"; fi
no_temporaries 'here either' "$work/out"
# No key would tell of another one. What a template cannot include it can still ask for.
sed -i '1s|^|#if __has_include(<linux/limits.h>)\n#error a header of the machine\n#endif\n|' \
    "$work/templates/plain.hip.in"
[ -f /usr/include/linux/limits.h ] || skip 'a header of the machine is not found' 'it has none'
expect 'a header of the machine is not found' 0 '6 compiled' build "$work/headers"
cp templates/* "$work/templates/"

# ---- standard files, readers -----------------------------------------------------------------------------------------

closed() { # without what a shell has of the three
    rm -rf "$work/out"
    build "$work/out" <&- >&- 2>&-
}
closed
if [ $? -eq 1 ]; then ok 'output that cannot be written is a failure'
else not_ok 'output that cannot be written is a failure' 'it is not'; fi
like_the_whole 'though what was built is right' "$work/out"

mkfifo "$work/pipe"
exec 8<> "$work/pipe"
head -c 65536 /dev/zero >&8
rm -rf "$work/out"
timeout -k 5 30 "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$work/out" \
    > "$work/pipe" 2> /dev/null &
started=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -e "$work/out/gfx950/tmp" ] && break
    sleep 0.1
done
sleep 0.5
kill $started # timeout passes it on
wait $started 2> /dev/null
status=$?
exec 8<&-
if [ $status -eq 143 ]; then ok 'a signal ends a build whose reader has stopped'
else not_ok 'a signal ends a build whose reader has stopped' "status $status"; fi
no_temporaries 'and it leaves nothing' "$work/out"

# As few files as a process may have open if one variant is to compile: how many are open here already is not known.
few() {
    for files in 8 10 12 14 16 18 20 22 24 26 28 30 32; do
        rm -rf "$work/out"
        (ulimit -n $files && build "$work/out" -j6) > "$work/few" 2>&1 && break
    done
    cat "$work/few"
}
expect 'where few files may be open fewer processes work' 0 'mxgen: going on with ' few
like_the_whole 'and do it all' "$work/out"

# ---- files that are none ---------------------------------------------------------------------------------------------

mkdir -p "$work/foreign"
for file in precious.hsaco precious.key precious.hip mine; do echo mine > "$work/foreign/$file"; done
cp -R "$work/foreign" "$work/before"
foreign_is_left() { # NAME
    if diff -rq "$work/before" "$work/foreign" > "$work/said" 2>&1; then ok "$1"
    else not_ok "$1" "$(head -n 3 "$work/said")"; fi
}
for part in '' /src /key; do
    rm -rf "$work/out"
    mkdir -p "$work/out/gfx950$part"
    rmdir "$work/out/gfx950$part"
    ln -s "$work/foreign" "$work/out/gfx950$part"
    refused "a link in place of gfx950$part" "$work/out/gfx950$part is no directory of its own" build "$work/out"
    foreign_is_left 'and what it leads to stays'
done
for file in "gfx950/$one.hsaco" "gfx950/key/$one.key" "gfx950/src/$one.hip" gfx950/manifest.json gfx950/report.txt \
    gfx950/key/compiler gfx950/part mxgemm-gfx950.mxpack; do
    wrong=''
    for kind in "ln -s $work/foreign/mine" "ln $work/foreign/mine" 'ln -s /dev/zero' mkfifo; do
        rm -rf "$work/out"
        cp -R "$work/whole" "$work/out"
        rm -f "$work/out/$file"
        $kind "$work/out/$file"
        timeout 20 "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$work/out" \
            > "$work/said" 2>&1 || wrong="$wrong $kind: $(tail -n 1 "$work/said")"
        hashes "$work/out" > "$work/got" 2>&1
        cmp -s "$work/got" "$work/wanted" || wrong="$wrong $kind: $(diff "$work/got" "$work/wanted" | head -n 2)"
    done
    if [ -z "$wrong" ]; then ok "a link or a pipe in place of $file is replaced"
    else not_ok "a link or a pipe in place of $file is replaced" "$wrong"; fi
    foreign_is_left 'and what it led to stays'
done
rm -rf "$work/out"
mkdir -p "$work/out/gfx950/tmp/a"
ln -s "$work/foreign" "$work/out/gfx950/tmp/a/link"
expect 'a link in what a killed build has left' 0 compiled build "$work/out"
foreign_is_left 'is not followed'
mkdir "$work/out/gfx950/stranger.hsaco"
expect 'a directory is not removed' 1 "cannot remove $work/out/gfx950/stranger.hsaco: Is a directory" build "$work/out"

# A digit of a sum of the compiler's libraries is another: the objects would be of a compiler that nobody has.
cp -R "$work/whole" "$work/altered"
sed -i -e '2{s/^[0-7]/8/;t' -e 's/^./0/}' "$work/altered/gfx950/key/compiler"
builds 'nothing for a wrong sum of a library' '' build "$work/altered"
like_the_whole 'which is not taken over' "$work/altered"

# ---- names -----------------------------------------------------------------------------------------------------------

start=$(pwd)
for called in -x @x 'a b' "q'q\"q"; do
    beside() {
        (cd "$work" && "$start/$mxgen" build --table table --templates templates --out "$called")
    }
    expect "out is called $called" 0 '6 compiled' beside
    like_the_whole 'like any other' "$work/$called"
done
sed -i '1s/^/#error XYZZY\n/' "$work/templates/plain.hip.in"
expect 'a message has the place in the template' 1 'templates/plain.hip.in:1:2: error: XYZZY' build "$work/a b"
cp templates/* "$work/templates/"

# ---- the index ------------------------------------------------------------------------------------------------------

# Of what a manifest names all is there and right, however far a build has come when it is killed or fails.
index_is_right() { # WHEN: if there is one
    [ -e "$work/out/gfx950/manifest.json" ] || return 0
    sed -n 's/.*"file": "\([^"]*\)".*"sha256": "\([^"]*\)".*/\2  \1/p' "$work/out/gfx950/manifest.json" > "$work/sums"
    (cd "$work/out/gfx950" && sha256sum -c --quiet "$work/sums") > "$work/said" 2>&1 ||
        wrong="$wrong $1: $(head -n 2 "$work/said")"
}
wrong=''
for lines in 1 2 3 4; do
    rm -rf "$work/out"
    cp -R "$work/whole" "$work/out"
    "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$work/out" --option -O1 -j1 \
        > "$work/pipe" 2>&1 &
    exec 9< "$work/pipe"
    for _ in $(seq $lines); do read -r line <&9; done # of a variant each
    kill -9 $!
    wait $! 2> /dev/null
    exec 9<&-
    index_is_right "after $lines"
done
cp -R "$work/templates" "$work/broken"
sed -i '1s/^/${FROBNICATE}\n/' "$work/broken/prelude.hip.in"
rm -rf "$work/out"
cp -R "$work/whole" "$work/out"
sed 1d "$work/table" > "$work/dropped"
"$mxgen" build --table "$work/dropped" --templates "$work/broken" --out "$work/out" > "$work/said" 2>&1
index_is_right 'a dropped row'
if [ -z "$wrong" ]; then ok 'what a manifest names is as it says, whenever a build ends'
else not_ok 'what a manifest names is as it says, whenever a build ends' "$wrong"; fi

# What survives a power cut: each file is synced before it gets its name, and what the index names before the index is.
if command -v strace > /dev/null && strace -o "$work/calls" true 2> /dev/null; then
    rm -rf "$work/out"
    # shellcheck disable=SC2086 # how mxgen starts is words
    strace -y -e trace=fsync,rename -o "$work/calls" $RUN_COMGR out/libexec/mxgen build --table "$work/table" \
        --templates "$work/templates" --out "$work/out" > "$work/said" 2>&1
    awk -v out="$work/out" '
        /^fsync/ {
            sub(/^[^<]*</, "")
            sub(/>.*/, "")
            if ($0 ~ /mxg-tmp/) synced[$0] = 1
            else directories[substr($0, length(out) + 1)] = 1
        }
        /^rename/ {
            split($0, quoted, "\"")
            renamed++
            if (!synced[quoted[2]]) print quoted[4] " is not synced"
            if (quoted[4] ~ /manifest.json|report.txt|mxpack/) {
                for (part in need) if (!directories[part]) print quoted[4] " before " part " is synced"
                index_began = 1
            } else if (index_began)
                print quoted[4] " is after the index"
        }
        BEGIN { need["/gfx950"] = need["/gfx950/src"] = need["/gfx950/key"] = 1 }
        END { print (renamed >= 6 * 3 + 3 ? "all" : renamed " files") }' "$work/calls" > "$work/order"
    if [ "$(cat "$work/order")" = all ]; then ok 'files are synced before they are named, and before the index is'
    else not_ok 'files are synced before they are named, and before the index is' "$(head -n 3 "$work/order")"; fi
else
    skip 'files are synced before they are named, and before the index is' 'strace is not there, or may not'
fi
finish
