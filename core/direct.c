/* Requests that the store decides one by one, each by an ask of its own.
 *
 * They need no lease, so they are exact where leases do no good: a log counts every request by its
 * time; a key that the full table has no place for has nowhere to keep a lease; and where a lease
 * would be over before it comes, only what is spent at once can be spent at all. The price is a
 * round trip and a step of the store for every request.
 *
 * The store grants the whole cost or nothing, and counts it as unspent for flight_us after its
 * step. So an answer that comes later, by the late edge of the clock's bar, is void: the request
 * asks again, and says that the units were not used. What is void is never spent, what is spent is
 * never void, and each grant is either accounted for as spent or reported as unused.
 *
 * Such a request is a waiter in none of waiting.c's lists, but in one of its own, by the time since
 * which it waits. If that was too long it is decided without the store, and its ask stays in
 * flight: what is granted late either covers what was admitted meanwhile, or was not used. */
#include "arithmetic.h"
#include "direct_key.h"
#include "history.h"
#include "limiter_private.h"
#include "owed.h"
#include "weir/assert.h"

#define LATE_ANSWERS_MAX 4   /* in a row, then the request is denied */
#define LEASE_ROUND_TRIPS 4u /* a lease that lives shorter is over before it is of use */

/* Units are counted by window: what was taken from one cannot be spent in the next. */
static bool ends_with_window(const struct weir_plan *plan)
{
    return plan->algorithm == WEIR_ALGORITHM_WINDOW || plan->algorithm == WEIR_ALGORITHM_SLIDING;
}

bool direct_is_due(const struct weir_limiter *limiter, const struct weir_plan *plan)
{
    if (plan->algorithm == WEIR_ALGORITHM_LOG) {
        return true;
    }
    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED || !limiter->clock.known ||
        plan->lease_period_us * NS_PER_US >= LEASE_ROUND_TRIPS * limiter->clock.round_trip_ns) {
        return false;
    }
    /* a round trip too long to be counted as flight leaves the window's end as the only bound on
     * late answers; a bucket has none then, and its leases, however short, have */
    return ends_with_window(plan) || asking_flight_us(&limiter->clock, 0) != 0;
}

static void start(struct weir_limiter *limiter, uint32_t place, const struct weir_key *key,
                  uint32_t plan_index, uint64_t assigned_version)
{
    limiter->directs[place] = (struct direct){
        .key = *key,
        .assigned_version = assigned_version,
        .flight = SLOT_NONE,
        .plan_index = (uint16_t)plan_index,
    };
    direct_enlist(limiter, place);
    ask_queue_append(limiter, QUEUE_READY, place | ASK_DIRECT);
}

uint64_t direct_add(struct weir_limiter *limiter, uint64_t now_ns,
                    const struct direct_request *request)
{
    const uint32_t place = waiting_take_place(limiter, now_ns, request->cost);

    start(limiter, place, &request->key, request->plan_index, request->assigned_version);
    return limiter->waiters[place].ticket;
}

bool direct_takes_over(struct weir_limiter *limiter, uint32_t slot)
{
    struct hot *hot = &limiter->hot[slot];

    if (!direct_is_due(limiter, slot_plan(limiter, slot))) {
        return false;
    }
    for (uint32_t place = waiting_leave(limiter, slot); place != SLOT_NONE;
         place = waiting_leave(limiter, slot)) {
        start(limiter, place, &hot->key, hot->plan_index, limiter->cold[slot].assigned_version);
    }
    if (asking_has_to_report(limiter, slot)) {
        return false;
    }
    hot->flags &= (uint16_t) ~(HOT_QUEUED | HOT_RETURN | HOT_PREFETCH | HOT_TRICKLE);
    return true;
}

/* What every ask here has in common: it holds nothing. */
static struct weir_ask ask_about(struct weir_limiter *limiter, const struct weir_key *key,
                                 const struct weir_plan *plan)
{
    return (struct weir_ask){
        .key = *key,
        .id = {.process = limiter->options.process,
               .sequence = next_sequence(limiter),
               .incarnation = limiter->options.incarnation},
        .plan = *plan,
        .rate_share_period = NEVER,
    };
}

