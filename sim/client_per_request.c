/* Baseline: every request is decided by the store, in one atomic ask of its own. Exact, at a round
 * trip each. */
#include <stdlib.h>

#include "client.h"
#include "memory.h"

/* Requests not yet sent, and verdicts not yet fetched: a decide or reply adds at most one of
 * either. */
struct client_per_request {
    struct sim_client base;
    const struct sim_catalog *catalog;
    uint32_t process;
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
        .id = {.process = self->process, .sequence = (uint32_t)self->last_ticket, .incarnation = 1},
        .plan = self->catalog->plans[key->plan],
        .flags = WEIR_ASK_SPEND,
        .need_units = self->unsent.cost_units,
        .least_units = self->unsent.cost_units,
        .want_units = self->unsent.cost_units,
        .largest_units = self->unsent.cost_units,
        .rate_share_period = UINT64_MAX,
    };
    return true;
}

static void reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_per_request *self = (struct client_per_request *)client;
    const bool admitted = exchange->answer.granted_units != 0;

    (void)local_ns;
    self->settled = (struct weir_settled){
        .ticket = exchange->ticket,
        .decision = {.verdict = admitted ? WEIR_VERDICT_ADMITTED : WEIR_VERDICT_DENIED,
                     .reason = admitted ? WEIR_REASON_ADMITTED : WEIR_REASON_OVER_LIMIT,
                     .retry_after_ns = admitted ? 0 : 1},
    };
    self->has_settled = true;
    self->spent_units += exchange->answer.granted_units;
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

static uint64_t reported_units(const struct sim_client *client)
{
    return ((const struct client_per_request *)client)->spent_units;
}

static void client_free(struct sim_client *client)
{
    free(client);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .next_settled = next_settled,
    .reported_units = reported_units,
    .free = client_free,
};

struct sim_client *sim_client_per_request_new(const struct sim_catalog *catalog, uint32_t process)
{
    struct client_per_request *self = sim_memory_new(1, sizeof *self);

    self->base.operations = &operations;
    self->catalog = catalog;
    self->process = process;
    return &self->base;
}
