/* Failovers, lost keys and two primaries.
 *
 * A replica that lags knows what had arrived before the lag. What is forgotten is booked as what
 * the key has left afterwards beyond what it had left before: that much can be granted again. What
 * was taken stays taken in the measure of it (lumps_units), which is no part of the store. */
#include "store_past.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "prng.h"

/* Where an entry is kept besides its own place. */
struct kept {
    struct sim_store_entry entry;
    uint64_t taken_units; /* of it, when it was kept */
};

struct sim_store_past {
    const struct fault *fault;
    struct kept **lagging;       /* by key: as it was before the lag; NULL: has not changed since */
    struct kept **old;           /* by key: what the old primary has; NULL: this is no split */
    struct weir_store_run *runs; /* of the old primary, by shard */
};

/* ---- what is kept ---- */

static uint32_t shard_of(const struct sim_store *store, uint32_t key)
{
    return store->catalog->keys[key].shard;
}

static bool forgets(const struct fault *fault)
{
    return fault->kind == FAULT_STORE_FAILOVER || fault->kind == FAULT_STORE_EMPTY ||
           fault->kind == FAULT_STORE_EVICT || fault->kind == FAULT_STORE_SPLIT;
}

static bool lags(const struct fault *fault)
{
    return fault->kind == FAULT_STORE_FAILOVER || fault->kind == FAULT_STORE_SPLIT;
}

static uint64_t lag_from_ns(const struct fault *fault)
{
    return fault->from_ns > fault->lag_ns ? fault->from_ns - fault->lag_ns : 0;
}

void sim_store_past_init(struct sim_store *store)
{
    const struct fault_list *faults = &store->catalog->scenario->faults;

    for (size_t i = 0; i < faults->count; i++) {
        if (forgets(&faults->faults[i]) && store->pasts == NULL) {
            store->pasts = sim_memory_new(faults->count, sizeof *store->pasts);
            store->past_count = faults->count;
        }
    }
    for (size_t i = 0; i < store->past_count; i++) {
        store->pasts[i].fault = &faults->faults[i];
    }
}

static void kept_free(struct kept **kept)
{
    if (*kept != NULL) {
        free((*kept)->entry.state.log);
        free(*kept);
        *kept = NULL;
    }
}

static void all_kept_free(const struct sim_store *store, struct kept ***kept)
{
    for (uint32_t key = 0; *kept != NULL && key < store->catalog->key_count; key++) {
        kept_free(&(*kept)[key]);
    }
    free(*kept);
    *kept = NULL;
}

void sim_store_past_deinit(struct sim_store *store)
{
    for (size_t i = 0; i < store->past_count; i++) {
        all_kept_free(store, &store->pasts[i].lagging);
        all_kept_free(store, &store->pasts[i].old);
        free(store->pasts[i].runs);
    }
    free(store->pasts);
    store->pasts = NULL;
}

/* Debited, or promised and still to be debited. */
static uint64_t taken_units(const struct sim_store_entry *entry)
{
    const struct weir_store_key *state = &entry->state;

    return entry->lumps_units + state->trickled_units + state->trickle[0] - state->trickle_debited +
           state->trickle[1];
}

static struct kept *keep(const struct sim_store_entry *entry)
{
    struct kept *kept = sim_memory_new(1, sizeof *kept);

    kept->entry = *entry;
    kept->taken_units = taken_units(entry);
    if (entry->state.log_capacity != 0) {
        kept->entry.state.log = sim_memory_new(entry->state.log_capacity, sizeof *entry->state.log);
        memcpy(kept->entry.state.log, entry->state.log,
               entry->state.log_capacity * sizeof *entry->state.log);
    }
    return kept;
}

void sim_store_past_touch(struct sim_store *store, uint32_t key, uint64_t now_ns)
{
    for (size_t i = 0; i < store->past_count; i++) {
        struct sim_store_past *past = &store->pasts[i];
        if (!lags(past->fault) || now_ns < lag_from_ns(past->fault) ||
            now_ns >= past->fault->from_ns ||
            !fault_set_holds(&past->fault->shards, shard_of(store, key))) {
            continue;
        }
        if (past->lagging == NULL) {
            past->lagging = sim_memory_new(store->catalog->key_count, sizeof *past->lagging);
        }
        if (past->lagging[key] == NULL) {
            past->lagging[key] = keep(&store->entries[key]);
        }
    }
}

