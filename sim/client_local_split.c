/* Baseline: each process is a limiter of its own, with the limit / processes, or with the part that
 * limiter.split_weights gives it. Nothing is asked, so nothing is waited for and nothing fails; but
 * the load balancer does not divide requests as the limit is divided.
 *
 * The number of processes is what the process was last told. A process that starts knows nothing of
 * what it spent in an earlier life, and starts full. */
#include <stdlib.h>

#include "client.h"
#include "local_limit.h"
#include "memory.h"

struct client_local_split {
    struct sim_client base;
    const struct sim_catalog *catalog;
    struct sim_part part;
    struct sim_local_limit *limits; /* by key */
    uint64_t spent_units;
};

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_local_split *self = (struct client_local_split *)client;
    struct sim_local_limit *limit = &self->limits[demand->key];
    const struct weir_plan *plan = sim_catalog_plan(self->catalog, demand->key);
    const struct weir_key *key = &self->catalog->keys[demand->key].key;

    sim_local_limit_set_part(limit, plan, self->part, local_ns);
    if (!sim_local_limit_admit(limit, plan, key, local_ns, demand->cost_units)) {
        return sim_client_denial(
            sim_local_limit_retry_ns(limit, plan, key, local_ns, demand->cost_units));
    }
    self->spent_units += demand->cost_units;
    return (struct weir_decision){.verdict = WEIR_VERDICT_ADMITTED};
}

static void set_process_count(struct sim_client *client, uint32_t process_count)
{
    struct client_local_split *self = (struct client_local_split *)client;

    if (self->catalog->scenario->split_weights == NULL) {
        self->part = (struct sim_part){.part = 1, .whole = process_count};
    }
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    (void)client;
    (void)local_ns;
    (void)exchange;
    return false;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    (void)client;
    (void)local_ns;
    (void)exchange;
    return false;
}

static uint64_t reported_units(const struct sim_client *client)
{
    return ((const struct client_local_split *)client)->spent_units;
}

static void client_free(struct sim_client *client)
{
    free(((struct client_local_split *)client)->limits);
    free(client);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .set_process_count = set_process_count,
    .reported_units = reported_units,
    .free = client_free,
};

static struct sim_part part_of_process(const struct sim_scenario *scenario, uint32_t process)
{
    struct sim_part part = {.part = 1, .whole = scenario->process_count};

    if (scenario->split_weights != NULL) {
        part = (struct sim_part){.part = scenario->split_weights[process]};
        for (uint32_t i = 0; i < scenario->process_count; i++) {
            part.whole += scenario->split_weights[i];
        }
    }
    return part;
}

struct sim_client *sim_client_local_split_new(const struct sim_catalog *catalog, uint32_t process,
                                              uint32_t life, uint64_t start_ns)
{
    struct client_local_split *self = sim_memory_new(1, sizeof *self);

    self->base.operations = &operations;
    self->catalog = catalog;
    self->part = part_of_process(catalog->scenario, process);
    self->limits = sim_memory_new(catalog->key_count, sizeof *self->limits);
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        sim_local_limit_start(&self->limits[key], sim_catalog_plan(self->catalog, key),
                              &catalog->keys[key].key, self->part,
                              life == 0 ? sim_catalog_used_units(catalog, key) : 0, start_ns);
    }
    return &self->base;
}
