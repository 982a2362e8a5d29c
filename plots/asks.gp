# How often the store is asked. $data: start of a span of bin_s seconds, asks per second in it, and in its busiest second.
# mean, busiest, busiest_s, capacity (of the store), and texts of them.
set xrange [0:duration]
top = 1.15 * (busiest > 1 ? busiest : 1)
seen = capacity < 3 * top
top = seen && capacity > top ? 1.05 * capacity : top
set yrange [0:top * room(fault_row_count)]
set format y digits(top)
set xlabel time_label
y_title = "asks per second"
note = seen ? "" : "the store can serve ".capacity_text.": off the scale"
@name_y
load plots.'/faults.gp'
at_s = busiest_s + bin_s / 2.0
right = at_s > 0.5 * duration * time_scale
set label 5 "busiest second: ".busiest_text at at_s/time_scale, busiest offset (right ? -1 : 1),0.5 noenhanced font ",14" textcolor rgb colour_text
if (right) { set label 5 right } else { set label 5 left }
$busiest << EOD
0	0
EOD
plot $data using ($1/time_scale):3 with fillsteps fs solid 0.25 noborder lc rgb colour_policy title (bin_s > 1 ? "peaks" : ""), \
     "" using ($1/time_scale):2 with steps lw 1.8 lc rgb colour_policy title "asks", \
     $busiest using (at_s/time_scale):(busiest) with points pt 6 ps 1.2*dot lw 2 lc rgb colour_text notitle, \
     mean with lines lw 2 dt (2,3) lc rgb colour_text title "mean: ".mean_text, \
     (seen ? capacity : NaN) with lines lw 2 dt (6,4) lc rgb colour_limit title (seen ? "store: ".capacity_text : "")
