#include "store.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "prng.h"
#include "store_past.h"
#include "weir/limiter.h"

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

/* What an answer granted and nobody took, by the time at which it was granted. */
static void book_lost_reply(void *context, const struct sim_record *record)
{
    sim_store_lost(context, SIM_LOSS_REPLY, record->key, record->done_ns, record->untaken_units);
}

/* A limiter repeats asks whose answers are late, with faults or without. The baselines never do. */
static bool asks_may_repeat(const struct sim_scenario *scenario)
{
    return scenario->coordination == SIM_COORDINATION_LEASE || scenario->faults.count != 0;
}

/* Half of the time after which a limiter gives an ask up, as its clock may run fast, less the way
 * back. Where the network may do anything nothing is prompt. */
static uint64_t prompt_ns(const struct sim_scenario *scenario)
{
    const uint64_t timeout_ns =
        scenario->ask_timeout_ns == 0 ? WEIR_ASK_TIMEOUT_NS : scenario->ask_timeout_ns;
    const uint64_t back_ns = scenario->jitter_ns / 2 + scenario->round_trip_ns / 2;
    const bool is_healthy = scenario->faults.count == 0 && scenario->bandwidth_bytes_per_s == 0;

    return is_healthy && back_ns < timeout_ns / 2 ? timeout_ns / 2 - back_ns : 0;
}

static void init_runs(struct sim_store *store)
{
    const struct sim_scenario *scenario = store->catalog->scenario;
    struct sim_prng prng;

    sim_prng_init(&prng, scenario->seed, "store run", 0);
    store->runs = sim_memory_new(scenario->shard_count, sizeof *store->runs);
    for (uint32_t shard = 0; shard < scenario->shard_count; shard++) {
        store->runs[shard].id = sim_prng_next(&prng);
    }
}

static uint64_t records_clock_us(const void *context, uint32_t key, uint64_t now_ns)
{
    const struct sim_store *store = context;

    return sim_store_clock_us(store, store->catalog->keys[key].shard, now_ns);
}

static const struct sim_records_owner records_owner = {.lost = book_lost_reply,
                                                       .clock_us = records_clock_us};

void sim_store_init(struct sim_store *store, const struct sim_catalog *catalog)
{
    *store = (struct sim_store){
        .catalog = catalog,
        .entries = sim_memory_new(catalog->key_count, sizeof(struct sim_store_entry)),
        .busy_until_ns = sim_memory_new(catalog->scenario->shard_count, sizeof(uint64_t)),
    };
    init_runs(store);
    if (sim_scenario_keeps_counters(catalog->scenario)) {
        store->counters = sim_memory_new(catalog->key_count, sizeof *store->counters);
        sim_keyspace_init(&store->keyspace, sim_store_us(0), catalog->scenario->duration_ns / 1000);
    }
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        struct sim_store_entry *entry = &store->entries[key];
        const uint64_t start = sim_catalog_start_units(catalog, key);
        provide_log(&entry->state, sim_catalog_plan(store->catalog, key));
        weir_store_key_init(&entry->state, &catalog->keys[key].key,
                            sim_catalog_plan(store->catalog, key), sim_store_us(0), start);
        if (store->counters != NULL) {
            const uint64_t window_us = sim_catalog_plan(store->catalog, key)->window_us;
            sim_counters_begin(&store->counters[key], &store->keyspace, sim_store_us(0) / window_us,
                               sim_catalog_used_units(catalog, key), sim_store_us(0),
                               catalog->scenario->counter_ttl_windows * window_us);
        }
    }
    store->prompt_ns = prompt_ns(catalog->scenario);
    if (asks_may_repeat(catalog->scenario)) {
        sim_records_init(&store->records, &records_owner, store);
    }
    sim_store_past_init(store);
    sim_store_sums_init(&store->sums, catalog);
}

