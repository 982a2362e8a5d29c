#include "traffic.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "balancer.h"
#include "memory.h"
#include "prng.h"
#include "schedule.h"
#include "weighted.h"

/* One population's tables, shared by its specs. */
struct crowd {
    const struct sim_population *population;
    struct sim_balancer balancer;
    struct sim_weighted popularity;
    struct sim_weighted mix; /* columns NULL: one endpoint, or none */
    uint32_t key_base;
};

/* One traffic spec. */
struct source {
    const struct crowd *crowd;
    struct sim_schedule schedule;
    struct sim_prng keys;
    struct sim_prng costs;
    struct sim_prng processes;
};

struct sim_traffic {
    const struct sim_scenario *scenario;
    struct crowd *crowds;   /* population_count of them */
    struct source *sources; /* traffic_count of them */
    uint64_t *next_ns;      /* of each source, side by side: the merge looks at all of them */
    double requests_per_s;
};

static void mix_init(struct sim_weighted *mix, const struct sim_population *population)
{
    double *weights = sim_memory_new(population->mix_count, sizeof *weights);

    for (size_t i = 0; i < population->mix_count; i++) {
        weights[i] = (double)population->mix[i].share_ppm;
    }
    sim_weighted_init(mix, weights, (uint32_t)population->mix_count);
    free(weights);
}

static void crowds_init(struct sim_traffic *traffic)
{
    const struct sim_scenario *scenario = traffic->scenario;
    uint32_t key_base = 0;

    for (size_t i = 0; i < scenario->population_count; i++) {
        const struct sim_population *population = &scenario->populations[i];
        struct crowd *crowd = &traffic->crowds[i];

        assert(population->key_count <= UINT32_MAX - key_base);
        crowd->population = population;
        crowd->key_base = key_base;
        key_base += population->key_count;
        sim_balancer_init(&crowd->balancer, &population->balance, scenario->process_count,
                          population->name);
        sim_weighted_init_zipf(&crowd->popularity, population->key_count, population->zipf_ppm);
        if (population->mix_count > 1) {
            mix_init(&crowd->mix, population);
        }
    }
}

/* Units per request. A mix in which everything is free counts as one unit, or its demand would
 * be infinitely many requests. */
static double mean_cost_units(const struct sim_scenario *scenario,
                              const struct sim_population *population)
{
    double share_sum = 0.0;
    double cost_sum = 0.0;

    for (size_t i = 0; i < population->mix_count; i++) {
        const struct sim_endpoint_share *share = &population->mix[i];

        share_sum += (double)share->share_ppm;
        cost_sum +=
            (double)share->share_ppm * (double)scenario->endpoints[share->endpoint].weight_units;
    }
    return cost_sum > 0.0 ? cost_sum / share_sum : 1.0;
}

/* Requests per ns x mean cost = demand x key count x plan rate. */
static double mean_gap_ns(const struct sim_scenario *scenario, const struct sim_traffic_spec *spec)
{
    const struct sim_population *population = &scenario->populations[spec->population];
    const struct sim_plan *plan = &scenario->plans[population->plan];
    double demand_units =
        (double)spec->demand_ppm * (double)population->key_count * (double)plan->rate_units;
    double period_ns = (double)plan->rate_period_us * 1e3;

    if (demand_units <= 0.0) {
        return HUGE_VAL;
    }
    return period_ns * 1e6 * mean_cost_units(scenario, population) / demand_units;
}

static double expected_count(const struct sim_schedule *schedule, double gap_ns)
{
    const struct sim_traffic_spec *spec = schedule->spec;
    double span_ns = 0.0;

    if (schedule->end_ns > spec->from_ns) {
        span_ns = (double)(schedule->end_ns - spec->from_ns);
    }
    switch (spec->pattern) {
    case SIM_PATTERN_POISSON:
    case SIM_PATTERN_CONSTANT:
    case SIM_PATTERN_ON_OFF:
        return span_ns / gap_ns;
    case SIM_PATTERN_BURST:
        return (double)schedule->request_total;
    case SIM_PATTERN_HERD:
        return (double)schedule->request_total * (1.0 + span_ns / (double)schedule->window_ns);
    case SIM_PATTERN_CLOSED:
        return 0; /* the clients decide */
    case SIM_PATTERN_TRACE:
        break;
    }
    return (double)spec->row_count;
}

