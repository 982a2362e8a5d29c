/* Baseline: every request is decided by the store, in one atomic ask of its own. Exact, at a round
 * trip each. */
#include <stdlib.h>
#include <string.h>

#include "client_mailbox.h"
#include "memory.h"

struct client_per_request {
    struct sim_mailbox mailbox;
    uint64_t incarnation;
    struct weir_plan *plans; /* as heard of */
    bool *deleted;
    uint64_t *weight_versions;
};

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_per_request *self = (struct client_per_request *)client;

    if (self->deleted[self->mailbox.catalog->keys[demand->key].plan]) {
        return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                      .retry_after_ns = WEIR_RETRY_NEVER};
    }
    if (demand->cost_units == 0) {
        return (struct weir_decision){.verdict = WEIR_VERDICT_ADMITTED};
    }
    struct sim_request *request = sim_mailbox_open(&self->mailbox, demand, local_ns);
    sim_mailbox_post(&self->mailbox, request, local_ns);
    return sim_mailbox_pending(request);
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_per_request *self = (struct client_per_request *)client;
    const struct sim_request *request = sim_mailbox_take(&self->mailbox, exchange);

    (void)local_ns;
    if (request == NULL) {
        return false;
    }
    const struct sim_key *key = &self->mailbox.catalog->keys[exchange->key];
    const uint32_t cost_units = request->demand.cost_units;
    exchange->kind = SIM_EXCHANGE_ASK;
    exchange->ask = (struct weir_ask){
        .key = key->key,
        .id = {.process = self->mailbox.process,
               .sequence = (uint32_t)request->ticket,
               .incarnation = self->incarnation},
        .plan = self->plans[key->plan],
        .flags = WEIR_ASK_SPEND,
        .need_units = cost_units,
        .least_units = cost_units,
        .want_units = cost_units,
        .largest_units = cost_units,
        .rate_share_period = UINT64_MAX,
    };
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_per_request *self = (struct client_per_request *)client;
    struct sim_request *request = sim_mailbox_answered(&self->mailbox, exchange);
    const struct weir_answer *answer = &exchange->answer;
    const bool admitted = answer->granted_units != 0;
    /* since the store step, which is past by now */
    const uint64_t retry_after_ns = answer->retry_us == UINT64_MAX ? WEIR_RETRY_NEVER
                                    : answer->retry_us > answer->store_us
                                        ? (answer->retry_us - answer->store_us) * 1000
                                        : 1;
    const struct weir_decision decision = {
        .verdict = admitted ? WEIR_VERDICT_ADMITTED : WEIR_VERDICT_DENIED,
        .reason = admitted ? WEIR_REASON_ADMITTED : WEIR_REASON_OVER_LIMIT,
        .retry_after_ns = admitted ? 0 : retry_after_ns,
    };

    (void)local_ns;
    if (request == NULL) {
        return false;
    }
    sim_mailbox_settle(&self->mailbox, request, &decision);
    return true;
}

static bool configure(struct sim_client *client, uint32_t number)
{
    struct client_per_request *self = (struct client_per_request *)client;
    const struct sim_change *change = &self->mailbox.catalog->scenario->changes[number];
    const struct weir_plan *plan = &self->mailbox.catalog->changed[number];
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

static void client_free(struct sim_client *client)
{
    struct client_per_request *self = (struct client_per_request *)client;

    sim_mailbox_deinit(&self->mailbox);
    free(self->plans);
    free(self->deleted);
    free(self->weight_versions);
    free(self);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .refused = sim_mailbox_refused,
    .next_settled = sim_mailbox_next_settled,
    .configure = configure,
    .reported_units = sim_mailbox_reported_units,
    .next_deadline_ns = sim_mailbox_next_deadline_ns,
    .expire = sim_mailbox_expire,
    .shutdown = sim_mailbox_shutdown,
    .free = client_free,
};

struct sim_client *sim_client_per_request_new(const struct sim_catalog *catalog, uint32_t process,
                                              uint32_t life)
{
    const struct sim_scenario *scenario = catalog->scenario;
    struct client_per_request *self = sim_memory_new(1, sizeof *self);

    sim_mailbox_init(&self->mailbox, &operations, catalog, process);
    self->incarnation = (uint64_t)life + 1;
    self->plans = sim_memory_new(scenario->plan_count, sizeof *self->plans);
    memcpy(self->plans, catalog->plans, scenario->plan_count * sizeof *self->plans);
    self->deleted = sim_memory_new(scenario->plan_count, sizeof *self->deleted);
    self->weight_versions = sim_memory_new(scenario->endpoint_count, sizeof(uint64_t));
    return &self->mailbox.base;
}
