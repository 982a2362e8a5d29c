/* Property: several processes whose tables hold four keys of sixty, and let the store decide for
 * the others; plans with leases shorter than round trips, answers in and out of time. Whatever
 * happens no plan is exceeded, everything is answered, every permit and every unit is in the books.
 */
#include "fleet.h"

#include "weir/limiter.h"

#define SEEDS 20
#define STEPS 1000
#define BURST 20 /* requests for one key, at many processes */
#define ROUND_TRIP_MAX_NS (WEIR_FLIGHT_US_MAX / 2 * US_NS)

struct tally {
    uint64_t direct_count; /* asks that the store decided */
    uint64_t lease_count;  /* and those of leases */
    uint64_t void_units;
    uint64_t spent_units;
    uint64_t denied_count;
};

static struct weir_plan brief_bucket(uint64_t rate_per_s, uint64_t capacity_units)
{
    const struct weir_plan_options options = {
        .version = 1,
        .rate_units = rate_per_s,
        .rate_period_us = SECOND_US,
        .capacity_units = capacity_units,
        .window_us = 60 * MS_US, /* leases of 5 ms */
    };

    return plan_from(&options);
}

static struct fleet *random_fleet(unsigned seed)
{
    struct fleet *fleet = fleet_new(seed);

    fleet->full_table = WEIR_FULL_TABLE_PER_REQUEST;
    fleet->delay_min_ns = 50 * US_NS;
    fleet->delay_max_ns = fleet->delay_min_ns + dice_below(&fleet->dice, 3 * MS_NS);
    fleet_add_plan(fleet, bucket_plan(20, 10));
    fleet_add_plan(fleet, window_plan(9, 400 * MS_US));
    fleet_add_plan(fleet, brief_bucket(20000, 4));
    fleet_add_plan(fleet, window_plan(5, 9 * MS_US));
    for (uint32_t i = 0; i < 60; i++) {
        fleet_add_key(fleet, i % 4, dice_below(&fleet->dice, MINUTE_US));
    }
    fleet_start(fleet, 2 + seed % 4, 4);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        fleet->processes[i].drift_ppm = (int64_t)dice_below(&fleet->dice, 199) - 99;
    }
    return fleet;
}

static void count_asks(const struct fleet *fleet, uint32_t before, struct tally *tally)
{
    for (uint32_t i = before; i < fleet->exchange_count; i++) {
        if (fleet->exchanges[i].ask.flags & WEIR_ASK_SPEND) {
            tally->direct_count++;
        } else {
            tally->lease_count++;
        }
    }
}

static void request_once(struct fleet *fleet, uint32_t key, struct tally *tally)
{
    struct dice *dice = &fleet->dice;
    const uint32_t process = (uint32_t)dice_below(dice, fleet->process_count);
    struct fleet_process *self = &fleet->processes[process];
    const uint32_t before = fleet->exchange_count;

    if (self->waiting < 60 && self->paused_until_ns <= fleet->now_ns) {
        fleet_request(fleet, process, key, 1 + (uint32_t)dice_below(dice, 4));
        count_asks(fleet, before, tally);
    }
    if (dice_below(dice, 20) == 0) {
        /* late answers, but no round trip that is too long to be counted as flight */
        const uint64_t pause_max_ns = ROUND_TRIP_MAX_NS - 2 * fleet->delay_max_ns;
        self->paused_until_ns = fleet->now_ns + dice_below(dice, pause_max_ns);
    }
}

/* Single requests and bursts, in spells of traffic and silence; now and then a process pauses. */
static void play(struct fleet *fleet, struct tally *tally)
{
    struct dice *dice = &fleet->dice;

    for (unsigned step = 0; step < STEPS; step++) {
        const uint32_t below = 1 + (uint32_t)dice_below(dice, fleet->key_count);
        const uint32_t key = (uint32_t)dice_below(dice, below);
        const unsigned count = dice_below(dice, 10) == 0 ? BURST : 1;
        const uint64_t gap_ns = dice_below(dice, 100) == 0 ? 6 * SECOND_NS : 2 * MS_NS;
        for (unsigned i = 0; i < count; i++) {
            request_once(fleet, key, tally);
            fleet_run_for(fleet, dice_below(dice, 200 * US_NS));
        }
        fleet_run_for(fleet, dice_below(dice, gap_ns));
    }
}

static void run_one(unsigned seed, struct tally *tally)
{
    struct fleet *fleet = random_fleet(seed);

    play(fleet, tally);
    for (uint32_t key = 0; key < fleet->key_count; key++) {
        if (fleet->keys[key].over_units != 0) {
            print_error("seed %u, key %u of plan %u\n", seed, (unsigned)key,
                        (unsigned)fleet->keys[key].plan);
        }
        assert_int_equal(fleet->keys[key].over_units, 0);
    }
    fleet_shutdown(fleet); /* everything is answered, and the books balance */
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        assert_int_equal(weir_limiter_shutdown(fleet_limiter(fleet, i), fleet_local_ns(fleet, i)),
                         WEIR_SHUTDOWN_DONE);
    }
    tally->void_units += fleet->unused_units;
    tally->spent_units += fleet->spent_units;
    tally->denied_count += fleet->denied_count;
    fleet_free(fleet);
}

static void nothing_is_lost_or_given_away_where_the_store_decides(void **state)
{
    (void)state;
    struct tally tally = {0};

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        run_one(seed, &tally);
    }

    /* it would prove little if one of these never happened */
    assert_true(tally.direct_count > SEEDS * STEPS / 10);
    assert_true(tally.lease_count > SEEDS * STEPS / 20);
    assert_true(tally.void_units > SEEDS);
    assert_true(tally.spent_units > SEEDS * STEPS / 4);
    assert_true(tally.denied_count > SEEDS * STEPS / 20);
}

/* Of two processes the one that pauses while its answer comes would spend units that the other has
 * got meanwhile, in a bucket that was full in between. */
static void what_comes_after_a_pause_is_not_spent_twice(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_new(1);
    fleet->full_table = WEIR_FULL_TABLE_PER_REQUEST;
    fleet_add_plan(fleet, bucket_plan(20000, 4));
    fleet_add_key(fleet, 0, 0);
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 2, 1);
    for (uint32_t i = 0; i < 2; i++) { /* the first key takes the only place */
        assert_int_equal(fleet_decide(fleet, i, 0, 1).verdict, WEIR_VERDICT_ADMITTED);
    }
    const uint64_t start_ns = fleet->now_ns;
    const uint64_t end_ns = start_ns + 6 * MS_NS;

    fleet_request(fleet, 0, 1, 4);
    fleet->processes[0].paused_until_ns = end_ns;
    fleet_run_until(fleet, end_ns - 2 * fleet->delay_max_ns);
    fleet_request(fleet, 1, 1, 4);
    fleet_run_until(fleet, end_ns + 1);

    assert_int_equal(fleet->processes[1].waiting, 0);
    assert_int_equal(fleet->keys[1].spent_units, 4);
    assert_int_equal(fleet->unused_units, 4);
    fleet_run_for(fleet, MS_NS);
    assert_int_equal(fleet->processes[0].waiting, 0);
    assert_int_equal(fleet->keys[1].over_units, 0);
    fleet_shutdown(fleet);
    fleet_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_after_a_pause_is_not_spent_twice),
        cmocka_unit_test(nothing_is_lost_or_given_away_where_the_store_decides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
