#include "degradation.h"

#include <stdlib.h>

#include "memory.h"

#define NS_PER_S UINT64_C(1000000000)

static size_t words(const struct sim_degradation *degradation)
{
    return (degradation->process_count + (size_t)63) / 64;
}

void sim_degradation_init(struct sim_degradation *degradation, uint64_t duration_ns,
                          uint32_t process_count)
{
    *degradation = (struct sim_degradation){
        .process_count = process_count,
        .first_ns = UINT64_MAX,
        .last_ns = UINT64_MAX,
        .second_count = (uint32_t)((duration_ns + NS_PER_S - 1) / NS_PER_S),
    };
    degradation->by_second = sim_memory_new(degradation->second_count, sizeof(uint64_t));
    degradation->processes =
        sim_memory_new(degradation->second_count * words(degradation), sizeof(uint64_t));
}

void sim_degradation_deinit(struct sim_degradation *degradation)
{
    free(degradation->by_second);
    free(degradation->processes);
    *degradation = (struct sim_degradation){0};
}

static void note(struct sim_degradation *degradation, uint32_t process, uint64_t decided_ns)
{
    const uint64_t second = decided_ns / NS_PER_S;

    if (degradation->first_ns == UINT64_MAX || decided_ns < degradation->first_ns) {
        degradation->first_ns = decided_ns;
    }
    if (degradation->last_ns == UINT64_MAX || decided_ns > degradation->last_ns) {
        degradation->last_ns = decided_ns;
    }
    if (second < degradation->second_count) {
        degradation->by_second[second]++;
        degradation->processes[second * words(degradation) + process / 64] |= UINT64_C(1)
                                                                              << process % 64;
    }
}

void sim_degradation_admitted(struct sim_degradation *degradation, uint32_t process,
                              uint64_t decided_ns, uint64_t units)
{
    degradation->admitted++;
    degradation->units += units;
    note(degradation, process, decided_ns);
}

void sim_degradation_denied(struct sim_degradation *degradation, uint32_t process,
                            uint64_t decided_ns)
{
    degradation->denied++;
    note(degradation, process, decided_ns);
}

uint32_t sim_degradation_processes_max(const struct sim_degradation *degradation)
{
    uint32_t most = 0;

    for (uint32_t second = 0; second < degradation->second_count; second++) {
        uint32_t count = 0;
        for (size_t i = 0; i < words(degradation); i++) {
            uint64_t word = degradation->processes[second * words(degradation) + i];
            for (; word != 0; word &= word - 1) {
                count++;
            }
        }
        most = count > most ? count : most;
    }
    return most;
}

uint32_t sim_degradation_seconds(const struct sim_degradation *degradation)
{
    uint32_t seconds = 0;

    for (uint32_t second = 0; second < degradation->second_count; second++) {
        seconds += degradation->by_second[second] != 0;
    }
    return seconds;
}
