# How traffic is spread over the processes. $data: process, its share of demand and of what was admitted, in percent.
# process_count, even_pct (an even share), top: the largest share.
set xrange [-0.7-(process_count > 100 ? process_count/100 : 0):process_count-0.3]
set yrange [0:1.12*top]
set xlabel "process"
y_title = "share of all units, %"
@name_y
set format y "%g"
if (process_count <= 10) { set xtics 1 }
unset grid
set grid ytics lt 1 lw 1 lc rgb colour_grid
plot $data using 1:2:(process_count > 100 ? 1.0 : 0.8) with boxes fs solid noborder lc rgb colour_demand title "demand", \
     "" using 1:3:(process_count > 100 ? 0.5 : 0.36) with boxes fs solid noborder lc rgb colour_admitted title "admitted", \
     even_pct with lines lw 2 dt (6,4) lc rgb colour_limit title "an even share"
