#include "virtual_clock.h"

#include <stdlib.h>

#include "memory.h"

#define BILLION UINT64_C(1000000000)

/* How far the last piece is looked at: longer than any run, and no reading of it overflows. */
#define PIECE_LAST_NS (UINT64_C(1) << 60)

void sim_virtual_clock_add_faults(struct sim_virtual_clock *clock, const struct fault_list *faults,
                                  uint32_t process, uint64_t end_ns)
{
    const struct fault_clock_own own = {.start_ns = clock->start_ns,
                                        .drift_ppb = (int32_t)clock->drift_ppb};
    const size_t count = fault_clock(faults, process, &own, end_ns, NULL, 0);
    struct fault_clock_piece first;

    (void)fault_clock(faults, process, &own, end_ns, &first, 1);
    if (count == 1 && first.fault == UINT32_MAX) {
        return; /* the clock's own: no pieces to look through */
    }
    clock->pieces = sim_memory_new(count, sizeof *clock->pieces);
    clock->piece_count = fault_clock(faults, process, &own, end_ns, clock->pieces, count);
}

void sim_virtual_clock_deinit(struct sim_virtual_clock *clock)
{
    free(clock->pieces);
    *clock = (struct sim_virtual_clock){0};
}

/* The piece that true_ns falls into. */
static size_t piece_at(const struct sim_virtual_clock *clock, uint64_t true_ns)
{
    size_t low = 0;
    size_t high = clock->piece_count;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (clock->pieces[middle].from_ns <= true_ns) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t drifted(uint64_t true_ns, uint64_t ppb)
{
    return true_ns / BILLION * ppb + true_ns % BILLION * ppb / BILLION;
}

uint64_t sim_virtual_clock_read(const struct sim_virtual_clock *clock, uint64_t true_ns)
{
    if (clock->pieces != NULL) {
        return fault_clock_read(&clock->pieces[piece_at(clock, true_ns)], true_ns);
    }
    const uint64_t even = clock->start_ns + true_ns;

    return clock->drift_ppb >= 0 ? even + drifted(true_ns, (uint64_t)clock->drift_ppb)
                                 : even - drifted(true_ns, (uint64_t)-clock->drift_ppb);
}

/* A clock without faults. */
static uint64_t when(const struct sim_virtual_clock *clock, uint64_t local_ns)
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

/* Within [from_ns, until_ns), where the piece never goes back; UINT64_MAX: not there. */
static uint64_t when_in_piece(const struct fault_clock_piece *piece, uint64_t from_ns,
                              uint64_t until_ns, uint64_t local_ns)
{
    uint64_t low_ns = from_ns;
    uint64_t high_ns = until_ns - 1;

    if (fault_clock_read(piece, high_ns) < local_ns) {
        return UINT64_MAX;
    }
    while (low_ns < high_ns) {
        const uint64_t middle_ns = low_ns + (high_ns - low_ns) / 2;
        if (fault_clock_read(piece, middle_ns) >= local_ns) {
            high_ns = middle_ns;
        } else {
            low_ns = middle_ns + 1;
        }
    }
    return high_ns;
}

uint64_t sim_virtual_clock_when(const struct sim_virtual_clock *clock, uint64_t now_ns,
                                uint64_t local_ns)
{
    if (local_ns == UINT64_MAX) {
        return UINT64_MAX;
    }
    if (clock->pieces == NULL) {
        const uint64_t when_ns = when(clock, local_ns);
        return when_ns > now_ns ? when_ns : now_ns;
    }
    for (size_t i = piece_at(clock, now_ns); i < clock->piece_count; i++) {
        const struct fault_clock_piece *piece = &clock->pieces[i];
        const uint64_t from_ns = piece->from_ns > now_ns ? piece->from_ns : now_ns;
        const uint64_t until_ns =
            i + 1 < clock->piece_count ? piece[1].from_ns : from_ns + PIECE_LAST_NS;
        const uint64_t when_ns = when_in_piece(piece, from_ns, until_ns, local_ns);
        if (when_ns != UINT64_MAX) {
            return when_ns;
        }
    }
    return UINT64_MAX;
}
