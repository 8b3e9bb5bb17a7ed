#!/bin/sh
# The README's program and the examples, as somebody compiles them who has an installed mxgemm, on the emulated HIP.
. tests/cli/lib.sh
: "${B:=out}" "${CC:=cc}" "${CXX:=c++}"
strict='-pedantic -Wall -Wextra -Wshadow -Wconversion -Werror'
hip_flags="$(sed -n 's/^HIP_CFLAGS := //p' out/toolchain.mk) -L$B/lib/emu -lamdhip64"
built_for
prefix=$work/prefix examples=$work/prefix/share/doc/mxgemm/examples
MXG_HIP=$PWD/$B/lib/emu/libamdhip64.so
export MXG_HIP LD_LIBRARY_PATH="$prefix/lib:$PWD/$B/lib/emu"

expect 'make install' 0 '' "${MAKE:-make}" --no-print-directory B="$B" install PREFIX="$prefix"
if command -v pkg-config > /dev/null; then
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    mxgemm=$(pkg-config --cflags --libs mxgemm)
    mxgemm_gfx950=$(pkg-config --cflags --libs mxgemm_gfx950)
else
    mxgemm="-I$prefix/include -L$prefix/lib -lmxgemm"
    mxgemm_gfx950="$mxgemm -lmxgemm_gfx950"
fi

# compiles NAME COMPILER... : to $work/NAME
compiles() {
    program=$1
    shift
    # shellcheck disable=SC2086 # lists of options
    expect "$program compiles" 0 '' "$@" $strict $sanitized -o "$work/$program"
}

# ---- the README's function, called as it says, and linked as it says
sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' > "$work/multiply.c"
cat > "$work/main.c" << 'SOURCE'
#include <stddef.h>
#include <stdint.h>
int hipMalloc(void **memory, size_t bytes);
int hipMemset(void *memory, int value, size_t bytes);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
int multiply(void *c, const void *a, const void *b, const void *b_scale, int64_t m, int64_t n, int64_t k,
             void *workspace, uint64_t workspace_bytes, void *stream);
enum { M = 4, N = 64, K = 512, WORKSPACE = 1 << 20 };

static void *filled(size_t bytes, int value)
{
    void *memory = NULL;
    return hipMalloc(&memory, bytes) || hipMemset(memory, value, bytes) ? NULL : memory;
}

int main(void)
{
    static uint16_t c[M * N];
    void *a = filled(M * K * 2, 0x3f), *b = filled(N * K / 2, 0x22); /* 0.75, and codes of 1 */
    void *b_scale = filled(N * K / 32, 127), *device_c = filled(sizeof c, 0), *workspace = filled(WORKSPACE, 1);
    if (!a || !b || !b_scale || !device_c || !workspace) return 2;
    if (multiply(device_c, a, b, b_scale, M, N, K, workspace, WORKSPACE, NULL)) return 3;
    if (hipMemcpy(c, device_c, sizeof c, 2)) return 4;
    for (int i = 0; i < M * N; i++)
        if (c[i] != 0x43c0) return 5; /* 384 = 512 * 0.75 */
    return 0;
}
SOURCE
compiles README "$CC" -std=c99 -I"$B/include" "$work/main.c" "$work/multiply.c" "$B/lib/libmxgemm.a" \
    "$B/lib/libmxgemm_gfx950.a" -ldl -lpthread $zstd -L"$B/lib/emu" -lamdhip64
expect 'README gives the right product' 0 '' env ASAN_OPTIONS=detect_leaks=0 "$work/README"

