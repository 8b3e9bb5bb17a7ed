#!/bin/sh
# gen/toolchain.sh: what it chooses, that it fetches once, and how it fails. Works on a copy with its own out/.
. tests/cli/lib.sh
mkdir -p "$work/a b/gen" "$work/a b/out"
cp gen/toolchain.sh "$work/a b/gen/"
script=$(pwd)/gen/toolchain.sh
nowhere=http://127.0.0.1:9/
unset MXG_TOOLCHAIN MXG_SUITE MXG_MIRROR ROCM_PATH

in_copy() { # COMMAND..., in the copy
    (cd "$work/a b" && "$@")
}

left_behind() { # what of an unpacked or half unpacked compiler is in the copy
    find "$work/a b/out" -mindepth 1 ! -name toolchain
}

refused 'a toolchain kind that is none' gpl in_copy env MXG_TOOLCHAIN=gpl sh "$script"
refused 'a suite whose name is none' 'a/b' in_copy env MXG_TOOLCHAIN=private MXG_SUITE=a/b sh "$script"
refused 'ROCm where there is none' /no/rocm in_copy env MXG_TOOLCHAIN=rocm ROCM_PATH=/no/rocm sh "$script"
refused 'no C compiler' no-such-cc in_copy env CC=no-such-cc sh "$script"

# With everything that the script calls but apt-get.
mkdir "$work/bin"
for tool in sh cat cc gcc ld as env mkdir rm ls sed grep head dirname dpkg mv kill; do
    found=$(command -v $tool) && ln -s "$found" "$work/bin/$tool"
done
refused 'no apt-get' apt-get in_copy env PATH="$work/bin" MXG_TOOLCHAIN=private sh "$script"

expect 'a mirror that does not answer is named' 1 "$nowhere" in_copy env MXG_TOOLCHAIN=private MXG_MIRROR=$nowhere \
    sh "$script"
left=$(left_behind)
if [ -z "$left" ]; then ok 'failures leave nothing behind'; else not_ok 'failures leave nothing behind' "$left"; fi

# With an apt-get that says what it was to read and fails.
mkdir "$work/apt"
cat > "$work/apt/apt-get" <<'EOT'
#!/bin/sh
[ "$1" = -c ] && cat "$(sed -n 's/^Dir::Etc::sourcelist "\(.*\)";/\1/p' "$2")" "$2" > "$READ"
exit 100
EOT
chmod +x "$work/apt/apt-get"

asked() { # SUITE: leaves in $work/read what apt was to read for it
    in_copy env PATH="$work/apt:$PATH" READ="$work/read" MXG_TOOLCHAIN=private MXG_SUITE="$1" MXG_MIRROR=$nowhere \
        sh "$script"
}

# Of a suite, by a file of sources: its stanza's Check-Valid-Until, or "yes", and twice if it is there twice.
checked() {
    awk -v suite="$1" '/^Suites:/ {its = $2 == suite; found += its; value = "yes"}
        its && /^Check-Valid-Until:/ {value = $2}
        its && /^$/ {print value; its = 0}' "$work/read"
}

expect 'apt is asked for the suite' 1 'cannot read the index of suite forky' asked forky
expect 'the Release file of a suite has to be of its time' 0 yes checked forky
expect 'apt is asked for another suite' 1 'cannot read the index of suite experimental' asked experimental
expect 'that of experimental, which is not signed anew, may be older' 0 no checked experimental
expect 'that of unstable, which it adds to, may not' 0 yes checked unstable
expect 'and apt is told so in no other place' 0 1 grep -c -i valid "$work/read"

# The one that `make gen` took is there: choosing it again must fetch nothing, so a dead mirror cannot hurt.
suite=$(sed -n 's|^RUN_COMGR := out/toolchain/\([^/]*\)/.*|\1|p' out/toolchain.mk)
if [ -n "$suite" ]; then
    rm -rf "$work/a b/out/toolchain"
    ln -s "$(pwd)/out/toolchain" "$work/a b/out/toolchain"
    expect 'a second run fetches nothing' 0 'toolchain: private, comgr' in_copy env MXG_TOOLCHAIN=private \
        MXG_SUITE="$suite" MXG_MIRROR=$nowhere sh "$script"
    if [ "$(wc -l < "$work/said")" -eq 1 ]; then ok 'the choice is one line'
    else not_ok 'the choice is one line' "$(cat "$work/said")"; fi
else
    skip 'a second run fetches nothing' 'the compiler is not a private one'
fi
finish
