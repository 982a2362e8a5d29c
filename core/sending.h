/* Asks on their way, seen apart from what they are about: the queues they wait in, the flights they
 * are until they are answered or have expired, the breakers that hold them back; and what leaves
 * besides. Part of limiter_private.h. */
#ifndef WEIR_SENDING_H
#define WEIR_SENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/limiter.h"

/* Asks wait in queues, and deadlines in one heap, under numbers: a slot's own, or one of these
 * marks with the number of a waiter, a flight or a shard. */
#define ASK_DIRECT                                                                                 \
    (UINT32_C(1) << 31) /* a waiter's place; as a deadline: of the oldest of them                  \
                         */
#define ASK_FLIGHT                                                                                 \
    (UINT32_C(1) << 30)               /* an ask that is to be sent, for the first time or again    \
                                       */
#define ASK_PROBE (UINT32_C(1) << 29) /* a shard */
_Static_assert(WEIR_KEYS_MAX <= ASK_PROBE, "a slot's number has no mark");

enum {
    QUEUE_NONE = 0,
    QUEUE_READY, /* slots and waiters that want to ask */
    QUEUE_SENDS, /* flights and probes */
    QUEUE_HELD,  /* + shard: what its breaker holds back */
};

struct ask_queue {
    uint32_t first; /* SLOT_NONE: nobody */
    uint32_t last;
};

struct ask_link {
    uint32_t next;
    uint32_t previous;
    uint32_t queue; /* which holds it */
};

enum flight_state {
    FLIGHT_FREE = 0,
    FLIGHT_QUEUED,   /* is to be sent, for the first time or again */
    FLIGHT_SENT,     /* until ask_timeout_ns have passed */
    FLIGHT_GIVEN_UP, /* is to be repeated later, if it does not expire before */
    FLIGHT_REFUSED,  /* it was not carried out; its owner may not ask yet */
};

/* Whose ask it is, and what its answer is good for. */
enum flight_owner {
    FLIGHT_OF_SLOT,
    FLIGHT_OF_WAITER,
    FLIGHT_OF_NOBODY,       /* it gives back and reports */
    FLIGHT_OF_ONE_ADMITTED, /* its request was admitted meanwhile, without the store ... */
    FLIGHT_OF_ONE_DENIED,   /* ... or denied */
};

/* An ask that was handed out and is neither answered nor written off. */
struct flight {
    struct weir_ask ask;
    uint64_t first_sent_ns; /* local; when it was made, until it is sent */
    uint64_t sent_ns;       /* the last time */
    uint64_t deadline_ns;
    uint32_t deadline_place;
    struct ask_link link;
    uint32_t next;  /* of those with like sequence numbers, or of the free ones: flight + 1 */
    uint32_t owner; /* slot or waiter; of one decided meanwhile: its plan */
    uint32_t sent_count;
    uint8_t state; /* enum flight_state */
    uint8_t kind;  /* enum flight_owner */
};

/* Of one shard of the store. */
struct breaker {
    struct weir_key key; /* of the ask whose failure opened it: probes ask about this one */
    uint64_t changed_ns; /* it is in its state since */
    uint64_t heard_ns;   /* when the last ask that was answered had been sent; 0: none was */
    uint64_t failing_ns; /* when the first that failed since had been; NEVER: none did */
    uint64_t probe_sent_ns;
    uint64_t deadline_ns; /* OPEN: of the next probe, or of the answer to the last */
    uint32_t deadline_place;
    struct ask_link link;    /* of the probe that is due */
    uint32_t first_probe;    /* sequence of the first probe since it opened; 0: there was none */
    uint32_t probe;          /* of the one that is not answered yet; 0: none */
    uint32_t failure_count;  /* CLOSED: in a row */
    uint32_t backoff_count;  /* since it was last closed for long */
    uint32_t sent_count;     /* flights that are sent and not given up */
    uint32_t sent_count_max; /* HALF_OPEN */
    uint8_t state;           /* enum weir_breaker */
};

/* queue.c */
void ask_queue_init(struct weir_limiter *limiter);
void ask_queue_append(struct weir_limiter *limiter, uint32_t queue, uint32_t entry);
void ask_queue_remove(struct weir_limiter *limiter, uint32_t entry);  /* from whatever holds it */
uint32_t ask_queue_pop(struct weir_limiter *limiter, uint32_t queue); /* SLOT_NONE: empty */
struct ask_link *ask_link_of(struct weir_limiter *limiter, uint32_t entry);
const struct weir_key *ask_key_of(const struct weir_limiter *limiter, uint32_t entry);

