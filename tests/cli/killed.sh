#!/bin/sh
# Builds that do not come to their end: killed, interrupted, out of space, with a compiler that dies. What they leave is
# never taken as done, and nothing of theirs stays.
. tests/cli/lib.sh
. tests/cli/builds.sh

for split in 1 2; do
    for c in bf16 f16 f32; do table_row plain bf16 16 64 1 4 1 1 $split $c; done
done > "$work/table"
build "$work/whole" > /dev/null
hashes "$work/whole" > "$work/wanted"
like_the_whole() { # NAME OUT
    hashes "$2" > "$work/got" 2>&1
    same "$1" "$work/got" "$work/wanted"
}
running() { # the processes of mxgen that work below $1
    for process in /proc/[0-9]*; do
        cat "$process/cmdline" 2> /dev/null | tr '\0' ' ' | grep -qF -- "--out $1 " && echo "${process#/proc/}"
    done
}
milliseconds() {
    echo $(($(date +%s%N) / 1000000))
}

# ---- kill -9 --------------------------------------------------------------------------------------------------------

# start OUT: a build, in a process group of its own, $started.
start() {
    setsid "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$1" -j2 > "$work/log" 2>&1 &
    started=$!
}

before=$(milliseconds)
start "$work/timed"
wait $started
took=$(($(milliseconds) - before))
wrong='' done_before=0
for point in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    out=$work/killed
    rm -rf "$out"
    start "$out"
    sleep "$(awk -v t=$took -v p=$point 'BEGIN {print t * (p + 0.5) / 20 / 1000}')"
    # Where the machine has become faster, the points move with it.
    kill -9 "-$started" 2> /dev/null || { done_before=$((done_before + 1)) took=$((took * 8 / 10)); }
    wait $started 2> /dev/null
    build "$out" > "$work/said" 2>&1 || wrong="$wrong $point: $(head -n 1 "$work/said")"
    hashes "$out" > "$work/got" 2>&1
    cmp -s "$work/got" "$work/wanted" || wrong="$wrong $point: $(diff "$work/got" "$work/wanted" | head -n 2)"
    left=$(find "$out" -name '*tmp*' -o -name '*comgr*')
    [ -z "$left" ] || wrong="$wrong $point: $left"
done
if [ -z "$wrong" ]; then ok 'kill -9 at 20 points of a build, then a build: what a build makes, and nothing more'
else not_ok 'kill -9 at 20 points of a build, then a build: what a build makes, and nothing more' "$wrong"; fi
if [ $done_before -lt 10 ]; then ok 'most of them before its end'
else not_ok 'most of them before its end' "$done_before of 20 were through"; fi

# mxgen alone: what it started ends with it, and does not keep the next one waiting.
start "$work/alone"
while kill -0 $started 2> /dev/null && [ ! -d "$work/alone/gfx950/tmp" ]; do sleep 0.01; done # until it compiles
kill -9 $started
wait $started 2> /dev/null
sleep 0.2
if [ -z "$(running "$work/alone")" ]; then ok 'the processes of a killed mxgen end'
else not_ok 'the processes of a killed mxgen end' "$(running "$work/alone")"; fi
expect 'and the next mxgen does not wait' 0 'compiled' timeout 60 "$mxgen" build --table "$work/table" \
    --templates "$work/templates" --out "$work/alone"
if ! grep -q waiting "$work/said"; then ok 'for nobody'; else not_ok 'for nobody' "$(cat "$work/said")"; fi

# ---- other signals --------------------------------------------------------------------------------------------------

