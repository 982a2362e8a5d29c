# How far each key was off in each of its intervals. $data: end of the interval in seconds, error (over positive, under
# negative) in percent of the limit or in units. reach: of the axis; error_label, budget_label: texts.
set xrange [0:1.02*duration]
set yrange [-reach : 2*reach*room(fault_row_count) - reach]
set xlabel "end of the interval, ".time_unit
y_title = error_label
@name_y
set format y "%g"
set object 1 rectangle from graph 0, first -1 to graph 1, first 1 behind fillcolor rgb colour_budget fillstyle solid noborder
load plots.'/faults.gp'
plot 1 with lines lw 1.5 dt (6,4) lc rgb colour_limit title budget_label, \
     -1 with lines lw 1.5 dt (6,4) lc rgb colour_limit notitle, \
     0 with lines lw 1 lc rgb colour_faint notitle, \
     $data using ($1/time_scale):($2 == 0 ? 0 : NaN) with points pt 7 ps 0.7*dot lc rgb colour_ideal title "none", \
     "" using ($1/time_scale):($2 > 0 ? $2 : NaN) with points pt 9 ps 1.3*dot lc rgb colour_over title "over", \
     "" using ($1/time_scale):($2 < 0 ? $2 : NaN) with points pt 11 ps 1.3*dot lc rgb colour_under title "under"
