/* gnuplot's script of a claim's picture; see plots/claim-*.gp. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "claim_judge.h"
#include "claim_picture.h"
#include "memory.h"
#include "plane_plot.h"
#include "plot_script.h"
#include "readable.h"

/* Of the pictures, in their own units; see plots/style.gp and the scripts. */
#define LETTER_WIDTH 7.8
#define ROW_HEIGHT 30.0

static const char *const scripts[] = {"claim-bars", "claim-stacks", "claim-points"};

static double shown(const struct study_claim_picture *picture, double value)
{
    return picture->is_log || picture->kind == STUDY_PICTURE_POINTS ? fmax(value, picture->floor)
                                                                    : value;
}

static const char *unit_of(const struct study_judged *judged, uint32_t measure)
{
    return judged->claim->measures[measure].unit;
}

static void print_frame(FILE *script, const struct study_judged *judged, const char *kind)
{
    const struct study_claim_picture *picture = &judged->claim->picture;
    char name[100];
    char subtitle[100];

    study_claim_picture_name(name, sizeof name, judged->claim);
    snprintf(subtitle, sizeof subtitle, "%s: %s", judged->claim->id,
             study_outcome_name(judged->verdict->outcome));
    sim_plot_script_frame(script, &(struct sim_plot_frame){name, kind, picture->title, subtitle});
    sim_plot_script_text(script, "axis", picture->axis);
    sim_plot_script_number(script, "has_limit", picture->has_limit);
    sim_plot_script_number(script, "limit", picture->has_limit ? picture->limit : 0);
    sim_plot_script_text(script, "limit_text", picture->has_limit ? picture->limit_text : "");
    sim_plot_script_number(script, "is_log", picture->is_log);
    sim_plot_script_number(script, "least", picture->floor);
    sim_plot_script_number(script, "row_count", (double)picture->row_count);
}

static void print_labels_of_rows(FILE *script, const struct study_claim_picture *picture,
                                 double legend_height)
{
    size_t width = 0;

    for (size_t i = 0; i < picture->row_count; i++) {
        const size_t letters = sim_readable_width(picture->rows[i].label);
        width = letters > width ? letters : width;
    }
    sim_plot_script_number(script, "label_width", LETTER_WIDTH * (double)width);
    sim_plot_script_number(script, "picture_height",
                           legend_height + ROW_HEIGHT * (double)picture->row_count);
    fprintf(script, "set ytics ()\n");
    for (size_t i = 0; i < picture->row_count; i++) {
        sim_plot_script_text(script, "row_label", picture->rows[i].label);
        fprintf(script, "set ytics add (row_label %zu)\n", picture->row_count - 1 - i);
    }
}

static void print_bars(FILE *script, const struct study_judged *judged)
{
    const struct study_claim_picture *picture = &judged->claim->picture;
    double most = picture->has_limit ? picture->limit : picture->floor;
    size_t width = 0;

    print_labels_of_rows(script, picture, picture->has_limit ? 190 : 165);
    fprintf(script, "$data << EOD\n");
    for (size_t i = 0; i < picture->row_count; i++) {
        const struct study_picture_row *row = &picture->rows[i];
        const struct study_figure *figure = &judged->figures[row->measures[0]];
        fprintf(script, "%zu\t%.9g\t%.9g\t%.9g\t%s\t%d\n", picture->row_count - 1 - i,
                shown(picture, figure->value), shown(picture, figure->least),
                shown(picture, figure->most),
                study_amount(figure->value, unit_of(judged, row->measures[0])).text, row->tone);
        most = fmax(most, shown(picture, figure->most));
        const size_t letters =
            strlen(study_amount(figure->value, unit_of(judged, row->measures[0])).text);
        width = letters > width ? letters : width;
    }
    fprintf(script, "EOD\n");
    sim_plot_script_number(script, "value_width", LETTER_WIDTH * (double)width);
    sim_plot_script_number(script, "most", most);
}

