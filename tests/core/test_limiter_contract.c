/* What a fleet of limiters admits together, whatever the delays, clocks and costs: never more than
 * the plan says. */
#include "fleet.h"

#include "weir/limiter.h"

#define SEEDS 10
#define BUCKET WEIR_ALGORITHM_BUCKET
#define WINDOW WEIR_ALGORITHM_WINDOW
#define SLIDING WEIR_ALGORITHM_SLIDING
#define LOG WEIR_ALGORITHM_LOG
/* longer round trips cannot be counted as flight, and then jitter shows in a log (take.h) */
#define ROUND_TRIP_MAX_NS (WEIR_FLIGHT_US_MAX / 2 * US_NS)

struct shape {
    const char *name;
    enum weir_algorithm algorithm;
    uint64_t rate_per_s, capacity, window_us; /* window plans: the limit is rate_per_s x window */
    uint32_t cost_max;
    uint64_t gap_ns; /* mean time between requests of the fleet */
    uint64_t delay_min_ns, delay_max_ns;
    uint32_t drift_ppm;
};

static const struct shape SHAPES[] = {
    {"small bucket, over its limit", BUCKET, 20, 10, 0, 1, 10 * MS_NS, 200 * US_NS, 300 * US_NS,
     50},
    {"small bucket, mixed costs", BUCKET, 20, 30, 0, 9, 40 * MS_NS, 100 * US_NS, MS_NS, 150},
    {"bucket near its limit", BUCKET, 1000, 1000, 0, 1, 1100 * US_NS, 200 * US_NS, 300 * US_NS, 20},
    {"bucket far over its limit", BUCKET, 1000, 3000, 0, 3, 200 * US_NS, 200 * US_NS, 300 * US_NS,
     20},
    {"bucket with trickles", BUCKET, 2000, 10000, 0, 1, 300 * US_NS, 200 * US_NS, 300 * US_NS, 20},
    {"trickles, mixed costs", BUCKET, 3000, 15000, 0, 4, 400 * US_NS, 100 * US_NS, 2 * MS_NS, 150},
    {"trickles, slow store", BUCKET, 2000, 9000, 0, 2, 500 * US_NS, 10 * MS_NS, 90 * MS_NS, 100},
    {"deep bucket, busy", BUCKET, 5000, 60000, 0, 2, 250 * US_NS, 200 * US_NS, 800 * US_NS, 20},
    {"idle bucket", BUCKET, 100, 50, 0, 4, 500 * MS_NS, 200 * US_NS, 300 * US_NS, 200},
    {"slow store", BUCKET, 500, 200, 0, 2, 2 * MS_NS, 2 * MS_NS, 40 * MS_NS, 20},
    {"very slow store", BUCKET, 50, 100, 0, 3, 20 * MS_NS, 50 * MS_NS, 900 * MS_NS, 20},
    {"jittery store", BUCKET, 500, 300, 0, 2, 2 * MS_NS, 50 * US_NS, 12 * MS_NS, 20},
    {"one unit", BUCKET, 1, 1, 0, 1, 300 * MS_NS, 200 * US_NS, 300 * US_NS, 100},
    {"window", WINDOW, 20, 0, 5 * SECOND_US, 1, 20 * MS_NS, 200 * US_NS, 300 * US_NS, 50},
    {"window, mixed costs", WINDOW, 1000, 0, 3 * SECOND_US, 9, 2 * MS_NS, 100 * US_NS, 900 * US_NS,
     150},
    {"window, slow store", WINDOW, 500, 0, 2 * SECOND_US, 2, 2 * MS_NS, 2 * MS_NS, 60 * MS_NS, 20},
    {"window, very slow store", WINDOW, 100, 0, SECOND_US, 2, 9 * MS_NS, 50 * MS_NS, 600 * MS_NS,
     20},
    {"short window", WINDOW, 1000, 0, 20 * MS_US, 1, MS_NS, 200 * US_NS, 4 * MS_NS, 200},
    {"sliding", SLIDING, 20, 0, 5 * SECOND_US, 1, 20 * MS_NS, 200 * US_NS, 300 * US_NS, 50},
    {"sliding, near its limit", SLIDING, 500, 0, 3 * SECOND_US, 1, 2 * MS_NS, 200 * US_NS,
     300 * US_NS, 100},
    {"sliding, costs up to the limit", SLIDING, 20, 0, 2 * SECOND_US, 40, 200 * MS_NS, 100 * US_NS,
     900 * US_NS, 150},
    {"sliding, slow store", SLIDING, 500, 0, 2 * SECOND_US, 2, 2 * MS_NS, 2 * MS_NS, 60 * MS_NS,
     20},
    {"sliding, short window", SLIDING, 1000, 0, 20 * MS_US, 1, MS_NS, 200 * US_NS, 4 * MS_NS, 200},
    {"log", LOG, 20, 0, 5 * SECOND_US, 1, 20 * MS_NS, 200 * US_NS, 300 * US_NS, 50},
    {"log, costs up to the limit", LOG, 20, 0, 2 * SECOND_US, 40, 100 * MS_NS, 100 * US_NS,
     900 * US_NS, 150},
    {"log, slow store", LOG, 500, 0, 2 * SECOND_US, 2, 2 * MS_NS, MS_NS, 3500 * US_NS, 20},
    {"log, short window", LOG, 1000, 0, 20 * MS_US, 1, MS_NS, 200 * US_NS, 3 * MS_NS, 200},
};

