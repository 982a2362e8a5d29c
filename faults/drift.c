/* What processes' clocks read.
 *
 * The reading is a smooth part, which runs at some rate at all times (the clock's own, plus drifts
 * and smears), and steps on top of it. A clock that is frozen shows neither and keeps both: it then
 * reads what it would have read anyway. Pieces begin where any of it changes; the smooth part of
 * one begins with what that of the last one ended with, to the nanosecond, so that a rounded rate
 * makes no step. */
#include "fault.h"

#define BILLION INT64_C(1000000000)

/* Time a clock that is drift_ppb faster counts in time_ns, rounded towards even running. */
static uint64_t counted_ns(uint64_t time_ns, int64_t drift_ppb)
{
    const uint64_t ppb = (uint64_t)(drift_ppb < 0 ? -drift_ppb : drift_ppb);
    const uint64_t billion = (uint64_t)BILLION;
    const uint64_t drift_ns = time_ns / billion * ppb + time_ns % billion * ppb / billion;

    return drift_ppb < 0 ? time_ns - drift_ns : time_ns + drift_ns;
}

uint64_t fault_clock_read(const struct fault_clock_piece *piece, uint64_t time_ns)
{
    return piece->reading_ns + counted_ns(time_ns - piece->from_ns, piece->drift_ppb);
}

static bool concerns(const struct fault *fault, uint32_t process)
{
    return fault->kind >= FAULT_CLOCK_OFFSET && fault->kind <= FAULT_CLOCK_SMEAR &&
           fault->from_ns < fault->until_ns && fault_set_holds(&fault->processes, process);
}

/* The first time after time_ns at which this fault changes what the clock does. */
static uint64_t next_ns(const struct fault *fault, uint64_t time_ns)
{
    if (time_ns < fault->from_ns) {
        return fault->from_ns;
    }
    if (time_ns >= fault->until_ns) {
        return UINT64_MAX;
    }
    if (fault->kind == FAULT_CLOCK_SQUARE && fault->period_ns > 1) {
        const uint64_t half_ns = fault->period_ns / 2;
        const uint64_t into_ns = (time_ns - fault->from_ns) % fault->period_ns;
        const uint64_t left_ns = (into_ns < half_ns ? half_ns : fault->period_ns) - into_ns;
        return left_ns < fault->until_ns - time_ns ? time_ns + left_ns : fault->until_ns;
    }
    return fault->until_ns;
}

static bool is_on(const struct fault *fault, uint64_t time_ns)
{
    if (time_ns < fault->from_ns || time_ns >= fault->until_ns) {
        return false;
    }
    return fault->kind != FAULT_CLOCK_SQUARE || fault->period_ns < 2 ||
           (time_ns - fault->from_ns) % fault->period_ns >= fault->period_ns / 2;
}

/* What a smear gains per second, and what of it is left over at its end by rounding. */
static int64_t smear_ppb(const struct fault *fault)
{
    __extension__ __int128 gained = fault->step_ns;

    gained = gained * BILLION / (fault->until_ns - fault->from_ns);
    return (int64_t)gained;
}

static int64_t smear_rest_ns(const struct fault *fault)
{
    const uint64_t span_ns = fault->until_ns - fault->from_ns;

    return fault->step_ns - (int64_t)(counted_ns(span_ns, smear_ppb(fault)) - span_ns);
}

/* What the clock does at some time, as the sum of what its faults do. */
struct state {
    int64_t step_ns; /* on top of the smooth part */
    int64_t drift_ppb;
    bool is_frozen;
};

static void add(struct state *state, const struct fault *fault, uint64_t time_ns)
{
    const bool on = is_on(fault, time_ns);

    if (fault->kind == FAULT_CLOCK_DRIFT) {
        state->drift_ppb += on ? fault->drift_ppb : 0;
    } else if (fault->kind == FAULT_CLOCK_SMEAR) {
        state->drift_ppb += on ? smear_ppb(fault) : 0;
        state->step_ns += time_ns >= fault->until_ns ? smear_rest_ns(fault) : 0;
    } else if (fault->kind == FAULT_CLOCK_FROZEN) {
        state->is_frozen |= on;
    } else { /* an offset, a square wave */
        state->step_ns += on ? fault->step_ns : 0;
    }
}

static struct state state_at(const struct fault_list *list, uint32_t process, uint64_t time_ns,
                             int32_t drift_ppb)
{
    struct state state = {.drift_ppb = drift_ppb};

    for (size_t i = 0; i < list->count; i++) {
        if (concerns(&list->faults[i], process)) {
            add(&state, &list->faults[i], time_ns);
        }
    }
    state.drift_ppb = state.drift_ppb < -BILLION ? -BILLION : state.drift_ppb;
    state.drift_ppb = state.drift_ppb > INT32_MAX ? INT32_MAX : state.drift_ppb;
    return state;
}

/* The next time at which any of them changes something, and which (the first in the list). */
static uint64_t next_of_any_ns(const struct fault_list *list, uint32_t process, uint64_t time_ns,
                               uint32_t *which)
{
    uint64_t first_ns = UINT64_MAX;

    for (uint32_t i = 0; i < list->count; i++) {
        if (concerns(&list->faults[i], process)) {
            const uint64_t change_ns = next_ns(&list->faults[i], time_ns);
            if (change_ns < first_ns) {
                first_ns = change_ns;
                *which = i;
            }
        }
    }
    return first_ns;
}

static uint64_t reading_ns(uint64_t smooth_ns, int64_t step_ns)
{
    const uint64_t back_ns = step_ns < 0 ? (uint64_t)-step_ns : 0;

    return step_ns >= 0 ? smooth_ns + (uint64_t)step_ns
                        : (back_ns > smooth_ns ? 0 : smooth_ns - back_ns);
}

/* A fault that begins at time 0 is in force in the first piece already. */
static uint32_t begins_at_0(const struct fault_list *list, uint32_t process)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (concerns(&list->faults[i], process) && list->faults[i].from_ns == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

size_t fault_clock(const struct fault_list *list, uint32_t process,
                   const struct fault_clock_own *own, uint64_t end_ns,
                   struct fault_clock_piece *pieces, size_t capacity)
{
    uint64_t smooth_ns = own->start_ns;
    uint64_t frozen_ns = 0; /* what it reads while it is frozen */
    bool was_frozen = false;
    struct fault_clock_piece piece = {.fault = begins_at_0(list, process)};
    size_t count = 0;

    do {
        const struct state state = state_at(list, process, piece.from_ns, own->drift_ppb);
        piece.reading_ns = reading_ns(smooth_ns, state.step_ns);
        piece.drift_ppb = (int32_t)state.drift_ppb;
        if (state.is_frozen) {
            frozen_ns = was_frozen ? frozen_ns : piece.reading_ns;
            piece.reading_ns = frozen_ns;
            piece.drift_ppb = (int32_t)-BILLION;
        }
        was_frozen = state.is_frozen;
        if (count < capacity) {
            pieces[count] = piece;
        }
        count++;
        const uint64_t next_ns = next_of_any_ns(list, process, piece.from_ns, &piece.fault);
        smooth_ns += counted_ns(next_ns - piece.from_ns, state.drift_ppb);
        piece.from_ns = next_ns;
    } while (piece.from_ns < end_ns && piece.from_ns != UINT64_MAX);
    return count;
}
