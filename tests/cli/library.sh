#!/bin/sh
# gen/library.sh: what it chooses, that it fetches once, and how it fails. Works on a copy with its own out/.
. tests/cli/lib.sh
mkdir -p "$work/a b/out"
script=$(pwd)/gen/library.sh
nowhere=http://127.0.0.1:9/
unset MXG_LIBRARIES MXG_MIRROR

in_copy() { # COMMAND..., in the copy
    (cd "$work/a b" && "$@")
}

refused 'a library that is not needed' '"gpl"' in_copy sh "$script" gpl
refused 'a place that is none' '"gpl"' in_copy env MXG_LIBRARIES=gpl sh "$script" jansson
refused 'no C compiler' no-such-cc in_copy env CC=no-such-cc sh "$script" jansson

# The machine has the library if a program without further directories can be linked with it.
echo 'int main(void) { return 0; }' > "$work/main.c"
if echo '#include <jansson.h>' | "${CC:-cc}" -E -x c - > /dev/null 2>&1 &&
    "${CC:-cc}" -o "$work/main" "$work/main.c" -ljansson 2> /dev/null; then
    expect "the system's library" 0 "jansson: system (the system's -l" in_copy env MXG_MIRROR=$nowhere sh "$script" jansson
else
    refused "no library of the system's" 'install libjansson-dev' in_copy env MXG_LIBRARIES=system sh "$script" jansson
fi

# With everything that the script calls but apt-get.
mkdir "$work/bin"
for tool in sh cat cc gcc ld as env mkdir rm ls sed grep head find tr dirname dpkg mv kill; do
    found=$(command -v $tool) && ln -s "$found" "$work/bin/$tool"
done
if grep -q '^ID=debian' /etc/os-release 2> /dev/null; then
    refused 'no apt-get' 'fetching one needs apt-get, which is missing; install libjansson-dev' \
        in_copy env PATH="$work/bin" MXG_LIBRARIES=private sh "$script" jansson
    expect 'a mirror that does not answer is named' 1 "$nowhere" in_copy env MXG_LIBRARIES=private MXG_MIRROR=$nowhere \
        sh "$script" jansson
fi
left=$(find "$work/a b/out" -mindepth 1 ! -name packages)
if [ -z "$left" ]; then ok 'failures leave nothing behind'; else not_ok 'failures leave nothing behind' "$left"; fi

# The one that `make gen` took is there: choosing it again must fetch nothing, so a dead mirror cannot hurt.
if grep -q ' out/packages/' out/jansson.mk; then
    rm -rf "$work/a b/out/packages"
    cp -R out/packages "$work/a b/out/"
    expect 'a second run fetches nothing' 0 'jansson: private (libjansson-dev ' in_copy env MXG_MIRROR=$nowhere \
        sh "$script" jansson
    if [ "$(wc -l < "$work/said")" -eq 1 ]; then ok 'the choice is one line'
    else not_ok 'the choice is one line' "$(cat "$work/said")"; fi
    same 'the same is written' out/jansson.mk "$work/a b/out/jansson.mk"
else
    skip 'a second run fetches nothing' 'the library is not a private one'
fi
if readelf -dW "${B:-out}/bin/mxgemm" 2> "$work/said" | grep -q 'NEEDED.*jansson' && grep -q '\.a$' out/jansson.mk; then
    not_ok 'mxgemm has the library in it' 'it needs it at run time'
else
    ok 'mxgemm has the library in it'
fi
finish
