/* The limiter of one process: decides requests locally from leased permits.
 *
 * Sans-I/O: no clock, no network, no allocation after init, no threads, no globals. The host calls
 * in with its own clock reading (now_ns; it must count through suspend, and should never go back)
 * and carries asks, answers and reports:
 *
 *   status = weir_limiter_decide(limiter, now_ns, &request, &decision);
 *   on a reply of the store:
 *       status = weir_limiter_answer(limiter, now_ns, &answer);
 *   when now_ns >= weir_limiter_next_deadline_ns(limiter):
 *       weir_limiter_expire(limiter, now_ns);
 *   after each of these:
 *       while (weir_limiter_next_ask(limiter, now_ns, &ask)) send(&ask);
 *       while (weir_limiter_next_settled(limiter, &settled)) resume(settled.ticket);
 *       while (weir_limiter_next_report(limiter, &report)) deliver(&report);
 *
 * After every call asks, settled tickets and reports should be drained. Not thread-safe: one thread
 * at a time.
 *
 * When the store fails. A request waits for it at most wait_max_ns, then its plan's degraded policy
 * decides. An ask that is not answered within ask_timeout_ns counts against its shard's circuit
 * breaker and is repeated, unchanged, by weir_limiter_next_ask, until it expires; a late answer is
 * still good. An open breaker lets only probes through, one at a time, further and further apart; a
 * probe that is answered half-opens it: asks pass again, a few at first. Decisions made meanwhile
 * are WEIR_MODE_DEGRADED; what they admitted is charged with the first ask that gets through, and
 * marked in reports.
 *
 * now_ns may step: back (it is then taken to have stood still) or forward, by any amount; the
 * store's answers set it right. */
#ifndef WEIR_LIMITER_H
#define WEIR_LIMITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/ask.h"
#include "weir/decision.h"
#include "weir/plan.h"
#include "weir/report.h"
#include "weir/status.h"

struct weir_limiter;

#define WEIR_KEYS_MAX (UINT32_C(1) << 28)
#define WEIR_WAITERS_MAX UINT32_C(65536)
#define WEIR_COST_MAX (UINT32_C(1) << 30) /* units of one request, weight included */

/* What becomes of a key that the full table has no place for.
 *
 * Evicting keeps every key on leases, but a table far too small for its keys throws out busy ones,
 * whose next request has to ask again. Deciding per request never throws a busy key out: cold keys
 * pay instead, with a round trip and an ask for each request, until one of the keys held has been
 * idle and makes room. */
enum weir_full_table {
    WEIR_FULL_TABLE_EVICT = 0,   /* the coldest of a sample gives back what it holds and leaves */
    WEIR_FULL_TABLE_PER_REQUEST, /* only an idle one that holds nothing leaves; if there is none the
                                    store decides the new key's requests one by one */
};

struct weir_limiter_options {
    uint32_t process;           /* number of this process, unique in the fleet */
    uint64_t incarnation;       /* random; another one after every restart or fork */
    uint64_t table_secret;      /* random and private: spreads keys in the table */
    uint32_t key_capacity;      /* 1 ... WEIR_KEYS_MAX: keys held at a time */
    uint32_t plan_capacity;     /* 1 ... 65535 */
    uint32_t endpoint_capacity; /* 0 ... 65535 */
    uint32_t waiter_capacity; /* 1 ... WEIR_WAITERS_MAX: requests waiting for the store at a time */
    uint32_t history_capacity; /* 0 ... key_capacity: keys under plans of WEIR_ALGORITHM_LOG whose
                                  admissions are remembered; without the store WEIR_DEGRADED_BOUNDED
                                  admits in place of those that have ended, and what was admitted
                                  is charged by slices of the window. 2 KB each */
    uint64_t start_ns;         /* clock reading at init */
    enum weir_full_table full_table;

