/* The store's clock steps back, for good or to and fro. */
#include "unit.h"

#include "one_desk.h"

#define DAY_US (UINT64_C(86400) * SECOND_US)

/* B16: two days back. The customer goes on at the plan's rate, from what there was. */
static void b16_two_days_back_lock_nobody_out(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const uint64_t back_us = START_US - 2 * DAY_US;
    desk_spend(&desk, &plan, 0, 100, START_US);

    assert_int_equal(desk_take(&desk, &plan, 0, 1, back_us).granted_units, 0);
    assert_int_equal(desk_take(&desk, &plan, 0, 10, back_us + SECOND_US).granted_units, 10);
    assert_int_equal(desk_left(&desk, &plan, back_us + 4 * SECOND_US), 30);
}

/* B17: 11 s to and fro every 5 s, and somewhat more asked each second than the plan allows.
 * It gets what a key gets whose clock stands firm; what accrued while it stepped comes with the
 * return. */
static void b17_a_clock_that_swings_neither_denies_nor_refills(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100000);
    weir_store_key_init(&desk.store, &PLAIN_KEY, &plan, START_US, 100);
    struct store_desk firm = desk;

    for (uint64_t second = 0; second < 300; second++) {
        const uint64_t true_us = START_US + second * SECOND_US;
        const uint64_t read_us = second / 5 % 2 == 0 ? true_us : true_us - 11 * SECOND_US;
        const uint32_t units = 8 + (uint32_t)(second % 7);
        (void)desk_take(&firm, &plan, 0, units, true_us);
        (void)desk_take(&desk, &plan, 0, units, read_us);
        const int64_t firmly = firm.store.taken_units + (int64_t)firm.store.tokens;
        const int64_t came = desk.store.taken_units + (int64_t)desk.store.tokens;
        assert_int_equal(firmly, 100 + 10 * second);
        assert_in_range(came, firmly - 10, firmly);
    }
    assert_true(desk.store.taken_units > 2900);
}

/* B18: two clocks ten seconds apart, in turns: no more than the burst and the true refill. */
static void b18_an_older_clock_does_not_bring_tokens(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1, 4);
    uint32_t granted = 0;

    for (unsigned i = 0; i < 8; i++) {
        const uint64_t now_us = START_US + i * MS_US - (i % 2) * 10 * SECOND_US;
        granted += desk_take(&desk, &plan, i % 2, 1, now_us).granted_units;
    }

    assert_int_equal(granted, 4);
}

static void two_seconds_back_are_waited_for(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    desk_spend(&desk, &plan, 0, 100, START_US);

    (void)desk_take(&desk, &plan, 0, 0, START_US - 2 * SECOND_US);

    assert_int_equal(desk.store.updated_us, START_US);
    assert_int_equal(desk_left(&desk, &plan, START_US + SECOND_US), 10);
}

/* The clock went back an hour for good; a key that is asked now and then is refilled as ever. */
static void an_hour_back_for_good_costs_no_refill(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 10000);
    const uint64_t back_us = START_US - 3600 * SECOND_US;
    desk_spend(&desk, &plan, 0, 10000, START_US);
    (void)desk_take(&desk, &plan, 0, 0, back_us);

    for (uint64_t second = 60; second <= 600; second += 60) {
        const struct weir_answer answer =
            desk_take(&desk, &plan, 0, 0, back_us + second * SECOND_US);
        assert_int_equal(answer.remaining_units, second * 10);
    }
}

/* What is out stays out for as long as it would have, and comes back by the name it had. */
static void leases_keep_their_time(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 0);
    ask.want_units = 40;
    ask.flight_us = 0;
    const struct weir_answer lease = desk_send(&desk, &ask, START_US);
    const uint64_t back_us = START_US - DAY_US;
    (void)desk_take(&desk, &plan, 1, 0, back_us);
    assert_int_equal(weir_store_key_out(&desk.store), lease.granted_units);

    struct weir_ask refund = desk_ask(&desk, &plan, 0, 0);
    refund.lease_end_us = lease.lease_end_us;
    refund.returned_units = lease.granted_units;
    const struct weir_answer answer = desk_send(&desk, &refund, back_us + SECOND_US);

    assert_int_equal(answer.outstanding_units, 0);
    assert_int_equal(answer.remaining_units, 100);
    assert_true(answer.lease_end_us <= back_us + 3 * SECOND_US + 2 * plan.lease_period_us);
}

