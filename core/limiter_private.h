/* The limiter's insides, shared by the files that make it up:
 *
 *   limiter.c   the order of a decision
 *   exchange.c  asks out, answers in, and what is due
 *   setup.c     memory, plans, weights
 *   quota.c     what a client may be told; snapshot.c: what an engineer may
 *   table.c     which slot a key has; which key makes room
 *   lease.c     what a slot holds and may spend, and what an answer changes
 *   trickle.c   what it was promised over time
 *   asking.c    when a slot asks, and for what
 *   sizer.c     how large a lease it wants, unless leases are tapered
 *   waiting.c   requests that wait for the store
 *   direct.c    requests that the store decides one by one; direct_key.c, direct_list.c
 *   queue.c     the order of asks
 *   demand.c    how fast requests come in
 *   flight.c    asks on their way: repeated, given up, expired
 *   breaker.c   which shards are asked at all
 *   degraded.c  what is admitted without the store
 *   budget.c    how much that may be; history.c: of logs
 *   owed.c      what of it is yet to be charged
 *   offset.c    what time it is at the store
 *   deadline.c  what wants attention next, and when
 *   outbox.c    reports, and the last words of evicted keys */
#ifndef WEIR_LIMITER_PRIVATE_H
#define WEIR_LIMITER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sending.h"
#include "weir/limiter.h"
#include "weir/take.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define SLOT_NONE UINT32_MAX
#define NEVER UINT64_MAX
#define GRANT_UNITS_MAX (UINT32_C(1) << 30)
#define DEMAND_PERIOD_MS 10000u

enum hot_flag {
    HOT_USED = 1,       /* the slot holds a key */
    HOT_IN_FLIGHT = 2,  /* an ask was handed out and not answered */
    HOT_QUEUED = 4,     /* an ask waits for next_ask */
    HOT_RETURN = 8,     /* ... and it only gives back */
    HOT_PREFETCH = 16,  /* the store allows asking before the lease is used up */
    HOT_PARKED = 32,    /* the last denial: permits are out elsewhere */
    HOT_TRICKLE = 64,   /* wants to ask for the next trickle when retry_us has come */
    HOT_RECALLED = 128, /* another plan came: what is held is to be given back */
    HOT_OUTDATED = 256, /* ... and so is what the ask in flight will bring */
    /* the ask in flight was for a plan without a limit: the store counts nothing of it */
    HOT_UNCOUNTED = 512,
    HOT_GRACE = 1024, /* the store collects charges until retry_us, and grants nothing */
};

/* All that a local decision touches: one cache line. */
struct hot {
    struct weir_key key;
    uint64_t fast_until_ns; /* until then held may be spent, and spent counts for the same window */
    /* until then a cost of deny_units or more, beyond what is held, is denied */
    uint64_t deny_until_ns;
    uint64_t spent_units; /* in the accounting window */
    uint32_t held_units;
    uint32_t low_units;    /* a spend that leaves less goes the slow way, to ask in time */
    uint32_t deny_units;   /* UINT32_MAX: nothing is remembered */
    uint32_t demand_units; /* admitted, denied and waiting since demand_start_ms; saturates */
    uint32_t touched_ms;   /* last request */
    uint16_t plan_index;
    uint16_t flags; /* enum hot_flag */
};

_Static_assert(sizeof(struct hot) == 64, "a local decision touches one cache line");

