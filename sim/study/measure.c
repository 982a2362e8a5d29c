#include "measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readable.h"
#include "weir/assert.h"

const struct study_measure study_measures[STUDY_MEASURE_COUNT] = {
    {"accuracy.over_pct.max", "over, % of limit", 3, STUDY_BETTER_LESS},
    {"accuracy.under_pct.max", "under, % of limit", 3, STUDY_BETTER_LESS},
    {"accuracy.over_units.max", "over, units", 0, STUDY_BETTER_LESS},
    {"accuracy.under_units.max", "under, units", 0, STUDY_BETTER_LESS},
    {"accuracy.contract_over_pct.max", "above contract, %", 3, STUDY_BETTER_LESS},
    {"units.admitted", "units admitted", 0, STUDY_BETTER_NEITHER},
    {"store.asks_per_s.mean", "asks/s", 1, STUDY_BETTER_LESS},
    {"store.asks_per_s.max_1s", "asks/s, busiest", 0, STUDY_BETTER_LESS},
    {"store.requests_per_ask", "requests per ask", 1, STUDY_BETTER_MORE},
    {"latency_us.p99", "p99 added, us", 1, STUDY_BETTER_LESS},
    {"latency_us.waited_pct", "waited, %", 2, STUDY_BETTER_LESS},
    {"availability.answered_pct", "answered, %", 3, STUDY_BETTER_MORE},
    {"decisions.degraded", "degraded", 0, STUDY_BETTER_NEITHER},
};

const struct study_measure *study_measure_known(const char *path)
{
    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        if (strcmp(study_measures[i].path, path) == 0) {
            return &study_measures[i];
        }
    }
    return NULL;
}

const struct study_measure *study_measure_find(const char *path)
{
    const struct study_measure *found = study_measure_known(path);

    WEIR_ASSERT(found != NULL);
    return found;
}

bool study_measure_has_percentages(const struct sim_scenario *scenario)
{
    for (size_t i = 0; i < scenario->population_count; i++) {
        const struct sim_plan *plan = &scenario->plans[scenario->populations[i].plan];
        const bool in_windows =
            plan->algorithm != SIM_ALGORITHM_BUCKET && plan->algorithm != SIM_ALGORITHM_UNLIMITED;
        const double span_us = in_windows ? (double)plan->window_us : 60e6;
        if (plan->algorithm != SIM_ALGORITHM_UNLIMITED &&
            (double)plan->rate_units * span_us / (double)plan->rate_period_us >=
                STUDY_PERCENT_LIMIT_MIN) {
            return true;
        }
    }
    return false;
}

/* In steps of the last digit that is shown. */
static double steps_of(const struct study_measure *measure, double value)
{
    double scale = 1;

    for (unsigned i = 0; i < measure->decimals; i++) {
        scale *= 10;
    }
    return floor(value * scale + 0.5);
}

static struct study_number format(const struct study_measure *measure, double value,
                                  const char *plus)
{
    struct study_number number;
    const double steps = steps_of(measure, fabs(value));
    uint64_t scale = 1;

    for (unsigned i = 0; i < measure->decimals; i++) {
        scale *= 10;
    }
    if (!(steps < 1e18)) {
        snprintf(number.text, sizeof number.text, "%.3g", value);
        return number;
    }
    const uint64_t whole = (uint64_t)steps;
    const char *sign = whole == 0 ? "" : value < 0 ? "-" : plus;
    const struct sim_readable count = sim_readable_count(whole / scale);
    char fraction[24]; /* 1000 + 180: the digits after the first */
    snprintf(fraction, sizeof fraction, "%" PRIu64, scale + whole % scale);
    snprintf(number.text, sizeof number.text, "%s%s%s%s", sign, count.text,
             measure->decimals == 0 ? "" : ".", fraction + 1);
    return number;
}

struct study_number study_measure_value(const struct study_measure *measure, double value)
{
    return format(measure, value, "");
}

struct study_number study_measure_change(const struct study_measure *measure, double value)
{
    return format(measure, value, "+");
}

int study_measure_compare(const struct study_measure *measure, double value, double than)
{
    const double left = steps_of(measure, value);
    const double right = steps_of(measure, than);
    const int sign = (left < right) - (left > right);

    switch (measure->better) {
    case STUDY_BETTER_LESS:
        return sign;
    case STUDY_BETTER_MORE:
        return -sign;
    case STUDY_BETTER_NEITHER:
    default:
        return 0;
    }
}

static int by_value(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;

    return (left > right) - (left < right);
}

double study_median(double *values, size_t count)
{
    WEIR_ASSERT(count > 0);
    qsort(values, count, sizeof *values, by_value);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
