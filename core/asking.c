/* When a slot asks the store, and for what.
 *
 * It asks when a request cannot be decided here; when what is held will run out within four round
 * trips; when a pace or a trickle says it is time; before a lease ends that is still in use. It
 * gives back what it holds once no request came for a quarter of T, or for eight mean gaps of
 * a slow key, at most 5 T. */
#include "arithmetic.h"
#include "limiter_private.h"
#include "owed.h"
#include "weir/assert.h"

#define SLOW_LEASE_UNITS 6u   /* a slow key's lease ... */
#define SLOW_LEASE_PERIODS 4u /* ... spans at most this many T */
#define PREFETCH_UNITS_MIN 3u
/* A charge that is written off is lost: it is repeated for longer than stores are mostly away. */
#define CHARGE_LIFE_US (60 * UINT64_C(1000000))
#define PATIENCE_US_MAX (86400 * UINT64_C(1000000))

static uint64_t units_in(uint64_t rate_milli, uint64_t time_us)
{
    return lesser(rate_milli, UINT32_MAX) * lesser(time_us, UINT32_MAX) / 1000000000;
}

static uint32_t clamp_units(uint64_t units)
{
    return (uint32_t)lesser(units, GRANT_UNITS_MAX);
}

/* What this process would spend in about T, doubled while grants run out early: a burst is faster
 * than any measure of it. */
static uint32_t want_units(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const struct cold *cold = &limiter->cold[slot];

    if (plan->sizer != WEIR_SIZER_TAPERED) {
        return clamp_units(sizer_want_units(limiter, slot, now_ns));
    }
    const uint64_t rate_milli = demand_rate_milli(limiter, slot, now_ns);
    const uint64_t period_us = plan->trickle_period_us;
    const uint64_t busy_us = (local_ms(limiter, now_ns) - cold->resumed_ms) * UINT64_C(1000);
    uint64_t want = units_in(rate_milli, lesser(period_us * 3 / 2, busy_us / 4));
    if (want < SLOW_LEASE_UNITS) {
        const uint64_t slow =
            units_in(rate_milli, lesser(period_us * SLOW_LEASE_PERIODS, busy_us * 2 / 3));
        want = slow < SLOW_LEASE_UNITS ? slow : SLOW_LEASE_UNITS;
    }
    const uint64_t lasted_us = (local_ms(limiter, now_ns) - cold->granted_ms) * UINT64_C(1000);
    if (cold->answered_us != 0 && lasted_us <= lesser(period_us / 2, busy_us / 3) &&
        want < 2 * (uint64_t)cold->granted_units) {
        want = 2 * (uint64_t)cold->granted_units;
    }
    return clamp_units(want);
}

void asking_queue(struct weir_limiter *limiter, uint32_t slot, unsigned extra_flags)
{
    struct hot *hot = &limiter->hot[slot];

    if (hot->flags & (HOT_QUEUED | HOT_IN_FLIGHT)) {
        return;
    }
    hot->flags |= (uint16_t)(HOT_QUEUED | extra_flags);
    ask_queue_append(limiter, QUEUE_READY, slot);
}

/* Units below which it is time to ask for more. */
static uint32_t lead_units(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const uint64_t lead_us = 4 * limiter->clock.round_trip_ns / NS_PER_US;

    return clamp_units(1 + units_in(demand_rate_milli(limiter, slot, now_ns), lead_us));
}

/* Ask before the lease ends, if it is still in use: one refused spend costs a round trip. */
static bool lease_ends_soon(const struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    return slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_BUCKET &&
           limiter->hot[slot].held_units != 0 &&
           clock_late_ns(&limiter->clock, now_ns) + 4 * limiter->clock.round_trip_ns >=
               limiter->cold[slot].lease_end_us * NS_PER_US;
}

/* The store counts permits as out until it hears what became of them. */
bool asking_has_to_report(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct cold *cold = &limiter->cold[slot];

    return lease_is_held(limiter, slot) || cold->leased_units != 0 || cold->returned_units != 0 ||
           cold->unused_units != 0 || owed_any(limiter, slot);
}

