/* The picture of a sweep: a panel for each of the measures that differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "plot_script.h"
#include "readable.h"
#include "sweep_report.h"
#include "weir/assert.h"

#define PANELS_MAX 6
#define LETTER_WIDTH 8.0  /* of text of 14 */
#define CURVE_WIDTH 236.0 /* of the axes, two beside each other */
#define CURVE_HEIGHT 120.0
#define MAP_WIDTH 208.0
#define WIDE 520.0
#define NUMBER_WIDTH 36.0 /* of a number of five letters */
#define HEAD_HEIGHT 130.0 /* above and below the panels */
#define PANEL_FRAME 62.0  /* above and below a panel's axes */
#define AXIS_NAME 10.0
#define LOG_RATIO 20

struct picture {
    const struct study_sweep *sweep;
    size_t panels[PANELS_MAX]; /* measures */
    size_t panel_count;
    bool is_map;
    bool is_wide; /* one panel a row */
    double width; /* of a panel's axes */
    double height;
};

struct extent {
    double low;
    double high;
};

static size_t cell_count_of(const struct picture *picture)
{
    return study_grid_cell_count(&picture->sweep->grid);
}

/* Maps show the worst, which is what bounds are about; curves show all, and are named by the
 * median.
 */
static double shown(const struct picture *picture, size_t cell, size_t measure)
{
    const struct study_sweep_sum sum = study_sweep_sum(picture->sweep, cell, measure);

    if (sum.count == 0) {
        return NAN;
    }
    return picture->is_map ? sum.worst : sum.median;
}

static struct study_number number(const struct picture *picture, size_t measure, double value)
{
    return study_measure_value(&picture->sweep->measures[measure].as, value);
}

static bool differs(const struct picture *picture, size_t measure)
{
    const struct study_sweep *sweep = picture->sweep;
    const struct study_sweep_sum first = study_sweep_sum(sweep, 0, measure);
    const struct study_number text = number(picture, measure, first.least);

    for (size_t cell = 0; cell < cell_count_of(picture); cell++) {
        const struct study_sweep_sum sum = study_sweep_sum(sweep, cell, measure);
        if ((sum.count == 0) != (first.count == 0) ||
            strcmp(number(picture, measure, sum.least).text, text.text) != 0 ||
            strcmp(number(picture, measure, sum.most).text, text.text) != 0) {
            return true;
        }
    }
    return false;
}

/* Those that differ; if none does, the first. */
static void choose_panels(struct picture *picture)
{
    for (size_t i = 0; i < picture->sweep->measure_count; i++) {
        if (picture->panel_count < PANELS_MAX && differs(picture, i)) {
            picture->panels[picture->panel_count++] = i;
        }
    }
    if (picture->panel_count == 0) {
        picture->panels[picture->panel_count++] = 0;
    }
}

static void name_cell(const struct picture *picture, size_t cell, char *text, size_t size)
{
    const struct study_grid *grid = &picture->sweep->grid;
    char cut[100];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < grid->axis_count; i++) {
        sim_readable_cut(cut, sizeof cut, study_grid_value(grid, cell, i)->label, 16);
        length += (size_t)snprintf(text + length, size - length, "%s%.99s", i > 0 ? ", " : "", cut);
    }
}

/* "over, % of limit: from 0.012 at processes 10 to 0.340 at 200" */
static void find(char *text, size_t size, const struct picture *picture)
{
    const size_t measure = picture->panels[0];
    const struct study_sweep *sweep = picture->sweep;
    size_t low = 0;
    size_t high = 0;
    char names[2][240];

    for (size_t cell = 0; cell < cell_count_of(picture); cell++) {
        const double value = shown(picture, cell, measure);
        low = value < shown(picture, low, measure) ? cell : low;
        high = value > shown(picture, high, measure) ? cell : high;
    }
    name_cell(picture, low, names[0], sizeof names[0]);
    name_cell(picture, high, names[1], sizeof names[1]);
    const struct study_number least = number(picture, measure, shown(picture, low, measure));
    const struct study_number most = number(picture, measure, shown(picture, high, measure));
    if (strcmp(least.text, most.text) == 0) {
        snprintf(text, size, "%s: %s everywhere", sweep->measures[measure].name, least.text);
    } else {
        snprintf(text, size, "%s: from %s at %.100s%s%.100s to %s at %.100s",
                 sweep->measures[measure].name, least.text,
                 picture->is_map ? "" : sweep->grid.axes[0].name, picture->is_map ? "" : " ",
                 names[0], most.text, names[1]);
    }
}