/* What only asks and answers touch. Times are store microseconds unless the name says otherwise. */
struct cold {
    uint64_t lease_end_us;     /* held_units end then */
    uint64_t retry_us;         /* no ask before; 0: none */
    uint64_t trickle_period;   /* of trickle[0]; trickle[1] is for the next */
    uint64_t window_index;     /* accounting window of hot.spent_units, ... */
    uint64_t window_us;        /* ... its length when it began; 0: none began */
    uint64_t previous_units;   /* sliding: the store's, at answered_us */
    uint64_t assigned_version; /* see struct weir_request */
    uint64_t remaining_units;  /* the store's, at answered_us */
    uint64_t answered_us;      /* 0: never */
    uint64_t version;
    uint64_t outstanding_units; /* out in processes, as the store knew at answered_us */
    uint64_t global_rate_milli; /* demand of all processes, as last seen when none was denied */
    uint64_t deadline_ns;       /* local; NEVER: not in the heap */
    uint64_t run_id;            /* of the answer that brought version */
    uint64_t rate_share_period;
    uint32_t trickle[2];
    uint32_t trickle_taken;  /* permits of trickle[0] already added to held_units */
    uint32_t leased_units;   /* held_units + what was spent of leases since the last ask */
    uint32_t returned_units; /* given up, not yet reported to the store */
    uint32_t expired_units;  /* part of it that ended with an earlier lease */
    uint32_t unused_units;   /* granted to waiting requests and come too late for them; likewise */
    uint32_t rate_reported_milli;
    uint32_t kept_ppm; /* the share that the store said it keeps, likewise; 0: it does not rest */
    uint32_t rate_before_milli; /* in the demand period before demand_start_ms */
    uint32_t demand_start_ms;
    uint32_t resumed_ms;       /* first request after the last idle spell */
    uint32_t granted_units;    /* by the last answer */
    uint32_t next_lease_units; /* doubling: if the last lease is used up; 0: there was none */
    uint32_t need_units;       /* of the ask in flight ... */
    uint32_t least_units;
    uint32_t flight_us;
    uint32_t granted_ms; /* when the last grant came */
    uint32_t sequence;   /* of the last ask; 0: there was none */
    uint32_t largest_units;
    uint32_t report_sequence;
    uint32_t demand_sequence; /* of the request's ask in flight that tells the demand; 0: none */
    uint32_t life;
    uint32_t deadline_place; /* in the heap */
    struct ask_link link;    /* free slots are a list through link.next */
    uint32_t wait_last;      /* circular list of waiters, SLOT_NONE: none */
    uint32_t wait_units;     /* their cost */
    uint16_t denied_asks;    /* in a row */
    uint16_t late_grants;    /* in a row */
    uint16_t refused_asks;   /* in a row */
};

struct waiter {
    uint64_t ticket;
    uint64_t since_ns;
    uint32_t next; /* in whatever list holds it; see waiting.c */
    uint32_t cost;
    struct weir_decision decision; /* once settled */
};

/* A waiter that the store decides alone has one of these in the same place of limiter->directs. It
 * names its key and not a slot: the key may be evicted, or come into the table, meanwhile. */
struct direct {
    struct weir_key key;
    uint64_t lease_end_us;     /* of the void grant whose units are unused; 0: none is */
    uint64_t assigned_version; /* see struct weir_request */
    struct ask_link link;
    uint32_t older; /* waiters, by the time since which they wait; SLOT_NONE: none */
    uint32_t newer;
    uint32_t flight;       /* SLOT_NONE: none */
    uint32_t unused_units; /* granted and come too late, not yet reported */
    uint16_t plan_index;
    uint16_t late_answers; /* in a row */
    uint16_t refused_asks; /* in a row */
};

/* What a slot may admit without the store; see degraded.c. Times are store microseconds. */
struct degraded {
    /* the last answer */
    uint64_t base_us;  /* 0: none */
    uint64_t share_ns; /* local time, when the share was told */
    uint64_t remaining_units;
    uint64_t previous_units; /* sliding */
    uint64_t own_milli;      /* demand of this process, when it was last active */
    uint64_t others_milli;   /* of the other processes, those that rest included */
    uint64_t promised_units; /* then, of what was to be refilled */

    /* the spell, from the first decision without the store since */
    uint64_t updated_us;  /* local time: the store's may not be known yet */
    uint64_t level;       /* bucket: in 1 / rate_period_us of a unit */
    uint64_t owed;        /* bucket: leased beyond the level, which refills when it is repaid */
    uint64_t pool_units;  /* windows: own part of what was left of the answer's window */
    uint64_t spell_units; /* windows: admitted in spell_window */
    uint64_t spell_window;
    uint64_t floor_window; /* the last one whose floor is used; NEVER: none */

