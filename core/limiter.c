#include "weir/limiter.h"

#include "arithmetic.h"
#include "history.h"
#include "limiter_private.h"
#include "sliding.h"

/* How many requests ahead of the one that is decided a batch looks: far enough that a cache line
 * has come from memory by then, the slot's once the index says where it lies, and near enough that
 * it is still there. */
#define BATCH_INDEX_AHEAD 16u
#define BATCH_SLOT_AHEAD 8u

uint64_t local_time_stepped_back(struct weir_limiter *limiter, uint64_t now_ns)
{
    /* a moment later than all that was sent before the step */
    limiter->inner_ns++;
    limiter->correction_ns = limiter->inner_ns - now_ns;
    limiter->stepped_ns = limiter->inner_ns;
    limiter->counts.clock_steps++;
    return limiter->inner_ns;
}

static enum weir_status request_cost(const struct weir_limiter *limiter,
                                     const struct weir_request *request, uint32_t *cost)
{
    uint64_t weighted = request->cost;

    if (request->plan_index >= limiter->options.plan_capacity ||
        limiter->plans[request->plan_index].version == 0 ||
        limiter->plan_deleted[request->plan_index]) {
        return WEIR_ERR_UNKNOWN_PLAN;
    }
    if (request->endpoint != WEIR_NO_ENDPOINT) {
        if (request->endpoint >= limiter->options.endpoint_capacity) {
            return WEIR_ERR_ARGUMENT;
        }
        weighted *= limiter->weights[request->endpoint];
    }
    if (weighted > WEIR_COST_MAX) {
        return WEIR_ERR_COST;
    }
    *cost = (uint32_t)weighted;
    return WEIR_OK;
}

static void count_demand(struct weir_limiter *limiter, struct hot *hot, uint64_t now_ns,
                         uint32_t cost)
{
    hot->demand_units =
        hot->demand_units > UINT32_MAX - cost ? UINT32_MAX : hot->demand_units + cost;
    hot->touched_ms = local_ms(limiter, now_ns);
}

static bool is_promised(const struct cold *cold)
{
    return cold->trickle[0] != 0 || cold->trickle[1] != 0;
}

/* Store time at which a sliding window will have room for a cost, as of the last answer. What is
 * held here counts as consumed, since it ends with the window. */
static uint64_t slid_us(const struct weir_limiter *limiter, uint32_t slot, uint32_t cost)
{
    const struct cold *cold = &limiter->cold[slot];

    if (cost <= limiter->hot[slot].deny_units && limiter->hot[slot].held_units == 0) {
        return 0; /* the store said when */
    }
    const struct weir_key *key = &limiter->hot[slot].key;
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint64_t window = period_of(key, cold->answered_us, plan->window_us);
    const uint64_t start_us = period_start_us(key, window, plan->window_us);
    const uint64_t used =
        saturating_sub(plan->limit_units, cold->remaining_units +
                                              sliding_weighted_units(plan, cold->previous_units,
                                                                     cold->answered_us - start_us));

    return start_us + sliding_ready_us(plan, cold->previous_units, used, cost);
}

/* Store time at which a bucket will have refilled to `units`, as of the last answer. Room for them
 * may come back only when what was in flight has landed; what refills to a trickle is taken there a
 * while before it is known to be valid here. */
static uint64_t refilled_us(const struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                            uint64_t units)
{
    const struct cold *cold = &limiter->cold[slot];
    const struct weir_plan *plan = slot_plan(limiter, slot);
    uint64_t from_us = cold->answered_us;

    if (is_promised(cold)) {
        units += 2; /* rounded up there, and down here */
        from_us += (2 * clock_error_ns(&limiter->clock, now_ns) + limiter->clock.round_trip_ns) /
                       NS_PER_US +
                   1;
    }
    if (plan->algorithm != WEIR_ALGORITHM_BUCKET || units <= cold->remaining_units) {
        return 0;
    }
    if (plan->capacity_units < cold->outstanding_units + units) {
        from_us += 2 * WEIR_FLIGHT_US_MAX;
    }
    const uint64_t wait_us = weir_plan_refill_us(plan, units - cold->remaining_units, 0);
    return wait_us == NEVER ? NEVER : from_us + wait_us;
}

/* Units that the store has no room for until it hears what was spent here; only a cost near the
 * capacity has any. */
