#!/bin/sh
# The mxemu command as typed, on a kernel of the project and the golden product. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}"
mxemu=$B/bin/mxemu
golden=tests/golden
kernel=gemm_plain_m16n64_w1x4_s1_f32
object=out/gfx950/$kernel.hsaco

# 5x32x256 in one workgroup. product COMMAND N C-ARGUMENT MORE-OPTIONS...
product() {
    command=$1 n=$2 c=$3
    shift 3
    "$mxemu" "$command" "$object" "$kernel" --grid 1 --block 256,1,1 --arg in:$golden/gemm_a_5x256.bf16 \
        --arg in:$golden/gemm_b_32x256.u8 --arg in:$golden/gemm_bscale_32x8.u8 --arg u64:0 --arg i64:512 --arg i32:5 \
        --arg "i32:$n" --arg u32:256 --arg f32:1 --arg "$c" --arg u64:0 --arg scratch:0 --arg u64:0 --arg i64:128 \
        --arg i64:8 --arg i64:0 --arg u64:0x20 --arg u32:0 "$@"
}
run() {
    product run "$@"
}

# Arguments for a run that does not get to use them.
zeros="--arg u64:0 --arg u64:0 --arg u64:0 --arg u64:0 --arg i64:0 --arg i32:0 --arg i32:0 --arg i32:0 --arg f32:0
    --arg u64:0 --arg u64:0 --arg u64:0 --arg u64:0 --arg i64:0 --arg i64:0 --arg i64:0 --arg i64:0 --arg u32:0"

# misuse NAME TEXT ARGUMENT...: status 2, TEXT in one line.
misuse() {
    name=$1 text=$2
    shift 2
    expect "$name" 2 "$text" "$mxemu" "$@"
    [ "$(wc -l < "$work/said")" -eq 1 ] || not_ok "$name: one line" "$(head -n 3 "$work/said" | tr '\n' ' ')"
}

# ---- what it does --------------------------------------------------------------------------------------------------

expect 'help' 0 'mxemu run FILE.hsaco KERNEL' "$mxemu" --help
expect 'list names the kernel' 0 "$kernel" "$mxemu" list "$object"
expect 'list names an argument' 0 alpha "$mxemu" list "$object"

expect 'run' 0 '' run 32 "out:$work/c:640:0xff" --stats "$work/stats"
same 'the golden product is exact' "$work/c" $golden/gemm_c_5x32.f32
expect 'the statistics count workgroups' 0 '"workgroups": 1,' cat "$work/stats"
expect 'the statistics count waves' 0 '"waves": 4,' cat "$work/stats"
expect 'the statistics have a schema' 0 '"schema": 1,' cat "$work/stats"
# Four waves have 16 columns each, and K of 256 is two steps of 128; C has 5 x 32 x 4 bytes.
expect 'the statistics count products' 0 '"mfma": {"count": 8, "passes": 32,' cat "$work/stats"
expect 'the statistics count bytes' 0 '"store": {"instructions": 8, "bytes": 640,' cat "$work/stats"
count() { # NAME
    sed -n "s/^  \"$1\": \([0-9]*\),\$/\1/p" "$work/stats"
}
# Its K-steps load one after the other, and what it does to C ends in stores.
if [ 2 -le "$(count round_trips_before_store)" ] &&
    [ "$(count round_trips_before_store)" -le "$(count round_trips)" ]; then ok 'the statistics count round trips'
else not_ok 'the statistics count round trips' "$(grep round_trips "$work/stats")"; fi
expect 'the statistics know the kernel' 0 '"occupancy": {"workgroups_per_cu": ' cat "$work/stats"
if grep -q pcs "$work/stats"; then not_ok 'by instruction only on request' "$(grep pcs "$work/stats")"
else ok 'by instruction only on request'; fi

expect 'run with --per-pc' 0 '' run 32 "out:$work/c1:640:0xff" --stats "$work/per-pc" --per-pc --threads 1 --check none
sed -n '/"pcs": \[/q;p' "$work/per-pc" | sed '$s/,$//' > "$work/head"
sed '/^}$/d' "$work/stats" > "$work/head-without"
same 'the same, but for its list' "$work/head" "$work/head-without"
expect 'the list has instructions' 0 '"instruction": "s_endpgm", "class": "branch", "executed": 4}' cat "$work/per-pc"
all=$(sed -n 's/^  "instructions": \([0-9]*\),$/\1/p' "$work/stats")
sum=$(sed -n 's/.*"executed": \([0-9]*\).*/\1/p' "$work/per-pc" | awk '{n += $1} END {print n}')
if [ "$sum" = "$all" ]; then ok 'the list sums to all'; else not_ok 'the list sums to all' "$sum is not $all"; fi
if command -v jq > /dev/null; then
    expect 'the statistics are JSON' 0 true jq '.schema == 1 and (.classes | add) == .instructions' "$work/stats"
    expect 'the list is JSON' 0 true jq '(.pcs | map(.executed) | add) == .instructions' "$work/per-pc"
else
    skip 'the statistics are JSON' 'no jq'
    skip 'the list is JSON' 'no jq'