    uint64_t window_units; /* in the accounting window: admitted without the store */
    uint64_t before_units; /* in the one before: spent, either way */

    /* admitted without the store and not yet charged */
    uint64_t charge_from_us;
    uint64_t charge_until_us;
    uint64_t charge_window;
    uint32_t charge_units;
    uint32_t charge_before_units; /* in the window before charge_window */

    bool decided; /* in the accounting window, without the store */
    uint32_t share_ppm;
    uint32_t fraction_ppm; /* of the limit, in this spell */
    uint32_t carry;        /* of the level, in millionths */
    uint32_t history;      /* its place in limiter->histories + 1; 0: none is kept */
    bool in_spell;
    bool is_local; /* spell_window is one of local time */
};

/* What direct_add needs to know. */
struct direct_request {
    struct weir_key key;
    uint64_t assigned_version;
    uint32_t plan_index;
    uint32_t cost;
};

/* Store time = local time + offset_ns, give or take error_ns, which grows by 200 ppm of the age. */
struct clock_offset {
    int64_t offset_ns;
    uint64_t error_ns; /* at measured_ns */
    uint64_t measured_ns;
    uint64_t round_trip_ns; /* recent, on the high side */
    bool known;
};

#define REPORT_OUTBOX 64
#define OUTBOX_RESERVE 4 /* places one call may use */

struct weir_limiter {
    struct weir_limiter_options options;
    uint64_t inner_ns;      /* local time: the latest of any call; see local_time */
    uint64_t correction_ns; /* the host's clock + this, modulo 2^64 */
    uint64_t stepped_ns;    /* local; when the host's clock last stepped back; 0: never */
    struct clock_offset clock;
    struct weir_limiter_counts counts;

    struct hot *hot;
    struct cold *cold;
    struct degraded *degraded; /* by slot */
    struct history *histories; /* by degraded.history - 1 */
    uint32_t history_free;     /* list through next_free: place + 1 */
    uint32_t used_histories;
    uint32_t used_slots;
    uint32_t free_slot; /* list through link.next */
    uint32_t *index;    /* open addressing: slot + 1, 0: empty */
    uint32_t index_mask;
    uint32_t evict_hand;
    uint32_t lives; /* keys ever inserted */

    struct weir_plan *plans; /* version 0: never set */
    bool *plan_deleted;
    uint32_t *weights;
    uint64_t *weight_versions;

    uint32_t *heap; /* by deadline: slots, flights, shards, and one for waiters without a slot */
    uint32_t heap_size;
    uint64_t directs_deadline_ns;
    uint32_t directs_deadline_place;

    struct ask_queue *queues; /* QUEUE_HELD + shard_count of them; [QUEUE_NONE] is empty */
    uint32_t sequence;

    struct flight *flights;
    uint32_t *flight_heads; /* chains, by sequence: flight + 1, 0: empty */
    uint32_t flight_mask;
    uint32_t flight_free; /* list through next: flight + 1 */
    uint32_t used_flights;
    uint32_t flight_count; /* not free */

    struct breaker *breakers;
    uint32_t half_open_count; /* of them */
    uint32_t jitter_count;

    struct waiter *waiters;
    uint32_t waiter_free; /* list through next */
    uint32_t used_waiters;
    uint32_t settled_first;
    uint32_t settled_last;
    uint64_t next_ticket;

    struct direct *directs;
    uint32_t direct_count; /* that wait */
    uint32_t direct_oldest;
    uint32_t direct_newest;

    struct weir_report refused; /* the last that reports a denial without store and slot */
    struct weir_report reports[REPORT_OUTBOX];
    uint32_t report_first;
    uint32_t report_count;
};

/* limiter.c */
struct weir_decision limiter_denial(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                                    uint32_t cost);
uint64_t local_time_stepped_back(struct weir_limiter *limiter, uint64_t now_ns);

