#!/bin/sh
# mxgemm pack on the project's own pack and on small ones. Called by tests/run.sh.
. tests/cli/lib.sh
: "${B:=out}"
mxgemm=$B/bin/mxgemm
hip=$B/lib/emu/libamdhip64.so
pack=out/mxgemm-gfx950.mxpack
golden=tests/golden

# differs NAME TEXT FILE FILE: they compare as different, and TEXT is said.
differs() {
    name=$1 text=$2
    shift 2
    expect "$name" 1 "$text" "$mxgemm" pack compare "$@"
}

equal() { # NAME FILE FILE
    expect "$1" 0 '' "$mxgemm" pack compare "$2" "$3"
    if [ ! -s "$work/said" ]; then ok "$1, and nothing is said"
    else not_ok "$1, and nothing is said" "$(head -n 1 "$work/said")"; fi
}

number() { # FILE OFFSET: 32 bits of it
    od -A n -t u4 -j "$2" -N 4 "$1" | tr -d ' '
}

# put FILE OFFSET: the standard input over what is there
put() {
    dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

# spoil FILE OFFSET: another byte than the one that is there
spoil() {
    dd if="$1" bs=1 skip="$2" count=1 2> /dev/null | tr '\000-\377' '\001-\377\000' > "$work/byte"
    put "$1" "$2" < "$work/byte"
}

# sum FILE FROM BYTES AT: their SHA-256, put AT
sum() {
    tail -c +$(($2 + 1)) "$1" | head -c "$3" | sha256sum | cut -c 1-64 | sed 's/../0x& /g' > "$work/digest"
    for byte in $(cat "$work/digest"); do printf "\\$(printf %03o "$byte")"; done > "$work/sum"
    put "$1" "$4" < "$work/sum"
}

# Makes the sum of the index right again, of a pack whose index was changed.
sum_index() {
    records=$((256 * $(number "$1" 12))) sources=$((96 * $(number "$1" 80)))
    sum "$1" 128 $((records + sources + 20 * $(number "$1" 84) + 8 * $(number "$1" 88))) 48
}

offset_of() { # FILE VARIANT
    "$mxgemm" pack list "$1" | awk -v name="$2" '$1 == name {print $2}'
}

bytes_of() { # FILE VARIANT
    "$mxgemm" pack list "$1" | awk -v name="$2" '$1 == name {print $3}'
}

# ---- list, verify, extract -----------------------------------------------------------------------------------------

count=$(find out/gfx950 -name '*.hsaco' | wc -l)
a=gemm_stream_m16n16_w1x1x4_s1_bf16
b=gemm_stream_m16n32_w1x1x4_s1_bf16
c=gemm_stream_m16n64_w1x1x4_s1_bf16
expect 'list counts the variants' 0 "$count variants for gfx950 in $(wc -c < $pack) bytes: " "$mxgemm" pack list $pack
expect 'list has the SHA-256 of a code object' 0 "$(sha256sum < out/gfx950/$a.hsaco | cut -c 1-64)" \
    "$mxgemm" pack list $pack
expect 'list --json has a code object' 0 "\"code_object_bytes\": $(wc -c < out/gfx950/$a.hsaco), " \
    "$mxgemm" pack list $pack --json
expect 'list says what shares its times' 0 "; the times of $a" "$mxgemm" pack list $pack
expect 'list says where the times are from' 0 'times of model: ' "$mxgemm" pack list $pack
expect 'verify' 0 "$count variants for gfx950" "$mxgemm" pack verify $pack
expect 'verify takes the embedded pack by itself' 0 "$count variants for gfx950" "$mxgemm" pack verify

expect 'extract' 0 '' "$mxgemm" pack extract $pack --out "$work/all"
extracted=0
for file in out/gfx950/*.hsaco; do cmp -s "$file" "$work/all/${file##*/}" && extracted=$((extracted + 1)); done
if [ "$extracted" -eq "$count" ] && [ "$(find "$work/all" -type f | wc -l)" -eq "$count" ]; then
    ok 'code objects are those of the build'
