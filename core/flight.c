/* Asks on their way: a pool of all that were handed out, each as it was handed out, until it is
 * answered or written off.
 *
 * An ask that is not answered in ask_timeout_ns is given up: its shard's breaker hears of it, and
 * it is sent again, to the byte, after a backoff that doubles. The store carries it out once, and
 * before it expires or never. So once the store's clock has surely passed expires_us nobody will
 * ever carry it out, and nobody knows whether somebody did: it is written off. What it reported is
 * not reported again, since it may have been heard; what it gave back may be lost, which denies
 * something, and never admits anything.
 *
 * One that was refused was not carried out. What it reported goes back to where it came from, and
 * the flight stays only to keep its owner from asking again at once. */
#include "arithmetic.h"
#include "direct_key.h"
#include "limiter_private.h"
#include "weir/assert.h"

/* Without the store's time: an answer is remembered for so long from when the ask arrives. */
#define RECORD_NS (WEIR_RECORD_US * NS_PER_US)
#define REPEAT_NS (RECORD_NS / 10 * 9) /* one that is sent later may come too late */
#define ROUND_TRIPS 4u
/* That nothing came says something of the store only if somebody listened: a deadline missed by so
 * much was slept through. */
#define SLEPT_NS (100 * NS_PER_MS)

uint32_t flight_head_count(uint32_t ask_capacity)
{
    uint32_t count = 1;

    while (count < ask_capacity) {
        count *=
            2; /* sequence numbers follow each other: those in flight mostly have a chain each */
    }
    return count;
}

void flight_init(struct weir_limiter *limiter)
{
    const uint32_t count = flight_head_count(limiter->options.ask_capacity);

    limiter->flight_mask = count - 1;
    limiter->flight_free = 0;
    limiter->used_flights = 0;
    limiter->flight_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        limiter->flight_heads[i] = 0;
    }
}

bool flight_has_room(const struct weir_limiter *limiter)
{
    return limiter->flight_count < limiter->options.ask_capacity;
}

static uint32_t take_place(struct weir_limiter *limiter)
{
    WEIR_ASSERT(flight_has_room(limiter));
    limiter->flight_count++;
    if (limiter->flight_free == 0) {
        return limiter->used_flights++;
    }
    const uint32_t place = limiter->flight_free - 1;
    limiter->flight_free = limiter->flights[place].next;
    return place;
}

static uint32_t *head_of(struct weir_limiter *limiter, const struct flight *flight)
{
    return &limiter->flight_heads[flight->ask.id.sequence & limiter->flight_mask];
}

static uint32_t add(struct weir_limiter *limiter, const struct weir_ask *ask,
                    enum flight_owner kind, uint32_t owner, uint64_t now_ns)
{
    const uint32_t place = take_place(limiter);
    struct flight *flight = &limiter->flights[place];

    *flight = (struct flight){
        .ask = *ask,
        .first_sent_ns = now_ns,
        .sent_ns = now_ns,
        .deadline_ns = NEVER,
        .owner = owner,
        .kind = (uint8_t)kind,
    };
    uint32_t *head = head_of(limiter, flight);
    flight->next = *head;
    *head = place + 1;
    return place;
}

static void leave_chain(struct weir_limiter *limiter, uint32_t place)
{
    uint32_t *entry = head_of(limiter, &limiter->flights[place]);

    while (*entry != place + 1) {
        WEIR_ASSERT(*entry != 0);
        entry = &limiter->flights[*entry - 1].next;
    }
    *entry = limiter->flights[place].next;
}

uint32_t flight_find(const struct weir_limiter *limiter, const struct weir_key *key,
                     const struct weir_ask_id *id)
{
    uint32_t entry = limiter->flight_heads[id->sequence & limiter->flight_mask];

    if (id->incarnation != limiter->options.incarnation) {
        return SLOT_NONE;
    }
    for (; entry != 0; entry = limiter->flights[entry - 1].next) {
        const struct weir_ask *ask = &limiter->flights[entry - 1].ask;
        if (ask->id.sequence == id->sequence && ask->key.low == key->low &&
            ask->key.high == key->high) {
            return entry - 1;
        }
    }
    return SLOT_NONE;
}

/* Local time from which it is written off. */
static uint64_t over_ns(const struct weir_limiter *limiter, const struct flight *flight,
                        uint64_t now_ns)
{
    if (flight->ask.expires_us == 0) {
        return flight->first_sent_ns + asking_record_us(limiter) * NS_PER_US;
    }
    /* one that was carried out at the last moment has an answer, which takes its time */
    const uint64_t answer_us =
        flight->sent_count == 0 ? 0 : ROUND_TRIPS * limiter->clock.round_trip_ns / NS_PER_US;
    return clock_surely_reached_ns(&limiter->clock, now_ns, flight->ask.expires_us + answer_us);
}

