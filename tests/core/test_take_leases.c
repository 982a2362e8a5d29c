/* What the store counts as out: leases by the period they end with, grants in flight, trickles, and
 * what comes back. */
#include "unit.h"

#include <string.h>

#include "core_support.h"
#include "store_step.h"
#include "weir/take.h"

#define LEASE_US (5 * SECOND_US) /* lease period of the bucket below */
#define TRICKLE_PERIOD (START_US / SECOND_US)
#define LANDED_US (2 * WEIR_FLIGHT_US_MIN)

static struct weir_store_key store;
static struct weir_plan plan;
static uint32_t last_sequence;

/* A bucket of 100 units, 10 per second, that grants what is wanted; leases end with periods of five
 * seconds. */
static int reset(void **state)
{
    (void)state;
    store = (struct weir_store_key){0};
    plan = bucket_plan(10, 100);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 1;
    last_sequence = 0;
    return 0;
}

/* Nothing waits; `want` units are wanted. */
static struct weir_ask ask_ahead(uint32_t want)
{
    return (struct weir_ask){
        .key = PLAIN_KEY,
        .id = {.process = 1, .sequence = ++last_sequence},
        .plan = plan,
        .want_units = want,
        .largest_units = 1,
        .flight_us = WEIR_FLIGHT_US_MIN,
        .rate_share_period = UINT64_MAX,
    };
}

static struct weir_answer take(const struct weir_ask *ask, uint64_t now_us)
{
    return store_step(&store, ask, now_us);
}

static struct weir_answer lease(uint32_t units, uint64_t now_us)
{
    const struct weir_ask ask = ask_ahead(units);
    const struct weir_answer answer = take(&ask, now_us);

    assert_int_equal(answer.granted_units, units);
    return answer;
}

static uint64_t tokens_at(uint64_t now_us)
{
    weir_store_key_advance(&store, &PLAIN_KEY, &plan, now_us);
    return weir_store_key_remaining(&store);
}

static void what_is_leased_ahead_is_out_until_it_is_spent_or_given_back(void **state)
{
    (void)state;
    const struct weir_answer first = lease(60, START_US);
    assert_int_equal(first.outstanding_units, 60);
    assert_int_equal(first.lease_end_us, START_US + 2 * LEASE_US);

    assert_int_equal(tokens_at(START_US + SECOND_US), 40); /* no room: 60 are out */
    struct weir_ask ask = ask_ahead(0);
    ask.lease_end_us = first.lease_end_us;
    ask.held_units = 20;
    ask.spent_units = 30;
    ask.returned_units = 10;
    const struct weir_answer second = take(&ask, START_US + SECOND_US);
    assert_int_equal(second.outstanding_units, 20);
    assert_int_equal(second.remaining_units, 50);
    assert_int_equal(tokens_at(START_US + 3 * SECOND_US), 70);
    assert_int_equal(tokens_at(START_US + 4 * SECOND_US), 80);
    assert_int_equal(tokens_at(START_US + 4 * SECOND_US + 900 * MS_US), 80);
}

static void a_full_buckets_refill_resumes_when_a_lease_period_ends(void **state)
{
    (void)state;
    lease(30, START_US + SECOND_US);                /* ends with the next period */
    lease(40, START_US + LEASE_US + 2 * SECOND_US); /* ends a period later */

    assert_int_equal(tokens_at(START_US + 2 * LEASE_US - 1), 30);
    assert_int_equal(store.outstanding[0], 30);
    assert_int_equal(store.outstanding[1], 40);
    assert_int_equal(tokens_at(START_US + 2 * LEASE_US + SECOND_US), 40);
    assert_int_equal(tokens_at(START_US + 2 * LEASE_US + 4 * SECOND_US), 60);
    assert_int_equal(tokens_at(START_US + 3 * LEASE_US), 60);
    assert_int_equal(tokens_at(START_US + 3 * LEASE_US + 100 * MS_US), 61);
    assert_int_equal(tokens_at(START_US + 4 * LEASE_US), 100);
}

/* Room that comes back between two visits counts from the instant it came back, not from the visit.
 */
