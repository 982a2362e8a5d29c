# Two sides, measure by measure: a panel for each, a line for each seed from A to B. $data, a block for each panel: side
# (0, 1), value, and whether B is better (1), worse (-1) or neither (0). panel_count, names[N], side_a, side_b.
set label 3 side_a at screen 0.025, screen below(76) left noenhanced font ",13" textcolor rgb colour_text
set label 4 side_b at screen 0.025, screen below(96) left noenhanced font ",13" textcolor rgb colour_text
unset key
columns = panel_count < 3 ? panel_count : 3
rows = (panel_count + columns - 1) / columns
panels_top = below(108)
colour_of(better) = better > 0 ? 0x009E73 : better < 0 ? 0xD55E00 : 0x999999
# 1, 2 or 5 times a power of ten: few enough steps for a low panel
power(x) = 10.0**floor(log10(x))
nice(x) = power(x) * (x < 1.5*power(x) ? 1 : x < 3.5*power(x) ? 2 : x < 7.5*power(x) ? 5 : 10)
set xrange [-0.25:1.25]
set xtics ("A" 0, "B" 1) font ",14"
unset xlabel
unset grid
set grid ytics lt 1 lw 1 lc rgb colour_grid
set offsets 0, 0, graph 0.1, graph 0.05
set multiplot
do for [i = 1:panel_count] {
    column = (i - 1) % columns
    row = (i - 1) / columns
    set lmargin at screen (column + 0.34) / columns
    set rmargin at screen (column + 0.97) / columns
    set tmargin at screen panels_top - (row + 0.20) * panels_top / rows
    set bmargin at screen panels_top - (row + 0.82) * panels_top / rows
    set label 5 names[i] at screen (column + 0.10) / columns, graph 1.17 left noenhanced font ",14" textcolor rgb colour_text
    stats $data index i-1 using 2 nooutput name "panel"
    set format y digits(panel_max)
    set yrange [*:*]
    if (panel_min >= 0 && panel_min < 0.5*panel_max) { set yrange [0:*] }
    if (panel_max == panel_min) { set yrange [panel_max-1:panel_max+1] }
    span = panel_max == panel_min ? 2.0 : panel_min >= 0 && panel_min < 0.5*panel_max ? panel_max : panel_max - panel_min
    set ytics nice(span / 3)
    plot $data index i-1 using 1:2:(colour_of($3)) with linespoints lw 2 pt 7 ps 1.2*dot lc rgb variable notitle
    unset label 1
    unset label 2
    unset label 3
    unset label 4
}
unset multiplot
