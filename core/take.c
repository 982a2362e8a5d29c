#include "weir/take.h"

#include <stdbool.h>

#include "grant.h"
#include "store_key.h"
#include "weir/assert.h"

static void advance_in(struct weir_store_key *state, const struct weir_key *key,
                       const struct weir_plan *plan, uint64_t now_us)
{
    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        bucket_advance(state, key, plan, now_us);
        break;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
        window_advance(state, key, plan, now_us);
        break;
    case WEIR_ALGORITHM_LOG:
        log_advance(state, now_us);
        break;
    case WEIR_ALGORITHM_UNLIMITED:
        state->updated_us = greater(state->updated_us, now_us);
        break;
    }
}

/* Bring the state to now_us, through the change to `plan` if that is newer. Returns the plan in
 * force then: the newest that limits anything, whether or not another lifts it. */
static struct weir_plan advance(struct weir_store_key *state, const struct weir_key *key,
                                const struct weir_plan *plan, uint64_t now_us)
{
    stepped_follow(state, key, now_us);
    const uint64_t share_period = (now_us + state->stepped_us) / WEIR_SHARE_US;

    pair_roll_back(state->spilled_us, state->share_period, share_period);
    pair_roll_back(state->rate_milli, state->share_period, share_period);
    pair_roll_back(state->active, state->share_period, share_period);
    pair_roll_back(state->resting_ppm, state->share_period, share_period);
    state->share_period = greater(share_period, state->share_period);
    if (plan->version > newest_version(state)) {
        const uint64_t since_us = plan->since_us == 0 ? now_us : lesser(plan->since_us, now_us);
        const uint64_t at_us = greater(since_us, state->updated_us);
        const struct weir_plan old = plan_in_force(state);
        advance_in(state, key, &old, at_us);
        plan_change(state, key, plan, at_us);
    }
    const struct weir_plan current =
        plan->version == state->in_force.version ? *plan : plan_in_force(state);
    advance_in(state, key, &current, now_us);
    return current;
}

void weir_store_key_advance(struct weir_store_key *state, const struct weir_key *key,
                            const struct weir_plan *plan, uint64_t now_us)
{
    WEIR_ASSERT(state->version != 0);
    (void)advance(state, key, plan, now_us);
}

uint64_t weir_store_key_remaining(const struct weir_store_key *state)
{
    const struct weir_store_plan *plan = &state->in_force;

    if (is_unlimited(state)) {
        return UINT32_MAX;
    }
    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        return state->tokens;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_LOG:
        return saturating_sub(plan->capacity_units, state->tokens);
    case WEIR_ALGORITHM_SLIDING:
        return saturating_sub(plan->capacity_units, state->tokens + state->weighted_units);
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
    return UINT32_MAX;
}

void weir_store_key_init(struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t now_us, uint64_t fill_units)
{
    WEIR_ASSERT(fill_units <= plan->capacity_units || plan->algorithm == WEIR_ALGORITHM_UNLIMITED);
    *state = (struct weir_store_key){
        .version = 1,
        .updated_us = now_us,
        .since_us = now_us,
        .share_period = now_us / WEIR_SHARE_US,
        .log = state->log,
        .log_capacity = state->log_capacity,
    };
    plan_put_in_force(state, plan);
    start_algorithm(state, key, plan, now_us, saturating_sub(plan->capacity_units, fill_units));
}

static void give_back(struct weir_store_key *state, const struct weir_ask *ask,
                      const struct weir_plan *plan, uint64_t units)
{
    const uint64_t owed = lesser(state->owed_units, units);

    if (ask->lease_end_us <= state->started_us) {
        return; /* over when the plan changed: no part of what it took over */
    }
    if (ask->lease_end_us <= state->left_end_us) {
        state->owed_units -= owed;
        units -= owed;
    }
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        bucket_give_back(state, plan, units);
    } else if (plan->algorithm == WEIR_ALGORITHM_WINDOW ||
               plan->algorithm == WEIR_ALGORITHM_SLIDING) {
        window_give_back(state, &ask->key, plan, ask->lease_end_us, units);
    }
}

/* Permits of a lease that is not over are out no longer. If it may be one of before the last change
 * those of before are reduced first: of the new ones too many may then seem to be out, never too
 * few. */
static void count_back(struct weir_store_key *state, const struct weir_ask *ask, uint64_t units)
{
    const uint64_t left =
        ask->lease_end_us <= state->left_end_us ? lesser(state->left_units, units) : 0;

    state->left_units -= left;
    if (ask->lease_end_us <= state->left_end_us && ask->held_units != 0) {
        /* they move to a new lease, and may come back as part of that */
        state->left_end_us = greater(state->left_end_us, state->lease_end_us[1]);
    }
    bucket_count_back(state, ask->lease_end_us, units - left);
}