/* ---- who talks to whom ---- */

static struct sim_store_past *split_of(const struct sim_store *store, uint32_t shard,
                                       uint32_t process)
{
    for (size_t i = 0; i < store->past_count; i++) {
        const struct fault *fault = store->pasts[i].fault;
        if (store->pasts[i].old != NULL && fault_set_holds(&fault->shards, shard) &&
            fault_set_holds(&fault->processes, process)) {
            return &store->pasts[i];
        }
    }
    return NULL;
}

bool sim_store_past_is_split(const struct sim_store *store, uint32_t shard, uint32_t process)
{
    return split_of(store, shard, process) != NULL;
}

struct sim_store_entry *sim_store_past_entry(struct sim_store *store, uint32_t key,
                                             uint32_t process, struct weir_store_run **run)
{
    const uint32_t shard = shard_of(store, key);
    const struct sim_store_past *past = split_of(store, shard, process);

    *run = past == NULL ? &store->runs[shard] : &past->runs[shard];
    return past == NULL ? &store->entries[key] : &past->old[key]->entry;
}

/* ---- what is forgotten ---- */

/* What the key, brought to now, has left; of one that is not known, all that its plan ever has. */
static uint64_t left_units(const struct sim_store *store, uint32_t key, uint64_t now_ns)
{
    struct sim_store_level level;

    sim_store_peek(store, key, sim_catalog_plan(store->catalog, key), now_ns, &level);
    return level.left_units;
}

static void book(const struct sim_store *store, uint32_t key, uint64_t now_ns, uint64_t units)
{
    if (units != 0) {
        sim_store_lost(store, SIM_LOSS_DATA, key, now_ns, units);
    }
}

/* Put `replacement`, which has memory of its own for its log, in the place of a key's entry. */
static void replace(struct sim_store *store, uint32_t key, uint64_t now_ns,
                    const struct sim_store_entry *replacement)
{
    struct sim_store_entry *entry = &store->entries[key];
    const struct sim_store_entry before = *entry;
    const uint64_t taken = before.lumps_units + before.state.trickled_units;
    const uint64_t left_before = left_units(store, key, now_ns);

    *entry = *replacement;
    entry->lumps_units = taken - entry->state.trickled_units;
    entry->log_window = before.log_window;
    entry->log_units = before.log_units;
    const uint64_t left_after = left_units(store, key, now_ns);
    book(store, key, now_ns, left_after > left_before ? left_after - left_before : 0);
}

static bool forget_counters(struct sim_store *store, uint32_t key, uint64_t now_ns)
{
    const uint64_t left_before = left_units(store, key, now_ns);
    const bool is_any =
        sim_counters_forget(&store->counters[key], &store->keyspace,
                            sim_store_clock_us(store, shard_of(store, key), now_ns));

    book(store, key, now_ns, left_units(store, key, now_ns) - left_before);
    return is_any;
}

/* Returns whether there was anything to forget. */
static bool forget_key(struct sim_store *store, uint32_t key, uint64_t now_ns)
{
    if (store->counters != NULL) {
        return forget_counters(store, key, now_ns);
    }
    const struct weir_store_key *state = &store->entries[key].state;
    const struct sim_store_entry nothing = {
        .state = {.log = state->log, .log_capacity = state->log_capacity}};

    if (state->version == 0) {
        return false;
    }
    sim_store_past_touch(store, key, now_ns);
    replace(store, key, now_ns, &nothing);
    return true;
}

/* Returns whether the key had changed since. */
static bool fall_back(struct sim_store *store, struct sim_store_past *past, uint32_t key,
                      uint64_t now_ns)
{
    if (past->lagging == NULL || past->lagging[key] == NULL) {
        return false;
    }
    struct sim_store_entry *then = &past->lagging[key]->entry;
    struct weir_log_entry *log = store->entries[key].state.log;
    sim_store_past_touch(store, key, now_ns);
    replace(store, key, now_ns, then);
    then->state.log = NULL; /* it moved */
    free(log);
    kept_free(&past->lagging[key]);
    return true;
}

