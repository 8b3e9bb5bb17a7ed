#!/bin/sh
# mxgen build --shard and mxgen merge, mxgen verify, and mxgen in recipes of make.
. tests/cli/lib.sh
. tests/cli/builds.sh

for split in 1 2 4; do
    for c in bf16 f16 f32; do table_row plain bf16 16 64 1 4 1 1 $split $c; done
done > "$work/table"
table_row plain bf16 64 128 2 2 1 1 2 f32 >> "$work/table"
table_row quantise bf16 32 256 4 1 1 1 1 mxfp4 >> "$work/table"

merge() { # OUT SHARD_DIR...
    out=$1
    shift
    "$mxgen" merge --table "$work/table" --templates "$work/templates" --out "$out" "$@"
}

cp "$work/table" "$work/rows"
build "$work/whole" > /dev/null
hashes "$work/whole" > "$work/wanted"
like_the_whole() { # NAME OUT
    hashes "$2" > "$work/got" 2>&1
    same "$1" "$work/got" "$work/wanted"
}

# ---- shards ---------------------------------------------------------------------------------------------------------

for shard in 1 2 3 4; do
    expect "shard $shard of 4 is built" 0 "mxgen: shard $shard/4: " build "$work/shard$shard" --shard "$shard/4"
done
counts=$(for shard in 1 2 3 4; do printf '%d ' "$(find "$work/shard$shard" -name '*.hsaco' | wc -l)"; done)
if [ "$counts" = '3 3 3 2 ' ]; then ok 'each has a quarter'; else not_ok 'each has a quarter' "$counts"; fi
index=$(find "$work/shard1" -name '*.mxpack' -o -name manifest.json -o -name report.txt)
if [ -z "$index" ]; then ok 'and no index'; else not_ok 'and no index' "$index"; fi
expect 'but says which it is' 0 '2/4' cat "$work/shard2/gfx950/part"
builds 'nothing for a shard that is up to date' '' build "$work/shard2" --shard 2/4

expect 'they are merged' 0 'mxgen: 11 variants of 4 shards' merge "$work/merged" "$work"/shard[1-4]
like_the_whole 'to what a build makes' "$work/merged"
builds 'nothing after that' '' build "$work/merged"
expect 'they are merged in any order, into what is there' 0 '' merge "$work/merged" "$work/shard3" "$work/shard1" \
    "$work/shard2" "$work/shard4"
like_the_whole 'to the same' "$work/merged"

cp -R "$work/shard4" "$work/all"
builds 'what a shard lacks when all is asked for' "$(ls "$work/whole/gfx950" | sed -n 's/\.hsaco$//p' |
    while read -r name; do [ -e "$work/all/gfx950/$name.hsaco" ] || echo "$name"; done)" build "$work/all"
like_the_whole 'and then it is like the whole' "$work/all"
expect 'of which a shard is made again' 0 'shard 4/4' build "$work/all" --shard 4/4
index=$(find "$work/all" -name '*.mxpack' -o -name manifest.json -o -name report.txt | wc -l)
if [ "$(find "$work/all" -name '*.hsaco' | wc -l)" -eq 2 ] && [ "$index" -eq 0 ]; then ok 'without the rest'
else not_ok 'without the rest' "$(find "$work/all")"; fi
expect 'a shard without a row is one too' 0 'shard 12/12: 0 variants' build "$work/none" --shard 12/12

for shard in 0/4 5/4 1/0 /4 1/ 1 -1/4 1/4x 1/4/2 1/9999999 ''; do
    expect "\"$shard\" is no shard" 2 '' build "$work/bad" --shard "$shard"
done
expect 'a shard of words is named' 2 'and not one/2' build "$work/bad" --shard one/2
expect 'nothing to merge is misuse' 2 'SHARD_DIR' merge "$work/bad"
refused 'a shard that is not there' "cannot read the shard $work/gone: No such file or directory" merge "$work/bad" \
    "$work/gone"

