#!/bin/sh
# Fuzzes parsers, each for FUZZ_SECONDS from FUZZ_SEED on: fuzz.sh NAME... The programs are built for it: with libFuzzer
# where FUZZ_CC has it, else by CC with driver.c, which does not see what its inputs reach. `fuzz.sh keep NAME...` puts
# what libFuzzer has found since into the corpus: the fewest files that reach the same code, of these the smallest, and
# no more than let it stay below KEEP_BYTES.
set -u
: "${MAKE:=make}" "${CC:=cc}" "${FUZZ_CC:=clang}" "${SANITIZERS:=}"
: "${FUZZ_SECONDS:=60}" "${FUZZ_SEED:=1}" "${KEEP_BYTES:=150000}"
work=out/fuzz
mkdir -p "$work/corpus"
keep=no
[ "${1:-}" != keep ] || { keep=yes && shift; }

has_libfuzzer() {
    printf '%s\n' '#include <stddef.h>' 'int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);' \
        'int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes) { return data && bytes > 9 ? 0 : 0; }' \
        > "$work/probe.c"
    $FUZZ_CC -fsanitize=fuzzer,address,undefined -o "$work/probe" "$work/probe.c" 2> /dev/null &&
        "$work/probe" -runs=1 2> /dev/null
}

# build NAME...: as $programs/fuzz_NAME.
build() {
    kind='the driver without coverage' built=$work/driver
    if has_libfuzzer; then kind=libFuzzer built=$work/libfuzzer; fi
    programs=$built/test/fuzz
    wanted=
    for name in "$@"; do wanted="$wanted $programs/fuzz_$name"; done
    set -- "B=$built" "CFLAGS=-O1 -g $SANITIZERS"
    [ "$kind" != libFuzzer ] || set -- "B=$built" "CC=$FUZZ_CC" "CFLAGS=-O1 -g -fsanitize=fuzzer-no-link $SANITIZERS" \
        FUZZ_DRIVER= FUZZ_LIBS=-fsanitize=fuzzer
    # shellcheck disable=SC2086 # a list
    $MAKE --no-print-directory "$@" $wanted || exit 1
}

# keep_found NAME: into its corpus.
keep_found() {
    kept=$work/kept/$1
    rm -rf "$kept" && mkdir -p "$kept" && cp "$corpus"/* "$kept" || return 1
    "$programs/fuzz_$1" -merge=1 -set_cover_merge=1 -use_counters=0 -use_cmp=0 "$kept" "$found" > "$log" 2>&1 ||
        return 1
    bytes=$(cat "$corpus"/* | wc -c) count=0
    # shellcheck disable=SC2045 # names that libFuzzer gave, and by size
    for file in $(ls -Sr "$kept"); do
        size=$(wc -c < "$kept/$file")
        if [ -f "$corpus/$file" ] || [ $((bytes + size)) -gt "$KEEP_BYTES" ]; then continue; fi
        cp "$kept/$file" "$corpus" || return 1
        bytes=$((bytes + size)) count=$((count + 1))
    done
    echo "$corpus: $count files more, $bytes bytes"
}

build "$@"
failed=0
for name in "$@"; do
    corpus=tests/fuzz/corpus/$name found=$work/corpus/$name log=$work/$name.log
    mkdir -p "$found"
    if [ $keep = yes ]; then
        [ "$kind" = libFuzzer ] || { echo "fuzz.sh: keep needs libFuzzer, which $FUZZ_CC has not" >&2 && exit 1; }
        keep_found "$name" || { tail -n 3 "$log" && failed=1; }
        continue
    fi
    set -- "-max_total_time=$FUZZ_SECONDS" "-seed=$FUZZ_SEED" "-artifact_prefix=$work/$name-"
    [ ! -f "tests/fuzz/dictionary/$name.dict" ] || set -- "$@" "-dict=tests/fuzz/dictionary/$name.dict"
    [ "$kind" != libFuzzer ] || set -- "$@" -max_len=12288 -timeout=20 -use_value_profile=1 -print_final_stats=1
    echo "fuzz $name: $FUZZ_SECONDS s by $kind from seed $FUZZ_SEED, log in $log"
    if "$programs/fuzz_$name" "$@" "$found" "$corpus" > "$log" 2>&1; then
        grep -E 'DONE +cov|stat::number_of_executed_units|inputs' "$log" | tail -n 2
        echo "ok - $name"
    else
        tail -n 40 "$log"
        echo "not ok - $name: again: $programs/fuzz_$name, with the file that is named above"
        failed=1
    fi
done
exit $failed