static uint64_t crowding_units(const struct weir_limiter *limiter, uint32_t slot, uint32_t cost)
{
    const struct cold *cold = &limiter->cold[slot];
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint64_t filled = (uint64_t)cost + cold->leased_units - limiter->hot[slot].held_units;

    return plan->algorithm == WEIR_ALGORITHM_BUCKET && filled > plan->capacity_units &&
                   filled != cost
               ? filled - plan->capacity_units
               : 0;
}

/* Store time at which they will have refilled, if they are reported now. */
static uint64_t uncrowded_us(const struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                             uint64_t units)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint64_t heard_ns =
        clock_late_ns(&limiter->clock, now_ns) + 2 * limiter->clock.round_trip_ns;
    const uint64_t wait_us = weir_plan_refill_us(plan, units, 0);

    return wait_us == NEVER ? NEVER : heard_ns / NS_PER_US + 1 + wait_us;
}

struct weir_decision limiter_denial(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                                    uint32_t cost)
{
    const struct hot *hot = &limiter->hot[slot];
    const struct cold *cold = &limiter->cold[slot];
    const uint32_t beyond = cost - hot->held_units;
    /* what is remembered may be the denial of a smaller request */
    const uint64_t enough_us =
        slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_SLIDING ? slid_us(limiter, slot, cost)
        : beyond > hot->deny_units || is_promised(cold) ? refilled_us(limiter, slot, now_ns, beyond)
                                                        : 0;
    const uint64_t crowding = crowding_units(limiter, slot, cost);
    uint64_t at_us = enough_us > cold->retry_us ? enough_us : cold->retry_us;

    if (crowding != 0) {
        const uint64_t room_us = uncrowded_us(limiter, slot, now_ns, crowding);
        at_us = room_us > at_us ? room_us : at_us;
        asking_queue(limiter, slot, HOT_RETURN);
    }
    const uint64_t reached_ns = clock_surely_reached_ns(&limiter->clock, now_ns, at_us);
    /* the shortcut was computed earlier, from a wider bar */
    const uint64_t until_ns = reached_ns > hot->deny_until_ns ? reached_ns : hot->deny_until_ns;

    return (struct weir_decision){
        .verdict = WEIR_VERDICT_DENIED,
        .reason = hot->flags & HOT_PARKED ? WEIR_REASON_PARKED : WEIR_REASON_OVER_LIMIT,
        .retry_after_ns = clock_wait_ns(now_ns, until_ns),
    };
}

/* No request came for a while, and nothing is held that one could be decided with. */
static bool is_dispensable(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    return demand_is_idle(limiter, slot, now_ns) && !lease_is_held(limiter, slot);
}

/* Make room for a key: the coldest one's permits go back and its spending is reported first. */
static bool evict(struct weir_limiter *limiter, uint64_t now_ns)
{
    const uint32_t slot = table_coldest(limiter, now_ns);

    if (slot == SLOT_NONE) {
        return false;
    }
    lease_refresh(limiter, slot, now_ns);
    if (limiter->options.full_table == WEIR_FULL_TABLE_PER_REQUEST &&
        !is_dispensable(limiter, slot, now_ns)) {
        return false;
    }
    if (limiter->hot[slot].spent_units != 0 && limiter->cold[slot].window_us == 0) {
        return false; /* it is not known yet what window they count in */
    }
    if (asking_has_to_report(limiter, slot)) {
        if (!flight_has_room(limiter)) {
            return false;
        }
        outbox_last_words(limiter, slot, now_ns);
    }
    if (outbox_has_to_report(limiter, slot)) {
        outbox_report(limiter, slot, false);
    }
    deadline_set(limiter, slot, NEVER);
    table_remove(limiter, slot);
    return true;
}

/* The key is under another plan than before: as if its plan had changed. */
static void assign(struct weir_limiter *limiter, uint32_t slot, const struct weir_request *request)
{
    limiter->hot[slot].plan_index = (uint16_t)request->plan_index;
    limiter->cold[slot].assigned_version = request->assigned_version;
    plan_forget_denial(limiter, slot);
    history_forget(limiter, slot);
    lease_recall(limiter, slot);
}

/* The store is not asked about the key now, or cannot be. */
static bool is_alone(const struct weir_limiter *limiter, const struct weir_key *key)
{
    return breaker_is_open(limiter, key) || !flight_has_room(limiter);
}

/* Another plan, or the same one anew: elsewhere the key was under another in between. */
static bool is_reassigned(const struct weir_limiter *limiter, uint32_t slot,
                          const struct weir_request *request)
{
    return limiter->hot[slot].plan_index != request->plan_index ||
           (request->assigned_version != 0 &&
            request->assigned_version > limiter->cold[slot].assigned_version);
}