static void one_late_visit_refills_as_much_as_many(void **state)
{
    (void)state;
    lease(30, START_US + SECOND_US);
    struct weir_ask ask = ask_ahead(70);
    ask.need_units = 40;
    take(&ask, START_US + LEASE_US - 500);
    struct weir_store_key once = store;
    const uint64_t end_us = START_US + 3 * LEASE_US + 777 * MS_US;

    for (uint64_t now_us = START_US + LEASE_US; now_us <= end_us; now_us += 333) {
        weir_store_key_advance(&store, &PLAIN_KEY, &plan, now_us);
        assert_true(store.tokens + store.outstanding[0] + store.outstanding[1] + store.flight[0] +
                        store.flight[1] <=
                    100);
    }
    weir_store_key_advance(&store, &PLAIN_KEY, &plan, end_us);
    weir_store_key_advance(&once, &PLAIN_KEY, &plan, end_us);

    /* what spilled is booked to the share period of the visit that sees it */
    assert_int_equal(once.spilled_us[0] + once.spilled_us[1],
                     store.spilled_us[0] + store.spilled_us[1]);
    memcpy(store.spilled_us, once.spilled_us, sizeof store.spilled_us);
    assert_memory_equal(&store, &once, sizeof store);
    assert_int_equal(once.outstanding[0] + once.outstanding[1], 0);
}

/* D34: a lease that has ended was refilled in its place; given back after that it would count
 * twice. */
static void d34_an_ended_lease_cannot_be_given_back(void **state)
{
    (void)state;
    const struct weir_answer answer = lease(100, START_US);
    struct weir_ask ask = ask_ahead(0);
    ask.lease_end_us = answer.lease_end_us;
    ask.returned_units = 100;
    const struct weir_store_key before = store;

    assert_int_equal(take(&ask, START_US + 2 * LEASE_US - 1).remaining_units, 100);

    store = before;
    ask.id.sequence++;
    assert_int_equal(take(&ask, START_US + 2 * LEASE_US).remaining_units, 0);
    assert_int_equal(tokens_at(START_US + 2 * LEASE_US + SECOND_US), 10);
}

static void d34_what_expired_before_the_last_answer_is_only_reported(void **state)
{
    (void)state;
    const struct weir_answer answer = lease(50, START_US);
    struct weir_ask ask = ask_ahead(0);
    ask.lease_end_us = answer.lease_end_us;
    ask.returned_units = 12;
    ask.expired_units = 7;

    const struct weir_answer after = take(&ask, START_US);

    assert_int_equal(after.remaining_units, 55);
    assert_int_equal(after.outstanding_units, 45);
}

/* The process learns from the answer's reached_us that what it held is void: the store has
 * refilled in its place. */
static void held_permits_whose_lease_ended_on_the_way_are_not_counted_again(void **state)
{
    (void)state;
    static const struct {
        uint64_t at_us;
        uint64_t outstanding_units;
    } CASES[] = {
        {START_US + LEASE_US - 1, 100},     {START_US + LEASE_US, 100},
        {START_US + 2 * LEASE_US - 1, 100}, {START_US + 2 * LEASE_US, 0},
        {START_US + 3 * LEASE_US, 0},       {START_US + 4 * LEASE_US, 0},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        reset(NULL);
        const struct weir_answer answer = lease(100, START_US);
        struct weir_ask ask = ask_ahead(0);
        ask.lease_end_us = answer.lease_end_us;
        ask.held_units = 100;
        const struct weir_answer next = take(&ask, CASES[i].at_us);
        assert_int_equal(next.outstanding_units, CASES[i].outstanding_units);
        assert_int_equal(next.lease_end_us > answer.lease_end_us + LEASE_US,
                         CASES[i].outstanding_units == 0);
        assert_true(next.remaining_units + next.outstanding_units <= 100);
    }
}

static void spends_of_an_ended_lease_do_not_hide_the_leases_of_others(void **state)
{
    (void)state;
    const struct weir_answer ended = lease(40, START_US);
    lease(60, START_US + LEASE_US + 1);
    struct weir_ask ask = ask_ahead(0);
    ask.lease_end_us = ended.lease_end_us;
    ask.spent_units = 40;

    assert_int_equal(take(&ask, START_US + 2 * LEASE_US).outstanding_units, 60);
}

