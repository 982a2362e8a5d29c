/* A scenario with faults made by hand, run on either kernel, and what came of it. */
#ifndef WEIR_FAULTY_RUN_H
#define WEIR_FAULTY_RUN_H

#include "world_run.h"

#include <stdlib.h>
#include <sys/wait.h>

#define FAULTY_RUN_FAULTS_MAX 4u
#define FAULTY_RUN_PROCESSES_MAX 64u
#define FAULTY_RUN_SECONDS 10u
#define FAULTY_RUN_SECOND_NS UINT64_C(1000000000)
#define FAULTY_RUN_TIMEOUT_S 200 /* of real time: a hang is a failure */

struct faulty_run {
    struct world_run run;
    struct fault faults[FAULTY_RUN_FAULTS_MAX];
    uint8_t targets[FAULTY_RUN_FAULTS_MAX][FAULTY_RUN_PROCESSES_MAX];
    uint64_t fired[FAULTY_RUN_FAULTS_MAX];
    uint32_t count;
};

/* Numbers alone, so that two of them can be compared byte by byte. */
struct faulty_outcome {
    uint64_t trace_hash;
    uint64_t seconds[FAULTY_RUN_SECONDS]; /* of the first ones each; 0: nothing happened */
    uint64_t requests;
    uint64_t admitted;
    uint64_t denied;
    uint64_t unanswered;
    uint64_t without_store; /* decided */
    uint64_t killed;
    uint64_t unreachable;
    uint64_t asks;
    uint64_t longest_ns;
    uint64_t admitted_units;
    uint64_t oracle_units;
    uint64_t reported_units;
    uint64_t missing_units; /* granted, and neither spent nor given back */
    uint64_t dead_units;    /* booked as lost with a process */
    uint64_t contract_over_units;
    uint64_t pushes;
    uint64_t drained;
    uint64_t fired[FAULTY_RUN_FAULTS_MAX];
};

/* A fault of [from_s, until_s), of all processes until a target is named. The caller fills in the
 * rest. */
static inline struct fault *faulty_run_add(struct faulty_run *run, enum fault_kind kind,
                                           uint64_t from_s, uint64_t until_s)
{
    struct fault *fault = &run->faults[run->count];

    assert_true(run->count < FAULTY_RUN_FAULTS_MAX);
    *fault = (struct fault){.kind = kind,
                            .from_ns = from_s * FAULTY_RUN_SECOND_NS,
                            .until_ns = until_s * FAULTY_RUN_SECOND_NS,
                            .processes = {.count = FAULTY_RUN_PROCESSES_MAX},
                            .shards = {.count = FAULTY_RUN_PROCESSES_MAX},
                            .seed = 1000 + run->count,
                            .probability_ppm = 1000000};
    run->count++;
    return fault;
}

static inline void faulty_run_target(struct faulty_run *run, uint32_t process)
{
    const uint32_t last = run->count - 1;

    run->targets[last][process] = 1;
    run->faults[last].processes.member = run->targets[last];
}

static inline uint64_t faulty_run_dead_units(const struct sim_accuracy *accuracy)
{
    uint64_t units = 0;

    for (size_t i = 0; i < accuracy->cell_count; i++) {
        units += accuracy->cells[i].lost_units[SIM_LOSS_DEAD];
    }
    return units;
}

static inline void faulty_run_sum_up(const struct faulty_run *faulty,
                                     struct faulty_outcome *outcome)
{
    const struct sim_world *world = &faulty->run.world;
    const struct sim_metrics *metrics = &world->metrics;
    const struct sim_judgement *all = &faulty->run.result.all;

    *outcome = (struct faulty_outcome){
        .trace_hash = sim_trace_hash_value(&world->trace, world->trace.second_count - 1),
        .requests = metrics->requests,
        .admitted = metrics->admitted,
        .denied = metrics->denied,
        .unanswered = metrics->unanswered,
        .without_store = world->watch.degradation.admitted + world->watch.degradation.denied,
        .killed = metrics->killed,
        .unreachable = metrics->unreachable,
        .asks = metrics->asks,
        .longest_ns = metrics->all.max_ns,
        .admitted_units = all->admitted_units,
        .oracle_units = all->oracle_units,
        .reported_units = sim_world_reported_units(world),
        .missing_units = world->store.granted_units +
                         world->accuracy.lost_totals[SIM_LOSS_DEGRADED] -
                         world->store.returned_units - all->charged_units -
                         world->accuracy.lost_totals[SIM_LOSS_REPLY],
        .dead_units = faulty_run_dead_units(&world->accuracy),
        .contract_over_units = all->contract_over_units_max,
        .pushes = faulty->run.result.config.pushes,
        .drained = world->drained,
    };
    for (size_t i = 0; i < FAULTY_RUN_SECONDS && i < world->trace.second_count; i++) {
        outcome->seconds[i] = world->trace.seconds[i];
    }
    memcpy(outcome->fired, faulty->fired, sizeof outcome->fired);
}

/* `text` with the faults of `faulty`, on the heap kernel or on the one of this process. */
static inline void faulty_run_play_here(struct faulty_run *faulty, const char *file_name,
                                        const char *text, enum sim_kernel_kind kind,
                                        struct faulty_outcome *outcome)
{
    memset(faulty->fired, 0, sizeof faulty->fired);
    world_run_load(&faulty->run.scenario, file_name, text);
    faulty->run.scenario.faults = (struct fault_list){
        .faults = faulty->faults, .count = faulty->count, .fired_count = faulty->fired};
    world_run_start(&faulty->run, kind);
    faulty_run_sum_up(faulty, outcome);
    faulty->run.scenario.faults = (struct fault_list){0}; /* they are ours */
    world_run_free(&faulty->run);
}

/* The SimGrid kernel starts only once per process: in a child. */
static inline void faulty_run_play_in_child(struct faulty_run *faulty, const char *file_name,
                                            const char *text, struct faulty_outcome *outcome)
{
    int ends[2];
    int status = -1;

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(FAULTY_RUN_TIMEOUT_S);
        faulty_run_play_here(faulty, file_name, text, SIM_KERNEL_SIMGRID, outcome);
        _exit(write(ends[1], outcome, sizeof *outcome) == (ssize_t)sizeof *outcome ? EXIT_SUCCESS
                                                                                   : EXIT_FAILURE);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], outcome, sizeof *outcome), sizeof *outcome);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#endif
