#include "virtual_clock.h"

#define BILLION UINT64_C(1000000000)

static uint64_t drifted(uint64_t true_ns, uint64_t ppb)
{
    return true_ns / BILLION * ppb + true_ns % BILLION * ppb / BILLION;
}

uint64_t sim_virtual_clock_read(const struct sim_virtual_clock *clock, uint64_t true_ns)
{
    const uint64_t even = clock->start_ns + true_ns;

    return clock->drift_ppb >= 0 ? even + drifted(true_ns, (uint64_t)clock->drift_ppb)
                                 : even - drifted(true_ns, (uint64_t)-clock->drift_ppb);
}

uint64_t sim_virtual_clock_when(const struct sim_virtual_clock *clock, uint64_t local_ns)
{
    if (local_ns == UINT64_MAX || local_ns <= clock->start_ns) {
        return local_ns == UINT64_MAX ? UINT64_MAX : 0;
    }
    uint64_t true_ns = local_ns - clock->start_ns;
    if (clock->drift_ppb == 0) {
        return true_ns;
    }
    /* each round shrinks the error by the drift, which is small; then settle the last nanosecond */
    for (int i = 0; i < 64; i++) {
        const uint64_t reading = sim_virtual_clock_read(clock, true_ns);
        if (reading == local_ns) {
            break;
        }
        true_ns =
            reading > local_ns && reading - local_ns > true_ns ? 0 : true_ns + (local_ns - reading);
    }
    while (sim_virtual_clock_read(clock, true_ns) < local_ns) {
        true_ns++;
    }
    while (true_ns > 0 && sim_virtual_clock_read(clock, true_ns - 1) >= local_ns) {
        true_ns--;
    }
    return true_ns;
}