/* The next time this slot has something to do without a request. */
static uint64_t attention_ns(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                             bool wants_more)
{
    const struct hot *hot = &limiter->hot[slot];
    const struct cold *cold = &limiter->cold[slot];
    const struct clock_offset *clock = &limiter->clock;
    const struct weir_plan *plan = slot_plan(limiter, slot);
    uint64_t at_ns = waiting_due_ns(limiter, slot);

    if (outbox_has_to_report(limiter, slot)) {
        at_ns = lesser(at_ns,
                       clock_surely_reached_ns(clock, now_ns, lease_window_end_us(limiter, slot)));
    }
    if ((hot->flags & (HOT_GRACE | HOT_QUEUED | HOT_IN_FLIGHT)) == HOT_GRACE &&
        owed_any(limiter, slot)) {
        at_ns = lesser(at_ns, clock_surely_reached_ns(clock, now_ns, cold->retry_us));
    }
    if (hot->flags & (HOT_QUEUED | HOT_IN_FLIGHT) || plan->sizer != WEIR_SIZER_TAPERED) {
        return at_ns;
    }
    if (asking_has_to_report(limiter, slot)) {
        /* touched_ms wraps after 49 days, its distance from now does not */
        const uint64_t now_ms = (now_ns - limiter->options.start_ns) / NS_PER_MS;
        const uint64_t touched_ms = now_ms - (uint32_t)((uint32_t)now_ms - hot->touched_ms);
        const uint64_t touched_ns = limiter->options.start_ns + (touched_ms + 1) * NS_PER_MS;
        at_ns = lesser(at_ns, touched_ns + demand_idle_ns(limiter, slot, now_ns));
    }
    if (lease_is_held(limiter, slot)) {
        const uint64_t end_ns = clock_surely_before_ns(clock, now_ns, cold->lease_end_us);
        const uint64_t ahead_ns = 4 * clock->round_trip_ns;
        at_ns = lesser(at_ns, end_ns > now_ns + ahead_ns ? end_ns - ahead_ns : end_ns);
    }
    if (wants_more && cold->retry_us != 0) {
        at_ns = lesser(at_ns, clock_surely_reached_ns(clock, now_ns, cold->retry_us));
    }
    return at_ns > now_ns ? at_ns : now_ns + 1;
}

void asking_plan(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    struct hot *hot = &limiter->hot[slot];
    const struct cold *cold = &limiter->cold[slot];
    bool wants_more = false;

    hot->low_units = 0;
    if (!limiter->clock.known) {
        deadline_set(limiter, slot, waiting_due_ns(limiter, slot));
        return;
    }
    if (slot_plan(limiter, slot)->sizer == WEIR_SIZER_TAPERED &&
        slot_plan(limiter, slot)->algorithm != WEIR_ALGORITHM_UNLIMITED &&
        (hot->flags & (HOT_QUEUED | HOT_IN_FLIGHT)) == 0) {
        const bool trickling = (hot->flags & HOT_TRICKLE) != 0;
        const bool prefetching = (hot->flags & HOT_PREFETCH) != 0 &&
                                 want_units(limiter, slot, now_ns) >= PREFETCH_UNITS_MIN;
        const uint32_t lead = prefetching ? lead_units(limiter, slot, now_ns) : 0;
        const bool active = !demand_is_idle(limiter, slot, now_ns);
        const bool runs_out = trickling || (prefetching && hot->held_units < lead);
        wants_more = active && (trickling || prefetching);
        if (active &&
            ((runs_out && cold->retry_us == 0) || lease_ends_soon(limiter, slot, now_ns))) {
            asking_queue(limiter, slot, 0);
        } else if (cold->retry_us == 0) {
            hot->low_units = lead;
        }
    }
    deadline_set(limiter, slot, attention_ns(limiter, slot, now_ns, wants_more));
}

void asking_due(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    lease_refresh(limiter, slot, now_ns);
    if (waiting_due_ns(limiter, slot) <= now_ns) {
        if (limiter->clock.known) {
            waiting_settle(limiter, slot, now_ns); /* permits may have accrued meanwhile */
        }
        waiting_give_up(limiter, slot, now_ns, now_ns);
    }
    if (owed_is_due(limiter, slot, now_ns)) {
        asking_queue(limiter, slot, 0);
    }
    if (limiter->clock.known && asking_has_to_report(limiter, slot) &&
        demand_is_idle(limiter, slot, now_ns) &&
        slot_plan(limiter, slot)->sizer == WEIR_SIZER_TAPERED) {
        asking_queue(limiter, slot, HOT_RETURN);
    }
    asking_plan(limiter, slot, now_ns);
}

static void give_everything_back(struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];

    ask->flags |= WEIR_ASK_RETURN;
    ask->returned_units += hot->held_units;
    cold->leased_units -= hot->held_units;
    hot->held_units = 0;
    if (cold->trickle[0] != 0 || cold->trickle[1] != 0) {
        ask->flags |= WEIR_ASK_CANCEL_TRICKLE;
        ask->trickle_period = cold->trickle_period;
        ask->trickle_count[0] = cold->trickle[0];
        ask->trickle_count[1] = cold->trickle[1];
        ask->trickle_accrued = cold->trickle_taken;
        cold->trickle[0] = 0;
        cold->trickle[1] = 0;
        cold->trickle_taken = 0;
        cold->retry_us = 0;
    }
}

