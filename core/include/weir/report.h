/* Accounting: what this process really spent, per key and window. Enforcement is approximate and
 * cheap, accounting is exact and asynchronous; the two never share a counter.
 *
 * Reports are cumulative: a later one for the same (key, window_index, window_us, process,
 * incarnation, life) replaces an earlier one if its sequence is higher, so they may be repeated and
 * reordered freely. What a process spent in a window is the sum over its lives. Where a plan's
 * window changed, a window of the old length and one of the new may overlap; nothing is counted in
 * both. */
#ifndef WEIR_REPORT_H
#define WEIR_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/key.h"

struct weir_report {
    struct weir_key key;
    uint64_t window_index; /* (store time + phase) / window_us, see weir_key_phase_us */
    /* 0: it is not known which window, as the store's time never was while the process ran */
    uint64_t window_us;
    uint64_t incarnation;
    uint32_t process;
    uint32_t life; /* number of this key's stay in the table: an evicted key that comes back counts
                      from 0 */
    uint32_t sequence; /* within one life and window, from 1 */
    uint64_t spent_units;
    uint64_t degraded_units; /* the part of it that was admitted without the store */
    bool degraded; /* something was decided without the store, if only denied: the window was
                      enforced approximately */
    bool sealed;   /* the window is over for this process: nothing will be added */
};

#endif
