#include "catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "memory.h"
#include "weir/assert.h"

/* Fixed: a key's phase belongs to the scenario, not to the seed. */
static const uint8_t fleet_secret[WEIR_KEY_SECRET_SIZE] = {
    0x77, 0x65, 0x69, 0x72, 0x2d, 0x66, 0x6c, 0x65, 0x65, 0x74, 0x2d, 0x73, 0x69, 0x6d, 0x00, 0x01};

uint64_t sim_store_us(uint64_t true_ns)
{
    return SIM_STORE_EPOCH_US + true_ns / 1000;
}

uint64_t sim_wall_us(uint64_t local_ns)
{
    return SIM_STORE_EPOCH_US - SIM_LOCAL_START_NS / 1000 + local_ns / 1000;
}

void sim_catalog_make_plan(struct weir_plan *plan, const struct sim_plan *source, uint64_t version)
{
    static const enum weir_algorithm algorithms[] = {
        [SIM_ALGORITHM_BUCKET] = WEIR_ALGORITHM_BUCKET,
        [SIM_ALGORITHM_WINDOW] = WEIR_ALGORITHM_WINDOW,
        [SIM_ALGORITHM_SLIDING] = WEIR_ALGORITHM_SLIDING,
        [SIM_ALGORITHM_LOG] = WEIR_ALGORITHM_LOG,
        [SIM_ALGORITHM_UNLIMITED] = WEIR_ALGORITHM_UNLIMITED,
    };
    static const enum weir_sizer sizers[] = {
        [SIM_SIZER_TAPERED] = WEIR_SIZER_TAPERED,
        [SIM_SIZER_FIXED] = WEIR_SIZER_FIXED,
        [SIM_SIZER_RATE] = WEIR_SIZER_RATE,
        [SIM_SIZER_DOUBLING] = WEIR_SIZER_DOUBLING,
    };
    static const enum weir_degraded_policy policies[] = {
        [SIM_DEGRADED_BOUNDED] = WEIR_DEGRADED_BOUNDED,
        [SIM_DEGRADED_UNIFORM] = WEIR_DEGRADED_UNIFORM,
        [SIM_DEGRADED_SHARE] = WEIR_DEGRADED_SHARE,
        [SIM_DEGRADED_OPEN] = WEIR_DEGRADED_OPEN,
        [SIM_DEGRADED_CLOSED] = WEIR_DEGRADED_CLOSED,
    };
    const struct weir_plan_options options = {
        .version = version,
        .algorithm = algorithms[source->algorithm],
        .sizer = sizers[source->sizer],
        .rate_units = source->rate_units,
        .rate_period_us = source->rate_period_us,
        .capacity_units = source->capacity_units,
        .window_us = source->window_us,
        .fixed_lease_units = source->fixed_lease_units,
        .degraded = policies[source->degraded],
    };
    const enum weir_status status = weir_plan_make(plan, &options);

    if (status != WEIR_OK) { /* the scenario reader checks the same bounds */
        fprintf(stderr, "weir: plan %s: %s\n", source->name, weir_status_text(status));
        exit(70);
    }
}

uint64_t sim_catalog_phase_ns(const struct sim_catalog *catalog, uint32_t key, uint64_t window_us)
{
    const uint64_t phase_us = sim_scenario_keeps_counters(catalog->scenario)
                                  ? 0
                                  : weir_key_phase_us(&catalog->keys[key].key, window_us);

    return (SIM_STORE_EPOCH_US + phase_us) % window_us * 1000;
}

static void build_index(struct sim_catalog *catalog)
{
    uint32_t size = 4;

    while (size / 2 < catalog->key_count) {
        size *= 2;
    }
    catalog->index = sim_memory_new(size, sizeof(uint32_t));
    catalog->index_mask = size - 1;
    for (uint32_t number = 0; number < catalog->key_count; number++) {
        uint32_t place = (uint32_t)catalog->keys[number].key.low & catalog->index_mask;
        while (catalog->index[place] != 0) {
            place = (place + 1) & catalog->index_mask;
        }
        catalog->index[place] = number + 1;
    }
}

const struct weir_plan *sim_catalog_plan(const struct sim_catalog *catalog, uint32_t key)
{
    return &catalog->plans[catalog->keys[key].plan];
}

