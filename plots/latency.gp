# What part of the admitted requests waited longer than a time. $all, $first: time in microseconds, share; staircases.
# $marks: time, share, text of the percentiles. left_us, max_us, floor_share: of the axes; has_first_touches, round_trip_us.
set logscale xy
# room at the right for the texts of the marks, which stand above the curve
right_us = max_us * (max_us / left_us)**0.45
right_us = right_us < 3 * max_us ? 3 * max_us : right_us
set xrange [left_us:right_us]
set yrange [floor_share:1.3]
set xlabel "added to the request"
y_title = "requests that wait longer"
@name_y
set lmargin at screen 0.195
set xtics ("0.1 us" 0.1, "10 us" 10, "1 ms" 1000, "0.1 s" 1e5, "10 s" 1e7, "1,000 s" 1e9)
if (right_us < 1e5 * left_us) {
    set xtics add ("0.01 us" 0.01, "1 us" 1, "0.1 ms" 100, "10 ms" 1e4, "1 s" 1e6, "100 s" 1e8, "10,000 s" 1e10)
}
if (right_us < 300 * left_us) {
    set xtics add ("0.2 us" 0.2, "0.5 us" 0.5, "2 us" 2, "5 us" 5, "20 us" 20, "50 us" 50, "0.2 ms" 200, "0.5 ms" 500, "2 ms" 2000, "5 ms" 5000, "20 ms" 2e4, "50 ms" 5e4, "0.2 s" 2e5, "0.5 s" 5e5, "2 s" 2e6, "5 s" 5e6, "20 s" 2e7, "50 s" 5e7)
}
set ytics ("all" 1, "1 in 10" 0.1, "1 in 100" 0.01, "1 in 1,000" 1e-3, "1 in 10,000" 1e-4, "1 in 100,000" 1e-5, "1 in 1 M" 1e-6, "1 in 10 M" 1e-7)
set arrow 1 from round_trip_us, graph 0 to round_trip_us, graph 1 nohead lw 2 dt (6,4) lc rgb colour_limit
plot $all using 1:2 with steps lw 3 lc rgb colour_policy title "all admitted", \
     NaN with lines lw 2 dt (6,4) lc rgb colour_limit title "one round trip", \
     $marks using 1:2 with points pt 7 ps 1.1*dot lc rgb colour_text notitle, \
     "" using 1:2:3 with labels left offset 0.9,0.5 noenhanced font ",14" textcolor rgb colour_text notitle, \
     $first using 1:2 with steps lw 2 lc rgb colour_first_touches title (has_first_touches > 0 ? "first touches" : "")
