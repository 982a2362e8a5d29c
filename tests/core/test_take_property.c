/* Properties of the store's step, whatever five processes ask, spend, give back, and fail to hear.
 *
 * The processes are models: they know the true time, do what a correct process may do at the latest
 * moment at which it may, and lose or delay answers. What they spend runs through an exact bucket
 * that nobody leases from. */
#include "unit.h"

#include <stdbool.h>

#include "core_support.h"
#include "weir/take.h"

#define PROCESSES 5
#define STEPS 4000
#define RUNS 600

struct process {
    struct weir_ask_record record;
    struct weir_ask ask; /* under way */
    struct weir_answer answer;
    uint64_t lease_end_us;
    uint32_t sequence;
    uint32_t held, leased, returned, expired, unused;
    uint32_t rate_before, rate;
    uint64_t rate_period;
    uint32_t costs[2];
    bool under_way;
    bool served;
};

struct world {
    struct dice dice;
    struct weir_plan plan;
    struct weir_key key;
    struct weir_store_key store;
    struct process processes[PROCESSES];
    uint64_t now_us;
    uint64_t read_us; /* the store's clock: a little behind now and then; for more see
                         test_stepped.c */

    /* the exact limiter */
    uint64_t tokens, carry, exact_us, window;
    uint64_t spent_units;
};

static uint64_t period_of(const struct world *world, uint64_t time_us, uint64_t period_us)
{
    return (time_us + weir_key_phase_us(&world->key, period_us)) / period_us;
}

static bool lease_is_over(const struct world *world, uint64_t lease_end_us)
{
    return world->now_us >= lease_end_us;
}

/* Any interval of t admits at most capacity + rate x t, if and only if a bucket that starts full
 * never lacks a token. */
static void spend(struct world *world, uint64_t units)
{
    const struct weir_plan *plan = &world->plan;

    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        const uint64_t window = period_of(world, world->now_us, plan->window_us);
        world->tokens = window == world->window ? world->tokens : plan->capacity_units;
        world->window = window;
    } else {
        const uint64_t gain = (world->now_us - world->exact_us) * plan->rate_units + world->carry;
        world->tokens += gain / plan->rate_period_us;
        world->carry = gain % plan->rate_period_us;
        if (world->tokens >= plan->capacity_units) {
            world->tokens = plan->capacity_units;
            world->carry = 0;
        }
        world->exact_us = world->now_us;
    }
    assert_true(units <= world->tokens);
    world->tokens -= units;
    world->spent_units += units;
}

static void check_sums(const struct world *world)
{
    const struct weir_plan *plan = &world->plan;
    struct weir_store_key store = world->store;
    uint64_t held = 0;

    if (store.version == 0) {
        return;
    }
    weir_store_key_advance(&store, &world->key, plan, world->now_us);
    const uint64_t out = store.outstanding[0] + store.outstanding[1];
    const uint64_t flight = store.flight[0] + store.flight[1];
    for (unsigned i = 0; i < PROCESSES; i++) {
        const struct process *process = &world->processes[i];
        held += lease_is_over(world, process->lease_end_us) ? 0 : process->held;
    }
    assert_true(held <= out);
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        assert_true(store.tokens <= plan->capacity_units);
        assert_true(out <= store.tokens);
    } else {
        assert_true(store.tokens + out + flight <= plan->capacity_units);
        assert_true(store.carry < plan->rate_period_us);
    }
    assert_true(store.rate_milli[0] + store.rate_milli[1] <= PROCESSES * UINT64_C(1000000));
    assert_true(store.active[0] + store.active[1] <= PROCESSES);
}

static void serve(struct world *world, struct process *process)
{
    const struct weir_store_key before = world->store;
    const bool again = process->record.id.sequence == process->ask.id.sequence;

    assert_int_equal(weir_take(&world->store, &process->record, &process->ask, world->read_us,
                               &the_run, &process->answer),
                     WEIR_OK);
    assert_int_equal(process->answer.flags & WEIR_ANSWER_REPEATED,
                     again ? WEIR_ANSWER_REPEATED : 0);
    if (again) {
        assert_memory_equal(&world->store, &before, sizeof before);
    } else {
        assert_int_equal(world->store.version, before.version + (before.version == 0 ? 2 : 1));
    }
}

static void ask(struct world *world, struct process *process)
{
    struct dice *dice = &world->dice;
    uint32_t least = 0;
    uint32_t need = 0;

    if (lease_is_over(world, process->lease_end_us)) {
        process->returned += process->held;
        process->leased -= process->held;
        process->held = 0;
    } else if (dice_below(dice, 8) == 0) {
        const uint32_t back = (uint32_t)dice_below(dice, process->held + 1);
        process->returned += back;
        process->leased -= back;
        process->held -= back;
    }
    for (unsigned i = 0; i < 2; i++) {
        process->costs[i] = (uint32_t)dice_below(dice, 6);
        const uint32_t beyond =
            process->costs[i] > process->held ? process->costs[i] - process->held : 0;
        least = beyond != 0 && (least == 0 || beyond < least) ? beyond : least;
        need += process->costs[i];
    }
    need = least == 0 ? 0 : need > process->held + least ? need - process->held : least;
    process->rate = (uint32_t)dice_below(dice, 20) * 5000;
    process->ask = (struct weir_ask){
        .key = world->key,
        .id = {.process = (uint32_t)(process - world->processes), .sequence = ++process->sequence},
        .plan = world->plan,
        .expires_us = UINT64_MAX,      /* repeated until the answer comes */
        .flags = WEIR_ASK_HAS_TRICKLE, /* trickles are not modelled here */
        .need_units = need,
        .least_units = least,
        .want_units = need + (uint32_t)dice_below(dice, 1 + world->plan.capacity_units),
        .largest_units = 5,
        .flight_us = process->held == 0 && dice_below(dice, 4) != 0
                         ? (uint32_t)WEIR_FLIGHT_US_MIN << dice_below(dice, 5)
                         : 0u,
        .lease_end_us = process->lease_end_us,
        .held_units = process->held,
        .spent_units = process->leased - process->held,
        .returned_units = process->returned,
        .expired_units = process->expired,
        .unused_units = process->unused,
        .rate_milli = process->rate,
        .rate_milli_before = process->rate_before,
        .rate_share_period = process->rate_period,
    };
    process->leased = process->held;
    process->returned = 0;
    process->expired = 0;
    process->unused = 0;
    process->under_way = true;
    process->served = false;
}

