/* A sweep: every cell of a grid, each under several seeds, and some measures of every run.
 *
 * A row is a run: the seeds of the first cell, those of the second, and so on. One part of n (a
 * shard) has every n-th row; put together, the parts are what one sweep of all rows is. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "grid.h"
#include "measure.h"
#include "scenario.h"

#define STUDY_SWEEP_RUNS_MAX 20000
#define STUDY_SWEEP_SEEDS_MAX 1000
#define STUDY_SWEEP_MEASURES_MAX 20
#define STUDY_SWEEP_SETS_MAX 100

/* A figure of each run, and what the scenario expects of it. */
struct study_sweep_measure {
    char path[96]; /* see sim_result_number */
    char name[96];
    struct study_measure as; /* points into this */
    double minimum;          /* -INFINITY: none */
    double maximum;          /* INFINITY: none */
};

struct study_sweep_row {
    bool is_there;
    char verdict[16];
    char trace_hash[20];
    double values[STUDY_SWEEP_MEASURES_MAX]; /* NAN: the run has no such figure */
};

/* What the seeds of a cell come to in one measure. */
struct study_sweep_sum {
    size_t count; /* of runs that have it; 0: the rest says nothing */
    double median;
    double least;
    double most;
    double worst; /* the most or the least; the median where neither way is good */
};

struct study_sweep {
    char *scenario; /* path, as given; owned, as the next three */
    char *name;
    char *scenario_hash;
    char **sets; /* PATH=VALUE for all cells */
    size_t set_count;
    enum sim_kernel_kind kernel;
    struct study_grid grid;
    uint64_t first_seed;
    size_t seed_count;
    struct study_sweep_measure *measures; /* owned; STUDY_SWEEP_MEASURES_MAX of them */
    size_t measure_count;
    size_t shard; /* 1 ... shard_count */
    size_t shard_count;
    struct study_sweep_row *rows; /* owned; see study_sweep_row_count */
};

struct study_sweep *study_sweep_new(void);
void study_sweep_free(struct study_sweep *sweep);

/* Copies the text to where the sweep owns it. */
char *study_sweep_copy(const char *text);

/* Add a measure of the sweep's. Returns NULL if there are STUDY_SWEEP_MEASURES_MAX of them. */
struct study_sweep_measure *study_sweep_add_measure(struct study_sweep *sweep, const char *path);
/* Those that one asks for first. */
void study_sweep_add_usual_measures(struct study_sweep *sweep, const struct sim_scenario *scenario);
/* What the scenario expects of the measures. */
void study_sweep_take_bounds(struct study_sweep *sweep, const struct sim_scenario *scenario);

size_t study_sweep_row_count(const struct study_sweep *sweep);
bool study_sweep_is_in_shard(const struct study_sweep *sweep, size_t row);

/* Reads the scenario in every cell. Returns false with one line in `error` if one is wrong; else
 * says whether any cell limits bandwidth. */
bool study_sweep_check(const struct study_sweep *sweep, bool *limits_bandwidth,
                       struct sim_error *error);

/* Is each measure a number of the result? */
bool study_sweep_check_measures(const struct study_sweep *sweep,
                                const struct sim_scenario *scenario, struct sim_error *error);

/* How to make the runs, and what became of it. */
struct study_sweep_making {
    const char *folder; /* where results are kept; NULL: nowhere */
    unsigned job_count; /* 0: one per core */
    bool quiet;
    /* filled in */
    size_t made_count;
    size_t reused_count;
    int signal_number;
    char error[512];
};

/* Fills in the shard's rows. Requires a checked sweep. */
enum study_end study_sweep_run(struct study_sweep *sweep, struct study_sweep_making *making);

/* Once all rows are there: how many digits the measures without a unit of their own are shown with.
 */
void study_sweep_settle(struct study_sweep *sweep);

struct study_sweep_sum study_sweep_sum(const struct study_sweep *sweep, size_t cell,
                                       size_t measure);
bool study_sweep_is_within(const struct study_sweep_measure *measure, double value);

#endif
