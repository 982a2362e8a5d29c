/* Latency percentiles, asks per time, asks in flight. */
#include "unit.h"

#include "metrics.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static void admit(struct sim_metrics *metrics, uint64_t added_ns)
{
    sim_metrics_decision(metrics, SIM_LIMIT_BELOW_10K, 1, 0, added_ns);
}

static void a_percentile_is_the_upper_edge_of_a_bucket_a_sixteenth_wide(void **state)
{
    (void)state;
    /* exhaustively below 4,096, then around every power of two that is recorded exactly */
    for (uint64_t value = 0; value < UINT64_C(1) << 46; value += value < 4096 ? 1 : value / 7) {
        struct sim_metrics metrics;

        sim_metrics_init(&metrics, SECOND);
        admit(&metrics, value);
        admit(&metrics, UINT64_C(1) << 47); /* so that the maximum does not cap it */
        const uint64_t edge = sim_latency_percentile_ns(&metrics.all, 500000);

        assert_true(edge >= value);
        assert_true(edge - value <= value / 16);
        sim_metrics_deinit(&metrics);
    }
}

static void no_percentile_is_above_the_maximum_which_is_exact(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, SECOND);
    admit(&metrics, 1000001);

    assert_int_equal(metrics.all.max_ns, 1000001);
    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 0), 1000001);
    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 1000000), 1000001);
    sim_metrics_deinit(&metrics);
}

static void percentiles_count_from_below(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, SECOND);
    for (uint64_t i = 1; i <= 10; i++) {
        admit(&metrics, i);
    }

    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 0), 1);
    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 100000), 1);
    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 100001), 2);
    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 500000), 5);
    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 990000), 10);
    sim_metrics_deinit(&metrics);
}

static void nothing_recorded_is_zero(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, SECOND);

    assert_int_equal(sim_latency_percentile_ns(&metrics.all, 990000), 0);
    assert_int_equal(sim_metrics_asks_max_10ms(&metrics), 0);
    assert_int_equal(sim_metrics_asks_max_1s(&metrics), 0);
    assert_int_equal(sim_metrics_in_flight_max(&metrics), 0);
    sim_metrics_deinit(&metrics);
}

static void two_add_up_to_what_one_would_have_recorded(void **state)
{
    (void)state;
    struct sim_latency sum = {0};
    struct sim_latency part = {0};
    struct sim_latency all = {0};

    for (uint64_t i = 0; i < 2000; i++) {
        sim_latency_record(i % 3 == 0 ? &sum : &part, i * i);
        sim_latency_record(&all, i * i);
    }
    sim_latency_add(&sum, &part);
    assert_memory_equal(&sum, &all, sizeof sum);
}

static void denials_have_no_latency_and_first_touches_one_of_their_own(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, SECOND);
    sim_metrics_decision(&metrics, SIM_LIMIT_FROM_100K, 0, 1, 6 * MS);
    sim_metrics_decision(&metrics, SIM_LIMIT_FROM_100K, 1, 1, 5 * MS);
    sim_metrics_decision(&metrics, SIM_LIMIT_FROM_100K, 1, 0, 0);

    assert_int_equal(metrics.denied, 1);
    assert_int_equal(metrics.admitted, 2);
    assert_int_equal(metrics.answered_within_5ms, 2);
    assert_int_equal(metrics.all.count, 2);
    assert_int_equal(metrics.all.waited, 1);
    assert_int_equal(metrics.first_touches.count, 1);
    assert_int_equal(metrics.first_touches.max_ns, 5 * MS);
    assert_int_equal(metrics.by_class[SIM_LIMIT_FROM_100K].count, 1);
    assert_int_equal(metrics.by_class[SIM_LIMIT_FROM_100K].max_ns, 0);
    sim_metrics_deinit(&metrics);
}

static void asks_are_counted_in_whole_slots_and_seconds(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, 3 * SECOND);
    for (int i = 0; i < 3; i++) {
        sim_metrics_ask(&metrics, 10 * MS - 1); /* the first slot's last nanosecond */
        sim_metrics_ask(&metrics, 10 * MS);
        sim_metrics_ask(&metrics, SECOND - 1);
    }
    sim_metrics_ask(&metrics, SECOND);
    sim_metrics_ask(&metrics, 10 * MS + 1);

    assert_int_equal(metrics.asks, 11);
    assert_int_equal(sim_metrics_asks_max_10ms(&metrics), 4);
    assert_int_equal(sim_metrics_asks_max_1s(&metrics), 10);
    assert_int_equal(sim_metrics_asks_in_second(&metrics, 0), 10);
    assert_int_equal(sim_metrics_asks_in_second(&metrics, 1), 1);
    assert_int_equal(sim_metrics_asks_in_second(&metrics, 3), 0);
    sim_metrics_deinit(&metrics);
}

static void asks_after_the_end_are_counted_apart(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, SECOND);
    sim_metrics_ask(&metrics, 100 * SECOND);
    sim_metrics_reply(&metrics, 101 * SECOND);

    assert_int_equal(metrics.asks, 0);
    assert_int_equal(metrics.asks_after_end, 1);
    assert_int_equal(sim_metrics_asks_max_1s(&metrics), 0);
    assert_int_equal(sim_metrics_in_flight_max(&metrics), 0);
    sim_metrics_deinit(&metrics);
}

static void an_ask_is_in_flight_through_the_millisecond_of_its_reply(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, SECOND);
    sim_metrics_ask(&metrics, 0);
    sim_metrics_ask(&metrics, MS);
    sim_metrics_reply(&metrics, 2 * MS - 1); /* still counted beside the second */
    sim_metrics_ask(&metrics, 2 * MS);       /* but not beside the third */
    sim_metrics_reply(&metrics, 3 * MS);
    sim_metrics_reply(&metrics, 3 * MS);

    assert_int_equal(sim_metrics_in_flight_max(&metrics), 2);
    sim_metrics_deinit(&metrics);
}

static void the_time_in_flight_ends_with_the_reply_or_with_the_run(void **state)
{
    (void)state;
    struct sim_metrics metrics;

    sim_metrics_init(&metrics, SECOND);
    sim_metrics_ask(&metrics, 10);
    sim_metrics_reply(&metrics, 25); /* 15 */
    sim_metrics_ask(&metrics, SECOND - 7);
    sim_metrics_reply(&metrics, SECOND + 1); /* 7 */
    assert_int_equal(sim_metrics_flight_ns(&metrics), 22);

    sim_metrics_ask(&metrics, SECOND - 100); /* never answered */
    sim_metrics_ask(&metrics, 2 * SECOND);   /* after the run */
    assert_int_equal(sim_metrics_flight_ns(&metrics), 122);
    sim_metrics_deinit(&metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percentile_is_the_upper_edge_of_a_bucket_a_sixteenth_wide),
        cmocka_unit_test(no_percentile_is_above_the_maximum_which_is_exact),
        cmocka_unit_test(percentiles_count_from_below),
        cmocka_unit_test(nothing_recorded_is_zero),
        cmocka_unit_test(two_add_up_to_what_one_would_have_recorded),
        cmocka_unit_test(denials_have_no_latency_and_first_touches_one_of_their_own),
        cmocka_unit_test(asks_are_counted_in_whole_slots_and_seconds),
        cmocka_unit_test(asks_after_the_end_are_counted_apart),
        cmocka_unit_test(an_ask_is_in_flight_through_the_millisecond_of_its_reply),
        cmocka_unit_test(the_time_in_flight_ends_with_the_reply_or_with_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
