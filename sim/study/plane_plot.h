/* Points with names on two logarithmic axes, for plots/points.gp: how far the axes go, and on which
 * side of its point each name has room. */
#ifndef STUDY_PLANE_PLOT_H
#define STUDY_PLANE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct study_plane_point {
    double x; /* above 0, as y is */
    double y;
    char name[160];
    bool is_good;         /* coloured so */
    uint32_t lease_units; /* of a fixed lease; else 0 */
};

struct study_plane {
    const struct study_plane_point *points; /* borrowed; those that come first are named first */
    size_t point_count;
    double line_x; /* a bound, upright; 0: none */
    double line_y; /* a level one */
};

/* The axes, the bounds and $data. */
void study_plane_print(FILE *script, const struct study_plane *plane);

#endif
