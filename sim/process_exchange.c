/* What a process has under way to the store and back, and its horizon. */
#include "memory.h"
#include "world.h"

static void recompute_horizon(struct sim_process *process)
{
    process->horizon_ns = UINT64_MAX;
    for (size_t i = 0; i < process->in_flight_count; i++) {
        if (process->in_flight[i]->reply_ns < process->horizon_ns) {
            process->horizon_ns = process->in_flight[i]->reply_ns;
        }
    }
}

static void add_in_flight(struct sim_process *process, struct sim_exchange *exchange)
{
    process->in_flight =
        sim_memory_grow(process->in_flight, process->in_flight_count, &process->in_flight_capacity,
                         sizeof(struct sim_exchange *));
    process->in_flight[process->in_flight_count++] = exchange;
    if (exchange->reply_ns < process->horizon_ns) {
        process->horizon_ns = exchange->reply_ns;
    }
}

/* The least time from an ask's leaving to its answer. One that is refused, or meets a store that a
 * fault makes quicker, is not served for the usual time. */
static uint64_t least_response_ns(const struct sim_scenario *scenario)
{
    const uint64_t service_ns = scenario->faults.count == 0 ? scenario->service_ns : 0;

    return scenario->round_trip_ns / 2 * 2 + service_ns;
}

static void launch(struct sim_process *process, struct sim_exchange *exchange, uint64_t send_ns)
{
    exchange->reply_ns = send_ns + least_response_ns(process->world->scenario);
    add_in_flight(process, exchange);
    sim_world_send_ask(process->world, exchange, send_ns);
}

/* The network delivers a message twice. */
static void launch_copy(struct sim_process *process, const struct sim_exchange *exchange,
                        uint64_t send_ns)
{
    struct sim_exchange *copy = sim_world_new_exchange(process->world);

    *copy = *exchange;
    copy->is_copy = true;
    copy->number |= SIM_EXCHANGE_COPY;
    launch(process, copy, send_ns);
}

/* It leaves now, or after a jitter of its own; what becomes of it on its way is known then. */
static void send_exchange(struct sim_process *process, struct sim_exchange *exchange,
                          uint64_t now_ns)
{
    struct sim_world *world = process->world;
    const struct sim_scenario *scenario = world->scenario;
    const uint64_t jitter_ns = scenario->jitter_ns / 2 == 0
                                   ? 0
                                   : sim_prng_below(&process->jitter, scenario->jitter_ns / 2 + 1);

    exchange->process = process->number;
    exchange->life = process->life;
    exchange->end = SIM_EXCHANGE_ANSWERED;
    exchange->is_copy = false;
    exchange->number = sim_exchange_number(process->number, process->sent_count++);
    exchange->effect = 0;
    exchange->sent_ns = now_ns;
    exchange->done_ns = UINT64_MAX;
    const struct fault_fate fate =
        fault_message(&scenario->faults, now_ns, FAULT_TO_STORE, process->number,
                      world->catalog.keys[exchange->key].shard, exchange->number);
    if (world->recorder != NULL) {
        sim_recorder_sent(world->recorder, exchange);
    }
    sim_metrics_ask(&world->metrics, now_ns);
    if (exchange->kind == SIM_EXCHANGE_ASK && !exchange->is_repeat) {
        sim_givings_sent(&process->givings, &exchange->ask, exchange->key, now_ns);
    }
    if (fate.lost) {
        sim_world_end_exchange(world, exchange, now_ns);
        return;
    }
    if (fate.doubled) {
        launch_copy(process, exchange, now_ns + jitter_ns + fate.copy_delay_ns);
    }
    launch(process, exchange, now_ns + jitter_ns + fate.delay_ns);
}

