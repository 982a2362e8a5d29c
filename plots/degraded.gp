# Who decides without the store. $data: start of a span in seconds; percent of the processes that did so in its worst second.
set xrange [0:duration]
set yrange [0:108 * room(fault_row_count)]
set ytics 0,25,100
set format y "%g"
set xlabel time_label
y_title = "% of processes, each second"
@name_y
load plots.'/faults.gp'
plot $data using ($1/time_scale):2 with fillsteps fs solid 0.45 noborder lc rgb colour_over notitle, \
     "" using ($1/time_scale):2 with steps lw 2 lc rgb colour_over title "decide without the store"
