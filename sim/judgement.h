/* From cells to figures: over- and under-admission, and the cause of every unit of either.
 * Definitions as in docs/MODEL.md, "What is measured". */
#ifndef SIM_JUDGEMENT_H
#define SIM_JUDGEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "accuracy.h"
#include "cause.h"

/* Percentages are formed only for keys with a limit of at least this many units; below, look at
 * units. */
#define SIM_PERCENT_LIMIT_MIN 1000

/* Over (key, interval) pairs with demand. */
struct sim_spread {
    double max;
    double p99;
    double mean; /* weighted by demand */
};

struct sim_worst {
    uint32_t key;
    uint32_t interval;
    double percent;  /* of L; of the larger of over and under */
    bool in_percent; /* the limit is large enough to count; such a key is never beaten by one whose
                        is not */
    int64_t delta_units; /* under, or minus over */
    enum sim_cause cause;
};

struct sim_judgement {
    struct sim_spread over_pct;
    struct sim_spread under_pct;
    uint64_t over_units_max;
    uint64_t under_units_max;
    double contract_over_pct_max;
    uint64_t contract_over_units_max;
    double sliding_over_pct_max; /* -1: not kept for so many keys and seconds */
    uint64_t cause_units[SIM_CAUSE_COUNT];
    uint64_t demand_units;
    uint64_t admitted_units;
    uint64_t charged_units; /* debited for them */
    uint64_t oracle_units;
    uint64_t pair_count;
    struct sim_worst worst; /* percent -1: no pair */
};

#define SIM_EVERY_POPULATION UINT32_MAX

/* Over the keys of one population, or of all. */
void sim_judgement_make(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                        uint32_t population);

/* True if some key's limit is large enough for percentages; else errors are told in units. */
bool sim_judgement_has_percentages(const struct sim_accuracy *accuracy);

/* One interval's error, and where it comes from. */
struct sim_explanation {
    uint64_t over_units;
    uint64_t under_units;
    uint64_t cause_units[SIM_CAUSE_COUNT]; /* they sum to over + under */
    enum sim_cause cause;                  /* the largest */
};

void sim_judgement_explain(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                           struct sim_explanation *explanation);

/* Over- and under-admitted units of one interval. */
void sim_judgement_interval(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                            uint64_t *over_units, uint64_t *under_units);

#endif
