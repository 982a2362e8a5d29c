# Shades the time of each fault and names it; loaded by pictures over time once their y range is set. fault_count, fault_from,
# fault_until, fault_at, fault_labels, fault_rows, fault_row_count: see sim/plot_faults.h. The y range must leave room for the names:
# room(fault_row_count) is by how much longer it has to be.
if (fault_count > 0) {
    do for [i = 1:fault_count] {
        set object 100+i rectangle from fault_from[i]/time_scale, graph 0 to fault_until[i]/time_scale, graph 1 behind fillcolor rgb colour_fault fillstyle solid 0.5 noborder
        set arrow 100+i from fault_from[i]/time_scale, graph 0 to fault_from[i]/time_scale, graph 1 nohead lw 1 lc rgb colour_fault_edge back
        if (fault_rows[i] >= 0) {
            set label 100+i fault_labels[i] at fault_at[i]/time_scale, graph 0.965-0.055*fault_rows[i] left offset 0.4,0 noenhanced font ",12" textcolor rgb colour_text
        }
    }
}
