#include "process.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "weir/assert.h"
#include "world.h"

static struct sim_client *new_client(const struct sim_process *process, uint64_t now_ns)
{
    const struct sim_catalog *catalog = &process->world->catalog;

    switch (catalog->scenario->coordination) {
    case SIM_COORDINATION_LEASE:
        return sim_client_lease_new(catalog, process->number, process->life,
                                    sim_virtual_clock_read(&process->clock, now_ns));
    case SIM_COORDINATION_PER_REQUEST:
        return sim_client_per_request_new(catalog, process->number, process->life);
    case SIM_COORDINATION_AS_WRITTEN:
        return sim_client_as_written_new(catalog, process->number);
    case SIM_COORDINATION_READ_THEN_WRITE:
        return sim_client_read_then_write_new(catalog, process->number);
    case SIM_COORDINATION_TWO_COMMANDS:
        return sim_client_two_commands_new(catalog, process->number);
    case SIM_COORDINATION_LOCK:
        return sim_client_lock_new(catalog, process->number, process->life);
    case SIM_COORDINATION_SERVICE:
        return sim_client_per_request_new(catalog, process->number, process->life);
    case SIM_COORDINATION_LOCAL_SPLIT:
        return sim_client_local_split_new(catalog, process->number, process->life,
                                          sim_virtual_clock_read(&process->clock, now_ns));
    case SIM_COORDINATION_ASYNC_SYNC:
        return sim_client_async_sync_new(catalog, process->number, process->life,
                                         sim_virtual_clock_read(&process->clock, now_ns));
    case SIM_COORDINATION_RATE_SHARE:
        return sim_client_rate_share_new(catalog, process->number, process->life,
                                         sim_virtual_clock_read(&process->clock, now_ns));
    case SIM_COORDINATION_COUNT:
        break;
    }
    WEIR_ASSERT(!"a coordination");
    return NULL;
}

static void report(void *context, const struct weir_report *report)
{
    struct sim_process *process = context;

    sim_billing_send(&process->world->watch.billing, process->number, process->now_ns, report);
}

static void forget(void *context, const struct weir_report *report)
{
    struct sim_process *process = context;

    sim_billing_forget(&process->world->watch.billing, report);
}

/* When it gets to do what it should at time_ns. */
static uint64_t handled_ns(const struct sim_process *process, uint64_t time_ns)
{
    return time_ns > process->resumed_ns ? time_ns : process->resumed_ns;
}

static void locked(void *context, uint64_t ticket)
{
    const struct sim_process *process = context;
    const struct sim_waiting *request = &process->waiting[ticket & (process->waiting_capacity - 1)];

    sim_metrics_lock_wait(&process->world->metrics,
                          handled_ns(process, process->now_ns) - request->arrived_ns);
}

struct sim_client *sim_process_new_client(struct sim_process *process, uint64_t now_ns)
{
    struct sim_client *client = new_client(process, now_ns);

    client->reporting = (struct sim_reporting){
        .report = report, .forget = forget, .locked = locked, .context = process};
    return client;
}

/* Uniform in [-most, most]. */
static int64_t symmetric(struct sim_prng *prng, uint64_t most)
{
    return (int64_t)sim_prng_below(prng, 2 * most + 1) - (int64_t)most;
}

void sim_process_init_clock(struct sim_process *process, uint32_t number)
{
    const struct sim_scenario *scenario = process->world->scenario;
    struct sim_prng prng;

    sim_prng_init(&prng, scenario->seed, "clock", number);
    process->clock = (struct sim_virtual_clock){
        .start_ns = SIM_LOCAL_START_NS + (uint64_t)symmetric(&prng, scenario->clock_offset_max_ns)};
    process->clock.drift_ppb = symmetric(&prng, scenario->clock_drift_max_ppb);
    sim_virtual_clock_add_faults(&process->clock, &scenario->faults, number, scenario->duration_ns);
}

