/* From one plan to the next at the store: what was used stays used, and each plan's numbers count
 * from its time on. */
#include "unit.h"

#include "core_support.h"
#include "store_step.h"
#include "weir/take.h"

#define LOG_ENTRIES 2048

static struct weir_log_entry entries[LOG_ENTRIES];
static struct weir_store_key store;
static uint32_t last_sequence;

static int reset(void **state)
{
    (void)state;
    store = (struct weir_store_key){0};
    (void)weir_store_key_set_log(&store, entries, LOG_ENTRIES);
    last_sequence = 0;
    return 0;
}

static struct weir_ask ask_under(const struct weir_plan *plan)
{
    return (struct weir_ask){
        .key = PLAIN_KEY,
        .id = {.process = 1, .sequence = ++last_sequence},
        .plan = *plan,
        .flags = WEIR_ASK_RETURN,
        .rate_share_period = UINT64_MAX,
    };
}

static struct weir_answer take(const struct weir_ask *ask, uint64_t now_us)
{
    return store_step(&store, ask, now_us);
}

static uint64_t remaining_under(const struct weir_plan *plan, uint64_t now_us)
{
    const struct weir_ask ask = ask_under(plan);

    return take(&ask, now_us).remaining_units;
}

static uint32_t spend(const struct weir_plan *plan, uint32_t units, uint64_t now_us)
{
    struct weir_ask ask = ask_under(plan);

    ask.flags = WEIR_ASK_SPEND;
    ask.need_units = ask.least_units = ask.want_units = ask.largest_units = units;
    return take(&ask, now_us).granted_units;
}

static struct weir_plan version(struct weir_plan plan, uint64_t number, uint64_t since_us)
{
    plan.version = number;
    plan.since_us = since_us;
    return plan;
}

static struct weir_plan plan_of_kind(size_t kind)
{
    switch (kind) {
    case 0:
        return bucket_plan(10, 1000);
    case 1:
        return window_plan(1000, MINUTE_US);
    case 2:
        return sliding_plan(1000, MINUTE_US);
    default:
        return log_plan(1000, MINUTE_US);
    }
}

/* 300 spent under any of them leave 700 of 1000 under any other. */
static void what_was_used_is_used_under_every_algorithm(void **state)
{
    (void)state;
    for (size_t from = 0; from < 4; from++) {
        for (size_t to = 0; to < 4; to++) {
            const struct weir_plan before = plan_of_kind(from);
            const struct weir_plan after = version(plan_of_kind(to), 2, 0);
            reset(NULL);
            assert_int_equal(spend(&before, 300, START_US), 300);
            assert_int_equal(remaining_under(&after, START_US), 700);
            assert_int_equal(spend(&after, 701, START_US), 0);
            assert_int_equal(spend(&after, 700, START_US), 700);
        }
    }
}

static void what_was_used_survives_an_unlimited_plan(void **state)
{
    (void)state;
    const struct weir_plan before = window_plan(1000, MINUTE_US);
    const struct weir_plan between = version(unlimited_plan(), 2, 0);
    const struct weir_plan after = version(window_plan(500, MINUTE_US), 3, 0);
    spend(&before, 300, START_US);

    assert_int_equal(spend(&between, 1000000, START_US + 1), 1000000);
    assert_int_equal(spend(&before, 5, START_US + 2), 5); /* it has not heard: admitted as well */
    assert_int_equal(remaining_under(&after, START_US + 3), 200);
}

static void under_an_unlimited_plan_the_one_before_goes_on_forgetting(void **state)
{
    (void)state;
    const struct weir_plan before = bucket_plan(10, 1000);
    const struct weir_plan between = version(unlimited_plan(), 2, 0);
    const struct weir_plan after = version(bucket_plan(10, 1000), 3, 0);
    spend(&before, 1000, START_US);

    assert_int_equal(spend(&between, 7, START_US), 7);
    assert_int_equal(remaining_under(&after, START_US + 30 * SECOND_US), 300);
}

static void a_lower_limit_than_what_was_used_admits_nothing_until_it_is_forgotten(void **state)
{
    (void)state;
    const struct weir_plan before = log_plan(1000, MINUTE_US);
    const struct weir_plan after = version(log_plan(100, MINUTE_US), 2, 0);
    spend(&before, 600, START_US);
    spend(&before, 350, START_US + SECOND_US);

    assert_int_equal(spend(&after, 1, START_US + MINUTE_US - 1), 0);
    assert_int_equal(spend(&after, 1, START_US + MINUTE_US), 0);
    assert_int_equal(spend(&after, 100, START_US + MINUTE_US + SECOND_US), 100);
}