void sim_store_deinit(struct sim_store *store)
{
    sim_store_past_deinit(store);
    for (uint32_t key = 0; key < store->catalog->key_count; key++) {
        free(store->entries[key].state.log);
        if (store->counters != NULL) {
            sim_counters_deinit(&store->counters[key]);
        }
    }
    sim_keyspace_deinit(&store->keyspace);
    free(store->counters);
    sim_records_deinit(&store->records);
    sim_store_sums_deinit(&store->sums);
    free(store->entries);
    free(store->busy_until_ns);
    free(store->runs);
    *store = (struct sim_store){0};
}

static uint64_t stepped_us(uint64_t true_ns, int64_t step_ns)
{
    const int64_t step_us = step_ns / 1000;
    const uint64_t right_us = sim_store_us(true_ns);

    return step_us < 0 && (uint64_t)-step_us >= right_us ? 1 : right_us + (uint64_t)step_us;
}

uint64_t sim_store_clock_us(const struct sim_store *store, uint32_t shard, uint64_t true_ns)
{
    struct fault_list faults = store->catalog->scenario->faults;

    faults.fired_count = NULL; /* whoever looks is not served */
    return stepped_us(true_ns, fault_store_step_ns(&faults, true_ns, shard));
}

/* ... for one who is served, so that a fault of it counts. */
static uint64_t clock_us(const struct sim_store *store, uint32_t shard, uint64_t true_ns)
{
    return stepped_us(true_ns,
                      fault_store_step_ns(&store->catalog->scenario->faults, true_ns, shard));
}

void sim_store_holder_died(struct sim_store *store, uint32_t process, uint32_t life,
                           uint64_t now_ns)
{
    for (uint32_t key = 0; key < store->catalog->key_count; key++) {
        const uint32_t shard = store->catalog->keys[key].shard;
        sim_counters_holder_died(&store->counters[key], &store->keyspace, process, life,
                                 sim_store_clock_us(store, shard, now_ns));
    }
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

/* The store's time for an ask: its own, unless it goes by its caller's clock. */
static uint64_t ask_us(const struct sim_store *store, const struct sim_exchange *exchange,
                       uint64_t done_ns)
{
    const struct sim_scenario *scenario = store->catalog->scenario;
    const uint32_t shard = store->catalog->keys[exchange->key].shard;

    return (scenario->without & SIM_WITHOUT_STORE_TIME) != 0 ? exchange->caller_us
                                                             : clock_us(store, shard, done_ns);
}

/* Whether the ask is sure to have no effect, so that a newer plan it brings has none either. */
static bool is_idle(const struct weir_ask *ask, const struct weir_ask_record *record,
                    uint64_t now_us)
{
    return (ask->flags & WEIR_ASK_PROBE) != 0 ||
           (ask->expires_us != 0 && ask->expires_us <= now_us) ||
           (record->id.sequence != 0 && record->id.sequence >= ask->id.sequence);
}

/* What a charge took from the key: of windows, if it was in the current one; of a log, if it still
 * counts. */
static uint64_t charged_units(const struct weir_ask *ask, uint64_t now_us)
{
    const struct weir_plan *plan = &ask->plan;

    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return 0;
    }
    if (plan->algorithm == WEIR_ALGORITHM_LOG) {
        return ask->charge_until_us == 0 || ask->charge_until_us + plan->window_us > now_us
                   ? ask->charge_units
                   : 0;
    }
    if (weir_plan_has_windows(plan) && ask->charge_until_us != 0) {
        const uint64_t phase_us = weir_key_phase_us(&ask->key, plan->window_us);
        return (ask->charge_until_us + phase_us) / plan->window_us ==
                       (now_us + phase_us) / plan->window_us
                   ? ask->charge_units
                   : 0;
    }
    return ask->charge_units;
}

/* The ledger of one ask that was carried out. */
static void count_ask(struct sim_store *store, const struct sim_exchange *exchange, uint64_t now_us,
                      uint64_t done_ns)
{
    const struct weir_ask *ask = &exchange->ask;

    if (ask->plan.algorithm != WEIR_ALGORITHM_UNLIMITED) { /* it admits without being granted */
        store->granted_units += exchange->answer.granted_units + exchange->answer.trickle_count;
    }
    const uint64_t charged = charged_units(ask, now_us);
    if (charged != 0) {
        store->charged_units += charged;
        sim_store_lost(store, SIM_LOSS_CHARGED, exchange->key, done_ns, charged);
    }
}

