# What each way of leasing costs, and how far off it is: points, see points.gp; good ones keep all bounds.
# error_title; least_error: less is shown as that.
x_title = "asks of the store per second"
y_title = error_title
note = bottom < least_error ? "lowest: ".sprintf("%g", least_error)." or less" : ""
load plots."/points.gp"
set xtics add ("2" 2, "5" 5, "20" 20, "50" 50, "200" 200, "500" 500, "2k" 2000, "5k" 5000, "20k" 2e4, "50k" 5e4, "200k" 2e5, "500k" 5e5)
plot $data using ($6 > 0 ? $1 : NaN):2 with lines lw 2 lc rgb colour_ideal title "fixed leases", \
     NaN with lines lw 2 dt (6,4) lc rgb colour_limit title "bounds", \
     NaN with points pt 7 ps 1.5*dot lc rgb good title "keeps all bounds", \
     NaN with points pt 7 ps 1.5*dot lc rgb bad title "misses one", \
     $data using 1:2:($6 > 0 ? 1.2*dot : 1.8*dot):(colour_of($5)) with points pt 7 ps variable lc rgb variable notitle, \
     @names
