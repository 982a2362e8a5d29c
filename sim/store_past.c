#include "store_past.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "prng.h"
#include "store.h"

#define PPM 1000000u

static const struct fault_list *faults_of(const struct sim_store *store)
{
    return &store->catalog->scenario->faults;
}

static bool is_of(const struct sim_store *store, const struct fault *fault, uint32_t key)
{
    return fault_set_holds(&fault->shards, store->catalog->keys[key].shard);
}

static bool looks_back(const struct fault *fault)
{
    return fault->kind == FAULT_STORE_FAILOVER || fault->kind == FAULT_STORE_SPLIT;
}

void sim_store_past_init(struct sim_store *store)
{
    const size_t count = faults_of(store)->count;

    store->past = (struct sim_store_past){
        .lookbacks = sim_memory_new(count, sizeof(struct sim_store_lookback)),
        .olds = sim_memory_new(count, sizeof(struct sim_store_old)),
    };
}

static void forget_lookback(struct sim_store_lookback *lookback)
{
    for (uint32_t i = 0; i < lookback->count; i++) {
        free(lookback->copies[i].state.log);
    }
    free(lookback->copies);
    free(lookback->place_of_key);
    *lookback = (struct sim_store_lookback){0};
}

static void forget_old(struct sim_store *store, struct sim_store_old *old)
{
    for (uint32_t key = 0; old->states != NULL && key < store->catalog->key_count; key++) {
        free(old->states[key].log);
    }
    free(old->states);
    free(old->granted_units);
    *old = (struct sim_store_old){0};
}

void sim_store_past_deinit(struct sim_store *store)
{
    for (size_t i = 0; i < faults_of(store)->count; i++) {
        forget_lookback(&store->past.lookbacks[i]);
        forget_old(store, &store->past.olds[i]);
    }
    free(store->past.lookbacks);
    free(store->past.olds);
}

struct sim_store_side sim_store_side_of(struct sim_store *store, uint32_t process, uint32_t key,
                                        uint64_t time_ns)
{
    for (uint32_t i = 0; i < faults_of(store)->count; i++) {
        const struct fault *fault = &faults_of(store)->faults[i];
        struct sim_store_old *old = &store->past.olds[i];
        if (old->lives && time_ns < fault->until_ns && is_of(store, fault, key) &&
            fault_set_holds(&fault->processes, process)) {
            return (struct sim_store_side){&old->states[key], &old->run, i};
        }
    }
    return (struct sim_store_side){&store->entries[key].state,
                                   &store->runs[store->catalog->keys[key].shard], UINT32_MAX};
}

static struct weir_store_key copy_of(const struct weir_store_key *state)
{
    struct weir_store_key copy = *state;

    if (state->log != NULL) {
        copy.log = sim_memory_new(state->log_capacity, sizeof *copy.log);
        memcpy(copy.log, state->log, state->log_capacity * sizeof *copy.log);
    }
    return copy;
}

static void replace(struct weir_store_key *state, struct weir_store_key *by)
{
    free(state->log);
    *state = *by;
    by->log = NULL;
}

/* What it did from now on will be forgotten. */
static bool is_in_lag(const struct fault *fault, uint64_t time_ns)
{
    return looks_back(fault) && time_ns < fault->from_ns &&
           fault->from_ns - time_ns <= fault->lag_ns;
}

static void remember(struct sim_store *store, struct sim_store_lookback *lookback, uint32_t key)
{
    if (lookback->place_of_key == NULL) {
        lookback->place_of_key = sim_memory_new(store->catalog->key_count, sizeof(uint32_t));
    }
    if (lookback->place_of_key[key] != 0) {
        return;
    }
    if (lookback->count == lookback->capacity) {
        lookback->capacity = lookback->capacity == 0 ? 64 : 2 * lookback->capacity;
        struct sim_store_copy *grown = sim_memory_new(lookback->capacity, sizeof *grown);
        if (lookback->count != 0) {
            memcpy(grown, lookback->copies, lookback->count * sizeof *grown);
        }
        free(lookback->copies);
        lookback->copies = grown;
    }
    lookback->copies[lookback->count++] =
        (struct sim_store_copy){.key = key, .state = copy_of(&store->entries[key].state)};
    lookback->place_of_key[key] = lookback->count;
}

void sim_store_past_touch(struct sim_store *store, uint32_t key, uint64_t time_ns)
{
    for (size_t i = 0; i < faults_of(store)->count; i++) {
        const struct fault *fault = &faults_of(store)->faults[i];
        if (is_in_lag(fault, time_ns) && is_of(store, fault, key)) {
            remember(store, &store->past.lookbacks[i], key);
        }
    }
}

void sim_store_past_granted(struct sim_store *store, const struct sim_store_side *side,
                            uint32_t key, uint64_t time_ns, uint64_t units)
{
    if (side->old != UINT32_MAX) {
        store->past.olds[side->old].granted_units[key] += units;
        return;
    }
    for (size_t i = 0; i < faults_of(store)->count; i++) {
        const struct fault *fault = &faults_of(store)->faults[i];
        struct sim_store_lookback *lookback = &store->past.lookbacks[i];
        if (is_in_lag(fault, time_ns) && is_of(store, fault, key)) {
            lookback->copies[lookback->place_of_key[key] - 1].granted_units += units;
        }
    }
}