/* Remember the answer, for as long as the ask may come again or the answer be on its way. */
static void remember(struct sim_store *store, struct sim_exchange *exchange,
                     const struct weir_ask_record *record, uint64_t now_us, uint64_t done_ns)
{
    const struct weir_answer *answer = &exchange->answer;
    const struct weir_ask *ask = &exchange->ask;
    const bool is_limited = ask->plan.algorithm != WEIR_ALGORITHM_UNLIMITED;
    struct sim_record added = {
        .record = *record,
        .arrived_ns = exchange->arrived_ns,
        .done_ns = done_ns,
        .untaken_units = is_limited ? (uint64_t)answer->granted_units + answer->trickle_count : 0,
        .key = exchange->key,
        .is_split = sim_store_past_is_split(store, store->catalog->keys[exchange->key].shard,
                                            exchange->process),
    };

    if (added.record.expires_us == 0) {
        added.record.expires_us = ask->expires_us != 0 ? ask->expires_us : now_us + WEIR_RECORD_US;
    }
    added.dropped_ns = done_ns + (added.record.expires_us - now_us) * 1000 + SIM_RECORDS_LATE_NS;
    exchange->effect = sim_records_add(&store->records, &added, ask);
}

static void must(enum weir_status status)
{
    if (status != WEIR_OK) {
        fprintf(stderr, "weir: store: %s\n", weir_status_text(status));
        exit(70);
    }
}

static void serve_ask(struct sim_store *store, struct sim_exchange *exchange, uint64_t done_ns)
{
    const struct weir_ask *ask = &exchange->ask;
    struct weir_answer *answer = &exchange->answer;
    const uint64_t now_us = ask_us(store, exchange, done_ns);
    struct weir_ask_record record = {0};
    struct weir_store_run *run;
    struct sim_store_entry *entry =
        sim_store_past_entry(store, exchange->key, exchange->process, &run);
    const struct sim_record *known =
        store->records.chains == NULL
            ? NULL
            : sim_records_find(&store->records, exchange->key, ask, now_us);

    exchange->effect = 0;
    if (known != NULL) {
        record = known->record;
    }
    provide_log(&entry->state, &ask->plan);
    const bool was_known = entry->state.version != 0;
    if (was_known && !is_idle(ask, &record, now_us)) {
        weir_store_key_advance(&entry->state, &ask->key, &ask->plan, now_us);
    }
    const uint64_t tokens = entry->state.tokens;
    must(weir_take(&entry->state, &record, ask, now_us, run, answer));
    if ((answer->flags & WEIR_ANSWER_REPEATED) != 0 && known != NULL) {
        exchange->effect = known->number; /* what the first answer granted, and no other ask's */
    }
    if ((answer->flags & (WEIR_ANSWER_REPEATED | WEIR_ANSWER_EXPIRED | WEIR_ANSWER_PROBED)) != 0) {
        return;
    }
    /* a key that is taken up as a process saw it begins with fewer tokens, which nobody took */
    entry->lumps_units += was_known && (answer->flags & WEIR_ANSWER_DATA_LOST) == 0
                              ? newly_taken(&entry->state, tokens)
                              : answer->granted_units;
    if (ask->plan.algorithm == WEIR_ALGORITHM_LOG) {
        count_window(entry, &store->catalog->keys[exchange->key], &ask->plan, now_us,
                     answer->granted_units);
    }
    count_ask(store, exchange, now_us, done_ns);
    if (store->records.chains != NULL && done_ns >= exchange->sent_ns + store->prompt_ns) {
        remember(store, exchange, &record, now_us, done_ns);
    }
}

uint64_t sim_store_taken(struct sim_store *store, const struct sim_exchange *exchange)
{
    return exchange->effect == 0 ? 0
                                 : sim_records_taken(&store->records, exchange->key, &exchange->ask,
                                                     exchange->effect);
}

