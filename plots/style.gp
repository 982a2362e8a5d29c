# Fonts, colours, sizes and frame of every picture; loaded before its own script. weir hands over (sim/plot_figures.c):
#   figure, kind ("svg", "png"), plots (this folder)
#   finding (the title: one or two lines), subtitle, policy (the name of a colour below)
#   duration (in time_unit), time_scale (seconds in it), time_unit ("s", "min", "h")
#   picture_height, if it is not the usual one
#   nothing: why there is nothing to show; empty: there is
#   $data, columns separated by tabs, and what else the picture's own script names
# Pictures are drawn 640 units wide with text of 16, so that they can be read 400 pixels wide.
set encoding utf8
set datafile separator "\t"

# Colours: Okabe and Ito, which the colour-blind can tell apart; one colour for one role in all pictures.
colour_admitted = "#0072B2"
colour_ideal = "#A6A6A6"
colour_limit = "#000000"
colour_demand = "#BCDDF2"
colour_over = "#D55E00"
colour_under = "#56B4E9"
colour_first_touches = "#E69F00"
colour_budget = "#E8F3EC"
colour_fault = "#FBE3D0"
colour_fault_edge = "#D9A27C"
colour_text = "#222222"
colour_faint = "#666666"
colour_grid = "#E4E4E4"
# causes, sim_cause_names
colour_parked = "#E69F00"
colour_unclaimed = "#009E73"
colour_withheld = "#CC79A7"
colour_race = "#D55E00"
colour_stale_plan = "#F0E442"
colour_plan_change = "#56B4E9"
colour_dead_process = "#0072B2"
colour_lost_reply = "#999999"
colour_degraded = "#882255"
colour_data_lost = "#AA4499"
colour_clock = "#999933"
colour_unexplained = "#000000"
# policies
colour_lease_tapered = "#0072B2"
colour_lease_fixed = "#E69F00"
colour_lease_rate = "#009E73"
colour_lease_doubling = "#CC79A7"
colour_per_request = "#56B4E9"
colour_as_written = "#D55E00"
colour_read_then_write = "#882255"
colour_two_commands = "#AA4499"
colour_lock = "#999933"
colour_service = "#332288"
colour_policy = value("colour_".policy)

# From the top: title (finding), subtitle, legend, name of the y axis and note (what is off the scale); then the data.
# y_title and note are shown by @name_y.
width = 640
height = exists("picture_height") ? picture_height : figure eq "worst-keys" ? 640 : 460
two_lines = strstrt(finding, "\n") > 0
legend_rows = figure eq "timeline" || figure eq "processes" || figure eq "degraded" || figure eq "outage" || (exists("causes") && words(causes) < 3) ? 1 : exists("causes") && words(causes) > 5 ? 3 : 2
below(pixels) = 1 - (pixels + (two_lines ? 23.0 : 0.0)) / height
if (kind eq "svg") {
    # no size of its own: it fills the width it is given
    set terminal svg size width,height dynamic name (figure eq "worst-keys" ? "worst_keys" : figure) font "sans-serif,16" background "white"
} else {
    set terminal pngcairo size 2*width,2*height fontscale 1.75 linewidth 2 pointscale 1.6 font "DejaVu Sans,16" background "white"
}
set output figure.".".kind

set label 1 finding at screen 0.025, screen 1-28.0/height left noenhanced font ",18" textcolor rgb colour_text
set label 2 subtitle at screen 0.025, screen below(53) left noenhanced font ",13" textcolor rgb colour_faint
set key at screen 0.015, screen below(67) left top Left reverse horizontal maxrows legend_rows noenhanced samplen 1.6 font ",14" textcolor rgb colour_text
legend_end = 67 + 20*legend_rows
set lmargin at screen 0.105
set rmargin at screen 0.965
set tmargin at screen below(legend_end + 44)
set bmargin at screen 58.0 / height
set grid lt 1 lw 1 lc rgb colour_grid
set border 3 lc rgb colour_faint
set tics nomirror font ",14" textcolor rgb colour_text
set xlabel font ",14" textcolor rgb colour_text offset 0,0.4
set format x "%g"

# 0.5, 1500, 10k, 2.5M: enough digits for the steps of an axis that ends at top
digits(top) = top < 5500 ? "%g" : top / 1000**floor(log10(top)/3) < 5.5 ? "%.1s%c" : "%.0s%c"

# The same, of each tic by itself: 500k, 1M, 1.5M
shortened(x) = x < 1000 ? sprintf("%g", x) : x < 1e6 ? sprintf("%gk", x/1e3) : sprintf("%gM", x/1e6)
rounded_up(x, power) = x <= power ? power : x <= 2*power ? 2*power : x <= 5*power ? 5*power : 10*power
tic_step(top) = rounded_up(top/8, 10**floor(log10(top/8)))
name_x_tics(top) = top <= 0 ? "" : sprintf("set xtics (\"0\" 0); do for [i=1:%d] { set xtics add (shortened(i*%g) i*%g) }", \
    floor(top/tic_step(top)), tic_step(top), tic_step(top))

# SVG draws points larger than PNG does
dot = kind eq "svg" ? 0.5 : 1.0

# a y axis is so much longer for the names of faults above the data
room(rows) = 1.0 / (1 - 0.06*rows)

time_label = "simulated time, ".time_unit
y_title = ""
note = ""
name_y = 'set label 3 y_title at screen 0.025, screen below(legend_end + 23) left noenhanced font ",14" textcolor rgb colour_text; \
    set label 4 note at screen 0.975, screen below(legend_end + 23) right noenhanced font ",13" textcolor rgb colour_faint'

if (nothing ne "") {
    unset border
    unset tics
    unset grid
    unset key
    set xrange [0:1]
    set yrange [0:1]
    set label 5 "nothing to show:" at graph 0.5, graph 0.58 center font ",16" textcolor rgb colour_faint
    set label 6 nothing at graph 0.5, graph 0.46 center noenhanced font ",16" textcolor rgb colour_text
    plot NaN notitle
}
