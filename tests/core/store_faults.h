/* One key of a store, processes that answer for nothing, and asks written by hand: for tests of
 * what goes wrong on the way. */
#ifndef WEIR_STORE_FAULTS_H
#define WEIR_STORE_FAULTS_H

#include "core_support.h"

#include <string.h>

#include "weir/take.h"

#define DESK_PROCESSES 8

struct store_desk {
    struct weir_store_key store;
    struct weir_store_run run;
    struct weir_ask_record records[DESK_PROCESSES];
    struct weir_answer heard[DESK_PROCESSES]; /* the last answer of each */
    uint32_t last_sequence;
};

/* A request of `units` waits. The ask says what the process saw last. */
static inline struct weir_ask desk_ask(struct store_desk *desk, const struct weir_plan *plan,
                                       uint32_t process, uint32_t units)
{
    const struct weir_answer *heard = &desk->heard[process];

    return (struct weir_ask){
        .key = PLAIN_KEY,
        .id = {.process = process, .sequence = ++desk->last_sequence, .incarnation = 7},
        .plan = *plan,
        .version_seen = heard->version,
        .run_seen = heard->run_id,
        .seen_us = heard->store_us,
        .remaining_seen_units = heard->remaining_units,
        .outstanding_seen_units = heard->outstanding_units,
        .previous_seen_units = heard->previous_units,
        .need_units = units,
        .least_units = units,
        .want_units = units,
        .largest_units = units,
        .flight_us = WEIR_FLIGHT_US_MIN,
        .rate_milli = 1000,
        .rate_milli_before = heard->version == 0 ? 0 : 1000,
        .rate_share_period = heard->version == 0 ? UINT64_MAX : heard->share_period,
    };
}

static inline struct weir_answer desk_send(struct store_desk *desk, const struct weir_ask *ask,
                                           uint64_t now_us)
{
    struct weir_answer answer;

    assert_int_equal(
        weir_take(&desk->store, &desk->records[ask->id.process], ask, now_us, &desk->run, &answer),
        WEIR_OK);
    return answer;
}

/* Ask, and hear. */
static inline struct weir_answer desk_take(struct store_desk *desk, const struct weir_plan *plan,
                                           uint32_t process, uint32_t units, uint64_t now_us)
{
    const struct weir_ask ask = desk_ask(desk, plan, process, units);

    desk->heard[process] = desk_send(desk, &ask, now_us);
    return desk->heard[process];
}

/* Units are spent at the store, and never in flight. */
static inline void desk_spend(struct store_desk *desk, const struct weir_plan *plan,
                              uint32_t process, uint32_t units, uint64_t now_us)
{
    struct weir_ask ask = desk_ask(desk, plan, process, units);

    ask.flags = WEIR_ASK_SPEND;
    ask.flight_us = 0;
    desk->heard[process] = desk_send(desk, &ask, now_us);
    assert_int_equal(desk->heard[process].granted_units, units);
}

/* Charge units that were spent without the store. */
static inline struct weir_answer desk_charge(struct store_desk *desk, const struct weir_plan *plan,
                                             uint32_t process, uint32_t units, uint64_t from_us,
                                             uint64_t until_us, uint64_t now_us)
{
    struct weir_ask ask = desk_ask(desk, plan, process, 0);

    ask.charge_units = units;
    ask.charge_from_us = from_us;
    ask.charge_until_us = until_us;
    desk->heard[process] = desk_send(desk, &ask, now_us);
    return desk->heard[process];
}

static inline uint64_t desk_left(const struct store_desk *desk, const struct weir_plan *plan,
                                 uint64_t now_us)
{
    struct weir_store_key copy = desk->store;

    weir_store_key_advance(&copy, &PLAIN_KEY, plan, now_us);
    return weir_store_key_remaining(&copy);
}

#endif
