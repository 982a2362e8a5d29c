/* The core, as a client: the very archive that ships. */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "memory.h"
#include "prng.h"
#include "weir/limiter.h"

#define WAITERS 65536

struct client_lease {
    struct sim_client base;
    const struct sim_catalog *catalog;
    struct weir_limiter *limiter;
    void *memory;
    uint64_t reported_units;
    uint64_t undecided_count;
};

static void must(enum weir_status status)
{
    if (status != WEIR_OK) {
        fprintf(stderr, "weir: limiter: %s\n", weir_status_text(status));
        exit(70);
    }
}

static void drain_reports(struct client_lease *self)
{
    struct weir_report report;

    while (weir_limiter_next_report(self->limiter, &report)) {
        self->reported_units += report.spent_units;
    }
}

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_lease *self = (struct client_lease *)client;
    const struct sim_key *key = &self->catalog->keys[demand->key];
    const bool weighted = demand->endpoint != UINT32_MAX;
    const struct weir_request request = {
        .key = key->key,
        .plan_index = key->plan,
        .endpoint = weighted ? demand->endpoint : WEIR_NO_ENDPOINT,
        .cost = weighted ? 1 : demand->cost_units,
    };
    struct weir_decision decision;

    const enum weir_status status =
        weir_limiter_decide(self->limiter, local_ns, &request, &decision);
    if (status == WEIR_ERR_TABLE_BUSY) {
        /* the limiter has no place for it: this host turns it away, as it does in an overload */
        self->undecided_count++;
        return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED, .retry_after_ns = 1};
    }
    if (status == WEIR_ERR_UNKNOWN_PLAN) {
        return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                      .retry_after_ns = WEIR_RETRY_NEVER};
    }
    must(status);
    drain_reports(self); /* an evicted key leaves one */
    return decision;
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_lease *self = (struct client_lease *)client;

    if (!weir_limiter_next_ask(self->limiter, local_ns, &exchange->ask)) {
        return false;
    }
    exchange->kind = SIM_EXCHANGE_ASK;
    exchange->key = sim_catalog_find(self->catalog, &exchange->ask.key);
    return true;
}

static void reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_lease *self = (struct client_lease *)client;
    const enum weir_status status = weir_limiter_answer(self->limiter, local_ns, &exchange->answer);

    if (status != WEIR_ERR_UNEXPECTED) { /* it was written off, or this one came twice */
        must(status);
    }
    drain_reports(self);
}

static bool next_settled(struct sim_client *client, struct weir_settled *settled)
{
    return weir_limiter_next_settled(((struct client_lease *)client)->limiter, settled);
}

static bool configure(struct sim_client *client, uint32_t number)
{
    struct client_lease *self = (struct client_lease *)client;
    const struct sim_change *change = &self->catalog->scenario->changes[number];
    const struct weir_plan *plan = &self->catalog->changed[number];
    enum weir_status status = WEIR_OK;

    switch (change->kind) {
    case SIM_CHANGE_PLAN:
        status = weir_limiter_set_plan(self->limiter, change->target, plan);
        break;
    case SIM_CHANGE_DELETE:
        status = weir_limiter_delete_plan(self->limiter, change->target, plan->version);
        break;
    case SIM_CHANGE_WEIGHT:
        status = weir_limiter_set_weight(self->limiter, change->target, change->weight_units,
                                         plan->version);
        break;
    }
    if (status != WEIR_ERR_STALE_VERSION) {
        must(status);
    }
    return status == WEIR_OK;
}

static uint64_t next_deadline_ns(const struct sim_client *client)
{
    return weir_limiter_next_deadline_ns(((const struct client_lease *)client)->limiter);
}

static void expire(struct sim_client *client, uint64_t local_ns)
{
    struct client_lease *self = (struct client_lease *)client;

    weir_limiter_expire(self->limiter, local_ns);
    drain_reports(self);
}

