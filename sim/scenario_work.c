/* How much there is to simulate: what would take days is refused before it begins. Estimates in
 * floating point; they decide nothing but this. */
#include <stdio.h>

#include "scenario_sections.h"

#define WORK_MAX 1e11 /* requests, and polls: at least a day of computing */

enum {
    CLIENTS_MAX = 10000000,
};

static const struct sim_plan *plan_of(const struct sim_scenario *scenario, uint32_t population)
{
    return &scenario->plans[scenario->populations[population].plan];
}

/* A mix in which everything is free counts as one unit per request. */
static double mean_cost_units(const struct sim_scenario *scenario,
                              const struct sim_population *population)
{
    double cost_sum = 0;
    double share_sum = 0;

    for (size_t i = 0; i < population->mix_count; i++) {
        const struct sim_endpoint_share *share = &population->mix[i];

        share_sum += (double)share->share_ppm;
        cost_sum +=
            (double)share->share_ppm * (double)scenario->endpoints[share->endpoint].weight_units;
    }
    return cost_sum > 0 ? cost_sum / share_sum : 1;
}

/* Closed: as if no client ever waited. */
static double expected_requests(const struct sim_scenario *scenario,
                                const struct sim_traffic_spec *spec)
{
    const struct sim_population *population = &scenario->populations[spec->population];
    const struct sim_plan *plan = plan_of(scenario, spec->population);
    const double span_ns = (double)(spec->until_ns - spec->from_ns);
    const double key_count = (double)population->key_count;
    const double rate_per_ns = (double)plan->rate_units / ((double)plan->rate_period_us * 1e3);

    switch (spec->pattern) {
    case SIM_PATTERN_POISSON:
    case SIM_PATTERN_CONSTANT:
    case SIM_PATTERN_ON_OFF:
        return (double)spec->demand_ppm / 1e6 * key_count * rate_per_ns * span_ns /
               mean_cost_units(scenario, population);
    case SIM_PATTERN_BURST:
        return key_count * (double)spec->request_count;
    case SIM_PATTERN_HERD:
        return key_count * (double)spec->request_count *
               (1 + span_ns / ((double)plan->window_us * 1e3));
    case SIM_PATTERN_CLOSED:
        return key_count * (double)spec->client_count * (1 + span_ns / (double)spec->think_ns);
    case SIM_PATTERN_TRACE:
        break;
    }
    return (double)spec->row_count;
}

/* The traffic's node, or its element. */
static struct sim_node element_of(const struct sim_node *section, size_t index)
{
    return json_is_array(section->value) ? sim_read_element(section, index) : *section;
}

static bool check_traffic(const struct sim_node *root, const struct sim_scenario *scenario)
{
    struct sim_node traffic = sim_read_member(root, "traffic");
    double requests = 0;
    double clients = 0;

    for (size_t i = 0; i < scenario->traffic_count; i++) {
        const struct sim_traffic_spec *spec = &scenario->traffic[i];
        struct sim_node node = element_of(&traffic, i);

        requests += expected_requests(scenario, spec);
        clients +=
            (double)spec->client_count * (double)scenario->populations[spec->population].key_count;
        if (requests > WORK_MAX) {
            return sim_read_fail(&node,
                                 "found about %.0f requests up to here (keys x demand x rate x "
                                 "time, or what is counted); allowed: up to %.0f",
                                 requests, WORK_MAX);
        }
        if (clients > CLIENTS_MAX) {
            return sim_read_fail(&node,
                                 "found %.0f clients up to here (keys x clients); allowed: up "
                                 "to %d",
                                 clients, CLIENTS_MAX);
        }
    }
    return true;
}

bool sim_scenario_check_work(const struct sim_node *root, const struct sim_scenario *scenario)
{
    struct sim_node polls = sim_read_member(root, "polls");
    double count = 0;

    if (!check_traffic(root, scenario)) {
        return false;
    }
    for (size_t i = 0; i < scenario->poll_count; i++) {
        const struct sim_poll *poll = &scenario->polls[i];
        struct sim_node node = sim_read_element(&polls, i);

        count += (double)scenario->populations[poll->population].key_count *
                 (double)poll->connection_count *
                 (1 + (double)(poll->until_ns - poll->from_ns) / (double)poll->every_ns);
        if (count > WORK_MAX) {
            return sim_read_fail(&node,
                                 "found about %.0f polls up to here (keys x connections x time / "
                                 "every_s); allowed: up to %.0f",
                                 count, WORK_MAX);
        }
    }
    return true;
}
