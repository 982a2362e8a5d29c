#include "givings.h"

#include <stdlib.h>

#include "memory.h"

void sim_givings_deinit(struct sim_givings *givings)
{
    free(givings->list);
    *givings = (struct sim_givings){0};
}

uint64_t sim_givings_units(const struct weir_ask *ask)
{
    const uint64_t cancelled =
        (ask->flags & WEIR_ASK_CANCEL_TRICKLE) == 0
            ? 0
            : (uint64_t)ask->trickle_count[0] + ask->trickle_count[1] - ask->trickle_accrued;

    return cancelled + ask->returned_units + ask->unused_units;
}

static size_t place_of(const struct sim_givings *givings, const struct weir_ask_id *id)
{
    size_t place = 0;

    while (place < givings->count && (givings->list[place].sequence != id->sequence ||
                                      givings->list[place].incarnation != id->incarnation)) {
        place++;
    }
    return place;
}

void sim_givings_sent(struct sim_givings *givings, const struct weir_ask *ask, uint32_t key,
                      uint64_t sent_ns)
{
    const uint64_t units = sim_givings_units(ask);

    if (units == 0 && ask->charge_units == 0) {
        return;
    }
    givings->list =
        sim_memory_grow(givings->list, givings->count, &givings->capacity, sizeof *givings->list);
    givings->list[givings->count++] = (struct sim_giving){
        .incarnation = ask->id.incarnation,
        .sent_ns = sent_ns,
        .sequence = ask->id.sequence,
        .key = key,
        .units = units,
    };
}

bool sim_givings_heard(struct sim_givings *givings, const struct weir_ask_id *id, uint64_t *units)
{
    const size_t place = place_of(givings, id);

    *units = 0;
    if (place == givings->count) {
        return false;
    }
    *units = givings->list[place].units;
    givings->list[place] = givings->list[--givings->count];
    return true;
}

void sim_givings_orphan(struct sim_givings *givings)
{
    for (size_t i = 0; i < givings->count; i++) {
        givings->list[i].is_orphan = true;
    }
}

void sim_givings_finish(const struct sim_givings *givings, struct sim_accuracy *accuracy)
{
    for (size_t i = 0; i < givings->count; i++) {
        const struct sim_giving *giving = &givings->list[i];
        sim_accuracy_lost(accuracy, giving->is_orphan ? SIM_LOSS_DEAD : SIM_LOSS_REPLY, giving->key,
                          giving->sent_ns, giving->units);
    }
}
