/* The picture of a search for settings: what each costs in asks, and how far off it is. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "plane_plot.h"
#include "plot_script.h"
#include "size_report.h"

struct picture {
    const struct study_size *size;
    enum study_bound_kind error;        /* shown upwards */
    double least_error;                 /* less is shown as this */
    size_t order[STUDY_CANDIDATES_MAX]; /* the points: those that matter first */
    size_t count;
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
    return fmax(error, picture->least_error);
}

static double shown_asks(double asks)
{
    return fmax(asks, 0.01);
}

static void name_point(const struct study_candidate *candidate, char *name, size_t size)
{
    static const char variant[] = "tapered, ";

    if (candidate->lease_units == 0) {
        const bool is_variant = strncmp(candidate->name, variant, sizeof variant - 1) == 0;
        snprintf(name, size, "%s", candidate->name + (is_variant ? sizeof variant - 1 : 0));
    } else {
        snprintf(name, size, "%" PRIu32, candidate->lease_units);
    }
}

static void print_points(FILE *script, const struct picture *picture)
{
    const struct study_size *size = picture->size;
    struct study_plane_point *points = sim_memory_new(picture->count, sizeof *points);
    struct study_plane plane = {.points = points, .point_count = picture->count};

    for (size_t i = 0; i < picture->count; i++) {
        const struct study_candidate *candidate = &size->candidates[picture->order[i]];
        points[i].x = shown_asks(candidate->worst[STUDY_BOUND_ASKS]);
        points[i].y = shown_error(picture, candidate->worst[picture->error]);
        points[i].is_good = candidate->misses == 0;
        points[i].lease_units = candidate->lease_units;
        name_point(candidate, points[i].name, sizeof points[i].name);
    }
    if (size->is_bounded[STUDY_BOUND_ASKS]) {
        plane.line_x = shown_asks(size->bounds[STUDY_BOUND_ASKS]);
    }
    if (size->is_bounded[picture->error]) {
        plane.line_y = shown_error(picture, size->bounds[picture->error]);
    }
    study_plane_print(script, &plane);
    free(points);
}

static void print_texts(FILE *script, const struct study_sizing *sizing,
                        const struct picture *picture, const char *kind)
{
    const struct study_size *size = sizing->size;
    char finding[600];
    char text[600];

    study_size_find(finding, sizeof finding, sizing);
    if (finding[0] >= 'a' && finding[0] <= 'z') {
        finding[0] = (char)(finding[0] - 'a' + 'A');
    }
    if (size->seed_count == 1) {
        snprintf(text, sizeof text, "%s, one seed; numbers: units in a fixed lease",
                 sizing->scenario->name);
    } else {
        snprintf(text, sizeof text,
                 "%s, the worst of up to %zu seeds; numbers: units in a fixed lease",
                 sizing->scenario->name, size->seed_count);
    }
    sim_plot_script_frame(script, &(struct sim_plot_frame){"size", kind, finding, text});
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
    print_texts(script, sizing, &picture, kind);
    sim_plot_script_number(script, "least_error", picture.least_error);
    print_points(script, &picture);
    sim_plot_script_load(script, "size");
}