static void a_bucket_refills_at_each_rate_for_its_time(void **state)
{
    (void)state;
    const struct weir_plan before = bucket_plan(10, 1000);
    const struct weir_plan after = version(bucket_plan(3, 1000), 2, START_US + 20 * SECOND_US);
    spend(&before, 1000, START_US);

    /* first heard of at 30 s: 20 s at 10, 10 s at 3 */
    assert_int_equal(remaining_under(&after, START_US + 30 * SECOND_US), 230);
}

static void a_plan_without_a_time_counts_from_when_it_is_heard_of(void **state)
{
    (void)state;
    const struct weir_plan before = bucket_plan(10, 1000);
    const struct weir_plan after = version(bucket_plan(3, 1000), 2, 0);
    spend(&before, 1000, START_US);

    assert_int_equal(remaining_under(&after, START_US + 30 * SECOND_US), 300);
    assert_int_equal(remaining_under(&after, START_US + 40 * SECOND_US), 330);
}

/* Time the store has already counted under the old plan is not counted again. */
static void a_plan_does_not_change_the_past(void **state)
{
    (void)state;
    const struct weir_plan before = bucket_plan(10, 1000);
    const struct weir_plan after = version(bucket_plan(3, 1000), 2, START_US + 10 * SECOND_US);
    spend(&before, 1000, START_US);
    assert_int_equal(remaining_under(&before, START_US + 20 * SECOND_US), 200);

    assert_int_equal(remaining_under(&after, START_US + 20 * SECOND_US), 200);
}

static void who_has_not_heard_is_served_under_the_new_plan(void **state)
{
    (void)state;
    const struct weir_plan before = bucket_plan(10, 1000);
    const struct weir_plan after = version(window_plan(50, MINUTE_US), 2, 0);
    assert_int_equal(remaining_under(&before, START_US), 1000);
    assert_int_equal(remaining_under(&after, START_US), 50);
    struct weir_ask ask = ask_under(&before);
    ask.flags = 0;
    ask.need_units = ask.least_units = ask.largest_units = 30;
    ask.want_units = 500;
    ask.rate_milli = 1000000;

    const struct weir_answer answer = take(&ask, START_US + 1);

    assert_in_range(answer.granted_units, 30, 50);
    assert_int_equal(answer.granted_units + answer.remaining_units, 50);
    assert_int_equal(answer.lease_end_us, START_US + MINUTE_US);
    assert_int_equal(answer.trickle_count, 0);
    assert_int_equal(answer.flags & WEIR_ANSWER_STALE_PLAN, WEIR_ANSWER_STALE_PLAN);
}

/* Leases of a bucket live on with the ends they were told; the room they take is kept for them. */
static void leases_that_are_out_keep_their_room_under_other_lease_periods(void **state)
{
    (void)state;
    const struct weir_plan before = fixed_plan(bucket_plan(10, 1000), 100);
    struct weir_plan after = version(bucket_plan(10, 1000), 2, 0);
    after.window_us = 3600 * SECOND_US;
    after.lease_period_us = 300 * SECOND_US;
    after.trickle_period_us = 60 * SECOND_US;
    struct weir_ask ask = ask_under(&before);
    ask.flags = 0;
    ask.want_units = 100;
    const struct weir_answer leased = take(&ask, START_US);
    assert_int_equal(leased.granted_units, 100);

    assert_int_equal(remaining_under(&after, leased.lease_end_us - 1), 1000 - leased.granted_units);
    assert_int_equal(weir_store_key_out(&store), leased.granted_units);
    remaining_under(&after, leased.lease_end_us);
    assert_int_equal(weir_store_key_out(&store), 0);
}

/* ... and trickles are numbered by the new plan's periods, even where leases last as long. */
static void trickles_are_numbered_anew_where_leases_last_as_long(void **state)
{
    (void)state;
    struct weir_plan before = fixed_plan(bucket_plan(10, 1000), 100);
    struct weir_plan after = version(bucket_plan(10, 1000), 2, 0);
    before.window_us = 5 * SECOND_US;
    before.lease_period_us = after.lease_period_us;
    before.trickle_period_us = after.trickle_period_us / 12;
    remaining_under(&before, START_US);

    remaining_under(&after, START_US + SECOND_US);
    assert_int_equal(store.trickle_period, (START_US + SECOND_US) / after.trickle_period_us);
}

