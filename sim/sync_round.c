#include "sync_round.h"

#include <stdlib.h>

#include "memory.h"
#include "prng.h"
#include "weir/assert.h"

void sim_sync_round_init(struct sim_sync_round *round, const struct sim_catalog *catalog,
                         uint32_t process, uint32_t life, uint64_t start_ns)
{
    const uint64_t interval_ns = catalog->scenario->sync_interval_ns;
    struct sim_prng prng;

    sim_prng_init(&prng, catalog->scenario->seed, "phase of syncs", (uint64_t)life << 32 | process);
    *round = (struct sim_sync_round){
        .interval_ns = interval_ns,
        .begun_ns = start_ns,
        .covered_ns = 1,
        .next_ns = start_ns + 1 + sim_prng_below(&prng, interval_ns),
        .is_due = sim_memory_new(catalog->key_count, sizeof *round->is_due),
        .due = sim_memory_new(catalog->key_count, sizeof *round->due),
        .leaving = sim_memory_new(catalog->key_count, sizeof *round->leaving),
    };
}

void sim_sync_round_deinit(struct sim_sync_round *round)
{
    free(round->is_due);
    free(round->due);
    free(round->leaving);
    *round = (struct sim_sync_round){0};
}

void sim_sync_round_add(struct sim_sync_round *round, uint32_t key, uint64_t local_ns)
{
    if (round->next_ns > local_ns + round->interval_ns) {
        round->next_ns = local_ns + round->interval_ns; /* the clock went back */
    }
    if (!round->is_due[key]) {
        round->is_due[key] = true;
        round->due[round->due_count++] = key;
    }
}

void sim_sync_round_begin(struct sim_sync_round *round, uint64_t local_ns)
{
    uint32_t *const due = round->due;

    round->covered_ns = local_ns > round->begun_ns ? local_ns - round->begun_ns : 1;
    round->begun_ns = local_ns;
    WEIR_ASSERT(round->leaving_next == round->leaving_count);
    for (uint32_t i = 0; i < round->due_count; i++) {
        round->is_due[due[i]] = false;
    }
    round->due = round->leaving;
    round->leaving = due;
    round->leaving_next = 0;
    round->leaving_count = round->due_count;
    round->due_count = 0;
}

void sim_sync_round_expire(struct sim_sync_round *round, uint64_t local_ns)
{
    if (local_ns < round->next_ns) {
        return;
    }
    /* rounds that a pause or a step of the clock left out do not come after it */
    round->next_ns += ((local_ns - round->next_ns) / round->interval_ns + 1) * round->interval_ns;
    sim_sync_round_begin(round, local_ns);
}

bool sim_sync_round_next(struct sim_sync_round *round, uint32_t *key)
{
    if (round->leaving_next == round->leaving_count) {
        return false;
    }
    *key = round->leaving[round->leaving_next++];
    return true;
}