void direct_build(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                  struct weir_ask *ask)
{
    struct direct *direct = &limiter->directs[place];
    const uint32_t cost = limiter->waiters[place].cost;

    const struct weir_plan plan =
        plan_for_ask(limiter, direct->plan_index, direct->assigned_version);

    *ask = ask_about(limiter, &direct->key, &plan);
    direct_tell_key(limiter, direct->plan_index, now_ns, ask);
    ask->lease_end_us = direct->lease_end_us;
    ask->unused_units = direct->unused_units;
    ask->flags = WEIR_ASK_SPEND;
    ask->need_units = cost;
    ask->least_units = cost;
    ask->want_units = cost;
    ask->largest_units = cost;
    ask->flight_us = asking_flight_us(&limiter->clock, 0);

    ask->expires_us = asking_expires_us(limiter, now_ns, ask);
    direct->lease_end_us = 0;
    direct->unused_units = 0;
    direct->flight = flight_start(limiter, ask, FLIGHT_OF_WAITER, place, now_ns);
}

/* Whether a grant can no longer be spent: the store counts it as unspent no longer, or the window
 * it was taken from is over. */
static bool is_void(const struct weir_limiter *limiter, const struct weir_plan *plan,
                    uint64_t now_ns, const struct weir_ask *ask, const struct weir_answer *answer)
{
    const uint64_t late_ns = clock_late_ns(&limiter->clock, now_ns);

    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return false;
    }
    if (ask->flight_us != 0 && late_ns > (answer->store_us + ask->flight_us) * NS_PER_US) {
        return true;
    }
    return ends_with_window(plan) && late_ns >= answer->lease_end_us * NS_PER_US;
}

static void settle(struct weir_limiter *limiter, uint32_t place,
                   const struct weir_decision *decision)
{
    limiter->waiters[place].decision = *decision;
    direct_leave(limiter, place);
    waiting_settled(limiter, place);
}

/* slot: of the key, if it is in the table. */
static void admit(struct weir_limiter *limiter, uint32_t place, uint32_t slot, uint64_t now_ns)
{
    const struct direct *direct = &limiter->directs[place];
    const struct weir_plan *plan = &limiter->plans[direct->plan_index];
    const uint32_t cost = limiter->waiters[place].cost;
    const struct weir_decision decision = {
        .reason = plan->algorithm == WEIR_ALGORITHM_UNLIMITED ? WEIR_REASON_UNLIMITED
                                                              : WEIR_REASON_ADMITTED,
        .mode = breaker_mode(limiter, &direct->key),
    };

    if (slot != SLOT_NONE) {
        limiter->hot[slot].spent_units += cost;
        history_admitted(limiter, slot, now_ns, cost);
        budget_leased(limiter, slot, cost);
    } else {
        outbox_report_once(limiter, &direct->key, plan, now_ns, cost, false);
    }
    settle(limiter, place, &decision);
}

static void deny(struct weir_limiter *limiter, uint32_t place, uint64_t retry_after_ns)
{
    const struct weir_decision decision = {
        .verdict = WEIR_VERDICT_DENIED,
        .reason = WEIR_REASON_OVER_LIMIT,
        .mode = breaker_mode(limiter, &limiter->directs[place].key),
        .retry_after_ns = retry_after_ns == 0 ? 1 : retry_after_ns,
    };

    settle(limiter, place, &decision);
}

/* Until retry_us costs of cost or more are denied here. Of two refusals that of the smaller cost
 * says more, as long as it lasts. */
static void remember(struct weir_limiter *limiter, uint32_t slot, uint32_t cost, uint64_t retry_us)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];

    if (cold->retry_us != 0 && hot->deny_units < cost) {
        return;
    }
    cold->retry_us = retry_us;
    hot->deny_units = cost;
    hot->flags &= (uint16_t)~HOT_PARKED;
}

static void refuse(struct weir_limiter *limiter, uint32_t place, uint32_t slot, uint64_t now_ns,
                   const struct weir_answer *answer)
{
    const struct weir_plan *plan = &limiter->plans[limiter->directs[place].plan_index];
    const uint64_t until_ns = clock_surely_reached_ns(&limiter->clock, now_ns, answer->retry_us);
    /* a window's permits may come back from other processes before it ends: then ask again */
    const bool may_return = (answer->flags & WEIR_ANSWER_PARKED) != 0 &&
                            plan->algorithm != WEIR_ALGORITHM_BUCKET &&
                            plan->algorithm != WEIR_ALGORITHM_LOG;

    if (slot != SLOT_NONE && !may_return && answer->retry_us != 0) {
        remember(limiter, slot, limiter->waiters[place].cost, answer->retry_us);
    }
    deny(limiter, place, clock_wait_ns(now_ns, until_ns));
}

