/* Every permit granted in a run was spent or given back, or it is known what became of it:
 *
 *     granted = spent + covered + returned + dead + lost in replies + outstanding + missing
 *
 * What was admitted without the store is paid for by charges instead, never by more than it was.
 * Invariant of every run: nothing is missing, nothing overcharged. */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "judgement.h"

struct sim_world;

struct sim_ledger {
    uint64_t granted_units;
    uint64_t spent_units;     /* debited by processes, granted or not */
    uint64_t unlimited_units; /* of them: by plans that limit nothing, without a grant */
    uint64_t degraded_units;  /* of them: without the store */
    uint64_t charged_units;   /* paid for those ... */
    uint64_t covered_units;   /* ... of it, with grants that came too late for them */
    uint64_t returned_units;
    uint64_t dead_units;        /* held by processes when they died */
    uint64_t lost_reply_units;  /* granted by answers that did not arrive in time, or given back by
                                   asks that did not */
    uint64_t data_lost_units;   /* forgotten by the store; processes knew of them all the same */
    uint64_t outstanding_units; /* still in processes at the end */
    int64_t missing_units;
    uint64_t overcharged_units; /* charged beyond what was admitted without the store */
    bool drained;               /* every process handed over what it held */
};

/* Requires a finished run. Baselines keep no ledger: theirs balances. */
void sim_ledger_make(struct sim_ledger *ledger, const struct sim_world *world,
                     const struct sim_judgement *all);

/* What of it nothing explains. */
uint64_t sim_ledger_unexplained_units(const struct sim_ledger *ledger);

json_t *sim_ledger_json(const struct sim_ledger *ledger);

#endif