# ---- embed.c, which needs no HIP to build
# shellcheck disable=SC2086 # lists of options throughout
{
compiles embed "$CC" -std=c99 "$examples/embed.c" $mxgemm_gfx950 -ldl
expect 'embed runs' 0 'C is 384 everywhere' "$work/embed"
expect 'embed says which HIP is not there' 1 'no HIP library: /nowhere/libamdhip64.so' \
    env MXG_HIP=/nowhere/libamdhip64.so "$work/embed"
# ---- file_pack.c and server.cpp, which include HIP's headers as most programs do
echo '#include <hip/hip_runtime_api.h>' > "$work/headers.c"
if ! $CC $hip_flags -fsyntax-only "$work/headers.c" > /dev/null 2>&1; then
    skip 'file_pack' 'there are no HIP headers'
    skip 'server' 'there are no HIP headers'
else
    compiles file_pack "$CC" -std=c99 "$examples/file_pack.c" $mxgemm $hip_flags
    pack=$prefix/share/mxgemm/mxgemm-gfx950.mxpack
    expect 'file_pack runs' 0 '96 rows' "$work/file_pack" "$pack"
    if grep -q '^4 rows.*: right$' "$work/said" && grep -q '^96 rows.*: right$' "$work/said"; then
        ok 'its products are right'
    else
        not_ok 'its products are right' "$(tail -n 3 "$work/said")"
    fi
    expect 'file_pack names the pack that is not there' 1 '/nowhere/pack' "$work/file_pack" /nowhere/pack
    head -c 100000 "$pack" > "$work/cut.mxpack"
    expect 'file_pack refuses half a pack' 1 'MXG_ERROR_PACK' "$work/file_pack" "$work/cut.mxpack"

    if command -v "$CXX" > /dev/null; then
        compiles server "$CXX" -std=c++17 "$examples/server.cpp" $mxgemm_gfx950 $hip_flags -pthread
        expect 'server runs on one device' 0 'devices: 1, workers: 3, answers: 15, wrong: 0' "$work/server"
        expect 'server runs on three devices' 0 'devices: 3, workers: 9, answers: 45, wrong: 0' \
            env MXEMU_DEVICES=3 "$work/server"
        expect 'server says that the device is another' 1 'gfx942' env MXEMU_ARCH=gfx942:sramecc+:xnack- "$work/server"
    else
        skip 'server' 'there is no C++ compiler'
    fi
fi
}

# ---- all of them by CMake, with the static libraries
if ! command -v cmake > /dev/null || ! command -v "$CXX" > /dev/null; then
    skip 'examples by CMake' 'there is no cmake, or no C++ compiler'
else
    include=$(echo "$hip_flags" | sed -n 's/.*-isystem \([^ ]*\).*/\1/p')
    [ -z "$include" ] || include=$(cd "$include" && pwd)
    expect 'CMake configures' 0 '' cmake -S "$examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_FLAGS="$sanitized" \
        -DCMAKE_CXX_FLAGS="$sanitized" -DHIP_LIBRARY="$MXG_HIP" \
        ${include:+-DHIP_INCLUDE="$include"}
    expect 'CMake builds' 0 '' cmake --build "$work/build"
    expect 'embed of CMake runs' 0 'C is 384 everywhere' "$work/build/embed"
    if [ -e "$work/build/server" ]; then
        expect 'file_pack of CMake runs' 0 '96 rows' "$work/build/file_pack" "$prefix/share/mxgemm/mxgemm-gfx950.mxpack"
        expect 'server of CMake runs' 0 'wrong: 0' "$work/build/server"
    else
        skip 'file_pack and server of CMake run' 'there are no HIP headers'
    fi
fi

# ---- torch_gemm.py, the part of it that is ours
if ! python3 -c 'import ctypes' > /dev/null 2>&1; then
    skip 'torch_gemm.py' 'there is no python3'
elif [ -n "$sanitized" ]; then
    skip 'torch_gemm.py' 'python3 does not have the sanitizer'
else
    expect 'torch_gemm.py runs' 0 '4x64x512 with HIP: right' python3 "$examples/torch_gemm.py" \
        "$prefix/lib/libmxgemm.so" "$prefix/share/mxgemm/mxgemm-gfx950.mxpack"
    expect 'torch_gemm.py raises what the library says' 1 'RuntimeError: cannot open pack /nowhere' \
        python3 "$examples/torch_gemm.py" "$prefix/lib/libmxgemm.so" /nowhere
fi
finish