static void source_init(struct sim_traffic *traffic, size_t index)
{
    const struct sim_scenario *scenario = traffic->scenario;
    const struct sim_traffic_spec *spec = &scenario->traffic[index];
    const struct crowd *crowd = &traffic->crowds[spec->population];
    struct source *source = &traffic->sources[index];
    struct sim_schedule_options options = {
        .spec = spec,
        .seed = scenario->seed,
        .spec_index = index,
        .duration_ns = scenario->duration_ns,
        .window_ns = scenario->plans[crowd->population->plan].window_us * 1000,
        .gap_ns = mean_gap_ns(scenario, spec),
        .key_count = crowd->population->key_count,
        .keys_take_turns = crowd->population->zipf_ppm == 0,
    };

    source->crowd = crowd;
    sim_prng_init(&source->keys, scenario->seed, "traffic keys", index);
    sim_prng_init(&source->costs, scenario->seed, "traffic costs", index);
    sim_prng_init(&source->processes, scenario->seed, "traffic processes", index);
    sim_schedule_init(&source->schedule, &options);
    traffic->next_ns[index] = source->schedule.next_ns;
    traffic->requests_per_s +=
        expected_count(&source->schedule, options.gap_ns) * 1e9 / (double)scenario->duration_ns;
}

struct sim_traffic *sim_traffic_new(const struct sim_scenario *scenario)
{
    struct sim_traffic *traffic = sim_memory_new(1, sizeof *traffic);

    assert(scenario->duration_ns > 0);
    traffic->scenario = scenario;
    traffic->crowds = sim_memory_new(scenario->population_count, sizeof *traffic->crowds);
    traffic->sources = sim_memory_new(scenario->traffic_count, sizeof *traffic->sources);
    traffic->next_ns = sim_memory_new(scenario->traffic_count, sizeof *traffic->next_ns);
    crowds_init(traffic);
    for (size_t i = 0; i < scenario->traffic_count; i++) {
        source_init(traffic, i);
    }
    return traffic;
}

void sim_traffic_free(struct sim_traffic *traffic)
{
    if (traffic == NULL) {
        return;
    }
    for (size_t i = 0; i < traffic->scenario->population_count; i++) {
        sim_balancer_deinit(&traffic->crowds[i].balancer);
        sim_weighted_deinit(&traffic->crowds[i].popularity);
        sim_weighted_deinit(&traffic->crowds[i].mix);
    }
    free(traffic->crowds);
    free(traffic->sources);
    free(traffic->next_ns);
    free(traffic);
}

/* Requires a population with a mix. */
static void cost_draw(const struct crowd *crowd, struct sim_prng *prng,
                      const struct sim_scenario *scenario, struct sim_arrival *arrival)
{
    uint32_t share_index = 0;

    if (crowd->mix.columns != NULL) {
        share_index = sim_weighted_draw(&crowd->mix, prng);
    }
    arrival->endpoint = crowd->population->mix[share_index].endpoint;
    arrival->cost_units = scenario->endpoints[arrival->endpoint].weight_units;
}

void sim_traffic_draw_cost(const struct sim_traffic *traffic, struct sim_prng *prng,
                           struct sim_arrival *arrival)
{
    const struct crowd *crowd = traffic->sources[arrival->spec].crowd;

    arrival->cost_units = 1;
    arrival->endpoint = UINT32_MAX;
    if (crowd->population->mix_count > 0) {
        cost_draw(crowd, prng, traffic->scenario, arrival);
    }
}

void sim_traffic_draw_process(const struct sim_traffic *traffic, struct sim_prng *prng,
                              struct sim_arrival *arrival)
{
    const struct crowd *crowd = traffic->sources[arrival->spec].crowd;

    assert(arrival->key >= crowd->key_base);
    arrival->process = sim_balancer_choose(&crowd->balancer, prng, arrival->time_ns,
                                           arrival->key - crowd->key_base);
}

uint32_t sim_traffic_first_key(const struct sim_traffic *traffic, uint32_t spec)
{
    return traffic->sources[spec].crowd->key_base;
}

bool sim_traffic_next(struct sim_traffic *traffic, struct sim_arrival *arrival)
{
    size_t source_count = traffic->scenario->traffic_count;
    size_t index = 0;

    for (size_t i = 1; i < source_count; i++) {
        if (traffic->next_ns[i] < traffic->next_ns[index]) {
            index = i;
        }
    }
    if (source_count == 0 || traffic->next_ns[index] == UINT64_MAX) {
        return false;
    }

    struct source *source = &traffic->sources[index];
    const struct crowd *crowd = source->crowd;

    sim_schedule_take(&source->schedule, arrival);
    arrival->spec = (uint32_t)index;
    traffic->next_ns[index] = source->schedule.next_ns;
    if (arrival->key == SIM_SCHEDULE_ANY_KEY) {
        arrival->key = sim_weighted_draw(&crowd->popularity, &source->keys);
    }
    if (crowd->population->mix_count > 0 && source->schedule.spec->pattern != SIM_PATTERN_TRACE) {
        cost_draw(crowd, &source->costs, traffic->scenario, arrival);
    }
    assert(arrival->key < crowd->population->key_count);
    arrival->process =
        sim_balancer_choose(&crowd->balancer, &source->processes, arrival->time_ns, arrival->key);
    arrival->key += crowd->key_base;
    return true;
}

double sim_traffic_requests_per_s(const struct sim_traffic *traffic)
{
    return traffic->requests_per_s;
}