/* WEIR_OK with SLOT_NONE: the table is full, the store decides; or without it, if it is away. */
static enum weir_status find_or_insert(struct weir_limiter *limiter, uint64_t now_ns,
                                       const struct weir_request *request, uint32_t *slot)
{
    *slot = table_find(limiter, &request->key);
    if (*slot != SLOT_NONE) {
        if (is_reassigned(limiter, *slot, request)) {
            assign(limiter, *slot, request);
        }
        return WEIR_OK;
    }
    if (!outbox_has_room(limiter)) {
        return WEIR_ERR_OUTBOX_FULL;
    }
    if (limiter->free_slot == SLOT_NONE && limiter->used_slots == limiter->options.key_capacity &&
        !evict(limiter, now_ns)) {
        return limiter->options.full_table == WEIR_FULL_TABLE_PER_REQUEST ||
                       limiter->plans[request->plan_index].algorithm == WEIR_ALGORITHM_UNLIMITED ||
                       is_alone(limiter, &request->key)
                   ? WEIR_OK
                   : WEIR_ERR_TABLE_BUSY;
    }
    *slot = table_insert(limiter, &request->key);
    limiter->hot[*slot].plan_index = (uint16_t)request->plan_index;
    limiter->cold[*slot].assigned_version = request->assigned_version;
    demand_start(limiter, *slot, now_ns);
    return WEIR_OK;
}

static struct weir_decision never(void)
{
    return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                  .reason = WEIR_REASON_COST_ABOVE_CAPACITY,
                                  .retry_after_ns = WEIR_RETRY_NEVER};
}

static struct weir_decision waiting(uint64_t ticket)
{
    return (struct weir_decision){
        .verdict = WEIR_VERDICT_PENDING, .reason = WEIR_REASON_WAITING, .ticket = ticket};
}

/* A request of a key that has no slot; cost > 0, there is room for it to wait and to report. */
static struct weir_decision decide_without_slot(struct weir_limiter *limiter, uint64_t now_ns,
                                                const struct weir_request *request, uint32_t cost)
{
    const struct weir_plan *plan = &limiter->plans[request->plan_index];

    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED && limiter->clock.known) {
        outbox_report_once(limiter, &request->key, plan, now_ns, cost, false);
        return (struct weir_decision){.reason = WEIR_REASON_UNLIMITED};
    }
    if (plan->algorithm != WEIR_ALGORITHM_UNLIMITED && cost > plan->capacity_units) {
        return never();
    }
    if (is_alone(limiter, &request->key) || !waiting_has_room(limiter)) {
        return degraded_decide_without_slot(limiter, now_ns, &request->key, plan, cost);
    }
    const struct direct_request direct = {.key = request->key,
                                          .assigned_version = request->assigned_version,
                                          .plan_index = request->plan_index,
                                          .cost = cost};
    return waiting(direct_add(limiter, now_ns, &direct));
}

/* No answer is worth waiting for. But the key is to be asked about once the store can be. */
static struct weir_decision decide_alone(struct weir_limiter *limiter, uint32_t slot,
                                         uint64_t now_ns, uint32_t cost)
{
    const struct hot *hot = &limiter->hot[slot];

    if ((hot->flags & HOT_GRACE) == 0 && !direct_is_due(limiter, slot_plan(limiter, slot))) {
        asking_queue(limiter, slot, 0);
    }
    return waiting_decide_alone(limiter, slot, now_ns, cost);
}

