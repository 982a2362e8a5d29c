/* How far the limiter was off, for every key and interval, against the oracle and against the
 * contract.
 *
 * Intervals: bucket and unlimited plans, minutes of true time from 0; window, sliding and log
 * plans, the key's own windows. A key whose plan is deleted, or changes its algorithm or its
 * windows, in mid-run: minutes all the time. A request counts in the interval of its arrival, for
 * the contract at its decision. Everything is counted in units and exact; percentages are formed at
 * the end.
 *
 * Changes of a plan take effect on each key's oracle and contract at their time, before a request
 * that arrives, or is decided, at that very time. */
#ifndef SIM_ACCURACY_H
#define SIM_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog.h"
#include "contract.h"
#include "oracle.h"
#include "plan_history.h"

/* Units that left the ordinary course from ask to spending. */
enum sim_loss {
    SIM_LOSS_DEAD = 0, /* held by a process that died */
    SIM_LOSS_REPLY,    /* granted by an answer that never arrived, or came too late to be taken */
    SIM_LOSS_DATA,     /* taken from the store, which then forgot it */
    SIM_LOSS_DEGRADED, /* admitted without the store; by the time of arrival */
    SIM_LOSS_CHARGED,  /* taken from the store, or owed to it, for what was admitted so */
    SIM_LOSSES,
};

/* One key in one interval. The store_ fields are as of its end. What is left of a sliding window or
 * a log is what would be at the end of the key's window, as only that one's own units count there:
 * the limit less what was taken in it. */
struct sim_cell {
    uint64_t demand_units;
    uint64_t ideal_demand_units; /* of a second run whose oracle was taken over; else 0 */
    uint64_t oracle_units;
    uint64_t admitted_units;
    uint64_t charged_units; /* what processes debited for them, by the weights they knew */
    uint64_t lost_units[SIM_LOSSES];
    uint64_t oracle_left; /* the oracle's remainder at the end */
    uint64_t store_left;  /* the store's remainder at the end */
    uint64_t store_taken; /* taken from the store, less what came back: by minutes, since time 0;
                             by windows, in this one */
};

/* An admission waiting to be checked against the contract in order of decision time. */
struct sim_spending {
    uint64_t time_ns;
    uint32_t key;
    uint32_t cost_units;
};

struct sim_key_accuracy {
    struct sim_oracle oracle;
    struct sim_contract contract;
    bool has_windows;      /* its intervals are its own windows, not minutes */
    uint32_t oracle_era;   /* of the plan's history, in force for the oracle ... */
    uint32_t contract_era; /* ... and for the contract, which lags behind */
    uint64_t interval_ns;
    uint64_t first_end_ns; /* end of interval 0 */
    size_t first_cell;
    uint32_t cell_count;
    uint32_t oracle_cell; /* the interval the oracle is in */
    uint32_t oracle_second;
};

struct sim_accuracy {
    const struct sim_catalog *catalog;
    struct sim_plan_history history;
    uint64_t duration_ns;
    struct sim_key_accuracy *keys;
    struct sim_cell *cells;
    size_t cell_count;

    /* by key and second of true time; NULL where keys x seconds is too large to keep */
    uint32_t second_count;
    int64_t *delta_by_second;  /* admitted by the oracle less admitted by the limiter */
    int64_t *oracle_by_second; /* admitted by the oracle; NULL: not asked for */
    uint64_t *oracle_totals;   /* by second only, of all keys */
    uint64_t *admitted_totals;
    uint8_t *full_by_second; /* the oracle's bucket was full at some instant of it (window: the
                                window began in it) */

    struct sim_spending *spendings;
    size_t spending_count;
    size_t spending_capacity;

    uint64_t lost_totals[SIM_LOSSES]; /* of all keys; those after the run's end, too */
};

void sim_accuracy_init(struct sim_accuracy *accuracy, const struct sim_catalog *catalog);
void sim_accuracy_deinit(struct sim_accuracy *accuracy);

/* A request arrives: in order of true time for each key. Returns the oracle's verdict. */
bool sim_accuracy_arrival(struct sim_accuracy *accuracy, uint32_t key, uint64_t time_ns,
                          uint32_t cost_units);

/* It was admitted by the limiter at decided_ns, and charged_units were debited for it: its cost,
 * but for a process that has not heard of a new weight. In any order. */
void sim_accuracy_admitted(struct sim_accuracy *accuracy, uint32_t key, uint64_t arrived_ns,
                           uint64_t decided_ns, uint32_t cost_units, uint32_t charged_units);

/* Units of a key that were lost, in one way or another, at time_ns. In any order. */
void sim_accuracy_lost(struct sim_accuracy *accuracy, enum sim_loss loss, uint32_t key,
                       uint64_t time_ns, uint64_t units);

/* No admission decided before until_ns is still to come: check those against the contract. */
void sim_accuracy_check_contract(struct sim_accuracy *accuracy, uint64_t until_ns);

/* The interval of a key that holds time_ns, an interval's start (0 at the earliest) and its end,
 * which may lie beyond that of the run. */
uint32_t sim_accuracy_interval(const struct sim_accuracy *accuracy, uint32_t key, uint64_t time_ns);
uint64_t sim_accuracy_interval_start_ns(const struct sim_accuracy *accuracy, uint32_t key,
                                        uint32_t interval);
uint64_t sim_accuracy_interval_end_ns(const struct sim_accuracy *accuracy, uint32_t key,
                                      uint32_t interval);

/* What an interval's percentages are of: the limit; where it changes, the mean weighted by the time
 * of the run, without the time that has none. 0: there is no limit, and are no percentages. */
uint64_t sim_accuracy_limit_units(const struct sim_accuracy *accuracy, uint32_t key,
                                  uint32_t interval);

/* The store's state at the end of an interval. */
void sim_accuracy_store(struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                        uint64_t store_left, uint64_t store_taken);

/* Keep what sim_accuracy_take_oracle needs. Before the first arrival. */
void sim_accuracy_expect_oracle(struct sim_accuracy *accuracy);

/* Put the oracle of another run of the same scenario, `ideal`, in place of the own one. Both are
 * finished, and `ideal` recorded no admissions of a limiter. Requires sim_accuracy_expect_oracle.
 */
void sim_accuracy_take_oracle(struct sim_accuracy *accuracy, const struct sim_accuracy *ideal);

/* Bring every oracle to the end of the run. Call once, before sim_judgement. */
void sim_accuracy_finish(struct sim_accuracy *accuracy);

#endif
