#!/bin/sh
# make install and uninstall, and what others find with pkg-config and CMake.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}"
version=$(awk '/^#define MXG_VERSION_(MAJOR|MINOR|PATCH)/ {v = v d $3; d = "."} END {print v}' loader/mxgemm.h)
case $version in
0.*) abi=${version%.*} ;;
*) abi=${version%%.*} ;;
esac
prefix="$work/it's a prefix & more"
built_for
case $zstd in # what is installed asks for -lzstd, which this machine may have as the build's own archive alone
*/*.a) export LIBRARY_PATH="$(pwd)/${zstd%/*}" ;;
esac

run_make() {
    "${MAKE:-make}" --no-print-directory B="$B" "$@"
}

listed() { # DIRECTORY
    (cd "$1" && find . ! -type d | sed 's|^\./||' | sort)
}

# versions: the commands, the libraries and the header say the same
for command in mxgemm mxgen mxemu; do
    program=$B/bin/$command
    [ $command = mxgen ] && program=out/bin/mxgen
    expect "$command has the header's version" 0 "$command $version" "$program" --version
done
readelf -dW "$B/lib/libmxgemm.so" > "$work/dynamic"
if grep -qF "soname: [libmxgemm.so.$abi]" "$work/dynamic"; then ok 'the SONAME has what the ABI depends on'
else not_ok 'the SONAME has what the ABI depends on' "$(grep SONAME "$work/dynamic")"; fi
expect 'the changelog has this version' 0 '' grep -q "^## \[$version\]" CHANGELOG.md

# ---- a tree, made by someone whose files are private, and again over itself
private() {
    (umask 077 && "$@")
}

expect 'make install' 0 '' private run_make install PREFIX="$prefix"
expect 'make install, once more' 0 '' run_make install PREFIX="$prefix"
{
    echo bin/mxgemm
    echo include/mxgemm.h
    printf 'lib/cmake/mxgemm/mxgemm%s\n' Config.cmake ConfigVersion.cmake
    for library in libmxgemm libmxgemm_gfx950; do
        printf "lib/$library.%s\n" a so "so.$abi" "so.$version"
    done
    printf 'lib/pkgconfig/%s.pc\n' mxgemm mxgemm_gfx950
    printf 'share/doc/mxgemm/%s\n' CHANGELOG.md LICENSE README.md
    for page in loader/*.md loader/examples/*; do echo "share/doc/mxgemm/${page#loader/}"; done
    printf 'share/mxgemm/%s\n' manifest.json mxgemm-gfx950.mxpack report.txt
} | sort > "$work/wanted"
listed "$prefix" > "$work/found"
same 'all is there, and nothing else' "$work/wanted" "$work/found"
find "$prefix" \( -type f ! -perm -444 \) -o \( -type d ! -perm -555 \) > "$work/said"
if [ ! -s "$work/said" ]; then ok 'everybody can read it'
else not_ok 'everybody can read it' "$(head -n 1 "$work/said")"; fi
if [ -z "$(find "$prefix" -type l ! -exec test -e {} \; -print)" ]; then ok 'links lead somewhere'
else not_ok 'links lead somewhere' "$(find "$prefix" -type l ! -exec test -e {} \; -print | head -n 1)"; fi
same 'the pack is the one that was built' out/mxgemm-gfx950.mxpack "$prefix/share/mxgemm/mxgemm-gfx950.mxpack"
expect 'the installed command works' 0 "mxgemm $version" "$prefix/bin/mxgemm" --version

cat > "$work/open.c" << 'SOURCE'
#include <mxgemm.h>
#include <stdio.h>
int main(void)
{
    mxg_library *library;
    if (mxg_library_open_gfx950(&library)) return 1;
    printf("mxgemm %s, %s\n", mxg_version(), mxg_library_arch(library));
    mxg_library_close(library);
    return 0;
}
SOURCE
says="mxgemm $version, gfx950"

# ---- pkg-config, which quotes for the shell
link_with() { # OPTIONS
    eval "$CC $sanitized -Werror -o '$work/open' '$work/open.c' $1"
}

if command -v pkg-config > /dev/null; then
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    expect 'pkg-config knows the version' 0 "$version" pkg-config --modversion mxgemm
    expect 'pkg-config knows the pack' 0 '' cmp out/mxgemm-gfx950.mxpack \
        "$(eval printf %s "$(pkg-config --variable=pack mxgemm)")"
    expect 'a program links by pkg-config' 0 '' link_with "$(pkg-config --cflags --libs mxgemm_gfx950)"
    expect 'it runs' 0 "$says" env LD_LIBRARY_PATH="$prefix/lib" "$work/open"
    expect 'a program links by pkg-config, statically' 0 '' link_with "$(pkg-config --cflags --libs --static \
        mxgemm_gfx950 | sed 's/-lmxgemm[^ ]*/-Wl,-Bstatic & -Wl,-Bdynamic/g')"
    expect 'it runs by itself' 0 "$says" "$work/open"
