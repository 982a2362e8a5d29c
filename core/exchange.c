/* Asks out, answers in, and what is due: the host's side of everything but decisions. */
#include "arithmetic.h"
#include "limiter_private.h"
#include "owed.h"

/* The breaker of its shard holds the entry back. */
static bool holds_back(struct weir_limiter *limiter, uint32_t entry)
{
    const uint32_t shard = shard_of(limiter, ask_key_of(limiter, entry));

    if (breaker_lets_pass(limiter, shard)) {
        return false;
    }
    ask_queue_append(limiter, QUEUE_HELD + shard, entry);
    return true;
}

/* Flights and probes: what is sent as it is. */
static bool next_send(struct weir_limiter *limiter, uint64_t now_ns, struct weir_ask *ask)
{
    for (;;) {
        const uint32_t entry = ask_queue_pop(limiter, QUEUE_SENDS);
        if (entry == SLOT_NONE) {
            return false;
        }
        if ((entry & ASK_FLIGHT) == 0) {
            breaker_build_probe(limiter, entry & ~ASK_PROBE, now_ns, ask);
            return true;
        }
        if (!holds_back(limiter, entry) && flight_send(limiter, entry & ~ASK_FLIGHT, now_ns)) {
            *ask = limiter->flights[entry & ~ASK_FLIGHT].ask;
            return true;
        }
    }
}

bool weir_limiter_next_ask(struct weir_limiter *limiter, uint64_t now_ns, struct weir_ask *ask)
{
    now_ns = local_time(limiter, now_ns);
    if (next_send(limiter, now_ns, ask)) {
        return true;
    }
    while (flight_has_room(limiter)) {
        const uint32_t entry = ask_queue_pop(limiter, QUEUE_READY);
        if (entry == SLOT_NONE) {
            return false;
        }
        if (holds_back(limiter, entry)) {
            continue;
        }
        if ((entry & ASK_DIRECT) != 0) {
            direct_build(limiter, entry & ~ASK_DIRECT, now_ns, ask);
            return true;
        }
        if (!direct_takes_over(limiter, entry)) {
            asking_build(limiter, entry, now_ns, ask);
            flight_start(limiter, ask, FLIGHT_OF_SLOT, entry, now_ns);
            return true;
        }
    }
    return false;
}

/* An answer to an ask that was sent once tells the store's time; unless the host's clock stepped
 * back while it was on its way, which made the way look short. Before anything else is known, any
 * answer is taken, with as much doubt as it deserves: what it grants has to be judged by some time.
 */
static void learn_clock(struct weir_limiter *limiter, const struct flight *flight, uint64_t now_ns,
                        const struct weir_answer *answer)
{
    const bool is_plain =
        (answer->flags & WEIR_ANSWER_REPEATED) == 0 && flight->sent_count == 1 &&
        (flight->kind != FLIGHT_OF_NOBODY); /* few, and at odd times: at shutdown, at eviction */
    const bool is_torn = flight->first_sent_ns < limiter->stepped_ns;
    const bool was_known = limiter->clock.known;

    if (was_known && (is_torn || !is_plain)) {
        return;
    }
    limiter->counts.clock_steps +=
        (uint64_t)clock_learn(&limiter->clock, flight->first_sent_ns, now_ns, answer->store_us);
    if (is_torn) {
        limiter->clock.error_ns += limiter->options.ask_timeout_ns; /* the next one is better */
    }
}

static void answer_slot(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                        const struct weir_answer *answer, bool is_late)
{
    struct hot *hot = &limiter->hot[slot];

    hot->flags &= (uint16_t)~HOT_IN_FLIGHT;
    limiter->cold[slot].refused_asks = 0;
    degraded_answered(limiter, slot, now_ns, answer, is_late);
    lease_take_answer(limiter, slot, now_ns, answer);
    if (hot->flags & HOT_GRACE) {
        waiting_give_up(limiter, slot, now_ns, NEVER);
    }
    if (limiter->cold[slot].wait_last != SLOT_NONE || owed_is_due(limiter, slot, now_ns)) {
        asking_queue(limiter, slot, 0); /* the store had more than it was asked for */
    }
    asking_plan(limiter, slot, now_ns);
}

