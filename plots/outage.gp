# What customers got while the store could not be reached. $data: row, demand and admitted in percent of what the exact limiter
# admitted of the same requests; text of it, name. rows; top: the longest bar that is shown in full.
set yrange [rows-0.45:-0.75]
set xrange [0:1.2*top]
unset ytics
set border 1
unset grid
set grid xtics lt 1 lw 1 lc rgb colour_grid
set lmargin at screen 0.035
set format x "%g"
set xlabel "% of what the exact limiter admits"
set arrow 1 from 100, graph 0 to 100, graph 1 nohead lw 2 dt (6,4) lc rgb colour_limit front
plot $data using (0):1:(0):($2 > 1.2*top ? 1.2*top : $2):($1-0.1):($1+0.34) with boxxyerror fs solid noborder lc rgb colour_demand title "demand", \
     "" using (0):1:(0):3:($1-0.02):($1+0.26) with boxxyerror fs solid noborder lc rgb colour_admitted title "admitted", \
     NaN with lines lw 2 dt (6,4) lc rgb colour_limit title "ideal", \
     $data using (0):($1-0.24):(sprintf("%s: %s", strcol(5), strcol(4))) with labels left offset 0.4,0 noenhanced font ",14" textcolor rgb colour_text notitle
