# Points with names on two logarithmic axes; loaded by scripts that then plot them. $data: x, y, name, the side of its point on
# which the name stands, whether it is a good one, units of a fixed lease (0: it is none). left, right, bottom, top: of the axes;
# line_x, line_y: bounds (0: none); x_title, y_title, note.
set logscale xy
set xrange [left:right]
set yrange [bottom:top]
set xlabel x_title
@name_y
set lmargin at screen 0.125
set rmargin at screen 0.965
set format x digits(1e4)
set format y "%g"
set xtics add ("1" 1, "10" 10, "100" 100, "1k" 1000, "10k" 1e4, "100k" 1e5, "1M" 1e6)
if (line_x > 0) { set arrow 1 from line_x, graph 0 to line_x, graph 1 nohead lw 2 dt (6,4) lc rgb colour_limit }
if (line_y > 0) { set arrow 2 from graph 0, first line_y to graph 1, first line_y nohead lw 2 dt (6,4) lc rgb colour_limit }
good = 0x009E73
bad = 0xD55E00
colour_of(is_good) = is_good > 0 ? good : bad
named(side) = strcol(4) eq side ? strcol(3) : ""
names = '"" using 1:2:(named("right")) with labels left offset 0.9,0 noenhanced font ",13" textcolor rgb colour_text notitle, \
    "" using 1:2:(named("left")) with labels right offset -0.9,0 noenhanced font ",13" textcolor rgb colour_text notitle, \
    "" using 1:2:(named("above")) with labels center offset 0,0.8 noenhanced font ",13" textcolor rgb colour_text notitle, \
    "" using 1:2:(named("below")) with labels center offset 0,-0.8 noenhanced font ",13" textcolor rgb colour_text notitle'