else not_ok 'code objects are those of the build' "$extracted of $count"; fi
expect 'extract where the same is' 0 '' "$mxgemm" pack extract $pack --out "$work/all"
echo mine > "$work/all/$b.hsaco"
rm "$work/all/$a.hsaco"
refused 'extract where something else is' "$b.hsaco is there already" "$mxgemm" pack extract $pack --out "$work/all"
if [ -e "$work/all/$a.hsaco" ] || [ "$(cat "$work/all/$b.hsaco")" != mine ]; then
    not_ok 'a refused extract changes nothing' "$a is there, or $b not as it was"
else ok 'a refused extract changes nothing'; fi
expect 'extract by pattern' 0 '' "$mxgemm" pack extract $pack --out "$work/some" --variant "$a" \
    --variant 'gemm_plain_m16n64_*_f16'
(cd out/gfx950 && ls $a.hsaco gemm_plain_m16n64_*_f16.hsaco) > "$work/named"
(cd "$work/some" && ls) > "$work/listed"
same 'the pattern names what it says' "$work/listed" "$work/named"
refused 'extract a variant nobody has' 'gemm_none' "$mxgemm" pack extract $pack --out "$work/none" \
    --variant 'gemm_none*'

# ---- build ---------------------------------------------------------------------------------------------------------

build() { # OUT MORE-OPTIONS...
    out=$1
    shift
    "$mxgemm" pack build $pack --out "$out" "$@"
}
expect 'build by names' 0 '' build "$work/named" --variant "$a" --variant 'gemm_plain_m16n64_*_bf16'
expect 'build the rest' 0 '' build "$work/rest" --variant 'gemm_[!p]*' --variant 'gemm_plain_m[!1]*' \
    --variant 'gemm_plain_m16n64_*_f*' --variant 'gemm_plain_mxfp4_*' --quantizer
expect 'verify what was built' 0 'variants for gfx950' "$mxgemm" pack verify "$work/named"
expect 'merge both' 0 '' "$mxgemm" pack merge "$work/named" "$work/rest" --out "$work/merged"
equal 'it is the whole pack again' "$work/merged" $pack
expect 'merge them again' 0 '' "$mxgemm" pack merge "$work/named" "$work/rest" --out "$work/again"
same 'to the same bytes' "$work/again" "$work/merged"
if "$mxgemm" pack list "$work/named" | grep -q '^quantise'; then not_ok 'no quantiser but by --quantizer' 'there is one'
else ok 'no quantiser but by --quantizer'; fi
expect 'build the quantiser' 0 '' build "$work/quantizer" --quantizer
expect 'quantize by it' 0 '' "$mxgemm" quantize --rows 54 --k 32 --in $golden/quant_in.bf16 --out "$work/codes" \
    --scale "$work/scale" --device --hip "$hip" --pack "$work/quantizer"
same 'its codes are the golden ones' "$work/codes" $golden/quant_codes.u8

cat > "$work/problems" << 'EOF'
# m n k, then A, C, B and scales as far as they are not the defaults
5 32 256 bf16 f32        # the golden product

16   2112 7168 bf16 bf16 shuffled shuffled
64   7168 2048 bf16 bf16 shuffled shuffled
256  3072 1536 bf16 bf16 shuffled shuffled
4096 8192 8192 mxfp4 bf16 shuffled shuffled
EOF
expect 'build for problems' 0 '' build "$work/needed" --problems "$work/problems"
chosen() { # PACK M N K MORE-OPTIONS...: the variant
    from=$1 m=$2 n=$3 k=$4
    shift 4
    "$mxgemm" explain --pack "$from" --m "$m" --n "$n" --k "$k" "$@" | sed -n '2s/.* \(gemm[^ ]*\) .*/\1/p'
}
while read -r m n k options; do
    # shellcheck disable=SC2086 # a list of options
    was=$(chosen $pack "$m" "$n" "$k" $options) now=$(chosen "$work/needed" "$m" "$n" "$k" $options)
    if [ -n "$was" ] && [ "$was" = "$now" ]; then ok "$m x $n x $k has its variant"
    else not_ok "$m x $n x $k has its variant" "$was, then $now"; fi
