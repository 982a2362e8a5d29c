# Alternatives of a claim as points. $data: x, y, name, the side of its point on which the name stands, whether nothing beats it
# in all that is shown; left, right, bottom, top: of the axes; axis, y_axis, least_x, least (less is shown as these), has_limit, limit,
# limit_text.
set logscale xy
set xrange [left:right]
set yrange [bottom:top]
set xlabel axis
y_title = y_axis
note = "lowest: ".sprintf("%g", least)." or less; to the left: ".sprintf("%g", least_x)." or less"
@name_y
set lmargin at screen 0.125
set rmargin at screen 0.965
set format x digits(1e4)
set format y "%g"
set xtics add ("1" 1, "10" 10, "100" 100, "1k" 1000, "10k" 1e4, "100k" 1e5, "1M" 1e6)
if (has_limit > 0) { set arrow 1 from graph 0, first limit to graph 1, first limit nohead lw 2 dt (6,4) lc rgb colour_limit }
named(side) = strcol(4) eq side ? strcol(3) : ""
colour_of(front) = front > 0 ? 0x009E73 : 0xD55E00
plot NaN with lines lw has_limit > 0 ? 2 : 0 dt (6,4) lc rgb colour_limit title has_limit > 0 ? limit_text : "", \
     NaN with points pt 7 ps 1.6*dot lc rgb 0x009E73 title "on the front", \
     NaN with points pt 7 ps 1.6*dot lc rgb 0xD55E00 title "beaten", \
     $data using 1:2:(colour_of($5)) with points pt 7 ps 1.8*dot lc rgb variable notitle, \
     "" using 1:2:(named("right")) with labels left offset 0.9,0 noenhanced font ",13" textcolor rgb colour_text notitle, \
     "" using 1:2:(named("left")) with labels right offset -0.9,0 noenhanced font ",13" textcolor rgb colour_text notitle, \
     "" using 1:2:(named("above")) with labels center offset 0,0.8 noenhanced font ",13" textcolor rgb colour_text notitle, \
     "" using 1:2:(named("below")) with labels center offset 0,-0.8 noenhanced font ",13" textcolor rgb colour_text notitle