/* Local time, by which all deadlines go: the host's clock, but it never goes back. Of a step by any
 * amount, modulo 2^64, the shorter way is the one it went. */
static inline uint64_t local_time(struct weir_limiter *limiter, uint64_t now_ns)
{
    const uint64_t inner_ns = now_ns + limiter->correction_ns;

    if (inner_ns - limiter->inner_ns > NEVER / 2) {
        return local_time_stepped_back(limiter, now_ns);
    }
    limiter->inner_ns = inner_ns;
    return inner_ns;
}

/* The same for calls that change nothing. */
static inline uint64_t local_time_read(const struct weir_limiter *limiter, uint64_t now_ns)
{
    const uint64_t inner_ns = now_ns + limiter->correction_ns;

    return inner_ns - limiter->inner_ns > NEVER / 2 ? limiter->inner_ns : inner_ns;
}

static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
    return a > NEVER - b ? NEVER : a + b;
}

static inline bool keys_equal(const struct weir_key *a, const struct weir_key *b)
{
    return a->low == b->low && a->high == b->high;
}

static inline uint32_t shard_of(const struct weir_limiter *limiter, const struct weir_key *key)
{
    return limiter->options.shard_count == 1 ? 0
                                             : weir_key_shard(key, limiter->options.shard_count);
}

/* Of the next ask; 0 is no sequence number. */
static inline uint32_t next_sequence(struct weir_limiter *limiter)
{
    limiter->sequence += limiter->sequence == UINT32_MAX ? 2 : 1;
    return limiter->sequence;
}

static inline const struct weir_plan *slot_plan(const struct weir_limiter *limiter, uint32_t slot)
{
    return &limiter->plans[limiter->hot[slot].plan_index];
}

/* offset.c */
/* Returns 1 if a clock has stepped: the measurement replaces one that it contradicts. Else 0. */
int clock_learn(struct clock_offset *clock, uint64_t sent_ns, uint64_t received_ns,
                uint64_t store_us);
uint64_t clock_error_ns(const struct clock_offset *clock, uint64_t now_ns);
/* Store nanoseconds. Require clock->known. */
uint64_t clock_store_ns(const struct clock_offset *clock, uint64_t now_ns);
uint64_t clock_early_ns(const struct clock_offset *clock, uint64_t now_ns);
uint64_t clock_late_ns(const struct clock_offset *clock, uint64_t now_ns);
/* Local time until which the store's clock surely has not reached store_us; else now_ns. */
uint64_t clock_surely_before_ns(const struct clock_offset *clock, uint64_t now_ns,
                                uint64_t store_us);
/* Local time from which the store's clock has surely reached store_us; now_ns if it has. */
uint64_t clock_surely_reached_ns(const struct clock_offset *clock, uint64_t now_ns,
                                 uint64_t store_us);
/* How long a client is to wait for local time until_ns, by a clock of its own: ours may be 200 ppm
 * slower. At least 1; NEVER, which is WEIR_RETRY_NEVER, if that is NEVER. */
uint64_t clock_wait_ns(uint64_t now_ns, uint64_t until_ns);

/* table.c */
uint32_t table_find(const struct weir_limiter *limiter, const struct weir_key *key);
/* Bring a key's place in the index nearer to the processor; then, once that is near, its slot. */
void table_prefetch_index(const struct weir_limiter *limiter, const struct weir_key *key);
void table_prefetch_slot(const struct weir_limiter *limiter, const struct weir_key *key);
uint32_t table_insert(struct weir_limiter *limiter, const struct weir_key *key);
void table_remove(struct weir_limiter *limiter, uint32_t slot);
/* The coldest of a sample of keys with nothing in flight; SLOT_NONE if all of them wait. */
uint32_t table_coldest(struct weir_limiter *limiter, uint64_t now_ns);

