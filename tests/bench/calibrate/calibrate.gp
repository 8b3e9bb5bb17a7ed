# Predicted against measured times of aiter's kernels, by tile.
#   gnuplot -e 'data = "calibration.tsv"' -e 'picture = "calibration.svg"' calibrate.gp
set terminal svg size 1200,1000 font "sans-serif,14" background "white"
set output picture
set datafile separator "\t"
tiles = system(sprintf("awk -F'\\t' 'NR > 1 && !seen[$4 \"x\" $5]++ {print $4 \"x\" $5}' '%s' | sort -n", data))
of(tile) = sprintf("< awk -F'\\t' 'NR == 1 || $4 \"x\" $5 == \"%s\"' '%s'", tile, data)

set logscale xy
set xrange [2:40000]
set yrange [2:40000]
set format "%g"
set xlabel "measured on an MI355X and published with aiter (us)"
set ylabel "predicted (us)"
set title "Times of aiter's hand-written MXFP4 kernels, by tile; open: rows kept out of the fit"
set grid lt 1 lc rgb "#dddddd"
set border 3
set tics nomirror out
set key bottom right Left reverse samplen 1
fit(column_of) = strcol("part") eq "fit" ? column(column_of) : NaN
kept_out(column_of) = strcol("part") eq "kept-out" ? column(column_of) : NaN

plot x title "equal" lw 1.5 lc rgb "#444444", \
    x * 1.2 title "20 % off" lw 1 dt 2 lc rgb "#aaaaaa", x / 1.2 notitle lw 1 dt 2 lc rgb "#aaaaaa", \
    for [n = 1:words(tiles)] of(word(tiles, n)) using "measured_us":(fit("predicted_us")) title word(tiles, n) \
        with points pt 7 ps 0.4 lc rgb hsv2rgb((n - 1.0) / words(tiles), 0.8, 0.8), \
    for [n = 1:words(tiles)] of(word(tiles, n)) using "measured_us":(kept_out("predicted_us")) notitle \
        with points pt 6 ps 0.6 lc rgb hsv2rgb((n - 1.0) / words(tiles), 0.8, 0.8)