static void d12_a_windows_permits_do_not_go_to_the_next_window(void **state)
{
    (void)state;
    plan = window_plan(100, MINUTE_US);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 1;
    const struct weir_answer answer = lease(100, START_US);
    lease(30, START_US + MINUTE_US);
    struct weir_ask ask = ask_ahead(0);
    ask.lease_end_us = answer.lease_end_us;
    ask.held_units = 20;
    ask.spent_units = 40;
    ask.returned_units = 25;
    ask.unused_units = 15;

    const struct weir_answer next = take(&ask, START_US + MINUTE_US);

    assert_int_equal(next.remaining_units, 70);
    assert_int_equal(next.outstanding_units, 30);
}

static void what_comes_back_to_a_window_can_be_granted_again(void **state)
{
    (void)state;
    plan = window_plan(100, MINUTE_US);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 1;
    struct weir_ask ask = ask_ahead(100);
    ask.need_units = 15;
    const struct weir_answer answer = take(&ask, START_US);
    assert_int_equal(answer.outstanding_units, 85);
    ask = ask_ahead(0);
    ask.lease_end_us = answer.lease_end_us;
    ask.spent_units = 60;
    ask.returned_units = 25;
    ask.unused_units = 15;

    const struct weir_answer next = take(&ask, START_US + MINUTE_US - 1);

    assert_int_equal(next.remaining_units, 40);
    assert_int_equal(next.outstanding_units, 0);
    assert_int_equal(next.lease_end_us, START_US + MINUTE_US);
}

/* What waiting requests get is spent within the flight time, or given back: until then it leaves no
 * room. */
static void grants_to_waiting_requests_are_out_for_one_to_two_flight_periods(void **state)
{
    (void)state;
    static const struct {
        uint64_t after_us;
        uint64_t landed_us;
    } CASES[] = {{0, 2000}, {1, 1999}, {500, 1500}, {999, 1001}};

    plan = bucket_plan(1000, 100);
    for (size_t i = 0; i < 4; i++) {
        store = (struct weir_store_key){0};
        struct weir_ask ask = ask_ahead(100);
        ask.need_units = 100;
        const struct weir_answer answer = take(&ask, START_US + CASES[i].after_us);
        const uint64_t landed_us = START_US + CASES[i].after_us + CASES[i].landed_us;
        assert_int_equal(answer.outstanding_units, 100);
        assert_int_equal(tokens_at(landed_us - 1), 0);
        assert_int_equal(store.flight[0] + store.flight[1], 100);
        assert_int_equal(tokens_at(landed_us), 0);
        assert_int_equal(store.flight[0] + store.flight[1], 0);
        assert_int_equal(tokens_at(landed_us + 1000), 1);
    }
}

static void a_slower_process_stretches_the_flight_of_all(void **state)
{
    (void)state;
    struct weir_ask ask = ask_ahead(10);
    ask.need_units = 10;
    take(&ask, START_US);
    ask.id.sequence++;
    ask.flight_us = 8000;
    take(&ask, START_US + 500);
    assert_int_equal(store.flight_us, 8000);
    assert_int_equal(store.flight[0], 20);

    ask.id.sequence++;
    ask.flight_us = 1000; /* a quick one does not shorten it while something is under way */
    take(&ask, START_US + 8000);
    assert_int_equal(store.flight_us, 8000);
    assert_int_equal(store.flight[0], 10);
    assert_int_equal(store.flight[1], 20);
    ask.id.sequence++;
    take(&ask, START_US + 24000);
    assert_int_equal(store.flight_us, 1000);
    assert_int_equal(store.flight[0], 10);
    assert_int_equal(store.flight[1], 0);
}

static void what_is_under_way_when_the_flight_is_stretched_counts_from_then(void **state)
{
    (void)state;
    struct weir_ask ask = ask_ahead(10);
    ask.need_units = 10;
    take(&ask, START_US);
    ask.id.sequence++;
    take(&ask, START_US + 1000);
    assert_int_equal(store.flight[0], 10);
    assert_int_equal(store.flight[1], 10);
    ask.id.sequence++;
    ask.flight_us = 8000;

    take(&ask, START_US + 1500);

    assert_int_equal(store.flight[0], 30);
    assert_int_equal(store.flight[1], 0);
    tokens_at(START_US + 15999);
    assert_int_equal(store.flight[1], 30);
    tokens_at(START_US + 16000);
    assert_int_equal(store.flight[0] + store.flight[1], 0);
}

