/* The one exchange with the store: a process asks for permits of one key, the store answers with a
 * lease.
 *
 * Both are plain values; who carries them (a Redis script call, a simulated message) is not the
 * core's business. All times are store time in microseconds. Rates are in thousandths of a unit per
 * second. */
#ifndef WEIR_ASK_H
#define WEIR_ASK_H

#include <stdint.h>

#include "weir/key.h"
#include "weir/plan.h"

/* Range of weir_ask.flight_us, if it is not 0. */
#define WEIR_FLIGHT_US_MIN 1000
#define WEIR_FLIGHT_US_MAX 16000

enum weir_ask_flag {
    WEIR_ASK_RETURN = 1,      /* gives back and reports; wants nothing */
    WEIR_ASK_HAS_TRICKLE = 2, /* holds, or was promised, a trickle for the period after this one */
    /* gives up its trickles: trickle_count[] and trickle_accrued say what they were */
    WEIR_ASK_CANCEL_TRICKLE = 4,
    /* decide one request at the store: the need is granted in full and spent, or nothing is */
    WEIR_ASK_SPEND = 8,
    WEIR_ASK_PROBE = 16, /* is the store there? Nothing is wanted, told or changed */
    WEIR_ASK_REST = 32,  /* no requests come, but may again: the process keeps its share */
};

/* Identity of an ask. A process has one ask in flight per key, and any number more with
 * WEIR_ASK_SPEND. An ask whose answer does not come is repeated, unchanged, until it has expired;
 * the store applies it once. */
struct weir_ask_id {
    uint32_t process;
    uint32_t sequence;    /* rises with every new ask of this process and incarnation */
    uint64_t incarnation; /* random id of one life of the process */
};

struct weir_ask {
    struct weir_key key;
    struct weir_ask_id id;
    /* as the process knows it; its version is that of the key's assignment to it, if that is newer
     * (see struct weir_request): the newest that comes decides which plan holds the key */
    struct weir_plan plan;
    uint32_t flags; /* enum weir_ask_flag */
    /* the store carries it out before this time or never, and remembers its answer until then; 0:
       the process does not know the store's time yet, the answer is remembered for
       WEIR_RECORD_US */
    uint64_t expires_us;

    /* the key as the process saw it last, for a store that has lost it (weir/take.h) */
    uint64_t version_seen; /* newest version of this key the process has seen; 0: none */
    uint64_t run_seen;     /* run_id of the answer that brought it; 0: none did */
    uint64_t seen_us;      /* the store's clock then; what follows is as of then */
    uint64_t remaining_seen_units;
    uint64_t outstanding_seen_units;
    uint64_t previous_seen_units; /* sliding */

    /* what is wanted */
    uint32_t need_units;    /* cost of the requests that wait, beyond what is held */
    uint32_t least_units;   /* the smallest grant that lets one of them through; 0 if none waits */
    uint32_t want_units;    /* a lease: what this process would spend in about T, by its own
                               measure, or what its plan's sizer says; >= need_units */
    uint32_t largest_units; /* largest cost so far */
    uint32_t flight_us; /* need_units granted in full are spent by the requests that wait, at most
                           this long after the store step, or never; 0, and if only a part is
                           granted: they are leased like the rest (WEIR_ASK_SPEND: spent at the
                           store step) */

    /* what became of earlier leases; all of it concerns leases that end at lease_end_us */
    uint64_t lease_end_us;   /* see struct weir_answer; 0: none */
    uint32_t held_units;     /* unspent and still valid: they move to the new lease */
    uint32_t spent_units;    /* spent from leases since the last ask */
    uint32_t returned_units; /* given back now (expired leases included) */
    uint32_t expired_units;  /* part of returned_units that ended with an earlier lease: not to be
                                credited */
    uint32_t unused_units; /* came too late for the requests that waited. A window gets them back (a
                              sliding one also in the window after). A bucket and a log count them
                              as spent: the one has refilled in their place, the other forgets its
                              entries only by their time */
    /* admitted without the store and not yet charged: between these store times, by the process's
       estimate; 0: as of now. Of windows only what was admitted in the one that holds
       charge_until_us counts; what a sliding window's customer spent in the one before stands
       apart. A log counts all as of charge_until_us
     */
    uint32_t charge_units;
    uint32_t charge_before_units; /* sliding: in the window before, not part of charge_units */
    uint64_t charge_from_us;
    uint64_t charge_until_us;
    uint64_t trickle_period; /* WEIR_ASK_CANCEL_TRICKLE: the period trickle_count[0] is for; [1]:
                                the next one */
    uint32_t trickle_count[2];
    uint32_t trickle_accrued; /* permits of trickle_count[0] already counted as held, spent or
                                 returned */

