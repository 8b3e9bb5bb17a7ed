# For the tests of mxgen's builds. Sourced after lib.sh.
mxgen=out/bin/mxgen
: "${RUN_COMGR:=$(sed -n 's/^RUN_COMGR := //p' out/toolchain.mk)}" # how mxgen starts; empty if by itself
cp -R templates "$work/templates"

# build OUT MORE-OPTIONS...: the table $work/table with the templates of $work/templates
build() {
    out=$1
    shift
    "$mxgen" build --table "$work/table" --templates "$work/templates" --out "$out" "$@"
}

# builds WHAT NAMES COMMAND...: the command is done, and compiles just the variants of these names, in any order.
builds() {
    name="builds $1" wanted=$(printf '%s\n' $2 | sort)
    shift 2
    "$@" > "$work/said" 2>&1
    status=$?
    built=$(sed -n 's/^  HSACO  *\([^ ]*\) .*/\1/p' "$work/said" | sort)
    if [ $status -ne 0 ]; then not_ok "$name" "status $status: $(head -n 3 "$work/said" | tr '\n' ' ')"
    elif [ "$built" != "$wanted" ]; then not_ok "$name" "built: $(echo $built)"
    else ok "$name"; fi
}

# hashes OUT: of all that a build leaves below a directory
hashes() {
    (cd "$1" && sha256sum gfx950/*.hsaco gfx950/src/* gfx950/key/*.key gfx950/manifest.json gfx950/report.txt \
        mxgemm-gfx950.mxpack)
}

# no_temporaries NAME OUT: nothing that is only there during a build
no_temporaries() {
    left=$(find "$2" -name '*tmp*' -o -name '*comgr*')
    if [ -z "$left" ]; then ok "$1"; else not_ok "$1" "$left"; fi
}