/* What names a grant that comes back unused: 0, which no lease has, if it was taken from nothing.
 */
static uint64_t creditable_lease_us(const struct weir_answer *answer)
{
    return (answer->flags & WEIR_ANSWER_UNCOUNTED) != 0 ? 0 : answer->lease_end_us;
}

static void note_unused(struct direct *direct, const struct weir_ask *ask,
                        const struct weir_answer *answer)
{
    direct->unused_units =
        ask->plan.algorithm == WEIR_ALGORITHM_UNLIMITED ? 0 : answer->granted_units;
    direct->lease_end_us = creditable_lease_us(answer);
}

/* Requires room for a flight: that of the answer is free. */
static void give_back(struct weir_limiter *limiter, uint64_t now_ns, const struct weir_key *key,
                      const struct weir_plan *plan, uint64_t lease_end_us, uint32_t units)
{
    struct weir_ask unused = ask_about(limiter, key, plan);

    unused.flags = WEIR_ASK_RETURN;
    unused.lease_end_us = lease_end_us;
    unused.unused_units = units;
    unused.expires_us = asking_expires_us(limiter, now_ns, &unused);
    flight_queue(limiter, &unused, now_ns);
}

static void give_unused_back(struct weir_limiter *limiter, uint64_t now_ns,
                             const struct direct *direct)
{
    const struct weir_plan plan =
        plan_for_ask(limiter, direct->plan_index, direct->assigned_version);

    give_back(limiter, now_ns, &direct->key, &plan, direct->lease_end_us, direct->unused_units);
}

/* The plan was deleted meanwhile, and nobody may have what was granted under it. */
static void deny_deleted(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                         const struct weir_ask *ask, const struct weir_answer *answer)
{
    struct direct *direct = &limiter->directs[place];

    note_unused(direct, ask, answer);
    if (direct->unused_units != 0) {
        give_unused_back(limiter, now_ns, direct);
    }
    deny(limiter, place, WEIR_RETRY_NEVER);
}

/* The answer is of no use: ask again; but not for ever, if all answers come too late. */
static void ask_again(struct weir_limiter *limiter, uint32_t place, uint32_t slot, uint64_t now_ns,
                      const struct weir_ask *ask, const struct weir_answer *answer)
{
    struct direct *direct = &limiter->directs[place];
    const struct weir_plan *plan = &limiter->plans[direct->plan_index];

    note_unused(direct, ask, answer);
    if (++direct->late_answers < LATE_ANSWERS_MAX) {
        ask_queue_append(limiter, QUEUE_READY, place | ASK_DIRECT);
        return;
    }
    give_unused_back(limiter, now_ns, direct);
    if (slot != SLOT_NONE && direct_is_due(limiter, plan) &&
        plan->algorithm != WEIR_ALGORITHM_LOG) {
        /* the next request's answers would hardly be in time either */
        const uint64_t store_us = clock_store_ns(&limiter->clock, now_ns) / NS_PER_US;
        remember(limiter, slot, 1, store_us + plan->lease_period_us);
    }
    deny(limiter, place, plan->lease_period_us * NS_PER_US);
}

/* Another plan came while the ask was under way: the request is decided under that one. */
static bool is_outdated(const struct weir_limiter *limiter, const struct direct *direct,
                        const struct weir_ask *ask)
{
    return ask->plan.version !=
           plan_for_ask(limiter, direct->plan_index, direct->assigned_version).version;
}

static void ask_anew(struct weir_limiter *limiter, uint32_t place, const struct weir_ask *ask,
                     const struct weir_answer *answer)
{
    note_unused(&limiter->directs[place], ask, answer);
    ask_queue_append(limiter, QUEUE_READY, place | ASK_DIRECT);
}

/* What is remembered, in local time. */
static void plan_slot(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    if (slot != SLOT_NONE) {
        lease_refresh(limiter, slot, now_ns);
        asking_plan(limiter, slot, now_ns);
    }
}

