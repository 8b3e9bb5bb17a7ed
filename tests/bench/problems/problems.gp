# Bars for each problem: the floor, ours, others'.
#   gnuplot -e 'data = "problems.tsv"' -e 'picture = "problems.svg"' problems.gp
load "tests/bench/problems/contestants.gp"
set terminal svg size 1400,1000 font "sans-serif,14" background "white"
set output picture
rows(where) = sprintf("< awk -F'\\t' 'NR == 1 || $2 ~ /%s/' '%s'", where, data)

set style data histograms
set style histogram clustered gap 1.5
set style fill solid 1.0 noborder
set logscale y
set format y "%g"
set grid y lt 1 lc rgb "#cccccc"
set border 3
set tics nomirror out
set ylabel "time of one product (us, log scale)"
set xtics rotate by 30 right font ",12"
set key outside top center horizontal Left reverse samplen 1.5
set yrange [1:*]

set multiplot layout 2,1
set title "Contest problems, M x N x K; times are predictions, except where measured"
plot for [who in "floor ".present] rows("contest") using (column(who)):xtic(1) title title_of(who) lc rgb color_of(who)
set title "Layers of served models, and one large product"
unset key
plot for [who in "floor ".present] rows("serving|large") using (column(who)):xtic(1) lc rgb color_of(who)
unset multiplot