/* "the same everywhere: answered, % 100.000" */
static void list_alike(char *text, size_t size, const struct picture *picture)
{
    const struct study_sweep *sweep = picture->sweep;
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sweep->measure_count && length + 1 < size; i++) {
        const struct study_sweep_sum sum = study_sweep_sum(sweep, 0, i);
        if (sum.count > 0 && i != picture->panels[0] && !differs(picture, i)) {
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s %s",
                                 length == 0 ? "the same everywhere: " : "; ",
                                 sweep->measures[i].name, number(picture, i, sum.median).text);
        }
    }
}

/* Where the values of an axis stand, from 0 to 1: numbers where they belong, on a scale of powers
 * if they are far apart; words side by side. Owned by the caller. */
static double *places_of(const struct study_axis *axis, bool is_numeric)
{
    double *places = sim_memory_new(axis->value_count, sizeof *places);
    double low = INFINITY;
    double high = -INFINITY;

    for (size_t i = 0; i < axis->value_count; i++) {
        is_numeric = is_numeric && axis->values[i].is_number;
        low = fmin(low, axis->values[i].number);
        high = fmax(high, axis->values[i].number);
    }
    const bool in_powers = is_numeric && axis->value_count > 2 && low > 0 && high > LOG_RATIO * low;
    for (size_t i = 0; i < axis->value_count; i++) {
        const double value = axis->values[i].number;
        if (axis->value_count == 1) {
            places[i] = 0.5;
        } else if (!is_numeric) {
            places[i] = (double)i / (double)(axis->value_count - 1);
        } else if (in_powers) {
            places[i] = log10(value / low) / log10(high / low);
        } else {
            places[i] = (value - low) / (high - low);
        }
    }
    return places;
}

/* A line or column of labels. */
struct tics {
    const char *variable;
    double length; /* of the axis */
    double height; /* of a label, if they stand one below the other; 0: side by side */
    size_t letters_max;
};

/* In gnuplot's notation, within quotes. */
static void print_label(FILE *script, const char *text)
{
    for (; *text != '\0'; text++) {
        fputs(*text == '\\' ? "\\\\" : *text == '\'' || *text == '"' ? "''" : "", script);
        if (*text != '\\' && *text != '\'' && *text != '"') {
            fputc(*text, script);
        }
    }
}

/* All labels but those that would run into the one before. */
static void print_tics(FILE *script, const struct tics *tics, const struct study_axis *axis,
                       const double *places)
{
    char cut[4 * STUDY_GRID_LABEL_SIZE];
    double free_from = -INFINITY;
    bool any = false;

    fprintf(script, "%s = '", tics->variable);
    for (size_t i = 0; i < axis->value_count; i++) {
        sim_readable_cut(cut, sizeof cut, axis->values[i].label, tics->letters_max);
        const double across = LETTER_WIDTH * ((double)sim_readable_width(cut) + 1);
        const double half = (tics->height > 0 ? tics->height : across) / 2;
        const double middle = tics->length * places[i];
        if (middle - half < free_from) {
            continue;
        }
        free_from = middle + half;
        fprintf(script, "%s\"", any ? "," : "(");
        print_label(script, cut);
        fprintf(script, "\" %.6f", places[i]);
        any = true;
    }
    fprintf(script, ")'\n");
}

static struct extent extent_of(const struct picture *picture, size_t measure)
{
    struct extent extent = {INFINITY, -INFINITY};

    for (size_t cell = 0; cell < cell_count_of(picture); cell++) {
        const struct study_sweep_sum sum = study_sweep_sum(picture->sweep, cell, measure);
        if (sum.count > 0) {
            extent.low = fmin(extent.low, picture->is_map ? sum.worst : sum.least);
            extent.high = fmax(extent.high, picture->is_map ? sum.worst : sum.most);
        }
    }
    if (extent.low > extent.high) {
        extent = (struct extent){0, 1};
    }
    return extent;
}

/* The ends of a y axis: with 0 unless the values are far from it, and with the bound unless it is.
 */
static struct extent axis_of(const struct picture *picture, size_t measure, double *bound)
{
    const struct study_sweep_measure *of = &picture->sweep->measures[measure];
    struct extent axis = extent_of(picture, measure);

    if (axis.low >= 0 && axis.low < 0.5 * axis.high) {
        axis.low = 0;
    }
    const double span = axis.high - axis.low;
    *bound = isfinite(of->maximum) ? of->maximum : of->minimum;
    if (isfinite(*bound) && *bound <= axis.high + span && *bound >= axis.low - span) {
        axis.low = fmin(axis.low, *bound);
        axis.high = fmax(axis.high, *bound);
    } else {
        *bound = NAN;
    }
    const double room = axis.high > axis.low ? 0.08 * (axis.high - axis.low) : 1;
    axis.low -= axis.low > 0 || axis.low < 0 ? room : 0;
    axis.high += room;
    return axis;
}

