#!/bin/sh
# mxgemm choose as typed: it says what explain and run say, for lists of problems too, and refuses odd ones.
. tests/cli/lib.sh
: "${B:=out}"
mxgemm=$B/bin/mxgemm
shuffled='--b-layout shuffled --scale-layout shuffled'

choose() { # LINES MORE...: of the problems
    printf '%b' "$1" > "$work/problems"
    shift
    "$mxgemm" choose --problems "$work/problems" "$@"
}
chosen() { # LINES MORE...: m n k and the variant, a line each
    choose "$@" | awk 'NR > 1 {print $1, $2, $3, $9}'
}

# What explain puts first, for the command line's own options and for those of a line.
for problem in '1 2112 7168' '16 2880 512' '64 7168 2048' '300 4096 4096' '4096 8192 8192'; do
    for a in bf16 mxfp4; do
        set -- $problem
        "$mxgemm" explain --m "$1" --n "$2" --k "$3" --a-format $a $shuffled > "$work/explained"
        first=$(awk 'NR == 2 {print $3}' "$work/explained") us=$(awk 'NR == 2 {print $1}' "$work/explained")
        if [ "$(choose "$problem\n" --a-format $a $shuffled | awk 'NR == 2 {print $8, $9}')" = "$us $first" ] &&
            [ "$(chosen "$problem $a bf16 shuffled shuffled\n")" = "$problem $first" ]; then
            ok "$problem of $a: what explain says"
        else
            not_ok "$problem of $a: what explain says" "$us $first; choose: $(tail -n 1 "$work/problems")"
        fi
    done
done
choose '16 2112 7168\n' $shuffled --cu-count 64 > "$work/few"
"$mxgemm" explain --m 16 --n 2112 --k 7168 $shuffled --cu-count 64 > "$work/explained"
if [ "$(awk 'NR == 2 {print $8, $9}' "$work/few")" = "$(awk 'NR == 2 {print $1, $3}' "$work/explained")" ]; then
    ok 'for another device'
else
    not_ok 'for another device' "$(cat "$work/few")"
fi

# ---- lists ---------------------------------------------------------------------------------------------------------

lists() { # NAME LINES EXPECTED: the problems of the lines
    choose "$2" > "$work/chosen" 2> "$work/said"
    printf '%b' "$3" > "$work/expected"
    awk 'NR > 1 {print $1, $2, $3}' "$work/chosen" > "$work/problems_of"
    if cmp -s "$work/problems_of" "$work/expected"; then ok "$1"
    else not_ok "$1" "$(cat "$work/said" "$work/problems_of" | tr '\n' ';')"; fi
}
lists 'one' '1 64 128\n' '1 64 128\n'
lists 'a list' '1,3,2 64 128\n' '1 64 128\n3 64 128\n2 64 128\n'
lists 'a range' '1..3 64 128\n' '1 64 128\n2 64 128\n3 64 128\n'
lists 'a range of one' '5..5 64 128\n' '5 64 128\n'
lists 'steps' '64..96+16 64 128\n' '64 64 128\n80 64 128\n96 64 128\n'
lists 'factors' '1..8*2 64 128\n' '1 64 128\n2 64 128\n4 64 128\n8 64 128\n'
lists 'all of these' '1,4..8*2,9 64 128\n' '1 64 128\n4 64 128\n8 64 128\n9 64 128\n'
lists 'every m with every n and k' '1,2 64,32 128,96\n' \
    '1 64 128\n1 64 96\n1 32 128\n1 32 96\n2 64 128\n2 64 96\n2 32 128\n2 32 96\n'
lists 'comments and empty lines' '# all\n\n1 64 128 # one\n   \n2 64 128 mxfp4 f32' '1 64 128\n2 64 128\n'
lists 'hexadecimal' '0x10 64 128\n' '16 64 128\n'

expect 'a note is shown' 0 '# q_proj of "x"' choose '1 64 128 # q_proj of "x"\n'
expect 'and is in the JSON' 0 '"note": "q_proj of \u0022x\u0022"' choose '1 64 128 # q_proj of "x"\n' --json
expect 'JSON says what the problem is of' 0 \
    '"a_format": "mxfp4", "c_format": "f32", "b_layout": "row", "scale_layout": "shuffled"' \
    choose '1 64 128 mxfp4 f32 row shuffled\n' --json
expect 'defaults have names too' 0 '"a_format": "bf16", "c_format": "bf16", "b_layout": "row", "scale_layout": "row"' \
    choose '1 64 128\n' --json
printf '2 64 128\n' | "$mxgemm" choose > "$work/from_input"
choose '2 64 128\n' > "$work/from_file"
same 'the standard input is the default' "$work/from_input" "$work/from_file"
printf '2 64 128\n' | "$mxgemm" choose --problems - > "$work/from_input"
same 'and -' "$work/from_input" "$work/from_file"
if [ "$(choose '1..256 16..4096+16 512\n' | wc -l)" -eq 65537 ]; then ok '65536 problems'
else not_ok '65536 problems' "$(choose '1..256 16..4096+16 512\n' | tail -n 1)"; fi

# ---- what is refused -----------------------------------------------------------------------------------------------

# The pack of one variant does no problem of another format.
"$mxgemm" pack build --out "$work/few.mxpack" --variant gemm_plain_m16n64_w1x4_s1_bf16 > "$work/said" 2>&1
expect 'what no variant does is a failure at the end' 1 \
    'no variant does 1 of the 2 problems; mxgemm explain says why' \
    choose '1 64 128\n1 64 128 mxfp4\n' --pack "$work/few.mxpack"
expect 'and all are listed' 1 '"variant": null' choose '1 64 128\n1 64 128 mxfp4\n' --pack "$work/few.mxpack" --json

bad() { # NAME TEXT LINES MORE...
    name=$1 text=$2
    shift 2
    refused "$name" "$text" choose "$@"
}
bad 'no problem' 'has no problem in it' '# none\n'
bad 'a word' 'problems:2: n is many, which it cannot be' '1 64 128\n1 many 128\n'
bad 'a missing k' 'problems:1: k is missing' '1 64\n'
bad 'too many words' 'problems:1: x is one word too many' '1 64 128 bf16 bf16 row row x\n'
bad 'a wrong format' 'problems:1: a_format is f32' '1 64 128 f32\n'
for m in 0 -1 1.5 1e3 , 1, ,1 1,,2 .. 1.. ..2 3..2 1..4*3 1..4*1 1..4*0 1..4+0 1..4+2 1..4*2*2 1..2..3 +1 1..4- \
    9223372036854775808 1..9223372036854775807; do
    bad "m of $m" "problems:1: m is $m, which it cannot be" "$m 64 128\n"
done
bad 'too many in all' 'no room for more than 65536' '1..257 16..4096+16 512\n'
bad 'a k that is no multiple of 32' 'm 1, n 64, k 100: ' '1 64 128\n1 64 100\n'
bad 'an n that shuffled B has not' 'm 1, n 100, k 128: ' '1 100 128\n' --b-layout shuffled
expect 'an arch that none is for' 1 'no variant does 1 of the 1 problems' choose '1 64 128\n' --arch gfx000
refused 'no such file' 'no-such-file' "$mxgemm" choose --problems "$work/no-such-file"
printf '1 64 128\000\n' > "$work/nul"
refused 'a NUL' 'nul:1: there is a NUL' "$mxgemm" choose --problems "$work/nul"
expect 'no option of run' 2 'choose has no option --variant' choose '1 64 128\n' --variant x
expect 'no words' 2 'one argument too many' choose '1 64 128\n' more
finish
