/* The figures by which runs are held against each other: where each stands in a result, what people
 * call it, and which way is good. */
#ifndef STUDY_MEASURE_H
#define STUDY_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario.h"

enum study_better {
    STUDY_BETTER_LESS = 0,
    STUDY_BETTER_MORE,
    STUDY_BETTER_NEITHER, /* it is only different */
};

struct study_measure {
    const char *path; /* see sim_result_number */
    const char *name; /* with its unit */
    unsigned decimals;
    enum study_better better;
};

#define STUDY_MEASURE_COUNT 13

extern const struct study_measure study_measures[STUDY_MEASURE_COUNT];

/* NULL if it is none of them. */
const struct study_measure *study_measure_known(const char *path);

/* Requires that it is one of them. */
const struct study_measure *study_measure_find(const char *path);

#define STUDY_PERCENT_LIMIT_MIN 1000

/* Has any key a limit of STUDY_PERCENT_LIMIT_MIN units or more, of which a percentage says
 * something? If not, the measures in percent of the limit are of nothing. */
bool study_measure_has_percentages(const struct sim_scenario *scenario);

/* Returned by value, as of readable.h. */
struct study_number {
    char text[80];
};

/* With the measure's decimals and grouped digits: 1,234; -0.180. What rounds to nothing has no
 * sign. */
struct study_number study_measure_value(const struct study_measure *measure, double value);
/* The same with a sign for what is above nothing, too: +1,234. */
struct study_number study_measure_change(const struct study_measure *measure, double value);

/* How much better `value` is than `than`, as a number whose sign alone counts: 1, 0, or -1; 0 where
 * neither way is good. Numbers that are shown alike are alike. */
int study_measure_compare(const struct study_measure *measure, double value, double than);

/* The middle value; of an even number, the mean of the middle two. Reorders the values. Requires
 * count > 0. */
double study_median(double *values, size_t count);

#endif