    /* 0 in any of these is the default named with it */
    uint32_t shard_count;      /* of the store, 1 ... WEIR_SHARDS_MAX: each has a breaker; 1 */
    uint32_t ask_capacity;     /* 1 ... WEIR_WAITERS_MAX: asks in flight at a time; 4096 */
    uint32_t process_count;    /* of the fleet, see weir_limiter_set_process_count; 1 */
    uint32_t breaker_failures; /* asks in a row that fail and open a breaker, UINT32_MAX: it never
                                  opens; 5 */
    uint64_t wait_max_ns;      /* a request waits for the store; WEIR_WAIT_MAX_NS */
    uint64_t ask_timeout_ns;   /* an ask is given up; WEIR_ASK_TIMEOUT_NS */
};

#define WEIR_SHARDS_MAX 1024u
#define WEIR_WAIT_MAX_NS UINT64_C(1500000)    /* 1.5 ms */
#define WEIR_ASK_TIMEOUT_NS UINT64_C(5000000) /* 5 ms */

/* Bytes that weir_limiter_init needs for these options; 0 if an option is out of range. */
size_t weir_limiter_size(const struct weir_limiter_options *options);

/* Build a limiter in caller-owned memory, aligned to 64 bytes, of at least weir_limiter_size bytes.
 * It needs no deinit. Returns WEIR_OK, WEIR_ERR_ARGUMENT or WEIR_ERR_MEMORY_SIZE; on error *limiter
 * is NULL. */
WEIR_MUST_CHECK enum weir_status weir_limiter_init(struct weir_limiter **limiter, void *memory,
                                                   size_t memory_size,
                                                   const struct weir_limiter_options *options);

/* Put a plan into a slot, or replace the one there; it may differ in everything. Returns WEIR_OK,
 * WEIR_ERR_PLAN_INDEX, or WEIR_ERR_STALE_VERSION if the slot's version is not lower (nothing
 * changes; a push may be repeated or come late). What was spent stays spent (weir/plan.h). Where
 * the new plan allows less, or counts another way, what keys hold here is given back; requests that
 * wait are decided under the new plan. A key's accounting window that has begun ends as it would
 * have. Takes time proportional to the keys held. */
WEIR_MUST_CHECK enum weir_status weir_limiter_set_plan(struct weir_limiter *limiter,
                                                       uint32_t plan_index,
                                                       const struct weir_plan *plan);

/* Requests of this slot's plan are WEIR_ERR_UNKNOWN_PLAN from now on, until a newer version is set.
 * What keys hold is given back. Returns as weir_limiter_set_plan. */
WEIR_MUST_CHECK enum weir_status weir_limiter_delete_plan(struct weir_limiter *limiter,
                                                          uint32_t plan_index, uint64_t version);

/* Units per request of an endpoint (1 until set); 0 makes it free. version as for plans. Returns
 * WEIR_OK, WEIR_ERR_ARGUMENT (no such endpoint) or WEIR_ERR_STALE_VERSION. */
WEIR_MUST_CHECK enum weir_status weir_limiter_set_weight(struct weir_limiter *limiter,
                                                         uint32_t endpoint, uint32_t weight_units,
                                                         uint64_t version);

#define WEIR_NO_ENDPOINT UINT32_MAX

struct weir_request {
    struct weir_key key;
    uint32_t plan_index;
    uint32_t endpoint; /* its weight multiplies cost; WEIR_NO_ENDPOINT: weight 1 */
    uint32_t cost;     /* cost 0 is admitted and touches nothing */
    /* version of the key's assignment to this plan, if it had another before; 0: it had not. Of the
     * same count as the versions of plans: the newest of all that reached the store decides which
     * plan the key is under, for all processes */
    uint64_t assigned_version;
};

