/* Tapered leases, and three simple kinds to compare them with.
 *
 * Permits parked in the wrong process are the only error of a limiter that debits first and spends
 * later. How much may be parked is decided here, from three numbers the store has: what remains
 * (R), the demand of all processes (D) and the rate at which R comes back (r: a bucket's is the
 * plan's; a sliding window's, what the window before loses of its weight; 0 for a window, which is
 * not refilled while it lasts).
 *
 * 1. Taper. R falls at D - r and is gone in R / (D - r). A lease is at most half of that time's
 *    worth of the process's own demand, so the sum of all leases halves each time they are used
 *    up, and at the end nothing is parked. Where R does not fall (D <= r) only chance moves it;
 *    the fall is then taken as D / 8.
 *
 *    A full bucket has a second reason for short leases: the store cannot know what was spent
 *    since the last ask, must count it as out, and has no room for the refill meanwhile. With
 *    leases of a time H that is D H / 2 units, lost once, when a drain begins. So a full bucket
 *    over its limit grants no more than makes D H / 2 a quarter of the depth drained plus a
 *    quarter of PARKED_PPM of the limit.
 *
 * 2. Slack. 1 / 2000 of the limit may lie in processes at any time: divided by the active
 *    processes it is always granted. Where that is less than the largest cost, and fewer than
 *    four of those are left for each process, the key is *scarce*: requests ask one by one and
 *    nothing is prefetched.
 *
 * 3. Pace. A bucket that is empty and over its limit is refilled at r, and who asks is served from
 *    what has come in since the last ask. With n processes asking every t, r t / 2n waits in the
 *    store and r t r / 2D in the processes (each burns its part at its share of D). t is chosen
 *    so that the sum stays at PARKED_PPM of the limit. Until its turn a process denies locally.
 *
 * 4. Trickle. Where n D / 2(D - r) permits are below a thousandth of the limit, the process is
 *    promised its share of the next period's refill as single permits evenly spaced over the
 *    period: half a permit per process lies in the fraction that accrues, and r / 2(D - r) wait
 *    for a request (the mean of a D/M/1 queue near saturation; Kleinrock, "Queueing Systems" I,
 *    6.3), which is less than what a pace parks when D is not much above r.
 *
 * The simple sizers follow none of these rules. A process is granted what it wants, as far as it is
 * there: fixed_lease_units; a tenth of what it sees in a window, 1 to 100; or the doubling lease
 * (core/sizer.c has the formulas). Only a doubling lease is cut short here, for all of them may
 * together be no more than a hundredth of the limit: limit / 100 / active processes, at least 1. */
#include "grant.h"

#include "arithmetic.h"
#include "weir/assert.h"

#define SHARE_ONE (UINT64_C(1) << 20)
#define RATIO_ONE UINT64_C(256)
#define RATIO_MAX (64 * RATIO_ONE)
#define DOUBLING_DIVISOR 100              /* of the limit, for all doubling leases together */
#define HEURISTIC_MAX (UINT64_C(1) << 30) /* remainders above this are all "plenty" */
#define RATE_MAX (UINT64_C(1) << 32)
#define MINUTE_US UINT64_C(60000000)
#define FINE_UNITS (UINT64_C(1) << 23)

/* Rule 1. */
#define ONE_LEASE_DIVISOR 8 /* the largest lease, as a part of R */
#define CALM_DIVISOR 8      /* the least fall of R, as a part of D */
/* D / r in 1 / 256 from which a full bucket surely drains, and from which it may: seconds of a low
 * limit hold too few requests to tell, and the asks of few processes are few anyway. */
#define DRAINING_RATIO 262
#define UNSTEADY_RATIO 243
#define STEADY_LIMIT_MIN 100000
#define FEW_PROCESSES 16
#define CALM_BUDGETS 8 /* what few processes may risk while a full bucket seems calm */

/* Rule 2. */
#define SLACK_DIVISOR 2000
#define SCARCE_COSTS 4

/* Rule 3. */
#define PARKED_PPM UINT64_C(1000) /* for very many processes; see parked_ppm */
#define PACE_PARTS_MAX 8          /* how much sooner a busy process may come back */
#define PACED_LIMIT_MIN 2500      /* below, PARKED_PPM is less than two units */
#define OVERLOAD_RATIO 248        /* D / r in 1 / 256 from which a bucket is paced */

