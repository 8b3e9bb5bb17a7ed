# What both pictures have in common. data: the file of columns.
set datafile separator "\t"
set datafile missing "-"
set datafile columnheaders
# The columns from "chosen" on that have a number.
present = system("awk -F'\\t' 'NR == 1 {split($0, name); for (first = 1; name[first] != \"chosen\";) first++} ".\
    "NR > 1 {for (i = first; i <= NF; i++) if ($i != \"-\") there[i] = 1} ".\
    "END {for (i = first; i <= NF; i++) if (there[i]) print name[i]}' '".data."'")
title_of(who) = who eq "floor" ? "floor: one launch, one round trip, bytes or FLOP" : \
    who eq "chosen" ? "ours, chosen" : who eq "best" ? "ours, best by the model" : \
    who eq "aiter" ? "aiter (A quantised before)" : who eq "published" ? "aiter, measured on an MI355X" : who
color_of(who) = who eq "floor" ? 0xb0b0b0 : who eq "chosen" ? 0x1f77b4 : who eq "best" ? 0x9ecae1 : \
    who eq "origin" ? 0xff9f1c : who eq "aiter" ? 0x55a868 : 0x1b5e20
