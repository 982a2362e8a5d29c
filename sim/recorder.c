#include "recorder.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

void sim_recorder_init(struct sim_recorder *recorder, uint32_t key, uint32_t process,
                       uint64_t from_ns, uint32_t process_count)
{
    *recorder = (struct sim_recorder){
        .key = key,
        .process = process,
        .from_ns = from_ns,
        .nearest_ns = SIM_RECORDER_NEVER,
        .process_count = process_count,
        .processes = sim_memory_new(process_count, sizeof(struct sim_recorded_process)),
        .rings = sim_memory_new((size_t)process_count * SIM_RECORDER_ASKS,
                                sizeof(struct sim_recorded_ask)),
        .ring_counts = sim_memory_new(process_count, sizeof(uint64_t)),
    };
}

void sim_recorder_deinit(struct sim_recorder *recorder)
{
    free(recorder->processes);
    free(recorder->rings);
    free(recorder->ring_counts);
    free(recorder->states);
    *recorder = (struct sim_recorder){0};
}

size_t sim_recorder_ask_count(const struct sim_recorder *recorder)
{
    const uint64_t count = recorder->ring_counts[recorder->arrival.process];

    return count < SIM_RECORDER_ASKS ? (size_t)count : SIM_RECORDER_ASKS;
}

const struct sim_recorded_ask *sim_recorder_ask(const struct sim_recorder *recorder, size_t index)
{
    const uint32_t process = recorder->arrival.process;
    const uint64_t first = recorder->ring_counts[process] - sim_recorder_ask_count(recorder);

    return &recorder->rings[(size_t)process * SIM_RECORDER_ASKS +
                            (size_t)((first + index) % SIM_RECORDER_ASKS)];
}

uint64_t sim_recorder_bound_ns(const struct sim_recorder *recorder)
{
    return recorder->found && !recorder->stopped ? recorder->arrival.time_ns : UINT64_MAX;
}

void sim_recorder_arrival(struct sim_recorder *recorder, struct sim_world *world,
                          const struct sim_arrival *arrival, bool ideal_admits)
{
    if (arrival->key != recorder->key || recorder->found ||
        (recorder->process != SIM_RECORDER_ANY && arrival->process != recorder->process)) {
        return;
    }
    if (arrival->time_ns < recorder->from_ns) {
        recorder->nearest_ns = arrival->time_ns;
        return;
    }
    const uint64_t left_units =
        sim_oracle_remaining_units(&world->accuracy.keys[arrival->key].oracle, arrival->time_ns);
    recorder->found = true;
    recorder->arrival = *arrival;
    recorder->ideal_admits = ideal_admits;
    recorder->ideal_left_units = left_units == UINT64_MAX ? UINT64_MAX
                                 : ideal_admits           ? left_units + arrival->cost_units
                                                          : left_units;
    sim_kernel_at(world->kernel, arrival->time_ns, SIM_WORLD_TAG_RECORDER);
}

/* The key's state, brought to time_ns. */
static struct sim_recorded_level level_of(const struct sim_world *world,
                                          const struct sim_recorder *recorder,
                                          struct weir_store_key state, uint64_t time_ns)
{
    const struct weir_plan *plan =
        sim_plan_history_plan(&world->accuracy.history, recorder->key, time_ns);

    if (world->store.counters != NULL) {
        struct sim_store_level level; /* a counter, not a state */
        sim_store_peek(&world->store, recorder->key, plan, time_ns, &level);
        return (struct sim_recorded_level){.left_units = level.left_units};
    }
    if (weir_store_log_capacity(plan) <= state.log_capacity) {
        weir_store_key_advance(&state, &world->catalog.keys[recorder->key].key, plan,
                               sim_store_us(time_ns));
    } /* else nobody has asked under this plan yet, and the store is where it was */
    return (struct sim_recorded_level){.left_units = weir_store_key_remaining(&state),
                                       .out_units = weir_store_key_out(&state)};
}

/* As it was when the request arrived: an ask is carried out when it arrives, with the time at which
 * its service ends, so the state may be ahead. */
static struct weir_store_key state_then(const struct sim_recorder *recorder,
                                        const struct sim_world *world)
{
    for (size_t i = 0; i < recorder->state_count; i++) {
        if (recorder->states[i].done_ns > recorder->arrival.time_ns) {
            return recorder->states[i].state;
        }
    }
    return world->store.entries[recorder->key].state;
}

static void look_at_process(struct sim_recorder *recorder, const struct sim_world *world,
                            uint32_t number)
{
    const struct sim_process *process = &world->processes[number];
    const struct sim_client *client = process->client;
    struct weir_snapshot snapshot = {0};
    bool is_known = false;
    const uint64_t local_ns = sim_virtual_clock_read(&process->clock, recorder->arrival.time_ns);

    if (client != NULL && client->operations->snapshot != NULL) {
        is_known = client->operations->snapshot(client, local_ns, recorder->key, &snapshot);
    }
    recorder->processes[number] = (struct sim_recorded_process){
        .held_units = snapshot.held_units, .spendable_units = snapshot.spendable_units};
    if (number == recorder->arrival.process) {
        recorder->local_ns = local_ns;
        recorder->is_known = is_known;
        recorder->snapshot = snapshot;
        if (client != NULL && client->operations->open_breaker_count != NULL) {
            recorder->open_breaker_count = client->operations->open_breaker_count(client);
        }
    }
}