/* Rule 4. */
#define TRICKLE_RATIO 282 /* D / r in 1 / 256 from which trickles pay */
#define TRICKLE_DIVISOR 1000
#define SURPLUS_QUEUES 3       /* mean queues a process may hold at the end of a trickle */
#define SMALL_BUCKET_PERIODS 4 /* unreported permits must not fill the bucket */

/* part / whole in 1 / one, at most `most`. */
static uint64_t ratio(uint64_t part, uint64_t whole, uint64_t one, uint64_t most)
{
    part = lesser(part, RATE_MAX);
    whole = greater(lesser(whole, RATE_MAX), 1);
    return lesser(part * one / whole, most);
}

/* The numbers all rules use, each computed once. */
struct view {
    uint64_t remaining; /* R, clamped */
    uint64_t demand;    /* D */
    uint64_t rate;      /* r */
    uint64_t overload;  /* D / r in 1 / RATIO_ONE; 0 where nothing comes back */
    uint64_t share;     /* of this process in D, in 1 / SHARE_ONE */
    uint64_t slack;     /* units per process */
};

/* How fast the remainder comes back by itself, in thousandths of a unit per second. */
static uint64_t refill_rate_milli(const struct grant_input *input)
{
    const struct weir_plan *plan = input->plan;

    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        return plan->rate_milli_per_s;
    }
    if (plan->algorithm == WEIR_ALGORITHM_SLIDING) {
        const uint64_t before = lesser(input->window_before_units, HEURISTIC_MAX);
        /* either way below 2^53 */
        return before < FINE_UNITS ? before * 1000000000 / plan->window_us
                                   : before * 1000000 / plan->window_us * 1000;
    }
    return 0;
}

static struct view view_of(const struct grant_input *input)
{
    struct view view = {
        .remaining = lesser(input->remaining_units, HEURISTIC_MAX),
        .demand = greater(input->global_rate_milli, 1),
        .rate = refill_rate_milli(input),
        .slack = input->plan->limit_units / SLACK_DIVISOR / input->active_processes,
    };

    view.overload = view.rate == 0 && input->plan->algorithm != WEIR_ALGORITHM_BUCKET
                        ? 0
                        : ratio(view.demand, greater(view.rate, 1), RATIO_ONE, RATIO_MAX);
    view.share = ratio(input->ask->rate_milli, view.demand, SHARE_ONE, SHARE_ONE);
    return view;
}

/* Rule 1: this process's part of half of what remains, over what the time to empty allows. */
static uint64_t taper(const struct view *view, uint64_t active)
{
    active = lesser(active, 4096);
    const uint64_t fall = greater(view->demand > view->rate ? view->demand - view->rate : 0,
                                  view->demand / CALM_DIVISOR);
    const uint64_t horizon = ratio(view->demand, 2 * fall, RATIO_ONE, RATIO_ONE * CALM_DIVISOR / 2);
    const uint64_t measured = view->remaining * horizon / RATIO_ONE * view->share / SHARE_ONE;

    /* never so much that few processes empty the bucket between them; but a lone process may have
     * half, since its burst may be faster than any measure of it */
    return greater(lesser(measured, view->remaining / ONE_LEASE_DIVISOR),
                   view->remaining / (2 * active * active));
}

/* What may be parked, in ppm of the limit. Asks of few processes are few anyway, so these afford to
 * be more exact. */
static uint64_t parked_ppm(const struct grant_input *input)
{
    const uint64_t active = lesser(input->active_processes, 4096);

    return PARKED_PPM * active / (active + 4);
}

/* Rule 1 for a bucket that begins to drain. */
static uint64_t cap_near_full(const struct grant_input *input, const struct view *view)
{
    const struct weir_plan *plan = input->plan;
    const uint64_t there = input->remaining_units + input->outstanding_units;
    const uint64_t depth = plan->capacity_units > there ? plan->capacity_units - there : 0;
    const int few = input->active_processes < FEW_PROCESSES;
    const int unsteady = few || plan->limit_units < STEADY_LIMIT_MIN;
    uint64_t parked = lesser(plan->limit_units, HEURISTIC_MAX) * parked_ppm(input);

    if (plan->algorithm != WEIR_ALGORITHM_BUCKET || view->rate == 0) {
        return UINT64_MAX; /* what comes back to a window is not kept from it by permits that are
                              out */
    }
    if (view->overload < (unsteady ? UNSTEADY_RATIO : DRAINING_RATIO)) {
        if (!few) {
            return UINT64_MAX;
        }
        parked *= CALM_BUDGETS;
    }
    const uint64_t budget = parked / 4000000;
    /* depth includes what was lost so already: a quarter of it, so that the loss does not feed
     * itself. No more than the refill can be lost: the further D is above r, the longer the lease
     * may be */
    return lesser(2 * (lesser(depth, HEURISTIC_MAX) / 4 + budget), HEURISTIC_MAX) * view->share /
           SHARE_ONE * greater(view->overload, RATIO_ONE) / RATIO_ONE;
}

