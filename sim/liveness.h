/* Does a run come back to what it would have been, once its faults are over? Definitions as in
 * docs/MODEL.md, "Recovery". */
#ifndef SIM_LIVENESS_H
#define SIM_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

struct sim_world;
struct sim_twin;

enum sim_recovery {
    SIM_RECOVERY_NOT_ASKED = 0, /* no faults, or one lasts to the end of the run, or no twin */
    SIM_RECOVERY_UNKNOWN,       /* the run ends too early after the last fault */
    SIM_RECOVERY_DONE,
    SIM_RECOVERY_FAILED,
};

/* Of one population. */
struct sim_settling {
    uint64_t recovered_ns; /* end of the last interval out of the band; last_end_ns if none was */
    uint64_t checked_intervals;
    uint64_t unhealthy_intervals;
};

struct sim_liveness {
    enum sim_recovery recovery;
    uint64_t last_end_ns;  /* of the faults */
    uint64_t settled_ns;   /* from here on everything must be healthy again */
    uint64_t recovered_ns; /* end of the last interval out of the band; last_end_ns if none was */
    uint64_t checked_intervals;
    uint64_t unhealthy_intervals;
    uint32_t worst_key; /* of the first of these */
    uint32_t open_breakers;
    bool breakers_closed; /* as they would be without faults, if there was time */
    uint64_t held_units;  /* in processes, after all should have been given back */
    bool ledger_balances;
    struct sim_settling *by_population; /* owned */
};

/* Requires a finished run; `unexplained_units`: of its ledger. */
void sim_liveness_make(struct sim_liveness *liveness, const struct sim_world *world,
                       uint64_t held_units, uint64_t unexplained_units);
void sim_liveness_free(struct sim_liveness *liveness);

/* Of all processes, at this moment. */
uint32_t sim_liveness_open_breakers(const struct sim_world *world);

/* Two windows of the longest plan: what a fault may take to be forgotten. */
uint64_t sim_liveness_settling_ns(const struct sim_world *world);

#endif
