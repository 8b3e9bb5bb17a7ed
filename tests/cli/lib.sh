# For the test scripts here: counts, expectations, a directory that goes away. Sourced, from the top of the project.
set -u
# Of the make that runs the tests: its jobserver's tokens are not theirs to take, nor to be killed with.
unset MAKEFLAGS MFLAGS MAKELEVEL
passed=0 failed=0 skipped=0
work=$(mktemp -d "${TMPDIR:-/tmp}/mxgemm-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

ok() {
    passed=$((passed + 1))
    echo "ok $((passed + failed + skipped)) - $1"
}

not_ok() { # NAME WHY
    failed=$((failed + 1))
    echo "# $2"
    echo "not ok $((passed + failed + skipped)) - $1"
}

skip() { # NAME WHY
    skipped=$((skipped + 1))
    echo "ok $((passed + failed + skipped)) - $1 # skip $2"
}

# expect NAME STATUS TEXT COMMAND...: the command ends with the status and says TEXT (a part of its output; "" for
# anything). What it said is in $work/said.
expect() {
    name=$1 wanted=$2 text=$3
    shift 3
    "$@" > "$work/said" 2>&1
    status=$?
    if [ $status -ne "$wanted" ]; then
        not_ok "$name" "status $status, not $wanted: $(head -n 3 "$work/said" | tr '\n' ' ')"
    elif [ -n "$text" ] && ! grep -qF -- "$text" "$work/said"; then
        not_ok "$name" "no \"$text\" in: $(head -n 3 "$work/said" | tr '\n' ' ')"
    else
        ok "$name"
    fi
}

# refused NAME TEXT COMMAND...: status 1, and one sentence on stderr that has TEXT; nothing on stdout.
refused() {
    name=$1 text=$2
    shift 2
    "$@" > "$work/stdout" 2> "$work/said"
    status=$?
    if [ $status -ne 1 ]; then
        not_ok "$name" "status $status, not 1: $(head -n 3 "$work/said" | tr '\n' ' ')"
    elif [ "$(wc -l < "$work/said")" -ne 1 ] || [ -s "$work/stdout" ]; then
        not_ok "$name" "not one line on stderr: $(head -n 5 "$work/said" | tr '\n' ' ')"
    elif ! grep -qF -- "$text" "$work/said"; then
        not_ok "$name" "no \"$text\" in: $(cat "$work/said")"
    else
        ok "$name"
    fi
}

same() { # NAME FILE FILE
    if cmp "$2" "$3" > "$work/said" 2>&1; then ok "$1"; else not_ok "$1" "$(head -n 1 "$work/said")"; fi
}

# table_row TEMPLATE A TILE_M TILE_N WAVES_M WAVES_N WAVES_K DEPTH SPLIT C [VGPRS LDS WAVES CODE]: a row of a table of
# variants, in a line. Its budget, if not given, is one that every object keeps.
table_row() (
    if [ $# -eq 10 ]; then set -- "$@" 512 163840 1 99999; fi
    printf 'row'
    for column in template a tile_m tile_n waves_m waves_n waves_k depth split c vgprs lds waves code; do
        printf '  %s = %s' "$column" "$1"
        shift
    done
    echo
)

# built_for: $sanitized, the sanitizer that $B/lib/libmxgemm.a was compiled for, and $zstd, the library that it may
# need, as the build has it: by name, or an archive
built_for() {
    nm "$B/lib/libmxgemm.a" > "$work/names" 2> /dev/null
    sanitized='' zstd=''
    grep -q __asan "$work/names" && sanitized='-fsanitize=address,undefined'
    grep -q __tsan "$work/names" && sanitized='-fsanitize=thread'
    grep -q 'U ZSTD_' "$work/names" && zstd=$(sed -n 's/^ZSTD_LIBS := //p' out/zstd.mk)
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
