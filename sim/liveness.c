#include "liveness.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "twin.h"
#include "world.h"

#define LEAST_UNITS 2      /* of error that are nothing to speak of, ... */
#define PART_OF_LIMIT 1000 /* ... or this part of the limit */
/* A log's bursts stay late by a slice of its window (core/history.c), and bursts at other times
 * meet other requests: as many more or fewer as chance has it. */
#define PART_OF_LIMIT_LOG 100
#define DEVIATIONS_LOG 2

uint64_t sim_liveness_settling_ns(const struct sim_world *world)
{
    const struct sim_catalog *catalog = &world->catalog;
    uint64_t longest_us = 0;

    for (size_t i = 0; i < world->scenario->plan_count; i++) {
        const uint64_t window_us = catalog->plans[i].window_us;
        longest_us = window_us > longest_us ? window_us : longest_us;
    }
    for (size_t i = 0; i < world->scenario->change_count; i++) {
        const uint64_t window_us = catalog->changed[i].window_us;
        longest_us = window_us > longest_us ? window_us : longest_us;
    }
    return 2 * longest_us * 1000;
}

static bool is_asked(const struct sim_world *world)
{
    const struct fault_list *faults = &world->scenario->faults;

    for (size_t i = 0; i < faults->count; i++) {
        if (faults->faults[i].until_ns >= world->scenario->duration_ns) {
            return false;
        }
    }
    return faults->count > 0 && world->twin != NULL;
}

static bool is_log(const struct sim_world *world, uint32_t key)
{
    return world->accuracy.keys[key].oracle.rule.kind == SIM_ORACLE_LOG;
}

static uint64_t little_units(const struct sim_world *world, uint32_t key, uint32_t interval)
{
    const uint64_t limit = sim_accuracy_limit_units(&world->accuracy, key, interval);
    uint64_t little = limit / PART_OF_LIMIT;

    if (is_log(world, key)) {
        const uint64_t chance = DEVIATIONS_LOG * (uint64_t)sqrt((double)limit);
        little = limit / PART_OF_LIMIT_LOG > chance ? limit / PART_OF_LIMIT_LOG : chance;
    }
    return little > LEAST_UNITS ? little : LEAST_UNITS;
}

/* The worst of the twin's errors for the key, and a little. */
static uint64_t allowed_units(const struct sim_world *world, uint32_t key, uint32_t interval)
{
    const struct sim_key_accuracy *entry = &world->accuracy.keys[key];
    uint64_t worst = 0;

    for (uint32_t i = 0; i < entry->cell_count; i++) {
        const uint64_t error = world->twin->error_units[entry->first_cell + i];
        worst = error > worst ? error : worst;
    }
    return worst + little_units(world, key, interval);
}

static bool is_small(int64_t error, uint64_t allowed)
{
    return (uint64_t)(error < 0 ? -error : error) <= allowed;
}

/* A log admits in the same bursts window after window. One that was shifted stays so, and what lies
 * beyond an interval's end is not lost: it is in the one before or after. */
static bool is_shifted(const struct sim_world *world, uint32_t key, uint32_t interval,
                       int64_t error, uint64_t allowed)
{
    const struct sim_key_accuracy *entry = &world->accuracy.keys[key];

    if (!is_log(world, key)) {
        return false;
    }
    return (interval != 0 &&
            is_small(error + sim_world_error(world, key, interval - 1), allowed)) ||
           (interval + 1 < entry->cell_count &&
            is_small(error + sim_world_error(world, key, interval + 1), allowed));
}

static bool is_healthy(const struct sim_world *world, uint32_t key, uint32_t interval)
{
    const uint64_t allowed = allowed_units(world, key, interval);
    const int64_t error = sim_world_error(world, key, interval);

    return is_small(error, allowed) || is_shifted(world, key, interval, error, allowed);
}

static void check_interval(struct sim_liveness *liveness, const struct sim_world *world,
                           uint32_t key, uint32_t interval)
{
    const uint64_t start_ns = sim_accuracy_interval_start_ns(&world->accuracy, key, interval);
    const uint64_t end_ns = sim_accuracy_interval_end_ns(&world->accuracy, key, interval);
    const uint64_t duration_ns = world->scenario->duration_ns;

    /* a log's bursts lie before or after the end of the run as it happens */
    if (end_ns <= liveness->last_end_ns || (end_ns > duration_ns && is_log(world, key))) {
        return;
    }
    const bool healthy = is_healthy(world, key, interval);
    struct sim_settling *part = &liveness->by_population[world->catalog.keys[key].population];
    if (!healthy && end_ns > part->recovered_ns) {
        part->recovered_ns = end_ns < duration_ns ? end_ns : duration_ns;
    }
    if (start_ns >= liveness->settled_ns) {
        part->checked_intervals++;
        part->unhealthy_intervals += !healthy;
        if (!healthy && liveness->unhealthy_intervals++ == 0) {
            liveness->worst_key = key;
        }
    }
}

static void check_intervals(struct sim_liveness *liveness, const struct sim_world *world)
{
    const size_t population_count = world->scenario->population_count;

    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        for (uint32_t i = 0; i < world->accuracy.keys[key].cell_count; i++) {
            check_interval(liveness, world, key, i);
        }
    }
    for (size_t i = 0; i < population_count; i++) {
        const struct sim_settling *part = &liveness->by_population[i];
        liveness->checked_intervals += part->checked_intervals;
        if (part->recovered_ns > liveness->recovered_ns) {
            liveness->recovered_ns = part->recovered_ns;
        }
    }
}

uint32_t sim_liveness_open_breakers(const struct sim_world *world)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        const struct sim_client *client = world->processes[i].client;
        if (client != NULL && client->operations->open_breaker_count != NULL) {
            count += client->operations->open_breaker_count(client);
        }
    }
    return count;
}

void sim_liveness_make(struct sim_liveness *liveness, const struct sim_world *world,
                       uint64_t held_units, uint64_t unexplained_units)
{
    const uint64_t last_end_ns =
        fault_last_end_ns(&world->scenario->faults, world->scenario->duration_ns);

    *liveness = (struct sim_liveness){
        .last_end_ns = last_end_ns,
        .settled_ns = last_end_ns + sim_liveness_settling_ns(world),
        .recovered_ns = last_end_ns,
        .open_breakers = world->open_breakers,
        .held_units = held_units,
        .breakers_closed = true,
        .ledger_balances = unexplained_units == 0,
        .by_population =
            sim_memory_new(world->scenario->population_count, sizeof *liveness->by_population),
    };
    for (size_t i = 0; i < world->scenario->population_count; i++) {
        liveness->by_population[i].recovered_ns = last_end_ns;
    }
    if (!is_asked(world)) {
        return;
    }
    check_intervals(liveness, world);
    liveness->breakers_closed = liveness->open_breakers <= world->twin->open_breakers ||
                                liveness->settled_ns > world->scenario->duration_ns;
    const bool healthy = liveness->unhealthy_intervals == 0 && liveness->breakers_closed &&
                         held_units == 0 && world->drained && liveness->ledger_balances;
    liveness->recovery = !healthy                           ? SIM_RECOVERY_FAILED
                         : liveness->checked_intervals == 0 ? SIM_RECOVERY_UNKNOWN
                                                            : SIM_RECOVERY_DONE;
}

void sim_liveness_free(struct sim_liveness *liveness)
{
    free(liveness->by_population);
    *liveness = (struct sim_liveness){0};
}
