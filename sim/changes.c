#include "changes.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "prng.h"

static int by_time(const void *a, const void *b)
{
    const struct sim_push *left = a;
    const struct sim_push *right = b;

    if (left->time_ns != right->time_ns) {
        return left->time_ns < right->time_ns ? -1 : 1;
    }
    return (left->change > right->change) - (left->change < right->change);
}

/* The pushes of a process are numbered in the order in which they are sent. */
static void add(struct sim_pushes *pushes, const struct fault_list *faults, uint32_t process,
                uint64_t number, const struct sim_push *push)
{
    const struct fault_fate fate =
        fault_push(faults, push->time_ns, process, (uint64_t)process << 32 | number);

    if (!fate.lost) {
        pushes->list[pushes->count] = *push;
        pushes->list[pushes->count++].time_ns += fate.delay_ns;
    }
}

void sim_pushes_init(struct sim_pushes *pushes, const struct sim_scenario *scenario,
                     uint32_t process)
{
    struct sim_prng prng;
    uint64_t number = 0;
    size_t count = 0;

    for (size_t i = 0; i < scenario->change_count; i++) {
        count += 1 + scenario->changes[i].repeats;
    }
    *pushes = (struct sim_pushes){.list = sim_memory_new(count, sizeof *pushes->list)};
    sim_prng_init(&prng, scenario->seed, "pushes", process);
    for (uint32_t i = 0; i < scenario->change_count; i++) {
        const struct sim_change *change = &scenario->changes[i];
        for (uint32_t nth = 0; nth <= change->repeats; nth++) {
            const uint64_t delay_ns =
                change->spread_ns == 0 ? 0 : sim_prng_below(&prng, change->spread_ns + 1);
            const struct sim_push push = {.time_ns = change->at_ns + delay_ns, .change = i};
            add(pushes, &scenario->faults, process, number++, &push);
        }
    }
    qsort(pushes->list, pushes->count, sizeof *pushes->list, by_time);
}

void sim_pushes_skip(struct sim_pushes *pushes, uint64_t now_ns)
{
    size_t first = pushes->next;

    while (first < pushes->count && pushes->list[first].time_ns < now_ns) {
        first++;
    }
    /* they were not heard: those that come take their places */
    memmove(&pushes->list[pushes->next], &pushes->list[first],
            (pushes->count - first) * sizeof *pushes->list);
    pushes->count -= first - pushes->next;
}

void sim_pushes_deinit(struct sim_pushes *pushes)
{
    free(pushes->list);
    *pushes = (struct sim_pushes){0};
}

uint64_t sim_pushes_next_ns(const struct sim_pushes *pushes)
{
    return pushes->next < pushes->count ? pushes->list[pushes->next].time_ns : UINT64_MAX;
}

uint32_t sim_changes_weight_units(const struct sim_scenario *scenario, uint32_t endpoint,
                                  uint64_t time_ns)
{
    uint32_t weight_units = scenario->endpoints[endpoint].weight_units;

    for (size_t i = 0; i < scenario->change_count && scenario->changes[i].at_ns <= time_ns; i++) {
        const struct sim_change *change = &scenario->changes[i];
        if (change->kind == SIM_CHANGE_WEIGHT && change->target == endpoint) {
            weight_units = change->weight_units;
        }
    }
    return weight_units;
}

bool sim_changes_are_of_plan(const struct sim_change *change, size_t plan)
{
    return change->kind != SIM_CHANGE_WEIGHT && change->target == plan;
}

bool sim_changes_concern_the_same(const struct sim_change *a, const struct sim_change *b)
{
    return (a->kind == SIM_CHANGE_WEIGHT) == (b->kind == SIM_CHANGE_WEIGHT) &&
           a->target == b->target;
}

/* The newest version of what `change` concerns that the process has heard of by the time it comes
 * into force. */
static uint64_t version_heard(const struct sim_catalog *catalog, const struct sim_pushes *pushes,
                              const struct sim_change *change)
{
    uint64_t version = 1;

    for (size_t i = 0; i < pushes->count && pushes->list[i].time_ns <= change->at_ns; i++) {
        const uint32_t heard = pushes->list[i].change;
        if (sim_changes_concern_the_same(&catalog->scenario->changes[heard], change) &&
            catalog->changed[heard].version > version) {
            version = catalog->changed[heard].version;
        }
    }
    return version;
}

uint64_t sim_changes_version_spread(const struct sim_catalog *catalog)
{
    struct sim_scenario scenario_again = *catalog->scenario;
    const struct sim_scenario *scenario = &scenario_again;
    uint64_t most = 0;

    scenario_again.faults.fired_count = NULL; /* the pushes were counted when they were made */

    for (uint32_t process = 0; process < scenario->process_count && scenario->change_count != 0;
         process++) {
        struct sim_pushes pushes;
        sim_pushes_init(&pushes, scenario, process);
        for (size_t i = 0; i < scenario->change_count; i++) {
            const uint64_t version = version_heard(catalog, &pushes, &scenario->changes[i]);
            /* of several changes at one instant the last one lasts */
            const uint64_t behind = catalog->changed[i].version - version;
            most = catalog->changed[i].version > version && behind > most ? behind : most;
        }
        sim_pushes_deinit(&pushes);
    }
    return most;
}
