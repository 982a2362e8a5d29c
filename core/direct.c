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
 * Such a request is a waiter in none of waiting.c's lists: waiter.next links it into the queue of
 * asks, or while its ask is in flight into a chain of those with like sequence numbers. Asks of
 * slots draw theirs from the same counter, so that an answer is for one of both and no other. */
#include "arithmetic.h"
#include "limiter_private.h"
#include "weir/assert.h"

#define LATE_ANSWERS_MAX 4   /* in a row, then the request is denied */
#define LEASE_ROUND_TRIPS 4u /* a lease that lives shorter is over before it is of use */

/* Where the queue's link of an entry lies. */
static uint32_t *link_of(struct weir_limiter *limiter, uint32_t entry)
{
    return (entry & ASK_DIRECT) != 0 ? &limiter->waiters[entry & ~ASK_DIRECT].next
                                     : &limiter->cold[entry].ask_next;
}

void ask_queue_append(struct weir_limiter *limiter, uint32_t entry)
{
    *link_of(limiter, entry) = SLOT_NONE;
    if (limiter->ask_last == SLOT_NONE) {
        limiter->ask_first = entry;
    } else {
        *link_of(limiter, limiter->ask_last) = entry;
    }
    limiter->ask_last = entry;
}

uint32_t ask_queue_pop(struct weir_limiter *limiter)
{
    const uint32_t entry = limiter->ask_first;

    if (entry == SLOT_NONE) {
        return SLOT_NONE;
    }
    limiter->ask_first = *link_of(limiter, entry);
    if (limiter->ask_first == SLOT_NONE) {
        limiter->ask_last = SLOT_NONE;
    }
    return entry;
}

/* A power of two: sequence numbers follow each other, so those in flight mostly have a chain each.
 */
uint32_t direct_head_count(uint32_t waiter_capacity)
{
    uint32_t count = 1;

    while (count < waiter_capacity) {
        count *= 2;
    }
    return count;
}

void direct_init(struct weir_limiter *limiter)
{
    const uint32_t count = direct_head_count(limiter->options.waiter_capacity);

    limiter->direct_mask = count - 1;
    for (uint32_t i = 0; i < count; i++) {
        limiter->direct_heads[i] = 0;
    }
}

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
        .key = *key, .assigned_version = assigned_version, .plan_index = (uint16_t)plan_index};
    limiter->direct_count++;
    ask_queue_append(limiter, place | ASK_DIRECT);
}

uint64_t direct_add(struct weir_limiter *limiter, const struct direct_request *request)
{
    const uint32_t place = waiting_take_place(limiter, request->cost);

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
        hot->flags |= HOT_RETURN;
        return false;
    }
    hot->flags &= (uint16_t) ~(HOT_QUEUED | HOT_RETURN | HOT_PREFETCH | HOT_TRICKLE);
    return true;
}

/* What every ask here has in common: it reports no demand and holds nothing. */
static struct weir_ask ask_of(struct weir_limiter *limiter, const struct direct *direct)
{
    return (struct weir_ask){
        .key = direct->key,
        .id = {.process = limiter->options.process,
               .sequence = next_sequence(limiter),
               .incarnation = limiter->options.incarnation},
        .plan = plan_for_ask(limiter, direct->plan_index, direct->assigned_version),
        .lease_end_us = direct->lease_end_us,
        .unused_units = direct->unused_units,
        .rate_share_period = NEVER,
    };
}

void direct_build(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                  struct weir_ask *ask)
{
    struct direct *direct = &limiter->directs[place];
    const uint32_t cost = limiter->waiters[place].cost;

    *ask = ask_of(limiter, direct);
    ask->flags = WEIR_ASK_SPEND;
    ask->need_units = cost;
    ask->least_units = cost;
    ask->want_units = cost;
    ask->largest_units = cost;
    ask->flight_us = asking_flight_us(&limiter->clock, 0);

    direct->sent_ns = now_ns;
    direct->asked_version = ask->plan.version;
    direct->asked_uncounted = ask->plan.algorithm == WEIR_ALGORITHM_UNLIMITED;
    direct->sequence = ask->id.sequence;
    direct->flight_us = ask->flight_us;
    direct->lease_end_us = 0;
    direct->unused_units = 0;
    uint32_t *head = &limiter->direct_heads[direct->sequence & limiter->direct_mask];
    limiter->waiters[place].next = *head;
    *head = place + 1;
}

