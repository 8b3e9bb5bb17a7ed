# FLOP rate over intensity: the roof of memory and matrix units, and what each product reaches under it.
#   gnuplot -e 'data = "problems.tsv"' -e 'picture = "roofline.svg"' roofline.gp
load "tests/bench/problems/contestants.gp"
set terminal svg size 1200,800 font "sans-serif,14" background "white"
set output picture
stats data using (column("bytes") / column("bytes_us") * 1e-6) nooutput
bandwidth = STATS_max # TB/s
stats data using (column("flop") / column("flop_us") * 1e-6) nooutput
peak = STATS_max # TFLOP/s
min(a, b) = a < b ? a : b
rate(who) = column("flop") / column(who) * 1e-6
point_of(who) = who eq "floor" ? 2 : who eq "chosen" ? 7 : who eq "best" ? 6 : who eq "origin" ? 9 : \
    who eq "aiter" ? 5 : 13

set logscale xy
set xrange [2:10000]
set yrange [0.5:20000]
set format "%g"
set xlabel "FLOP a byte of A in bf16, B in MXFP4 and C in bf16"
set ylabel "TFLOP/s"
set title sprintf("Roofline of an MI355X, %.3g TB/s and %.4g PFLOP/s of FP4; rates are predictions, ".\
    "except where measured", bandwidth, peak * 1e-3)
set grid lt 1 lc rgb "#dddddd"
set border 3
set tics nomirror out
set key bottom right Left reverse samplen 2

plot min(peak, bandwidth * x) title "roof" lw 2 lc rgb "#444444", \
    for [who in "floor ".present] data using (column("flop") / column("bytes")):(rate(who)) title title_of(who) \
        with points pt point_of(who) ps (who eq "best" ? 1.3 : 0.9) lc rgb color_of(who)