/* flight.c */
void flight_init(struct weir_limiter *limiter);
uint32_t flight_head_count(uint32_t ask_capacity);
bool flight_has_room(const struct weir_limiter *limiter);
/* Requires room. The ask is on its way from now on ... */
uint32_t flight_start(struct weir_limiter *limiter, const struct weir_ask *ask,
                      enum flight_owner kind, uint32_t owner, uint64_t now_ns);
/* ... or is still to be sent. */
void flight_queue(struct weir_limiter *limiter, const struct weir_ask *ask, uint64_t now_ns);
/* SLOT_NONE: no such ask is in flight. */
uint32_t flight_find(const struct weir_limiter *limiter, const struct weir_key *key,
                     const struct weir_ask_id *id);
/* It is sent, now, if it can still arrive in time; false: it cannot. */
bool flight_send(struct weir_limiter *limiter, uint32_t flight, uint64_t now_ns);
void flight_end(struct weir_limiter *limiter, uint32_t flight);
void flight_due(struct weir_limiter *limiter, uint32_t flight, uint64_t now_ns);
/* What such an ask, not yet sent, gives back of a key. */
uint64_t flight_unsent_units(const struct weir_limiter *limiter, const struct weir_key *key);
void flight_write_off(struct weir_limiter *limiter, uint32_t flight, uint64_t now_ns);
void flight_failed(struct weir_limiter *limiter, uint32_t flight, uint64_t now_ns,
                   enum weir_failure failure);

/* breaker.c */
#define BACKOFF_MAX_NS NS_PER_S
void breaker_init(struct weir_limiter *limiter);
bool breaker_is_open(const struct weir_limiter *limiter, const struct weir_key *key);
bool breaker_is_closed(const struct weir_limiter *limiter, const struct weir_key *key);
/* When the shard of a key stopped answering, as far as can be told: halfway between the last ask
 * that it answered and the first that it did not. now_ns: nothing has failed since. */
uint64_t breaker_lost_ns(const struct weir_limiter *limiter, const struct weir_key *key,
                         uint64_t now_ns);
/* Whether an ask may be sent now. */
bool breaker_lets_pass(const struct weir_limiter *limiter, uint32_t shard);
void breaker_sent(struct weir_limiter *limiter, uint32_t shard);
/* An ask that was sent is given up, or answered: afterwards one of those below. */
void breaker_resolved(struct weir_limiter *limiter, uint32_t shard);
void breaker_failed(struct weir_limiter *limiter, const struct weir_key *key, uint64_t sent_ns,
                    uint64_t now_ns);
/* An ask that was given up says nothing of its shard. */
void breaker_unsettled(struct weir_limiter *limiter, const struct weir_key *key);
void breaker_answered(struct weir_limiter *limiter, const struct weir_key *key, uint64_t sent_ns,
                      uint64_t now_ns);
void breaker_due(struct weir_limiter *limiter, uint32_t shard, uint64_t now_ns);
void breaker_build_probe(struct weir_limiter *limiter, uint32_t shard, uint64_t now_ns,
                         struct weir_ask *ask);
/* Whether it answers a probe. */
bool breaker_hear(struct weir_limiter *limiter, uint64_t now_ns, const struct weir_answer *answer);
bool breaker_probe_failed(struct weir_limiter *limiter, uint64_t now_ns, const struct weir_key *key,
                          const struct weir_ask_id *id);
/* Uniform in [1/2, 1] of it, of this process and moment alone. */
uint64_t backoff_jittered_ns(struct weir_limiter *limiter, uint64_t backoff_ns);
/* initial_ns, doubled so many times, at most BACKOFF_MAX_NS. */
uint64_t backoff_doubled_ns(uint64_t initial_ns, uint32_t times);
/* Of decisions that rest on the store. */
enum weir_mode breaker_mode(const struct weir_limiter *limiter, const struct weir_key *key);

/* outbox.c */
bool outbox_has_room(const struct weir_limiter *limiter);
/* Something was spent in the accounting window, or decided without the store. */
bool outbox_has_to_report(const struct weir_limiter *limiter, uint32_t slot);
void outbox_report(struct weir_limiter *limiter, uint32_t slot, bool sealed);
/* Of a key that has no slot: units admitted now, in a life of their own. Requires room. */
void outbox_report_once(struct weir_limiter *limiter, const struct weir_key *key,
                        const struct weir_plan *plan, uint64_t now_ns, uint32_t units,
                        bool is_degraded);
/* And that it was denied without the store; once, if the last of these said the same. */
void outbox_report_refused(struct weir_limiter *limiter, const struct weir_key *key,
                           const struct weir_plan *plan, uint64_t now_ns);
void outbox_last_words(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);

#endif
