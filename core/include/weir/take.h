/* The store's side of an ask, as one atomic step on one key's state.
 *
 * This is the definition: the in-memory store and the simulated store call it, a Redis script
 * repeats it, and a differential test holds the two together. Integers only, every product below
 * 2^53, so that a script whose numbers are doubles computes the same.
 *
 * Bucket invariant, after every step: tokens + outstanding + in flight <= capacity, where
 * outstanding is never less than what processes can still spend. So any t seconds admit at most
 * capacity + rate x t, leases or not. */
#ifndef WEIR_TAKE_H
#define WEIR_TAKE_H

#include <stdint.h>

#include "weir/ask.h"

/* One key. Pairs [0] belong to the current period, [1] to its neighbour as named. Zeroed: never
 * seen. */
struct weir_store_key {
    uint64_t version; /* 0: never seen */
    uint64_t plan_version;
    uint64_t rate_period_us; /* the unit of carry, so that a plan change can be told */

    uint64_t tokens;     /* bucket: whole tokens; window: units consumed in window_index */
    uint64_t carry;      /* bucket: fraction of a token, in 1 / rate_period_us */
    uint64_t updated_us; /* bucket: time of the last refill; never goes back */
    uint64_t window_index;

    uint64_t lease_period;   /* current; outstanding[0] ends with it, [1] with the next */
    uint64_t outstanding[2]; /* granted - (spent + returned), as asks report it */
    uint64_t flight_us;      /* length of a flight period: the longest lately named by an ask */
    uint64_t flight_period;  /* current */
    uint64_t flight[2]; /* granted to waiting requests in this one, and in the one before: counted
                           as unspent */

    uint64_t trickle_period;  /* current */
    uint64_t trickle[2];      /* permits promised as trickles over this period, and over the next */
    uint64_t trickle_debited; /* part of trickle[0] already taken from tokens */
    uint64_t trickled_units;  /* all that was ever taken so, for the ledger */

    uint64_t pace_next_us; /* when the next process that is paced may ask again: they take turns,
                              evenly spaced */

    uint64_t share_period;  /* current, of WEIR_SHARE_US */
    uint64_t rate_milli[2]; /* demand reported in this one, and in the one before and not since */
    uint64_t active[2];     /* processes that reported it */
};

/* Range of weir_ask.flight_us, if it is not 0. */
#define WEIR_FLIGHT_US_MIN 1000
#define WEIR_FLIGHT_US_MAX 16000
#define WEIR_SHARE_US 10000000 /* demand not reported for one to two of these is forgotten */

/* The last answer given to one process for one key, kept beside the key for WEIR_RECORD_US. */
#define WEIR_RECORD_US 1000000
struct weir_ask_record {
    struct weir_ask_id id;
    struct weir_answer answer;
};

/* Start a key with fill_units in its bucket (windows: consumed units are limit - fill). */
void weir_store_key_init(struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t now_us, uint64_t fill_units);

/* One ask at store time now_us. A key never seen starts full. *record must be this process's record
 * for this key (zeroed if there is none, or if it is older than WEIR_RECORD_US); an ask with the
 * recorded id is answered from it, without effect. Returns WEIR_OK, or WEIR_ERR_ARGUMENT for an ask
 * no process would send (want < need, least > need, sequence 0, flight_us out of range); *answer is
 * then zeroed and nothing changes. run_id identifies this life of the store. */
WEIR_MUST_CHECK enum weir_status weir_take(struct weir_store_key *state,
                                           struct weir_ask_record *record,
                                           const struct weir_ask *ask, uint64_t now_us,
                                           uint64_t run_id, struct weir_answer *answer);

/* Bring the state to now_us without an ask, as weir_take does first: for reading tokens at an
 * instant. Requires a key that was seen or started. */
void weir_store_key_advance(struct weir_store_key *state, const struct weir_key *key,
                            const struct weir_plan *plan, uint64_t now_us);

/* Units a new ask could be granted, after weir_store_key_advance. */
uint64_t weir_store_key_remaining(const struct weir_store_key *state, const struct weir_plan *plan);

#endif