enum weir_status weir_limiter_answer(struct weir_limiter *limiter, uint64_t now_ns,
                                     const struct weir_answer *answer)
{
    const uint32_t place = flight_find(limiter, &answer->key, &answer->id);

    now_ns = local_time(limiter, now_ns);
    if (place == SLOT_NONE) {
        return breaker_hear(limiter, now_ns, answer) ? WEIR_OK : WEIR_ERR_UNEXPECTED;
    }
    if (!outbox_has_room(limiter)) {
        return WEIR_ERR_OUTBOX_FULL;
    }
    const struct flight flight = limiter->flights[place];
    const bool is_late = flight.state != FLIGHT_SENT || flight.sent_count > 1;
    learn_clock(limiter, &flight, now_ns, answer);
    limiter->counts.data_losses += (answer->flags & WEIR_ANSWER_DATA_LOST) != 0;
    if (answer->flags & WEIR_ANSWER_EXPIRED) {
        flight_write_off(limiter, place, now_ns);
        breaker_answered(limiter, &flight.ask.key, flight.sent_ns, now_ns);
        return WEIR_OK;
    }
    flight_end(limiter, place);
    breaker_answered(limiter, &flight.ask.key, flight.sent_ns, now_ns);
    switch ((enum flight_owner)flight.kind) {
    case FLIGHT_OF_SLOT:
        answer_slot(limiter, flight.owner, now_ns, answer, is_late);
        break;
    case FLIGHT_OF_WAITER:
        direct_answer(limiter, flight.owner, now_ns, &flight.ask, answer, is_late);
        break;
    case FLIGHT_OF_ONE_ADMITTED:
    case FLIGHT_OF_ONE_DENIED:
        direct_answer_late(limiter, &flight, now_ns, answer);
        break;
    case FLIGHT_OF_NOBODY:
        break;
    }
    return WEIR_OK;
}

enum weir_status weir_limiter_ask_failed(struct weir_limiter *limiter, uint64_t now_ns,
                                         const struct weir_key *key, const struct weir_ask_id *id,
                                         enum weir_failure failure)
{
    const uint32_t place = flight_find(limiter, key, id);

    now_ns = local_time(limiter, now_ns);
    if (place == SLOT_NONE) {
        return breaker_probe_failed(limiter, now_ns, key, id) ? WEIR_OK : WEIR_ERR_UNEXPECTED;
    }
    flight_failed(limiter, place, now_ns, failure);
    return WEIR_OK;
}

bool weir_limiter_is_in_flight(const struct weir_limiter *limiter, const struct weir_key *key,
                               const struct weir_ask_id *id)
{
    return flight_find(limiter, key, id) != SLOT_NONE;
}

uint64_t weir_limiter_next_deadline_ns(const struct weir_limiter *limiter)
{
    const uint64_t first_ns = deadline_first_ns(limiter);

    return first_ns == NEVER ? NEVER : first_ns - limiter->correction_ns;
}

void weir_limiter_expire(struct weir_limiter *limiter, uint64_t now_ns)
{
    now_ns = local_time(limiter, now_ns);
    while (deadline_first_ns(limiter) <= now_ns && outbox_has_room(limiter)) {
        const uint32_t number = limiter->heap[0];
        if ((number & ASK_DIRECT) != 0) {
            direct_due(limiter, now_ns);
        } else if ((number & ASK_FLIGHT) != 0) {
            flight_due(limiter, number & ~ASK_FLIGHT, now_ns);
        } else if ((number & ASK_PROBE) != 0) {
            breaker_due(limiter, number & ~ASK_PROBE, now_ns);
        } else {
            asking_due(limiter, number, now_ns);
        }
    }
}

void weir_limiter_counts(const struct weir_limiter *limiter, struct weir_limiter_counts *counts)
{
    *counts = limiter->counts;
}

/* Whether the slot is busy; one that a breaker holds back is not. */
static bool is_busy(struct weir_limiter *limiter, uint32_t slot)
{
    struct hot *hot = &limiter->hot[slot];

    if (hot->flags & HOT_IN_FLIGHT || limiter->cold[slot].wait_last != SLOT_NONE) {
        return true;
    }
    if ((hot->flags & HOT_QUEUED) == 0) {
        return false;
    }
    if (limiter->cold[slot].link.queue < QUEUE_HELD) {
        return true;
    }
    ask_queue_remove(limiter, slot);
    hot->flags &= (uint16_t)~HOT_QUEUED;
    return false;
}

enum weir_shutdown weir_limiter_shutdown(struct weir_limiter *limiter, uint64_t now_ns)
{
    enum weir_shutdown result = WEIR_SHUTDOWN_DONE;

    now_ns = local_time(limiter, now_ns);
    for (uint32_t slot = 0; slot < limiter->used_slots; slot++) {
        if ((limiter->hot[slot].flags & HOT_USED) == 0) {
            continue;
        }
        if (!outbox_has_room(limiter) ||
            (!flight_has_room(limiter) && limiter->queues[QUEUE_SENDS].first != SLOT_NONE)) {
            return WEIR_SHUTDOWN_OUTBOX_FULL;
        }
        if (!flight_has_room(limiter) || is_busy(limiter, slot)) {
            result = WEIR_SHUTDOWN_BUSY;
            continue;
        }
        lease_refresh(limiter, slot, now_ns);
        if (outbox_has_to_report(limiter, slot)) {
            outbox_report(limiter, slot, true);
        }
        /* else the store never heard of it */
        if (limiter->cold[slot].sequence != 0 || owed_any(limiter, slot)) {
            outbox_last_words(limiter, slot, now_ns);
        }
        deadline_set(limiter, slot, NEVER);
        table_remove(limiter, slot);
    }
    return limiter->direct_count == 0 && limiter->flight_count == 0 ? result : WEIR_SHUTDOWN_BUSY;
}
