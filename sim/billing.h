/* The way of reports from processes to whoever writes the bills. Each is sent until it is
 * acknowledged; the reconciler takes the newest it has of each process, life, key and window. So
 * reports may be lost, repeated and reordered, and the bill is right.
 *
 * Faults end with the run: what is sent after it arrives, and what was not acknowledged is sent
 * then. Reports travel apart from everything else and change nothing in a run: their way is worked
 * out when they are sent, and what arrived is put in order when the run is over. */
#ifndef SIM_BILLING_H
#define SIM_BILLING_H

#include <stddef.h>
#include <stdint.h>

#include "catalog.h"
#include "weir/report.h"

#define SIM_BILLING_REPEAT_NS UINT64_C(1000000000) /* not acknowledged by then: sent again */

struct sim_delivery {
    uint64_t arrived_ns;
    uint64_t number; /* of all of one process, in order of sending */
    struct weir_report report;
};

/* Of one population, or of all. */
struct sim_bill {
    uint64_t reported_units;
    uint64_t degraded_units;   /* of them: admitted without the store */
    uint64_t flagged_windows;  /* of a key, with decisions made without the store in them ... */
    uint64_t flagged_units;    /* ... and all that was reported of these windows */
    uint64_t unsealed_windows; /* of a key, of which a part is not known */
};

struct sim_billing {
    const struct sim_catalog *catalog;
    const struct sim_scenario *scenario; /* the catalog's */
    uint64_t *sent_counts;               /* by process */
    uint64_t *batch_seconds; /* by process: the last second it had something to report in, + 1 */
    uint64_t report_count;
    uint64_t batch_count; /* of messages, if each process sent one a second for all its reports */
    struct sim_delivery *deliveries;
    size_t count;
    size_t capacity;

    /* the sender died with them; and what was spent and in no report when a process
     * died: the store knows of the permits, nobody of what became of them */
    uint64_t undelivered_count;
    struct weir_report *forgotten;
    size_t forgotten_count;
    size_t forgotten_capacity;

    /* the bill, after sim_billing_finish */
    struct sim_bill all;
    struct sim_bill *by_population; /* owned; in a world without faults reports go there as they are
                                       sent: none is kept */
    uint64_t duplicates_dropped;
};

void sim_billing_init(struct sim_billing *billing, const struct sim_catalog *catalog);
void sim_billing_deinit(struct sim_billing *billing);

void sim_billing_send(struct sim_billing *billing, uint32_t process, uint64_t time_ns,
                      const struct weir_report *report);

/* A process was killed and its memory with it: this it would have reported. */
void sim_billing_forget(struct sim_billing *billing, const struct weir_report *report);

/* Write the bill. Call once, after the run. */
void sim_billing_finish(struct sim_billing *billing);

#endif
