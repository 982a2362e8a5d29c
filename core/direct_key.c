/* What the asks of single requests tell of their key, and what their answers say of it: the demand,
 * so that the store knows the process's share of it, and what is left. */
#include "direct_key.h"

/* The demand for the key, by one ask of it at a time: what it was before has to be known. */
static void tell_demand(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                        struct weir_ask *ask)
{
    struct cold *cold = &limiter->cold[slot];

    if (cold->demand_sequence != 0 || (limiter->hot[slot].flags & HOT_IN_FLIGHT) != 0) {
        return;
    }
    asking_tell_demand(cold, asking_rate_milli(limiter, slot, now_ns), ask);
    cold->demand_sequence = ask->id.sequence;
}

/* The slot whose demand this ask tells; SLOT_NONE: it tells none, or the key has left. */
static uint32_t demand_slot(const struct weir_limiter *limiter, const struct weir_ask *ask)
{
    const uint32_t slot = table_find(limiter, &ask->key);

    return slot != SLOT_NONE && limiter->cold[slot].demand_sequence == ask->id.sequence ? slot
                                                                                        : SLOT_NONE;
}

void direct_demand_in_doubt(struct weir_limiter *limiter, const struct weir_ask *ask)
{
    const uint32_t slot = demand_slot(limiter, ask);

    if (slot != SLOT_NONE) {
        limiter->cold[slot].demand_sequence = 0;
    }
}

void direct_demand_untold(struct weir_limiter *limiter, const struct weir_ask *ask)
{
    const uint32_t slot = demand_slot(limiter, ask);

    if (slot != SLOT_NONE) {
        limiter->cold[slot].demand_sequence = 0;
        limiter->cold[slot].rate_reported_milli = (uint32_t)ask->rate_milli_before;
        limiter->cold[slot].kept_ppm = ask->kept_ppm_before;
    }
}

void direct_tell_key(struct weir_limiter *limiter, uint32_t plan_index, uint64_t now_ns,
                     struct weir_ask *ask)
{
    const uint32_t slot = table_find(limiter, &ask->key);

    if (slot == SLOT_NONE) {
        return;
    }
    asking_state_seen(limiter, slot, ask);
    if (limiter->hot[slot].plan_index == plan_index) {
        tell_demand(limiter, slot, now_ns, ask);
    }
}

/* Answers may overtake each other; versions tell, whatever the store's clock does. */
static bool is_overtaken(const struct cold *cold, const struct weir_answer *answer)
{
    return answer->run_id == cold->run_id && answer->version < cold->version;
}

/* What a client may be told of the key. */
static void learn(struct weir_limiter *limiter, uint32_t slot, const struct weir_answer *answer)
{
    struct cold *cold = &limiter->cold[slot];

    cold->answered_us = answer->store_us;
    cold->version = answer->version;
    cold->run_id = answer->run_id;
    cold->remaining_units = answer->remaining_units;
    cold->outstanding_units = answer->outstanding_units;
    cold->previous_units = answer->previous_units;
    cold->global_rate_milli = answer->global_rate_milli;
}

uint32_t direct_hear_key(struct weir_limiter *limiter, uint32_t plan_index, uint64_t now_ns,
                         const struct weir_ask *ask, const struct weir_answer *answer, bool is_late)
{
    const uint32_t slot = table_find(limiter, &ask->key);

    if (slot == SLOT_NONE) {
        return SLOT_NONE;
    }
    struct cold *cold = &limiter->cold[slot];
    if (cold->demand_sequence == ask->id.sequence) {
        cold->demand_sequence = 0;
        cold->rate_share_period = answer->share_period;
    }
    if (limiter->hot[slot].plan_index != plan_index) {
        return SLOT_NONE; /* windows of another plan: it cannot count this */
    }
    lease_refresh(limiter, slot, now_ns);
    if (!is_overtaken(cold, answer)) {
        degraded_answered(limiter, slot, now_ns, answer, is_late);
        learn(limiter, slot, answer);
    }
    return slot;
}