/* Decide it without the store. Its ask, if it is on its way, is another's from now on. */
static void decide_alone(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    const struct direct *direct = &limiter->directs[place];
    const uint32_t cost = limiter->waiters[place].cost;
    const struct weir_plan *plan = &limiter->plans[direct->plan_index];
    const uint32_t slot = table_find(limiter, &direct->key);
    struct weir_decision decision;

    if (slot != SLOT_NONE && limiter->hot[slot].plan_index == direct->plan_index) {
        lease_refresh(limiter, slot, now_ns);
        decision = waiting_decide_alone(limiter, slot, now_ns, cost);
        asking_plan(limiter, slot, now_ns);
    } else {
        decision = degraded_decide_without_slot(limiter, now_ns, &direct->key, plan, cost);
    }
    ask_queue_remove(limiter, place | ASK_DIRECT);
    if (direct->flight != SLOT_NONE) {
        struct flight *flight = &limiter->flights[direct->flight];
        flight->owner = direct->plan_index;
        flight->kind = decision.verdict == WEIR_VERDICT_ADMITTED ? FLIGHT_OF_ONE_ADMITTED
                                                                 : FLIGHT_OF_ONE_DENIED;
    }
    settle(limiter, place, &decision);
    if (direct->unused_units != 0 && flight_has_room(limiter)) {
        give_unused_back(limiter, now_ns, direct);
    } else {
        limiter->counts.unsent_units += direct->unused_units;
    }
}

void direct_due(struct weir_limiter *limiter, uint64_t now_ns)
{
    while (limiter->directs_deadline_ns <= now_ns && outbox_has_room(limiter)) {
        decide_alone(limiter, limiter->direct_oldest, now_ns);
    }
}

void direct_answer(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                   const struct weir_ask *ask, const struct weir_answer *answer, bool is_late)
{
    struct direct *direct = &limiter->directs[place];
    const struct weir_plan *plan = &limiter->plans[direct->plan_index];
    const uint32_t slot =
        direct_hear_key(limiter, direct->plan_index, now_ns, ask, answer, is_late);

    direct->flight = SLOT_NONE;
    direct->refused_asks = 0;
    if (slot != SLOT_NONE && (answer->flags & WEIR_ANSWER_GRACE) != 0) {
        lease_take_grace(limiter, slot, answer);
    }
    if (limiter->plan_deleted[direct->plan_index]) {
        deny_deleted(limiter, place, now_ns, ask, answer);
    } else if (is_outdated(limiter, direct, ask)) {
        ask_anew(limiter, place, ask, answer);
    } else if ((answer->flags & WEIR_ANSWER_GRACE) != 0) {
        decide_alone(limiter, place, now_ns);
    } else if (answer->granted_units < limiter->waiters[place].cost) {
        refuse(limiter, place, slot, now_ns, answer);
    } else if (is_void(limiter, plan, now_ns, ask, answer)) {
        ask_again(limiter, place, slot, now_ns, ask, answer);
    } else {
        admit(limiter, place, slot, now_ns);
    }
    plan_slot(limiter, slot, now_ns);
}

void direct_answer_late(struct weir_limiter *limiter, const struct flight *flight, uint64_t now_ns,
                        const struct weir_answer *answer)
{
    const struct weir_ask *ask = &flight->ask;
    const uint32_t slot = direct_hear_key(limiter, flight->owner, now_ns, ask, answer, true);
    uint32_t unused = ask->plan.algorithm == WEIR_ALGORITHM_UNLIMITED ? 0 : answer->granted_units;

    if (flight->kind == FLIGHT_OF_ONE_ADMITTED) {
        /* where the slot is gone, its last words charged for the request */
        unused -= slot == SLOT_NONE ? 0 : owed_covered(limiter, slot, unused);
    }
    if (unused != 0) {
        give_back(limiter, now_ns, &ask->key, &ask->plan, creditable_lease_us(answer), unused);
    }
    plan_slot(limiter, slot, now_ns);
}

void direct_take_back(struct weir_limiter *limiter, uint32_t place, const struct weir_ask *ask)
{
    limiter->directs[place].lease_end_us = ask->lease_end_us;
    limiter->directs[place].unused_units = ask->unused_units;
    direct_demand_untold(limiter, ask);
}

void direct_again(struct weir_limiter *limiter, uint32_t place)
{
    limiter->directs[place].flight = SLOT_NONE;
    ask_queue_append(limiter, QUEUE_READY, place | ASK_DIRECT);
}
