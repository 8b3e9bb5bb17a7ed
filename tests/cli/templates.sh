#!/bin/sh
# What mxgen says of kernel templates that are wrong: whole messages. Those of the expansion alone are, too, in
# tests/unit/test_template.c. The compiler's own words are left out where another version has others.
. tests/cli/lib.sh
. tests/cli/builds.sh

variant=gemm_plain_m16n64_w1x4_s1_bf16
plain=$work/templates/plain.hip.in
keys='NAME, C_TYPE, KERNEL_ARGUMENTS, GEMM_ARGUMENTS, TILE_M, TILE_N, WAVES_M, WAVES_N, WAVES_K, DEPTH, SPLIT, XCDS'
keys="$keys, A_MXFP4, LAYOUT_B_SHUFFLED, LAYOUT_SCALE_SHUFFLED"
one_row() {
    table_row plain bf16 16 64 1 4 1 1 1 bf16 > "$work/table"
}
one_row

# says NAME: a build with the templates as they are now fails, and says exactly what standard input has, in which DIR is
# the templates' directory, and VARIANT the name of the only one. The templates are those of the project again then.
says() {
    sed -e "s|DIR|$work/templates|g" -e "s|VARIANT|$variant|g" > "$work/wanted"
    build "$work/out" > "$work/stdout" 2> "$work/answer"
    status=$?
    sed -i -e '/^  FAILED /d' -e '/^  options: /d' "$work/answer"
    if [ $status -ne 1 ]; then not_ok "$1" "status $status, not 1: $(head -n 3 "$work/answer")"
    elif ! cmp -s "$work/answer" "$work/wanted"; then not_ok "$1" "$(diff "$work/wanted" "$work/answer")"
    elif [ -e "$work/out/mxgemm-gfx950.mxpack" ]; then not_ok "$1" 'a pack was written'
    else ok "$1"; fi
    rm -rf "$work/templates"
    cp -R templates "$work/templates"
}

# object_says NAME: the same of a message about the object, which is said and listed: standard input has it without the
# variant's name.
object_says() {
    read -r sentence
    says "$1" << EOF
mxgen: VARIANT: $sentence
mxgen: 1 of 1 variants failed:
  VARIANT: $sentence
EOF
}

# template_says NAME: likewise of one about a template.
template_says() {
    read -r sentence
    says "$1" << EOF
mxgen: $sentence
mxgen: 1 of 1 variants failed:
  VARIANT: $sentence
EOF
}

# ---- the expansion --------------------------------------------------------------------------------------------------

first_line() { # TEXT: puts a line before the template's
    printf '%s\n' "$1" | cat - templates/plain.hip.in > "$plain"
}

first_line '// ${FROB}'
template_says 'an unknown key' << EOF
DIR/plain.hip.in:1:4: \${FROB} is not a key of this template; its keys are: $keys
EOF
first_line '// ${REDUCE_THREADS}'
template_says 'a key of other sources' << EOF
DIR/plain.hip.in:1:4: \${REDUCE_THREADS} is not a key of this template; its keys are: $keys
EOF
first_line '// ${NAME'
template_says 'an unclosed key' << 'EOF'
DIR/plain.hip.in:1:4: "${NAME" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _
EOF
first_line '// ${name}'
template_says 'a key in small letters' << 'EOF'
DIR/plain.hip.in:1:4: "${" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _
EOF
first_line '// $NAME'
template_says 'a key without braces' << 'EOF'
DIR/plain.hip.in:1:4: "$" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _
EOF
first_line '#include <hip/hip_runtime.h>'
template_says 'a header' << 'EOF'
DIR/plain.hip.in:1:1: "#include <hip/hip_runtime.h>" reads a file; gen/row.c lists the templates that a kernel is made of
EOF
rm "$plain"
template_says 'a template that is not there' << 'EOF'
cannot read the template DIR/plain.hip.in: No such file or directory
EOF
rm "$plain" && mkdir "$plain"
template_says 'a directory' << 'EOF'
cannot read the template DIR/plain.hip.in: Is a directory
EOF
rm "$plain" && ln -s /dev/zero "$plain"
template_says 'a file without an end' << 'EOF'
DIR/plain.hip.in:1:1: the file has more than 1048576 bytes, which no template has
EOF
printf 'int x;\n\0' > "$plain"
template_says 'a file of bytes' << 'EOF'
DIR/plain.hip.in:2:1: the file is no template: it holds a zero byte
EOF
sed -i 's/\${TILE_N}/64/' "$work/templates/prelude.hip.in"
template_says 'a key that no template uses' << 'EOF'
DIR/prelude.hip.in, DIR/mxfp4.hip.in, DIR/plain.hip.in: the key ${TILE_N} is provided but never used
EOF
sed -i 's/\${TILE_N}/$TILE_N/' "$work/templates/prelude.hip.in"
first_line '${A} ${B}'
sed -i 's/\${NAME}/kernel/' "$plain"
says 'all mistakes of a file' << EOF
mxgen: DIR/prelude.hip.in:23:37: "\$" is no \${KEY}; a \$ begins one, whose name is of capitals, digits and _
mxgen: 1 of 1 variants failed:
  VARIANT: DIR/prelude.hip.in:23:37: "\$" is no \${KEY}; a \$ begins one, whose name is of capitals, digits and _
