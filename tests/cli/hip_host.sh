#!/bin/sh
# Host programs that are compiled against HIP's headers and linked to the emulated library, or to the real one, run as
# they are.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}" "${HIP_LIBRARY:=}"
emulated=$B/lib/emu
flags=$(sed -n 's/^HIP_CFLAGS := //p' out/toolchain.mk)
strict='-pedantic -Wall -Wextra -Werror -I.'
sanitized=
nm -D "$emulated/libamdhip64.so" 2> /dev/null | grep -q __asan && sanitized='-fsanitize=address,undefined'
object=$(ls out/gfx950/gemm_plain_m[0-9]*_s1_f32.hsaco 2> /dev/null | head -n 1)
kernel=$(basename "$object" .hsaco)

headers() {
    printf '#include <hip/hip_runtime_api.h>\n' > "$work/headers.c"
    # shellcheck disable=SC2086 # lists of options throughout
    $CC $flags -fsyntax-only "$work/headers.c" > /dev/null 2>&1
}

# run NAME PROGRAM...: with the emulated library and two devices. The programs leave their memory to the end of the
# process, as programs do.
run() {
    name=$1
    shift
    expect "$name" 0 '2 devices, 0 wrong' env LD_LIBRARY_PATH="$emulated" MXEMU_DEVICES=2 ASAN_OPTIONS=detect_leaks=0 \
        "$@"
}

c_host() {
    cat > "$work/host.c" << 'SOURCE'
#include <hip/hip_runtime_api.h>
#include <stdio.h>

int main(void)
{
    int count = 0, wrong = 0;
    hipDeviceProp_t properties;
    if (hipGetDeviceCount(&count) != hipSuccess) return 1;
    for (int device = 0; device < count; device++) {
        void *memory = NULL;
        unsigned char byte = 0;
        wrong += hipSetDevice(device) != hipSuccess || hipGetDeviceProperties(&properties, device) != hipSuccess;
        wrong += hipMalloc(&memory, 16) != hipSuccess || hipMemset(memory, device + 1, 16) != hipSuccess;
        wrong += hipMemcpy(&byte, memory, 1, hipMemcpyDeviceToHost) != hipSuccess || byte != device + 1;
    }
    printf("%d devices, %d wrong\n", count, wrong);
    return wrong != 0;
}
SOURCE
    # shellcheck disable=SC2086
    expect 'a C program compiles and links' 0 '' $CC -std=c11 $strict $flags $sanitized -o "$work/host" "$work/host.c" \
        -L"$emulated" -lamdhip64
    run 'a C program runs' "$work/host"
    if [ -z "$HIP_LIBRARY" ] || [ ! -e "$HIP_LIBRARY" ]; then
        skip 'a program linked to the real library runs' 'HIP_LIBRARY names no real library'
        skip 'what the real library exports is there' 'HIP_LIBRARY names no real library'
        return
    fi
    # shellcheck disable=SC2086
    expect 'a C program links to the real library' 0 '' $CC -std=c11 $flags $sanitized -o "$work/real" "$work/host.c" \
        "$HIP_LIBRARY" -Wl,--allow-shlib-undefined
    run 'a program linked to the real library runs' "$work/real"
    if ! readelf -d "$HIP_LIBRARY" | grep -qF '[libamdhip64.so.6]'; then # HIP 7 has calls that came later
        skip 'what the real library exports is there' 'the real library is not HIP 6'
        return
    fi
    for library in "$HIP_LIBRARY" "$emulated/libamdhip64.so"; do
        readelf -W --dyn-syms "$library" | awk '$4 == "FUNC" && $7 != "UND" {print $8}' | sed 's/@@*/ /' |
            grep -E '^(hip[A-Z]|__hip)' | sort > "$work/exports.$(basename "$(dirname "$library")")"
    done
    # Those of the real library that return no status, and a table for the compiler.
    grep -vE '^(hipApiName|hipCreateChannelDesc|hipGetCmdName|hipRegisterTracerCallback|__hipGetPCH) ' \
        "$work/exports.$(basename "$(dirname "$HIP_LIBRARY")")" | comm -23 - "$work/exports.emu" > "$work/lacking"
    if [ -s "$work/exports.emu" ] && [ ! -s "$work/lacking" ]; then ok 'what the real library exports is there'
    else not_ok 'what the real library exports is there' "$(head -n 5 "$work/lacking" | tr '\n' ' ')"; fi
}

cxx_host() {
    if ! command -v c++ > /dev/null; then
        skip 'a C++ program with kernels runs' 'there is no C++ compiler'
    elif [ -z "$object" ]; then
        skip 'a C++ program with kernels runs' 'there is no variant in out/gfx950'
    else
        # shellcheck disable=SC2086
        expect 'a C++ program with kernels compiles and links' 0 '' c++ -std=c++17 $strict $flags $sanitized \
            -DOBJECT="\"$object\"" -DKERNEL="$kernel" -o "$work/kernels" tests/cli/hip_host.cpp \
            -L"$emulated" -lamdhip64 -pthread
        run 'a C++ program with kernels runs' "$work/kernels"
    fi
}

if headers; then
    c_host
    cxx_host
else
    skip 'host programs run' 'there are no HIP headers'
fi
finish
