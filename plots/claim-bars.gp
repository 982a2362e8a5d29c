# Measures of a claim as bars, from the first at the top. $data: row, value, least and most over seeds, the value as text, tone
# (0 plain, 1 good, 2 bad); label_width and value_width (pixels), axis, most, row_count, is_log, least, has_limit, limit, limit_text.
set lmargin at screen (label_width + 30.0) / width
set rmargin at screen 0.965
# so wide that the text beside the longest bar is within it
plane = 0.965*width - label_width - 30
longer = plane / (plane - value_width - 14)
set tmargin at screen below(has_limit > 0 ? 95 : 66)
set bmargin at screen 62.0 / height
set yrange [-0.6:row_count - 0.4]
set ytics scale 0 font ",14" noenhanced
set grid noytics xtics
set border 1
set xlabel axis
if (is_log > 0) {
    set logscale x
    begin = least
    set xrange [least:least*(1.01*most/least)**longer]
    set format x most < 10000 ? "%g" : "%.0s%c"
    pixels_from(x) = plane*log(x/least)/(longer*log(1.01*most/least))
} else {
    begin = 0
    set xrange [0:most > 0 ? longer*most : 1]
    eval name_x_tics(longer*most)
    pixels_from(x) = plane*x/(most > 0 ? longer*most : 1)
}
# a text that the line would cross stands beyond it
text_pixels(text) = 8.0*strlen(text) + 14
is_crossed(x, text) = has_limit > 0 && x > 0 && x < limit && pixels_from(x) + text_pixels(text) > pixels_from(limit)
beside(x, text) = is_crossed(x > begin ? x : begin + 1e-9, text) ? limit : x
set style fill solid
set style textbox opaque margins 0.3,0.3 fillcolor rgb "white" noborder
colour_of(tone) = tone == 1 ? 0x009E73 : tone == 2 ? 0xD55E00 : 0x0072B2
# drawn as data, so that labels lie above it
set print $limit
print sprintf("%.9g\t-0.6", has_limit > 0 ? limit : NaN)
print sprintf("%.9g\t%g", has_limit > 0 ? limit : NaN, row_count - 0.4)
unset print
plot $data using (begin):1:(begin):2:($1-0.34):($1+0.34):(colour_of($6)) with boxxyerror lc rgb variable notitle, \
     "" using 3:1:3:4 with xerrorbars lw 1.5 pt 0 lc rgb colour_text notitle, \
     $limit using 1:2 with lines lw has_limit > 0 ? 2 : 0 dt (6,4) lc rgb colour_limit title has_limit > 0 ? limit_text : "", \
     $data using (beside($4 > $2 ? $4 : $2, strcol(5))):1:5 with labels boxed left offset 0.7,0 noenhanced font ",13" textcolor rgb colour_text notitle
