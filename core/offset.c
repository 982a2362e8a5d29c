/* What time is it at the store?
 *
 * Every answer carries the store's clock. It was read somewhere between sending the ask and
 * receiving the answer, so the midpoint is wrong by at most half the round trip (Cristian,
 * "Probabilistic clock synchronization", 1989, section 3), plus the truncation to microseconds. The
 * error then grows with the two clocks' drift, taken as 200 ppm. An answer replaces the measurement
 * in force if its error is smaller than that one's by now: the best recent round trip wins. If the
 * two cannot both be right, one of the clocks has stepped since, and the newer one is. */
#include "limiter_private.h"
#include "weir/assert.h"

#define DRIFT_DIVISOR 5000 /* 200 ppm */
#define ROUND_TRIP_DECAY 16

/* Whether no offset lies within both measurements' errors. */
static int contradicts(const struct clock_offset *clock, uint64_t now_ns, int64_t offset_ns,
                       uint64_t error_ns)
{
    const int64_t apart_ns = (int64_t)((uint64_t)offset_ns - (uint64_t)clock->offset_ns);
    const uint64_t distance_ns = apart_ns < 0 ? 0 - (uint64_t)apart_ns : (uint64_t)apart_ns;

    return distance_ns > clock_error_ns(clock, now_ns) + error_ns;
}

int clock_learn(struct clock_offset *clock, uint64_t sent_ns, uint64_t received_ns,
                uint64_t store_us)
{
    WEIR_ASSERT(received_ns >= sent_ns);
    const uint64_t round_trip_ns = received_ns - sent_ns;
    const uint64_t error_ns = round_trip_ns / 2 + NS_PER_US;
    const uint64_t decayed = clock->round_trip_ns - clock->round_trip_ns / ROUND_TRIP_DECAY;

    clock->round_trip_ns = round_trip_ns > decayed ? round_trip_ns : decayed;
    /* two's complement difference: exact whatever the two epochs are */
    const int64_t offset_ns =
        (int64_t)(store_us * NS_PER_US + NS_PER_US / 2 - (sent_ns + round_trip_ns / 2));
    const int has_stepped = clock->known ? contradicts(clock, received_ns, offset_ns, error_ns) : 0;
    if (clock->known && !has_stepped && clock_error_ns(clock, received_ns) < error_ns) {
        return 0;
    }
    clock->offset_ns = offset_ns;
    clock->error_ns = error_ns;
    clock->measured_ns = received_ns;
    clock->known = true;
    return has_stepped;
}

uint64_t clock_error_ns(const struct clock_offset *clock, uint64_t now_ns)
{
    return clock->error_ns + (now_ns - clock->measured_ns) / DRIFT_DIVISOR + 1;
}

uint64_t clock_store_ns(const struct clock_offset *clock, uint64_t now_ns)
{
    WEIR_ASSERT(clock->known);
    return now_ns + (uint64_t)clock->offset_ns;
}

uint64_t clock_early_ns(const struct clock_offset *clock, uint64_t now_ns)
{
    const uint64_t store_ns = clock_store_ns(clock, now_ns);
    const uint64_t error_ns = clock_error_ns(clock, now_ns);

    return store_ns > error_ns ? store_ns - error_ns : 0;
}

uint64_t clock_late_ns(const struct clock_offset *clock, uint64_t now_ns)
{
    return clock_store_ns(clock, now_ns) + clock_error_ns(clock, now_ns);
}

uint64_t clock_surely_before_ns(const struct clock_offset *clock, uint64_t now_ns,
                                uint64_t store_us)
{
    const uint64_t late_ns = clock_late_ns(clock, now_ns);

    if (store_us > NEVER / 2 / NS_PER_US) {
        return NEVER;
    }
    if (late_ns >= store_us * NS_PER_US) {
        return now_ns;
    }
    /* the late bound runs 1 + 1/5000 as fast as the local clock; both divisions round, by less than
     * 1 each */
    const uint64_t gap_ns = store_us * NS_PER_US - late_ns;
    const uint64_t wait_ns = gap_ns - gap_ns / (DRIFT_DIVISOR - 1);
    return wait_ns > 2 ? now_ns + wait_ns - 2 : now_ns;
}

uint64_t clock_surely_reached_ns(const struct clock_offset *clock, uint64_t now_ns,
                                 uint64_t store_us)
{
    const uint64_t early_ns = clock_early_ns(clock, now_ns);

    if (store_us > NEVER / 2 / NS_PER_US) {
        return NEVER;
    }
    if (early_ns >= store_us * NS_PER_US) {
        return now_ns;
    }
    const uint64_t gap_ns = store_us * NS_PER_US - early_ns;
    return now_ns + gap_ns + gap_ns / (DRIFT_DIVISOR - 1) + 2;
}

uint64_t clock_wait_ns(uint64_t now_ns, uint64_t until_ns)
{
    if (until_ns == NEVER) {
        return NEVER;
    }
    const uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    return wait_ns + wait_ns / (DRIFT_DIVISOR - 1) + 1;
}