static int is_scarce(const struct grant_input *input, const struct view *view)
{
    const uint64_t largest = greater(input->ask->largest_units, 1);

    return view->slack < largest &&
           input->remaining_units / largest < SCARCE_COSTS * input->active_processes;
}

/* Rule 3: t in microseconds, less than T and than the time in which the bucket fills. */
static uint64_t pace_us(const struct grant_input *input, const struct view *view)
{
    /* t = 2 B / (r (1/n + r/D)), with B = PARKED_PPM of the limit and limit / r = one minute */
    const uint64_t budget_us = MINUTE_US / 1000000 * 2 * parked_ppm(input);
    const uint64_t active = lesser(input->active_processes, 4096);
    const uint64_t pace =
        budget_us * active * view->overload / (active * RATIO_ONE + view->overload);

    if (input->plan->limit_units < PACED_LIMIT_MIN) {
        return 0;
    }
    return lesser(lesser(pace, input->plan->trickle_period_us / 6 * 5),
                  input->plan->full_us / 8 * 7);
}

/* A different fraction in [0, SHARE_ONE) for each ask: rounds shares without bias. */
static uint64_t dither(const struct weir_ask_id *id)
{
    const uint64_t mixed = (id->sequence + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15) +
                           (id->process + UINT64_C(1)) * UINT64_C(0xd1b54a32d192ed03);
    return mixed >> 44;
}

/* Rule 4: this process's share of what the next period refills beyond the debt, less what it holds.
 */
static uint64_t trickle_count(const struct grant_input *input, const struct view *view)
{
    const struct weir_plan *plan = input->plan;
    const uint64_t period_units =
        lesser(plan->rate_units > WEIR_EXACT_MAX / plan->trickle_period_us
                   ? HEURISTIC_MAX
                   : plan->rate_units * plan->trickle_period_us / plan->rate_period_us,
               HEURISTIC_MAX);
    const uint64_t left_units = saturating_sub(period_units, input->debt_units);
    const uint64_t excess = view->demand > view->rate ? view->demand - view->rate : 0;
    const uint64_t parked =
        ratio(view->demand, 2 * excess, RATIO_ONE, RATIO_MAX) * input->active_processes / RATIO_ONE;

    if (plan->algorithm != WEIR_ALGORITHM_BUCKET ||
        plan->full_us / SMALL_BUCKET_PERIODS < plan->trickle_period_us ||
        view->overload < TRICKLE_RATIO || parked > plan->limit_units / TRICKLE_DIVISOR ||
        view->remaining > period_units / 2 || input->ask->flags & WEIR_ASK_HAS_TRICKLE ||
        input->trickle_promised >= left_units) {
        return 0;
    }
    const uint64_t fair = (left_units * view->share + dither(&input->ask->id)) / SHARE_ONE;
    /* what a stable queue holds anyway need not be taken off the next period, only what piles up
     * beyond it */
    const uint64_t usual =
        SURPLUS_QUEUES * (ratio(view->rate, 2 * excess, RATIO_ONE, RATIO_MAX) / RATIO_ONE + 1);
    const uint64_t surplus = input->ask->held_units > usual ? input->ask->held_units - usual : 0;
    return lesser(fair > surplus ? fair - surplus : 0, left_units - input->trickle_promised);
}

/* All or nothing. */
static struct grant grant_need(const struct grant_input *input)
{
    const uint32_t need = input->ask->need_units;

    return (struct grant){.units = need <= input->remaining_units ? need : 0};
}

/* The design note, revision R2: MAX_LEASE x active processes <= 1 % of the limit. */
static uint64_t doubling_lease_max(const struct grant_input *input)
{
    return greater(input->plan->limit_units / DOUBLING_DIVISOR / input->active_processes, 1);
}