/* Each time that a fault makes the clock do something else. */
static void count_clock_faults(const struct sim_process *process)
{
    for (size_t i = 0; i < process->clock.piece_count; i++) {
        if (process->clock.pieces[i].fault != UINT32_MAX) {
            fault_struck(&process->world->scenario->faults, process->clock.pieces[i].fault);
        }
    }
}

void sim_process_init_weights(struct sim_process *process)
{
    const struct sim_scenario *scenario = process->world->scenario;

    for (size_t i = 0; i < scenario->endpoint_count; i++) {
        process->weights[i] = scenario->endpoints[i].weight_units;
    }
}

void sim_process_init(struct sim_process *process, struct sim_world *world, uint32_t number)
{
    const struct sim_scenario *scenario = world->scenario;

    *process = (struct sim_process){
        .number = number,
        .world = world,
        .horizon_ns = UINT64_MAX,
        .timer_local_ns = UINT64_MAX,
        .timer_ns = UINT64_MAX,
        .first_ticket = 1,
        .next_ticket = 1,
        .touched = sim_memory_new(world->catalog.key_count / 8 + 1, 1),
    };
    sim_process_init_clock(process, number);
    count_clock_faults(process);
    sim_prng_init(&process->jitter, scenario->seed, "jitter of asks", number);
    sim_pushes_init(&process->pushes, scenario, number);
    process->weights = sim_memory_new(scenario->endpoint_count, sizeof *process->weights);
    sim_process_init_weights(process);
    if (fault_is_up(&scenario->faults, 0, number)) {
        process->client = sim_process_new_client(process, 0);
    } else {
        process->state = SIM_PROCESS_ABSENT;
    }
}

void sim_process_deinit(struct sim_process *process)
{
    if (process->client != NULL) {
        process->client->operations->free(process->client);
    }
    sim_virtual_clock_deinit(&process->clock);
    sim_pushes_deinit(&process->pushes);
    free(process->weights);
    free(process->arrivals);
    free(process->in_flight);
    sim_givings_deinit(&process->givings);
    free(process->waiting);
    free(process->held_replies);
    free(process->touched);
    *process = (struct sim_process){0};
}

void sim_process_enqueue(struct sim_process *process, const struct sim_arrival *arrival)
{
    if (process->arrival_next == process->arrival_count) {
        process->arrival_next = 0;
        process->arrival_count = 0;
    }
    process->arrivals = sim_memory_grow(process->arrivals, process->arrival_count,
                                        &process->arrival_capacity, sizeof *process->arrivals);
    process->arrivals[process->arrival_count++] = *arrival;
}

static struct sim_waiting *waiting_at(struct sim_process *process, uint64_t ticket)
{
    return &process->waiting[ticket & (process->waiting_capacity - 1)];
}

static void waiting_push(struct sim_process *process, const struct sim_waiting *entry)
{
    const uint64_t count = process->next_ticket - process->first_ticket;

    if (count == process->waiting_capacity) {
        struct sim_process grown = *process;
        grown.waiting_capacity = count == 0 ? 64 : 2 * (size_t)count;
        grown.waiting = sim_memory_new(grown.waiting_capacity, sizeof *grown.waiting);
        for (uint64_t ticket = process->first_ticket; ticket < process->next_ticket; ticket++) {
            *waiting_at(&grown, ticket) = *waiting_at(process, ticket);
        }
        free(process->waiting);
        *process = grown;
    }
    *waiting_at(process, process->next_ticket++) = *entry;
}

static void decided(struct sim_process *process, const struct sim_waiting *request,
                    uint64_t decided_ns, const struct weir_decision *decision)
{
    if (decision->verdict == WEIR_VERDICT_ADMITTED) {
        process->admitted++;
        process->admitted_units += request->cost_units;
        process->unlimited_units +=
            decision->reason == WEIR_REASON_UNLIMITED ? request->charged_units : 0;
    } else {
        process->denied++;
    }
    sim_world_decided(process->world, process->number, request, decided_ns, decision);
}

