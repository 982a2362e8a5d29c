#include "store.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "prng.h"

static const struct weir_plan *plan_of(const struct sim_store *store, uint32_t key)
{
    return &store->catalog->plans[store->catalog->keys[key].plan];
}

/* Memory for the log of a key, if its plan keeps one. */
static void provide_log(struct weir_store_key *state, const struct weir_plan *plan)
{
    const uint64_t capacity = weir_store_log_capacity(plan);

    if (capacity > state->log_capacity) {
        struct weir_log_entry *log = sim_memory_new((size_t)capacity, sizeof *log);
        free(weir_store_key_set_log(state, log, (uint32_t)capacity));
    }
}

void sim_store_lost(const struct sim_store *store, enum sim_loss loss, uint32_t key,
                    uint64_t time_ns, uint64_t units)
{
    if (store->lost != NULL) {
        store->lost(store->lost_context, loss, key, time_ns, units);
    }
}

static void record_dropped(void *context, const struct sim_record *record)
{
    if (record->untaken_units != 0) {
        sim_store_lost(context, SIM_LOSS_REPLY, record->key, record->granted_ns,
                       record->untaken_units);
    }
}

void sim_store_init(struct sim_store *store, const struct sim_catalog *catalog)
{
    const struct sim_records_sink sink = {.context = store, .dropped = record_dropped};
    struct sim_prng prng;

    sim_prng_init(&prng, catalog->scenario->seed, "store run", 0);
    *store = (struct sim_store){
        .catalog = catalog,
        .entries = sim_memory_new(catalog->key_count, sizeof(struct sim_store_entry)),
        .busy_until_ns = sim_memory_new(catalog->scenario->shard_count, sizeof(uint64_t)),
        .runs = sim_memory_new(catalog->scenario->shard_count, sizeof(struct weir_store_run)),
    };
    for (uint32_t shard = 0; shard < catalog->scenario->shard_count; shard++) {
        store->runs[shard].id = sim_prng_next(&prng);
    }
    sim_records_init(&store->records, &sink);
    sim_store_past_init(store);
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        struct sim_store_entry *entry = &store->entries[key];
        const uint64_t start = sim_catalog_start_units(catalog, key);
        provide_log(&entry->state, plan_of(store, key));
        weir_store_key_init(&entry->state, &catalog->keys[key].key, plan_of(store, key),
                            sim_store_us(0), start);
        entry->add_window[0] = sim_store_us(0) / plan_of(store, key)->window_us;
        entry->add_count[0] = plan_of(store, key)->capacity_units - start;
    }
}

void sim_store_deinit(struct sim_store *store)
{
    for (uint32_t key = 0; key < store->catalog->key_count; key++) {
        free(store->entries[key].state.log);
    }
    sim_records_deinit(&store->records);
    sim_store_past_deinit(store);
    free(store->entries);
    free(store->runs);
    free(store->busy_until_ns);
    *store = (struct sim_store){0};
}

/* INCRBY on the counter of one window; the two newest windows live, as with a TTL of two windows.
 */
static void serve_add(struct sim_store_entry *entry, struct sim_exchange *exchange)
{
    const uint64_t window = exchange->add_window;

    if (window > entry->add_window[0]) {
        entry->add_window[1] = entry->add_window[0];
        entry->add_count[1] = entry->add_count[0];
        entry->add_window[0] = window;
        entry->add_count[0] = 0;
    }
    const unsigned which = window == entry->add_window[0] ? 0 : 1;
    if (which == 1 && entry->add_window[1] != window) {
        entry->add_window[1] = window;
        entry->add_count[1] = 0;
    }
    entry->add_count[which] += exchange->add_units;
    exchange->add_count = entry->add_count[which];
}

/* What was taken from the key so far, less what came back in time: of a window, in the current
 * one. */
static uint64_t newly_taken(const struct weir_store_key *state, uint64_t before)
{
    return state->in_force.algorithm == WEIR_ALGORITHM_BUCKET ? before - state->tokens
                                                              : state->tokens - before;
}