/* The answer comes, now; what waited is spent if it is not too late for it. */
static void hear(struct world *world, struct process *process)
{
    const struct weir_answer *answer = &process->answer;
    const uint32_t need = process->ask.need_units;
    const bool leased = process->ask.flight_us == 0 || answer->granted_units < need;
    uint32_t waiting = leased ? 0 : need;
    const uint32_t ahead = answer->granted_units - waiting;

    if (answer->reached_us >= process->lease_end_us) {
        process->returned += process->held;
        process->expired = process->returned;
        process->held = 0;
        process->leased = 0;
    }
    process->lease_end_us = answer->lease_end_us;
    process->rate_before = process->rate;
    process->rate_period = answer->share_period;
    process->under_way = false;
    if (lease_is_over(world, process->lease_end_us)) {
        process->returned += ahead;
        process->unused += waiting;
        return;
    }
    process->held += ahead;
    process->leased += ahead;
    if (world->now_us > answer->store_us + process->ask.flight_us) {
        process->unused += waiting;
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t cost = process->costs[i];
        const uint32_t of_grant = cost < waiting ? cost : waiting;
        if (cost - of_grant <= process->held) {
            spend(world, cost);
            waiting -= of_grant;
            process->held -= cost - of_grant;
        }
    }
    assert_int_equal(waiting, 0);
}

static void act(struct world *world, struct process *process)
{
    struct dice *dice = &world->dice;

    switch (dice_below(dice, 4)) {
    case 0:
        if (!process->under_way) {
            ask(world, process);
        } else {
            serve(world, process); /* or again: the answer was lost */
            process->served = true;
        }
        return;
    case 1:
        if (process->under_way && process->served) {
            hear(world, process);
        }
        return;
    default:
        if (process->held != 0 && !lease_is_over(world, process->lease_end_us)) {
            const uint32_t units = 1 + (uint32_t)dice_below(dice, process->held);
            spend(world, units);
            process->held -= units;
        }
    }
}

static void run(struct world *world)
{
    struct dice *dice = &world->dice;

    world->now_us = START_US + dice_below(dice, MINUTE_US);
    world->key =
        (struct weir_key){.low = dice_below(dice, 1000), .high = dice_below(dice, MINUTE_US)};
    world->tokens = world->plan.capacity_units;
    world->exact_us = world->now_us;
    for (unsigned i = 0; i < PROCESSES; i++) {
        world->processes[i].rate_period = UINT64_MAX;
    }
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned scale = (unsigned)dice_below(dice, 22);
        world->now_us += dice_below(dice, 3) == 0 ? dice_below(dice, UINT64_C(1) << scale) : 0;
        world->read_us =
            world->now_us - (dice_below(dice, 20) == 0 ? dice_below(dice, SECOND_US) : 0);
        act(world, &world->processes[dice_below(dice, PROCESSES)]);
        check_sums(world);
    }
}

static uint8_t sizer_of(unsigned seed)
{
    static const uint8_t SIMPLE[] = {WEIR_SIZER_FIXED, WEIR_SIZER_RATE, WEIR_SIZER_DOUBLING};

    return seed % 3 == 0 ? SIMPLE[seed / 3 % 3] : WEIR_SIZER_TAPERED;
}

static void no_interval_admits_more_than_capacity_and_rate(void **state)
{
    (void)state;
    uint64_t spent_units = 0;

    for (unsigned seed = 1; seed <= RUNS; seed++) {
        struct world world = {.dice = {seed}};
        const uint64_t rate =
            1 + dice_below(&world.dice, UINT64_C(1) << dice_below(&world.dice, 12));
        world.plan = bucket_plan(rate, 1 + dice_below(&world.dice, 300));
        world.plan.sizer = sizer_of(seed);
        world.plan.fixed_lease_units = 1;
        run(&world);
        spent_units += world.spent_units;
    }
    assert_true(spent_units > RUNS * 200);
}

static void no_window_admits_more_than_its_limit(void **state)
{
    (void)state;
    uint64_t spent_units = 0;

    for (unsigned seed = 1; seed <= RUNS; seed++) {
        struct world world = {.dice = {seed + 1000}};
        world.plan = window_plan(1 + dice_below(&world.dice, 300), SECOND_US * (1 + seed % 9));
        world.plan.sizer = sizer_of(seed);
        world.plan.fixed_lease_units = 1;
        run(&world);
        spent_units += world.spent_units;
    }
    assert_true(spent_units > RUNS * 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_interval_admits_more_than_capacity_and_rate),
        cmocka_unit_test(no_window_admits_more_than_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