uint32_t direct_find(const struct weir_limiter *limiter, const struct weir_answer *answer)
{
    uint32_t entry = limiter->direct_heads[answer->id.sequence & limiter->direct_mask];

    if (answer->id.incarnation != limiter->options.incarnation) {
        return SLOT_NONE;
    }
    for (; entry != 0; entry = limiter->waiters[entry - 1].next) {
        const struct direct *direct = &limiter->directs[entry - 1];
        if (direct->sequence == answer->id.sequence && direct->key.low == answer->key.low &&
            direct->key.high == answer->key.high) {
            return entry - 1;
        }
    }
    return SLOT_NONE;
}

static void leave_chain(struct weir_limiter *limiter, uint32_t place)
{
    uint32_t *entry =
        &limiter->direct_heads[limiter->directs[place].sequence & limiter->direct_mask];

    while (*entry != place + 1) {
        WEIR_ASSERT(*entry != 0);
        entry = &limiter->waiters[*entry - 1].next;
    }
    *entry = limiter->waiters[place].next;
}

/* Whether a grant can no longer be spent: the store counts it as unspent no longer, or the window
 * it was taken from is over. */
static bool is_void(const struct weir_limiter *limiter, const struct direct *direct,
                    uint64_t now_ns, const struct weir_answer *answer)
{
    const struct weir_plan *plan = &limiter->plans[direct->plan_index];
    const uint64_t late_ns = clock_late_ns(&limiter->clock, now_ns);

    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return false;
    }
    if (direct->flight_us != 0 && late_ns > (answer->store_us + direct->flight_us) * NS_PER_US) {
        return true;
    }
    return ends_with_window(plan) && late_ns >= answer->lease_end_us * NS_PER_US;
}

void direct_report(struct weir_limiter *limiter, const struct weir_key *key,
                   const struct weir_plan *plan, uint64_t now_ns, uint32_t units)
{
    const uint64_t store_us = clock_store_ns(&limiter->clock, now_ns) / NS_PER_US;

    outbox_report_once(limiter, key, plan, period_of(key, store_us, plan->window_us), units);
}

static void settle(struct weir_limiter *limiter, uint32_t place,
                   const struct weir_decision *decision)
{
    limiter->waiters[place].decision = *decision;
    limiter->direct_count--;
    waiting_settled(limiter, place);
}

/* slot: of the key, if it is in the table. */
static void admit(struct weir_limiter *limiter, uint32_t place, uint32_t slot, uint64_t now_ns)
{
    const struct direct *direct = &limiter->directs[place];
    const struct weir_plan *plan = &limiter->plans[direct->plan_index];
    const uint32_t cost = limiter->waiters[place].cost;
    const struct weir_decision decision = {.reason = plan->algorithm == WEIR_ALGORITHM_UNLIMITED
                                                         ? WEIR_REASON_UNLIMITED
                                                         : WEIR_REASON_ADMITTED};

    if (slot != SLOT_NONE) {
        limiter->hot[slot].spent_units += cost;
    } else {
        direct_report(limiter, &direct->key, plan, now_ns, cost);
    }
    settle(limiter, place, &decision);
}

