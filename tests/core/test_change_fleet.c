/* Property: several processes, one key, and plans of all algorithms that replace each other while
 * requests come in. If each process hears of each plan in its own time, twice, late or never, the
 * books balance and everything is answered; if all hear at once, every plan's contract holds from
 * its change on, with what it takes over from the one before (weir/plan.h). */
#include "fleet.h"

#include "weir/limiter.h"

#define SEEDS 60
#define CHANGES 12
#define STEPS 150 /* requests between two changes */
#define PUSHES (CHANGES * FLEET_PROCESSES * 2)
#define ROUND_TRIP_MAX_NS (WEIR_FLIGHT_US_MAX / 2 * US_NS)

struct push {
    uint64_t due_ns;
    uint32_t process;
    uint32_t plan;
};

struct tally {
    uint64_t spent_units[5]; /* by algorithm of the plan in force */
    uint64_t denied_count;
    uint64_t returned_units;
    uint64_t stale_count;
};

static struct weir_plan random_plan(struct dice *dice, uint64_t version, uint64_t since_us)
{
    static const uint64_t WINDOWS_US[] = {50 * MS_US, 400 * MS_US, SECOND_US, 10 * SECOND_US};
    const uint64_t window_us = WINDOWS_US[dice_below(dice, 4)];
    const uint64_t limit_units = 1 + dice_below(dice, dice_below(dice, 3) == 0 ? 1000 : 30);
    struct weir_plan_options options = {
        .version = version,
        .since_us = since_us,
        .algorithm = (enum weir_algorithm)dice_below(dice, 5),
        .rate_units = limit_units,
        .rate_period_us = window_us,
        .capacity_units = 1 + dice_below(dice, 2 * limit_units),
        .window_us = window_us,
    };

    if (dice_below(dice, 5) == 0) {
        options.sizer = WEIR_SIZER_FIXED;
        options.fixed_lease_units = 1 + (uint32_t)dice_below(dice, 9);
    }
    return plan_from(&options);
}

static struct fleet *random_fleet(unsigned seed)
{
    struct fleet *fleet = fleet_new(seed);

    fleet->start_spread_ns = MINUTE_NS;
    fleet->delay_min_ns = 50 * US_NS;
    fleet->delay_max_ns = fleet->delay_min_ns + dice_below(&fleet->dice, 3 * MS_NS);
    fleet_add_plan(fleet, random_plan(&fleet->dice, 1, 0));
    fleet_add_key(fleet, 0, dice_below(&fleet->dice, MINUTE_US));
    if (fleet->plans[0].algorithm != WEIR_ALGORITHM_UNLIMITED) {
        fleet_fill(fleet, 0, dice_below(&fleet->dice, fleet->plans[0].capacity_units + 1));
    }
    fleet_start(fleet, 1 + seed % 5, 4);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        fleet->processes[i].drift_ppm = (int64_t)dice_below(&fleet->dice, 199) - 99;
    }
    return fleet;
}

static void request_once(struct fleet *fleet)
{
    struct dice *dice = &fleet->dice;
    const uint32_t process = (uint32_t)dice_below(dice, fleet->process_count);
    struct fleet_process *self = &fleet->processes[process];

    if (self->waiting < 40 && self->paused_until_ns <= fleet->now_ns) {
        const uint32_t most = dice_below(dice, 4) == 0 ? 12 : 3;
        fleet_request(fleet, process, 0, 1 + (uint32_t)dice_below(dice, most));
    }
    if (dice_below(dice, 40) == 0) {
        const uint64_t pause_max_ns = ROUND_TRIP_MAX_NS - 2 * fleet->delay_max_ns;
        self->paused_until_ns = fleet->now_ns + dice_below(dice, pause_max_ns);
    }
}

/* Everything is answered and balances; what an unlimited plan admits needs no grant. */
static void close_books(struct fleet *fleet, struct tally *tally)
{
    fleet_run_for(fleet, SECOND_NS);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        assert_int_equal(fleet->processes[i].waiting, 0);
    }
    fleet_shutdown(fleet);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        assert_int_equal(weir_limiter_shutdown(fleet_limiter(fleet, i), fleet_local_ns(fleet, i)),
                         WEIR_SHUTDOWN_DONE);
    }
    tally->denied_count += fleet->denied_count;
    tally->returned_units += fleet->returned_units;
}