struct forgetting {
    const struct sim_store *store;
    const struct fault *fault;
    uint64_t from_ns; /* what arrived from then on is forgotten */
    uint32_t occurrence;
};

static bool is_of_shards(const struct forgetting *what, const struct sim_record *record)
{
    return fault_set_holds(&what->fault->shards, shard_of(what->store, record->key));
}

static void forget_recent(const void *context, struct sim_record *record)
{
    const struct forgetting *what = context;

    if (is_of_shards(what, record) && record->arrived_ns >= what->from_ns) {
        if (what->fault->kind == FAULT_STORE_SPLIT &&
            fault_set_holds(&what->fault->processes, record->process)) {
            record->is_split = true;
        } else {
            record->is_hidden = true;
        }
    }
}

static void forget_split(const void *context, struct sim_record *record)
{
    const struct forgetting *what = context;

    if (is_of_shards(what, record) && record->is_split &&
        fault_set_holds(&what->fault->processes, record->process)) {
        record->is_hidden = true;
    }
}

static bool is_evicted(const struct fault *fault, uint32_t key, uint32_t occurrence)
{
    return fault_lot_hits(fault, (uint64_t)occurrence << 32 | key);
}

static void forget_evicted(const void *context, struct sim_record *record)
{
    const struct forgetting *what = context;

    if (is_of_shards(what, record) && is_evicted(what->fault, record->key, what->occurrence)) {
        record->is_hidden = true;
    }
}

static void change_records(struct sim_store *store,
                           void (*change)(const void *context, struct sim_record *record),
                           const struct forgetting *what)
{
    if (store->records.chains != NULL) {
        sim_records_change(&store->records, change, what);
    }
}

/* ---- at its time ---- */

static void count(const struct sim_store *store, const struct sim_store_past *past)
{
    fault_struck(&store->catalog->scenario->faults, (size_t)(past - store->pasts));
}

/* The shards of the fault begin another life of their memory. */
static void new_runs(struct sim_store *store, const struct sim_store_past *past, uint64_t now_ns)
{
    const struct sim_scenario *scenario = store->catalog->scenario;

    for (uint32_t shard = 0; shard < scenario->shard_count; shard++) {
        struct sim_prng prng;
        if (!fault_set_holds(&past->fault->shards, shard)) {
            continue;
        }
        sim_prng_init(&prng, past->fault->seed, "store run", shard);
        store->runs[shard] = (struct weir_store_run){
            .id = sim_prng_next(&prng), .started_us = sim_store_clock_us(store, shard, now_ns)};
        count(store, past);
    }
}

/* Of each key on the fault's shards: `act` returns whether it did anything. */
static void for_keys(struct sim_store *store, struct sim_store_past *past, uint64_t now_ns,
                     bool (*act)(struct sim_store *store, struct sim_store_past *past, uint32_t key,
                                 uint64_t now_ns))
{
    for (uint32_t key = 0; key < store->catalog->key_count; key++) {
        if (fault_set_holds(&past->fault->shards, shard_of(store, key)) &&
            act(store, past, key, now_ns)) {
            count(store, past);
        }
    }
}

static bool empty_key(struct sim_store *store, struct sim_store_past *past, uint32_t key,
                      uint64_t now_ns)
{
    (void)past;
    return forget_key(store, key, now_ns);
}

static uint32_t occurrence_of(const struct fault *fault, uint64_t now_ns)
{
    return fault->period_ns == 0 ? 0 : (uint32_t)((now_ns - fault->from_ns) / fault->period_ns);
}

static bool evict_key(struct sim_store *store, struct sim_store_past *past, uint32_t key,
                      uint64_t now_ns)
{
    return is_evicted(past->fault, key, occurrence_of(past->fault, now_ns)) &&
           forget_key(store, key, now_ns);
}