/* Decide one request. Most are decided here; the first of a key, and what its lease has not enough
 * left for, wait for the store (PENDING). Each request asks the store by itself, without a lease,
 * if its plan is a WEIR_ALGORITHM_LOG, if leases of its plan live less than four recent round
 * trips, or if the full table has no place for its key. Such asks carry WEIR_ASK_SPEND; any number
 * of them may be in flight for a key. An admission that comes too late to count is asked for again,
 * at most three times. Returns WEIR_OK with *decision, or WEIR_ERR_UNKNOWN_PLAN, WEIR_ERR_ARGUMENT
 * (endpoint), WEIR_ERR_COST (above WEIR_COST_MAX), WEIR_ERR_OUTBOX_FULL or WEIR_ERR_TABLE_BUSY (not
 * with WEIR_FULL_TABLE_PER_REQUEST, nor while the breaker of the key's shard is open): nothing was
 * decided or changed, and *decision is zeroed. */
WEIR_MUST_CHECK enum weir_status weir_limiter_decide(struct weir_limiter *limiter, uint64_t now_ns,
                                                     const struct weir_request *request,
                                                     struct weir_decision *decision);

/* Decide requests[0 .. count - 1] in order, exactly as so many calls of weir_limiter_decide with
 * nothing drained between them, but with the memory they will touch fetched ahead: faster for more
 * keys than caches hold. decisions[i] and statuses[i] are what the call for requests[i] would
 * give; one that reports WEIR_ERR_OUTBOX_FULL may be decided again once the outbox is drained.
 * Returns how many are WEIR_OK. The arrays have `count` elements and do not overlap. */
size_t weir_limiter_decide_batch(struct weir_limiter *limiter, uint64_t now_ns,
                                 const struct weir_request *requests, size_t count,
                                 struct weir_decision *decisions, enum weir_status *statuses);

/* The next ask to send, if any. It is in flight from now on. */
bool weir_limiter_next_ask(struct weir_limiter *limiter, uint64_t now_ns, struct weir_ask *ask);

/* The store's reply. Returns WEIR_OK, WEIR_ERR_UNEXPECTED if no ask in flight matches (it is
 * ignored), or WEIR_ERR_OUTBOX_FULL (nothing changed: drain and hand it in again). */
WEIR_MUST_CHECK enum weir_status weir_limiter_answer(struct weir_limiter *limiter, uint64_t now_ns,
                                                     const struct weir_answer *answer);

enum weir_failure {
    WEIR_FAILURE_UNKNOWN = 0, /* a broken connection: the ask may have been carried out or not */
    WEIR_FAILURE_REFUSED,     /* an error reply: it was not */
};

/* The host learned that an ask in flight gets no answer. As if it had timed out; what a refused one
 * reported is reported again. Returns WEIR_OK or WEIR_ERR_UNEXPECTED. */
WEIR_MUST_CHECK enum weir_status
weir_limiter_ask_failed(struct weir_limiter *limiter, uint64_t now_ns, const struct weir_key *key,
                        const struct weir_ask_id *id, enum weir_failure failure);

/* Whether an ask is still to be answered, or to be repeated. */
bool weir_limiter_is_in_flight(const struct weir_limiter *limiter, const struct weir_key *key,
                               const struct weir_ask_id *id);

enum weir_breaker {
    WEIR_BREAKER_CLOSED = 0,
    WEIR_BREAKER_OPEN,      /* nothing is sent but a probe now and then */
    WEIR_BREAKER_HALF_OPEN, /* a probe was answered: asks pass, a few at a time */
};

/* Of a shard < shard_count. */
enum weir_breaker weir_limiter_breaker(const struct weir_limiter *limiter, uint32_t shard);