    /* demand, admitted and denied, of this process for this key */
    uint64_t rate_milli;        /* now; 0 leaves the count of active processes */
    uint64_t rate_milli_before; /* as last reported ... */
    uint64_t rate_share_period; /* ... in this share period; UINT64_MAX: never */
    uint32_t kept_ppm_before;   /* the share it was told to keep when it began to rest, likewise */
};

enum weir_answer_flag {
    WEIR_ANSWER_REPEATED =
        1,                  /* answer to an ask seen before: not to be used for the clock offset */
    WEIR_ANSWER_SCARCE = 2, /* little is left: no prefetch, requests ask one by one */
    WEIR_ANSWER_PARKED = 4, /* denied, but permits are out in other processes */
    WEIR_ANSWER_PACED =
        8, /* the key is over its limit: do not ask before retry_us, even when waiting */
    WEIR_ANSWER_STALE_PLAN = 16, /* the store has heard of a newer plan and applied that */
    /* the store had lost the key, or a part of its past: it took over what the process saw */
    WEIR_ANSWER_DATA_LOST = 32,
    /* the store collects what was spent without it, or what others know of a key that it lost: it
     * grants nothing before retry_us, and the process goes on without it until then */
    WEIR_ANSWER_GRACE = 64,
    /* it came after expires_us, or after a later ask of this process: nothing was done. Only
     * store_us and run_id say anything */
    WEIR_ANSWER_EXPIRED = 128,
    WEIR_ANSWER_PROBED = 256, /* to a probe: only store_us and run_id say anything */
    /* the plan in force has no limit: the grant is taken from nothing, and nothing is to be
     * credited for what of it is not spent */
    WEIR_ANSWER_UNCOUNTED = 512,
};

struct weir_answer {
    struct weir_key key;
    struct weir_ask_id id;
    uint32_t flags; /* enum weir_answer_flag */

    uint32_t granted_units;  /* valid at once; >= least_units, or 0 if something was needed */
    uint32_t trickle_count;  /* permits of a trickle: permit j (1-based) becomes valid at the
                                period's start + j T / count */
    uint64_t trickle_period; /* in periods of plan.trickle_period_us, in the key's phase */
    uint64_t lease_end_us;   /* store time at which what is leased ends; it names the lease in later
                                asks */
    uint64_t retry_us; /* store time before which asking again is pointless; 0: no such time */

    /* what the store knows */
    uint64_t store_us;   /* its clock, when it answered */
    uint64_t reached_us; /* what the key's state had reached: later, if the clock stepped back */
    uint64_t run_id;     /* changes when the store lost its memory */
    uint64_t version;    /* the key's; raised by every effect */
    uint64_t remaining_units;   /* left in the store after this grant */
    uint64_t outstanding_units; /* permits out in processes, as far as the store knows */
    uint64_t global_rate_milli; /* demand of all processes, this one included */
    uint64_t previous_units;    /* sliding: consumed in the window before */
    uint64_t share_period;      /* to be echoed as rate_share_period */
    uint32_t active_processes;
    /* shares of the demand, without the store (core/degraded.c), in millionths */
    uint32_t kept_ppm;    /* of this process while it rests, for WEIR_SHARE_US from now */
    uint32_t resting_ppm; /* of all that rest: the active ones divide what is left */
};

#endif
