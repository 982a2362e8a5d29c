#include "plane_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "label_place.h"
#include "memory.h"
#include "plot_script.h"
#include "readable.h"

/* Of the picture's plane and its texts, in its own units; see plots/style.gp, plots/points.gp. */
#define PLANE_WIDTH 535.0
#define PLANE_HEIGHT 255.0
#define LETTER_WIDTH 7.8
#define TEXT_HEIGHT 15.0
#define TEXT_DISTANCE 8.0

struct axis { /* logarithms to base 10 */
    double least;
    double most;
    double length; /* in the picture */
};

static void include(struct axis *axis, double value)
{
    axis->least = fmin(axis->least, log10(value));
    axis->most = fmax(axis->most, log10(value));
}

/* Points and bounds, with room around. */
static struct axis axis_of(const struct study_plane *plane, bool is_upright)
{
    const double line = is_upright ? plane->line_y : plane->line_x;
    struct axis axis = {HUGE_VAL, -HUGE_VAL, is_upright ? PLANE_HEIGHT : PLANE_WIDTH};

    for (size_t i = 0; i < plane->point_count; i++) {
        include(&axis, is_upright ? plane->points[i].y : plane->points[i].x);
    }
    if (line > 0) {
        include(&axis, line);
    }
    const double room = 0.1 * (axis.most - axis.least + 0.3);
    axis.least -= room;
    axis.most += room;
    return axis;
}

/* Outside of the picture if there is nothing at `value`. */
static double place(const struct axis *axis, double value)
{
    return value > 0 ? axis->length * (log10(value) - axis->least) / (axis->most - axis->least)
                     : -1;
}

static void place_names(const struct study_plane *plane, const struct axis *x, const struct axis *y,
                        struct study_label *labels)
{
    const struct study_label_field field = {
        .width = PLANE_WIDTH,
        .height = PLANE_HEIGHT,
        .text_height = TEXT_HEIGHT,
        .distance = TEXT_DISTANCE,
        .line_x = place(x, plane->line_x),
        .line_y = place(y, plane->line_y),
    };

    for (size_t i = 0; i < plane->point_count; i++) {
        const struct study_plane_point *point = &plane->points[i];
        labels[i] = (struct study_label){
            .x = place(x, point->x),
            .y = place(y, point->y),
            .width = LETTER_WIDTH * (double)sim_readable_width(point->name),
        };
    }
    study_label_place(labels, plane->point_count, &field);
}

void study_plane_print(FILE *script, const struct study_plane *plane)
{
    const struct axis x = axis_of(plane, false);
    const struct axis y = axis_of(plane, true);
    struct study_label *labels = sim_memory_new(plane->point_count, sizeof *labels);

    place_names(plane, &x, &y, labels);
    sim_plot_script_number(script, "left", pow(10, x.least));
    sim_plot_script_number(script, "right", pow(10, x.most));
    sim_plot_script_number(script, "bottom", pow(10, y.least));
    sim_plot_script_number(script, "top", pow(10, y.most));
    sim_plot_script_number(script, "line_x", plane->line_x);
    sim_plot_script_number(script, "line_y", plane->line_y);
    fprintf(script, "$data << EOD\n");
    for (size_t i = 0; i < plane->point_count; i++) {
        const struct study_plane_point *point = &plane->points[i];
        fprintf(script, "%.9g\t%.9g\t", point->x, point->y);
        sim_plot_script_cell(script, point->name);
        fprintf(script, "\t%s\t%d\t%" PRIu32 "\n", study_label_side_names[labels[i].side],
                point->is_good, point->lease_units);
    }
    fprintf(script, "EOD\n");
    free(labels);
}
