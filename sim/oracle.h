/* The oracle: the exact central limiter with zero latency. It is fed a key's arrivals in true-time
 * order and says what an ideal limiter would have admitted.
 *
 * Shares no code with the limiter under test: includes nothing from core/ or adapters/, and has
 * exact arithmetic of its own (128-bit, nanoseconds; no rounding anywhere).
 *
 * What is admitted, of a request of cost c at time t:
 *   bucket     c <= tokens; tokens grow by rate_units / period_ns, up to the capacity
 *   window     consumed + c <= limit, consumed within the window of the key's phase that holds t
 *   sliding    previous x (W - e) / W + current + c <= limit, previous and current the units
 *              admitted in the window before and in this one, e the time since this one began
 *   log        units admitted in (t - W, t] + c <= limit
 *   unlimited  everything
 *   deleted    nothing
 * Cost 0 is always admitted, but by a deleted plan.
 *
 * When the rule changes, what the old one still holds against the customer is carried over: *used*.
 *   bucket: capacity - tokens, rounded up to whole units. window: consumed. log: the units in it.
 *   sliding: previous x (W - e) / W, rounded up, + current.
 *   unlimited, deleted: while they last, what was used is forgotten as under the rule before them,
 *   and nothing is added; the next rule takes over from that one.
 * The new rule starts with it:
 *   bucket: tokens = max(0, capacity - used). window: consumed = used; above the limit nothing is
 *   admitted until the window ends. sliding: previous = 0, current = used. log: one entry of used
 *   units, which leaves a window's length after the change.
 * Between rules of one kind nothing is rounded or regrouped where that can be avoided: buckets of
 * the same period carry used as the exact fraction; the same windows keep consumed, both counters,
 * or all entries, and only the limit changes.
 *
 * Invariant, after every call: level <= capacity (bucket). */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "recent.h"

enum sim_oracle_kind {
    SIM_ORACLE_BUCKET = 0,
    SIM_ORACLE_WINDOW,
    SIM_ORACLE_SLIDING,
    SIM_ORACLE_LOG,
    SIM_ORACLE_UNLIMITED,
    SIM_ORACLE_DELETED,
};

struct sim_oracle_rule {
    enum sim_oracle_kind kind;
    /* bucket; rate_units 0 never refills. Requires period_ns > 0. */
    uint64_t rate_units; /* per period_ns */
    uint64_t period_ns;
    uint64_t capacity_units;
    /* window, sliding, log. Requires phase_ns < window_ns. */
    uint64_t limit_units;
    uint64_t window_ns;
    uint64_t phase_ns; /* window i covers [i, i + 1) * window_ns - phase_ns; log: they matter
                        only to sim_oracle_remaining_at_end_units */
};

struct sim_oracle {
    struct sim_oracle_rule rule; /* that counts */
    enum sim_oracle_kind kind; /* in force: the rule's, or UNLIMITED or DELETED while that rests */
    /* bucket: in units x period_ns, so that one nanosecond adds exactly rate_units */
    __extension__ unsigned __int128 level;
    uint64_t updated_ns;
    uint64_t full_ns; /* see sim_oracle_last_full_ns */
    uint64_t window_index;
    uint64_t used_units;      /* window: in it; sliding: in the current one */
    uint64_t previous_units;  /* sliding */
    struct sim_recent recent; /* log: a request of `units` counts until time_ns + window_ns */
};

/* Starts at time 0 with used_units of the capacity or limit spent. Requires that they are not more
 * than that. */
void sim_oracle_init(struct sim_oracle *oracle, const struct sim_oracle_rule *rule,
                     uint64_t used_units);
void sim_oracle_deinit(struct sim_oracle *oracle);

/* Another rule is in force from now_ns on, for the next request too if it comes at now_ns. */
void sim_oracle_change(struct sim_oracle *oracle, uint64_t now_ns,
                       const struct sim_oracle_rule *rule);

/* Nothing of what `old` counts needs regrouping for `new`: windows that begin and end together,
 * logs of one length, buckets of one period. */
bool sim_oracle_counts_alike(const struct sim_oracle_rule *old, const struct sim_oracle_rule *new);

/* Admit or refuse one request; now_ns never decreases between calls. */
bool sim_oracle_admit(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units);

/* Whole units that could be spent at now_ns (advances the oracle to now_ns); unlimited:
 * UINT64_MAX. */
uint64_t sim_oracle_remaining_units(struct sim_oracle *oracle, uint64_t now_ns);

/* The same, but of a sliding window or a log as if the key's window that holds now_ns had come to
 * its end: there, only what was admitted in it counts. */
uint64_t sim_oracle_remaining_at_end_units(struct sim_oracle *oracle, uint64_t now_ns);

/* The earliest instant >= now_ns at which a request of this cost would be admitted if no other came
 * before it and the rule stayed (advances to now_ns); UINT64_MAX: never, or beyond the end of
 * time. */
uint64_t sim_oracle_retry_ns(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units);

/* Last instant <= now_ns at which nothing was held against the customer (advances to now_ns);
 * UINT64_MAX if never. Full just before a request spends from it counts as full at that instant.
 * Windows: the start of the window that holds now_ns (0 if it began before time 0); but what a
 * change carried into a window was held before it began. Unlimited, deleted: now_ns. */
uint64_t sim_oracle_last_full_ns(struct sim_oracle *oracle, uint64_t now_ns);

#endif
