/* Baseline: every process is a limiter of its own, with a part of the limit that a coordinator
 * deals out by the demand that each of them saw. As Cadence's global rate limiter, Envoy's rate
 * limit quota service and Doorman.
 *
 * Every sync_interval_ms a process tells the coordinator, for each key it had requests for, how
 * many units were asked for (not: admitted) per interval. The coordinator keeps the mean of that
 * and what it had of the process before, as Cadence does, adds up those of all processes that it
 * heard of in the last two intervals, and answers with the sum. Own demand / sum is the part from
 * then on.
 *
 * A process that had no requests for two intervals, or has not been answered yet, goes by 1 /
 * processes. Without the coordinator all go on by the parts they have. */
#include <stdlib.h>

#include "client.h"
#include "local_limit.h"
#include "memory.h"
#include "sync_round.h"

struct share {
    struct sim_local_limit limit;
    uint64_t seen_units; /* since the last round */
    uint64_t requested_ns;
    uint64_t answered; /* number of the last report that was */
    bool is_dealt;
};

struct client_rate_share {
    struct sim_client base;
    const struct sim_catalog *catalog;
    struct share *shares; /* by key */
    struct sim_sync_round round;
    uint64_t report_count;
    uint64_t spent_units;
    uint32_t process_count;
};

/* The part of a process of which the coordinator knows no demand. */
static void forget_part(struct client_rate_share *self, uint32_t key, uint64_t local_ns)
{
    struct share *share = &self->shares[key];

    share->is_dealt = false;
    sim_local_limit_set_part(&share->limit, sim_catalog_plan(self->catalog, key),
                             (struct sim_part){.part = 1, .whole = self->process_count}, local_ns);
}

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_rate_share *self = (struct client_rate_share *)client;
    struct share *share = &self->shares[demand->key];
    const struct weir_plan *plan = sim_catalog_plan(self->catalog, demand->key);
    const struct weir_key *key = &self->catalog->keys[demand->key].key;
    const uint64_t silent_ns = local_ns > share->requested_ns ? local_ns - share->requested_ns : 0;

    if (!share->is_dealt || silent_ns > 2 * self->round.interval_ns) {
        forget_part(self, demand->key, local_ns);
    }
    share->requested_ns = local_ns;
    share->seen_units += demand->cost_units;
    sim_sync_round_add(&self->round, demand->key, local_ns);
    if (!sim_local_limit_admit(&share->limit, plan, key, local_ns, demand->cost_units)) {
        return sim_client_denial(
            sim_local_limit_retry_ns(&share->limit, plan, key, local_ns, demand->cost_units));
    }
    self->spent_units += demand->cost_units;
    return (struct weir_decision){.verdict = WEIR_VERDICT_ADMITTED};
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct client_rate_share *self = (struct client_rate_share *)client;
    uint32_t key;

    (void)local_ns;
    if (!sim_sync_round_next(&self->round, &key)) {
        return false;
    }
    __extension__ unsigned __int128 milli_units = self->shares[key].seen_units;
    milli_units = milli_units * 1000 * self->round.interval_ns / self->round.covered_ns;
    self->shares[key].seen_units = 0;
    exchange->kind = SIM_EXCHANGE_SHARE;
    exchange->key = key;
    exchange->ticket = 0; /* nobody waits for it */
    exchange->sync =
        (struct sim_sync){.number = ++self->report_count, .units = (uint64_t)milli_units};
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_rate_share *self = (struct client_rate_share *)client;
    const struct sim_sync *sync = &exchange->sync;
    struct share *share = &self->shares[exchange->key];

    if (sync->number <= share->answered || sync->all_units == 0) {
        return false;
    }
    share->answered = sync->number;
    share->is_dealt = true;
    sim_local_limit_set_part(&share->limit, sim_catalog_plan(self->catalog, exchange->key),
                             (struct sim_part){.part = sync->own_units, .whole = sync->all_units},
                             local_ns);
    return true;
}

static void set_process_count(struct sim_client *client, uint32_t process_count)
{
    ((struct client_rate_share *)client)->process_count = process_count;
}

static uint64_t next_deadline_ns(const struct sim_client *client)
{
    return ((const struct client_rate_share *)client)->round.next_ns;
}

static void expire(struct sim_client *client, uint64_t local_ns)
{
    sim_sync_round_expire(&((struct client_rate_share *)client)->round, local_ns);
}

static uint64_t reported_units(const struct sim_client *client)
{
    return ((const struct client_rate_share *)client)->spent_units;
}

static void client_free(struct sim_client *client)
{
    struct client_rate_share *self = (struct client_rate_share *)client;

    sim_sync_round_deinit(&self->round);
    free(self->shares);
    free(self);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .set_process_count = set_process_count,
    .reported_units = reported_units,
    .next_deadline_ns = next_deadline_ns,
    .expire = expire,
    .free = client_free,
};

/* `shutdown` is of no use to it: a process that leaves is not heard of any more. */
struct sim_client *sim_client_rate_share_new(const struct sim_catalog *catalog, uint32_t process,
                                             uint32_t life, uint64_t start_ns)
{
    struct client_rate_share *self = sim_memory_new(1, sizeof *self);

    self->base.operations = &operations;
    self->catalog = catalog;
    self->process_count = catalog->scenario->process_count;
    self->shares = sim_memory_new(catalog->key_count, sizeof *self->shares);
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        const struct sim_part part = {.part = 1, .whole = self->process_count};
        sim_local_limit_start(&self->shares[key].limit, sim_catalog_plan(self->catalog, key),
                              &catalog->keys[key].key, part,
                              life == 0 ? sim_catalog_used_units(catalog, key) : 0, start_ns);
    }
    sim_sync_round_init(&self->round, catalog, process, life, start_ns);
    return &self->base;
}
