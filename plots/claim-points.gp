# Alternatives of a claim as points, see points.gp; good ones: nothing beats them in all that is shown. axis, y_axis;
# least_x, least: less is shown as these; has_limit, limit_text.
x_title = axis
y_title = y_axis
note = "lowest: ".sprintf("%g", least)." or less; to the left: ".sprintf("%g", least_x)." or less"
load plots."/points.gp"
plot NaN with lines lw has_limit > 0 ? 2 : 0 dt (6,4) lc rgb colour_limit title has_limit > 0 ? limit_text : "", \
     NaN with points pt 7 ps 1.6*dot lc rgb good title "on the front", \
     NaN with points pt 7 ps 1.6*dot lc rgb bad title "beaten", \
     $data using 1:2:(colour_of($5)) with points pt 7 ps 1.8*dot lc rgb variable notitle, \
     @names
