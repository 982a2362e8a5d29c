/* What a fleet reported, the newest per life and window, and what it never heard of; see fleet.h.
 */
#ifndef WEIR_FLEET_REPORTS_H
#define WEIR_FLEET_REPORTS_H

#include "fleet_types.h"

/* A later report of the same life and window replaces the earlier one; see weir/report.h. */
static inline void fleet_keep_report(struct fleet *fleet, const struct weir_report *report)
{
    for (uint32_t back = 1; back <= fleet->report_count && back <= 256; back++) {
        struct weir_report *kept = &fleet->reports[fleet->report_count - back];
        if (kept->process == report->process && kept->life == report->life &&
            kept->window_index == report->window_index && kept->key.low == report->key.low) {
            assert_false(kept->sealed);
            assert_true(report->sequence > kept->sequence);
            assert_true(report->spent_units >= kept->spent_units);
            *kept = *report;
            return;
        }
    }
    assert_true(fleet->report_count < FLEET_REPORTS);
    assert_int_equal(report->incarnation, 1000 + report->process);
    fleet->reports[fleet->report_count++] = *report;
}

static inline uint64_t fleet_reported_units(const struct fleet *fleet)
{
    uint64_t units = 0;

    for (uint32_t i = 0; i < fleet->report_count; i++) {
        units += fleet->reports[i].spent_units;
    }
    return units;
}

/* What was granted to asks whose answers never came. */
static inline uint64_t fleet_unheard_units(const struct fleet *fleet)
{
    uint64_t units = 0;

    for (uint32_t i = 0; i < fleet->process_count; i++) {
        for (uint32_t j = 0; fleet->asked[i] != NULL && j < FLEET_ASKS; j++) {
            units += fleet->asked[i][j].was_heard ? 0 : fleet->asked[i][j].units;
        }
    }
    return units;
}

#endif