/* Everything a decision may need beyond the fast path; cost > 0, the slot is known. */
static void decide_slowly(struct weir_limiter *limiter, uint64_t now_ns, uint32_t slot,
                          uint32_t cost, struct weir_decision *decision)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];
    const struct weir_plan *plan = slot_plan(limiter, slot);

    lease_refresh(limiter, slot, now_ns);
    if (cost > plan->capacity_units && plan->algorithm != WEIR_ALGORITHM_UNLIMITED) {
        *decision = never(); /* and no lease is to be larger for it */
        return;
    }
    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED && limiter->clock.known) {
        hot->spent_units += cost;
        decision->reason = WEIR_REASON_UNLIMITED;
    } else if (cost <= hot->held_units) {
        lease_spend(limiter, slot, cost);
    } else if (lease_denies(limiter, slot, cost)) {
        *decision = limiter_denial(limiter, slot, now_ns, cost);
    } else if (breaker_is_open(limiter, &hot->key) || hot->flags & HOT_GRACE ||
               !waiting_has_room(limiter)) {
        *decision = decide_alone(limiter, slot, now_ns, cost);
    } else if (direct_is_due(limiter, plan)) {
        const struct direct_request direct = {.key = hot->key,
                                              .assigned_version = cold->assigned_version,
                                              .plan_index = hot->plan_index,
                                              .cost = cost};
        *decision = waiting(direct_add(limiter, now_ns, &direct));
    } else {
        uint64_t ticket;
        const bool waits = waiting_add(limiter, slot, now_ns, cost, &ticket);
        asking_queue(limiter, slot, 0);
        *decision = waits ? waiting(ticket) : decide_alone(limiter, slot, now_ns, cost);
    }
    cold->largest_units = cost > cold->largest_units ? cost : cold->largest_units;
    if (demand_is_idle(limiter, slot, now_ns)) {
        cold->resumed_ms = local_ms(limiter, now_ns);
    }
    count_demand(limiter, hot, now_ns, cost);
    asking_plan(limiter, slot, now_ns);
}

static enum weir_status decide(struct weir_limiter *limiter, uint64_t now_ns,
                               const struct weir_request *request, struct weir_decision *decision)
{
    uint32_t cost;

    *decision = (struct weir_decision){0};
    enum weir_status status = request_cost(limiter, request, &cost);
    if (status != WEIR_OK || cost == 0) {
        return status;
    }
    uint32_t slot;
    status = find_or_insert(limiter, now_ns, request, &slot);
    if (status != WEIR_OK) {
        return status;
    }

    if (slot == SLOT_NONE) {
        *decision = decide_without_slot(limiter, now_ns, request, cost);
        return WEIR_OK;
    }

    struct hot *hot = &limiter->hot[slot];
    if (cost <= hot->held_units && hot->held_units - cost >= hot->low_units &&
        now_ns < hot->fast_until_ns) {
        count_demand(limiter, hot, now_ns, cost);
        lease_spend(limiter, slot, cost);
        return WEIR_OK; /* a zeroed decision says admitted */
    }
    if (cost > hot->held_units && cost - hot->held_units >= hot->deny_units &&
        now_ns < hot->deny_until_ns) {
        count_demand(limiter, hot, now_ns, cost);
        *decision = limiter_denial(limiter, slot, now_ns, cost);
        return WEIR_OK;
    }
    if (!outbox_has_room(limiter)) {
        return WEIR_ERR_OUTBOX_FULL;
    }
    decide_slowly(limiter, now_ns, slot, cost, decision);
    return WEIR_OK;
}

enum weir_status weir_limiter_decide(struct weir_limiter *limiter, uint64_t now_ns,
                                     const struct weir_request *request,
                                     struct weir_decision *decision)
{
    const enum weir_status status = decide(limiter, local_time(limiter, now_ns), request, decision);

    if (limiter->half_open_count != 0 && status == WEIR_OK && decision->mode == WEIR_MODE_NORMAL &&
        decision->verdict != WEIR_VERDICT_PENDING) {
        decision->mode = breaker_mode(limiter, &request->key);
    }
    return status;
}

size_t weir_limiter_decide_batch(struct weir_limiter *limiter, uint64_t now_ns,
                                 const struct weir_request *requests, size_t count,
                                 struct weir_decision *decisions, enum weir_status *statuses)
{
    size_t decided_count = 0;

    for (size_t i = 0; i < count && i < BATCH_INDEX_AHEAD; i++) {
        table_prefetch_index(limiter, &requests[i].key);
    }
    for (size_t i = 0; i < count && i < BATCH_SLOT_AHEAD; i++) {
        table_prefetch_slot(limiter, &requests[i].key);
    }
    for (size_t i = 0; i < count; i++) {
        if (BATCH_INDEX_AHEAD < count - i) {
            table_prefetch_index(limiter, &requests[i + BATCH_INDEX_AHEAD].key);
        }
        if (BATCH_SLOT_AHEAD < count - i) {
            table_prefetch_slot(limiter, &requests[i + BATCH_SLOT_AHEAD].key);
        }
        statuses[i] = weir_limiter_decide(limiter, now_ns, &requests[i], &decisions[i]);
        decided_count += statuses[i] == WEIR_OK;
    }
    return decided_count;
}
