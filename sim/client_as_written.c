/* Baseline: the design note's pseudo-code (section 6) to the letter.
 *
 *   held lease of this window with enough permits: spend one locally
 *   else: INCRBY the window's counter by LEASE, take what lies below the limit, keep the rest
 *
 * To the letter includes what the note does not say: requests that miss at the same time each ask,
 * an answer overwrites the lease then held, a refused or partial increment stays on the counter, a
 * denial is not remembered, the window is that of the process's own clock. The note's store knows a
 * limit per window only, so a bucket plan is held to rate x 60 s. */
#include <stdlib.h>

#include "client.h"
#include "memory.h"

struct held {
    uint64_t window;
    uint64_t permits;
};

struct client_as_written {
    struct sim_client base;
    const struct sim_catalog *catalog;
    struct held *held; /* by key */
    uint64_t last_ticket;
    struct sim_demand unsent;
    uint64_t unsent_window;
    bool has_unsent;
    struct weir_settled settled;
    bool has_settled;
    uint64_t spent_units;
};

/* The process reads a wall clock: the simulated one is the store's epoch plus the process's own
 * error. */
static uint64_t window_of(const struct client_as_written *self, uint32_t key, uint64_t local_ns)
{
    const uint64_t window_us = self->catalog->plans[self->catalog->keys[key].plan].window_us;

    /* the sum first: a clock that is behind reads less than SIM_LOCAL_START_NS at the beginning */
    return (SIM_STORE_EPOCH_US * 1000 + local_ns - SIM_LOCAL_START_NS) / 1000 / window_us;
}

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_as_written *self = (struct client_as_written *)client;
    struct held *held = &self->held[demand->key];
    const uint64_t window = window_of(self, demand->key, local_ns);

    if (held->window == window && held->permits >= demand->cost_units) {
        held->permits -= demand->cost_units;
        self->spent_units += demand->cost_units;
        return (struct weir_decision){.verdict = WEIR_VERDICT_ADMITTED};
    }
    self->unsent = *demand;
    self->unsent_window = window;
    self->has_unsent = true;
    return (struct weir_decision){.verdict = WEIR_VERDICT_PENDING,
                                  .reason = WEIR_REASON_WAITING,
                                  .ticket = ++self->last_ticket};
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_as_written *self = (struct client_as_written *)client;

    (void)local_ns;
    if (!self->has_unsent) {
        return false;
    }
    self->has_unsent = false;
    exchange->kind = SIM_EXCHANGE_ADD;
    exchange->key = self->unsent.key;
    exchange->ticket = self->last_ticket;
    exchange->add_window = self->unsent_window;
    exchange->add_units = self->catalog->scenario->fixed_lease_units;
    exchange->ask.need_units = self->unsent.cost_units; /* comes back with the reply */
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_as_written *self = (struct client_as_written *)client;
    const uint32_t cost = exchange->ask.need_units;
    const uint64_t limit =
        self->catalog->plans[self->catalog->keys[exchange->key].plan].limit_units;
    const uint64_t lease = exchange->add_units;
    const uint64_t over = exchange->add_count > limit ? exchange->add_count - limit : 0;
    const uint64_t granted = lease > over ? lease - over : 0;
    const bool admitted = granted >= cost;

    (void)local_ns;
    if (admitted) {
        self->held[exchange->key] =
            (struct held){.window = exchange->add_window, .permits = granted - cost};
        self->spent_units += cost;
    }
    self->settled = (struct weir_settled){
        .ticket = exchange->ticket,
        .decision = {.verdict = admitted ? WEIR_VERDICT_ADMITTED : WEIR_VERDICT_DENIED,
                     .reason = admitted ? WEIR_REASON_ADMITTED : WEIR_REASON_OVER_LIMIT,
                     .retry_after_ns = admitted ? 0 : 1},
    };
    self->has_settled = true;
    return true;
}

static bool next_settled(struct sim_client *client, struct weir_settled *settled)
{
    struct client_as_written *self = (struct client_as_written *)client;

    if (!self->has_settled) {
        return false;
    }
    self->has_settled = false;
    *settled = self->settled;
    return true;
}

static uint64_t lost_units(const struct sim_client *client, uint32_t key)
{
    return ((const struct client_as_written *)client)->held[key].permits;
}

static uint64_t reported_units(const struct sim_client *client)
{
    return ((const struct client_as_written *)client)->spent_units;
}

static void client_free(struct sim_client *client)
{
    free(((struct client_as_written *)client)->held);
    free(client);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .next_settled = next_settled,
    .reported_units = reported_units,
    .lost_units = lost_units,
    .free = client_free,
};

struct sim_client *sim_client_as_written_new(const struct sim_catalog *catalog, uint32_t process)
{
    struct client_as_written *self = sim_memory_new(1, sizeof *self);

    (void)process;
    self->base.operations = &operations;
    self->catalog = catalog;
    self->held = sim_memory_new(catalog->key_count, sizeof *self->held);
    return &self->base;
}
