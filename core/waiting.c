/* Requests that wait for the store: a pool of places, a circular list per key (in order of
 * arrival), and a list of those that are settled and not yet fetched. Requests that the store
 * decides one by one have places of the same pool and are in none of these lists (direct.c). */
#include "limiter_private.h"
#include "owed.h"
#include "weir/assert.h"

void waiting_init(struct weir_limiter *limiter)
{
    limiter->waiter_free = SLOT_NONE;
    limiter->settled_first = SLOT_NONE;
    limiter->settled_last = SLOT_NONE;
    limiter->next_ticket = 1;
}

bool waiting_has_room(const struct weir_limiter *limiter)
{
    return limiter->waiter_free != SLOT_NONE ||
           limiter->used_waiters < limiter->options.waiter_capacity;
}

uint32_t waiting_take_place(struct weir_limiter *limiter, uint64_t now_ns, uint32_t cost)
{
    uint32_t place = limiter->waiter_free;

    WEIR_ASSERT(waiting_has_room(limiter));
    if (place != SLOT_NONE) {
        limiter->waiter_free = limiter->waiters[place].next;
    } else {
        place = limiter->used_waiters++;
    }
    limiter->waiters[place] = (struct waiter){
        .ticket = limiter->next_ticket++, .since_ns = now_ns, .cost = cost, .next = place};
    return place;
}

bool waiting_add(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t cost,
                 uint64_t *ticket)
{
    struct cold *cold = &limiter->cold[slot];

    if (!waiting_has_room(limiter) || cost > UINT32_MAX / 2 - cold->wait_units) {
        return false;
    }
    const uint32_t place = waiting_take_place(limiter, now_ns, cost);
    struct waiter *waiter = &limiter->waiters[place];
    if (cold->wait_last != SLOT_NONE) {
        waiter->next = limiter->waiters[cold->wait_last].next;
        limiter->waiters[cold->wait_last].next = place;
    }
    cold->wait_last = place;
    cold->wait_units += cost;
    *ticket = waiter->ticket;
    return true;
}

uint32_t waiting_least_cost(const struct weir_limiter *limiter, uint32_t slot)
{
    const uint32_t last = limiter->cold[slot].wait_last;
    uint32_t least = UINT32_MAX;

    if (last == SLOT_NONE) {
        return 0;
    }
    uint32_t place = last;
    do {
        place = limiter->waiters[place].next;
        least = limiter->waiters[place].cost < least ? limiter->waiters[place].cost : least;
    } while (place != last);
    return least;
}

uint32_t waiting_leave(struct weir_limiter *limiter, uint32_t slot)
{
    struct cold *cold = &limiter->cold[slot];

    if (cold->wait_last == SLOT_NONE) {
        return SLOT_NONE;
    }
    struct waiter *last = &limiter->waiters[cold->wait_last];
    const uint32_t first = last->next;
    last->next = limiter->waiters[first].next;
    if (first == cold->wait_last) {
        cold->wait_last = SLOT_NONE;
    }
    cold->wait_units -= limiter->waiters[first].cost;
    return first;
}

void waiting_settled(struct weir_limiter *limiter, uint32_t place)
{
    limiter->waiters[place].next = SLOT_NONE;
    if (limiter->settled_last == SLOT_NONE) {
        limiter->settled_first = place;
    } else {
        limiter->waiters[limiter->settled_last].next = place;
    }
    limiter->settled_last = place;
}

static struct weir_decision deleted(void)
{
    return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                  .reason = WEIR_REASON_OVER_LIMIT,
                                  .retry_after_ns = WEIR_RETRY_NEVER};
}