fi
expect 'run in another order, on one thread' 0 '' run 32 "out:$work/c2:640" --order random:7 --threads 1 --check bounds
same 'order and threads do not matter' "$work/c2" $golden/gemm_c_5x32.f32

# With N of 0 the kernel writes nothing.
head -c 640 "$object" > "$work/before"
expect 'run with N of 0' 0 '' run 0 "inout:$work/before:$work/after" --lds 1024
same 'inout comes back as it was' "$work/before" "$work/after"

# Every removal is noticed or does nothing; the last line adds up.
product mutate 32 "out:$work/c:640:0" > "$work/mutants" 2> "$work/said"
if [ $? -eq 0 ] && grep -q 's_waitcnt .* noticed by wait$' "$work/mutants" && grep -q ' 0 unnoticed' "$work/mutants"; then
    ok 'mutate'
else
    not_ok 'mutate' "$(tail -n 2 "$work/mutants" "$work/said" | tr '\n' ' ')"
fi
expect 'mutate with checks that notice too little' 1 'were not noticed' product mutate 32 "out:$work/c:640:0" \
    --check bounds
expect 'mutate as JSON' 0 '"unnoticed": 0' product mutate 32 "out:$work/c:640:0" --json
expect 'mutate for a device with XNACK' 0 '' product mutate 32 "out:$work/c:640:0" --xnack

# The parts of a predicted time add up to it, up to what six decimals of each leave open.
predict() {
    product time 32 "out:$work/time-c:640" "$@"
}
# adds_up NAME FILE
adds_up() {
    if awk '/"total_us"/ {gsub(/[^0-9.]/, ""); total = $0}
        /"parts"/ {
            gsub(/.*\{|\}.*/, "")
            n = split($0, part, ",")
            for (i = 1; i <= n; i++) {
                sub(/.*:/, "", part[i])
                sum += part[i]
            }
        }
        END {exit !(total > 0 && n == 15 && sum - total < 1e-5 && total - sum < 1e-5)}' "$2"; then
        ok "$1"
    else
        not_ok "$1" "$(grep -E 'total_us|parts' "$2" | tr '\n' ' ')"
    fi
}
total() { # FILE: in nanoseconds
    sed -n 's/^  "total_us": \([0-9]*\)\.\([0-9]\{3\}\).*/\1\2/p' "$1"
}
expect 'time' 0 "$kernel: " predict
expect 'time says where from' 0 ' us, from mall' predict --from mall
expect 'time says what was played' 0 'played: 1 of 1 workgroups' predict
predict --json > "$work/time" 2> "$work/said"
adds_up 'the parts of time add up' "$work/time"
predict --json --from l2 --machine launch_us=1000 > "$work/slow-launch" 2> "$work/said"
adds_up 'the parts of time add up on another machine' "$work/slow-launch"
if [ "$(total "$work/slow-launch")" -gt 1000000 ] && [ "$(total "$work/time")" -lt 1000000 ]; then
    ok 'time counts with --machine'
else
    not_ok 'time counts with --machine' "$(total "$work/slow-launch") ns, $(total "$work/time") ns"
fi
expect 'time says what --machine changed' 0 '"machine": {"launch_us": 1000},' cat "$work/slow-launch"
expect 'time has the main loop' 0 '"mfmas": 8, "mfma_busy": 0.' cat "$work/slow-launch"
expect 'time says what is under way' 0 '"under_way_bytes": 0,' cat "$work/slow-launch" # all of it is in the L2
expect 'time says what --from chose' 0 '"from": "l2",' cat "$work/slow-launch"
predict --json > "$work/time-again" 2> "$work/said"
same 'time is the same every time' "$work/time" "$work/time-again"
if command -v jq > /dev/null; then
    expect 'the predicted time is JSON' 0 true jq '.schema == 1 and .sampling.workgroups == 1' "$work/slow-launch"
else
    skip 'the predicted time is JSON' 'no jq'
fi
if [ -e "$work/time-c" ]; then not_ok 'time writes no file' 'it did'; else ok 'time writes no file'; fi
expect 'machine' 0 launch_us "$mxemu" machine

# ---- what it does not know ------------------------------------------------------------------------------------------

# patched FILE BYTES: the object with other bytes where waves begin, as its arguments are preloaded 256 bytes behind the
# kernel's entry; position of the code in memory and in the file from its symbol and its executable segment.
entry=$((0x$(readelf -sW "$object" | sed -n "s/.*: \([0-9a-f]*\) .* $kernel\$/\1/p" | head -n 1)))
first=$((entry + 256))
# shellcheck disable=SC2046 # two words
set -- $(readelf -lW "$object" | sed -n 's/.*LOAD *\(0x[0-9a-f]*\) \(0x[0-9a-f]*\) .* R E .*/\1 \2/p')
patched() {
    cp "$object" "$1"
    # shellcheck disable=SC2059 # octal escapes
    printf "$2" | dd of="$1" bs=1 seek=$((first - position_in_memory + position_in_file)) conv=notrunc 2> /dev/null
}
position_in_file=$(($1)) position_in_memory=$(($2))
unknown() { # NAME BYTES TEXT
    patched "$work/patched" "$2"
    refused "$1 ends the run" "$3" "$mxemu" run "$work/patched" "$kernel" --grid 1 --block 256 $zeros
}
unknown 'an encoding of none' '\377\377\377\377' 'of no known encoding is not known to the emulator; bytes: ffffffff'
unknown 'an opcode that is free' '\000\376\000\176' 'VOP1 opcode 0x7f is not known to the emulator; bytes: 00fe007e'
unknown 'an opcode of eight bytes' '\000\000\360\322\000\000\000\000' 'VOP3 opcode 0x2f0 is not known to the emulator; bytes: 0000f0d2 00000000'