/* Demand fell since the lease was granted: keep what the process would spend in two T. */
static void give_excess_back(struct weir_limiter *limiter, uint32_t slot, uint64_t rate_milli,
                             struct weir_ask *ask)
{
    struct hot *hot = &limiter->hot[slot];
    const uint64_t used = units_in(rate_milli, 2 * slot_plan(limiter, slot)->trickle_period_us);
    const uint32_t keep = clamp_units(used > SLOW_LEASE_UNITS ? used : SLOW_LEASE_UNITS);

    if (hot->held_units > keep && slot_plan(limiter, slot)->sizer == WEIR_SIZER_TAPERED &&
        limiter->cold[slot].wait_last == SLOT_NONE) {
        ask->returned_units += hot->held_units - keep;
        limiter->cold[slot].leased_units -= hot->held_units - keep;
        hot->held_units = keep;
    }
}

/* What waits, beyond what is held. */
static void state_need(const struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask)
{
    const uint32_t held = limiter->hot[slot].held_units;
    const uint32_t least = waiting_least_cost(limiter, slot);
    const uint32_t all = limiter->cold[slot].wait_units;

    if (all == 0) {
        return;
    }
    ask->least_units = least > held ? least - held : 1;
    ask->need_units = all > held + ask->least_units ? all - held : ask->least_units;
}

/* Two recent round trips, as a power of two of milliseconds, so that processes mostly name the
 * same. 0 if that is too long to be counted on, or if something is held: another request may take
 * it first, and what waits then takes less than its need. */
uint32_t asking_flight_us(const struct clock_offset *clock, uint32_t held_units)
{
    uint32_t time_us = WEIR_FLIGHT_US_MIN;

    if (held_units != 0) {
        return 0;
    }
    while (time_us < WEIR_FLIGHT_US_MAX &&
           (!clock->known || time_us * NS_PER_US < 2 * clock->round_trip_ns)) {
        time_us *= 2;
    }
    return !clock->known || time_us * NS_PER_US >= 2 * clock->round_trip_ns ? time_us : 0;
}

/* Where an answer takes longer than requests wait, none of them will be there to spend what is
 * granted to them. In windows it is a lease then, for those that come after; a bucket takes it back
 * in place of what was admitted without the store. */
static uint32_t flight_of_waiting_us(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct clock_offset *clock = &limiter->clock;
    const bool is_lease = clock->known && clock->round_trip_ns > limiter->options.wait_max_ns &&
                          weir_plan_has_windows(slot_plan(limiter, slot));

    return is_lease ? 0 : asking_flight_us(clock, limiter->hot[slot].held_units);
}

uint64_t asking_record_us(const struct weir_limiter *limiter)
{
    const uint64_t patience_us =
        2 * lesser(limiter->options.ask_timeout_ns / NS_PER_US, PATIENCE_US_MAX);

    return greater(patience_us, WEIR_RECORD_US);
}

static uint64_t life_us(const struct weir_limiter *limiter, const struct weir_ask *ask)
{
    const bool charges = ask->charge_units != 0 || ask->charge_before_units != 0;

    return greater(asking_record_us(limiter), charges ? CHARGE_LIFE_US : 0);
}

uint64_t asking_expires_us(const struct weir_limiter *limiter, uint64_t now_ns,
                           const struct weir_ask *ask)
{
    return limiter->clock.known
               ? clock_late_ns(&limiter->clock, now_ns) / NS_PER_US + life_us(limiter, ask)
               : 0;
}

void asking_take_back(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                      const struct weir_ask *ask)
{
    struct cold *cold = &limiter->cold[slot];

    cold->leased_units += ask->spent_units;
    cold->returned_units += ask->returned_units;
    cold->expired_units += ask->expired_units;
    cold->unused_units += ask->unused_units;
    cold->rate_reported_milli = (uint32_t)ask->rate_milli_before;
    cold->kept_ppm = ask->kept_ppm_before;
    cold->rate_share_period = ask->rate_share_period;
    if (ask->flags & WEIR_ASK_CANCEL_TRICKLE) {
        cold->trickle_period = ask->trickle_period;
        cold->trickle[0] = ask->trickle_count[0];
        cold->trickle[1] = ask->trickle_count[1];
        cold->trickle_taken = ask->trickle_accrued;
    }
    if (limiter->hot[slot].flags & HOT_OUTDATED) {
        limiter->hot[slot].flags |= HOT_RECALLED; /* that, too, is of the plan before */
    }
    owed_take_back(limiter, slot, now_ns, ask);
}