static void take_settled(struct sim_process *process, uint64_t now_ns)
{
    struct weir_settled settled;

    if (process->client->operations->next_settled == NULL) {
        return;
    }
    while (process->client->operations->next_settled(process->client, &settled)) {
        WEIR_ASSERT(settled.ticket >= process->first_ticket &&
                    settled.ticket < process->next_ticket);
        struct sim_waiting *request = waiting_at(process, settled.ticket);
        request->settled = true;
        decided(process, request, now_ns, &settled.decision);
        while (process->first_ticket < process->next_ticket &&
               waiting_at(process, process->first_ticket)->settled) {
            process->first_ticket++;
        }
    }
}

static void run_arrival(struct sim_process *process, const struct sim_arrival *arrival)
{
    uint8_t *touched = &process->touched[arrival->key / 8];
    const uint8_t bit = (uint8_t)(1u << (arrival->key % 8));
    const uint32_t charged_units =
        arrival->endpoint == UINT32_MAX ? arrival->cost_units : process->weights[arrival->endpoint];
    const struct sim_demand demand = {
        .key = arrival->key, .cost_units = charged_units, .endpoint = arrival->endpoint};
    const struct sim_waiting request = {
        .arrived_ns = arrival->time_ns,
        .key = arrival->key,
        .cost_units = arrival->cost_units,
        .charged_units = charged_units,
        .job = arrival->job,
        .first_touch = (*touched & bit) == 0,
    };
    const uint64_t now_ns = handled_ns(process, arrival->time_ns);
    const uint64_t local_ns = sim_virtual_clock_read(&process->clock, now_ns);
    const struct weir_decision decision =
        process->client->operations->decide(process->client, local_ns, &demand);

    *touched |= bit;
    process->requests++;
    process->demand_units += arrival->cost_units;
    if (decision.verdict == WEIR_VERDICT_PENDING) {
        if (process->first_ticket == process->next_ticket) {
            process->first_ticket = decision.ticket; /* a copy may count on from its parent */
            process->next_ticket = decision.ticket;
        }
        WEIR_ASSERT(decision.ticket == process->next_ticket);
        waiting_push(process, &request);
    } else {
        decided(process, &request, now_ns, &decision);
    }
    take_settled(process, now_ns);
    sim_process_send_all(process, now_ns, local_ns);
}

static void hear_push(struct sim_process *process)
{
    const uint32_t number = process->pushes.list[process->pushes.next++].change;
    const struct sim_change *change = &process->world->scenario->changes[number];

    WEIR_ASSERT(process->client->operations->configure != NULL);
    if (!process->client->operations->configure(process->client, number)) {
        process->stale_push_count++;
    } else if (change->kind == SIM_CHANGE_WEIGHT) {
        process->weights[change->target] = change->weight_units;
    }
}

/* The time at which a deadline comes is no longer known: the clock may have stepped since. */
static void forget_timer(struct sim_process *process)
{
    process->timer_local_ns = UINT64_MAX;
    process->timer_ns = UINT64_MAX;
}

static void run_timer(struct sim_process *process, uint64_t time_ns)
{
    const uint64_t now_ns = handled_ns(process, time_ns);
    const uint64_t local_ns = sim_virtual_clock_read(&process->clock, now_ns);

    process->client->operations->expire(process->client, local_ns);
    forget_timer(process);
    take_settled(process, now_ns);
    sim_process_send_all(process, now_ns, local_ns);
    sim_process_leave(process, now_ns);
}

static uint64_t next_timer_ns(struct sim_process *process)
{
    if (process->client->operations->next_deadline_ns == NULL) {
        return UINT64_MAX;
    }
    const uint64_t deadline_ns = process->client->operations->next_deadline_ns(process->client);
    if (deadline_ns != process->timer_local_ns) {
        process->timer_local_ns = deadline_ns;
        process->timer_ns = sim_virtual_clock_when(
            &process->clock, handled_ns(process, process->now_ns), deadline_ns);
    }
    return process->timer_ns > process->now_ns ? process->timer_ns : process->now_ns;
}