# What must not be merged: each by its name, and why.
cannot() { # NAME SENTENCE SHARD_DIR...
    name=$1 sentence=$2
    shift 2
    rm -rf "$work/bad"
    expect "$name" 1 "$sentence" merge "$work/bad" "$@"
    if [ -z "$(find "$work/bad" -type f)" ]; then ok 'and nothing is written'
    else not_ok 'and nothing is written' "$(find "$work/bad" -type f)"; fi
}
lacking=$(ls "$work/shard2/gfx950" | sed -n 's/\.hsaco$//p')
cannot 'a shard is missing' 'nothing is merged: 3 of 11 variants are not there' "$work/shard1" "$work/shard3" \
    "$work/shard4"
said=$(grep -c 'it is in no shard' "$work/said") named=0
for name in $lacking; do grep -qx "mxgen: $name: it is in no shard" "$work/said" && named=$((named + 1)); done
if [ "$said" -eq 3 ] && [ $named -eq 3 ]; then ok 'its variants are named'; else not_ok 'its variants are named' \
    "$(cat "$work/said")"; fi

one=$(echo $lacking | sed 's/ .*//')
cp -R "$work/shard2" "$work/spoilt"
printf x >> "$work/spoilt/gfx950/$one.hsaco"
cannot 'an object has other bytes' "$one: in $work/spoilt it is not as it was when it was built" "$work/shard1" \
    "$work/spoilt" "$work/shard3" "$work/shard4"
expect 'but another shard may have it' 0 '' merge "$work/merged2" "$work/shard1" "$work/spoilt" "$work"/shard[2-4]
like_the_whole 'which is then the whole' "$work/merged2"
: > "$work/spoilt/gfx950/key/$one.key"
cannot 'an empty record' "$one: in $work/spoilt it is without a record that mxgen has written" \
    "$work/shard1" "$work/spoilt" "$work/shard3" "$work/shard4"
rm "$work/spoilt/gfx950/key/$one.key"
cannot 'no record' "$one: in $work/spoilt it is without a record of what it was made from" "$work/shard1" \
    "$work/spoilt" "$work/shard3" "$work/shard4"

mkfifo "$work/spoilt/gfx950/key/$one.key"
cannot 'a record that is a pipe' "$one: in $work/spoilt it is without a record" "$work/shard1" "$work/spoilt" \
    "$work/shard3" "$work/shard4"
rm "$work/spoilt/gfx950/$one.hsaco"
ln -s /dev/zero "$work/spoilt/gfx950/$one.hsaco"
cannot 'an object without an end' "$one: it is in no shard" "$work/shard1" "$work/spoilt" "$work/shard3" "$work/shard4"
rm -rf "$work/spoilt"
build "$work/spoilt" --shard 2/4 --option -DNOBODY_ASKS=1 > /dev/null
cannot 'a shard of other options' "$one: in $work/spoilt it is of other options" "$work/shard1" "$work/spoilt" \
    "$work/shard3" "$work/shard4"
