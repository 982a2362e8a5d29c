/* The picture of a claim: some of its measures as bars, as bars of several parts, or as points of a
 * plane. */
#ifndef STUDY_CLAIM_PICTURE_H
#define STUDY_CLAIM_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "scenario_document.h"

struct study_claim;
struct study_judged;

enum study_picture_kind {
    STUDY_PICTURE_BARS = 0,
    STUDY_PICTURE_STACKS,
    STUDY_PICTURE_POINTS,
    STUDY_PICTURE_KIND_COUNT,
};

enum study_tone { /* what a bar is coloured for */
                  STUDY_TONE_PLAIN = 0,
                  STUDY_TONE_GOOD,
                  STUDY_TONE_BAD,
};

#define STUDY_PICTURE_PARTS_MAX 8

struct study_picture_row {
    const char *label;
    /* BARS: its measure; STACKS: one for each part; POINTS: to the right, upwards, and, if it has a
     * third, what is written beside its label */
    uint32_t measures[STUDY_PICTURE_PARTS_MAX];
    size_t measure_count;
    enum study_tone tone; /* BARS */
};

struct study_claim_picture {
    enum study_picture_kind kind;
    const char *title;
    const char *axis;   /* what the bars' length is, or what is to the right, with its unit */
    const char *y_axis; /* POINTS */
    bool is_log;        /* BARS; POINTS are on logarithmic axes */
    double floor;       /* on a logarithmic axis, less is shown as this */
    double x_floor;     /* POINTS: the same, to the left */
    bool has_limit;     /* a line across; of POINTS, a level one */
    double limit;
    const char *limit_text;
    const char *parts[STUDY_PICTURE_PARTS_MAX]; /* STACKS */
    size_t part_count;
    struct study_picture_row *rows; /* owned; none: the claim has no picture */
    size_t row_count;
};

/* Reads the claim's "picture", if there is one; requires its measures. */
bool study_claim_read_picture(const struct sim_node *root, const struct study_claim *claim,
                              struct study_claim_picture *picture);

/* What gnuplot makes the picture of; `context` is a struct study_judged, as of sim_picture_draw. */
void study_claim_print_plot(FILE *script, const void *context, const char *kind);

/* "claim_D1": a file's name without what it ends in, and an SVG's name. */
void study_claim_picture_name(char *name, size_t size, const struct study_claim *claim);

#endif
