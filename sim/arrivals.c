#include "arrivals.h"

#include <stdlib.h>

#include "changes.h"
#include "memory.h"
#include "prng.h"

struct sim_held_arrival {
    struct sim_arrival arrival;
    uint64_t number; /* in order of being held */
};

void sim_arrivals_init(struct sim_arrivals *arrivals, const struct sim_scenario *scenario,
                       struct sim_clientele *clientele, enum sim_arrivals_run run)
{
    *arrivals = (struct sim_arrivals){
        .scenario = scenario, .clientele = clientele, .faults = scenario->faults};
    if (run == SIM_ARRIVALS_AGAIN) {
        arrivals->faults.fired_count = NULL;
    }
    for (size_t i = 0; i < scenario->faults.count; i++) {
        const enum fault_kind kind = scenario->faults.faults[i].kind;
        arrivals->is_disturbed |=
            kind == FAULT_RETRY || kind == FAULT_HOT_KEY || kind == FAULT_CHURN;
    }
}

void sim_arrivals_deinit(struct sim_arrivals *arrivals)
{
    free(arrivals->held);
    *arrivals = (struct sim_arrivals){0};
}

/* ---- requests to come ---- */

static bool comes_first(const struct sim_held_arrival *left, const struct sim_held_arrival *right)
{
    return left->arrival.time_ns != right->arrival.time_ns
               ? left->arrival.time_ns < right->arrival.time_ns
               : left->number < right->number;
}

static void hold(struct sim_arrivals *arrivals, const struct sim_arrival *arrival)
{
    const struct sim_held_arrival held = {.arrival = *arrival, .number = arrivals->held_total++};

    arrivals->held = sim_memory_grow(arrivals->held, arrivals->held_count, &arrivals->held_capacity,
                                     sizeof *arrivals->held);
    size_t at = arrivals->held_count++;
    while (at > 0 && comes_first(&held, &arrivals->held[(at - 1) / 2])) {
        arrivals->held[at] = arrivals->held[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    arrivals->held[at] = held;
}

static struct sim_arrival take_held(struct sim_arrivals *arrivals)
{
    const struct sim_arrival first = arrivals->held[0].arrival;
    const struct sim_held_arrival last = arrivals->held[--arrivals->held_count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < arrivals->held_count &&
            comes_first(&arrivals->held[child + 1], &arrivals->held[child])) {
            child++;
        }
        if (child >= arrivals->held_count || !comes_first(&arrivals->held[child], &last)) {
            break;
        }
        arrivals->held[at] = arrivals->held[child];
        at = child;
    }
    arrivals->held[at] = last;
    return first;
}

/* At another time than the clients chose; after the end of the run it never comes. */
static void hold_until(struct sim_arrivals *arrivals, struct sim_arrival *arrival, uint64_t time_ns)
{
    const struct sim_scenario *scenario = arrivals->scenario;

    if (time_ns >= scenario->duration_ns) {
        return;
    }
    arrival->time_ns = time_ns;
    if (arrival->endpoint != UINT32_MAX && scenario->change_count != 0) {
        arrival->cost_units = sim_changes_weight_units(scenario, arrival->endpoint, time_ns);
    }
    hold(arrivals, arrival);
}

/* ---- what faults make of an attempt ---- */

/* The place of a request in its population, whose first key is *first_key. */
static uint32_t key_index(const struct sim_scenario *scenario, uint32_t population, uint32_t key,
                          uint32_t *first_key)
{
    *first_key = 0;
    for (uint32_t i = 0; i < population; i++) {
        *first_key += scenario->populations[i].key_count;
    }
    return key - *first_key;
}

/* By the key's balance, from a stream named by the attempt, and by which request of it this is. */
static void draw_process(const struct sim_arrivals *arrivals, uint64_t number, uint32_t nth,
                         struct sim_arrival *arrival)
{
    struct sim_prng prng;

    sim_prng_init(&prng, arrivals->scenario->seed, "processes of disturbed requests",
                  sim_prng_mix(number) ^ nth);
    sim_clientele_draw_process(arrivals->clientele, &prng, arrival);
}

static void add_extra(struct sim_arrivals *arrivals, const struct sim_arrival *arrival,
                      uint64_t number, uint32_t index)
{
    const uint32_t population = arrivals->scenario->traffic[arrival->spec].population;
    const uint32_t count =
        fault_extra_count(&arrivals->faults, arrival->time_ns, population, index);

    for (uint32_t nth = 0; nth < count; nth++) {
        struct sim_arrival extra = *arrival;
        const uint64_t time_ns =
            fault_extra_ns(&arrivals->faults, arrival->time_ns, population, index, number, nth);
        extra.job = SIM_JOB_NONE;
        draw_process(arrivals, number, nth + 1, &extra);
        hold_until(arrivals, &extra, time_ns);
    }
}

/* Returns whether it comes now; else it is held. */
static bool disturb(struct sim_arrivals *arrivals, struct sim_arrival *arrival)
{
    const struct sim_scenario *scenario = arrivals->scenario;
    const uint64_t number = arrivals->attempt_count++;
    const uint32_t population = scenario->traffic[arrival->spec].population;
    uint32_t first_key;
    const uint32_t index = key_index(scenario, population, arrival->key, &first_key);
    const uint32_t new_index = fault_churn(&arrivals->faults, arrival->time_ns, population, index,
                                           scenario->populations[population].key_count);

    if (new_index != index) {
        arrival->key = first_key + new_index;
        draw_process(arrivals, number, 0, arrival);
    }
    add_extra(arrivals, arrival, number, new_index);
    const uint64_t time_ns = fault_arrival_ns(&arrivals->faults, arrival->time_ns, number);
    if (time_ns == arrival->time_ns) {
        return true;
    }
    hold_until(arrivals, arrival, time_ns);
    return false;
}

bool sim_arrivals_next(struct sim_arrivals *arrivals, uint64_t end_ns, struct sim_arrival *arrival)
{
    if (!arrivals->is_disturbed) {
        return sim_clientele_next(arrivals->clientele, end_ns, arrival);
    }
    for (;;) {
        const uint64_t held_ns =
            arrivals->held_count != 0 ? arrivals->held[0].arrival.time_ns : UINT64_MAX;
        /* not further, as what the held one's decision causes may come before the next attempt */
        const uint64_t bound_ns = held_ns < end_ns ? held_ns + 1 : end_ns;
        if (!sim_clientele_next(arrivals->clientele, bound_ns, arrival)) {
            if (held_ns >= end_ns) {
                return false;
            }
            *arrival = take_held(arrivals);
            return true;
        }
        if (disturb(arrivals, arrival)) {
            return true;
        }
    }
}