static struct grant grant_simple(const struct grant_input *input)
{
    const uint64_t most =
        input->plan->sizer == WEIR_SIZER_DOUBLING ? doubling_lease_max(input) : UINT64_MAX;
    const uint64_t wanted = greater(input->ask->need_units, lesser(input->ask->want_units, most));

    return (struct grant){.units = (uint32_t)lesser(wanted, input->remaining_units)};
}

/* Rule 3 applies: the bucket is over its limit and holds no more than comes in between two asks. */
static int is_paced(const struct grant_input *input, const struct view *view, uint64_t pace,
                    uint64_t left)
{
    const uint64_t between = lesser(view->rate, RATE_MAX) * pace / 1000000000;

    return view->overload >= OVERLOAD_RATIO &&
           left <= greater(2 * between / input->active_processes, 1);
}

/* Rule 3: twice this process's part of what comes in during a pace, so that nothing stays behind.
 */
static uint64_t fair_part(const struct view *view, uint64_t pace)
{
    const uint64_t between = lesser(view->rate, RATE_MAX) * pace / 1000000000;

    return view->remaining > 4 * between ? 0 : 2 * (between * view->share / SHARE_ONE);
}

/* Rule 3: a process with more than its part of the demand comes back as much sooner, else what is
 * meant for it piles up. */
static uint64_t own_pace(const struct view *view, uint64_t active, uint64_t pace)
{
    const uint64_t parts = lesser(active, 4096) * view->share * 2 / SHARE_ONE;

    return parts <= 2 ? pace : 2 * pace / lesser(parts, 2 * PACE_PARTS_MAX);
}

static struct grant grant_tapered(const struct grant_input *input)
{
    const struct weir_ask *ask = input->ask;
    const struct view view = view_of(input);
    const int scarce = is_scarce(input, &view);
    const uint64_t pace = view.overload >= OVERLOAD_RATIO ? pace_us(input, &view) : 0;
    uint64_t surplus = scarce ? 0 : taper(&view, input->active_processes);
    struct grant grant = {.flags = scarce ? WEIR_ANSWER_SCARCE : 0};

    surplus = greater(lesser(surplus, cap_near_full(input, &view)), view.slack);
    if (pace != 0) {
        grant.trickle_count = (uint32_t)trickle_count(input, &view);
        surplus = greater(surplus, grant.trickle_count != 0 || ask->flags & WEIR_ASK_HAS_TRICKLE
                                       ? 2 * (view.remaining * view.share / SHARE_ONE)
                                       : fair_part(&view, pace));
    }
    grant.units = (uint32_t)lesser(greater(lesser(surplus, ask->want_units), ask->need_units),
                                   input->remaining_units);
    if (surplus < greater(ask->largest_units, 1) || grant.units == 0) {
        grant.flags |= WEIR_ANSWER_SCARCE; /* nothing to prefetch that a request could use */
    }
    if (pace == 0 || !is_paced(input, &view, pace, input->remaining_units - grant.units)) {
        grant.trickle_count = 0;
        return grant;
    }
    grant.flags |= WEIR_ANSWER_PACED;
    if (input->active_processes * RATIO_ONE / view.overload >
        input->plan->limit_units / SLACK_DIVISOR) {
        grant.flags |= WEIR_ANSWER_SCARCE; /* a prefetched permit waits n / D for a request */
    }
    grant.pace_us = (uint32_t)own_pace(&view, input->active_processes, pace);
    return grant;
}

struct grant weir_grant_decide(const struct grant_input *input)
{
    WEIR_ASSERT(input->active_processes >= 1);
    WEIR_ASSERT(input->ask->want_units >= input->ask->need_units);
    struct grant grant;

    if (input->plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return (struct grant){.units = input->ask->need_units};
    }
    if (input->ask->flags & WEIR_ASK_SPEND || input->plan->algorithm == WEIR_ALGORITHM_LOG) {
        grant = grant_need(input);
    } else if (input->plan->sizer != WEIR_SIZER_TAPERED) {
        grant = grant_simple(input);
    } else {
        grant = grant_tapered(input);
    }
    if (grant.units < input->ask->least_units) {
        grant.units = 0; /* a part that lets no request through would only be parked */
    }
    return grant;
}