/* What the ask says about earlier leases. Once these are over they are counted no more, and a
 * bucket has refilled in their place: they are neither out nor given back, and what was held is
 * void (the process learns it from the answer's reached_us). A sliding window still takes back what
 * the window before did not spend. */
static void settle(struct weir_store_key *state, const struct weir_ask *ask,
                   const struct weir_plan *plan, uint64_t now_us)
{
    const bool lives =
        ask->lease_end_us > state->updated_us && ask->lease_end_us <= state->lease_end_us[1];
    const bool bucket = plan->algorithm == WEIR_ALGORITHM_BUCKET;
    const uint64_t returned = saturating_sub(ask->returned_units, ask->expired_units);

    forget_left(state);
    if (lives) {
        count_back(state, ask, ask->held_units + (uint64_t)ask->spent_units + returned);
        state->outstanding[bucket ? 1 : 0] += ask->held_units;
    }
    if (lives || !bucket) {
        give_back(state, ask, plan, returned + (bucket ? 0 : ask->unused_units));
    }
    if (ask->flags & WEIR_ASK_CANCEL_TRICKLE && bucket &&
        ask->plan.trickle_period_us == plan->trickle_period_us) {
        bucket_cancel_trickles(state, ask, plan, now_us);
    }
}

/* The process's share of the demand as it was counted: of what those that rest leave, if it was
 * active. So who rests takes nothing from the others, and nobody who comes takes from it. */
static uint32_t counted_share_ppm(const struct weir_store_key *state, const struct weir_ask *ask)
{
    const uint64_t all_milli = state->rate_milli[0] + state->rate_milli[1];
    const uint64_t resting_ppm = state->resting_ppm[0] + state->resting_ppm[1];
    const uint64_t own_milli = lesser(ask->rate_milli_before, all_milli);

    if (own_milli == 0) {
        return (uint32_t)lesser(ask->kept_ppm_before, resting_ppm);
    }
    return (uint32_t)((PPM - resting_ppm) * own_milli / all_milli);
}

/* Move this process's demand from where it was last counted to now. Returns the share that it keeps
 * while it rests. */
static uint32_t count_demand(struct weir_store_key *state, const struct weir_ask *ask)
{
    uint32_t kept_ppm = 0;
    int before = -1;

    if (ask->rate_share_period == state->share_period) {
        before = 0;
    } else if (ask->rate_share_period + 1 == state->share_period) {
        before = 1;
    }
    if (before >= 0) {
        kept_ppm = ask->flags & WEIR_ASK_REST ? counted_share_ppm(state, ask) : 0;
        state->resting_ppm[before] =
            saturating_sub(state->resting_ppm[before], ask->kept_ppm_before);
    }
    if (before >= 0 && ask->rate_milli_before != 0) {
        state->rate_milli[before] =
            saturating_sub(state->rate_milli[before], ask->rate_milli_before);
        state->active[before] = saturating_sub(state->active[before], 1);
    }
    if (ask->rate_milli != 0) {
        state->rate_milli[0] += ask->rate_milli;
        state->active[0] += 1;
    }
    state->resting_ppm[0] += kept_ppm;
    return kept_ppm;
}

/* Granted units that requests spend as soon as the answer comes, so that no later ask needs to say
 * what became of them. If only a part of the need is granted, some of it may be left over. */
static uint32_t spent_at_once(const struct weir_ask *ask, const struct weir_plan *plan,
                              const struct grant *grant)
{
    if (ask->flags & WEIR_ASK_SPEND || plan->algorithm == WEIR_ALGORITHM_LOG) {
        return grant->units;
    }
    return ask->flight_us == 0 || grant->units < ask->need_units ? 0 : ask->need_units;
}

static void debit_grant(struct weir_store_key *state, const struct weir_ask *ask,
                        const struct weir_plan *plan, const struct grant *grant, uint64_t now_us)
{
    const uint32_t waiting = spent_at_once(ask, plan, grant);

    state->taken_units += grant->units;
    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        state->tokens -= grant->units;
        state->flight[0] += ask->flight_us == 0 ? 0 : waiting;
        state->trickle[1] += grant->trickle_count;
        state->outstanding[1] += grant->units - waiting;
        break;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
        state->tokens += grant->units;
        state->outstanding[0] += grant->units - waiting;
        break;
    case WEIR_ALGORITHM_LOG:
        if (grant->units != 0) {
            log_add(state, now_us + plan->window_us + ask->flight_us, grant->units);
        }
        break;
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
}

