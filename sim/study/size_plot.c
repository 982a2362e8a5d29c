/* The picture of a search for settings: what each costs in asks, and how far off it is. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label_place.h"
#include "memory.h"
#include "plot_script.h"
#include "readable.h"
#include "size_report.h"

/* Of the picture's plane and its texts, in its own units; see plots/style.gp, plots/size.gp. */
#define PLANE_WIDTH 535.0
#define PLANE_HEIGHT 245.0
#define LETTER_WIDTH 7.6
#define TEXT_HEIGHT 14.0
#define TEXT_DISTANCE 8.0

struct picture {
    const struct study_size *size;
    enum study_bound_kind error;        /* shown upwards */
    double least_error;                 /* less is shown as this */
    size_t order[STUDY_CANDIDATES_MAX]; /* the points: those that matter first */
    size_t count;
    double left; /* of the axes, logarithms to base 10 */
    double right;
    double bottom;
    double top;
};

/* The first that is bounded of these; in percent if none is. */
static enum study_bound_kind error_of(const struct study_size *size)
{
    static const enum study_bound_kind kinds[] = {STUDY_BOUND_UNDER, STUDY_BOUND_OVER,
                                                  STUDY_BOUND_UNDER_UNITS, STUDY_BOUND_OVER_UNITS};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (size->is_bounded[kinds[i]]) {
            return kinds[i];
        }
    }
    return STUDY_BOUND_UNDER;
}

/* The chosen, those that have names, and fixed leases by size. */
static bool comes_before(const struct study_size *size, size_t left, size_t right)
{
    if (left == size->chosen || right == size->chosen) {
        return left == size->chosen;
    }
    return size->candidates[left].lease_units < size->candidates[right].lease_units;
}

static void order_points(struct picture *picture)
{
    const struct study_size *size = picture->size;

    for (size_t i = 0; i < size->candidate_count; i++) {
        size_t place = picture->count;
        if (size->candidates[i].seed_count == 0) {
            continue;
        }
        for (; place > 0 && comes_before(size, i, picture->order[place - 1]); place--) {
            picture->order[place] = picture->order[place - 1];
        }
        picture->order[place] = i;
        picture->count++;
    }
}

static double shown_error(const struct picture *picture, double error)
{
    return log10(error < picture->least_error ? picture->least_error : error);
}

static double shown_asks(double asks)
{
    return log10(asks < 0.01 ? 0.01 : asks);
}

static void include(double value, double *least, double *most)
{
    *least = value < *least ? value : *least;
    *most = value > *most ? value : *most;
}

/* Points and bounds, with room around. */
static void set_axes(struct picture *picture)
{
    const struct study_size *size = picture->size;

    picture->left = picture->bottom = HUGE_VAL;
    picture->right = picture->top = -HUGE_VAL;
    for (size_t i = 0; i < picture->count; i++) {
        const struct study_candidate *candidate = &size->candidates[picture->order[i]];
        include(shown_asks(candidate->worst[STUDY_BOUND_ASKS]), &picture->left, &picture->right);
        include(shown_error(picture, candidate->worst[picture->error]), &picture->bottom,
                &picture->top);
    }
    if (size->is_bounded[STUDY_BOUND_ASKS]) {
        include(shown_asks(size->bounds[STUDY_BOUND_ASKS]), &picture->left, &picture->right);
    }
    if (size->is_bounded[picture->error]) {
        include(shown_error(picture, size->bounds[picture->error]), &picture->bottom,
                &picture->top);
    }
    const double width = picture->right - picture->left + 0.3;
    const double height = picture->top - picture->bottom + 0.3;
    picture->left -= 0.1 * width;
    picture->right += 0.1 * width;
    picture->bottom -= 0.08 * height;
    picture->top += 0.08 * height;
}

static double plane_x(const struct picture *picture, double asks)
{
    return PLANE_WIDTH * (shown_asks(asks) - picture->left) / (picture->right - picture->left);
}

static double plane_y(const struct picture *picture, double error)
{
    return PLANE_HEIGHT * (shown_error(picture, error) - picture->bottom) /
           (picture->top - picture->bottom);
}

static void name_point(const struct study_candidate *candidate, char name[48])
{
    static const char variant[] = "tapered, ";

    if (candidate->lease_units == 0) {
        const bool is_variant = strncmp(candidate->name, variant, sizeof variant - 1) == 0;
        snprintf(name, 48, "%s", candidate->name + (is_variant ? sizeof variant - 1 : 0));
    } else {
        snprintf(name, 48, "%" PRIu32, candidate->lease_units);
    }
}