static void count_window(struct sim_store_entry *entry, const struct sim_key *key,
                         const struct weir_plan *plan, uint64_t now_us, uint64_t units)
{
    const uint64_t phase_us = weir_key_phase_us(&key->key, plan->window_us);
    const uint64_t index = (now_us + phase_us) / plan->window_us;

    if (index != entry->log_window) {
        entry->log_window = index;
        entry->log_units = 0;
    }
    entry->log_units += units;
}

/* The store's clock at done_ns, or what an ask's caller says it is. */
static uint64_t now_us_for(const struct sim_store *store, const struct sim_exchange *exchange,
                           uint64_t done_ns)
{
    const struct sim_scenario *scenario = store->catalog->scenario;
    const uint32_t shard = store->catalog->keys[exchange->key].shard;

    if (scenario->without & SIM_WITHOUT_STORE_TIME) {
        return exchange->caller_us;
    }
    const int64_t step_us = fault_store_step_ns(&scenario->faults, done_ns, shard) / 1000;
    return sim_store_us(done_ns) + (uint64_t)step_us;
}

/* What an ask that was carried out has granted and brought. */
static void keep_books(struct sim_store *store, const struct sim_exchange *exchange,
                       const struct sim_store_side *side, uint64_t done_ns)
{
    const struct weir_ask *ask = &exchange->ask;
    const struct weir_answer *answer = &exchange->answer;

    if (ask->plan.algorithm != WEIR_ALGORITHM_UNLIMITED) { /* it admits without being granted */
        store->granted_units += answer->granted_units + answer->trickle_count;
        sim_store_past_granted(store, side, exchange->key, done_ns,
                               answer->granted_units + answer->trickle_count);
    }
    store->returned_units += ask->returned_units + ask->unused_units;
    if (ask->flags & WEIR_ASK_CANCEL_TRICKLE) {
        store->returned_units +=
            ask->trickle_count[0] + ask->trickle_count[1] - ask->trickle_accrued;
    }
    if (ask->charge_units + ask->charge_before_units != 0) {
        sim_store_lost(store, SIM_LOSS_CHARGED, exchange->key, done_ns,
                       (uint64_t)ask->charge_units + ask->charge_before_units);
    }
}

static void serve_ask(struct sim_store *store, struct sim_store_entry *entry,
                      struct sim_exchange *exchange, uint64_t done_ns)
{
    const unsigned without_effect = WEIR_ANSWER_REPEATED | WEIR_ANSWER_EXPIRED | WEIR_ANSWER_PROBED;
    const struct weir_ask *ask = &exchange->ask;
    const struct sim_store_side side =
        sim_store_side_of(store, exchange->process, exchange->key, done_ns);
    const uint64_t now_us = now_us_for(store, exchange, done_ns);

    sim_store_past_touch(store, exchange->key, done_ns);
    provide_log(side.state, &ask->plan);
    struct sim_record *record = sim_records_get(&store->records, exchange->key, ask, now_us);
    const bool was_seen = side.state->version != 0;
    if (was_seen) {
        weir_store_key_advance(side.state, &ask->key, &ask->plan, now_us);
    }
    const uint64_t tokens = side.state->tokens;
    const enum weir_status status =
        weir_take(side.state, &record->record, ask, now_us, side.run, &exchange->answer);
    if (status != WEIR_OK) {
        fprintf(stderr, "weir: store: %s\n", weir_status_text(status));
        exit(70);
    }
    if (exchange->answer.flags & without_effect) {
        return;
    }
    record->granted_ns = done_ns;
    record->untaken_units = ask->plan.algorithm == WEIR_ALGORITHM_UNLIMITED
                                ? 0
                                : exchange->answer.granted_units + exchange->answer.trickle_count;
    entry->lumps_units += was_seen && (exchange->answer.flags & WEIR_ANSWER_DATA_LOST) == 0
                              ? newly_taken(side.state, tokens)
                              : exchange->answer.granted_units;
    if (ask->plan.algorithm == WEIR_ALGORITHM_LOG) {
        count_window(entry, &store->catalog->keys[exchange->key], &ask->plan, now_us,
                     exchange->answer.granted_units);
    }
    keep_books(store, exchange, &side, done_ns);
}

void sim_store_taken(struct sim_store *store, const struct sim_exchange *exchange)
{
    struct sim_record *record = NULL;

    if (exchange->kind == SIM_EXCHANGE_ASK) {
        record = sim_records_find(&store->records, exchange->key, &exchange->ask);
    }
    if (record != NULL) {
        record->untaken_units = 0;
    }
}

