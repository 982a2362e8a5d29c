/* Checks what processes admit while the store cannot be reached, against what was there to be
 * admitted: from the store's true state at the instant it became unreachable, never from what
 * processes say of themselves. Definitions as in docs/MODEL.md, "Outages".
 *
 * An outage is a fault that cuts some processes off from some shards, all the time it lasts. */
#ifndef SIM_OUTAGE_BOUND_H
#define SIM_OUTAGE_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "plan_history.h"
#include "store.h"
#include "traffic.h"

#define SIM_OUTAGE_GRACE_NS UINT64_C(2000000000)   /* after its end the store is being told */
#define SIM_OUTAGE_SHARES_NS UINT64_C(60000000000) /* shares are known from this long before */

/* One key during one outage. */
struct sim_outage_key {
    bool is_sampled;
    uint64_t left_units; /* in the store when the outage began ... */
    uint64_t out_units;  /* ... and in processes */
    /* of requests that arrived during the outage */
    uint64_t demand_units;
    uint64_t ideal_units;      /* admitted by the exact limiter */
    uint64_t admitted_units;   /* by ours */
    uint64_t cut_demand_units; /* of those, at processes that were cut off */
    uint64_t cut_admitted_units;
    /* decided from the beginning of the outage until the grace is over */
    uint64_t decided_units;
    uint32_t largest_units;
};

struct sim_outage {
    uint32_t fault; /* index into the scenario's */
    uint64_t down_ns;
    uint64_t up_ns;
    bool cuts_all;   /* every process */
    bool is_sampled; /* every key is */
    struct sim_outage_key *keys;
    /* by key, then process: requested before and during the outage; NULL: too many to keep */
    uint64_t *before_units;
    uint64_t *during_units;
};

struct sim_outages {
    const struct sim_plan_history *history;
    struct sim_outage *list;
    size_t count;
};

/* The faults of the catalog's scenario. */
void sim_outages_init(struct sim_outages *outages, const struct sim_plan_history *history);
void sim_outages_deinit(struct sim_outages *outages);

/* is_due: the exact limiter admits it. In order of time. */
void sim_outages_arrival(struct sim_outages *outages, const struct sim_arrival *arrival,
                         bool is_due);
void sim_outages_admitted(struct sim_outages *outages, uint32_t process, uint32_t key,
                          uint64_t arrived_ns, uint64_t decided_ns, uint32_t cost_units);

/* The store is about to do something about the key that takes effect at done_ns. */
void sim_outages_before_serving(struct sim_outages *outages, const struct sim_store *store,
                                uint32_t key, uint64_t done_ns);
/* All that takes effect before now_ns has been done. */
void sim_outages_advance(struct sim_outages *outages, const struct sim_store *store,
                         uint64_t now_ns);

/* The largest or smallest of a figure over outages and keys; -1: there is none. Percentages are of
 * keys with a limit of at least SIM_PERCENT_LIMIT_MIN. */
struct sim_outage_figures {
    uint32_t outage_count; /* of all processes ... */
    uint32_t cut_count;    /* ... and of some */
    double bound_used_pct;
    double over_units;
    double over_of_accrued_pct;
    double admitted_of_ideal_min_pct;
    double admitted_of_ideal_max_pct;
    double under_of_accrued_pct;
    double floor_split_pct;
    double under_above_floor_pct;
    double cut_share_min_pct;
    double cut_share_max_pct;
};

/* Over the keys of one population, or of all (SIM_EVERY_POPULATION). */
void sim_outages_figures(const struct sim_outages *outages, uint32_t population,
                         struct sim_outage_figures *figures);

/* The outage concerns the key, and goes on at this time. */
bool sim_outages_holds(const struct sim_outages *outages, const struct sim_outage *outage,
                       uint32_t key, uint64_t time_ns);

#endif
