/* The store's side of an ask, as one atomic step on one key's state.
 *
 * This is the definition: the in-memory store and the simulated store call it, a Redis script
 * repeats it, and a differential test holds the two together. Integers only, every product below
 * 2^53, so that a script whose numbers are doubles computes the same.
 *
 * Bucket invariant, after every step: tokens + outstanding + in flight <= capacity, where
 * outstanding is never less than what processes can still spend. So any t seconds admit at most
 * capacity + rate x t, leases or not. Windows and sliding windows count permits when they are
 * granted, and leases end with the window, so counts are never below what was spent. A log counts
 * each request from the store step until a window's length after the latest time at which it can
 * have been decided.
 *
 * Plans change with the first ask that brings a newer version, as of its since_us: from then on
 * every process is served under the new plan, also those that have not heard of it. What was used
 * under the old one stays used; where the algorithm or the length of the window changes, permits
 * that are out count as used until they are given back. An unlimited plan rests on the one before
 * it: while it lasts nothing is counted, and what was used is forgotten as it would have been.
 *
 * What goes wrong on the way:
 * - An ask comes again: it is answered from the record of its first coming. An ask comes late
 *   (after expires_us, or after a later one of its process): nothing is done. So each is carried
 *   out once or never, if the host keeps the records: one for each key, process and incarnation,
 *   the last; for asks with WEIR_ASK_SPEND, of which there may be many at once, one for each ask.
 *   They are found by these names, and kept until their expires_us. An ask without expires_us
 *   must not be sent again after WEIR_RECORD_US.
 * - Units were spent without the store: they are charged as of when that was (core/charge.c).
 * - The store lost a state, or a part of it: what processes saw is taken over (core/lost.c).
 * - The store's clock steps back: the state goes back with it (core/stepped.c). A step forward
 *   cannot be told from time that passed, and refills. */
#ifndef WEIR_TAKE_H
#define WEIR_TAKE_H

#include <stdint.h>

#include "weir/ask.h"

/* The numbers of the plan in force: the newest that limits anything. */
struct weir_store_plan {
    uint64_t version;
    uint64_t unlimited_version; /* of an unlimited plan; above version: nothing is limited */
    uint64_t rate_units;
    uint64_t rate_period_us;
    uint64_t capacity_units;
    uint64_t window_us;
    uint32_t fixed_lease_units;
    uint8_t algorithm;
    uint8_t sizer;
};

/* One request in a log, or several of one instant. */
struct weir_log_entry {
    uint64_t until_us; /* store time from which it counts no longer, + stepped_us */
    uint64_t units;
};

/* One key. Pairs [0] belong to the current period, [1] to its neighbour as named. Zeroed: never
 * seen. */
struct weir_store_key {
    uint64_t version; /* 0: never seen */
    struct weir_store_plan in_force;

    uint64_t tokens;     /* bucket: whole tokens; window, sliding: units consumed in window_index;
                            log: the sum of its entries */
    uint64_t carry;      /* bucket: fraction of a token, in 1 / rate_period_us */
    uint64_t updated_us; /* time of the last step; goes back only with stepped_us */
    uint64_t window_index;
    uint64_t previous_units; /* sliding: consumed in the window before */
    uint64_t weighted_units; /* sliding: what they count for at updated_us */

    uint64_t lease_end_us[2]; /* leases counted in outstanding[0] and [1] end then; new ones: [1].
                                 Windows: both their end, and only outstanding[0] is used */
    uint64_t outstanding[2];  /* granted - (spent + returned), as asks report it */
    /* from before the last change of plan, until left_end_us */
    uint64_t left_end_us; /* when the last lease ends that was out then */
    uint64_t left_units;  /* permits out that outstanding[] does not hold */
    uint64_t owed_units;  /* used beyond a smaller capacity: the first that come back are for it */
    uint64_t started_us;  /* when the algorithm or the window's length last changed */
    uint64_t flight_us;   /* length of a flight period: the longest lately named by an ask */
    uint64_t flight_period; /* current */
    uint64_t flight[2]; /* granted to waiting requests in this one, and in the one before: counted
                           as unspent */

    uint64_t trickle_period;  /* current */
    uint64_t trickle[2];      /* permits promised as trickles over this period, and over the next */
    uint64_t trickle_debited; /* part of trickle[0] already taken from tokens */
    uint64_t trickled_units;  /* all that was ever taken so, for the ledger */

    uint64_t pace_next_us; /* when the next process that is paced may ask again: they take turns,
                              evenly spaced */

    uint64_t share_period;   /* current, of WEIR_SHARE_US */
    uint64_t rate_milli[2];  /* demand reported in this one, and in the one before and not since */
    uint64_t active[2];      /* processes that reported it */
    uint64_t resting_ppm[2]; /* shares that processes that rest were told to keep in it, likewise */