static int every_key(const void *context, uint32_t key)
{
    (void)context;
    (void)key;
    return 1;
}

void sim_store_finish(struct sim_store *store)
{
    sim_records_drop(&store->records, every_key, NULL);
}

uint64_t sim_store_done_ns(const struct sim_store *store, uint32_t key, uint64_t now_ns,
                           uint64_t service_ns)
{
    const uint64_t busy_ns = store->busy_until_ns[store->catalog->keys[key].shard];

    return (busy_ns > now_ns ? busy_ns : now_ns) + service_ns;
}

void sim_store_serve(struct sim_store *store, struct sim_exchange *exchange, uint64_t done_ns)
{
    struct sim_store_entry *entry = &store->entries[exchange->key];

    store->busy_until_ns[store->catalog->keys[exchange->key].shard] = done_ns;
    if (exchange->kind == SIM_EXCHANGE_ADD) {
        serve_add(entry, exchange);
    } else {
        serve_ask(store, entry, exchange, done_ns);
    }
}

uint64_t sim_store_idle_ns(const struct sim_store *store, uint64_t now_ns)
{
    uint64_t idle_ns = now_ns;

    for (uint32_t i = 0; i < store->catalog->scenario->shard_count; i++) {
        idle_ns = store->busy_until_ns[i] > idle_ns ? store->busy_until_ns[i] : idle_ns;
    }
    return idle_ns;
}

/* The note's counter, clipped: what lies above the limit was never granted. */
static void peek_add(const struct sim_store_entry *entry, const struct weir_plan *plan,
                     uint64_t time_ns, struct sim_store_level *level)
{
    const uint64_t window = (sim_store_us(time_ns) - 1) / plan->window_us;
    uint64_t count = 0;

    for (unsigned i = 0; i < 2; i++) {
        if (entry->add_window[i] == window) {
            count = entry->add_count[i];
        }
    }
    level->window_taken_units = count < plan->limit_units ? count : plan->limit_units;
    level->window_left_units = plan->limit_units - level->window_taken_units;
    level->left_units = level->window_left_units;
}

/* Of the window that ends at time_ns, or is cut short there. */
static uint64_t taken_in_window(const struct sim_store_entry *entry, const struct weir_key *key,
                                const struct weir_plan *plan, uint64_t time_ns)
{
    const uint64_t phase_us = weir_key_phase_us(key, plan->window_us);
    const uint64_t window = (sim_store_us(time_ns) - 1 + phase_us) / plan->window_us;

    if (plan->algorithm == WEIR_ALGORITHM_LOG) {
        return window == entry->log_window ? entry->log_units : 0;
    }
    return window == entry->state.window_index ? entry->state.tokens : 0;
}

void sim_store_peek(const struct sim_store *store, uint32_t key, const struct weir_plan *plan,
                    uint64_t time_ns, struct sim_store_level *level)
{
    const struct sim_store_entry *entry = &store->entries[key];
    const struct weir_key *name = &store->catalog->keys[key].key;
    struct weir_store_key copy = entry->state;

    *level = (struct sim_store_level){0};
    if (store->catalog->scenario->coordination == SIM_COORDINATION_AS_WRITTEN) {
        peek_add(entry, plan, time_ns, level);
        return;
    }
    struct weir_log_entry carried[1]; /* what another plan left, if nobody asked under a log yet */
    if (plan->version > copy.in_force.version && plan->algorithm == WEIR_ALGORITHM_LOG &&
        copy.in_force.algorithm != WEIR_ALGORITHM_LOG) {
        (void)weir_store_key_set_log(&copy, carried, 1);
    }
    weir_store_key_advance(&copy, name, plan, sim_store_us(time_ns));
    level->left_units = weir_store_key_remaining(&copy);
    level->taken_units = entry->lumps_units + copy.trickled_units;
    level->out_units = weir_store_key_out(&copy);
    if (weir_plan_has_windows(plan)) {
        const uint64_t taken = taken_in_window(entry, name, plan, time_ns);
        level->window_taken_units = taken;
        level->window_left_units = plan->limit_units > taken ? plan->limit_units - taken : 0;
    }
}