static bool split_key(struct sim_store *store, struct sim_store_past *past, uint32_t key,
                      uint64_t now_ns)
{
    past->old[key] = keep(&store->entries[key]);
    return fall_back(store, past, key, now_ns);
}

/* What the old primary granted since the split was never taken from the one that stays. */
static bool rejoin_key(struct sim_store *store, struct sim_store_past *past, uint32_t key,
                       uint64_t now_ns)
{
    const uint64_t before = past->old[key]->taken_units;
    const uint64_t after = taken_units(&past->old[key]->entry);
    const uint64_t units = after > before ? after - before : 0;

    store->entries[key].lumps_units += units;
    book(store, key, now_ns, units);
    return units != 0;
}

static void split(struct sim_store *store, struct sim_store_past *past, uint64_t now_ns)
{
    const uint32_t shard_count = store->catalog->scenario->shard_count;

    past->runs = sim_memory_new(shard_count, sizeof *past->runs);
    memcpy(past->runs, store->runs, shard_count * sizeof *past->runs);
    past->old = sim_memory_new(store->catalog->key_count, sizeof *past->old);
    for_keys(store, past, now_ns, split_key);
    new_runs(store, past, now_ns);
}

static void act(struct sim_store *store, struct sim_store_past *past, uint64_t now_ns)
{
    struct forgetting what = {.store = store, .fault = past->fault};

    if (past->fault->kind == FAULT_STORE_FAILOVER || past->fault->kind == FAULT_STORE_EMPTY) {
        const bool is_failover = past->fault->kind == FAULT_STORE_FAILOVER;
        what.from_ns = is_failover ? lag_from_ns(past->fault) : 0;
        change_records(store, forget_recent, &what);
        for_keys(store, past, now_ns, is_failover ? fall_back : empty_key);
        new_runs(store, past, now_ns);
    } else if (past->fault->kind == FAULT_STORE_EVICT) {
        what.occurrence = occurrence_of(past->fault, now_ns);
        change_records(store, forget_evicted, &what);
        for_keys(store, past, now_ns, evict_key);
    } else if (past->fault->kind == FAULT_STORE_SPLIT && now_ns == past->fault->from_ns) {
        what.from_ns = lag_from_ns(past->fault);
        change_records(store, forget_recent, &what);
        split(store, past, now_ns);
    } else if (past->fault->kind == FAULT_STORE_SPLIT) {
        change_records(store, forget_split, &what);
        for_keys(store, past, now_ns, rejoin_key);
        all_kept_free(store, &past->old);
    }
}

/* When the fault next acts, from from_ns on. */
static uint64_t next_ns(const struct fault *fault, uint64_t from_ns)
{
    const uint64_t first_ns = fault->kind == FAULT_STORE_EMPTY ? fault->until_ns : fault->from_ns;

    if (!forgets(fault)) {
        return UINT64_MAX;
    }
    if (from_ns <= first_ns) {
        return first_ns;
    }
    if (fault->kind == FAULT_STORE_SPLIT && from_ns <= fault->until_ns) {
        return fault->until_ns;
    }
    if (fault->kind == FAULT_STORE_EVICT && fault->period_ns != 0) {
        const uint64_t rounds = (from_ns - first_ns + fault->period_ns - 1) / fault->period_ns;
        const uint64_t round_ns = first_ns + rounds * fault->period_ns;
        return round_ns < fault->until_ns ? round_ns : UINT64_MAX;
    }
    return UINT64_MAX;
}

uint64_t sim_store_next_fault_ns(const struct sim_store *store, uint64_t from_ns)
{
    uint64_t first_ns = UINT64_MAX;

    for (size_t i = 0; i < store->past_count; i++) {
        const uint64_t at_ns = next_ns(store->pasts[i].fault, from_ns);
        first_ns = at_ns < first_ns ? at_ns : first_ns;
    }
    return first_ns;
}

void sim_store_fault(struct sim_store *store, uint64_t now_ns)
{
    for (size_t i = 0; i < store->past_count; i++) {
        if (next_ns(store->pasts[i].fault, now_ns) == now_ns) {
            act(store, &store->pasts[i], now_ns);
        }
    }
}