# ---- what it finds and what it cannot do ---------------------------------------------------------------------------

echo old > "$work/c3"
cp "$work/c3" "$work/old"
refused 'a read past the end of B' bounds run 33 "out:$work/c3:640" --stats "$work/stats3"
same 'a finding leaves files as they were' "$work/c3" "$work/old"
if [ -z "$(find "$work" -name 'stats3*' -o -name '*.tmp')" ]; then ok 'a finding leaves no other file'
else not_ok 'a finding leaves no other file' "$(ls "$work")"; fi
refused 'a write past the end of C' bounds run 32 "out:$work/c3:639"
refused 'an output that cannot be written' /nowhere/c run 32 out:/nowhere/c:640
refused 'no such file' /nowhere "$mxemu" list /nowhere
refused 'not a code object' gemm_c_5x32 "$mxemu" list $golden/gemm_c_5x32.f32
refused 'an empty file' empty "$mxemu" list /dev/null
refused 'no such kernel' 'no kernel nothing' "$mxemu" run "$object" nothing --grid 1 --block 64
refused 'a block that is too large' 1025 "$mxemu" run "$object" "$kernel" --grid 1 --block 1025 $zeros

# ---- what it does not understand -----------------------------------------------------------------------------------

misuse 'no command' 'no command'
misuse 'an unknown command' dance dance
misuse 'time without a problem' '--grid' time "$object" "$kernel"
misuse 'time with --check' 'time has no option --check' time "$object" "$kernel" --grid 1 --block 64 --check none
misuse 'time with --stats' 'time has no option --stats' time "$object" "$kernel" --grid 1 --block 64 --stats "$work/s"
misuse 'time from nonsense' '--from nonsense' time "$object" "$kernel" --grid 1 --block 64 --from nonsense
misuse 'run --from' 'run has no option --from' run "$object" "$kernel" --grid 1 --block 64 --from l2
for row in bogus=1 launch_us launch_us= launch_us=0 launch_us=-1 launch_us=x launch_us=1x launch_us=inf \
    launch_us=nan; do
    misuse "--machine $row" "--machine $row: " time "$object" "$kernel" --grid 1 --block 64 --machine $row
done
misuse 'machine with a word' 'no arguments' machine it
misuse 'mutate without a problem' '--grid' mutate "$object" "$kernel"
misuse 'an option of another command' '--json' run "$object" "$kernel" --grid 1 --block 64 --json
misuse 'list without a file' list list
misuse 'an unknown option' --speed run "$object" "$kernel" --grid 1 --block 64 --speed 9
misuse 'an option without value' --block run "$object" "$kernel" --grid 1 --block
misuse 'no kernel' 'code object and a kernel' run "$object" --grid 1 --block 64
misuse 'a word too many' third run "$object" "$kernel" third --grid 1 --block 64
misuse 'no grid' --grid run "$object" "$kernel" --block 64
misuse 'a grid of 0' 1,0 run "$object" "$kernel" --grid 1,0 --block 64
misuse 'a grid of four' 1,1,1,1 run "$object" "$kernel" --grid 1,1,1,1 --block 64
misuse '--stats without a file' --stats run "$object" "$kernel" --grid 1 --block 64 --stats
misuse '--per-pc without --stats' 'needs --stats' run "$object" "$kernel" --grid 1 --block 64 --per-pc
misuse '--stats of list' list list "$object" --stats "$work/s"
for option in --lds --check --order --threads; do
    misuse "$option x" "$option x" run "$object" "$kernel" --grid 1 --block 64 $option x
done
for spec in u32:-1 u32:4294967296 i32:2147483648 i64:x f32: f32:1e99 i8:1 in: out:f out:f:x out:f:8:256 inout:a \
    inout:a:b:c scratch: scratch:-1 u32; do
    misuse "--arg $spec" "$spec" run "$object" "$kernel" --grid 1 --block 64 --arg $spec
done
misuse 'too few arguments' '1 are given' run "$object" "$kernel" --grid 1 --block 64 --arg u64:0
misuse 'a value of another size' 'has 8' run "$object" "$kernel" --grid 1 --block 64 --arg u32:0
misuse 'a buffer for a value' 'is a value' run "$object" "$kernel" --grid 1 --block 64 --arg u64:0 --arg u64:0 \
    --arg u64:0 --arg u64:0 --arg scratch:8
finish