uint32_t sim_catalog_find(const struct sim_catalog *catalog, const struct weir_key *key)
{
    for (uint32_t place = (uint32_t)key->low & catalog->index_mask;;
         place = (place + 1) & catalog->index_mask) {
        WEIR_ASSERT(catalog->index[place] != 0);
        const uint32_t number = catalog->index[place] - 1;
        const struct weir_key *found = &catalog->keys[number].key;
        if (found->low == key->low && found->high == key->high) {
            return number;
        }
    }
}

static void make_changes(struct sim_catalog *catalog)
{
    const struct sim_scenario *scenario = catalog->scenario;

    catalog->changed = sim_memory_new(scenario->change_count, sizeof *catalog->changed);
    for (size_t i = 0; i < scenario->change_count; i++) {
        const struct sim_change *change = &scenario->changes[i];
        uint64_t version = 2;
        for (size_t before = 0; before < i; before++) {
            version += sim_changes_concern_the_same(&scenario->changes[before], change);
        }
        catalog->changed[i].version = version;
        if (change->kind == SIM_CHANGE_PLAN) {
            sim_catalog_make_plan(&catalog->changed[i], &change->plan, version);
            catalog->changed[i].since_us = sim_store_us(change->at_ns);
        }
    }
}

void sim_catalog_init(struct sim_catalog *catalog, const struct sim_scenario *scenario)
{
    *catalog = (struct sim_catalog){.scenario = scenario};
    for (size_t i = 0; i < scenario->population_count; i++) {
        catalog->key_count += scenario->populations[i].key_count;
    }
    catalog->keys = sim_memory_new(catalog->key_count, sizeof(struct sim_key));
    catalog->plans = sim_memory_new(scenario->plan_count, sizeof(struct weir_plan));
    for (size_t i = 0; i < scenario->plan_count; i++) {
        sim_catalog_make_plan(&catalog->plans[i], &scenario->plans[i], 1);
    }
    make_changes(catalog);
    uint32_t number = 0;
    for (uint32_t p = 0; p < scenario->population_count; p++) {
        for (uint32_t i = 0; i < scenario->populations[p].key_count; i++, number++) {
            struct sim_key *key = &catalog->keys[number];
            char name[SIM_NAME_SIZE + 16];
            key->population = p;
            key->plan = scenario->populations[p].plan;
            snprintf(name, sizeof name, "%s/%" PRIu32, scenario->populations[p].name, i);
            key->key = weir_key_hash(fleet_secret, name, strlen(name));
            key->shard = weir_key_shard(&key->key, scenario->shard_count);
            key->window_phase_ns =
                sim_catalog_phase_ns(catalog, number, catalog->plans[key->plan].window_us);
        }
    }
    build_index(catalog);
}

void sim_catalog_deinit(struct sim_catalog *catalog)
{
    free(catalog->keys);
    free(catalog->plans);
    free(catalog->changed);
    free(catalog->index);
    *catalog = (struct sim_catalog){0};
}

void sim_catalog_name(const struct sim_catalog *catalog, uint32_t key, char *text, uint32_t size)
{
    const struct sim_scenario *scenario = catalog->scenario;
    uint32_t first = 0;

    for (size_t p = 0; p < scenario->population_count; p++) {
        const struct sim_population *population = &scenario->populations[p];
        if (key < first + population->key_count) {
            snprintf(text, size, "%s/%" PRIu32, population->name, key - first);
            return;
        }
        first += population->key_count;
    }
    WEIR_ASSERT(key < first);
}

uint64_t sim_catalog_start_units(const struct sim_catalog *catalog, uint32_t key)
{
    const uint32_t plan = catalog->keys[key].plan;
    const uint64_t capacity = catalog->plans[plan].capacity_units;
    const uint64_t fill_ppm = catalog->scenario->plans[plan].start_fill_ppm;

    return capacity / 1000000 * fill_ppm + capacity % 1000000 * fill_ppm / 1000000;
}

uint64_t sim_catalog_used_units(const struct sim_catalog *catalog, uint32_t key)
{
    return catalog->plans[catalog->keys[key].plan].capacity_units -
           sim_catalog_start_units(catalog, key);
}
