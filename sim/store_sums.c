#include "store_sums.h"

#include <stdlib.h>

#include "memory.h"
#include "store.h"

/* A sighting counts for so many intervals: a process that is heard of no more had better be gone.
 */
#define SIGHTING_INTERVALS 2

static uint64_t window_at(const struct sim_store_sums *sums, uint32_t key, uint64_t now_us)
{
    const uint64_t window_us = sim_catalog_plan(sums->catalog, key)->window_us;

    return (now_us + weir_key_phase_us(&sums->catalog->keys[key].key, window_us)) / window_us;
}

static void start(struct sim_store_sums *sums, uint32_t key)
{
    const struct weir_plan *plan = sim_catalog_plan(sums->catalog, key);
    const uint64_t left_units = sim_catalog_start_units(sums->catalog, key);

    sums->sums[key] = (struct sim_store_sum){
        .window = {window_at(sums, key, sim_store_us(0))},
        .window_units = {sim_catalog_used_units(sums->catalog, key)},
        .level = (int64_t)(left_units * plan->rate_period_us),
        .updated_us = sim_store_us(0),
    };
}

void sim_store_sums_init(struct sim_store_sums *sums, const struct sim_catalog *catalog)
{
    const struct sim_scenario *scenario = catalog->scenario;

    *sums = (struct sim_store_sums){.catalog = catalog,
                                    .is_dealt_out =
                                        scenario->coordination == SIM_COORDINATION_LOCAL_SPLIT ||
                                        scenario->coordination == SIM_COORDINATION_RATE_SHARE};
    if (scenario->coordination == SIM_COORDINATION_ASYNC_SYNC) {
        sums->sums = sim_memory_new(catalog->key_count, sizeof *sums->sums);
        for (uint32_t key = 0; key < catalog->key_count; key++) {
            start(sums, key);
        }
    }
    if (scenario->coordination == SIM_COORDINATION_RATE_SHARE) {
        sums->sightings = sim_memory_new((size_t)catalog->key_count * scenario->process_count,
                                         sizeof *sums->sightings);
    }
}

void sim_store_sums_deinit(struct sim_store_sums *sums)
{
    free(sums->sums);
    free(sums->sightings);
    *sums = (struct sim_store_sums){0};
}

/* ---- async_sync ---- */

/* The store's clock may have stepped back: then nothing accrues until it is there again. */
static void refill(struct sim_store_sum *sum, const struct weir_plan *plan, uint64_t now_us)
{
    __extension__ const __int128 capacity = (int64_t)(plan->capacity_units * plan->rate_period_us);

    if (now_us > sum->updated_us) {
        __extension__ __int128 gain = (int64_t)plan->rate_units;
        sum->level += gain * (int64_t)(now_us - sum->updated_us);
        sum->level = sum->level < capacity ? sum->level : capacity;
        sum->updated_us = now_us;
    }
}

/* Whole units, rounded down. */
static int64_t level_units(const struct sim_store_sum *sum, const struct weir_plan *plan)
{
    const int64_t period_us = (int64_t)plan->rate_period_us;
    const int64_t whole = (int64_t)(sum->level / period_us);

    return sum->level % period_us < 0 ? whole - 1 : whole;
}

/* The counter of a window, which is made where it does not exist. */
static uint64_t *counter_of(struct sim_store_sum *sum, uint64_t window)
{
    if (window > sum->window[0]) {
        sum->window[1] = sum->window[0];
        sum->window_units[1] = sum->window_units[0];
        sum->window[0] = window;
        sum->window_units[0] = 0;
    }
    if (window == sum->window[0]) {
        return &sum->window_units[0];
    }
    if (sum->window[1] != window) {
        sum->window[1] = window;
        sum->window_units[1] = 0;
    }
    return &sum->window_units[1];
}

static void serve_sync(struct sim_store_sums *sums, struct sim_exchange *exchange, uint64_t now_us)
{
    struct sim_store_sum *sum = &sums->sums[exchange->key];
    const struct weir_plan *plan = sim_catalog_plan(sums->catalog, exchange->key);
    struct sim_sync *sync = &exchange->sync;

    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        uint64_t *counter = counter_of(sum, sync->window);
        *counter += sync->units;
        sync->left_units = (int64_t)plan->limit_units - (int64_t)*counter;
        return;
    }
    __extension__ __int128 cost = (int64_t)sync->units;
    refill(sum, plan, now_us);
    sum->level -= cost * (int64_t)plan->rate_period_us;
    sum->taken_units += sync->units;
    sync->left_units = level_units(sum, plan);
}

/* ---- rate_share ---- */

static bool is_recent(const struct sim_store_sighting *sighting, uint64_t old_us, uint64_t now_us)
{
    return sighting->at_us != 0 && sighting->at_us + old_us > now_us;
}

static void serve_share(struct sim_store_sums *sums, struct sim_exchange *exchange, uint64_t now_us)
{
    const struct sim_scenario *scenario = sums->catalog->scenario;
    const uint64_t old_us = SIGHTING_INTERVALS * scenario->sync_interval_ns / 1000;
    struct sim_store_sighting *of_key =
        &sums->sightings[(size_t)exchange->key * scenario->process_count];
    struct sim_sync *sync = &exchange->sync;

    struct sim_store_sighting *own = &of_key[exchange->process];
    own->units = is_recent(own, old_us, now_us) ? (own->units + sync->units) / 2 : sync->units;
    own->at_us = now_us;
    sync->own_units = own->units;
    sync->all_units = 0;
    for (uint32_t process = 0; process < scenario->process_count; process++) {
        if (is_recent(&of_key[process], old_us, now_us)) {
            sync->all_units += of_key[process].units;
        }
    }
}

void sim_store_sums_serve(struct sim_store_sums *sums, struct sim_exchange *exchange,
                          uint64_t now_us)
{
    if (exchange->kind == SIM_EXCHANGE_SYNC) {
        serve_sync(sums, exchange, now_us);
    } else {
        serve_share(sums, exchange, now_us);
    }
}

/* ---- what the world may see ---- */

/* What was counted, but no more than there was: the rest was never granted by anybody. */
static void peek_sum(const struct sim_store_sums *sums, uint32_t key, uint64_t now_us,
                     struct sim_store_level *level)
{
    const struct weir_plan *plan = sim_catalog_plan(sums->catalog, key);
    struct sim_store_sum sum = sums->sums[key];

    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        const uint64_t units = *counter_of(&sum, window_at(sums, key, now_us - 1));
        level->window_taken_units = units;
        level->window_left_units = units < plan->limit_units ? plan->limit_units - units : 0;
        level->left_units = level->window_left_units;
        return;
    }
    refill(&sum, plan, now_us);
    level->left_units = sum.level > 0 ? (uint64_t)level_units(&sum, plan) : 0;
    level->taken_units = sum.taken_units;
}

bool sim_store_sums_peek(const struct sim_store_sums *sums, uint32_t key, uint64_t now_us,
                         struct sim_store_level *level)
{
    const struct weir_plan *plan = sim_catalog_plan(sums->catalog, key);

    if (sums->sums != NULL) {
        peek_sum(sums, key, now_us, level);
        return true;
    }
    if (!sums->is_dealt_out) {
        return false;
    }
    __extension__ unsigned __int128 refilled = now_us - sim_store_us(0);
    level->taken_units = sim_catalog_start_units(sums->catalog, key) +
                         (uint64_t)(refilled * plan->rate_units / plan->rate_period_us);
    level->window_taken_units = plan->limit_units;
    return true;
}