static void deny(struct weir_limiter *limiter, uint32_t place, uint64_t retry_after_ns)
{
    const struct weir_decision decision = {
        .verdict = WEIR_VERDICT_DENIED,
        .reason = WEIR_REASON_OVER_LIMIT,
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

static void note_unused(struct direct *direct, const struct weir_answer *answer)
{
    direct->unused_units = direct->asked_uncounted ? 0 : answer->granted_units;
    direct->lease_end_us = answer->lease_end_us;
}

static void give_unused_back(struct weir_limiter *limiter, const struct direct *direct)
{
    struct weir_ask unused = ask_of(limiter, direct);

    unused.flags = WEIR_ASK_RETURN;
    outbox_ask(limiter, &unused);
}

/* The plan was deleted meanwhile, and nobody may have what was granted under it. */
static void deny_deleted(struct weir_limiter *limiter, uint32_t place,
                         const struct weir_answer *answer)
{
    struct direct *direct = &limiter->directs[place];

    note_unused(direct, answer);
    if (direct->unused_units != 0) {
        give_unused_back(limiter, direct);
    }
    deny(limiter, place, WEIR_RETRY_NEVER);
}

/* The answer is of no use: ask again; but not for ever, if all answers come too late. */
static void ask_again(struct weir_limiter *limiter, uint32_t place, uint32_t slot, uint64_t now_ns,
                      const struct weir_answer *answer)
{
    struct direct *direct = &limiter->directs[place];
    const struct weir_plan *plan = &limiter->plans[direct->plan_index];

    note_unused(direct, answer);
    if (++direct->late_answers < LATE_ANSWERS_MAX) {
        ask_queue_append(limiter, place | ASK_DIRECT);
        return;
    }
    give_unused_back(limiter, direct);
    if (slot != SLOT_NONE && direct_is_due(limiter, plan) &&
        plan->algorithm != WEIR_ALGORITHM_LOG) {
        /* the next request's answers would hardly be in time either */
        const uint64_t store_us = clock_store_ns(&limiter->clock, now_ns) / NS_PER_US;
        remember(limiter, slot, 1, store_us + plan->lease_period_us);
    }
    deny(limiter, place, plan->lease_period_us * NS_PER_US);
}

/* What a client may be told of the key; answers may overtake each other. */
static void learn(struct weir_limiter *limiter, uint32_t slot, const struct weir_answer *answer)
{
    struct cold *cold = &limiter->cold[slot];

    if (answer->store_us < cold->answered_us) {
        return;
    }
    cold->answered_us = answer->store_us;
    cold->version = answer->version;
    cold->remaining_units = answer->remaining_units;
    cold->outstanding_units = answer->outstanding_units;
    cold->previous_units = answer->previous_units;
    cold->global_rate_milli = answer->global_rate_milli;
}

/* Another plan came while the ask was under way: the request is decided under that one. */
static bool is_outdated(const struct weir_limiter *limiter, const struct direct *direct)
{
    return direct->asked_version !=
           plan_for_ask(limiter, direct->plan_index, direct->assigned_version).version;
}

static void ask_anew(struct weir_limiter *limiter, uint32_t place, const struct weir_answer *answer)
{
    note_unused(&limiter->directs[place], answer);
    ask_queue_append(limiter, place | ASK_DIRECT);
}

void direct_answer(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                   const struct weir_answer *answer)
{
    const struct direct *direct = &limiter->directs[place];
    uint32_t slot = table_find(limiter, &direct->key);

    leave_chain(limiter, place);
    if ((answer->flags & WEIR_ANSWER_REPEATED) == 0 || !limiter->clock.known) {
        clock_learn(&limiter->clock, direct->sent_ns, now_ns, answer->store_us);
    }
    if (slot != SLOT_NONE && limiter->hot[slot].plan_index != direct->plan_index) {
        slot = SLOT_NONE; /* windows of another plan: it cannot count this */
    }
    if (slot != SLOT_NONE) {
        lease_refresh(limiter, slot, now_ns);
        learn(limiter, slot, answer);
    }
    if (limiter->plan_deleted[direct->plan_index]) {
        deny_deleted(limiter, place, answer);
    } else if (is_outdated(limiter, direct)) {
        ask_anew(limiter, place, answer);
    } else if (answer->granted_units < limiter->waiters[place].cost) {
        refuse(limiter, place, slot, now_ns, answer);
    } else if (is_void(limiter, direct, now_ns, answer)) {
        ask_again(limiter, place, slot, now_ns, answer);
    } else {
        admit(limiter, place, slot, now_ns);
    }
    if (slot != SLOT_NONE) {
        lease_refresh(limiter, slot, now_ns); /* what is remembered, in local time */
        asking_plan(limiter, slot, now_ns);
    }
}