static enum weir_shutdown shutdown_limiter(struct sim_client *client, uint64_t local_ns)
{
    struct client_lease *self = (struct client_lease *)client;
    const enum weir_shutdown result = weir_limiter_shutdown(self->limiter, local_ns);

    drain_reports(self);
    return result;
}

static uint64_t reported_units(const struct sim_client *client)
{
    return ((const struct client_lease *)client)->reported_units;
}

static uint64_t undecided_count(const struct sim_client *client)
{
    return ((const struct client_lease *)client)->undecided_count;
}

static bool quota(const struct sim_client *client, uint64_t local_ns, uint32_t key,
                  struct weir_quota *quota)
{
    const struct client_lease *self = (const struct client_lease *)client;

    return weir_limiter_quota(self->limiter, local_ns, &self->catalog->keys[key].key,
                              self->catalog->keys[key].plan, quota);
}

static uint64_t spendable_units(const struct sim_client *client, uint64_t local_ns, uint32_t key)
{
    const struct client_lease *self = (const struct client_lease *)client;

    return weir_limiter_spendable_units(self->limiter, local_ns, &self->catalog->keys[key].key);
}

static void client_free(struct sim_client *client)
{
    struct client_lease *self = (struct client_lease *)client;

    free(self->memory);
    free(self);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .next_settled = next_settled,
    .configure = configure,
    .next_deadline_ns = next_deadline_ns,
    .expire = expire,
    .shutdown = shutdown_limiter,
    .reported_units = reported_units,
    .undecided_count = undecided_count,
    .quota = quota,
    .spendable_units = spendable_units,
    .free = client_free,
};

static enum weir_full_table full_table(const struct sim_scenario *scenario)
{
    switch (scenario->full_table) {
    case SIM_FULL_TABLE_EVICT:
        return WEIR_FULL_TABLE_EVICT;
    case SIM_FULL_TABLE_PER_REQUEST:
        return WEIR_FULL_TABLE_PER_REQUEST;
    }
    return WEIR_FULL_TABLE_EVICT;
}

struct sim_client *sim_client_lease_new(const struct sim_catalog *catalog, uint32_t process,
                                        uint64_t start_ns)
{
    const struct sim_scenario *scenario = catalog->scenario;
    struct client_lease *self = sim_memory_new(1, sizeof *self);
    struct sim_prng prng;

    sim_prng_init(&prng, scenario->seed, "limiter", process);
    const struct weir_limiter_options options = {
        .process = process,
        .incarnation = sim_prng_next(&prng),
        .table_secret = sim_prng_next(&prng),
        .key_capacity = scenario->table_keys == 0 ? catalog->key_count : scenario->table_keys,
        .plan_capacity = (uint32_t)scenario->plan_count,
        .endpoint_capacity = (uint32_t)scenario->endpoint_count,
        .waiter_capacity = WAITERS,
        .start_ns = start_ns,
        .full_table = full_table(scenario),
        .shard_count = scenario->shard_count,
        .process_count = (uint32_t)scenario->process_count,
        .wait_max_ns = scenario->wait_max_ns,
        .ask_timeout_ns = scenario->ask_timeout_ns,
    };
    const size_t size = (weir_limiter_size(&options) + 63) / 64 * 64;

    self->base.operations = &operations;
    self->catalog = catalog;
    self->memory = aligned_alloc(64, size);
    if (self->memory == NULL) {
        fprintf(stderr, "weir: out of memory (%zu bytes for one process)\n", size);
        exit(70);
    }
    must(weir_limiter_init(&self->limiter, self->memory, size, &options));
    for (uint32_t i = 0; i < scenario->plan_count; i++) {
        must(weir_limiter_set_plan(self->limiter, i, &catalog->plans[i]));
    }
    for (uint32_t i = 0; i < scenario->endpoint_count; i++) {
        must(weir_limiter_set_weight(self->limiter, i, scenario->endpoints[i].weight_units, 1));
    }
    return &self->base;
}