static void print_stacks(FILE *script, const struct study_judged *judged)
{
    const struct study_claim_picture *picture = &judged->claim->picture;
    double most = picture->has_limit ? picture->limit : 0;

    print_labels_of_rows(script, picture, 225);
    sim_plot_script_number(script, "part_count", (double)picture->part_count);
    fprintf(script, "array part_names[%zu]\n", picture->part_count);
    for (size_t part = 0; part < picture->part_count; part++) {
        char variable[40];
        snprintf(variable, sizeof variable, "part_names[%zu]", part + 1);
        sim_plot_script_text(script, variable, picture->parts[part]);
    }
    fprintf(script, "$data << EOD\n");
    for (size_t i = 0; i < picture->row_count; i++) {
        const struct study_picture_row *row = &picture->rows[i];
        double end = 0;
        for (size_t part = 0; part < row->measure_count; part++) {
            const double value = judged->figures[row->measures[part]].value;
            fprintf(script, "%zu\t%zu\t%.9g\t%.9g\n", picture->row_count - 1 - i, part, end,
                    end + value);
            end += value;
        }
        most = fmax(most, end);
    }
    fprintf(script, "EOD\n");
    sim_plot_script_number(script, "most", most);
}

/* No other point is at least as good in all that is shown, and better in one: less is better. */
static bool is_on_front(const struct study_judged *judged, size_t row)
{
    const struct study_picture_row *rows = judged->claim->picture.rows;

    for (size_t i = 0; i < judged->claim->picture.row_count; i++) {
        bool worse = false;
        bool better = false;
        for (size_t j = 0; j < rows[row].measure_count && j < rows[i].measure_count; j++) {
            const double mine = judged->figures[rows[row].measures[j]].value;
            const double other = judged->figures[rows[i].measures[j]].value;
            worse = worse || other > mine;
            better = better || other < mine;
        }
        if (better && !worse) {
            return false;
        }
    }
    return true;
}

static void name_point(const struct study_judged *judged, size_t index, char *name, size_t size)
{
    const struct study_picture_row *row = &judged->claim->picture.rows[index];

    if (row->measure_count < 3) {
        snprintf(name, size, "%s", row->label);
    } else {
        snprintf(
            name, size, "%s, %s", row->label,
            study_amount(judged->figures[row->measures[2]].value, unit_of(judged, row->measures[2]))
                .text);
    }
}

static double shown_at(const struct study_judged *judged, size_t row, size_t axis)
{
    const struct study_claim_picture *picture = &judged->claim->picture;

    return fmax(judged->figures[picture->rows[row].measures[axis]].value,
                axis == 0 ? picture->x_floor : picture->floor);
}

static void print_points(FILE *script, const struct study_judged *judged)
{
    const struct study_claim_picture *picture = &judged->claim->picture;
    struct study_plane_point *points = sim_memory_new(picture->row_count, sizeof *points);
    const struct study_plane plane = {
        .points = points,
        .point_count = picture->row_count,
        .line_y = picture->has_limit ? picture->limit : 0,
    };

    for (size_t i = 0; i < picture->row_count; i++) {
        points[i].x = shown_at(judged, i, 0);
        points[i].y = shown_at(judged, i, 1);
        points[i].is_good = is_on_front(judged, i);
        name_point(judged, i, points[i].name, sizeof points[i].name);
    }
    sim_plot_script_text(script, "y_axis", picture->y_axis);
    sim_plot_script_number(script, "least_x", picture->x_floor);
    study_plane_print(script, &plane);
    free(points);
}

void study_claim_print_plot(FILE *script, const void *context, const char *kind)
{
    static void (*const printers[])(FILE *, const struct study_judged *) = {
        print_bars, print_stacks, print_points};
    const struct study_judged *judged = context;

    print_frame(script, judged, kind);
    printers[judged->claim->picture.kind](script, judged);
    sim_plot_script_load(script, scripts[judged->claim->picture.kind]);
}
