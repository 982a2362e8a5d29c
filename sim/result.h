/* The outcome of a run: one JSON object (result.json), and whether it is what the scenario expects.
 */
#ifndef SIM_RESULT_H
#define SIM_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "aftermath.h"
#include "judgement.h"
#include "ledger.h"
#include "world.h"

enum sim_verdict {
    SIM_VERDICT_PASS = 0,
    SIM_VERDICT_FAIL,
    SIM_VERDICT_INCONCLUSIVE,
};

/* What processes heard of changed plans and weights. */
struct sim_config_totals {
    uint64_t pushes;
    uint64_t stale_pushes;       /* repeated, or overtaken */
    uint64_t version_spread_max; /* see sim_changes_version_spread */
};

struct sim_result {
    enum sim_verdict verdict;
    struct sim_config_totals config;
    struct sim_judgement all;
    struct sim_judgement *by_population; /* owned */
    struct sim_ledger ledger;
    struct sim_aftermath aftermath;
    json_t *json; /* owned */
};

/* Requires a finished run. */
void sim_result_make(struct sim_result *result, const struct sim_world *world,
                     enum sim_kernel_kind kind);
void sim_result_free(struct sim_result *result);

/* The number at a path of a result, such as "accuracy.over_pct.max" or "faults[0].fired_count",
 * true and false as 1 and 0. Returns false if there is none. */
bool sim_result_number(const json_t *result, const char *path, double *number);

const char *sim_verdict_name(enum sim_verdict verdict);

#endif