echo '// One line more.' >> "$work/templates/prelude.hip.in"
build "$work/spoilt" --shard 2/4 > /dev/null
cp templates/* "$work/templates/"
cannot 'a shard of other templates' "$one: in $work/spoilt it is of another source" "$work/shard1" "$work/spoilt" \
    "$work/shard3" "$work/shard4"
sed -i "s/^compiler ./compiler x/" "$work/shard1/gfx950/key"/*.key
cannot 'a shard of another compiler' ": in $work/shard1 it is of another compiler" "$work"/shard[1-4]

# A farm: GNU parallel runs a build for each shard, here on this machine alone.
if command -v parallel > /dev/null && parallel --version 2> /dev/null | grep -q '^GNU parallel'; then
    farm() {
        parallel --will-cite -j2 "$mxgen" build --table "$work/table" --templates "$work/templates" \
            --out "$work/farm{}" --shard '{}/3' -j1 ::: 1 2 3 && merge "$work/farm" "$work"/farm[123]
    }
    expect 'GNU parallel builds three shards' 0 'mxgen: 11 variants of 3 shards' farm
    like_the_whole 'which are the whole' "$work/farm"
else
    skip 'GNU parallel builds three shards' 'GNU parallel is not installed'
fi

# ---- verify ---------------------------------------------------------------------------------------------------------

verify() {
    "$mxgen" verify --table "$work/table" --templates "$work/templates" --out "$work/whole" "$@"
}
state() { # of all that is below the directory, times included
    (cd "$work/whole" && find . -exec stat -c '%n %s %Y %Z %i' {} + | sort)
}
mkdir "$work/tmp"
state > "$work/before"
expect 'what was built verifies' 0 '11 variants, compiled anew, are what is below' env TMPDIR="$work/tmp" "$mxgen" \
    verify --table "$work/table" --templates "$work/templates" --out "$work/whole"
state > "$work/after"
same 'and nothing is written' "$work/after" "$work/before"
if [ -z "$(ls "$work/tmp")" ]; then ok 'nor left in TMPDIR'; else not_ok 'nor left in TMPDIR' "$(ls "$work/tmp")"; fi

spoil() { # NAME SENTENCE FILE: what is appended to the file is found, alone
    cp "$work/whole/$3" "$work/kept"
    printf x >> "$work/whole/$3"
    expect "verify finds $1" 1 "$work/whole/$3 $2" verify
    if grep -q 'is not what would be built: 1 differences$' "$work/said"; then ok 'and that alone'
    else not_ok 'and that alone' "$(tail -n 3 "$work/said")"; fi
    cp "$work/kept" "$work/whole/$3"
}
size=$(wc -c < "$work/whole/gfx950/$one.hsaco")
spoil 'a byte more of an object' \
    "differs from what would be built at byte $size: $((size + 1)) bytes instead of $size" "gfx950/$one.hsaco"
spoil 'another source' 'differs' "gfx950/src/$one.hip"
spoil 'another manifest' 'differs' gfx950/manifest.json
spoil 'another report' 'differs' gfx950/report.txt
spoil 'another pack' 'differs' mxgemm-gfx950.mxpack
mv "$work/whole/gfx950/$one.hsaco" "$work/whole/gfx950/stranger.hsaco"
expect 'verify finds what is missing' 1 "$one.hsaco cannot be read: No such file or directory" verify
if grep -qF 'stranger.hsaco is of no row of the table' "$work/said"; then ok 'and what is too much'
else not_ok 'and what is too much' "$(cat "$work/said")"; fi
mv "$work/whole/gfx950/stranger.hsaco" "$work/whole/gfx950/$one.hsaco"
sed -i '$d' "$work/table"
expect 'verify finds the objects of a dropped row' 1 'is of no row of the table' verify
refused 'verify of what is not there' "cannot open the directory $work/nowhere" "$mxgen" verify --out "$work/nowhere"

# ---- make's jobserver ----------------------------------------------------------------------------------------------

# make itself says so if a token is missing or too much at its end. Two builds and two others share its tokens.
cp "$work/rows" "$work/table"
cp -R templates "$work/broken"
sed -i '1s/^/#error XYZZY\n/' "$work/broken/prelude.hip.in"
cat > "$work/Makefile" << EOF
all: one two three four
one two:
	+@rm -rf '$work/\$@' && "$mxgen" build --table '$work/table' --templates '$work/templates' --out '$work/\$@' -j8
three four:
	@sleep 1
fails:
	+@"$mxgen" build --table '$work/table' --templates '$work/broken' --out '$work/fails' -j8
stopped:
	+@timeout -s TERM 0.5 "$mxgen" build --table '$work/table' --templates '$work/templates' --out '$work/stopped' -j8
EOF
with_make() { # WORDS...: of make, without what this test itself is run by
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "${MAKE:-make}" -f "$work/Makefile" "$@"
}
tokens_are_back() { # NAME
    if grep -q INTERNAL "$work/said"; then not_ok "$1" "$(grep INTERNAL "$work/said")"; else ok "$1"; fi
}
for jobs in 1 2 8; do
    expect "two builds in recipes of make -j$jobs" 0 '11 variants, 11 compiled' with_make "-j$jobs"
    tokens_are_back 'which has its tokens back'
    like_the_whole 'and they make what a build makes' "$work/two"
done
expect 'a build that fails in a recipe' 2 'mxgen: 11 of 11 variants failed:' with_make -j4 fails three
tokens_are_back 'gives its tokens back'
expect 'a build that is interrupted in a recipe' 2 '' with_make -j4 stopped three
tokens_are_back 'gives its tokens back too'
finish
