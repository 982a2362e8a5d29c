/* How fast requests come in: exact for steady traffic, slow to forget, and when a key counts as
 * idle. */
#include "small_limiter.h"

#define MS(count) (SMALL_START_NS + (count)*NS_PER_MS)
#define PERIODS_MS UINT64_C(60000) /* several of the sliding period, whatever it is */

static struct weir_limiter *limiter_with_key(void)
{
    const struct weir_plan plan = bucket_plan(10, 100); /* T is one second */
    struct weir_limiter *limiter = small_limiter(&plan);

    assert_int_equal(small_slot(limiter, 0), 0);
    return limiter;
}

static void count(struct weir_limiter *limiter, uint64_t now_ns, uint32_t units)
{
    limiter->hot[0].demand_units += units;
    limiter->hot[0].touched_ms = local_ms(limiter, now_ns);
}

static void milliseconds_count_from_the_start(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();

    assert_int_equal(local_ms(limiter, SMALL_START_NS), 0);
    assert_int_equal(local_ms(limiter, SMALL_START_NS + NS_PER_MS - 1), 0);
    assert_int_equal(local_ms(limiter, SMALL_START_NS + NS_PER_MS), 1);
    assert_int_equal(local_ms(limiter, MS(UINT64_C(1) << 32) + 5 * NS_PER_MS), 5);
}

static void without_requests_there_is_no_rate(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();

    for (uint64_t ms = 0; ms < PERIODS_MS; ms += 777) {
        assert_int_equal(demand_rate_milli(limiter, 0, MS(ms)), 0);
    }
}

static void the_first_requests_are_no_rate_yet(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    count(limiter, MS(0), 10);

    const uint64_t at_once = demand_rate_milli(limiter, 0, MS(0));
    assert_int_equal(at_once, demand_rate_milli(limiter, 0, MS(300)));
    assert_in_range(at_once, 10000, 100000);
    assert_int_equal(demand_rate_milli(limiter, 0, MS(1000)), 10000);
    assert_int_equal(demand_rate_milli(limiter, 0, MS(2000)), 5000);
}

static void steady_traffic_is_measured_exactly(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();

    for (uint64_t ms = 0; ms < PERIODS_MS; ms += 10) {
        count(limiter, MS(ms), 3); /* 300 per second */
        if (ms >= 1000) {
            assert_in_range(demand_rate_milli(limiter, 0, MS(ms)), 299000, 304000);
        }
    }
}

static void traffic_that_stops_is_forgotten_and_traffic_that_doubles_is_noticed(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    uint64_t ms = 0;

    for (; ms < PERIODS_MS; ms += 10) {
        count(limiter, MS(ms), 1);
        demand_rate_milli(limiter, 0, MS(ms));
    }
    for (; ms < 2 * PERIODS_MS; ms += 10) {
        count(limiter, MS(ms), 2);
        demand_rate_milli(limiter, 0, MS(ms));
    }
    assert_in_range(demand_rate_milli(limiter, 0, MS(ms)), 195000, 205000);
    const uint64_t after_a_second = demand_rate_milli(limiter, 0, MS(ms + 1000));
    assert_in_range(after_a_second, 140000, 200000);
    for (; ms < 4 * PERIODS_MS; ms += 1000) {
        demand_rate_milli(limiter, 0, MS(ms));
    }
    assert_int_equal(demand_rate_milli(limiter, 0, MS(ms)), 0);
}

static void a_key_looked_at_rarely_is_averaged_over_the_time(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    count(limiter, MS(0), 600);

    assert_int_equal(demand_rate_milli(limiter, 0, MS(PERIODS_MS)), 10000);
}

static void the_largest_costs_do_not_overflow_the_rate(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    limiter->hot[0].demand_units = UINT32_MAX;

    assert_in_range(demand_rate_milli(limiter, 0, MS(400)), UINT32_MAX, UINT64_C(20000000000000));
    assert_in_range(demand_rate_milli(limiter, 0, MS(PERIODS_MS)), 1, UINT32_MAX);
}

static void a_busy_key_is_idle_after_a_quarter_of_t(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    for (uint64_t ms = 0; ms < PERIODS_MS; ms += 10) {
        count(limiter, MS(ms), 1);
        demand_rate_milli(limiter, 0, MS(ms));
    }
    const uint64_t last_ms = PERIODS_MS - 10;

    assert_int_equal(demand_idle_ns(limiter, 0, MS(last_ms)), 250 * NS_PER_MS);
    assert_false(demand_is_idle(limiter, 0, MS(last_ms + 249)));
    assert_true(demand_is_idle(limiter, 0, MS(last_ms + 251)));
}

static void a_slow_key_is_idle_after_several_gaps_but_at_most_some_t(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    for (uint64_t ms = 0; ms < 4 * PERIODS_MS; ms += 250) { /* four per second */
        count(limiter, MS(ms), 1);
        demand_rate_milli(limiter, 0, MS(ms));
    }
    assert_in_range(demand_idle_ns(limiter, 0, MS(4 * PERIODS_MS)), 1250 * NS_PER_MS,
                    2500 * NS_PER_MS);

    limiter = limiter_with_key();
    assert_int_equal(demand_idle_ns(limiter, 0, MS(0)), 5 * NS_PER_S);
    count(limiter, MS(0), 1);
    assert_int_equal(demand_idle_ns(limiter, 0, MS(20000)), 5 * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(milliseconds_count_from_the_start),
        cmocka_unit_test(without_requests_there_is_no_rate),
        cmocka_unit_test(the_first_requests_are_no_rate_yet),
        cmocka_unit_test(steady_traffic_is_measured_exactly),
        cmocka_unit_test(traffic_that_stops_is_forgotten_and_traffic_that_doubles_is_noticed),
        cmocka_unit_test(a_key_looked_at_rarely_is_averaged_over_the_time),
        cmocka_unit_test(the_largest_costs_do_not_overflow_the_rate),
        cmocka_unit_test(a_busy_key_is_idle_after_a_quarter_of_t),
        cmocka_unit_test(a_slow_key_is_idle_after_several_gaps_but_at_most_some_t),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