EOF
first_line '${A} ${B}'
says 'and of another one' << EOF
mxgen: DIR/plain.hip.in:1:1: \${A} is not a key of this template; its keys are: $keys
mxgen: DIR/plain.hip.in:1:6: \${B} is not a key of this template; its keys are: $keys
mxgen: 1 of 1 variants failed:
  VARIANT: DIR/plain.hip.in:1:1: \${A} is not a key of this template; its keys are: $keys
EOF

# Only the rows that a wrong template is of fail, and it is said once. What they had goes away, the others are built.
table_row plain bf16 16 64 1 4 1 1 2 bf16 >> "$work/table"
table_row plain bf16 16 64 1 4 1 1 4 bf16 >> "$work/table"
builds 'three rows' "$variant gemm_plain_m16n64_w1x4_s2_bf16 gemm_plain_m16n64_w1x4_s4_bf16" build "$work/out"
printf '$\n' >> "$work/templates/reduce.hip.in"
rm "$work/out/gfx950/$variant.hsaco"
says 'a template of some rows' << 'EOF'
mxgen: DIR/reduce.hip.in:17:1: "$" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _
mxgen: 2 of 3 variants failed:
  gemm_plain_m16n64_w1x4_s2_bf16: DIR/reduce.hip.in:17:1: "$" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _
  gemm_plain_m16n64_w1x4_s4_bf16: DIR/reduce.hip.in:17:1: "$" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _
EOF
left=$(cd "$work/out/gfx950" && find . -type f ! -name compiler | sort | tr '\n' ' ')
if [ "$left" = "./$variant.hsaco ./key/$variant.key ./src/$variant.hip " ]; then ok 'leaves the others'
else not_ok 'leaves the others' "$left"; fi
for command in verify "merge $work/out"; do
    printf '$\n' >> "$work/templates/reduce.hip.in"
    expect "mxgen ${command%% *} lists the rows" 1 '2 of 3 variants failed:' "$mxgen" $command --table "$work/table" \
        --templates "$work/templates" --out "$work/out"
    cp templates/* "$work/templates/"
done
one_row

# ---- the compiler ---------------------------------------------------------------------------------------------------

first_line '#error XYZZY'
says 'a template that does not compile' << 'EOF'
mxgen: VARIANT: COMPILE_SOURCE_TO_RELOCATABLE failed with comgr status 1, ERROR
templates/plain.hip.in:1:2: error: XYZZY
    1 | #error XYZZY
      |  ^
1 error generated when compiling for gfx950.
mxgen: 1 of 1 variants failed:
  VARIANT: templates/plain.hip.in:1:2: error: XYZZY
EOF
if grep -q '#error XYZZY' "$work/out/gfx950/src/$variant.hip"; then ok 'its source is there to look at'
else not_ok 'its source is there to look at' "$(ls "$work/out/gfx950/src")"; fi
sed -i 's/int slice = /int frob = 3; &/' "$plain"
expect 'a warning is shown' 0 "warning: unused variable 'frob'" build "$work/out"
cp "$work/said" "$work/warned"
expect 'at its place' 0 'templates/plain.hip.in:34:9: warning: ' cat "$work/warned"
cp templates/* "$work/templates/"
rm -r "$work/out"

# ---- the object -----------------------------------------------------------------------------------------------------

sed -i 's/void ${NAME}(/void my_${NAME}(/' "$plain"
object_says 'a kernel of another name' << 'EOF'
the kernel is named my_gemm_plain_m16n64_w1x4_s1_bf16 in the code object; it should be gemm_plain_m16n64_w1x4_s1_bf16
EOF
sed -i 's/KERNEL __attribute__((.*/DEVICE/' "$plain"
object_says 'no kernel' << 'EOF'
the number of kernels is 0 in the code object; it should be 1
EOF
echo 'KERNEL void second() {}' >> "$plain"
object_says 'a second kernel' << 'EOF'
the kernel second in the code object is one more than it should have
EOF
echo 'KERNEL void ${NAME}_reduce(${KERNEL_ARGUMENTS}) {}' >> "$plain"
object_says 'a second launch without a split' << 'EOF'
the kernel gemm_plain_m16n64_w1x4_s1_bf16_reduce in the code object is one more than it should have
EOF
sed -i 's/work_group_size(THREADS, THREADS)/work_group_size(64, 128)/' "$plain"
object_says 'a workgroup of another size' << 'EOF'
.max_flat_workgroup_size (amdgpu_flat_work_group_size) is 128 in the code object; it should be 256
EOF
sed -i 's/KERNEL __attribute__((.*/KERNEL/' "$plain"
object_says 'a workgroup of any size' << 'EOF'
.max_flat_workgroup_size (amdgpu_flat_work_group_size) is 1024 in the code object; it should be 256
EOF
sed -i 's/TILE_M = ${TILE_M}/TILE_M = 2 * ${TILE_M}/' "$work/templates/prelude.hip.in"
object_says 'more LDS than gen/row.c has' << 'EOF'
.group_segment_fixed_size (LDS; lds_bytes in gen/row.c) is 2176 in the code object; it should be 1088
EOF
sed -i -e 's/int slice = /volatile int some[40]; some[k % 40] = 7; int more = some[n % 40]; &/' \
    -e 's/row >= m/row >= m + more/' "$plain"
