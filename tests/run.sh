#!/bin/sh
# Runs the tests of a tier (check, check-sanitized, test, test-all, test-gpu, check-threads) and adds up their counts.
# The Makefile calls it with UNIT and ISA (names of test programs), B (where they are), RUN_COMGR (how to start a program
# linked to comgr) and HIP_LIBRARY (a real HIP runtime).
# Each program prints TAP lines and ends with "N passed, N failed"; their output is kept in $B/test/log.
set -u
tier=${1:?usage: run.sh check|check-sanitized|test|test-all|test-gpu|check-threads}
: "${UNIT:=}" "${ISA:=}" "${B:=out}" "${RUN_COMGR:=}" "${HIP_LIBRARY:=}" "${CC:=cc}"
export B RUN_COMGR HIP_LIBRARY CC
log=$B/test/log
mkdir -p "$log"
emulated=$B/lib/emu/libamdhip64.so
jobs=$(nproc)
passed=0 failed=0 skipped=0

# run NAME COMMAND...: one test program.
run() {
    name=$1
    shift
    start=$(date +%s)
    "$@" > "$log/$name" 2>&1
    count $? "$name" "$start"
}

# aside NAME COMMAND...: the same, while others run. One at a time, until join.
aside() {
    aside_name=$1
    shift
    aside_start=$(date +%s)
    "$@" > "$log/$aside_name" 2>&1 &
    aside=$!
    trap 'kill $aside' EXIT
    trap 'exit 1' INT TERM HUP
}

join() {
    wait $aside
    count $? "$aside_name" "$aside_start"
    trap - EXIT
}

# count STATUS NAME START: what a test program has in its log. Without a count at its end it has failed.
count() {
    status=$1 name=$2
    counts=$(sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*/\1 \2/p' "$log/$name" | tail -n 1)
    p=${counts% *} f=${counts#* } s=$(grep -c '^ok.*# skip' "$log/$name")
    if [ -z "$counts" ]; then
        p=0 f=1
        echo "not ok - $name ended with status $status and no count" >> "$log/$name"
    elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
        echo "not ok - $name ended with status $status" >> "$log/$name"
    fi
    printf '  %-24s %5d passed %3d failed %3d skipped  %4d s\n' "$name" "$p" "$f" "$s" $(($(date +%s) - $3))
    if [ "$f" -ne 0 ]; then
        grep -B 6 '^not ok' "$log/$name" | tail -n 40
        tail -n 5 "$log/$name"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# What takes seconds by itself is left to test, and what takes most of a minute.
left_out() {
    case $tier:$1 in
    check:test_convert | check:test_convert_weights | check:test_effects_rows | check:test_handoff) ;;
    check:test_time_memory | check:examples | check*:test_mutate | check*:test_loader_emulated_cycles) ;;
    *) false ;;
    esac
}

quick() {
    for name in $UNIT; do
        left_out "$name" || run "$name" "$B/test/unit/$name"
    done
    for name in $ISA; do
        case $name in
        test_decode) run "$name" sh -c '$RUN_COMGR "$B/test/isa/test_decode" out/gfx950/*.hsaco' ;;
        *) left_out "$name" || run "$name" sh -c '$RUN_COMGR "$0"' "$B/test/isa/$name" ;;
        esac
    done
    run command sh tests/cli/command.sh
    run bench sh tests/cli/bench.sh
    run choose sh tests/cli/choose.sh
    run table sh tests/cli/table.sh
    run convert sh tests/cli/convert.sh "$tier"
    run pack sh tests/cli/pack.sh
    run mxemu sh tests/cli/mxemu.sh
    run tune sh tests/cli/tune.sh
    run problems sh tests/cli/problems.sh
    run calibrate sh tests/cli/calibrate.sh
    run header sh tests/cli/header.sh
    run elf sh tests/cli/elf.sh
    run install sh tests/cli/install.sh
    left_out examples || run examples sh tests/cli/examples.sh
    run hip_host sh tests/cli/hip_host.sh
}

# Every input that is kept, through its parser.
replay_corpora() {
    for corpus in tests/fuzz/corpus/*; do
        run "corpus-${corpus##*/}" "$B/test/fuzz/fuzz_${corpus##*/}" "$corpus"
    done
}

# Has a race reported. The sanitizer of some compilers cannot run where addresses are chosen at random; it may without.
finds_race() {
    "$@" "$B/test/race" 2>&1 | grep 'WARNING: ThreadSanitizer: data race'
}

threads() {
    fixed=
    if ! finds_race > "$log/race" && fixed="setarch $(uname -m) -R" && ! finds_race $fixed > "$log/race"; then
        why="ThreadSanitizer of $CC does not work here: it reports no race in $B/test/race, nor by $fixed"
        [ "${THREADS_MAY_SKIP:-}" = yes ] && echo "ok 1 - threads # skip $why" && echo '0 passed, 0 failed' && exit 0
        echo "$why" >&2
        exit 1
    fi
    for name in $UNIT; do
        run "$name" $fixed "$B/test/unit/$name"
    done
    [ -z "${EXAMPLES:-}" ] || run examples $fixed sh tests/cli/examples.sh
}

case $tier in
check | check-sanitized)
    aside gemm "$B/test/gemm" --hip "$emulated" --jobs "$jobs" --quick
    quick
    replay_corpora
    run fuzz "$B/test/fuzz/corrupt_object" --cases 2000
    join
    ;;
test | test-all)
    long=
    [ "$tier" = test ] || long=--long
    aside gemm "$B/test/gemm" --hip "$emulated" --jobs "$jobs" $long
    quick
    replay_corpora
    run threads env THREADS_MAY_SKIP=yes "${MAKE:-make}" --no-print-directory check-threads-loader
    run toolchain sh tests/cli/toolchain.sh
    run compilers sh tests/cli/compilers.sh
    run library sh tests/cli/library.sh
    run generator sh tests/cli/generator.sh
    run report sh tests/cli/report.sh
    run page sh tests/cli/page.sh
    run repeat sh tests/cli/repeat.sh
    run killed sh tests/cli/killed.sh
    run shard sh tests/cli/shard.sh
    run zstd sh tests/cli/zstd.sh
    join
    # Once more as they may run elsewhere: in another order, on threads, and on a device with XNACK, which has hazards.
    run gemm-elsewhere env MXEMU_ORDER=random:1 MXEMU_THREADS=5 MXEMU_ARCH=gfx950:sramecc+:xnack+ \
        "$B/test/gemm" --hip "$emulated" --jobs "$jobs" --quick
    run fuzz "$B/test/fuzz/corrupt_object" --cases 10000
    [ "$tier" = test ] || run sanitize "${MAKE:-make}" --no-print-directory sanitize
    [ "$tier" = test ] || run sanitize-threads "${MAKE:-make}" --no-print-directory sanitize-threads
    ;;
check-threads)
    threads
    ;;
test-gpu)
    # Through the real HIP runtime. One unpacked beside the private compiler needs that one's C library.
    start=
    case $HIP_LIBRARY in
    out/toolchain/*) start=$RUN_COMGR ;;
    esac
    run gemm-gpu sh -c '$0 "$B/test/gemm" ${HIP_LIBRARY:+--hip "$HIP_LIBRARY"}' "$start"
    ;;
*)
    echo "run.sh: \"$tier\" is not a tier" >&2
    exit 2
    ;;
esac

printf '%d passed, %d failed' "$passed" "$failed"
[ "$skipped" -gt 0 ] && printf ', %d skipped' "$skipped"
echo
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
