# What was admitted, what the exact limiter admits, and the sum of all limits, over time.
# $data: start of a span in seconds; admitted, ideal, limit in units per second. $limit: where it changes.
# top: the largest of them.
set xrange [0:duration]
set yrange [0:1.08*top * room(fault_row_count)]
set format y digits(top)
set xlabel time_label
y_title = "units per second"
@name_y
load plots.'/faults.gp'
plot $data using ($1/time_scale):3 with steps lw 4.5 lc rgb colour_ideal title "ideal", \
     "" using ($1/time_scale):2 with steps lw 1.5 lc rgb colour_admitted title "admitted", \
     $limit using ($1/time_scale):2 with steps lw 2 dt (6,4) lc rgb colour_limit title "sum of limits"
