/* Do arrivals come in herds? Two figures, of the attempts that were made:
 *
 * sim_herd_ratio: for keys of plans with windows, the arrivals of a key in the second after one of
 * its windows began, in 100 bins of 10 ms: busiest bin / mean bin. The largest over all windows of
 * all keys with at least SIM_HERD_ARRIVALS_MIN arrivals in that second (fewer, and chance alone
 * makes a bin look busy); 0 if there is none. Windows shorter than a second, those that began
 * before the run, and a second cut short by its end are left out.
 *
 * sim_herd_arrivals_ratio: all arrivals of the fleet, busiest 10 ms / mean 10 ms of the run. */
#ifndef SIM_HERD_H
#define SIM_HERD_H

#include <stdint.h>

#include "catalog.h"

#define SIM_HERD_ARRIVALS_MIN 1000
#define SIM_HERD_BINS 100

/* The window a key is in. */
struct sim_herd_window {
    uint64_t start_ns; /* UINT64_MAX: it does not count */
    uint64_t end_ns;   /* UINT64_MAX: the key has no windows that count */
    uint32_t arrivals; /* in its first second */
    uint32_t busiest;
    uint32_t bin; /* the one being filled, and what is in it */
    uint32_t bin_arrivals;
};

struct sim_herd {
    const struct sim_catalog *catalog;
    uint64_t duration_ns;
    struct sim_herd_window *windows; /* by key */
    double worst_ratio;

    uint64_t slot; /* of 10 ms, the one being filled */
    uint64_t slot_arrivals;
    uint64_t busiest_arrivals;
    uint64_t arrivals;
};

void sim_herd_init(struct sim_herd *herd, const struct sim_catalog *catalog);
void sim_herd_deinit(struct sim_herd *herd);

/* In order of time. */
void sim_herd_arrival(struct sim_herd *herd, uint32_t key, uint64_t time_ns);

/* After the last arrival, before the figures are asked for. */
void sim_herd_finish(struct sim_herd *herd);

double sim_herd_ratio(const struct sim_herd *herd);
double sim_herd_arrivals_ratio(const struct sim_herd *herd);

#endif