void sim_recorder_stop(struct sim_recorder *recorder, struct sim_world *world)
{
    const uint64_t now_ns = recorder->arrival.time_ns;
    const struct weir_plan *plan =
        sim_plan_history_plan(&world->accuracy.history, recorder->key, now_ns + 1);

    for (uint32_t i = 0; i < recorder->process_count; i++) {
        sim_process_run(&world->processes[i], now_ns);
        look_at_process(recorder, world, i);
    }
    recorder->level = level_of(world, recorder, state_then(recorder, world), now_ns);
    recorder->limit_units =
        plan->algorithm == WEIR_ALGORITHM_UNLIMITED ? UINT64_MAX : plan->limit_units;
    recorder->stopped = true;
}

void sim_recorder_decided(struct sim_recorder *recorder, uint32_t process,
                          const struct sim_waiting *request, uint64_t decided_ns,
                          const struct weir_decision *decision)
{
    if (!recorder->stopped || recorder->decided || process != recorder->arrival.process ||
        request->key != recorder->key || request->arrived_ns != recorder->arrival.time_ns ||
        request->job != recorder->arrival.job) {
        return;
    }
    recorder->decided = true;
    recorder->decided_ns = decided_ns;
    recorder->decision = *decision;
}

/* The ask that an exchange carries, if it is kept. */
static struct sim_recorded_ask *find(struct sim_recorder *recorder,
                                     const struct sim_exchange *exchange)
{
    struct sim_recorded_ask *ring = &recorder->rings[(size_t)exchange->process * SIM_RECORDER_ASKS];

    if (exchange->key != recorder->key) {
        return NULL;
    }
    for (size_t i = 0; i < SIM_RECORDER_ASKS; i++) {
        const struct sim_exchange *kept = &ring[i].exchange;
        const bool is_same =
            exchange->kind == SIM_EXCHANGE_ASK
                ? kept->ask.id.sequence == exchange->ask.id.sequence &&
                      kept->ask.id.incarnation == exchange->ask.id.incarnation
                : kept->sent_ns == exchange->sent_ns && kept->ticket == exchange->ticket;
        if (ring[i].sent_count != 0 && kept->kind == exchange->kind && is_same) {
            return &ring[i];
        }
    }
    return NULL;
}

void sim_recorder_sent(struct sim_recorder *recorder, const struct sim_exchange *exchange)
{
    struct sim_recorded_ask *known = find(recorder, exchange);

    if (known != NULL) {
        known->sent_count++;
        known->resent_ns = exchange->sent_ns;
        return;
    }
    if (exchange->key != recorder->key || recorder->decided) {
        return;
    }
    const uint64_t place = recorder->ring_counts[exchange->process]++ % SIM_RECORDER_ASKS;
    recorder->rings[(size_t)exchange->process * SIM_RECORDER_ASKS + (size_t)place] =
        (struct sim_recorded_ask){
            .exchange = *exchange,
            .sent_ns = exchange->sent_ns,
            .sent_count = 1,
            .resent_ns = exchange->sent_ns,
            .arrived_ns = SIM_RECORDER_NEVER,
            .done_ns = SIM_RECORDER_NEVER,
            .answered_ns = SIM_RECORDER_NEVER,
        };
}

static void keep_state(struct sim_recorder *recorder, const struct weir_store_key *state,
                       uint64_t done_ns)
{
    recorder->states = sim_memory_grow(recorder->states, recorder->state_count,
                                       &recorder->state_capacity, sizeof *recorder->states);
    recorder->states[recorder->state_count++] =
        (struct sim_recorded_state){.done_ns = done_ns, .state = *state};
}

void sim_recorder_serving(struct sim_recorder *recorder, const struct sim_world *world,
                          const struct sim_exchange *exchange, uint64_t now_ns, uint64_t done_ns)
{
    struct sim_recorded_ask *ask = find(recorder, exchange);
    const struct weir_store_key *state = &world->store.entries[recorder->key].state;

    if (exchange->key == recorder->key && done_ns >= recorder->from_ns && !recorder->stopped) {
        keep_state(recorder, state, done_ns);
    }
    if (ask == NULL || ask->arrived_count++ != 0) {
        return;
    }
    ask->arrived_ns = now_ns;
    ask->before = level_of(world, recorder, *state, done_ns);
}

void sim_recorder_served(struct sim_recorder *recorder, const struct sim_world *world,
                         const struct sim_exchange *exchange, uint64_t done_ns)
{
    struct sim_recorded_ask *ask = find(recorder, exchange);

    if (ask == NULL || ask->done_ns != SIM_RECORDER_NEVER) {
        return;
    }
    ask->done_ns = done_ns;
    ask->after = level_of(world, recorder, world->store.entries[recorder->key].state, done_ns);
    ask->exchange = *exchange;
}

void sim_recorder_answered(struct sim_recorder *recorder, const struct sim_exchange *exchange,
                           uint64_t now_ns)
{
    struct sim_recorded_ask *ask = find(recorder, exchange);

    if (exchange->end == SIM_EXCHANGE_NOSCRIPT) {
        return; /* nothing was carried out, and it is sent again */
    }
    if (ask != NULL && ask->answered_ns == SIM_RECORDER_NEVER) {
        ask->answered_ns = now_ns;
        ask->exchange = *exchange;
    }
}