    /* charges (core/charge.c) */
    uint64_t debt_units;    /* bucket: charged beyond what was there; the refill is for it first */
    uint64_t spilled_us[2]; /* bucket: time whose refill found it full, by share period */
    uint64_t full_us;       /* bucket: when it was last full; 0: never */
    uint64_t reclaimed_us;  /* of what spilled: taken by charges that overlap, up to ... */
    uint64_t reclaimed_until_us; /* ... the last of them, at which it was last full then */
    uint64_t grace_until_us;     /* nothing is granted before; 0: no grace */
    uint64_t asked_us;           /* when the last ask was carried out ... */
    uint64_t asked_active;       /* ... and how many processes were active then */

    /* loss of data (core/lost.c) */
    uint64_t run_id;     /* of the run in which the last ask was carried out; 0: none was */
    uint64_t since_us;   /* when this state began, or its first step in this run */
    int64_t taken_units; /* since then: granted and charged, less what came back */

    /* by how much the store's clock has stepped back and not returned (core/stepped.c) */
    uint64_t stepped_us;

    struct weir_log_entry *log; /* a ring of the host's memory; see weir_store_key_set_log */
    uint32_t log_capacity;
    uint32_t log_first;
    uint32_t log_count;
};

/* At most so long the store collects charges before it grants again: the longest time between two
 * probes of a process that has lost it. */
#define WEIR_GRACE_US UINT64_C(1000000)

#define WEIR_SHARE_US 10000000 /* demand not reported for one to two of these is forgotten */

/* One life of the store's memory. */
struct weir_store_run {
    uint64_t id;         /* random; another one after every restart or failover */
    uint64_t started_us; /* by its own clock */
};

/* The last answer given to one process for one key, kept beside the key until expires_us; see
 * above. Zeroed: none. */
#define WEIR_RECORD_US 1000000
struct weir_ask_record {
    struct weir_ask_id id;
    uint64_t expires_us;
    struct weir_answer answer;
};

/* Entries a key's log needs under this plan; 0 if it keeps none. */
uint64_t weir_store_log_capacity(const struct weir_plan *plan);

/* Give the key memory for its log, or more of it; what it holds moves there. The memory stays the
 * caller's, who keeps it for as long as the key. Returns what it had before, to be released; NULL:
 * nothing. Requires that all entries fit. */
struct weir_log_entry *weir_store_key_set_log(struct weir_store_key *state,
                                              struct weir_log_entry *entries, uint32_t capacity);

/* Start a key with fill_units in its bucket (windows: consumed units are limit - fill; a log: one
 * entry of as many). Requires fill_units <= capacity_units (unlimited: ignored). Keeps the memory
 * of its log; a log plan needs weir_store_log_capacity entries. */
void weir_store_key_init(struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t now_us, uint64_t fill_units);

/* One ask at store time now_us. A key never seen starts full; or with what the ask's process saw of
 * it; or, if the store is so young that leases from before it may be out and this process knows of
 * none, after a grace in which others may come. *record is as said above; one of another process,
 * incarnation or time counts as none, and is replaced. A probe leaves record and state alone.
 * Returns
 *   WEIR_OK
 *   WEIR_ERR_ARGUMENT: an ask no process would send (want < need, least > need, sequence 0,
 *                      flight_us out of range, a plan that weir_plan_make would not make)
 *   WEIR_ERR_MEMORY_SIZE: its plan is a log's, and the key's log has fewer entries than
 *                      weir_store_log_capacity
 * On error *answer is zeroed and nothing changes. */
WEIR_MUST_CHECK enum weir_status
weir_take(struct weir_store_key *state, struct weir_ask_record *record, const struct weir_ask *ask,
          uint64_t now_us, const struct weir_store_run *run, struct weir_answer *answer);

/* Bring the state to now_us without an ask, as weir_take does first: for reading tokens at an
 * instant. A newer plan takes effect. Requires a key that was seen or started, and for a log plan
 * memory as for weir_take. */
void weir_store_key_advance(struct weir_store_key *state, const struct weir_key *key,
                            const struct weir_plan *plan, uint64_t now_us);

/* Units a new ask could be granted, after weir_store_key_advance; UINT32_MAX: no limit is in force.
 */
uint64_t weir_store_key_remaining(const struct weir_store_key *state);

/* How long from its last step a state must be kept: until forgetting it changes no answer. A bucket
 * is full by then and its leases are over; a window is no window before any more; demand is
 * forgotten. UINT64_MAX: for ever (a bucket of rate 0). */
uint64_t weir_store_key_ttl_us(const struct weir_store_key *state);

/* Permits that are out, as far as the store knows. */
uint64_t weir_store_key_out(const struct weir_store_key *state);

#endif