/* Decide one waiter with what is held now; false: the store may have more, ask again. */
static bool settle_one(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                       struct waiter *waiter)
{
    struct hot *hot = &limiter->hot[slot];

    if (limiter->plan_deleted[hot->plan_index]) {
        waiter->decision = deleted();
        return true;
    }
    if (slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        hot->spent_units += waiter->cost;
        waiter->decision = (struct weir_decision){.reason = WEIR_REASON_UNLIMITED};
        return true;
    }
    if (waiter->cost <= hot->held_units) {
        lease_spend(limiter, slot, waiter->cost);
        waiter->decision = (struct weir_decision){.mode = breaker_mode(limiter, &hot->key)};
        return true;
    }
    if (!lease_denies(limiter, slot, waiter->cost)) {
        return false;
    }
    waiter->decision = limiter_denial(limiter, slot, now_ns, waiter->cost);
    waiter->decision.mode = breaker_mode(limiter, &hot->key);
    return true;
}

/* In order of arrival; those that stay keep their order. */
void waiting_settle(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    struct cold *cold = &limiter->cold[slot];
    const uint32_t last = cold->wait_last;

    if (last == SLOT_NONE) {
        return;
    }
    uint32_t place = limiter->waiters[last].next;
    uint32_t kept_last = SLOT_NONE;
    uint32_t kept_first = SLOT_NONE;
    for (bool done = false; !done;) {
        struct waiter *waiter = &limiter->waiters[place];
        const uint32_t next = waiter->next;
        done = place == last;
        if (settle_one(limiter, slot, now_ns, waiter)) {
            cold->wait_units -= waiter->cost;
            waiting_settled(limiter, place);
        } else {
            if (kept_last != SLOT_NONE) {
                limiter->waiters[kept_last].next = place;
            } else {
                kept_first = place;
            }
            kept_last = place;
        }
        place = next;
    }
    cold->wait_last = kept_last;
    if (kept_last != SLOT_NONE) {
        limiter->waiters[kept_last].next = kept_first;
    }
}

uint64_t waiting_due_ns(const struct weir_limiter *limiter, uint32_t slot)
{
    const uint32_t last = limiter->cold[slot].wait_last;

    if (last == SLOT_NONE) {
        return NEVER;
    }
    const uint32_t first = limiter->waiters[last].next;
    return saturating_add(limiter->waiters[first].since_ns, limiter->options.wait_max_ns);
}

struct weir_decision waiting_decide_alone(struct weir_limiter *limiter, uint32_t slot,
                                          uint64_t now_ns, uint32_t cost)
{
    struct hot *hot = &limiter->hot[slot];

    if (limiter->plan_deleted[hot->plan_index]) {
        return deleted();
    }
    if (slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        hot->spent_units += cost; /* in the window that is on when the store's time is known */
        limiter->degraded[slot].window_units += cost;
        limiter->degraded[slot].decided = true;
        return degraded_unlimited(limiter, cost);
    }
    const struct weir_decision decision = degraded_decide(limiter, slot, now_ns, cost);
    if (owed_is_due(limiter, slot, now_ns)) {
        asking_queue(limiter, slot, 0);
    }
    return decision;
}

void waiting_give_up(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                     uint64_t until_ns)
{
    while (limiter->cold[slot].wait_last != SLOT_NONE &&
           waiting_due_ns(limiter, slot) <= until_ns) {
        const uint32_t place = waiting_leave(limiter, slot);
        struct waiter *waiter = &limiter->waiters[place];
        waiter->decision = waiting_decide_alone(limiter, slot, now_ns, waiter->cost);
        waiting_settled(limiter, place);
    }
}

bool weir_limiter_next_settled(struct weir_limiter *limiter, struct weir_settled *settled)
{
    const uint32_t place = limiter->settled_first;

    if (place == SLOT_NONE) {
        return false;
    }
    struct waiter *waiter = &limiter->waiters[place];
    *settled = (struct weir_settled){.ticket = waiter->ticket, .decision = waiter->decision};
    limiter->settled_first = waiter->next;
    if (limiter->settled_first == SLOT_NONE) {
        limiter->settled_last = SLOT_NONE;
    }
    waiter->next = limiter->waiter_free;
    limiter->waiter_free = place;
    return true;
}
