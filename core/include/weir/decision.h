/* What was decided about one request, and what a client may be told. */
#ifndef WEIR_DECISION_H
#define WEIR_DECISION_H

#include <stdint.h>

enum weir_verdict {
    WEIR_VERDICT_ADMITTED = 0,
    WEIR_VERDICT_DENIED,
    WEIR_VERDICT_PENDING, /* waits for the store; weir_limiter_next_settled will return the ticket
                           */
};

enum weir_reason {
    WEIR_REASON_ADMITTED = 0,
    WEIR_REASON_UNLIMITED,           /* the plan has no limit */
    WEIR_REASON_OVER_LIMIT,          /* the store had too little left */
    WEIR_REASON_COST_ABOVE_CAPACITY, /* can never be admitted under this plan */
    WEIR_REASON_PARKED,  /* too little left in the store, but permits are out in other processes */
    WEIR_REASON_WAITING, /* pending */
    /* decided without the store, and more would be above what this process may admit alone. Says
     * nothing about the customer's limit */
    WEIR_REASON_DEGRADED_CAP,
};

/* What a decision rests on. */
enum weir_mode {
    WEIR_MODE_NORMAL = 0, /* permits leased from the store, or its answer */
    WEIR_MODE_PROBING,    /* the same, while the breaker of the key's shard is half-open */
    WEIR_MODE_DEGRADED,   /* the store did not answer in time: the plan's degraded policy */
};

#define WEIR_RETRY_NEVER UINT64_MAX

struct weir_decision {
    enum weir_verdict verdict;
    enum weir_reason reason;
    enum weir_mode mode;
    uint64_t ticket;         /* PENDING: names the request until it is settled; else 0 */
    uint64_t retry_after_ns; /* DENIED: > 0; a lone client that waits this long is admitted.
                                WEIR_RETRY_NEVER: waiting does not help */
};

struct weir_settled {
    uint64_t ticket;
    struct weir_decision decision; /* never PENDING */
};

/* What a client may be told about a key's quota (X-RateLimit-*, RateLimit fields). In units, not
 * requests. */
struct weir_quota {
    uint64_t limit_units; /* per minute; windows, sliding windows, logs: per window */
    /* of all processes together, as of the last answer of the store; the limit if that was about a
     * window (not a sliding one) that is over */
    uint64_t remaining_units;
    /* since that answer; WEIR_RETRY_NEVER: the store never answered for this key */
    uint64_t age_ns;
    /* Permits counted as out, which may be spent already, and what all may have spent since, at the
     * demand last seen and with an allowance for chance. While demand does not grow, true remaining
     * is within [remaining - error, remaining + error + refill since]. */
    uint64_t error_units;
    uint64_t reset_us; /* store time: the window's end, or when the bucket would be full again, or
                          the sliding window or log empty; UINT64_MAX: never (a bucket of rate 0) */
};

#endif