static bool comes_in_time(const struct weir_limiter *limiter, const struct flight *flight,
                          uint64_t now_ns)
{
    if (flight->ask.expires_us == 0) {
        return flight->sent_count == 0 || now_ns < flight->first_sent_ns + REPEAT_NS;
    }
    /* a repeated one could wait for the next, a first one is all there is */
    const uint64_t margin_ns =
        flight->sent_count == 0 ? 0 : ROUND_TRIPS * limiter->clock.round_trip_ns;
    return now_ns + margin_ns <
           clock_surely_before_ns(&limiter->clock, now_ns, flight->ask.expires_us);
}

static void set_deadline(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                         uint64_t at_ns)
{
    const uint64_t end_ns = over_ns(limiter, &limiter->flights[place], now_ns);

    deadline_set(limiter, place | ASK_FLIGHT, lesser(at_ns, end_ns));
}

static void sent(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    struct flight *flight = &limiter->flights[place];

    flight->state = FLIGHT_SENT;
    flight->sent_ns = now_ns;
    flight->first_sent_ns = flight->sent_count == 0 ? now_ns : flight->first_sent_ns;
    flight->sent_count++;
    breaker_sent(limiter, shard_of(limiter, &flight->ask.key));
    set_deadline(limiter, place, now_ns, saturating_add(now_ns, limiter->options.ask_timeout_ns));
}

uint32_t flight_start(struct weir_limiter *limiter, const struct weir_ask *ask,
                      enum flight_owner kind, uint32_t owner, uint64_t now_ns)
{
    const uint32_t place = add(limiter, ask, kind, owner, now_ns);

    sent(limiter, place, now_ns);
    return place;
}

void flight_queue(struct weir_limiter *limiter, const struct weir_ask *ask, uint64_t now_ns)
{
    const uint32_t place = add(limiter, ask, FLIGHT_OF_NOBODY, SLOT_NONE, now_ns);

    limiter->flights[place].state = FLIGHT_QUEUED;
    ask_queue_append(limiter, QUEUE_SENDS, place | ASK_FLIGHT);
    set_deadline(limiter, place, now_ns, NEVER);
}

bool flight_send(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    struct flight *flight = &limiter->flights[place];

    WEIR_ASSERT(flight->state == FLIGHT_QUEUED);
    if (!comes_in_time(limiter, flight, now_ns)) {
        flight->state = FLIGHT_GIVEN_UP;
        set_deadline(limiter, place, now_ns, NEVER);
        return false;
    }
    limiter->counts.asks_repeated += flight->sent_count != 0;
    sent(limiter, place, now_ns);
    return true;
}

void flight_end(struct weir_limiter *limiter, uint32_t place)
{
    struct flight *flight = &limiter->flights[place];

    if (flight->state == FLIGHT_SENT) {
        breaker_resolved(limiter, shard_of(limiter, &flight->ask.key));
    }
    if (flight->state != FLIGHT_REFUSED) {
        leave_chain(limiter, place);
    }
    ask_queue_remove(limiter, place | ASK_FLIGHT);
    deadline_set(limiter, place | ASK_FLIGHT, NEVER);
    flight->state = FLIGHT_FREE;
    flight->next = limiter->flight_free;
    limiter->flight_free = place + 1;
    limiter->flight_count--;
}

/* Its owner may ask anew. */
static void let_owner_go(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    const struct flight *flight = &limiter->flights[place];
    const enum flight_owner kind = (enum flight_owner)flight->kind;
    const uint32_t owner = flight->owner;

    flight_end(limiter, place);
    if (kind == FLIGHT_OF_SLOT) {
        asking_again(limiter, owner, now_ns);
    } else if (kind == FLIGHT_OF_WAITER) {
        direct_again(limiter, owner);
    }
}

/* What an ask gives back. */
static uint64_t given_units(const struct weir_ask *ask)
{
    const uint64_t cancelled =
        (ask->flags & WEIR_ASK_CANCEL_TRICKLE) == 0
            ? 0
            : (uint64_t)ask->trickle_count[0] + ask->trickle_count[1] - ask->trickle_accrued;

    return cancelled + ask->returned_units + ask->unused_units;
}

uint64_t flight_unsent_units(const struct weir_limiter *limiter, const struct weir_key *key)
{
    uint64_t units = 0;

    for (uint32_t place = 0; place < limiter->used_flights; place++) {
        const struct flight *flight = &limiter->flights[place];
        if ((flight->state == FLIGHT_QUEUED || flight->state == FLIGHT_GIVEN_UP) &&
            flight->sent_count == 0 && flight->ask.key.low == key->low &&
            flight->ask.key.high == key->high) {
            units += given_units(&flight->ask);
        }
    }
    return units;
}