static void permits_of_a_bucket_given_back_to_a_window_are_there_again(void **state)
{
    (void)state;
    struct weir_plan before = bucket_plan(10, 1000);
    before.sizer = WEIR_SIZER_FIXED; /* with leases of seconds */
    before.fixed_lease_units = 100;
    const struct weir_plan after = version(window_plan(1000, MINUTE_US), 2, 0);
    struct weir_ask ask = ask_under(&before);
    ask.flags = 0;
    ask.want_units = 100;
    const struct weir_answer leased = take(&ask, START_US);
    assert_int_equal(leased.granted_units, 100);
    ask = ask_under(&after);
    ask.lease_end_us = leased.lease_end_us;
    ask.spent_units = 1;
    ask.returned_units = leased.granted_units - 1;

    assert_int_equal(take(&ask, START_US + 1).remaining_units, 999);
}

/* Pushes may be repeated and come in any order: the store ends where the newest one leads. */
static void permits_of_a_window_that_was_over_do_not_come_back_to_a_longer_one(void **state)
{
    (void)state;
    const struct weir_plan before = window_plan(1000, SECOND_US);
    const struct weir_plan after = version(window_plan(100, MINUTE_US), 2, 0);
    const uint64_t minute_us = START_US / MINUTE_US * MINUTE_US;

    assert_int_equal(spend(&before, 900, minute_us), 900);
    assert_int_equal(spend(&before, 30, minute_us + SECOND_US), 30);
    assert_int_equal(remaining_under(&after, minute_us + SECOND_US + 1), 70);

    struct weir_ask ask = ask_under(&after);
    ask.unused_units = 25;
    ask.lease_end_us = minute_us + SECOND_US;
    assert_int_equal(take(&ask, minute_us + SECOND_US + 2).remaining_units, 70);
    ask = ask_under(&after);
    ask.unused_units = 25;
    ask.lease_end_us = minute_us + 2 * SECOND_US;
    assert_int_equal(take(&ask, minute_us + SECOND_US + 3).remaining_units, 95);
}

static void older_versions_change_nothing(void **state)
{
    (void)state;
    const struct weir_plan first = window_plan(100, MINUTE_US);
    const struct weir_plan second = version(window_plan(200, MINUTE_US), 2, 0);
    const struct weir_plan third = version(window_plan(50, MINUTE_US), 3, 0);
    spend(&first, 10, START_US);

    assert_int_equal(remaining_under(&third, START_US), 40);
    assert_int_equal(remaining_under(&second, START_US), 40);
    assert_int_equal(remaining_under(&first, START_US), 40);
    assert_int_equal(remaining_under(&third, START_US), 40);
    assert_int_equal(store.in_force.version, 3);
}

static void a_bucket_of_nothing_admits_nothing(void **state)
{
    (void)state;
    const struct weir_plan before = bucket_plan(10, 1000);
    const struct weir_plan none = version(bucket_plan(0, 0), 2, 0);
    const struct weir_plan again = version(bucket_plan(10, 1000), 3, 0);
    spend(&before, 100, START_US);

    assert_int_equal(spend(&none, 1, START_US + 1), 0);
    assert_int_equal(spend(&none, 1, START_US + 100 * SECOND_US), 0);
    assert_int_equal(remaining_under(&again, START_US + 100 * SECOND_US), 1000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(what_was_used_is_used_under_every_algorithm),
        TEST(what_was_used_survives_an_unlimited_plan),
        TEST(under_an_unlimited_plan_the_one_before_goes_on_forgetting),
        TEST(a_lower_limit_than_what_was_used_admits_nothing_until_it_is_forgotten),
        TEST(a_bucket_refills_at_each_rate_for_its_time),
        TEST(a_plan_without_a_time_counts_from_when_it_is_heard_of),
        TEST(a_plan_does_not_change_the_past),
        TEST(who_has_not_heard_is_served_under_the_new_plan),
        TEST(leases_that_are_out_keep_their_room_under_other_lease_periods),
        TEST(trickles_are_numbered_anew_where_leases_last_as_long),
        TEST(permits_of_a_bucket_given_back_to_a_window_are_there_again),
        TEST(permits_of_a_window_that_was_over_do_not_come_back_to_a_longer_one),
        TEST(older_versions_change_nothing),
        TEST(a_bucket_of_nothing_admits_nothing),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
