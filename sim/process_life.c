/* A process's lives: how they begin and end, and what interrupts them. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "process.h"
#include "weir/assert.h"
#include "world.h"

bool sim_process_is_stale(const struct sim_process *process, const struct sim_exchange *exchange)
{
    return exchange->life != process->life; /* an absent one has a life to come */
}

/* ---- beginning ---- */

static void begin(struct sim_process *process, uint64_t now_ns)
{
    WEIR_ASSERT(process->state == SIM_PROCESS_ABSENT);
    process->state = SIM_PROCESS_RUNS;
    process->now_ns = now_ns;
    process->told_count = 0;
    memset(process->touched, 0, process->world->catalog.key_count / 8 + 1);
    sim_pushes_skip(&process->pushes, now_ns);
}

/* Whoever starts fetches the configuration in force: no push it could have missed is needed. */
static void fetch_configuration(struct sim_process *process, uint64_t now_ns)
{
    const struct sim_scenario *scenario = process->world->scenario;

    sim_process_init_weights(process);
    for (uint32_t i = 0; i < scenario->change_count && scenario->changes[i].at_ns < now_ns; i++) {
        const struct sim_change *change = &scenario->changes[i];
        if (process->client->operations->configure(process->client, i) &&
            change->kind == SIM_CHANGE_WEIGHT) {
            process->weights[change->target] = change->weight_units;
        }
    }
}

void sim_process_start(struct sim_process *process, uint64_t now_ns)
{
    begin(process, now_ns);
    process->client = sim_process_new_client(process, now_ns);
    fetch_configuration(process, now_ns);
}

/* The copy runs on its parent's machine, and reads the same clock. */
void sim_process_fork(struct sim_process *process, const struct sim_process *parent,
                      uint64_t now_ns)
{
    const struct sim_scenario *scenario = process->world->scenario;
    struct sim_prng prng;

    sim_virtual_clock_deinit(&process->clock);
    sim_process_init_clock(process, parent->number);
    if (parent->state == SIM_PROCESS_ABSENT || parent->client->operations->fork == NULL) {
        sim_process_start(process, now_ns);
        return;
    }
    begin(process, now_ns);
    process->client = sim_process_new_client(process, now_ns);
    sim_prng_init(&prng, scenario->seed, "forks", (uint64_t)process->life << 32 | process->number);
    process->client->operations->fork(process->client, parent->client,
                                      sim_virtual_clock_read(&process->clock, now_ns),
                                      process->number, sim_prng_next(&prng));
    memcpy(process->weights, parent->weights, scenario->endpoint_count * sizeof(uint32_t));
}

/* ---- ending ---- */

static void end(struct sim_process *process, uint64_t now_ns)
{
    const struct sim_client_operations *operations = process->client->operations;

    for (uint32_t key = 0; key < process->world->catalog.key_count; key++) {
        const uint64_t units =
            operations->lost_units == NULL ? 0 : operations->lost_units(process->client, key);
        if (units != 0) {
            sim_accuracy_lost(&process->world->accuracy, SIM_LOSS_DEAD, key, now_ns, units);
        }
    }
    process->reported_before += operations->reported_units(process->client);
    if (operations->undecided_count != NULL) {
        process->undecided_before += operations->undecided_count(process->client);
    }
    sim_watch_retire(&process->world->watch, process->client);
    operations->free(process->client);
    process->client = NULL;
    process->state = SIM_PROCESS_ABSENT;
    process->life++;
    sim_givings_orphan(&process->givings);
    process->in_flight_count = 0; /* the network has them, and the store will serve them */
    process->horizon_ns = UINT64_MAX;
    process->timer_local_ns = UINT64_MAX;
    process->timer_ns = UINT64_MAX;
    process->first_ticket = 1;
    process->next_ticket = 1;
}

/* Those that wait for the store, and those that a paused process did not come to. */
static void kill_requests(struct sim_process *process, uint64_t now_ns)
{
    for (uint64_t ticket = process->first_ticket; ticket < process->next_ticket; ticket++) {
        const struct sim_waiting *request =
            &process->waiting[ticket & (process->waiting_capacity - 1)];
        if (!request->settled) {
            sim_world_killed(process->world, request, now_ns);
        }
    }
    while (process->arrival_next < process->arrival_count &&
           process->arrivals[process->arrival_next].time_ns < now_ns) {
        const struct sim_arrival *arrival = &process->arrivals[process->arrival_next++];
        const struct sim_waiting request = {
            .arrived_ns = arrival->time_ns, .key = arrival->key, .job = arrival->job};
        sim_world_killed(process->world, &request, now_ns);
    }
}

void sim_process_kill(struct sim_process *process, uint64_t now_ns, enum sim_mapping mapping)
{
    const struct sim_client_operations *operations = process->client->operations;

    kill_requests(process, now_ns);
    if (mapping == SIM_MAPPING_SAVED && operations->reap != NULL) {
        operations->reap(process->client);
    } else if (mapping == SIM_MAPPING_LOST && operations->forget != NULL) {
        operations->forget(process->client);
    }
    if (process->world->store.counters != NULL) {
        sim_store_holder_died(&process->world->store, process->number, process->life, now_ns);
    }
    end(process, now_ns);
    for (size_t i = 0; i < process->held_reply_count; i++) {
        sim_world_stale_reply(process->world, process->held_replies[i].exchange, now_ns);
    }
    process->held_reply_count = 0;
}

void sim_process_leave(struct sim_process *process, uint64_t now_ns)
{
    if (process->state == SIM_PROCESS_LEAVES && !process->is_paused &&
        sim_process_shutdown(process, now_ns) && sim_process_waiting_count(process) == 0) {
        end(process, now_ns);
    }
}

void sim_process_stop(struct sim_process *process, uint64_t now_ns)
{
    process->state = SIM_PROCESS_LEAVES;
    sim_process_leave(process, now_ns);
}

/* ---- interrupted ---- */

void sim_process_pause(struct sim_process *process)
{
    process->is_paused = true;
}

void sim_process_hold(struct sim_process *process, struct sim_exchange *exchange, uint64_t now_ns)
{
    WEIR_ASSERT(process->is_paused);
    process->held_replies =
        sim_memory_grow(process->held_replies, process->held_reply_count,
                        &process->held_reply_capacity, sizeof *process->held_replies);
    process->held_replies[process->held_reply_count++] =
        (struct sim_held_reply){.exchange = exchange, .arrived_ns = now_ns};
}

void sim_process_resume(struct sim_process *process, uint64_t now_ns)
{
    process->is_paused = false;
    process->resumed_ns = now_ns;
    process->timer_local_ns = UINT64_MAX; /* no timer is due before now */
    process->timer_ns = UINT64_MAX;
    for (size_t i = 0; i < process->held_reply_count; i++) {
        const struct sim_held_reply held = process->held_replies[i]; /* still in flight for it */
        sim_process_reply(process, held.exchange, held.arrived_ns);
        sim_world_free_exchange(process->world, held.exchange);
    }
    process->held_reply_count = 0;
    sim_process_run(process, now_ns); /* the requests that came since the last of them */
    sim_process_leave(process, now_ns);
}

void sim_process_tell_count(struct sim_process *process, uint32_t process_count)
{
    if (process->state == SIM_PROCESS_ABSENT || process->told_count == process_count ||
        process->client->operations->set_process_count == NULL) {
        return;
    }
    process->told_count = process_count;
    process->client->operations->set_process_count(process->client, process_count);
}
