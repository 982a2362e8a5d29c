/* Baseline: every process has a copy of each count and decides by it at once; every
 * sync_interval_ms it adds what it admitted to the store's, and takes over what that comes to. As
 * Kong's sync_rate, gubernator's GLOBAL and limitador's cached counters.
 *
 * A copy is what the store had left, less what this process admitted and the store had not counted
 * then: so all processes together admit what is left once each, and the more the longer the
 * interval. A bucket refills in the copy as in the store. The store's count is of all that was
 * admitted: what was too much is missing afterwards (a store that stops at zero would forgive it).
 *
 * A key takes part in a round if it had requests since the last one. What is pushed and not
 * answered within ask_timeout_ms counts as not pushed, and is pushed again: where only the answer
 * was lost it counts twice, as with INCRBY. Without the store a process goes on by its copy. A
 * process that dies takes what it has not pushed with it; a new one knows of no use at all until
 * its first round. */
#include <stdlib.h>

#include "client.h"
#include "local_limit.h"
#include "memory.h"
#include "sync_round.h"

struct copy {
    /* the whole limit, by what is known of its use */
    uint64_t window;
    int64_t left_units; /* window: of it; bucket: whole units as of updated_ns ... */
    uint64_t carry;     /* ... and the rest of one, in 1 / nanoseconds of the rate's period */
    uint64_t updated_ns;
    uint64_t fresh_units; /* admitted, and not on their way to the store */
    uint64_t under_way_units;
    uint64_t under_way_window;
    uint64_t sent_ns;
    uint64_t number; /* of the push under way; 0: none is */
};

struct client_async_sync {
    struct sim_client base;
    const struct sim_catalog *catalog;
    struct copy *copies; /* by key */
    struct sim_sync_round round;
    uint64_t push_count;
    uint64_t spent_units;
};

/* ---- the copy ---- */

static void refill(struct copy *copy, const struct weir_plan *plan, uint64_t local_ns)
{
    const int64_t capacity = (int64_t)plan->capacity_units;
    const uint64_t period_ns = plan->rate_period_us * 1000;

    if (local_ns <= copy->updated_ns) {
        return;
    }
    __extension__ unsigned __int128 gain = local_ns - copy->updated_ns;
    gain = gain * plan->rate_units + copy->carry;
    copy->updated_ns = local_ns;
    if (gain / period_ns >= (uint64_t)(capacity - copy->left_units)) {
        copy->left_units = capacity;
        copy->carry = 0;
        return;
    }
    copy->left_units += (int64_t)(gain / period_ns);
    copy->carry = (uint64_t)(gain % period_ns);
}

static void advance(const struct client_async_sync *self, uint32_t key, uint64_t local_ns)
{
    const struct weir_plan *plan = sim_catalog_plan(self->catalog, key);
    struct copy *copy = &self->copies[key];

    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        refill(copy, plan, local_ns);
        return;
    }
    const uint64_t window = sim_local_window(&self->catalog->keys[key].key, plan, local_ns);
    if (window > copy->window) {
        copy->window = window;
        copy->left_units = (int64_t)plan->limit_units;
        copy->fresh_units = 0; /* of a window that is over, as good as counted */
    }
}

static uint64_t retry_ns(const struct client_async_sync *self, uint32_t key, uint64_t local_ns,
                         uint32_t cost_units)
{
    const struct weir_plan *plan = sim_catalog_plan(self->catalog, key);
    const struct copy *copy = &self->copies[key];

    if (cost_units > plan->capacity_units) {
        return WEIR_RETRY_NEVER;
    }
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        return sim_local_window_left_ns(&self->catalog->keys[key].key, plan, local_ns);
    }
    if (plan->rate_units == 0) {
        return WEIR_RETRY_NEVER;
    }
    __extension__ unsigned __int128 missing = (uint64_t)((int64_t)cost_units - copy->left_units);
    missing = missing * (plan->rate_period_us * 1000) - copy->carry;
    return (uint64_t)((missing - 1) / plan->rate_units) + 1;
}

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_async_sync *self = (struct client_async_sync *)client;
    struct copy *copy = &self->copies[demand->key];

    advance(self, demand->key, local_ns);
    sim_sync_round_add(&self->round, demand->key, local_ns);
    if (demand->cost_units != 0 && copy->left_units < (int64_t)demand->cost_units) {
        return sim_client_denial(retry_ns(self, demand->key, local_ns, demand->cost_units));
    }
    copy->left_units -= demand->cost_units;
    copy->fresh_units += demand->cost_units;
    self->spent_units += demand->cost_units;
    return (struct weir_decision){.verdict = WEIR_VERDICT_ADMITTED};
}