static void print_expected(FILE *script, const char *variable,
                           const struct study_sweep_measure *measure)
{
    char text[100] = "";

    if (isfinite(measure->maximum)) {
        snprintf(text, sizeof text, "at most %.6g", measure->maximum);
    } else if (isfinite(measure->minimum)) {
        snprintf(text, sizeof text, "at least %.6g", measure->minimum);
    }
    sim_plot_script_text(script, variable, text);
}

static void print_panels(FILE *script, const struct picture *picture)
{
    char variable[40];

    fprintf(script, "array names[%zu]\narray expected[%zu]\n", picture->panel_count,
            picture->panel_count);
    fprintf(script, "array low[%zu]\narray high[%zu]\narray bound[%zu]\narray more[%zu]\n",
            picture->panel_count, picture->panel_count, picture->panel_count, picture->panel_count);
    for (size_t i = 0; i < picture->panel_count; i++) {
        const struct study_sweep_measure *measure = &picture->sweep->measures[picture->panels[i]];
        double bound;
        const struct extent axis = picture->is_map ? extent_of(picture, picture->panels[i])
                                                   : axis_of(picture, picture->panels[i], &bound);
        snprintf(variable, sizeof variable, "names[%zu]", i + 1);
        sim_plot_script_text(script, variable, measure->name);
        snprintf(variable, sizeof variable, "expected[%zu]", i + 1);
        print_expected(script, variable, measure);
        snprintf(variable, sizeof variable, "low[%zu]", i + 1);
        sim_plot_script_number(script, variable, axis.low);
        snprintf(variable, sizeof variable, "high[%zu]", i + 1);
        sim_plot_script_number(script, variable, axis.high);
        snprintf(variable, sizeof variable, "more[%zu]", i + 1);
        sim_plot_script_number(script, variable, measure->as.better == STUDY_BETTER_MORE);
        if (!picture->is_map) {
            fprintf(script, isnan(bound) ? "bound[%zu] = NaN\n" : "bound[%zu] = %.9g\n", i + 1,
                    bound);
        }
    }
}

/* place, median, least, most, whether some seed is beyond the bound */
static void print_curve(FILE *script, const struct picture *picture, size_t measure,
                        const double *places)
{
    for (size_t cell = 0; cell < cell_count_of(picture); cell++) {
        const struct study_sweep_sum sum = study_sweep_sum(picture->sweep, cell, measure);
        const struct study_sweep_measure *of = &picture->sweep->measures[measure];
        if (sum.count == 0) {
            fprintf(script, "%.6f\tNaN\tNaN\tNaN\t0\n", places[cell]);
        } else {
            fprintf(script, "%.6f\t%.9g\t%.9g\t%.9g\t%d\n", places[cell], sum.median, sum.least,
                    sum.most,
                    !study_sweep_is_within(of, sum.least) || !study_sweep_is_within(of, sum.most));
        }
    }
    fputs("\n\n", script);
}

