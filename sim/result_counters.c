#include "result_counters.h"

#include "counters.h"
#include "json_value.h"

static double microseconds(const struct sim_latency *latency, uint32_t ppm)
{
    return (double)sim_latency_percentile_ns(latency, ppm) / 1000;
}

static json_t *lock_json(const struct sim_world *world)
{
    const struct sim_keyspace *keyspace = &world->store.keyspace;
    const struct sim_latency *waits = &world->metrics.lock_waits;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:{s:f, s:f, s:f}}", "taken",
                     integer(keyspace->lock_count), "missed", integer(keyspace->lock_miss_count),
                     "ran_out", integer(keyspace->lock_ran_out), "stale_writes",
                     integer(keyspace->stale_writes), "held_by_dead", integer(keyspace->dead_locks),
                     "held_by_dead_s", (double)keyspace->dead_lock_us / 1e6, "wait_us", "p50",
                     microseconds(waits, 500000), "p99", microseconds(waits, 990000), "max",
                     (double)waits->max_ns / 1000);
}

void sim_result_add_counters(json_t *json, const struct sim_world *world)
{
    const struct sim_keyspace *keyspace = &world->store.keyspace;
    json_t *store = json_object_get(json, "store");
    struct sim_keyspace_figures figures = {0};

    if (world->store.counters != NULL) {
        sim_keyspace_figures(keyspace, &figures);
    }
    json_object_set_new(store, "keys",
                        json_pack("{s:f, s:o, s:o}", "mean", figures.mean, "max",
                                  integer(figures.max), "at_end", integer(figures.at_end)));
    json_object_set_new(store, "keys_without_ttl", integer(keyspace->without_ttl));
    json_object_set_new(store, "keys_made_anew", integer(keyspace->reborn_count));
    json_object_set_new(store, "units_made_anew", integer(keyspace->reborn_units));
    json_object_set_new(json, "lock", lock_json(world));
}