static void lose(struct sim_store *store, uint32_t key, uint64_t time_ns, uint64_t units)
{
    if (units != 0) {
        sim_store_lost(store, SIM_LOSS_DATA, key, time_ns, units);
    }
}

/* The replica's memory takes the place of the primary's. */
static void restore(struct sim_store *store, uint32_t number, uint64_t time_ns)
{
    struct sim_store_lookback *lookback = &store->past.lookbacks[number];

    for (uint32_t i = 0; i < lookback->count; i++) {
        struct sim_store_copy *copy = &lookback->copies[i];
        replace(&store->entries[copy->key].state, &copy->state);
        if (faults_of(store)->faults[number].kind == FAULT_STORE_FAILOVER) {
            lose(store, copy->key, time_ns, copy->granted_units);
        }
    }
    forget_lookback(lookback);
}

struct shards {
    const struct sim_store *store;
    const struct fault *fault;
};

static int is_of_shards(const void *context, uint32_t key)
{
    const struct shards *shards = context;

    return is_of(shards->store, shards->fault, key);
}

/* Another run: what was on record is gone, too. */
static void start_run(struct sim_store *store, uint32_t number, uint64_t time_ns)
{
    const struct fault *fault = &faults_of(store)->faults[number];
    const struct shards shards = {store, fault};

    for (uint32_t shard = 0; shard < store->catalog->scenario->shard_count; shard++) {
        if (fault_set_holds(&fault->shards, shard)) {
            store->runs[shard] = (struct weir_store_run){
                .id = fault_lot(fault, shard, UINT64_MAX),
                .started_us = sim_store_us(time_ns),
            };
        }
    }
    sim_records_drop(&store->records, is_of_shards, &shards);
}

static void begin_split(struct sim_store *store, uint32_t number, uint64_t time_ns)
{
    const struct fault *fault = &faults_of(store)->faults[number];
    struct sim_store_old *old = &store->past.olds[number];

    *old = (struct sim_store_old){
        .lives = true,
        .states = sim_memory_new(store->catalog->key_count, sizeof *old->states),
        .granted_units = sim_memory_new(store->catalog->key_count, sizeof *old->granted_units),
    };
    for (uint32_t key = 0; key < store->catalog->key_count; key++) {
        if (is_of(store, fault, key)) {
            old->run = store->runs[store->catalog->keys[key].shard];
            old->states[key] = copy_of(&store->entries[key].state);
        }
    }
    restore(store, number, time_ns);
    start_run(store, number, time_ns);
}

static void end_split(struct sim_store *store, uint32_t number, uint64_t time_ns)
{
    struct sim_store_old *old = &store->past.olds[number];

    for (uint32_t key = 0; old->lives && key < store->catalog->key_count; key++) {
        lose(store, key, time_ns, old->granted_units[key]);
    }
    forget_old(store, old);
}

/* What the key holds against its customer. */
static uint64_t used_units(const struct weir_store_key *state)
{
    const uint64_t capacity = state->in_force.capacity_units;

    if (state->version == 0 || state->in_force.algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return 0;
    }
    return state->in_force.algorithm != WEIR_ALGORITHM_BUCKET ? state->tokens
           : capacity > state->tokens                         ? capacity - state->tokens
                                                              : 0;
}

static void forget_key(struct sim_store *store, uint32_t key, uint64_t time_ns)
{
    struct weir_store_key *state = &store->entries[key].state;

    lose(store, key, time_ns, used_units(state));
    *state = (struct weir_store_key){.log = state->log, .log_capacity = state->log_capacity};
}

static uint64_t forget_keys(struct sim_store *store, uint32_t number, uint64_t time_ns)
{
    const struct fault *fault = &faults_of(store)->faults[number];
    const uint64_t round =
        fault->period_ns == 0 ? 0 : (time_ns - fault->from_ns) / fault->period_ns;
    uint64_t forgotten = 0;

    for (uint32_t key = 0; key < store->catalog->key_count; key++) {
        const uint64_t lot = fault_lot(fault, round * store->catalog->key_count + key, PPM);
        if (is_of(store, fault, key) &&
            (fault->kind == FAULT_STORE_EMPTY || lot < fault->probability_ppm)) {
            forget_key(store, key, time_ns);
            forgotten++;
        }
    }
    return forgotten;
}

void sim_store_past_event(struct sim_store *store, uint32_t number, uint64_t time_ns)
{
    const struct fault *fault = &faults_of(store)->faults[number];
    uint64_t *fired_count = &faults_of(store)->fired_count[number];

    if (fault->kind == FAULT_STORE_FAILOVER && time_ns == fault->from_ns) {
        restore(store, number, time_ns);
        start_run(store, number, time_ns);
        ++*fired_count;
    } else if (fault->kind == FAULT_STORE_SPLIT && time_ns == fault->from_ns) {
        begin_split(store, number, time_ns);
        ++*fired_count;
    } else if (fault->kind == FAULT_STORE_SPLIT && time_ns == fault->until_ns) {
        end_split(store, number, time_ns);
    } else if (fault->kind == FAULT_STORE_EMPTY && time_ns == fault->until_ns) {
        *fired_count += forget_keys(store, number, time_ns);
        start_run(store, number, time_ns);
    } else if (fault->kind == FAULT_STORE_EVICT && time_ns < fault->until_ns) {
        *fired_count += forget_keys(store, number, time_ns);
    }
}