/* What happened since init, for metrics. */
struct weir_limiter_counts {
    uint64_t degraded_admitted; /* requests */
    uint64_t degraded_denied;
    uint64_t degraded_units;    /* admitted so */
    uint64_t charged_units;     /* of them: handed to asks, less what refused ones handed back */
    uint64_t lost_charge_units; /* of them: never charged, as their window was over, their key
                                   evicted, or more than one ask can charge */
    uint64_t covered_units; /* of them: paid for by grants that came too late for their request */
    uint64_t unsent_units;  /* given back with asks that could not be sent before they expired */
    uint64_t asks_failed;   /* timed out, or failed */
    uint64_t asks_repeated;
    uint64_t asks_expired; /* given up for good: carried out or not, nobody knows */
    uint64_t probes;
    uint64_t breaker_openings;
    uint64_t data_losses; /* answers that told of one */
    uint64_t clock_steps; /* of now_ns, noticed */
};
void weir_limiter_counts(const struct weir_limiter *limiter, struct weir_limiter_counts *counts);

/* How many processes share the limits (WEIR_DEGRADED_UNIFORM). 0 is taken as 1. */
void weir_limiter_set_process_count(struct weir_limiter *limiter, uint32_t process_count);

/* This copy of a limiter is another process now (fork): the permits, the asks in flight, the
 * requests that wait and the units to report are the parent's. Everything is forgotten but plans
 * and weights. */
void weir_limiter_reincarnate(struct weir_limiter *limiter, uint64_t now_ns, uint32_t process,
                              uint64_t incarnation);

/* A limiter's memory was copied, as it was, to `memory` (same alignment): make it usable there. */
struct weir_limiter *weir_limiter_relocate(void *memory);

/* The next request that waited and is decided now, if any. */
bool weir_limiter_next_settled(struct weir_limiter *limiter, struct weir_settled *settled);

/* When weir_limiter_expire wants to be called; UINT64_MAX: not before the next decide or answer. */
uint64_t weir_limiter_next_deadline_ns(const struct weir_limiter *limiter);
void weir_limiter_expire(struct weir_limiter *limiter, uint64_t now_ns);

/* The next report to deliver, if any. */
bool weir_limiter_next_report(struct weir_limiter *limiter, struct weir_report *report);

/* For whoever finds the memory of a limiter that will never run again, mapped from a file by a
 * process that was killed: what it had spent and not reported. Those of weir_limiter_next_report
 * come first; then, with *cursor 0 to begin with, one for each key whose window had begun. Sealed,
 * as nothing will be added. Changes nothing: who is killed in turn may begin again. */
bool weir_limiter_next_unreported(const struct weir_limiter *limiter, uint32_t *cursor,
                                  struct weir_report *report);

enum weir_shutdown {
    WEIR_SHUTDOWN_DONE = 0,    /* no key is held, and each ask is answered or has expired */
    WEIR_SHUTDOWN_OUTBOX_FULL, /* drain asks and reports, and call again */
    WEIR_SHUTDOWN_BUSY,        /* call again when more asks are answered, or have expired */
};

/* Give everything back and report everything: drain asks and reports afterwards. Keys with an ask
 * queued or in flight, or with requests that wait, are passed over. */
enum weir_shutdown weir_limiter_shutdown(struct weir_limiter *limiter, uint64_t now_ns);

/* What to tell a client about a key. Returns false if the key is not held here, or the store
 * never answered for it (*quota is then the plan's limit with an unknown age). Requires a
 * plan that was set. */
bool weir_limiter_quota(const struct weir_limiter *limiter, uint64_t now_ns,
                        const struct weir_key *key, uint32_t plan_index, struct weir_quota *quota);

/* Permits of a key that this process could still spend, promised trickles included; for tests and
 * ledgers. */
uint64_t weir_limiter_held_units(const struct weir_limiter *limiter, const struct weir_key *key);

/* Permits of a key given up, or come too late to be spent, that no ask has told the store of yet.
 */
uint64_t weir_limiter_owed_units(const struct weir_limiter *limiter, const struct weir_key *key);

/* Of those held, what could be spent at now_ns: under a lease that is not over, and of trickles
 * what has come due. */
uint64_t weir_limiter_spendable_units(const struct weir_limiter *limiter, uint64_t now_ns,
                                      const struct weir_key *key);

#endif
