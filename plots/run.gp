# One run: what was admitted against the ideal and the limit, and the error of every interval below.
# Needs: folder, heading, duration_s, reach (of the error axis, in %). Reads folder/timeline.csv and folder/intervals.csv; writes run.svg and run.png.
set encoding utf8
set datafile separator ","
blue = "#0072B2"; orange = "#D55E00"; grey = "#666666"; green = "#009E73"

do for [kind in "svg png"] {
    if (kind eq "svg") {
        set terminal svg size 1000,700 dynamic font "DejaVu Sans,13" background "white"
    } else {
        set terminal pngcairo size 1000,700 font "DejaVu Sans,11" background "white"
    }
    set output folder."/run.".kind
    set multiplot layout 2,1 title heading noenhanced font ",15" margins 0.10,0.78,0.10,0.90 spacing 0.12
    set grid lt 1 lw 1 lc rgb "#e4e4e4"
    set border 3
    set tics nomirror
    set key outside right top Left reverse samplen 2

    set xlabel ""
    set ylabel "units per second"
    set yrange [0:*]
    set xrange [0:duration_s]
    plot folder."/timeline.csv" every ::1 using 1:3 with lines lw 3 lc rgb "#bbbbbb" title "ideal (oracle)", \
         "" every ::1 using 1:2 with lines lw 1.3 lc rgb blue title "admitted", \
         "" every ::1 using 1:4 with lines lw 1.5 dt 2 lc rgb orange title "sum of limits"

    set xlabel "simulated time in seconds"
    set ylabel "error per key and interval\nin % of the limit"
    set yrange [-reach:reach]
    plot 1 with lines dt 2 lc rgb grey title "budget: ±1 %", -1 with lines dt 2 lc rgb grey notitle, \
         folder."/intervals.csv" every ::1 using 2:($3 >= 1000 && $4 > 0 && $7 == 0 && $8 == 0 ? 0 : NaN) with points pt 7 ps 0.3 lc rgb grey title "none", \
         "" every ::1 using 2:($3 >= 1000 && $4 > 0 && $7 > 0 ? $7 : NaN) with points pt 9 ps 0.9 lc rgb orange title "over", \
         "" every ::1 using 2:($3 >= 1000 && $4 > 0 && $8 > 0 ? -$8 : NaN) with points pt 11 ps 0.9 lc rgb blue title "under"
    unset multiplot
    set output
}
