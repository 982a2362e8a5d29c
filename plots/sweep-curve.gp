# One path varied: a panel for each measure. $data, a block for each panel: place of the value on the x axis (0 to 1), median,
# least, most, whether a seed is beyond the bound. names[N], expected[N], low[N], high[N] (of the y axis), bound[N] (NaN: none
# to draw); x_tics; x_name; alike; panel_count, column_count, plane_width, plane_height.
set label 3 alike at screen 0.025, screen below(74) left noenhanced font ",11" textcolor rgb colour_faint
unset key
unset grid
set grid ytics lt 1 lw 1 lc rgb colour_grid
unset xlabel
set xrange [-0.04:1.04]
set xtics @x_tics
step(span) = span < 1.5 ? 0.5 : span < 3.5 ? 1 : span < 7.5 ? 2 : 5
nice(span) = step(span / 10**floor(log10(span))) * 10**floor(log10(span))
colour_of(beyond) = beyond > 0 ? 0xD55E00 : 0x0072B2
set multiplot
do for [i = 1:panel_count] {
    column = (i - 1) % column_count
    row = (i - 1) / column_count
    panel_left = column * 310.0 + 68
    panel_top = 124.0 + row * (plane_height + 62)
    set lmargin at screen panel_left / width
    set rmargin at screen (panel_left + plane_width) / width
    set tmargin at screen below(panel_top)
    set bmargin at screen below(panel_top + plane_height)
    set label 5 names[i] at screen (panel_left - 50) / width, screen below(panel_top - 16) left noenhanced font ",14" textcolor rgb colour_text
    set label 6 expected[i] at graph 1, screen below(panel_top - 16) right noenhanced font ",13" textcolor rgb colour_faint
    unset xlabel
    if (i + column_count > panel_count) { set xlabel x_name noenhanced font ",13" offset 0,0.4 textcolor rgb colour_text }
    set format y digits(high[i])
    set yrange [low[i]:high[i]]
    set ytics nice((high[i] - low[i]) / 2.0)
    plot $data index i-1 using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc rgb colour_admitted notitle, \
         bound[i] with lines lw 2 dt (6,4) lc rgb colour_limit notitle, \
         $data index i-1 using 1:2 with lines lw 2.5 lc rgb colour_admitted notitle, \
         "" index i-1 using 1:3:(0):($4-$3):(colour_of($5)) with vectors nohead lw 1 lc rgb variable notitle, \
         "" index i-1 using 1:2:(colour_of($5)) with points pt 7 ps 1.4*dot lc rgb variable notitle
    unset label 1
    unset label 2
    unset label 3
}
unset multiplot
