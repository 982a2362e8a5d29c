/* The core, as a client: the very archive that ships. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t memory_size;
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

static void deliver(struct client_lease *self, const struct weir_report *report)
{
    self->reported_units += report->spent_units;
    if (self->base.reporting.report != NULL) {
        self->base.reporting.report(self->base.reporting.context, report);
    }
}

static void drain_reports(struct client_lease *self)
{
    struct weir_report report;

    while (weir_limiter_next_report(self->limiter, &report)) {
        deliver(self, &report);
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

/* Take from an ask what the scenario does without. */
static void disarm(const struct sim_scenario *scenario, struct weir_ask *ask)
{
    if (scenario->without & SIM_WITHOUT_VERSIONS) {
        ask->version_seen = 0;
        ask->run_seen = 0;
        ask->seen_us = 0;
        ask->remaining_seen_units = 0;
        ask->outstanding_seen_units = 0;
        ask->previous_seen_units = 0;
    }
    if (scenario->without & SIM_WITHOUT_CHARGE_TIME) {
        ask->charge_from_us = 0;
        ask->charge_until_us = 0;
    }
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_lease *self = (struct client_lease *)client;
    struct weir_limiter_counts before;
    struct weir_limiter_counts after;

    weir_limiter_counts(self->limiter, &before);
    if (!weir_limiter_next_ask(self->limiter, local_ns, &exchange->ask)) {
        return false;
    }
    weir_limiter_counts(self->limiter, &after);
    exchange->is_repeat = after.asks_repeated != before.asks_repeated;
    exchange->kind = SIM_EXCHANGE_ASK;
    exchange->key = sim_catalog_find(self->catalog, &exchange->ask.key);
    disarm(self->catalog->scenario, &exchange->ask);
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_lease *self = (struct client_lease *)client;
    const enum weir_status status = weir_limiter_answer(self->limiter, local_ns, &exchange->answer);

    if (status != WEIR_ERR_UNEXPECTED) { /* it was written off, or this one came twice */
        must(status);
    }
    drain_reports(self);
    return status == WEIR_OK;
}

static bool refused(struct sim_client *client, uint64_t local_ns,
                    const struct sim_exchange *exchange)
{
    struct client_lease *self = (struct client_lease *)client;
    const enum weir_status status = weir_limiter_ask_failed(
        self->limiter, local_ns, &exchange->ask.key, &exchange->ask.id, WEIR_FAILURE_REFUSED);

    if (status != WEIR_ERR_UNEXPECTED) {
        must(status);
    }
    drain_reports(self);
    return !weir_limiter_is_in_flight(self->limiter, &exchange->ask.key, &exchange->ask.id);
}

/* As fork(2) leaves it: the memory is the parent's, and the child makes itself another process. */
static void fork_limiter(struct sim_client *client, const struct sim_client *parent,
                         uint64_t local_ns, uint32_t process, uint64_t incarnation)
{
    struct client_lease *self = (struct client_lease *)client;

    memcpy(self->memory, ((const struct client_lease *)parent)->memory, self->memory_size);
    self->limiter = weir_limiter_relocate(self->memory);
    weir_limiter_reincarnate(self->limiter, local_ns, process, incarnation);
}

static void set_process_count(struct sim_client *client, uint32_t process_count)
{
    weir_limiter_set_process_count(((struct client_lease *)client)->limiter, process_count);
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

static void counts(const struct sim_client *client, struct weir_limiter_counts *counts)
{
    weir_limiter_counts(((const struct client_lease *)client)->limiter, counts);
}

static uint32_t open_breaker_count(const struct sim_client *client)
{
    const struct client_lease *self = (const struct client_lease *)client;
    uint32_t count = 0;

    for (uint32_t shard = 0; shard < self->catalog->scenario->shard_count; shard++) {
        count += weir_limiter_breaker(self->limiter, shard) == WEIR_BREAKER_OPEN;
    }
    return count;
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

static bool snapshot(const struct sim_client *client, uint64_t local_ns, uint32_t key,
                     struct weir_snapshot *snapshot)
{
    const struct client_lease *self = (const struct client_lease *)client;

    return weir_limiter_snapshot(self->limiter, local_ns, &self->catalog->keys[key].key, snapshot);
}

static uint64_t lost_units(const struct sim_client *client, uint32_t key)
{
    const struct client_lease *self = (const struct client_lease *)client;
    const struct weir_key *name = &self->catalog->keys[key].key;

    return weir_limiter_held_units(self->limiter, name) +
           weir_limiter_owed_units(self->limiter, name);
}

static void reap(struct sim_client *client)
{
    struct client_lease *self = (struct client_lease *)client;
    struct weir_report report;
    uint32_t cursor = 0;

    drain_reports(self);
    while (weir_limiter_next_unreported(self->limiter, &cursor, &report)) {
        deliver(self, &report);
    }
}

static void forget(struct sim_client *client)
{
    struct client_lease *self = (struct client_lease *)client;
    struct weir_report report;
    uint32_t cursor = 0;

    while (weir_limiter_next_unreported(self->limiter, &cursor, &report)) {
        if (client->reporting.forget != NULL) {
            client->reporting.forget(client->reporting.context, &report);
        }
    }
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
    .refused = refused,
    .fork = fork_limiter,
    .set_process_count = set_process_count,
    .next_settled = next_settled,
    .configure = configure,
    .next_deadline_ns = next_deadline_ns,
    .expire = expire,
    .shutdown = shutdown_limiter,
    .reported_units = reported_units,
    .undecided_count = undecided_count,
    .counts = counts,
    .open_breaker_count = open_breaker_count,
    .quota = quota,
    .spendable_units = spendable_units,
    .snapshot = snapshot,
    .lost_units = lost_units,
    .reap = reap,
    .forget = forget,
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

static bool has_log(const struct sim_catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->scenario->plan_count; i++) {
        if (catalog->plans[i].algorithm == WEIR_ALGORITHM_LOG) {
            return true;
        }
    }
    return false;
}

struct sim_client *sim_client_lease_new(const struct sim_catalog *catalog, uint32_t process,
                                        uint32_t life, uint64_t start_ns)
{
    const struct sim_scenario *scenario = catalog->scenario;
    struct client_lease *self = sim_memory_new(1, sizeof *self);
    const uint32_t key_capacity =
        scenario->table_keys == 0 ? catalog->key_count : scenario->table_keys;
    struct sim_prng prng;

    sim_prng_init(&prng, scenario->seed, "limiter", (uint64_t)life << 32 | process);
    const struct weir_limiter_options options = {
        .process = process,
        .incarnation = sim_prng_next(&prng),
        .table_secret = sim_prng_next(&prng),
        .key_capacity = key_capacity,
        .history_capacity = has_log(catalog) ? key_capacity : 0,
        .plan_capacity = (uint32_t)scenario->plan_count,
        .endpoint_capacity = (uint32_t)scenario->endpoint_count,
        .waiter_capacity = WAITERS,
        .start_ns = start_ns,
        .full_table = full_table(scenario),
        .shard_count = scenario->shard_count,
        .process_count = (uint32_t)scenario->process_count,
        .wait_max_ns = scenario->wait_max_ns,
        .ask_timeout_ns = scenario->ask_timeout_ns,
        .breaker_failures = (scenario->without & SIM_WITHOUT_BREAKER) != 0 ? UINT32_MAX : 0,
    };
    const size_t size = (weir_limiter_size(&options) + 63) / 64 * 64;

    self->base.operations = &operations;
    self->catalog = catalog;
    self->memory = aligned_alloc(64, size);
    self->memory_size = size;
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
