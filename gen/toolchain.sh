#!/bin/sh
# Chooses the compiler and writes out/toolchain.mk, or another FILE, for the Makefile. Run from the top of the project:
# sh gen/toolchain.sh [FILE]
#
# Wanted: comgr that compiles for gfx950 (ROCm 7 or newer) and the HIP headers. Looked for in ROCM_PATH (or /opt/rocm),
# then in the system's own directories; else Debian packages are unpacked under out/toolchain, without root and without
# touching the host: that copy has its own C library and is run through its own ld.so.
#
#   MXG_TOOLCHAIN  rocm, system or private: take this one and no other
#   MXG_SUITE      Debian suite of the private one (forky; experimental has a newer compiler)
#   MXG_MIRROR     where the packages come from (the mirror that this machine's apt uses)
set -u
who=toolchain
file=${1:-out/toolchain.mk}
suite=${MXG_SUITE:-forky}
cc=${CC:-cc}
packages='libamd-comgr-dev libamdhip64-dev'
root=out/toolchain/$suite
work=out/toolchain/.new.$$
. "$(dirname "$0")/private_apt.sh"

# A Makefile value of the shell: quoted for the shell, and make's own two specials doubled.
quote() {
    printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g; s/[\$]/&&/g; s/#/\\\\#/g")"
}

# probe INCLUDE-FLAGS LIBRARIES RUN-PREFIX: sets version, or why and fails. The flags are shell words, quoted.
probe() {
    mkdir -p "$work" || fail "cannot create $work"
    cat >"$work/probe.c" <<'PROBE'
#include <amd_comgr/amd_comgr.h>
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    size_t major = 0, minor = 0, count = 0;
    const char *name = "";
    amd_comgr_get_version(&major, &minor);
    if (amd_comgr_get_isa_count(&count) != AMD_COMGR_STATUS_SUCCESS) return 2;
    for (size_t i = 0; i < count; i++)
        if (amd_comgr_get_isa_name(i, &name) == AMD_COMGR_STATUS_SUCCESS && strstr(name, "gfx950"))
            return printf("%zu.%zu\n", major, minor) < 0;
    return 3;
}
PROBE
    if ! eval "$cc -std=c11 -D__HIP_PLATFORM_AMD__=1 $1 -o \"\$work/probe\" \"\$work/probe.c\" $2" 2>"$work/log"; then
        why=$(grep -m 1 -E 'error|undefined|cannot' "$work/log" || head -n 1 "$work/log")
        return 1
    fi
    version=$(eval "$3 \"\$work/probe\"" 2>"$work/log")
    case $? in
    0) return 0 ;;
    3) why='its comgr does not know gfx950 (ROCm 7 does)' ;;
    *) why="a program with its comgr does not run: $(head -n 1 "$work/log")" ;;
    esac
    return 1
}

try_rocm() {
    rocm=${ROCM_PATH:-/opt/rocm}
    why="there is no $rocm/include/amd_comgr/amd_comgr.h"
    [ -e "$rocm/include/amd_comgr/amd_comgr.h" ] || return 1
    include="-isystem $(quote "$rocm/include")"
    libs="-L$(quote "$rocm/lib") -Wl,-rpath,$(quote "$rocm/lib") -lamd_comgr"
    run=
    hip=$rocm/lib/libamdhip64.so
    probe "$include" "$libs" "$run" || return 1
    origin="($rocm)"
}

try_system() {
    why='there is no amd_comgr/amd_comgr.h'
    echo '#include <amd_comgr/amd_comgr.h>' | $cc -E -x c - >/dev/null 2>&1 || return 1
    include=
    libs=-lamd_comgr
    run=
    hip=$($cc -print-file-name=libamdhip64.so)
    probe "$include" "$libs" "$run" || return 1
    origin="(the system's libamd_comgr)"
}

unpack_private() {
    need_apt 'no compiler for gfx950 here' 'install ROCm 7 and set ROCM_PATH'
    unpack "$suite" install "$packages" "$root"
    # Only these headers: the packages bring a C library's too, of which the host's compiler has its own.
    mkdir "$work/tree/include"
    ln -s ../usr/include/amd_comgr ../usr/include/hip "$work/tree/include" || fail "cannot link the headers in $work"
    keep "$root"
}

try_private() {
    [ -e "$root/packages" ] || unpack_private
    lib=$(dirname "$(ls "$root"/usr/lib/*/libamd_comgr.so.[3-9] 2>/dev/null | head -n 1)")
    loader=$(ls "$root"/usr/lib/*/ld-linux*.so.* "$root"/usr/lib/ld-linux*.so.* 2>/dev/null | head -n 1)
    why="suite $suite has no libamd_comgr.so.3 for $(dpkg --print-architecture)"
    [ "$lib" != . ] && [ -n "$loader" ] || return 1
    include="-isystem $root/include"
    # What comgr itself needs is in the private directory only, where the host's linker is not to look.
    libs="-L$lib -lamd_comgr -Wl,--allow-shlib-undefined"
    run="$loader --library-path $lib"
    hip=$lib/libamdhip64.so
    probe "$include" "$libs" "$run" || return 1
    origin="($(sed -n 's/^\(libamd-comgr[0-9]*\)\t/\1 /p' "$root/packages")) from suite $suite in out/toolchain"
}

tidy_work
command -v "${cc%% *}" >/dev/null || fail "there is no C compiler $cc; install gcc or clang, or set CC"
case ${MXG_TOOLCHAIN:-} in
'') kinds='rocm system private' ;;
rocm | system | private) kinds=$MXG_TOOLCHAIN ;;
*) fail "MXG_TOOLCHAIN is \"$MXG_TOOLCHAIN\"; it may be rocm, system or private" ;;
esac
case $suite in
'' | *[!a-z0-9-]*) fail "MXG_SUITE is \"$suite\"; a suite's name has small letters, digits and hyphens only" ;;
esac

for kind in $kinds; do
    "try_$kind" && break
    [ "$kind" != "${kinds##* }" ] || fail "$kind cannot be used: $why"
    case $why in 'there is no '*) ;; *) echo "toolchain: $kind is passed over: $why" ;; esac
done

compiler="comgr $version $origin"
cat >"$work/toolchain.mk" <<EOT
# Written by gen/toolchain.sh.
COMGR := $(printf %s "$compiler" | sed 's/[$]/&&/g; s/#/\\#/g')
COMGR_CFLAGS := $include
COMGR_LIBS := $libs
HIP_CFLAGS := $include -D__HIP_PLATFORM_AMD__=1
HIP_LIBRARY := $hip
RUN_COMGR := $run
EOT
mv "$work/toolchain.mk" "$file" || fail "cannot write $file"
echo "toolchain: $kind, $compiler"