/* What the store no longer counts as out must not live on in the process. */
static void a_lease_that_nobody_counts_is_void(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 0);
    ask.lease_end_us = START_US + DAY_US;
    ask.held_units = 7;

    const struct weir_answer answer = desk_send(&desk, &ask, START_US);

    assert_true(answer.reached_us >= ask.lease_end_us);
    assert_int_equal(answer.outstanding_units, 0);
}

/* However far back, the count stands: there is no second full window. */
static void a_window_is_not_begun_by_a_step(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(100, MINUTE_US);
    static const uint64_t STEPS_S[] = {1, 30, 60, 90, 150, 3600, 172800};

    for (unsigned i = 0; i < sizeof STEPS_S / sizeof *STEPS_S; i++) {
        const uint64_t back_us = START_US - STEPS_S[i] * SECOND_US;
        (void)reset(NULL);
        (void)desk_take(&desk, &plan, 0, 80, START_US);
        assert_int_equal(desk_take(&desk, &plan, 0, 10, back_us).remaining_units, 10);
        /* nor by the return */
        assert_int_equal(desk_take(&desk, &plan, 0, 5, START_US + SECOND_US).remaining_units, 5);
        assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US), 100);
    }
}

/* One that is asked every minute waits for at most two windows more, should the next look like the
 * clock's return. */
static void a_window_that_stepped_back_ends(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(100, MINUTE_US);

    for (uint64_t step_s = 1; step_s < 1000; step_s += 7) {
        const uint64_t back_us = START_US - step_s * SECOND_US;
        (void)reset(NULL);
        (void)desk_take(&desk, &plan, 0, 100, START_US);
        for (unsigned minutes = 0; minutes < 3; minutes++) {
            (void)desk_take(&desk, &plan, 0, 0, back_us + minutes * MINUTE_US);
        }
        assert_int_equal(desk_left(&desk, &plan, back_us + 3 * MINUTE_US), 100);
    }
}

static void a_log_forgets_no_sooner(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(10, MINUTE_US);
    struct weir_log_entry entries[11];
    const uint64_t back_us = START_US - DAY_US;
    (void)weir_store_key_set_log(&desk.store, entries, 11);
    (void)desk_take(&desk, &plan, 0, 10, START_US);

    const struct weir_answer denied = desk_take(&desk, &plan, 0, 1, back_us);

    assert_int_equal(denied.granted_units, 0);
    assert_int_equal(denied.retry_us, back_us + MINUTE_US + WEIR_FLIGHT_US_MIN);
    assert_int_equal(desk_left(&desk, &plan, denied.retry_us - 1), 0);
    assert_int_equal(desk_take(&desk, &plan, 0, 10, denied.retry_us).granted_units, 10);
    assert_int_equal(desk_left(&desk, &plan, START_US + 2 * MINUTE_US), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(b16_two_days_back_lock_nobody_out, reset),
        cmocka_unit_test_setup(b17_a_clock_that_swings_neither_denies_nor_refills, reset),
        cmocka_unit_test_setup(b18_an_older_clock_does_not_bring_tokens, reset),
        cmocka_unit_test_setup(two_seconds_back_are_waited_for, reset),
        cmocka_unit_test_setup(an_hour_back_for_good_costs_no_refill, reset),
        cmocka_unit_test_setup(leases_keep_their_time, reset),
        cmocka_unit_test_setup(a_lease_that_nobody_counts_is_void, reset),
        cmocka_unit_test_setup(a_window_is_not_begun_by_a_step, reset),
        cmocka_unit_test_setup(a_window_that_stepped_back_ends, reset),
        cmocka_unit_test_setup(a_log_forgets_no_sooner, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