done << 'EOF'
5 32 256 --out-format f32
16 2112 7168 --b-layout shuffled --scale-layout shuffled
64 7168 2048 --b-layout shuffled --scale-layout shuffled
256 3072 1536 --b-layout shuffled --scale-layout shuffled
4096 8192 8192 --b-layout shuffled --scale-layout shuffled --a-format mxfp4
EOF
expect 'it has these alone' 0 '5 variants for gfx950' "$mxgemm" pack list "$work/needed"
expect 'run by it' 0 '' "$mxgemm" run --m 5 --n 32 --k 256 --a $golden/gemm_a_5x256.bf16 --b $golden/gemm_b_32x256.u8 \
    --b-scale $golden/gemm_bscale_32x8.u8 --out "$work/c" --out-format f32 --hip "$hip" --pack "$work/needed"
same 'the golden product is exact' "$work/c" $golden/gemm_c_5x32.f32
echo '5 32 256' > "$work/short"
expect 'formats of the command line hold for lines without' 0 '' build "$work/defaults" --problems "$work/short" \
    --out-format f32
expect 'and give the same variant' 0 "$(chosen $pack 5 32 256 --out-format f32)" "$mxgemm" pack list "$work/defaults"

# Three variants with 180, 90 and 45 workgroups at N 2880. small OUT, with lines of times: those of c, b and a.
small() {
    { for family in "$c" "$b" "$a"; do echo "family ${family%_bf16}"; done && cat; } > "$work/small.tuning"
    out/bin/mxgen build --table "$work/small.variants" --tuning "$work/small.tuning" --templates templates \
        --out "$work/small" && mv "$work/small/mxgemm-gfx950.mxpack" "$1"
}
for columns in 16 32 64; do table_row stream bf16 16 $columns 1 1 4 1 1 bf16; done > "$work/small.variants"
mkdir "$work/small" && cp -R out/gfx950 "$work/small/"
# At K 512 the second is chosen for its workgroups; the third is within 1/32 of the second, but not of the first.
expect 'a pack in which one decides that is not chosen' 0 '3 variants' small "$work/close" << 'EOF'
4 2880 512 model 3.2 3.25 3.33
4 2880 1024 model 5 5 4
EOF
printf '4 2880 512\n4 2880 1024\n' > "$work/two"
shuffled='--b-layout shuffled --scale-layout shuffled'
# shellcheck disable=SC2086 # a list of options
{
    expect 'two are chosen' 0 '' "$mxgemm" pack build "$work/close" --out "$work/two_of" --variant "$a" --variant "$b"
    if [ "$(chosen "$work/close" 4 2880 512 $shuffled)" = "$b" ] &&
        [ "$(chosen "$work/two_of" 4 2880 512 $shuffled)" = "$a" ]; then ok 'and are not enough'
    else not_ok 'and are not enough' "$(chosen "$work/close" 4 2880 512 $shuffled)"; fi
    expect 'build for them' 0 '' "$mxgemm" pack build "$work/close" --out "$work/kept" --problems "$work/two" $shuffled
}
equal 'the one that decides is kept' "$work/kept" "$work/close"

# ---- what does not fit ---------------------------------------------------------------------------------------------

cp $pack "$work/damaged"
for variant in "$a" "$c"; do
    spoil "$work/damaged" $(($(offset_of $pack "$variant") + $(bytes_of $pack "$variant") / 2))
done
expect 'verify names a damaged variant' 1 "variant $a" "$mxgemm" pack verify "$work/damaged"
for text in "variant $c" "2 of $count variants have a fault"; do
    if grep -qF "$text" "$work/said"; then ok "it says: $text"
    else not_ok "it says: $text" "$(tail -n 1 "$work/said")"; fi
done
refused 'build of a damaged variant' "variant $a" "$mxgemm" pack build "$work/damaged" --out "$work/none" --variant "$a"
expect 'build of another' 0 '' "$mxgemm" pack build "$work/damaged" --out "$work/whole" --variant "$b"
refused 'extract of a damaged variant' "variant $a" "$mxgemm" pack extract "$work/damaged" --out "$work/none" \
    --variant "$a" --variant "$b"
head -c 70000 $pack > "$work/short_pack"
for command in list verify; do
    refused "$command of a truncated pack" truncated "$mxgemm" pack $command "$work/short_pack"
