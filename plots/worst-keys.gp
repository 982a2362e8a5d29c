# The keys and intervals furthest off. $data: rank from 0, error, cause, text. causes: those there are; top: the largest
# error, or the budget of 1 if that is larger; error_label, budget_label.
y_title = error_label
@name_y
set xrange [0:1.05*top]
set yrange [9.75:-0.75]
unset ytics
set border 1
unset grid
set grid xtics lt 1 lw 1 lc rgb colour_grid
set lmargin at screen 0.035
set style textbox opaque margins 0.2,0.1 fillcolor rgb "white" noborder
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lw 2 dt (6,4) lc rgb colour_limit
plot for [i = 1:words(causes)] $data using (0):1:(0):(strcol(3) eq word(causes, i) ? $2 : NaN):($1+0.06):($1+0.4) with boxxyerror fs solid noborder lc rgb value("colour_".word(causes, i)) title word(causes, i), \
     NaN with lines lw 2 dt (6,4) lc rgb colour_limit title budget_label, \
     $data using (0):($1-0.22):4 with labels boxed left offset 0.4,0 noenhanced font ",14" textcolor rgb colour_text notitle
