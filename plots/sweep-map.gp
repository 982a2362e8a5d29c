# Two paths varied: a panel for each measure. $data, a block for each panel: column and row (0 to 1), worst of the seeds, the
# same as text, whether it is beyond the bound. names[N], expected[N], low[N], high[N] (of the values), more[N] (1: more is
# better); x_tics, y_tics, x_count, y_count; alike; has_numbers; panel_count, column_count, plane_width,
# plane_height.
set label 3 alike at screen 0.025, screen below(74) left noenhanced font ",11" textcolor rgb colour_faint
unset key
unset grid
unset xlabel
half(count) = count > 1 ? 0.5 / (count - 1) : 0.5
set xrange [-half(x_count):1 + half(x_count)]
set yrange [-half(y_count):1 + half(y_count)]
set xtics @x_tics scale 0
set ytics @y_tics scale 0
set border 0
set style fill solid 1.0 noborder
if (has_numbers) { unset colorbox }
set multiplot
do for [i = 1:panel_count] {
    column = (i - 1) % column_count
    row = (i - 1) / column_count
    panel_left = column * 310.0 + 90
    panel_top = 124.0 + row * (plane_height + 62)
    set lmargin at screen panel_left / width
    set rmargin at screen (panel_left + plane_width) / width
    set tmargin at screen below(panel_top)
    set bmargin at screen below(panel_top + plane_height)
    set label 5 names[i] at screen (panel_left - 72) / width, screen below(panel_top - 16) left noenhanced font ",14" textcolor rgb colour_text
    set label 6 expected[i] at graph 1, screen below(panel_top - 16) right noenhanced font ",13" textcolor rgb colour_faint
    unset xlabel
    if (more[i] > 0) {
        set palette defined (0 "#E69F00", 1 "#FFFFFF")
    } else {
        set palette defined (0 "#FFFFFF", 1 "#E69F00")
    }
    set cbrange [low[i]:(high[i] > low[i] ? high[i] : low[i] + 1)]
    plot $data index i-1 using 1:2:($1-half(x_count)):($1+half(x_count)):($2-half(y_count)):($2+half(y_count)):3 with boxxyerror lc palette notitle, \
         "" index i-1 using ($5 > 0 ? $1 : NaN):2:($1-0.92*half(x_count)):($1+0.92*half(x_count)):($2-0.88*half(y_count)):($2+0.88*half(y_count)) with boxxyerror fs empty border lw 1.5 lc rgb colour_text notitle, \
         "" index i-1 using 1:2:(has_numbers ? strcol(4) : "") with labels center noenhanced font ",13" textcolor rgb colour_text notitle
    unset label 1
    unset label 2
    unset label 3
}
unset multiplot