static void print_points(FILE *script, const struct picture *picture)
{
    const struct study_size *size = picture->size;
    struct study_label_field field = {
        .width = PLANE_WIDTH,
        .height = PLANE_HEIGHT,
        .text_height = TEXT_HEIGHT,
        .distance = TEXT_DISTANCE,
        .line_x = -1,
        .line_y = -1,
    };
    struct study_label *labels = sim_memory_new(picture->count, sizeof *labels);
    char name[48];

    for (size_t i = 0; i < picture->count; i++) {
        const struct study_candidate *candidate = &picture->size->candidates[picture->order[i]];
        name_point(candidate, name);
        labels[i] = (struct study_label){
            .x = plane_x(picture, candidate->worst[STUDY_BOUND_ASKS]),
            .y = plane_y(picture, candidate->worst[picture->error]),
            .width = LETTER_WIDTH * (double)sim_readable_width(name),
        };
    }
    if (size->is_bounded[STUDY_BOUND_ASKS]) {
        field.line_x = plane_x(picture, size->bounds[STUDY_BOUND_ASKS]);
    }
    if (size->is_bounded[picture->error]) {
        field.line_y = plane_y(picture, size->bounds[picture->error]);
    }
    study_label_place(labels, picture->count, &field);
    fprintf(script, "$data << EOD\n");
    for (size_t i = 0; i < picture->count; i++) {
        const struct study_candidate *candidate = &picture->size->candidates[picture->order[i]];
        name_point(candidate, name);
        fprintf(script, "%.9g\t%.9g\t%s\t%s\t%d\t%" PRIu32 "\n",
                pow(10, shown_asks(candidate->worst[STUDY_BOUND_ASKS])),
                pow(10, shown_error(picture, candidate->worst[picture->error])), name,
                study_label_side_names[labels[i].side], candidate->misses == 0,
                candidate->lease_units);
    }
    fprintf(script, "EOD\n");
    free(labels);
}

static void print_texts(FILE *script, const struct study_sizing *sizing,
                        const struct picture *picture, const char *kind)
{
    const struct study_size *size = sizing->size;
    char text[600];

    sim_plot_script_text(script, "figure", "size");
    sim_plot_script_text(script, "kind", kind);
    study_size_find(text, sizeof text, sizing);
    text[0] = (char)(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
    sim_plot_script_title(script, "finding", text);
    if (size->seed_count == 1) {
        snprintf(text, sizeof text, "%s, one seed; numbers: units in a fixed lease",
                 sizing->scenario->name);
    } else {
        snprintf(text, sizeof text,
                 "%s, the worst of up to %zu seeds; numbers: units in a fixed lease",
                 sizing->scenario->name, size->seed_count);
    }
    sim_plot_script_text(script, "subtitle", text);
    sim_plot_script_text(script, "policy", "lease_tapered");
    sim_plot_script_text(script, "nothing", "");
    sim_plot_script_text(script, "time_unit", "s");
    snprintf(text, sizeof text, "%s,%s", study_bound_texts[picture->error].name,
             study_bound_texts[picture->error].unit);
    sim_plot_script_text(script, "error_title", text);
}

void study_size_print_plot(FILE *script, const void *context, const char *kind)
{
    const struct study_sizing *sizing = context;
    const struct study_size *size = sizing->size;
    struct picture picture = {.size = size, .error = error_of(size)};

    picture.least_error =
        picture.error == STUDY_BOUND_UNDER || picture.error == STUDY_BOUND_OVER ? 0.001 : 0.5;
    order_points(&picture);
    set_axes(&picture);
    print_texts(script, sizing, &picture, kind);
    sim_plot_script_number(script, "left", pow(10, picture.left));
    sim_plot_script_number(script, "right", pow(10, picture.right));
    sim_plot_script_number(script, "bottom", pow(10, picture.bottom));
    sim_plot_script_number(script, "top", pow(10, picture.top));
    sim_plot_script_number(script, "least_error", picture.least_error);
    sim_plot_script_number(script, "error_bound",
                           size->is_bounded[picture.error]
                               ? pow(10, shown_error(&picture, size->bounds[picture.error]))
                               : -1);
    sim_plot_script_number(script, "asks_bound",
                           size->is_bounded[STUDY_BOUND_ASKS]
                               ? pow(10, shown_asks(size->bounds[STUDY_BOUND_ASKS]))
                               : -1);
    print_points(script, &picture);
    sim_plot_script_text(script, "plots", WEIR_PLOTS_DIR);
    fprintf(script, "load plots.'/style.gp'\nload plots.'/size.gp'\n");
}
