#!/bin/sh
# What is in the linked files, as readelf and nm see it, and that the kernels come out of them as they went in.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}"
pack=out/mxgemm-gfx950.mxpack

built_for
for tool in readelf nm strip; do
    command -v $tool > /dev/null && continue
    skip 'linked files' "there is no $tool; it is in the package binutils"
    finish
done
if [ -n "$sanitized" ]; then
    skip 'linked files' 'files for a sanitizer are not what is installed'
    finish
fi

is() { # NAME WANTED FOUND
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "\"$3\", not \"$2\""; fi
}

below() { # NAME LIMIT FOUND
    if [ "$3" -lt "$2" ]; then ok "$1"; else not_ok "$1" "$3, not below $2"; fi
}

# hardened FILE: no stack, heap or code that is writable and executable; relocations only in data, read-only later.
hardened() {
    file=${1#"$work/"}
    readelf -lW "$1" > "$work/segments"
    is "$file: the stack is RW" RW "$(awk '$1 == "GNU_STACK" {print $7}' "$work/segments")"
    is "$file: no segment is writable and executable" '' "$(grep 'LOAD.* RWE ' "$work/segments")"
    is "$file: no text relocations" '' "$(readelf -dW "$1" | grep TEXTREL)"
    is "$file: relocated data become read-only" 1 "$(grep -c GNU_RELRO "$work/segments")"
}

# symbol FILE NAME: its address and size, decimal
symbol() {
    readelf -sW "$1" | awk -v name="$2" '$8 == name && $7 != "UND" {print $2, $3; exit}' | {
        read -r address size && case $size in
        0x*) echo "$((0x$address)) $((size))" ;;
        *) echo "$((0x$address)) $size" ;;
        esac
    }
}