void flight_write_off(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    const struct flight *flight = &limiter->flights[place];

    limiter->counts.asks_expired++;
    limiter->counts.unsent_units += flight->sent_count == 0 ? given_units(&flight->ask) : 0;
    direct_demand_in_doubt(limiter, &flight->ask);
    let_owner_go(limiter, place, now_ns);
}

static void count_failure(struct weir_limiter *limiter, const struct flight *flight,
                          uint64_t due_ns, uint64_t now_ns)
{
    limiter->counts.asks_failed++;
    breaker_resolved(limiter, shard_of(limiter, &flight->ask.key));
    if (now_ns - due_ns < SLEPT_NS) {
        breaker_failed(limiter, &flight->ask.key, flight->sent_ns, now_ns);
    } else {
        breaker_unsettled(limiter, &flight->ask.key);
    }
}

static void give_up(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    struct flight *flight = &limiter->flights[place];
    const uint64_t due_ns = lesser(flight->deadline_ns, now_ns);
    const uint64_t backoff_ns =
        backoff_doubled_ns(limiter->options.ask_timeout_ns, flight->sent_count - 1);

    flight->state = FLIGHT_GIVEN_UP;
    set_deadline(limiter, place, now_ns, now_ns + backoff_jittered_ns(limiter, backoff_ns));
    count_failure(limiter, flight, due_ns, now_ns);
}

void flight_due(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    struct flight *flight = &limiter->flights[place];

    if (flight->state == FLIGHT_REFUSED) {
        let_owner_go(limiter, place, now_ns);
        return;
    }
    if (flight->state == FLIGHT_SENT) {
        give_up(limiter, place, now_ns);
        if (flight->deadline_ns > now_ns) {
            return;
        }
    }
    if (now_ns >= over_ns(limiter, flight, now_ns)) {
        flight_write_off(limiter, place, now_ns);
        return;
    }
    if (flight->state == FLIGHT_GIVEN_UP && comes_in_time(limiter, flight, now_ns)) {
        flight->state = FLIGHT_QUEUED;
        ask_queue_append(limiter, QUEUE_SENDS, place | ASK_FLIGHT);
    }
    set_deadline(limiter, place, now_ns, NEVER);
}

/* How often in a row the owner was refused before. */
static uint32_t count_refusal(struct weir_limiter *limiter, const struct flight *flight)
{
    uint16_t *count = flight->kind == FLIGHT_OF_SLOT
                          ? &limiter->cold[flight->owner].refused_asks
                          : &limiter->directs[flight->owner].refused_asks;

    *count = (uint16_t)(*count + (*count != UINT16_MAX));
    return *count - UINT32_C(1);
}

static void refused(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns)
{
    struct flight *flight = &limiter->flights[place];
    const uint64_t backoff_ns =
        backoff_doubled_ns(limiter->options.ask_timeout_ns, count_refusal(limiter, flight));

    if (flight->kind == FLIGHT_OF_SLOT) {
        asking_take_back(limiter, flight->owner, now_ns, &flight->ask);
    } else {
        direct_take_back(limiter, flight->owner, &flight->ask);
    }
    leave_chain(limiter, place);
    ask_queue_remove(limiter, place | ASK_FLIGHT);
    flight->state = FLIGHT_REFUSED;
    deadline_set(limiter, place | ASK_FLIGHT, now_ns + backoff_jittered_ns(limiter, backoff_ns));
}

void flight_failed(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                   enum weir_failure failure)
{
    struct flight *flight = &limiter->flights[place];
    const bool is_out = flight->state == FLIGHT_SENT;
    const enum flight_owner kind = (enum flight_owner)flight->kind;

    /* a copy sent earlier may have been carried out: of such an ask a refusal says nothing */
    if (failure == WEIR_FAILURE_UNKNOWN || flight->sent_count > 1 || kind == FLIGHT_OF_NOBODY) {
        if (is_out) {
            give_up(limiter, place, now_ns);
        }
        return;
    }
    if (is_out) {
        count_failure(limiter, flight, now_ns, now_ns);
        flight->state = FLIGHT_GIVEN_UP;
    }
    if (kind == FLIGHT_OF_SLOT || kind == FLIGHT_OF_WAITER) {
        refused(limiter, place, now_ns);
    } else {
        limiter->counts.unsent_units += given_units(&flight->ask);
        direct_demand_untold(limiter, &flight->ask);
        flight_end(limiter, place);
    }
}