done
if [ -e "$work/none" ]; then not_ok 'what is refused leaves nothing' "$work/none is there"
else ok 'what is refused leaves nothing'; fi

problem() { # TEXT
    printf '%s\n' '16 2112 7168' "$1" > "$work/wrong"
    build "$work/none" --problems "$work/wrong"
}
refused 'a problem without k' 'wrong:2: k is missing' problem '16 2112'
refused 'a problem of a format that is none' 'wrong:2: a_format is f32' problem '16 2112 7168 f32'
refused 'a problem of a layout that is none' 'wrong:2: scale_layout is rows' problem '16 2112 7168 bf16 bf16 row rows'
refused 'a problem with more' 'wrong:2: 0 is one word too many' problem '16 2112 7168 bf16 bf16 row row 0'
refused 'a size that is no number' 'wrong:2: n is 2112x' problem '16 2112x 7168'
refused 'a problem that nobody does' 'k is 33' problem '16 2112 33'
refused 'no problems' 'has no problem in it' build "$work/none" --problems /dev/null
refused 'no such file' no-such-file build "$work/none" --problems "$work/no-such-file"

expect 'pack alone' 2 'after pack' "$mxgemm" pack
expect 'no command on packs' 2 'pack frobnicate' "$mxgemm" pack frobnicate
expect 'build of nothing' 2 'needs --variant' build "$work/none"
expect 'merge of one' 2 'needs 2 files' "$mxgemm" pack merge $pack --out "$work/none"
expect 'compare of three' 2 'one argument too many' "$mxgemm" pack compare $pack $pack $pack
expect 'help after pack' 0 'mxgemm pack build' "$mxgemm" pack --help

# ---- merge and compare ---------------------------------------------------------------------------------------------

# The record of the first variant, at 128: tile_m at 104, blob_sha256 at 224. Its code, without a new sum, and with one.
build "$work/one" --variant "$a" --variant "$b" && build "$work/field" --variant "$a" --variant "$b"
printf '\101' | put "$work/field" $((128 + 176)) && sum_index "$work/field"
expect 'a pack with 65 sgprs' 0 'variants for gfx950' "$mxgemm" pack verify "$work/field"
differs 'compare finds the field' "$a: sgprs is $(number "$work/one" $((128 + 176))) and 65" "$work/one" "$work/field"
differs 'and says it in JSON' '"field": "sgprs", ' "$work/one" "$work/field" --json
refused 'merge of two records' "variant $a has sgprs" "$mxgemm" pack merge "$work/one" "$work/field" --out "$work/none"
differs 'compare finds what is missing' "$a is only in $work/one" "$work/one" "$work/whole"
differs 'on either side' "$a is only in $work/one" "$work/whole" "$work/one"

# recode FILE: other code of its first variant, with its SHA-256 right.
recode() {
    blob=$(offset_of "$1" "$a") bytes=$(bytes_of "$1" "$a")
    spoil "$1" $((blob + bytes / 2)) && sum "$1" "$blob" "$bytes" $((128 + 224)) && sum_index "$1"
}
cp "$work/one" "$work/other"
recode "$work/other"
expect 'a pack with other code' 0 '2 variants for gfx950' "$mxgemm" pack verify "$work/other"
digest=$(sha256sum < out/gfx950/$a.hsaco | cut -c 1-64)
differs 'compare finds the code' "$a: the code objects have SHA-256 $digest and " "$work/one" "$work/other"
refused 'merge of two codes' "variant $a has other code in $work/one than in $work/other" \
    "$mxgemm" pack merge "$work/one" "$work/other" --out "$work/none"
expect 'merge that prefers the first' 0 '' "$mxgemm" pack merge "$work/one" "$work/other" --prefer first \
    --out "$work/first"
equal 'has the first' "$work/first" "$work/one"
expect 'merge that prefers the last' 0 '' "$mxgemm" pack merge "$work/one" "$work/other" --prefer last \
    --out "$work/last"
equal 'has the last' "$work/last" "$work/other"