/* This process's turn: about one pace from now, after those who got their turn before it. */
static uint64_t next_turn_us(struct weir_store_key *state, const struct grant *grant,
                             uint64_t now_us)
{
    const uint64_t active = state->active[0] + state->active[1];
    const uint64_t soonest_us = now_us + grant->pace_us / 2;
    const uint64_t latest_us = now_us + grant->pace_us / 2 * 3;

    if (state->pace_next_us > latest_us) {
        return latest_us; /* sooner than the others: out of turn */
    }
    const uint64_t turn_us = greater(state->pace_next_us, soonest_us);
    state->pace_next_us = turn_us + grant->pace_us / (active == 0 ? 1 : active);
    return turn_us;
}

/* Store time at which `least` units can be had, if nothing else comes. */
static uint64_t ready_us(const struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t least, uint64_t now_us)
{
    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        return bucket_ready_us(state, plan, least, now_us);
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
        return window_ready_us(state, key, plan, least);
    case WEIR_ALGORITHM_LOG:
        return log_ready_us(state, plan, least);
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
    return now_us;
}

static uint64_t retry_us(struct weir_store_key *state, const struct weir_ask *ask,
                         const struct weir_plan *plan, const struct grant *grant, uint64_t now_us)
{
    const uint64_t turn_us = grant->pace_us == 0 ? 0 : next_turn_us(state, grant, now_us);
    const uint64_t least = grant->units == 0 && ask->least_units > 1 ? ask->least_units : 1;
    /* the simple sizers know no pace: those that wait for more than there was are refused at once,
     * or they would wait for a share of the refill, ever more of them */
    const bool partly = plan->sizer != WEIR_SIZER_TAPERED && grant->units < ask->need_units;
    const bool refused = (grant->units == 0 || partly) && ask->want_units != 0 &&
                         weir_store_key_remaining(state) < least;

    if (grant->pace_us == 0 && !refused) {
        return 0;
    }
    return greater(ready_us(state, &ask->key, plan, least, now_us), turn_us);
}

static int ask_is_valid(const struct weir_ask *ask)
{
    return ask->want_units >= ask->need_units && ask->need_units >= ask->least_units &&
           ask->id.sequence != 0 && weir_plan_is_valid(&ask->plan) &&
           (ask->flight_us == 0 ||
            (ask->flight_us >= WEIR_FLIGHT_US_MIN && ask->flight_us <= WEIR_FLIGHT_US_MAX));
}

static struct grant decide_grant(const struct weir_store_key *state, const struct weir_ask *ask,
                                 const struct weir_plan *plan)
{
    const uint64_t active = state->active[0] + state->active[1];
    const struct grant_input input = {
        .plan = plan,
        .ask = ask,
        .remaining_units = weir_store_key_remaining(state),
        .outstanding_units = weir_store_key_out(state),
        .window_before_units = state->previous_units,
        .global_rate_milli = state->rate_milli[0] + state->rate_milli[1],
        .active_processes = active == 0 ? 1 : active,
        .trickle_promised = state->trickle[1],
        .debt_units = state->debt_units,
    };
    struct grant grant = weir_grant_decide(&input);

    if (plan->version != ask->plan.version) {
        grant.trickle_count = 0; /* its periods may be others */
    }
    return grant;
}

/* When what is granted now ends. Logs and unlimited plans lease nothing: who asks for a lease has
 * not heard of them yet, and is given what its waiting requests need, for as long as they may be on
 * their way. */
static uint64_t lease_end_us(const struct weir_store_key *state, const struct weir_plan *plan,
                             uint64_t now_us)
{
    return plan->algorithm == WEIR_ALGORITHM_LOG || is_unlimited(state)
               ? now_us + WEIR_FLIGHT_US_MAX
               : state->lease_end_us[1];
}

/* What the ask gets, by the plan in force or without limit. */
static struct grant grant_for(struct weir_store_key *state, const struct weir_ask *ask,
                              const struct weir_plan *plan, uint64_t now_us)
{
    struct grant grant = {0};

    if (is_unlimited(state)) {
        grant.units = ask->need_units;
        grant.flags = WEIR_ANSWER_UNCOUNTED;
    } else {
        grant = decide_grant(state, ask, plan);
        /* the clock may be behind what the flights were counted by */
        bucket_adjust_flight(state, ask->flight_us, state->updated_us);
        debit_grant(state, ask, plan, &grant, now_us);
    }
    return grant;
}