object_says 'scratch memory' << 'EOF'
.private_segment_fixed_size (scratch memory) is 176 in the code object; it should be 0
EOF
sed -i 's/if (row >= m/if (__builtin_amdgcn_workgroup_size_x() == 7 || row >= m/' "$plain"
object_says 'an argument that HIP would fill' << 'EOF'
the kernel wants the argument hidden_block_count_x, which the loader does not fill
EOF
sed -i 's/void ${NAME}(${KERNEL_ARGUMENTS})/void ${NAME}(${KERNEL_ARGUMENTS}, int more)/' "$plain"
object_says 'an argument more' << 'EOF'
argument 18 is one more than common/kernarg.h has
EOF
sed -i '/^void ${NAME}/s/.*/#define bias other\nvoid ${NAME}(${KERNEL_ARGUMENTS})\n#undef bias\n/; s/alpha, bias/alpha, other/' \
    "$plain"
object_says 'an argument of another name' << 'EOF'
argument 12 is named other in the code object; it should be bias
EOF
sed -i 's/alpha, bias, column/alpha + *(const float *)__builtin_amdgcn_dispatch_ptr(), bias, column/' "$plain"
object_says 'fewer preloaded arguments' << 'EOF'
the descriptor's number of preloaded dwords is 12 in the code object; it should be 14
EOF
table_row quantise bf16 32 256 4 1 1 1 1 mxfp4 > "$work/table"
variant=quantise_m32n256_w4x1
sed -i 's/${KERNEL_ARGUMENTS}/&, int more/' "$work/templates/quantise.hip.in"
object_says 'a quantiser of an argument more' << 'EOF'
argument 9 is one more than common/kernarg.h has
EOF

# Registers that are not enough: how much is spilled is the compiler's business.
table_row plain bf16 64 128 2 2 1 1 1 f32 > "$work/table"
variant=gemm_plain_m64n128_w2x2_s1_f32
sed -i 's/work_group_size(THREADS, THREADS)/&, amdgpu_waves_per_eu(8, 8)/' "$plain"
build "$work/out" > "$work/stdout" 2> "$work/answer"
sed -i 's/ is [1-9][0-9]* in / is SOME in /' "$work/answer"
cat > "$work/wanted" << EOF
mxgen: $variant: .private_segment_fixed_size (scratch memory) is SOME in the code object; it should be 0
mxgen: $variant: .vgpr_spill_count is SOME in the code object; it should be 0
mxgen: 1 of 1 variants failed:
  $variant: .private_segment_fixed_size (scratch memory) is SOME in the code object; it should be 0
EOF
same 'spills' "$work/answer" "$work/wanted"
finish