mkfifo "$work/pipe"
for signal in INT:2 TERM:15 HUP:1; do
    number=${signal#*:} signal=${signal%:*}
    rm -rf "$work/stopped" "$work/tmp"
    mkdir "$work/tmp"
    # A shell without job control has what it starts ignore SIGINT; env takes that back.
    TMPDIR="$work/tmp" env --default-signal=INT "$mxgen" build --table "$work/table" --templates "$work/templates" \
        --out "$work/stopped" -j1 > "$work/pipe" 2>&1 &
    started=$!
    exec 9< "$work/pipe"
    read -r line <&9 # the first variant is built
    kill -"$signal" $started
    wait $started 2> /dev/null
    status=$?
    exec 9<&-
    if [ $status -eq $((128 + number)) ]; then ok "SIG$signal ends it as a signal does"
    else not_ok "SIG$signal ends it as a signal does" "status $status"; fi
    no_temporaries 'without temporary files' "$work/stopped"
    if [ -z "$(ls "$work/tmp")" ] && [ -z "$(running "$work/stopped")" ]; then ok 'in TMPDIR either, or processes'
    else not_ok 'in TMPDIR either, or processes' "$(ls "$work/tmp") $(running "$work/stopped")"; fi
    kept=$(find "$work/stopped" -name '*.key' | wc -l)
    build "$work/stopped" > "$work/said" 2>&1
    if grep -q "mxgen: 6 variants, $((6 - kept)) compiled" "$work/said" && [ "$kept" -gt 0 ]; then
        ok 'and the next build goes on where it was'
    else not_ok 'and the next build goes on where it was' "$kept kept, $(tail -n 1 "$work/said")"; fi
    like_the_whole 'to what a build makes' "$work/stopped"
done

# ---- two at once ----------------------------------------------------------------------------------------------------

start "$work/two"
build "$work/two" > "$work/said" 2>&1
status=$?
wait $started
if [ $? -eq 0 ] && [ $status -eq 0 ]; then ok 'two builds at once in one directory'
else not_ok 'two builds at once in one directory' "$(cat "$work/log" "$work/said")"; fi
built=$(cat "$work/log" "$work/said" | grep -c HSACO)
if [ "$built" -eq 6 ]; then ok 'compile each variant once'; else not_ok 'compile each variant once' "$built"; fi
like_the_whole 'and make what one does' "$work/two"

if command -v flock > /dev/null; then
    flock "$work/two" sh -c 'touch "$0" && sleep 3' "$work/locked" &
    until [ -e "$work/locked" ]; do sleep 0.1; done
    expect 'who waits says so' 0 "waiting for another mxgen that works in $work/two" build "$work/two"
    wait $!
else
    skip 'who waits says so' 'there is no flock'
fi

# ---- no room --------------------------------------------------------------------------------------------------------

if mkdir "$work/full" && mount -t tmpfs -o size=80k,mode=700 none "$work/full" 2> /dev/null; then
    expect 'a full file system is told in a sentence' 1 'No space left on device' build "$work/full"
    if [ "$(grep -c ^mxgen: "$work/said")" -eq 1 ]; then ok 'and one alone'
    else not_ok 'and one alone' "$(cat "$work/said")"; fi
    left=$(find "$work/full" -name '*tmp*' -o -name '*.mxpack' -o -name manifest.json)
    if [ -z "$left" ]; then ok 'and leaves neither temporary files nor an index'
    else not_ok 'and leaves neither temporary files nor an index' "$left"; fi
    mount -o remount,size=20m "$work/full"
    expect 'with room again it builds' 0 compiled build "$work/full"
    like_the_whole 'what a build makes' "$work/full"
    umount "$work/full"
else
    skip 'a full file system is told in a sentence' 'no file system can be mounted'
fi

# 4 blocks of 512 bytes: sources have more.
small_files() {
    (ulimit -f 4 && build "$work/small")
}
expect 'a limit of file sizes is told in a sentence' 1 'File too large' small_files
if [ "$(grep -c ^mxgen: "$work/said")" -eq 1 ]; then ok 'and one alone'; else not_ok 'and one alone' \
    "$(cat "$work/said")"; fi
no_temporaries 'and leaves nothing half-written' "$work/small"

: > "$work/file"
refused 'a file in place of the directory' "$work/file" build "$work/file"
if [ "$(id -u)" -ne 0 ]; then
    mkdir -m 555 "$work/readonly"
    refused 'a directory that nobody may write in' "$work/readonly" build "$work/readonly/out"
else
    refused 'a directory that nobody may write in' /proc/mxgen build /proc/mxgen
fi
expect 'a TMPDIR that is none does not matter' 0 'up to date' env TMPDIR=/nowhere "$mxgen" build --table "$work/table" \
    --templates "$work/templates" --out "$work/whole"
rm "$work/whole/gfx950/gemm_plain_m16n64_w1x4_s1_f16.hsaco"
expect 'nor for compiling' 0 '1 compiled' env TMPDIR=/nowhere "$mxgen" build --table "$work/table" \
    --templates "$work/templates" --out "$work/whole"
refused 'but verify needs it' 'cannot make a directory /nowhere/mxgen-verify.' env TMPDIR=/nowhere "$mxgen" verify \
    --table "$work/table" --templates "$work/templates" --out "$work/whole"

# ---- a compiler that dies -------------------------------------------------------------------------------------------

# The compiler's own way to crash, in the sources of those rows that have a second kernel.
echo '#pragma clang __debug crash' >> "$work/templates/reduce.hip.in"
expect 'a compiler that dies fails the rows that it dies of' 1 'mxgen: 3 of 6 variants failed:' build "$work/crashed"
if [ "$(grep -c '^  gemm_plain.*: the compiling process died of signal' "$work/said")" -eq 3 ]; then
    ok 'which are listed with the reason'
else
    not_ok 'which are listed with the reason' "$(tail -n 10 "$work/said")"
fi
if [ "$(find "$work/crashed" -name '*.hsaco' | wc -l)" -eq 3 ]; then ok 'and not the others'
else not_ok 'and not the others' "$(find "$work/crashed" -name '*.hsaco')"; fi
no_temporaries 'and leaves nothing' "$work/crashed"
cp templates/* "$work/templates/"
expect 'a good template then needs these alone' 0 '6 variants, 3 compiled' build "$work/crashed"
like_the_whole 'for what a build makes' "$work/crashed"
finish