# Times of another pack: of the model, and measured ones, which outrank them wherever they come from.
expect 'a pack of measured times' 0 '3 variants' small "$work/measured" << 'EOF'
4 2880 512 measured:MI355X,7.1,2026-11-30 6.5 6.25 6.125
EOF
expect 'a pack of newer ones' 0 '3 variants' small "$work/newer" << 'EOF'
4 2880 512 measured:MI355X,7.1,2026-12-01 - 5.5 -
EOF
expect 'a pack of other times of the model' 0 '3 variants' small "$work/slower" << 'EOF'
4 2880 512 model 3.2 3.25 3.375
EOF
expect 'merge of times' 0 '' "$mxgemm" pack merge "$work/close" "$work/measured" "$work/newer" --out "$work/times"
expect 'a pack of all these times' 0 '3 variants' small "$work/expected" << 'EOF'
4 2880 512 model 3.2 3.25 3.33
4 2880 512 measured:MI355X,7.1,2026-11-30 6.5 6.25 6.125
4 2880 512 measured:MI355X,7.1,2026-12-01 - 5.5 -
4 2880 1024 model 5 5 4
EOF
equal 'has them by their rank' "$work/times" "$work/expected"
if [ "$("$mxgemm" pack list "$work/times" | sed -n '2,4s/^times of \([^ ]*\): .*/\1/p' | tr '\n' ' ')" = \
    'measured:MI355X,7.1,2026-12-01 measured:MI355X,7.1,2026-11-30 model ' ]; then ok 'the newer first, the model last'
else not_ok 'the newer first, the model last' "$("$mxgemm" pack list "$work/times" | sed -n 2,4p)"; fi
differs 'compare finds a time' "$a: the time at 4 x 2880 x 512 of model is 3330 ns and 3375 ns" \
    "$work/close" "$work/slower"
differs 'and a row' "the time row at 4 x 2880 x 1024 of model is only in $work/close" "$work/slower" "$work/close"
differs 'and says it in JSON' '"first_ns": 3330, "second_ns": 3375}' "$work/close" "$work/slower" --json
refused 'merge of two times' "the time of $a at 4 x 2880 x 512 of model is 3330 ns and 3375 ns" \
    "$mxgemm" pack merge "$work/close" "$work/slower" --out "$work/none"
expect 'merge that prefers the last time' 0 '' "$mxgemm" pack merge "$work/close" "$work/slower" --prefer last \
    --out "$work/last"
expect 'a pack that has it' 0 '3 variants' small "$work/expected" << 'EOF'
4 2880 512 model 3.2 3.25 3.375
4 2880 1024 model 5 5 4
EOF
equal 'has it' "$work/last" "$work/expected"
expect 'merge that prefers the first time' 0 '' "$mxgemm" pack merge "$work/close" "$work/slower" --prefer first \
    --out "$work/first"
equal 'has that' "$work/first" "$work/close"
# Times go with their code: of other code neither those of the first pack nor both.
recode "$work/slower"
expect 'merge that prefers the last code' 0 '' "$mxgemm" pack merge "$work/close" "$work/slower" --prefer last \
    --out "$work/last"
differs 'has no time of the first' "$a: the time at 4 x 2880 x 1024 of model is not known and 4000 ns" "$work/last" \
    "$work/close"

# ---- compressed ----------------------------------------------------------------------------------------------------

if build "$work/compressed" --variant "$a" --variant "$b" --compress 2> "$work/said"; then
    expect 'list says what is compressed' 0 ' zstd ' "$mxgemm" pack list "$work/compressed"
    equal 'how it is stored does not count' "$work/compressed" "$work/one"
    expect 'extract what is compressed' 0 '' "$mxgemm" pack extract "$work/compressed" --out "$work/decompressed"
    same 'to the same bytes' "$work/decompressed/$a.hsaco" "out/gfx950/$a.hsaco"
    spoil "$work/compressed" $(($(offset_of "$work/compressed" "$b") + 1000))
    refused 'extract of damage that is compressed' "variant $b" "$mxgemm" pack extract "$work/compressed" \
        --out "$work/none"
else
    refused 'a build without zstd says so' "variant $a is to be compressed by zstd" build "$work/none" --variant "$a" \
        --compress
fi
if [ -e "$work/none" ]; then not_ok 'nothing of what was refused is there' "$(ls -d "$work/none")"
else ok 'nothing of what was refused is there'; fi
finish
