/* Units that the oracle admitted and the limiter denied, and that may rightly be admitted later:
 * for as long as they would still count against the customer, had they been admitted.
 *
 * By seconds of true time. As of the start of a second, late is the sum of oracle - admitted, if
 * positive, over the seconds that still count: back to the last one in which the oracle held
 * nothing; of a log not further than a window's length, of a sliding window not further than the
 * start of the window before, unless the plan became one later than that. */
#ifndef SIM_LATENESS_H
#define SIM_LATENESS_H

#include <stdint.h>

#include "accuracy.h"

/* Late units as of the start of a second. 0 if seconds are not kept. */
uint64_t sim_lateness_units(const struct sim_accuracy *accuracy, uint32_t key, uint64_t second);

/* The same for every second from 0 to second_count, that one included. */
void sim_lateness_fill(uint64_t *late, const struct sim_accuracy *accuracy, uint32_t key);

#endif