else
    skip 'pkg-config' 'it is not here'
fi

# ---- CMake, in a tree for a package, with a library directory of its own, which then is moved
stage="$work/stage"
expect 'make install with DESTDIR and LIBDIR' 0 '' run_make install DESTDIR="$stage" PREFIX=/opt//mx/ LIBDIR=/opt/lib/x/
if grep -rlIF "$stage" "$stage" > "$work/said"; then not_ok 'no file names DESTDIR' "$(head -n 1 "$work/said")"
else ok 'no file names DESTDIR'; fi
expect 'the .pc file has the prefix' 0 '' grep -qx 'prefix=/opt/mx' "$stage/opt/lib/x/pkgconfig/mxgemm.pc"
expect 'the .pc file has LIBDIR' 0 '' grep -qx 'libdir=/opt/lib/x' "$stage/opt/lib/x/pkgconfig/mxgemm.pc"

cmake_project() { # VERSION: configures a project that wants it
    rm -rf "$work/project"
    mkdir "$work/project"
    cp "$work/open.c" "$work/project"
    cat > "$work/project/CMakeLists.txt" << LISTS
cmake_minimum_required(VERSION 3.13)
project(open C)
find_package(mxgemm $1 REQUIRED CONFIG)
add_executable(shared open.c)
target_link_libraries(shared mxgemm::gfx950)
add_executable(static open.c)
target_link_libraries(static mxgemm::gfx950_static)
add_executable(both open.c)
target_link_libraries(both mxgemm::mxgemm mxgemm::gfx950)
if(NOT TARGET mxgemm::mxgemm_static OR NOT EXISTS "\${mxgemm_PACK}")
  message(FATAL_ERROR "no static library or no pack")
endif()
LISTS
    cmake -S "$work/project" -B "$work/project/build" -Dmxgemm_DIR="$moved/lib/x/cmake/mxgemm" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$sanitized"
}

if command -v cmake > /dev/null; then
    moved="$work/moved somewhere"
    mv "$stage/opt" "$moved"
    minor=${version%.*}
    expect 'CMake refuses a newer version' 1 "requested version \"$minor.99\"" cmake_project "$minor.99"
    expect 'CMake refuses another ABI' 1 'requested version "0.1"' cmake_project 0.1
    expect 'CMake finds this version' 0 '' cmake_project "$minor"
    expect 'CMake builds' 0 '' cmake --build "$work/project/build"
    for program in shared static both; do
        expect "the program of CMake runs, $program" 0 "$says" "$work/project/build/$program"
    done
else
    skip 'CMake' 'it is not here'
fi

# ---- and away again
expect 'make uninstall' 0 '' run_make uninstall PREFIX="$prefix"
if [ -z "$(listed "$prefix")" ] && [ ! -e "$prefix/share/mxgemm" ]; then ok 'nothing is left'
else not_ok 'nothing is left' "$(listed "$prefix" | head -n 3)"; fi
expect 'a prefix that is not absolute is refused' 2 'must be absolute, not "here"' run_make install PREFIX=here
finish