/* Everything before bound_ns, and with at_bound what happens at it too. */
static void run_before(struct sim_process *process, uint64_t bound_ns, bool at_bound)
{
    while (process->state != SIM_PROCESS_ABSENT && !process->is_paused) {
        const uint64_t until_ns = process->horizon_ns < bound_ns ? process->horizon_ns : bound_ns;
        const uint64_t timer_ns = next_timer_ns(process);
        const struct sim_arrival *arrival = process->arrival_next < process->arrival_count
                                                ? &process->arrivals[process->arrival_next]
                                                : NULL;
        const uint64_t arrival_ns = arrival == NULL ? UINT64_MAX : arrival->time_ns;
        const uint64_t push_ns = sim_pushes_next_ns(&process->pushes);
        const uint64_t alone_ns = timer_ns < arrival_ns ? timer_ns : arrival_ns;
        const uint64_t next_ns = push_ns < alone_ns ? push_ns : alone_ns;
        if (next_ns > until_ns || (next_ns == until_ns && !(at_bound && next_ns == bound_ns))) {
            if (process->now_ns < until_ns) {
                process->now_ns = until_ns;
            }
            return;
        }
        process->now_ns = next_ns;
        if (next_ns == push_ns) {
            hear_push(process);
        } else if (next_ns == timer_ns) {
            run_timer(process, next_ns);
        } else {
            process->arrival_next++;
            run_arrival(process, arrival);
        }
    }
}

void sim_process_run(struct sim_process *process, uint64_t until_ns)
{
    const struct sim_recorder *recorder = process->world->recorder;
    const uint64_t bound_ns = recorder == NULL ? UINT64_MAX : sim_recorder_bound_ns(recorder);

    run_before(process, until_ns < bound_ns ? until_ns : bound_ns, false);
}

void sim_process_reply(struct sim_process *process, struct sim_exchange *exchange, uint64_t now_ns)
{
    now_ns = now_ns > process->now_ns ? now_ns : process->now_ns; /* see sim_process_let_pass */
    /* a request that arrives in the same nanosecond comes first */
    run_before(process, now_ns, true);
    sim_process_land(process, exchange);
    now_ns = handled_ns(process, now_ns);
    const uint64_t local_ns = sim_virtual_clock_read(&process->clock, now_ns);
    sim_process_hand_in(process, exchange, now_ns, local_ns);
    take_settled(process, now_ns);
    sim_process_send_all(process, now_ns, local_ns);
    sim_process_leave(process, now_ns);
}

bool sim_process_shutdown(struct sim_process *process, uint64_t now_ns)
{
    if (process->state == SIM_PROCESS_ABSENT) {
        return true;
    }
    if (process->client->operations->shutdown == NULL) {
        return process->in_flight_count == 0;
    }
    const uint64_t local_ns = sim_virtual_clock_read(&process->clock, now_ns);
    enum weir_shutdown result;
    do {
        result = process->client->operations->shutdown(process->client, local_ns);
        sim_process_send_all(process, now_ns, local_ns);
    } while (result == WEIR_SHUTDOWN_OUTBOX_FULL);
    return result == WEIR_SHUTDOWN_DONE && process->in_flight_count == 0;
}

bool sim_process_is_settled(const struct sim_process *process, uint64_t ticket)
{
    return ticket < process->first_ticket ||
           process->waiting[ticket & (process->waiting_capacity - 1)].settled;
}

uint64_t sim_process_waiting_count(const struct sim_process *process)
{
    uint64_t count = 0;

    for (uint64_t ticket = process->first_ticket; ticket < process->next_ticket; ticket++) {
        count += !process->waiting[ticket & (process->waiting_capacity - 1)].settled;
    }
    return count;
}
