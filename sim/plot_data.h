/* What tables and pictures of a run need beyond its result: every interval looked at once. */
#ifndef SIM_PLOT_DATA_H
#define SIM_PLOT_DATA_H

#include "result.h"

#define SIM_PLOT_WORST_COUNT 10

struct sim_plot_worst {
    uint32_t key;
    uint32_t interval;
    double percent;
    struct sim_explanation explanation;
};

/* Errors of the intervals that ended in one minute. */
struct sim_plot_minute {
    uint64_t over_units[SIM_CAUSE_COUNT];
    uint64_t under_units[SIM_CAUSE_COUNT];
};

/* An interval's error, over positive, under negative: percent of the limit, or units. */
struct sim_plot_point {
    double end_s;
    double error;
};

struct sim_plot_data {
    const struct sim_result *result;
    const struct sim_world *world;
    bool in_percent; /* keys with small limits are left out of points and worst; else in units */
    struct sim_plot_worst worst[SIM_PLOT_WORST_COUNT]; /* the worst first; without error: none */
    uint32_t worst_count;
    struct sim_plot_minute *minutes; /* owned */
    uint32_t minute_count;
    struct sim_plot_point *points; /* owned; of intervals with demand */
    size_t point_count;
    size_t off_budget_count; /* of them, by more than 1 % or one unit */
};

void sim_plot_data_make(struct sim_plot_data *data, const struct sim_result *result,
                        const struct sim_world *world);
void sim_plot_data_free(struct sim_plot_data *data);

/* When an interval ended, the last one with the run. */
uint64_t sim_plot_end_ns(const struct sim_world *world, uint32_t key, uint32_t interval);

/* The sum of all keys' limits in each second of the run, units per second: `count` of them. */
double *sim_plot_new_limits(const struct sim_world *world, uint32_t count);

/* Seconds of the run, the last one perhaps cut short. */
uint32_t sim_plot_second_count(const struct sim_world *world);

#endif
