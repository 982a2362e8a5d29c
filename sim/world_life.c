/* What faults do to processes, at its time. */
#include <stdlib.h>

#include "memory.h"
#include "world.h"

static bool is_there(const struct sim_process *process)
{
    return process->state != SIM_PROCESS_ABSENT;
}

/* Who leaves is no longer connected to whoever counts. */
static uint32_t running_count(const struct sim_world *world)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        count += world->processes[i].state == SIM_PROCESS_RUNS;
    }
    return count;
}

static void tell_counts(struct sim_world *world)
{
    const uint32_t count = running_count(world);

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        struct sim_process *process = &world->processes[i];
        sim_process_tell_count(process,
                               process->told_by_fault != 0 ? process->told_by_fault : count);
    }
}

void sim_world_life_init(struct sim_world *world)
{
    const struct sim_scenario *scenario = world->scenario;
    const uint32_t process_count = scenario->process_count;
    const size_t room = fault_lives(&scenario->faults, process_count, NULL, 0);

    world->next_life_ns = UINT64_MAX;
    if (room == 0) {
        return;
    }
    world->lives = sim_memory_new(room, sizeof *world->lives);
    world->life_count = fault_lives(&scenario->faults, process_count, world->lives, room);
    for (size_t i = 0; i < world->life_count; i++) {
        const uint64_t time_ns = world->lives[i].time_ns;
        if (time_ns >= scenario->duration_ns) {
            world->life_count = i;
        } else if (i == 0 || time_ns != world->lives[i - 1].time_ns) {
            sim_kernel_at(world->kernel, time_ns, SIM_WORLD_TAG_LIFE);
        }
    }
    if (world->life_count != 0) {
        world->next_life_ns = world->lives[0].time_ns;
    }
    tell_counts(world);
}

/* ---- what happens ---- */

static void kill(struct sim_world *world, struct sim_process *process,
                 const struct fault_life *life, uint64_t now_ns)
{
    const bool is_lost = world->scenario->faults.faults[life->fault].lose_mapping ||
                         (world->scenario->without & SIM_WITHOUT_SPENT_MAPPING) != 0;

    sim_process_kill(process, now_ns, is_lost ? SIM_MAPPING_LOST : SIM_MAPPING_SAVED);
}

/* Who has not yet left when another life is due to begin is killed. Returns whether it was there.
 */
static bool make_absent(struct sim_world *world, struct sim_process *process,
                        const struct fault_life *life, uint64_t now_ns)
{
    if (!is_there(process)) {
        return false;
    }
    kill(world, process, life, now_ns);
    return true;
}

/* Returns whether it makes a difference. */
static bool happen(struct sim_world *world, const struct fault_life *life, uint64_t now_ns)
{
    struct sim_process *process = &world->processes[life->process];

    switch (life->kind) {
    case FAULT_LIFE_KILL:
        return make_absent(world, process, life, now_ns);
    case FAULT_LIFE_STOP:
        if (!is_there(process)) {
            return false;
        }
        sim_process_stop(process, now_ns);
        break;
    case FAULT_LIFE_START:
        (void)make_absent(world, process, life, now_ns);
        sim_process_start(process, now_ns);
        break;
    case FAULT_LIFE_FORK:
        (void)make_absent(world, process, life, now_ns);
        sim_process_fork(process, &world->processes[life->parent], now_ns);
        break;
    case FAULT_LIFE_PAUSE:
        sim_process_pause(process);
        break;
    case FAULT_LIFE_RESUME:
        sim_process_resume(process, now_ns);
        break;
    case FAULT_LIFE_TOLD_COUNT:
        process->told_by_fault = life->parent;
        break;
    }
    return true;
}

void sim_world_life_event(struct sim_world *world, uint64_t now_ns)
{
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        if (!sim_kernel_latency_is_exact(world->kernel)) {
            sim_process_let_pass(&world->processes[i], now_ns);
        }
        sim_process_run(&world->processes[i], now_ns);
    }
    for (; world->life_next < world->life_count && world->lives[world->life_next].time_ns == now_ns;
         world->life_next++) {
        const struct fault_life *life = &world->lives[world->life_next];
        if (happen(world, life, now_ns)) {
            fault_struck(&world->scenario->faults, life->fault);
        }
    }
    world->next_life_ns =
        world->life_next < world->life_count ? world->lives[world->life_next].time_ns : UINT64_MAX;
    tell_counts(world);
}

void sim_world_life_end(struct sim_world *world, uint64_t now_ns)
{
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        if (world->processes[i].is_paused) {
            sim_process_resume(&world->processes[i], now_ns);
        }
    }
}

/* ---- replies and requests that find no process ---- */

void sim_world_stale_reply(struct sim_world *world, struct sim_exchange *exchange, uint64_t now_ns)
{
    if (exchange->kind == SIM_EXCHANGE_ASK && exchange->end == SIM_EXCHANGE_ANSWERED &&
        exchange->ask.plan.algorithm != WEIR_ALGORITHM_UNLIMITED) {
        sim_accuracy_lost(&world->accuracy, SIM_LOSS_DEAD, exchange->key, now_ns,
                          sim_store_taken(&world->store, exchange));
    }
    sim_world_end_exchange(world, exchange, now_ns);
}

bool sim_world_life_takes(struct sim_world *world, struct sim_exchange *exchange, uint64_t now_ns)
{
    struct sim_process *process = &world->processes[exchange->process];

    if (sim_process_is_stale(process, exchange)) {
        sim_world_stale_reply(world, exchange, now_ns);
        return true;
    }
    if (process->is_paused) {
        sim_process_hold(process, exchange, now_ns);
        return true;
    }
    return false;
}

void sim_world_killed(struct sim_world *world, const struct sim_waiting *request, uint64_t now_ns)
{
    world->metrics.killed++;
    sim_watch_killed(&world->watch, request->key, request->arrived_ns);
    sim_clientele_denied(world->clientele, request->job, now_ns, 0); /* an error, says nothing */
}

bool sim_world_route(struct sim_world *world, struct sim_arrival *arrival)
{
    const uint64_t number = world->metrics.requests + world->metrics.unreachable;

    arrival->process = fault_reroute(&world->scenario->faults, arrival->time_ns, arrival->process,
                                     world->scenario->process_count, number);
    if (arrival->process != FAULT_NO_PROCESS) {
        return true;
    }
    world->metrics.unreachable++;
    sim_clientele_denied(world->clientele, arrival->job, arrival->time_ns, 0);
    return false;
}