/* deadline.c */
/* Of a slot, or of what else has a number with a mark. */
void deadline_set(struct weir_limiter *limiter, uint32_t number, uint64_t deadline_ns);
/* How many may have one. */
static inline uint32_t deadline_capacity(const struct weir_limiter_options *options)
{
    return options->key_capacity + options->ask_capacity + options->shard_count + 1;
}
uint64_t deadline_first_ns(const struct weir_limiter *limiter);

/* demand.c */
uint32_t local_ms(const struct weir_limiter *limiter, uint64_t now_ns);
void demand_start(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
uint64_t demand_rate_milli(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
uint64_t demand_idle_ns(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
bool demand_is_idle(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);

/* lease.c: what a slot holds. lease_refresh first, the others rely on it. */
void lease_refresh(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
void lease_spend(struct weir_limiter *limiter, uint32_t slot, uint32_t cost);
bool lease_denies(const struct weir_limiter *limiter, uint32_t slot, uint32_t cost);
bool lease_is_held(const struct weir_limiter *limiter, uint32_t slot);
void lease_take_answer(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                       const struct weir_answer *answer);
void lease_take_grace(struct weir_limiter *limiter, uint32_t slot,
                      const struct weir_answer *answer);
uint64_t lease_window_end_us(const struct weir_limiter *limiter, uint32_t slot);
/* What is held is given back when the slot is next looked at. */
void lease_recall(struct weir_limiter *limiter, uint32_t slot);

/* trickle.c. Permits of the current trickle that are surely valid by early_ns are held. */
void trickle_accrue(struct weir_limiter *limiter, uint32_t slot, uint64_t early_ns);
/* Promises end with the lease: what was not taken of them is reported as expired. */
void trickle_end(struct cold *cold);
void trickle_forgo(struct cold *cold, uint32_t units); /* reported, and never to be credited */
/* Store time of the next permit; NEVER: none is promised. */
uint64_t trickle_next_permit_us(const struct weir_limiter *limiter, uint32_t slot);
/* The store's next promise, and which period it is in. */
void trickle_accept(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                    const struct weir_answer *answer);

/* setup.c */
/* The plan as an ask carries it: with the version of the key's assignment to it, if newer. */
struct weir_plan plan_for_ask(const struct weir_limiter *limiter, uint32_t plan_index,
                              uint64_t assigned_version);
void plan_forget_denial(struct weir_limiter *limiter, uint32_t slot);

/* asking.c: when to ask, and for what. */
void asking_plan(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
void asking_due(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
bool asking_has_to_report(const struct weir_limiter *limiter, uint32_t slot);
void asking_queue(struct weir_limiter *limiter, uint32_t slot, unsigned extra_flags);
/* The key as the process saw it last. */
void asking_state_seen(const struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask);
void asking_build(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                  struct weir_ask *ask);
/* The demand as an ask tells it. */
uint64_t asking_rate_milli(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
void asking_tell_demand(struct cold *cold, uint64_t rate_milli, struct weir_ask *ask);
uint32_t asking_flight_us(const struct clock_offset *clock, uint32_t held_units);
/* The last ask was not carried out: what it reported is to be reported again. */
void asking_take_back(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                      const struct weir_ask *ask);
/* The slot's ask is answered no more, or was refused: it may ask again. */
void asking_again(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
/* How long an ask that says no time is waited for: as long as its answer is kept, or longer. */
uint64_t asking_record_us(const struct weir_limiter *limiter);
/* When an ask of now expires; 0 if the store's time is not known. */
uint64_t asking_expires_us(const struct weir_limiter *limiter, uint64_t now_ns,
                           const struct weir_ask *ask);

/* degraded.c */
/* A key comes into the slot. */
void degraded_start(struct weir_limiter *limiter, uint32_t slot);
/* The accounting window ends, before spent_units is reset. */
void degraded_window_ends(struct weir_limiter *limiter, uint32_t slot);
/* Decide a request without the store. Always decides; demand is counted by the caller. */
struct weir_decision degraded_decide(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                                     uint32_t cost);
/* A request of a key that has no slot. Requires room in the outbox. */
struct weir_decision degraded_unlimited(struct weir_limiter *limiter, uint32_t cost);
struct weir_decision degraded_decide_without_slot(struct weir_limiter *limiter, uint64_t now_ns,
                                                  const struct weir_key *key,
                                                  const struct weir_plan *plan, uint32_t cost);
/* The store answered for the slot, before lease_take_answer: a new base to budget from. */
void degraded_answered(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                       const struct weir_answer *answer, bool is_late);

/* budget.c: the rest is in budget.h */
/* The store leased units during a spell: they are part of what the spell may admit. */
void budget_leased(struct weir_limiter *limiter, uint32_t slot, uint64_t units);

/* direct.c */
void direct_init(struct weir_limiter *limiter);
/* direct_list.c: among those that wait; direct_leave before it is settled. */
void direct_enlist(struct weir_limiter *limiter, uint32_t place);
void direct_leave(struct weir_limiter *limiter, uint32_t place);
/* What came too late for them and is not given back yet. */
uint64_t direct_unused_units(const struct weir_limiter *limiter, const struct weir_key *key);
/* The plan's requests are decided by the store, those of keys in the table too. */
bool direct_is_due(const struct weir_limiter *limiter, const struct weir_plan *plan);
/* Let the store decide a request. Requires waiting_has_room. Returns its ticket. */
uint64_t direct_add(struct weir_limiter *limiter, uint64_t now_ns,
                    const struct direct_request *request);
/* The next ask would be this slot's: if its requests are decided by the store those that wait are
 * queued for it, and the slot may only give back. Returns whether it has nothing to ask. */
bool direct_takes_over(struct weir_limiter *limiter, uint32_t slot);
void direct_build(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                  struct weir_ask *ask);
/* The answer to its ask, which is in flight no more. */
void direct_answer(struct weir_limiter *limiter, uint32_t place, uint64_t now_ns,
                   const struct weir_ask *ask, const struct weir_answer *answer, bool is_late);
/* The answer to a request that was decided meanwhile, admitted or denied as kind says. */
void direct_answer_late(struct weir_limiter *limiter, const struct flight *flight, uint64_t now_ns,
                        const struct weir_answer *answer);
void direct_take_back(struct weir_limiter *limiter, uint32_t place, const struct weir_ask *ask);
void direct_again(struct weir_limiter *limiter, uint32_t place); /* its ask was refused */
/* Those that have waited too long are decided without the store. */
void direct_due(struct weir_limiter *limiter, uint64_t now_ns);

/* sizer.c: leases that are not tapered. */
uint32_t sizer_want_units(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
void sizer_lease_granted(struct weir_limiter *limiter, uint32_t slot, uint32_t units);
void sizer_lease_ended(struct weir_limiter *limiter, uint32_t slot, uint32_t left_units);

/* waiting.c */
void waiting_init(struct weir_limiter *limiter);
bool waiting_has_room(const struct weir_limiter *limiter);
bool waiting_add(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t cost,
                 uint64_t *ticket);
/* Take a place for a request that no slot's list holds. Requires room. */
uint32_t waiting_take_place(struct weir_limiter *limiter, uint64_t now_ns, uint32_t cost);
/* Take the first waiter out of a slot's list; SLOT_NONE: nobody waits. */
uint32_t waiting_leave(struct weir_limiter *limiter, uint32_t slot);
/* waiter.decision is made: weir_limiter_next_settled returns it. */
void waiting_settled(struct weir_limiter *limiter, uint32_t place);
uint32_t waiting_least_cost(const struct weir_limiter *limiter, uint32_t slot);
void waiting_settle(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
/* When the first of those that wait has waited too long. */
uint64_t waiting_due_ns(const struct weir_limiter *limiter, uint32_t slot);
/* Those that have waited too long by until_ns are decided without the store. */
void waiting_give_up(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                     uint64_t until_ns);
/* A request of the slot is decided without the store, whatever its plan. */
struct weir_decision waiting_decide_alone(struct weir_limiter *limiter, uint32_t slot,
                                          uint64_t now_ns, uint32_t cost);

#endif
