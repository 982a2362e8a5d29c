# Measures of a claim as bars of several parts, from the first at the top. $data: row, part, from, to; part_names, part_count,
# label_width (pixels), axis, most, row_count, has_limit, limit, limit_text.
set lmargin at screen (label_width + 30.0) / width
set rmargin at screen 0.965
set tmargin at screen below(legend_end + 10)
set bmargin at screen 62.0 / height
set yrange [-0.6:row_count - 0.4]
set ytics scale 0 font ",14" noenhanced
set grid noytics xtics
set border 1
set xlabel axis
set xrange [0:most > 0 ? 1.05*most : 1]
eval name_x_tics(most)
set style fill solid
array part_colours[8] = [0xE69F00, 0x009E73, 0xCC79A7, 0xD55E00, 0x56B4E9, 0x0072B2, 0xF0E442, 0x999999]
if (has_limit > 0) { set arrow 1 from limit, graph 0 to limit, graph 1 nohead lw 2 dt (6,4) lc rgb colour_limit front }
plot for [i = 1:part_count] $data using ($2 == i-1 ? $3 : NaN):1:3:4:($1-0.34):($1+0.34) with boxxyerror lc rgb part_colours[i] title part_names[i], \
     NaN with lines lw has_limit > 0 ? 2 : 0 dt (6,4) lc rgb colour_limit title has_limit > 0 ? limit_text : ""