/* The effect of a new ask. */
static void apply(struct weir_store_key *state, const struct weir_ask *ask, uint64_t now_us,
                  const struct weir_store_run *run, struct weir_answer *answer)
{
    const struct weir_plan plan = advance(state, &ask->key, &ask->plan, now_us);
    struct grant grant = {0};

    answer->flags = lost_take_over(state, ask, &plan, now_us, run);
    settle(state, ask, &plan, now_us);
    charge(state, ask, &plan, now_us);
    answer->kept_ppm = count_demand(state, ask);
    state->asked_us = now_us;
    state->asked_active = state->active[0] + state->active[1];
    const bool grace = now_us < state->grace_until_us && !is_unlimited(state);
    if ((ask->flags & WEIR_ASK_RETURN) == 0 && !grace) {
        grant = grant_for(state, ask, &plan, now_us);
    }
    state->version++;

    answer->flags |= grant.flags;
    answer->granted_units = grant.units;
    answer->trickle_count = grant.trickle_count;
    answer->trickle_period = state->trickle_period + 1;
    answer->lease_end_us = lease_end_us(state, &plan, now_us);
    answer->outstanding_units = weir_store_key_out(state);
    if (grace) {
        answer->flags |= WEIR_ANSWER_GRACE;
        answer->retry_us = state->grace_until_us;
    } else {
        answer->retry_us = retry_us(state, ask, &plan, &grant, now_us);
    }
    if (!grace && grant.units == 0 && answer->retry_us != 0 &&
        answer->outstanding_units > ask->held_units) {
        answer->flags |= WEIR_ANSWER_PARKED;
    }
    if (newest_version(state) != ask->plan.version) {
        answer->flags |= WEIR_ANSWER_STALE_PLAN;
    }
}

/* Carry out an ask that was not carried out before. */
static void carry_out(struct weir_store_key *state, const struct weir_ask *ask, uint64_t now_us,
                      const struct weir_store_run *run, struct weir_answer *answer)
{
    struct weir_ask named = *ask;

    if (state->version == 0) {
        lost_begin(state, ask, now_us, run);
    }
    stepped_follow(state, &ask->key, now_us);
    named.lease_end_us = stepped_lease_end_us(state, ask->lease_end_us);
    apply(state, &named, now_us, run, answer);
    /* a lease that is not known cannot be counted as out: it must not live */
    answer->reached_us =
        named.lease_end_us == 0 ? greater(state->updated_us, ask->lease_end_us) : state->updated_us;
    answer->version = state->version;
    answer->remaining_units = weir_store_key_remaining(state);
    answer->previous_units = state->previous_units;
    answer->global_rate_milli = state->rate_milli[0] + state->rate_milli[1];
    answer->resting_ppm = (uint32_t)(state->resting_ppm[0] + state->resting_ppm[1]);
    answer->share_period = state->share_period;
    answer->active_processes = (uint32_t)lesser(state->active[0] + state->active[1], UINT32_MAX);
}

static bool is_same(const struct weir_ask_id *one, const struct weir_ask_id *other)
{
    return one->sequence == other->sequence && one->process == other->process &&
           one->incarnation == other->incarnation;
}

/* Whether the record is of a later ask of the same life: sequence numbers go round. */
static bool is_overtaken(const struct weir_ask_record *record, const struct weir_ask *ask)
{
    return (ask->flags & WEIR_ASK_SPEND) == 0 && record->id.sequence != 0 &&
           record->id.process == ask->id.process && record->id.incarnation == ask->id.incarnation &&
           record->id.sequence - ask->id.sequence < UINT32_C(1) << 31;
}

enum weir_status weir_take(struct weir_store_key *state, struct weir_ask_record *record,
                           const struct weir_ask *ask, uint64_t now_us,
                           const struct weir_store_run *run, struct weir_answer *answer)
{
    const bool lives = now_us < record->expires_us;

    *answer = (struct weir_answer){0};
    if ((ask->flags & WEIR_ASK_PROBE) == 0 && !ask_is_valid(ask)) {
        return WEIR_ERR_ARGUMENT;
    }
    answer->key = ask->key;
    answer->id = ask->id;
    answer->store_us = now_us;
    answer->reached_us = now_us;
    answer->run_id = run->id;
    if (ask->flags & WEIR_ASK_PROBE) {
        answer->flags = WEIR_ANSWER_PROBED;
        return WEIR_OK;
    }
    if (lives && is_same(&record->id, &ask->id)) {
        *answer = record->answer;
        answer->flags |= WEIR_ANSWER_REPEATED;
        return WEIR_OK;
    }
    if ((ask->expires_us != 0 && now_us >= ask->expires_us) ||
        (lives && is_overtaken(record, ask))) {
        answer->flags = WEIR_ANSWER_EXPIRED;
        return WEIR_OK;
    }
    if (weir_store_log_capacity(&ask->plan) > state->log_capacity) {
        *answer = (struct weir_answer){0};
        return WEIR_ERR_MEMORY_SIZE;
    }
    carry_out(state, ask, now_us, run, answer);
    const uint64_t expires_us = ask->expires_us == 0 ? now_us + WEIR_RECORD_US : ask->expires_us;
    *record = (struct weir_ask_record){
        .id = ask->id,
        /* the one before may come again for longer than this one may */
        .expires_us = greater(expires_us, lives ? record->expires_us : 0),
        .answer = *answer,
    };
    return WEIR_OK;
}
