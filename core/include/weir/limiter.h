/* The limiter of one process: decides requests locally from leased permits.
 *
 * Sans-I/O: no clock, no network, no allocation after init, no threads, no globals. The host calls
 * in with its own monotonic clock reading (now_ns; it must count through suspend and never go back)
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
 * at a time. */
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

struct weir_limiter_options {
    uint32_t process;           /* number of this process, unique in the fleet */
    uint64_t incarnation;       /* random; another one after every restart or fork */
    uint64_t table_secret;      /* random and private: spreads keys in the table */
    uint32_t key_capacity;      /* 1 ... WEIR_KEYS_MAX: keys held at a time */
    uint32_t plan_capacity;     /* 1 ... 65535 */
    uint32_t endpoint_capacity; /* 0 ... 65535 */
    uint32_t waiter_capacity; /* 1 ... WEIR_WAITERS_MAX: requests waiting for the store at a time */
    uint64_t start_ns;        /* clock reading at init */
};

/* Bytes that weir_limiter_init needs for these options; 0 if an option is out of range. */
size_t weir_limiter_size(const struct weir_limiter_options *options);

/* Build a limiter in caller-owned memory, aligned to 64 bytes, of at least weir_limiter_size bytes.
 * It needs no deinit. Returns WEIR_OK, WEIR_ERR_ARGUMENT or WEIR_ERR_MEMORY_SIZE; on error *limiter
 * is NULL. */
WEIR_MUST_CHECK enum weir_status weir_limiter_init(struct weir_limiter **limiter, void *memory,
                                                   size_t memory_size,
                                                   const struct weir_limiter_options *options);

/* Put a plan into a slot, or replace the one there. Returns WEIR_OK, WEIR_ERR_PLAN_INDEX,
 * WEIR_ERR_STALE_VERSION if the slot's version is not lower (nothing changes; a push may be
 * repeated or come late), or WEIR_ERR_ARGUMENT if the window, the algorithm or the sizer differ:
 * they fix what lease periods and reports of keys held here mean, so such a plan needs a slot of
 * its own. Takes time proportional to the keys held. */
WEIR_MUST_CHECK enum weir_status weir_limiter_set_plan(struct weir_limiter *limiter,
                                                       uint32_t plan_index,
                                                       const struct weir_plan *plan);

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
};

/* Decide one request. Returns WEIR_OK with *decision, or WEIR_ERR_UNKNOWN_PLAN, WEIR_ERR_ARGUMENT
 * (endpoint), WEIR_ERR_COST (above WEIR_COST_MAX), WEIR_ERR_WAITERS_FULL, WEIR_ERR_OUTBOX_FULL or
 * WEIR_ERR_TABLE_BUSY: nothing was decided or changed, and *decision is zeroed. */
WEIR_MUST_CHECK enum weir_status weir_limiter_decide(struct weir_limiter *limiter, uint64_t now_ns,
                                                     const struct weir_request *request,
                                                     struct weir_decision *decision);

/* The next ask to send, if any. It is in flight from now on. */
bool weir_limiter_next_ask(struct weir_limiter *limiter, uint64_t now_ns, struct weir_ask *ask);

/* The store's reply. Returns WEIR_OK, WEIR_ERR_UNEXPECTED if no ask in flight matches (it is
 * ignored), or WEIR_ERR_OUTBOX_FULL (nothing changed: drain and hand it in again). */
WEIR_MUST_CHECK enum weir_status weir_limiter_answer(struct weir_limiter *limiter, uint64_t now_ns,
                                                     const struct weir_answer *answer);

/* The next request that waited and is decided now, if any. */
bool weir_limiter_next_settled(struct weir_limiter *limiter, struct weir_settled *settled);

/* When weir_limiter_expire wants to be called; UINT64_MAX: not before the next decide or answer. */
uint64_t weir_limiter_next_deadline_ns(const struct weir_limiter *limiter);
void weir_limiter_expire(struct weir_limiter *limiter, uint64_t now_ns);

/* The next report to deliver, if any. */
bool weir_limiter_next_report(struct weir_limiter *limiter, struct weir_report *report);

/* Give everything back and report everything: drain asks and reports afterwards. Returns false if
 * the outbox is full: drain and call again. Keys with an ask queued or in flight, or with requests
 * that wait, are passed over: call again when they are answered. */
bool weir_limiter_shutdown(struct weir_limiter *limiter, uint64_t now_ns);

/* What to tell a client about a key. Returns false if the key is not held here, or the store
 * never answered for it (*quota is then the plan's limit with an unknown age). Requires a
 * plan that was set. */
bool weir_limiter_quota(const struct weir_limiter *limiter, uint64_t now_ns,
                        const struct weir_key *key, uint32_t plan_index, struct weir_quota *quota);

/* Permits of a key that this process could still spend, promised trickles included; for tests and
 * ledgers. */
uint64_t weir_limiter_held_units(const struct weir_limiter *limiter, const struct weir_key *key);

/* Of these, what could be spent at now_ns: under a lease that is not over, and of trickles what has
 * come due. */
uint64_t weir_limiter_spendable_units(const struct weir_limiter *limiter, uint64_t now_ns,
                                      const struct weir_key *key);

#endif