void sim_process_send_all(struct sim_process *process, uint64_t now_ns, uint64_t local_ns)
{
    for (;;) {
        struct sim_exchange *exchange = sim_world_new_exchange(process->world);
        exchange->is_repeat = false;
        if (!process->client->operations->next_exchange(process->client, local_ns, exchange)) {
            sim_world_free_exchange(process->world, exchange);
            return;
        }
        exchange->has_script = exchange->kind != SIM_EXCHANGE_ASK; /* or needs none */
        exchange->caller_us = sim_wall_us(local_ns);
        send_exchange(process, exchange, now_ns);
    }
}

void sim_process_land(struct sim_process *process, const struct sim_exchange *exchange)
{
    for (size_t i = 0; i < process->in_flight_count; i++) {
        if (process->in_flight[i] == exchange) {
            process->in_flight[i] = process->in_flight[--process->in_flight_count];
            break;
        }
    }
    recompute_horizon(process);
}

/* A script that the store does not know is sent again, with the ask: nothing was carried out. */
static void send_again(struct sim_process *process, const struct sim_exchange *exchange,
                       uint64_t now_ns)
{
    struct sim_exchange *again = sim_world_new_exchange(process->world);

    *again = *exchange;
    again->has_script = true;
    again->is_repeat = true;
    send_exchange(process, again, now_ns);
}

/* A baseline hears of each of its requests once, however often its ask was delivered. */
static bool is_settled(struct sim_process *process, const struct sim_exchange *exchange)
{
    return exchange->ticket != 0 && sim_process_is_settled(process, exchange->ticket);
}

static uint64_t covered_units(const struct sim_client *client)
{
    struct weir_limiter_counts counts = {0};

    sim_watch_add_counts(&counts, client);
    return counts.covered_units;
}

static void take_reply(struct sim_process *process, const struct sim_exchange *exchange,
                       uint64_t now_ns, uint64_t local_ns)
{
    struct sim_world *world = process->world;
    /* a grant to one request alone that was decided without it pays for what that has cost */
    const bool may_cover =
        exchange->kind == SIM_EXCHANGE_ASK && (exchange->ask.flags & WEIR_ASK_SPEND) != 0;
    const uint64_t before = may_cover ? covered_units(process->client) : 0;

    if (process->client->operations->reply(process->client, local_ns, exchange)) {
        sim_store_taken(&world->store, exchange);
    }
    const uint64_t covered = may_cover ? covered_units(process->client) - before : 0;
    if (covered != 0) {
        sim_accuracy_lost(&world->accuracy, SIM_LOSS_CHARGED, exchange->key, now_ns, covered);
    }
}

void sim_process_hand_in(struct sim_process *process, const struct sim_exchange *exchange,
                         uint64_t now_ns, uint64_t local_ns)
{
    const struct sim_client_operations *operations = process->client->operations;

    switch (exchange->end) {
    case SIM_EXCHANGE_NOSCRIPT:
        if (!exchange->is_copy) {
            send_again(process, exchange, now_ns);
        }
        break;
    case SIM_EXCHANGE_REFUSED:
        if (operations->refused != NULL && !exchange->is_copy &&
            operations->refused(process->client, local_ns, exchange)) {
            uint64_t unused;
            (void)sim_givings_heard(&process->givings, &exchange->ask.id, &unused);
        }
        break;
    case SIM_EXCHANGE_ANSWERED:
        if (!is_settled(process, exchange)) {
            take_reply(process, exchange, now_ns, local_ns);
        }
        break;
    }
}

void sim_process_reply_known(struct sim_process *process, struct sim_exchange *exchange,
                             uint64_t reply_ns)
{
    const bool was_first = exchange->reply_ns == process->horizon_ns;

    if (reply_ns > exchange->reply_ns) {
        exchange->reply_ns = reply_ns;
    }
    if (was_first) {
        recompute_horizon(process);
    }
}

void sim_process_let_pass(struct sim_process *process, uint64_t now_ns)
{
    for (size_t i = 0; i < process->in_flight_count; i++) {
        if (process->in_flight[i]->reply_ns <= now_ns) {
            process->in_flight[i]->reply_ns = now_ns + SIM_PROCESS_STEP_NS;
        }
    }
    recompute_horizon(process);
}