static struct fleet *fleet_of(const struct shape *shape, unsigned seed)
{
    struct fleet *fleet = fleet_new(seed);
    const struct weir_plan plan =
        shape->algorithm == BUCKET
            ? bucket_plan(shape->rate_per_s, shape->capacity)
            : windowed_plan(shape->algorithm, shape->rate_per_s * shape->window_us / SECOND_US,
                            shape->window_us);

    fleet->delay_min_ns = shape->delay_min_ns;
    fleet->delay_max_ns = shape->delay_max_ns;
    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, dice_below(&fleet->dice, MINUTE_US));
    if (seed % 2 == 0) { /* else it is as full as one that the store never saw */
        fleet_fill(fleet, 0, dice_below(&fleet->dice, plan.capacity_units + 1));
    }
    fleet_start(fleet, 1 + seed % 5, 4);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        fleet->processes[i].drift_ppm =
            (int64_t)dice_below(&fleet->dice, 2 * shape->drift_ppm + 1) - shape->drift_ppm;
    }
    return fleet;
}

/* Random requests, in spells of traffic and silence; now and then a process stands still. */
static void play(struct fleet *fleet, const struct shape *shape, uint64_t duration_ns)
{
    struct dice *dice = &fleet->dice;
    const uint64_t pause_max_ns =
        shape->algorithm == LOG ? ROUND_TRIP_MAX_NS - 2 * shape->delay_max_ns : 8 * SECOND_NS;
    uint64_t quiet_until_ns = 0;

    while (fleet->now_ns < duration_ns) {
        fleet_run_for(fleet, dice_below(dice, 2 * shape->gap_ns));
        if (fleet->now_ns < quiet_until_ns) {
            continue;
        }
        if (dice_below(dice, 9 * SECOND_NS / shape->gap_ns) == 0) {
            quiet_until_ns = fleet->now_ns + dice_below(dice, 12 * SECOND_NS);
        }
        const uint32_t process = (uint32_t)dice_below(dice, fleet->process_count);
        struct fleet_process *self = &fleet->processes[process];
        if (dice_below(dice, 6 * SECOND_NS / shape->gap_ns) == 0) {
            self->paused_until_ns = fleet->now_ns + dice_below(dice, pause_max_ns);
        }
        if (self->paused_until_ns <= fleet->now_ns && self->waiting < 40) {
            fleet_request(fleet, process, 0, 1 + (uint32_t)dice_below(dice, shape->cost_max));
        }
    }
}

/* Returns what was spent, and adds what was promised. */
static uint64_t run_shape(const struct shape *shape, unsigned seed, uint64_t *promised_units)
{
    struct fleet *fleet = fleet_of(shape, seed);

    play(fleet, shape, 40 * SECOND_NS);
    if (fleet->keys[0].over_units != 0) {
        print_error("%s, seed %u: %u units over\n", shape->name, seed,
                    (unsigned)fleet->keys[0].over_units);
    }
    assert_int_equal(fleet->keys[0].over_units, 0);
    /* leases end that were granted to a process which slept, in answers that it knows nothing of */
    fleet_run_for(fleet, 20 * SECOND_NS);
    assert_true(fleet->expire_count <= 2 * fleet->ask_count + 100); /* it sleeps in between */
    fleet_shutdown(fleet);
    const uint64_t spent_units = fleet->spent_units;
    *promised_units += fleet->promised_units;
    fleet_free(fleet);
    return spent_units;
}

static void no_interval_and_no_window_admits_more_than_the_plan_allows(void **state)
{
    (void)state;
    uint64_t promised_units = 0;

    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
        uint64_t spent_units = 0;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            spent_units += run_shape(&SHAPES[i], seed, &promised_units);
        }
        assert_true(spent_units > SEEDS * 10);
    }
    assert_true(promised_units > SEEDS * 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_interval_and_no_window_admits_more_than_the_plan_allows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