void asking_again(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    limiter->hot[slot].flags &= (uint16_t) ~(HOT_IN_FLIGHT | HOT_OUTDATED | HOT_UNCOUNTED);
    lease_refresh(limiter, slot, now_ns);
    if (limiter->cold[slot].wait_last != SLOT_NONE) {
        asking_queue(limiter, slot, 0);
    }
    asking_due(limiter, slot, now_ns);
}

void asking_state_seen(const struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask)
{
    const struct cold *cold = &limiter->cold[slot];

    ask->version_seen = cold->version;
    ask->run_seen = cold->run_id;
    ask->seen_us = cold->answered_us;
    ask->remaining_seen_units = cold->remaining_units;
    ask->outstanding_seen_units = cold->outstanding_units;
    ask->previous_seen_units = cold->previous_units;
}

/* An active process is never reported as none, however slow. */
uint64_t asking_rate_milli(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    return lesser(greater(demand_rate_milli(limiter, slot, now_ns), 1), UINT32_MAX);
}

void asking_tell_demand(struct cold *cold, uint64_t rate_milli, struct weir_ask *ask)
{
    ask->rate_milli_before = cold->rate_reported_milli;
    ask->rate_share_period = cold->rate_share_period;
    ask->kept_ppm_before = cold->kept_ppm;
    ask->rate_milli = rate_milli;
    cold->rate_reported_milli = (uint32_t)rate_milli;
    cold->kept_ppm = 0; /* until the answer says so */
}

void asking_build(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                  struct weir_ask *ask)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];
    const uint64_t rate_milli = asking_rate_milli(limiter, slot, now_ns);
    const bool is_return = (hot->flags & HOT_RETURN) != 0 && cold->wait_last == SLOT_NONE;

    *ask = (struct weir_ask){
        .key = hot->key,
        .id = {.process = limiter->options.process,
               .sequence = next_sequence(limiter),
               .incarnation = limiter->options.incarnation},
        .plan = plan_for_ask(limiter, hot->plan_index, cold->assigned_version),
        .flags = cold->trickle[1] != 0 ? WEIR_ASK_HAS_TRICKLE : 0,
        .largest_units = cold->largest_units,
        .flight_us = flight_of_waiting_us(limiter, slot),
        .lease_end_us = cold->lease_end_us,
        .returned_units = cold->returned_units,
        .expired_units = cold->expired_units,
        .unused_units = cold->unused_units,
    };
    asking_state_seen(limiter, slot, ask);
    asking_tell_demand(cold, is_return ? 0 : rate_milli, ask);
    ask->flags |= is_return ? WEIR_ASK_REST : 0u;
    if (is_return || direct_is_due(limiter, slot_plan(limiter, slot))) {
        give_everything_back(limiter, slot, ask);
    } else {
        give_excess_back(limiter, slot, rate_milli, ask);
        state_need(limiter, slot, ask);
        ask->want_units = want_units(limiter, slot, now_ns);
        if (slot_plan(limiter, slot)->sizer == WEIR_SIZER_TAPERED) {
            ask->want_units -=
                hot->held_units < ask->want_units ? hot->held_units : ask->want_units;
        }
        ask->want_units = ask->want_units > ask->need_units ? ask->want_units : ask->need_units;
    }
    if (limiter->clock.known) {
        owed_charge(limiter, slot, now_ns, ask);
    } /* else it could not be repeated for long, and the charge be lost: the next one has it */
    ask->expires_us = asking_expires_us(limiter, now_ns, ask);
    WEIR_ASSERT(cold->leased_units >= hot->held_units);
    ask->held_units = hot->held_units;
    ask->spent_units = cold->leased_units - hot->held_units;

    cold->leased_units = hot->held_units;
    cold->returned_units = 0;
    cold->expired_units = 0;
    cold->unused_units = 0;
    if (ask->rate_milli == 0) {
        cold->rate_share_period = NEVER;
    }
    cold->need_units = ask->need_units;
    cold->least_units = ask->least_units;
    cold->flight_us = ask->flight_us;
    cold->sequence = ask->id.sequence;
    hot->flags &= (uint16_t) ~(HOT_QUEUED | HOT_RETURN | HOT_TRICKLE | HOT_UNCOUNTED);
    hot->flags |= HOT_IN_FLIGHT;
    if (ask->plan.algorithm == WEIR_ALGORITHM_UNLIMITED) {
        hot->flags |= HOT_UNCOUNTED;
    }
}
