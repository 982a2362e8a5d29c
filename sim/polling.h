/* Customers who ask what remains (X-RateLimit-Remaining), over several connections at once, and how
 * far what they are told is from the truth.
 *
 * Truth, at an instant: what the store has, what processes hold and could spend, and what answers
 * on the way carry. A poll takes place at the first end of an epoch (see world.c) at or after its
 * time, since all processes have run just so far then. The store may carry out an ask that ends
 * later before it comes to that: sim_polling_before_serving notes what it had. */
#ifndef SIM_POLLING_H
#define SIM_POLLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "balancer.h"
#include "catalog.h"
#include "plan_history.h"
#include "process.h"
#include "store.h"

struct sim_polling_totals {
    uint64_t polls;   /* answers, one per connection */
    uint64_t unknown; /* of them: the process could not say yet */
    /* truth not within [remaining - error, remaining + error + refill since], see weir/decision.h
     */
    uint64_t outside_bounds;
    uint64_t error_units_max; /* |remaining - truth| */
    uint64_t age_ns_max;
    uint64_t disagreement_units_max; /* between the connections of one poll of one key */
};

struct sim_polling_round; /* one of the scenario's polls */

struct sim_polling {
    const struct sim_plan_history *history;
    const struct sim_catalog *catalog;
    uint64_t epoch_ns;
    struct sim_polling_round *rounds;
    size_t round_count;
    struct sim_polling_totals totals;
};

/* Epochs end at the multiples of epoch_ns below the scenario's duration. Requires that none of its
 * polls is repeated more often. */
void sim_polling_init(struct sim_polling *polling, const struct sim_plan_history *history,
                      uint64_t epoch_ns);
void sim_polling_deinit(struct sim_polling *polling);

/* The shortest time between polls of one kind; UINT64_MAX: there are no polls. */
uint64_t sim_polling_every_ns(const struct sim_scenario *scenario);

/* The store is about to carry out an ask of this key, whose service ends at done_ns. */
void sim_polling_before_serving(struct sim_polling *polling, const struct sim_store *store,
                                uint32_t key, uint64_t done_ns);

/* An epoch ends now, and all processes have run to it: the polls that are due. */
void sim_polling_epoch(struct sim_polling *polling, const struct sim_store *store,
                       const struct sim_process *processes, uint64_t now_ns);

#endif