static void play_together(unsigned seed, struct tally *tally)
{
    struct fleet *fleet = random_fleet(seed);
    struct fleet_key *key = &fleet->keys[0];
    struct dice *dice = &fleet->dice;
    struct weir_plan plan = fleet->plans[0];

    for (uint64_t version = 2; version < 2 + CHANGES; version++) {
        const uint64_t gap_ns = dice_below(dice, 3) == 0 ? 20 * MS_NS : 2 * MS_NS;
        const uint64_t spent_units = key->spent_units;
        for (unsigned step = 0; step < STEPS; step++) {
            request_once(fleet);
            fleet_run_for(fleet, dice_below(dice, gap_ns));
        }
        if (key->over_units != 0) {
            print_error("seed %u, version %u, algorithm %u: %u units over\n", seed,
                        (unsigned)plan.version, plan.algorithm, (unsigned)key->over_units);
        }
        assert_int_equal(key->over_units, 0);
        tally->spent_units[plan.algorithm] += key->spent_units - spent_units;
        if (key->store.version != 0) {
            plan = random_plan(dice, version, fleet_store_us(fleet));
            fleet_change(fleet, 0, &plan);
        }
    }
    close_books(fleet, tally);
    fleet_free(fleet);
}

static void heard_at_once_every_plan_holds_from_its_change_on(void **state)
{
    (void)state;
    struct tally tally = {0};

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        play_together(seed, &tally);
    }

    for (unsigned algorithm = 0; algorithm < 5; algorithm++) {
        assert_true(tally.spent_units[algorithm] > SEEDS * 20);
    }
    assert_true(tally.denied_count > SEEDS * 100);
    assert_true(tally.returned_units > SEEDS * 20);
}

/* Each process hears of each plan once or twice, in any order. */
static unsigned draw_pushes(struct fleet *fleet, struct push *pushes, uint64_t duration_ns)
{
    struct dice *dice = &fleet->dice;
    unsigned count = 0;

    for (uint32_t plan = 0; plan < CHANGES; plan++) {
        const uint64_t around_ns = (plan + 1) * duration_ns / (CHANGES + 2);
        for (uint32_t process = 0; process < fleet->process_count; process++) {
            const unsigned times = (unsigned)dice_below(dice, 3); /* or never */
            for (unsigned i = 0; i < times; i++) {
                pushes[count++] = (struct push){
                    .due_ns = around_ns + dice_below(dice, duration_ns / 4),
                    .process = process,
                    .plan = plan,
                };
            }
        }
    }
    return count;
}

static void push_due(struct fleet *fleet, const struct weir_plan *plans, struct push *pushes,
                     unsigned count, struct tally *tally)
{
    for (unsigned i = 0; i < count; i++) {
        if (pushes[i].due_ns > fleet->now_ns) {
            continue;
        }
        const enum weir_status status = weir_limiter_set_plan(
            fleet_limiter(fleet, pushes[i].process), 0, &plans[pushes[i].plan]);
        assert_true(status == WEIR_OK || status == WEIR_ERR_STALE_VERSION);
        tally->stale_count += status == WEIR_ERR_STALE_VERSION;
        pushes[i].due_ns = UINT64_MAX;
    }
}

static void play_apart(unsigned seed, struct tally *tally)
{
    struct fleet *fleet = random_fleet(seed);
    struct dice *dice = &fleet->dice;
    struct weir_plan plans[CHANGES];
    struct push pushes[PUSHES];
    const uint64_t gap_ns = (1 + dice_below(dice, 8)) * MS_NS;
    const uint64_t duration_ns = CHANGES * STEPS * gap_ns / 2;
    const unsigned count = draw_pushes(fleet, pushes, duration_ns);

    for (unsigned i = 0; i < CHANGES; i++) {
        const uint64_t around_us = (i + 1) * duration_ns / (CHANGES + 2) / US_NS;
        plans[i] = random_plan(dice, 2 + i, dice_below(dice, 2) * (START_US + around_us));
    }
    while (fleet->now_ns < duration_ns) {
        push_due(fleet, plans, pushes, count, tally);
        request_once(fleet);
        fleet_run_for(fleet, dice_below(dice, gap_ns));
    }
    close_books(fleet, tally);
    fleet_free(fleet);
}

static void heard_in_any_order_the_books_balance(void **state)
{
    (void)state;
    struct tally tally = {0};

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        play_apart(seed, &tally);
    }

    assert_true(tally.stale_count > SEEDS * 10);
    assert_true(tally.denied_count > SEEDS * 100);
    assert_true(tally.returned_units > SEEDS * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heard_at_once_every_plan_holds_from_its_change_on),
        cmocka_unit_test(heard_in_any_order_the_books_balance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