void sim_store_finish(struct sim_store *store)
{
    sim_records_finish(&store->records);
}

uint64_t sim_store_done_ns(const struct sim_store *store, uint32_t key, uint64_t now_ns,
                           uint64_t service_ns)
{
    const uint64_t busy_ns = store->busy_until_ns[store->catalog->keys[key].shard];

    return (busy_ns > now_ns ? busy_ns : now_ns) + service_ns;
}

void sim_store_serve(struct sim_store *store, struct sim_exchange *exchange, uint64_t done_ns)
{
    store->busy_until_ns[store->catalog->keys[exchange->key].shard] = done_ns;
    sim_store_past_touch(store, exchange->key, exchange->arrived_ns);
    switch (exchange->kind) {
    case SIM_EXCHANGE_ASK:
        serve_ask(store, exchange, done_ns);
        break;
    case SIM_EXCHANGE_SYNC:
    case SIM_EXCHANGE_SHARE:
        sim_store_sums_serve(&store->sums, exchange, ask_us(store, exchange, done_ns));
        break;
    case SIM_EXCHANGE_ADD:
    case SIM_EXCHANGE_GET:
    case SIM_EXCHANGE_SET:
    case SIM_EXCHANGE_INCREMENT:
    case SIM_EXCHANGE_EXPIRE:
    case SIM_EXCHANGE_LOCK:
    case SIM_EXCHANGE_UNLOCK:
        sim_counters_serve(&store->counters[exchange->key], &store->keyspace, exchange,
                           clock_us(store, store->catalog->keys[exchange->key].shard, done_ns));
        break;
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

/* The counter, clipped: what lies above the limit was never granted. */
static void peek_counter(const struct sim_counters *counters, const struct weir_plan *plan,
                         uint64_t time_us, struct sim_store_level *level)
{
    const uint64_t count =
        sim_counters_count(counters, (time_us - 1) / plan->window_us, time_us - 1);

    level->window_taken_units = count < plan->limit_units ? count : plan->limit_units;
    level->window_left_units = plan->limit_units - level->window_taken_units;
    level->left_units = level->window_left_units;
}

/* Of the window that ends at time_us, or is cut short there. */
static uint64_t taken_in_window(const struct sim_store_entry *entry, const struct weir_key *key,
                                const struct weir_plan *plan, uint64_t time_us)
{
    const uint64_t phase_us = weir_key_phase_us(key, plan->window_us);
    const uint64_t window = (time_us - 1 + phase_us) / plan->window_us;

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
    const uint64_t time_us = sim_store_clock_us(store, store->catalog->keys[key].shard, time_ns);
    struct weir_store_key copy = entry->state;

    *level = (struct sim_store_level){0};
    if (sim_store_sums_peek(&store->sums, key, time_us, level)) {
        return;
    }
    if (store->counters != NULL) {
        peek_counter(&store->counters[key], plan, time_us, level);
        return;
    }
    struct weir_log_entry *entries = NULL;
    if (plan->version > copy.in_force.version && plan->algorithm == WEIR_ALGORITHM_LOG) {
        const uint32_t capacity = copy.log_count + 1;
        entries = sim_memory_new(capacity, sizeof *entries); /* the change will write to the log */
        (void)weir_store_key_set_log(&copy, entries, capacity);
    }
    if (copy.version == 0) { /* who asks next starts it anew */
        weir_store_key_init(&copy, name, plan, time_us, plan->capacity_units);
    }
    weir_store_key_advance(&copy, name, plan, time_us);
    level->left_units = weir_store_key_remaining(&copy);
    level->taken_units = entry->lumps_units + copy.trickled_units;
    level->out_units = weir_store_key_out(&copy);
    free(entries);
    if (weir_plan_has_windows(plan)) {
        const uint64_t taken = taken_in_window(entry, name, plan, time_us);
        level->window_taken_units = taken;
        level->window_left_units = plan->limit_units > taken ? plan->limit_units - taken : 0;
    }
}
