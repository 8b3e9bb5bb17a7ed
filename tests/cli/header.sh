#!/bin/sh
# The public header, alone, in every dialect that its users have, by every compiler that is here.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}"
strict='-pedantic -Wall -Wextra -Wshadow -Wconversion -Werror'

# Included twice, and every initialiser used: -Wextra knows one that lacks a field.
{
    printf '#include <mxgemm.h>\n#include <mxgemm.h>\n'
    sed -n 's/^#define MXG_\([A-Z_]*\)_INIT .*/\1/p' loader/mxgemm.h | while read -r name; do
        type=mxg_$(echo "$name" | tr '[:upper:]' '[:lower:]')
        echo "extern $type make_$type(void); $type make_$type(void) { $type made = MXG_${name}_INIT; return made; }"
    done
    echo 'extern mxg_status open_it(mxg_library **library);'
    echo 'mxg_status open_it(mxg_library **library) { return mxg_library_open_gfx950(library); }'
} > "$work/alone.c"
sed 's/(void)/()/g' "$work/alone.c" > "$work/alone.cpp"

# compiles COMPILER SOURCE STANDARD...
compiles() {
    compiler=$1 source=$2
    shift 2
    if ! command -v "${compiler%% *}" > /dev/null; then
        skip "the header by $compiler" 'it is not here'
        return
    fi
    for standard; do
        # shellcheck disable=SC2086 # lists of options
        expect "the header by $compiler as $standard" 0 '' $compiler -std=$standard $strict -I"$B/include" -c \
            -o "$work/alone.o" "$work/$source"
    done
}

compilers="$CC"
for compiler in gcc clang; do [ "$compiler" = "$CC" ] || compilers="$compilers $compiler"; done
for compiler in $compilers; do compiles "$compiler" alone.c c99 c11; done
for compiler in g++ clang++; do compiles "$compiler" alone.cpp c++17; done

# shellcheck disable=SC2086
if $CC -M -I"$B/include" "$work/alone.c" > "$work/included" && grep -q mxgemm.h "$work/included" &&
    ! grep -qiE 'hip|rocm|hsa' "$work/included"; then ok 'it includes nothing of HIP'
else not_ok 'it includes nothing of HIP' "$(grep -iE 'hip|rocm|hsa' "$work/included" | head -n 3)"; fi
finish
