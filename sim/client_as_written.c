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

#include "client_mailbox.h"
#include "memory.h"

struct held {
    uint64_t window;
    uint64_t permits;
};

struct client_as_written {
    struct sim_mailbox mailbox;
    struct held *held; /* by key */
};

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_as_written *self = (struct client_as_written *)client;
    struct held *held = &self->held[demand->key];
    const uint64_t window = sim_mailbox_window(&self->mailbox, demand->key, local_ns);

    if (held->window == window && held->permits >= demand->cost_units) {
        held->permits -= demand->cost_units;
        self->mailbox.spent_units += demand->cost_units;
        return (struct weir_decision){.verdict = WEIR_VERDICT_ADMITTED};
    }
    struct sim_request *request = sim_mailbox_open(&self->mailbox, demand, local_ns);
    request->window = window;
    sim_mailbox_post(&self->mailbox, request, local_ns);
    return sim_mailbox_pending(request);
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_as_written *self = (struct client_as_written *)client;
    const struct sim_request *request = sim_mailbox_take(&self->mailbox, exchange);

    (void)local_ns;
    if (request == NULL) {
        return false;
    }
    exchange->kind = SIM_EXCHANGE_ADD;
    exchange->add_window = request->window;
    exchange->add_units = self->mailbox.catalog->scenario->fixed_lease_units;
    exchange->ttl_us = sim_mailbox_ttl_us(&self->mailbox, exchange->key);
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_as_written *self = (struct client_as_written *)client;
    struct sim_request *request = sim_mailbox_answered(&self->mailbox, exchange);

    (void)local_ns;
    if (request == NULL) {
        return false;
    }
    const uint32_t cost = request->demand.cost_units;
    const uint64_t limit = sim_mailbox_plan(&self->mailbox, exchange->key)->limit_units;
    const uint64_t lease = exchange->add_units;
    const uint64_t over = exchange->add_count > limit ? exchange->add_count - limit : 0;
    const uint64_t granted = lease > over ? lease - over : 0;
    const bool admitted = granted >= cost;
    const struct weir_decision decision = {
        .verdict = admitted ? WEIR_VERDICT_ADMITTED : WEIR_VERDICT_DENIED,
        .reason = admitted ? WEIR_REASON_ADMITTED : WEIR_REASON_OVER_LIMIT,
        .retry_after_ns = admitted ? 0 : 1,
    };

    if (admitted) {
        self->held[exchange->key] =
            (struct held){.window = exchange->add_window, .permits = granted - cost};
    }
    sim_mailbox_settle(&self->mailbox, request, &decision);
    return true;
}

static uint64_t lost_units(const struct sim_client *client, uint32_t key)
{
    return ((const struct client_as_written *)client)->held[key].permits;
}

static void client_free(struct sim_client *client)
{
    struct client_as_written *self = (struct client_as_written *)client;

    sim_mailbox_deinit(&self->mailbox);
    free(self->held);
    free(self);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .refused = sim_mailbox_refused,
    .next_settled = sim_mailbox_next_settled,
    .reported_units = sim_mailbox_reported_units,
    .lost_units = lost_units,
    .next_deadline_ns = sim_mailbox_next_deadline_ns,
    .expire = sim_mailbox_expire,
    .shutdown = sim_mailbox_shutdown,
    .free = client_free,
};

struct sim_client *sim_client_as_written_new(const struct sim_catalog *catalog, uint32_t process)
{
    struct client_as_written *self = sim_memory_new(1, sizeof *self);

    sim_mailbox_init(&self->mailbox, &operations, catalog, process);
    self->held = sim_memory_new(catalog->key_count, sizeof *self->held);
    return &self->mailbox.base;
}