/* Spent at the store step, or when its answer comes: as the ask says. */
static void a_request_decided_at_the_store_leases_nothing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        reset(NULL);
        struct weir_ask ask = ask_ahead(10);
        ask.need_units = 10;
        ask.flags = WEIR_ASK_SPEND;
        ask.flight_us = i * WEIR_FLIGHT_US_MIN;

        const struct weir_answer answer = take(&ask, START_US);

        assert_int_equal(answer.granted_units, 10);
        assert_int_equal(answer.outstanding_units, i * 10);
        assert_int_equal(store.outstanding[0] + store.outstanding[1], 0);
        /* no room for what came in while it was in flight */
        assert_int_equal(tokens_at(START_US + SECOND_US), 100 - i);
    }
}

static void a_request_decided_at_the_store_gets_all_or_nothing(void **state)
{
    (void)state;
    struct weir_ask ask = ask_ahead(101);
    ask.need_units = 101;
    ask.least_units = 1;
    ask.flags = WEIR_ASK_SPEND;

    assert_int_equal(take(&ask, START_US).granted_units, 0);
    assert_int_equal(tokens_at(START_US), 100);
}

static void an_ask_that_gives_back_gets_nothing(void **state)
{
    (void)state;
    const struct weir_answer answer = lease(50, START_US);
    struct weir_ask ask = ask_ahead(50);
    ask.flags = WEIR_ASK_RETURN;
    ask.lease_end_us = answer.lease_end_us;
    ask.returned_units = 50;

    const struct weir_answer after = take(&ask, START_US);

    assert_int_equal(after.granted_units, 0);
    assert_int_equal(after.trickle_count, 0);
    assert_int_equal(after.remaining_units, 100);
    assert_int_equal(after.outstanding_units, 0);
    assert_int_equal(after.version, answer.version + 1);
}

static void no_more_comes_back_than_there_is_room_for(void **state)
{
    (void)state;
    const struct weir_answer answer = lease(10, START_US);
    struct weir_ask ask = ask_ahead(0);
    ask.lease_end_us = answer.lease_end_us;
    ask.returned_units = 25; /* D02: more than was ever granted */

    assert_int_equal(take(&ask, START_US).remaining_units, 100);
}

static void a_grant_of_part_of_the_need_is_all_or_nothing_below_the_least(void **state)
{
    (void)state;
    struct weir_ask ask = ask_ahead(150);
    ask.need_units = 150;
    ask.least_units = 101;
    assert_int_equal(take(&ask, START_US).granted_units, 0);

    ask.id.sequence++;
    ask.least_units = 100;
    assert_int_equal(take(&ask, START_US).granted_units, 100);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(what_is_leased_ahead_is_out_until_it_is_spent_or_given_back),
        TEST(a_full_buckets_refill_resumes_when_a_lease_period_ends),
        TEST(one_late_visit_refills_as_much_as_many),
        TEST(d34_an_ended_lease_cannot_be_given_back),
        TEST(d34_what_expired_before_the_last_answer_is_only_reported),
        TEST(held_permits_whose_lease_ended_on_the_way_are_not_counted_again),
        TEST(spends_of_an_ended_lease_do_not_hide_the_leases_of_others),
        TEST(d12_a_windows_permits_do_not_go_to_the_next_window),
        TEST(what_comes_back_to_a_window_can_be_granted_again),
        TEST(grants_to_waiting_requests_are_out_for_one_to_two_flight_periods),
        TEST(a_slower_process_stretches_the_flight_of_all),
        TEST(what_is_under_way_when_the_flight_is_stretched_counts_from_then),
        TEST(a_request_decided_at_the_store_leases_nothing),
        TEST(a_request_decided_at_the_store_gets_all_or_nothing),
        TEST(an_ask_that_gives_back_gets_nothing),
        TEST(no_more_comes_back_than_there_is_room_for),
        TEST(a_grant_of_part_of_the_need_is_all_or_nothing_below_the_least),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
