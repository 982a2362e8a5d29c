# What each way of leasing costs, and how far off it is. $data: asks per second, error, name, side of its point on which the
# name stands, whether it keeps all bounds, units of a fixed lease (0: it is none). left, right, bottom, top: of the axes;
# least_error: less is shown as that; error_title; error_bound, asks_bound (below 0: none).
set logscale xy
set xrange [left:right]
set yrange [bottom:top]
set xlabel "asks of the store per second"
y_title = error_title
note = bottom < least_error ? "lowest: ".sprintf("%g", least_error)." or less" : ""
@name_y
set lmargin at screen 0.125
set rmargin at screen 0.965
set format x digits(1e4)
set format y "%g"
set xtics add ("1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1k" 1000, "2k" 2000, "5k" 5000, "10k" 1e4, "20k" 2e4, "50k" 5e4, "100k" 1e5, "200k" 2e5, "500k" 5e5, "1M" 1e6)
colour_of(keeps) = keeps > 0 ? 0x009E73 : 0xD55E00
if (asks_bound > 0) {
    set arrow 1 from asks_bound, graph 0 to asks_bound, graph 1 nohead lw 2 dt (6,4) lc rgb colour_limit
}
if (error_bound > 0) {
    set arrow 2 from graph 0, first error_bound to graph 1, first error_bound nohead lw 2 dt (6,4) lc rgb colour_limit
}
named(side) = strcol(4) eq side ? strcol(3) : ""
plot $data using ($6 > 0 ? $1 : NaN):2 with lines lw 2 lc rgb colour_ideal title "fixed leases", \
     NaN with lines lw 2 dt (6,4) lc rgb colour_limit title "bounds", \
     NaN with points pt 7 ps 1.5*dot lc rgb 0x009E73 title "keeps all bounds", \
     NaN with points pt 7 ps 1.5*dot lc rgb 0xD55E00 title "misses one", \
     $data using 1:2:($6 > 0 ? 1.2*dot : 1.8*dot):(colour_of($5)) with points pt 7 ps variable lc rgb variable notitle, \
     "" using 1:2:(named("right")) with labels left offset 0.9,0 noenhanced font ",13" textcolor rgb colour_text notitle, \
     "" using 1:2:(named("left")) with labels right offset -0.9,0 noenhanced font ",13" textcolor rgb colour_text notitle, \
     "" using 1:2:(named("above")) with labels center offset 0,0.8 noenhanced font ",13" textcolor rgb colour_text notitle, \
     "" using 1:2:(named("below")) with labels center offset 0,-0.8 noenhanced font ",13" textcolor rgb colour_text notitle
