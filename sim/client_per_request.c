/* Baseline: every request is decided by the store, in one atomic ask of its own. Exact, at a round
 * trip each. */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "memory.h"

/* Requests not yet sent, and verdicts not yet fetched: a decide or reply adds at most one of
 * either. */
struct client_per_request {
    struct sim_client base;
    const struct sim_catalog *catalog;
    uint32_t process;
    uint64_t incarnation;
    struct weir_plan *plans; /* as heard of */
    bool *deleted;
    uint64_t *weight_versions;
    uint64_t last_ticket;
    struct sim_demand unsent;
    bool has_unsent;
    struct weir_settled settled;
    bool has_settled;
    uint64_t spent_units;
};

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_per_request *self = (struct client_per_request *)client;

    (void)local_ns;
    if (self->deleted[self->catalog->keys[demand->key].plan]) {
        return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                      .retry_after_ns = WEIR_RETRY_NEVER};
    }
    if (demand->cost_units == 0) {
        return (struct weir_decision){.verdict = WEIR_VERDICT_ADMITTED};
    }
    self->unsent = *demand;
    self->has_unsent = true;
    return (struct weir_decision){.verdict = WEIR_VERDICT_PENDING,
                                  .reason = WEIR_REASON_WAITING,
                                  .ticket = ++self->last_ticket};
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_per_request *self = (struct client_per_request *)client;

    (void)local_ns;
    if (!self->has_unsent) {
        return false;
    }
    self->has_unsent = false;
    const struct sim_key *key = &self->catalog->keys[self->unsent.key];
    exchange->kind = SIM_EXCHANGE_ASK;
    exchange->key = self->unsent.key;
    exchange->ticket = self->last_ticket;
    exchange->ask = (struct weir_ask){
        .key = key->key,
        .id = {.process = self->process,
               .sequence = (uint32_t)self->last_ticket,
               .incarnation = self->incarnation},
        .plan = self->plans[key->plan],
        .flags = WEIR_ASK_SPEND,
        .need_units = self->unsent.cost_units,
        .least_units = self->unsent.cost_units,
        .want_units = self->unsent.cost_units,
        .largest_units = self->unsent.cost_units,
        .rate_share_period = UINT64_MAX,
    };
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_per_request *self = (struct client_per_request *)client;
    const struct weir_answer *answer = &exchange->answer;
    const bool admitted = answer->granted_units != 0;
    /* since the store step, which is past by now */
    const uint64_t retry_after_ns = answer->retry_us == UINT64_MAX ? WEIR_RETRY_NEVER
                                    : answer->retry_us > answer->store_us
                                        ? (answer->retry_us - answer->store_us) * 1000
                                        : 1;

    (void)local_ns;
    self->settled = (struct weir_settled){
        .ticket = exchange->ticket,
        .decision = {.verdict = admitted ? WEIR_VERDICT_ADMITTED : WEIR_VERDICT_DENIED,
                     .reason = admitted ? WEIR_REASON_ADMITTED : WEIR_REASON_OVER_LIMIT,
                     .retry_after_ns = admitted ? 0 : retry_after_ns},
    };
    self->has_settled = true;
    self->spent_units += answer->granted_units;
    return true;
}

static bool next_settled(struct sim_client *client, struct weir_settled *settled)
{
    struct client_per_request *self = (struct client_per_request *)client;

    if (!self->has_settled) {
        return false;
    }
    self->has_settled = false;
    *settled = self->settled;
    return true;
}

static bool configure(struct sim_client *client, uint32_t number)
{
    struct client_per_request *self = (struct client_per_request *)client;
    const struct sim_change *change = &self->catalog->scenario->changes[number];
    const struct weir_plan *plan = &self->catalog->changed[number];
    uint64_t *version = change->kind == SIM_CHANGE_WEIGHT ? &self->weight_versions[change->target]
                                                          : &self->plans[change->target].version;

    if (plan->version <= *version) {
        return false;
    }
    *version = plan->version;
    if (change->kind == SIM_CHANGE_PLAN) {
        self->plans[change->target] = *plan;
    }
    if (change->kind != SIM_CHANGE_WEIGHT) {
        self->deleted[change->target] = change->kind == SIM_CHANGE_DELETE;
    }
    return true;
}

static uint64_t reported_units(const struct sim_client *client)
{
    return ((const struct client_per_request *)client)->spent_units;
}

static void client_free(struct sim_client *client)
{
    struct client_per_request *self = (struct client_per_request *)client;

    free(self->plans);
    free(self->deleted);
    free(self->weight_versions);
    free(self);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .next_settled = next_settled,
    .configure = configure,
    .reported_units = reported_units,
    .free = client_free,
};

struct sim_client *sim_client_per_request_new(const struct sim_catalog *catalog, uint32_t process,
                                              uint32_t life)
{
    const struct sim_scenario *scenario = catalog->scenario;
    struct client_per_request *self = sim_memory_new(1, sizeof *self);

    self->base.operations = &operations;
    self->catalog = catalog;
    self->process = process;
    self->incarnation = (uint64_t)life + 1;
    self->plans = sim_memory_new(scenario->plan_count, sizeof *self->plans);
    memcpy(self->plans, catalog->plans, scenario->plan_count * sizeof *self->plans);
    self->deleted = sim_memory_new(scenario->plan_count, sizeof *self->deleted);
    self->weight_versions = sim_memory_new(scenario->endpoint_count, sizeof(uint64_t));
    return &self->base;
}