# holds_pack FILE: whole, on a page boundary, in one segment
holds_pack() {
    file=${1#"$work/"}
    found=$(symbol "$1" mxg_pack_gfx950)
    address=${found% *} size=${found#* }
    is "$file: the pack's symbol has the size of its file" "$(($(wc -c < $pack)))" "$size"
    is "$file: the pack lies at a multiple of 4096" 0 "$((${address:-1} % 4096))"
    readelf -lW "$1" | awk '$1 == "LOAD" {print $3, $5}' > "$work/loads"
    segments=0
    while read -r start bytes; do
        [ $((start)) -le "$address" ] && [ $((address + size)) -le $((start + bytes)) ] && segments=$((segments + 1))
    done < "$work/loads"
    is "$file: the pack lies in one segment" 1 $segments
}

needed() {
    readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' '
}

# ---- what make gen leaves
for file in "$B"/lib/*.so "$B"/lib/emu/*.so "$B/bin/mxgemm" "$B/bin/mxemu" out/libexec/mxgen; do hardened "$file"; done
holds_pack "$B/bin/mxgemm"
holds_pack "$B/lib/libmxgemm_gfx950.so"

shared_zstd=
[ "$zstd" != -lzstd ] || shared_zstd='libzstd.so.1 '
is 'libmxgemm.so needs libc alone' "libc.so.6 $shared_zstd" "$(needed "$B/lib/libmxgemm.so")"
is 'libmxgemm_gfx950.so needs nothing' '' "$(needed "$B/lib/libmxgemm_gfx950.so")"
case $zstd in
*.a) skip 'libmxgemm.so is below 120 KB' "it has $zstd in it" ;;
*)
    strip -o "$work/stripped.so" "$B/lib/libmxgemm.so"
    below 'libmxgemm.so is below 120 KB' 120000 "$(($(wc -c < "$work/stripped.so")))"
    ;;
esac
below 'the pack is below 3 MB' 3000000 "$(($(wc -c < $pack)))"

sed -n 's/^MXG_API.*[ *]\(mxg_[a-z0-9_]*\)(.*/\1/p' loader/mxgemm.h | sort > "$work/declared"
nm -D --defined-only "$B/lib/libmxgemm.so" | awk '{print $3}' | sort > "$work/exported"
is 'libmxgemm.so exports what the header declares' '' "$(comm -3 "$work/declared" "$work/exported" | tr -d '\t')"
for library in "$B/lib/libmxgemm.a" "$B/lib/libmxgemm_gfx950.a"; do
    is "$library: all names begin with mxg_" '' \
        "$(nm -g --defined-only "$library" | awk 'NF == 3 && $3 !~ /^mxg_/ {print $3}')"
done

# ---- programs and plugins that link it, with all the linker could complain about
cat > "$work/kernels.c" << 'SOURCE'
/* Prints how many kernels of the embedded pack are the files that they were made from, or what is wrong. */
#include <mxgemm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int count_kernels(void);

static int wrong(const char *name, const char *what)
{
    printf("%s %s\n", name, what);
    exit(1);
}

static void compare(const char *path, const unsigned char *data, uint64_t bytes)
{
    FILE *file = fopen(path, "rb");
    unsigned char *read = malloc(bytes + 1);
    if (!file || !read) wrong(path, "cannot be read");
    if (fread(read, 1, bytes + 1, file) != bytes || memcmp(read, data, bytes) != 0) wrong(path, "has other bytes");
    free(read);
    fclose(file);
}

int count_kernels(void)
{
    mxg_library *library;
    int same = 0;
    if (mxg_library_open_gfx950(&library)) wrong("mxg_library_open_gfx950", mxg_last_error());
    compare("out/mxgemm-gfx950.mxpack", mxg_pack_gfx950_start, mxg_pack_gfx950_bytes);
    for (uint32_t i = 0; i < mxg_library_variant_count(library); i++, same++) {
        mxg_variant_info info;
        char path[512];
        info.struct_bytes = sizeof info;
        if (mxg_library_variant(library, i, &info)) wrong("mxg_library_variant", mxg_last_error());
        const unsigned char *code = info.code_object;
        if (!code && COMPRESSED) continue; /* pack.sh compares what is extracted */
        if (!code) wrong(info.name, "has no code object");
        snprintf(path, sizeof path, "out/gfx950/%s.hsaco", info.name);
        if ((uintptr_t)code % 4096 != 0) wrong(path, "is not at a multiple of 4096");
        compare(path, code, info.code_object_bytes);
        /* An ELF of 64 bits for EM_AMDGPU and gfx950 (e_flags), not a bundle and not compressed. */
        if (info.code_object_bytes < 64 || memcmp(code, "\177ELF\2", 5) != 0) wrong(path, "is no ELF");
        if (code[18] != 0xe0 || code[19] != 0 || code[48] != 0x4f) wrong(path, "is not for gfx950");
    }
    mxg_library_close(library);
    return same;
}
SOURCE
cat > "$work/main.c" << 'SOURCE'
#include <stdio.h>
int count_kernels(void);
int main(void) { return printf("%d kernels\n", count_kernels()) < 0; }
SOURCE
kernels="$(find out/gfx950 -maxdepth 1 -name '*.hsaco' | wc -l | tr -d ' ') kernels"
compressed=0
"$B/bin/mxgemm" pack list $pack | grep -q ' zstd ' && compressed=1
link="$CC -std=c11 -D_GNU_SOURCE -DCOMPRESSED=$compressed -Wall -Wextra -Werror -I$B/include"
link="$link -Wl,--fatal-warnings -Wl,-z,text"
static="$B/lib/libmxgemm.a $B/lib/libmxgemm_gfx950.a -ldl -lpthread $zstd"
shared="-L$B/lib -lmxgemm -lmxgemm_gfx950"

# linked NAME FILE OPTION...: links with the options, and the program finds all kernels.
linked() {
    name=$1 program=$work/$2
    shift 2
    # shellcheck disable=SC2086 # lists of options throughout
    expect "$name links" 0 '' $link -o "$program" "$@"
    expect "$name has all kernels" 0 "$kernels" env LD_LIBRARY_PATH="$B/lib:$work" "$program"
    hardened "$program"
}

# shellcheck disable=SC2086
{
    linked 'a program with static libraries' static "$work/main.c" "$work/kernels.c" $static
    holds_pack "$work/static"
    linked 'a program at a fixed address' fixed -no-pie -fno-pie "$work/main.c" "$work/kernels.c" $static
    holds_pack "$work/fixed"
    linked 'a program with shared libraries' shared "$work/main.c" "$work/kernels.c" $shared
    is 'the pack is not copied into the program' '' \
        "$(readelf -rW "$work/shared" | grep 'R_X86_64_COPY' | grep -w mxg_pack_gfx950)"
    expect 'a plugin with static libraries links' 0 '' $link -fPIC -shared -Wl,-z,defs -o "$work/libplugin.so" \
        "$work/kernels.c" $static
    hardened "$work/libplugin.so"
    holds_pack "$work/libplugin.so"
    linked 'a program with the plugin' plugged "$work/main.c" -L"$work" -lplugin
}

is 'no two code objects are the same' '' "$(sha256sum out/gfx950/*.hsaco | cut -d ' ' -f 1 | sort | uniq -d)"
finish
