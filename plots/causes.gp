# Why it was off: units over (up) and under (down) by cause, of the intervals that ended in a span.
# $data: one index for each of `causes`: begin and end in seconds, bottom and top of the bar in units.
# units_label; budget: 1 % of all limits in such a span, in units.
set xrange [0:duration]
set xlabel "end of the interval, ".time_unit
y_title = units_label.", over up, under down"
stats $data using 4 nooutput
reach_up = STATS_max > 0 ? STATS_max : 0
reach_down = STATS_min < 0 ? -STATS_min : 0
reach = reach_up > reach_down ? reach_up : reach_down
seen = budget < 2 * reach
up = reach_up > 0 && seen && budget > reach_up ? budget : reach_up
down = reach_down > 0 && seen && budget > reach_down ? budget : reach_down
low = -1.1*down - 0.06*reach
high = 1.1*up + 0.06*reach
set yrange [low : low + (high - low) * room(fault_row_count)]
note = seen ? "" : "1 % of limits: ".budget_text.", off the scale"
@name_y
load plots.'/faults.gp'
set format y digits(reach)
if (reach <= 6) { set ytics 1 }
plot for [i = 1:words(causes)] $data index i-1 using (($1+$2)/2/time_scale):4:(($1+0.06*($2-$1))/time_scale):(($2-0.06*($2-$1))/time_scale):3:4 with boxxyerror fs solid noborder lc rgb value("colour_".word(causes, i)) title word(causes, i), \
     0 with lines lw 1 lc rgb colour_faint notitle, \
     (seen && reach_up > 0 ? budget : NaN) with lines lw 1.5 dt (6,4) lc rgb colour_limit title (seen ? "1 % of limits" : ""), \
     (seen && reach_down > 0 ? -budget : NaN) with lines lw 1.5 dt (6,4) lc rgb colour_limit notitle
