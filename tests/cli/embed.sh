#!/bin/sh
# What an application does with the libraries: the README's example, the example program, symbols and sections.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}"
libs="$B/lib/libmxgemm.a $B/lib/libmxgemm_gfx950.a -ldl -lpthread -lm"
strict='-std=c99 -pedantic -Wall -Wextra -Werror'
sanitized=
nm "$B/lib/libmxgemm.a" 2> /dev/null | grep -q __asan && sanitized='-fsanitize=address,undefined'

# shellcheck disable=SC2086 # lists of options throughout
{
sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' > "$work/multiply.c"
expect "the README's example compiles" 0 '' $CC $strict -I"$B/include" -c -o "$work/multiply.o" "$work/multiply.c"
echo 'int multiply(); int main(void) { return 0 * (multiply != 0); }' > "$work/main.c"
expect "the README's example links" 0 '' $CC $sanitized -o "$work/multiply" "$work/main.c" "$work/multiply.o" $libs

expect 'the example program compiles' 0 '' $CC $sanitized $strict -I"$B/include" -o "$work/embed" \
    loader/examples/embed.c $libs
expect 'the example program runs' 0 '' env MXG_HIP="$B/lib/emu/libamdhip64.so" "$work/embed"

echo '#include <mxgemm.h>' > "$work/alone.c"
expect 'the header alone is C99' 0 '' $CC $strict -I"$B/include" -fsyntax-only "$work/alone.c"
if command -v c++ > /dev/null; then
    expect 'the header alone is C++17' 0 '' c++ -std=c++17 -pedantic -Wall -Wextra -Werror -I"$B/include" \
        -fsyntax-only -x c++ "$work/alone.c"
else
    skip 'the header alone is C++17' 'there is no C++ compiler'
fi
}

readelf -dW "$B/lib/libmxgemm.so" > "$work/dynamic" 2>&1
if grep -qE 'NEEDED.*(amd|hip|LLVM|stdc)' "$work/dynamic"; then not_ok 'the library needs libc alone' "$(grep NEEDED "$work/dynamic")"
else ok 'the library needs libc alone'; fi
readelf -lW "$B/lib/libmxgemm.so" > "$work/segments" 2>&1
if grep -q 'GNU_STACK.* RW ' "$work/segments"; then ok 'no executable stack'
else not_ok 'no executable stack' "$(grep STACK "$work/segments")"; fi
finish
