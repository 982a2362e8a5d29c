#include "given.h"

#include <string.h>

#include "arrivals.h"
#include "clientele.h"
#include "digest.h"

static uint64_t add(uint64_t digest, uint64_t value)
{
    return sim_digest_add(digest, &value, sizeof value);
}

static uint64_t add_set(uint64_t digest, const struct fault_set *set)
{
    digest = add(digest, set->count);
    digest = add(digest, set->member == NULL);
    return set->member == NULL ? digest : sim_digest_add(digest, set->member, set->count);
}

/* All but the seed of its lots, which follows from the run's and its id. */
static uint64_t add_fault(uint64_t digest, const struct fault *fault)
{
    const uint64_t numbers[] = {
        fault->kind,       fault->from_ns,     fault->until_ns,          fault->probability_ppm,
        fault->added_ns,   fault->spread_ns,   fault->period_ns,         fault->on_ppm,
        fault->factor_ppm, fault->lag_ns,      (uint64_t)fault->step_ns, (uint64_t)fault->drift_ppb,
        fault->limit,      fault->bytes_per_s, fault->population,        fault->key_index,
        fault->way,        fault->error,       fault->lose_mapping,
    };

    digest = sim_digest_add(digest, fault->id, strlen(fault->id) + 1);
    digest = sim_digest_add(digest, numbers, sizeof numbers);
    digest = add_set(digest, &fault->processes);
    return add_set(digest, &fault->shards);
}

void study_given_survey(struct study_given *given, const struct sim_scenario *scenario)
{
    struct sim_clientele *clientele = sim_clientele_new(scenario);
    struct sim_arrivals arrivals;
    struct sim_arrival arrival;

    *given = (struct study_given){
        .requests = SIM_DIGEST_START,
        .landings = SIM_DIGEST_START,
        .faults = SIM_DIGEST_START,
        .fault_count = (uint32_t)scenario->faults.count,
        .reacts = sim_clientele_reaction_ns(scenario) != UINT64_MAX,
    };
    sim_arrivals_init(&arrivals, scenario, clientele, SIM_ARRIVALS_AGAIN);
    while (sim_arrivals_next(&arrivals, scenario->duration_ns, &arrival)) {
        given->requests = add(given->requests, arrival.time_ns);
        given->requests = add(given->requests, (uint64_t)arrival.key << 32 | arrival.cost_units);
        given->landings = add(given->landings, arrival.process);
        given->request_count++;
        given->unit_count += arrival.cost_units;
    }
    sim_arrivals_deinit(&arrivals);
    sim_clientele_free(clientele);
    for (size_t i = 0; i < scenario->faults.count; i++) {
        given->faults = add_fault(given->faults, &scenario->faults.faults[i]);
    }
}

enum study_pairing study_given_compare(const struct study_given *a, const struct study_given *b)
{
    if (a->request_count != b->request_count || a->requests != b->requests ||
        a->reacts != b->reacts) {
        return STUDY_UNPAIRED;
    }
    if (a->faults != b->faults) {
        return STUDY_PAIRED_BUT_FAULTS;
    }
    return a->landings != b->landings ? STUDY_PAIRED_ELSEWHERE : STUDY_PAIRED;
}

static bool same_populations(const struct sim_scenario *a, const struct sim_scenario *b)
{
    bool same = a->population_count == b->population_count;

    for (size_t i = 0; i < a->population_count && same; i++) {
        const struct sim_population *left = &a->populations[i];
        const struct sim_population *right = &b->populations[i];
        same = strcmp(left->name, right->name) == 0 && left->key_count == right->key_count &&
               left->zipf_ppm == right->zipf_ppm;
    }
    return same;
}

static bool same_costs(const struct sim_scenario *a, const struct sim_scenario *b)
{
    bool same = a->endpoint_count == b->endpoint_count;

    for (size_t i = 0; i < a->endpoint_count && same; i++) {
        same = a->endpoints[i].weight_units == b->endpoints[i].weight_units;
    }
    return same;
}

/* Demand is a multiple of the plan's rate, and a herd comes at its windows. */
static bool same_rates(const struct sim_scenario *a, const struct sim_scenario *b)
{
    bool same = true;

    for (size_t i = 0; i < a->population_count && same; i++) {
        const struct sim_plan *left = &a->plans[a->populations[i].plan];
        const struct sim_plan *right = &b->plans[b->populations[i].plan];
        same =
            left->rate_units * right->rate_period_us == right->rate_units * left->rate_period_us &&
            left->window_us == right->window_us;
    }
    return same;
}

const char *study_given_difference(const struct sim_scenario *a, const struct sim_scenario *b)
{
    if (a->duration_ns != b->duration_ns) {
        return "duration_s";
    }
    if (!same_populations(a, b)) {
        return "keys";
    }
    if (!same_costs(a, b)) {
        return "endpoints";
    }
    return same_rates(a, b) ? "traffic" : "the plans' rates, of which demand is a multiple";
}