/* ---- rounds ---- */

/* What is under way has not been heard of for too long, or was refused. */
static void take_back(struct copy *copy)
{
    copy->number = 0;
    if (copy->under_way_window == copy->window) {
        copy->fresh_units += copy->under_way_units;
    }
    copy->under_way_units = 0;
}

/* The key's push, if none is under way; a round may find one so where the network is slow. */
static bool push(struct client_async_sync *self, uint32_t key, uint64_t local_ns,
                 struct sim_exchange *exchange)
{
    struct copy *copy = &self->copies[key];

    advance(self, key, local_ns);
    if (copy->number != 0) {
        if (local_ns - copy->sent_ns < self->catalog->scenario->ask_timeout_ns) {
            sim_sync_round_add(&self->round, key, local_ns);
            return false;
        }
        take_back(copy);
    }
    copy->number = ++self->push_count;
    copy->under_way_units = copy->fresh_units;
    copy->under_way_window = copy->window;
    copy->sent_ns = local_ns;
    copy->fresh_units = 0;
    exchange->kind = SIM_EXCHANGE_SYNC;
    exchange->key = key;
    exchange->ticket = 0; /* nobody waits for it */
    exchange->sync = (struct sim_sync){
        .number = copy->number, .window = copy->window, .units = copy->under_way_units};
    return true;
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_async_sync *self = (struct client_async_sync *)client;
    uint32_t key;

    while (sim_sync_round_next(&self->round, &key)) {
        if (push(self, key, local_ns, exchange)) {
            return true;
        }
    }
    return false;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_async_sync *self = (struct client_async_sync *)client;
    struct copy *copy = &self->copies[exchange->key];

    if (copy->number != exchange->sync.number) {
        return false; /* given up */
    }
    copy->number = 0;
    copy->under_way_units = 0;
    if (exchange->sync.window == copy->window) {
        copy->left_units = exchange->sync.left_units - (int64_t)copy->fresh_units;
        copy->updated_ns = local_ns;
        copy->carry = 0;
    }
    return true;
}

static bool refused(struct sim_client *client, uint64_t local_ns,
                    const struct sim_exchange *exchange)
{
    struct client_async_sync *self = (struct client_async_sync *)client;
    struct copy *copy = &self->copies[exchange->key];

    if (copy->number != exchange->sync.number) {
        return false;
    }
    take_back(copy);
    sim_sync_round_add(&self->round, exchange->key, local_ns);
    return true;
}

static uint64_t next_deadline_ns(const struct sim_client *client)
{
    return ((const struct client_async_sync *)client)->round.next_ns;
}

static void expire(struct sim_client *client, uint64_t local_ns)
{
    sim_sync_round_expire(&((struct client_async_sync *)client)->round, local_ns);
}

static enum weir_shutdown shutdown(struct sim_client *client, uint64_t local_ns)
{
    sim_sync_round_begin(&((struct client_async_sync *)client)->round, local_ns);
    return WEIR_SHUTDOWN_DONE;
}

static uint64_t reported_units(const struct sim_client *client)
{
    return ((const struct client_async_sync *)client)->spent_units;
}

static void client_free(struct sim_client *client)
{
    struct client_async_sync *self = (struct client_async_sync *)client;

    sim_sync_round_deinit(&self->round);
    free(self->copies);
    free(self);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .refused = refused,
    .reported_units = reported_units,
    .next_deadline_ns = next_deadline_ns,
    .expire = expire,
    .shutdown = shutdown,
    .free = client_free,
};

struct sim_client *sim_client_async_sync_new(const struct sim_catalog *catalog, uint32_t process,
                                             uint32_t life, uint64_t start_ns)
{
    struct client_async_sync *self = sim_memory_new(1, sizeof *self);

    self->base.operations = &operations;
    self->catalog = catalog;
    self->copies = sim_memory_new(catalog->key_count, sizeof *self->copies);
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        const struct weir_plan *plan = sim_catalog_plan(self->catalog, key);
        const uint64_t left_units =
            life == 0 ? sim_catalog_start_units(catalog, key) : plan->capacity_units;
        self->copies[key] = (struct copy){
            .window = plan->algorithm == WEIR_ALGORITHM_WINDOW
                          ? sim_local_window(&catalog->keys[key].key, plan, start_ns)
                          : 0,
            .left_units = (int64_t)left_units,
            .updated_ns = start_ns,
        };
    }
    sim_sync_round_init(&self->round, catalog, process, life, start_ns);
    return &self->base;
}