/* Few letters: 0.031, 1234, 12.3k */
static void print_few(FILE *script, double value)
{
    static const char *const units[] = {"", "k", "M", "G"};
    size_t unit = 0;

    while (fabs(value) >= 9999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    if (fabs(value) >= 1000 && unit == 0) {
        fprintf(script, "%.0f", value);
    } else {
        fprintf(script, "%.3g%s", value, units[unit]);
    }
}

/* column, row, worst, the same as text, whether it is beyond the bound */
static void print_map(FILE *script, const struct picture *picture, size_t measure,
                      const double *columns, const double *rows)
{
    const struct study_grid *grid = &picture->sweep->grid;

    for (size_t cell = 0; cell < cell_count_of(picture); cell++) {
        const double value = shown(picture, cell, measure);
        fprintf(script, "%.6f\t%.6f\t", columns[study_grid_index(grid, cell, 0)],
                rows[study_grid_index(grid, cell, 1)]);
        if (isnan(value)) {
            fprintf(script, "NaN\t-\t0\n");
            continue;
        }
        fprintf(script, "%.9g\t", value);
        print_few(script, value);
        fprintf(script, "\t%d\n",
                !study_sweep_is_within(&picture->sweep->measures[measure], value));
    }
    fputs("\n\n", script);
}

static void print_texts(FILE *script, const struct picture *picture, const char *kind)
{
    const struct study_sweep *sweep = picture->sweep;
    char finding[600];
    char text[600];
    char cut[400];
    char seeds[60];

    find(finding, sizeof finding, picture);
    sim_readable_cut(cut, sizeof cut, sweep->name, 30);
    if (sweep->seed_count == 1) {
        snprintf(seeds, sizeof seeds, "one seed");
    } else {
        snprintf(seeds, sizeof seeds, "%zu seeds: %s", sweep->seed_count,
                 picture->is_map ? "the worst" : "median, least to most");
    }
    if (picture->is_map) {
        snprintf(text, sizeof text, "%s, %s; %s across, %s up; framed: missed", cut, seeds,
                 sweep->grid.axes[0].name, sweep->grid.axes[1].name);
    } else {
        snprintf(text, sizeof text, "%s, %s; dashed: what the scenario expects", cut, seeds);
    }
    sim_plot_script_frame(script, &(struct sim_plot_frame){"sweep", kind, finding, text});
    list_alike(text, sizeof text, picture);
    sim_readable_cut(cut, sizeof cut, text, 92);
    sim_plot_script_text(script, "alike", cut);
    sim_plot_script_text(script, "x_name", sweep->grid.axes[0].path);
}

static void print_sizes(FILE *script, const struct picture *picture)
{
    const struct study_grid *grid = &picture->sweep->grid;
    const size_t columns = picture->is_wide ? 1 : 2;
    const double lines = (double)((picture->panel_count + columns - 1) / columns);

    if (picture->is_map) {
        const double x_count = (double)grid->axes[0].value_count;
        const double y_count = (double)grid->axes[1].value_count;
        sim_plot_script_number(script, "x_count", x_count);
        sim_plot_script_number(script, "y_count", y_count);
        fprintf(script, "has_numbers = %d\n",
                picture->width / x_count >= NUMBER_WIDTH && picture->height / y_count >= 17);
    }
    fprintf(script, "panel_count = %zu\ncolumn_count = %zu\n", picture->panel_count, columns);
    sim_plot_script_number(script, "plane_width", picture->width);
    sim_plot_script_number(script, "plane_height", picture->height);
    sim_plot_script_number(script, "picture_height",
                           HEAD_HEIGHT + lines * (picture->height + PANEL_FRAME) +
                               (picture->is_map ? 0 : AXIS_NAME));
}

static void print_axes(FILE *script, const struct picture *picture, const double *columns,
                       const double *rows)
{
    const struct study_grid *grid = &picture->sweep->grid;
    const double share = picture->width / fmin(4, (double)grid->axes[0].value_count);
    const struct tics below = {
        .variable = "x_tics",
        .length = picture->width,
        .letters_max = (size_t)(share / LETTER_WIDTH),
    };
    const struct tics beside = {
        .variable = "y_tics", .length = picture->height, .height = 16, .letters_max = 9};

    print_tics(script, &below, &grid->axes[0], columns);
    if (picture->is_map) {
        print_tics(script, &beside, &grid->axes[1], rows);
    }
}

/* Widths and heights are in units of the picture, which is 640 wide. */
static void lay_out(struct picture *picture)
{
    const struct study_grid *grid = &picture->sweep->grid;

    picture->is_wide =
        picture->panel_count == 1 || (picture->is_map && grid->axes[0].value_count > 6);
    picture->width = picture->is_map ? MAP_WIDTH : CURVE_WIDTH;
    picture->height = CURVE_HEIGHT;
    if (picture->is_wide) {
        picture->width = WIDE;
        picture->height = 2 * CURVE_HEIGHT;
    }
    if (picture->is_map) {
        const double rows = (double)grid->axes[1].value_count;
        picture->height = fmin(400, fmax(60, rows * 22));
    }
}

bool study_sweep_has_plot(const struct study_sweep *sweep)
{
    return sweep->grid.axis_count <= 2 && sweep->shard_count == 1 &&
           study_grid_cell_count(&sweep->grid) > 1;
}

void study_sweep_print_plot(FILE *script, const void *context, const char *kind)
{
    const struct study_sweep *sweep = context;
    struct picture picture = {.sweep = sweep, .is_map = sweep->grid.axis_count == 2};

    WEIR_ASSERT(study_sweep_has_plot(sweep));
    choose_panels(&picture);
    lay_out(&picture);
    double *columns = places_of(&sweep->grid.axes[0], !picture.is_map);
    double *rows = picture.is_map ? places_of(&sweep->grid.axes[1], false) : NULL;
    print_texts(script, &picture, kind);
    print_sizes(script, &picture);
    print_axes(script, &picture, columns, rows);
    print_panels(script, &picture);
    fprintf(script, "$data << EOD\n");
    for (size_t i = 0; i < picture.panel_count; i++) {
        if (picture.is_map) {
            print_map(script, &picture, picture.panels[i], columns, rows);
        } else {
            print_curve(script, &picture, picture.panels[i], columns);
        }
    }
    fprintf(script, "EOD\n");
    free(columns);
    free(rows);
    sim_plot_script_load(script, picture.is_map ? "sweep-map" : "sweep-curve");
}
