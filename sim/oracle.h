/* The oracle: the exact central limiter with zero latency. It is fed a key's arrivals in true-time
 * order and says what an ideal limiter would have admitted.
 *
 * Shares no code with the limiter under test: includes nothing from core/ or adapters/, and has
 * exact arithmetic of its own (128-bit, nanoseconds; no rounding anywhere).
 *
 * Invariant: level <= capacity (bucket), used_units <= limit_units (window), after every call. */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum sim_oracle_kind {
    SIM_ORACLE_BUCKET = 0,
    SIM_ORACLE_WINDOW,
};

struct sim_oracle {
    /* bucket: level and capacity are in units x period_ns, so that one nanosecond adds exactly
     * rate_units */
    __extension__ unsigned __int128 level;
    __extension__ unsigned __int128 capacity;
    uint64_t rate_units;
    uint64_t period_ns;
    uint64_t updated_ns;
    uint64_t full_ns; /* last instant at which the bucket was full; UINT64_MAX: not yet */
    /* window */
    uint64_t window_ns;
    uint64_t phase_ns; /* window i covers [i, i + 1) * window_ns - phase_ns */
    uint64_t limit_units;
    uint64_t used_units;
    uint64_t window_index;
    enum sim_oracle_kind kind;
};

/* Starts with fill_units <= capacity_units. rate = rate_units per period_ns; rate_units 0 never
 * refills. Requires period_ns > 0. */
void sim_oracle_init_bucket(struct sim_oracle *oracle, uint64_t rate_units, uint64_t period_ns,
                            uint64_t capacity_units, uint64_t fill_units);

/* Starts with used_units <= limit_units consumed in the window that holds time 0.
 * Requires phase_ns < window_ns. */
void sim_oracle_init_window(struct sim_oracle *oracle, uint64_t limit_units, uint64_t window_ns,
                            uint64_t phase_ns, uint64_t used_units);

/* Admit or refuse one request; now_ns never decreases between calls. Cost 0 is always admitted. */
bool sim_oracle_admit(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units);

/* Whole units that could be spent at now_ns (advances the oracle to now_ns). */
uint64_t sim_oracle_remaining_units(struct sim_oracle *oracle, uint64_t now_ns);

/* The earliest instant >= now_ns at which a request of this cost would be admitted if no other came
 * before it (advances to now_ns); UINT64_MAX: never, or beyond the end of time. */
uint64_t sim_oracle_retry_ns(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units);

/* Last instant <= now_ns at which the bucket was full (advances to now_ns); UINT64_MAX if never.
 * Full just before a request spends from it counts as full at that instant.
 * Windows: the start of the window that holds now_ns (0 if it began before time 0). */
uint64_t sim_oracle_last_full_ns(struct sim_oracle *oracle, uint64_t now_ns);

#endif
