/* The store's step: what it grants, counts and answers. Exact numbers, one key, time moved by hand.
 */
#include "unit.h"

#include <string.h>

#include "core_support.h"
#include "weir/take.h"

static const struct weir_store_run run = {.id = UINT64_C(0xfeed)};

static struct weir_store_key store;
static struct weir_ask_record records[3];
static uint32_t last_sequence;

static int reset(void **state)
{
    (void)state;
    store = (struct weir_store_key){0};
    memset(records, 0, sizeof records);
    last_sequence = 0;
    return 0;
}

/* A request of `units` waits; nothing else is wanted. */
static struct weir_ask ask_for(const struct weir_plan *plan, uint32_t process, uint32_t units)
{
    return (struct weir_ask){
        .key = PLAIN_KEY,
        .id = {.process = process, .sequence = ++last_sequence, .incarnation = 99},
        .plan = *plan,
        .need_units = units,
        .least_units = units,
        .want_units = units,
        .largest_units = units,
        .flight_us = WEIR_FLIGHT_US_MIN,
        .rate_milli = 1000,
        .rate_share_period = UINT64_MAX,
    };
}

static struct weir_answer take(const struct weir_ask *ask, uint64_t now_us)
{
    struct weir_answer answer;

    assert_int_equal(weir_take(&store, &records[ask->id.process], ask, now_us, &run, &answer),
                     WEIR_OK);
    return answer;
}

static struct weir_answer take_units(const struct weir_plan *plan, uint32_t process, uint32_t units,
                                     uint64_t now_us)
{
    const struct weir_ask ask = ask_for(plan, process, units);

    return take(&ask, now_us);
}

static uint64_t tokens_at(const struct weir_plan *plan, uint64_t now_us)
{
    struct weir_store_key copy = store;

    weir_store_key_advance(&copy, &PLAIN_KEY, plan, now_us);
    return weir_store_key_remaining(&copy);
}

static void a_key_never_seen_starts_full(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);

    const struct weir_answer answer = take_units(&plan, 0, 5, START_US);

    assert_int_equal(answer.granted_units, 5);
    assert_int_equal(answer.remaining_units, 95);
    assert_int_equal(answer.key.low, PLAIN_KEY.low);
    assert_int_equal(answer.id.sequence, 1);
    assert_int_equal(answer.id.incarnation, 99);
    assert_int_equal(answer.store_us, START_US);
    assert_int_equal(answer.run_id, run.id);
    assert_int_equal(answer.version, 2);
    assert_int_equal(answer.active_processes, 1);
    assert_int_equal(answer.global_rate_milli, 1000);
    assert_int_equal(answer.share_period, START_US / WEIR_SHARE_US);
    assert_int_equal(answer.flags & WEIR_ANSWER_REPEATED, 0);
    assert_int_equal(answer.retry_us, 0);
}

static void a_key_can_be_started_with_less(void **state)
{
    (void)state;
    const struct weir_plan bucket = bucket_plan(10, 100);
    const struct weir_plan window = window_plan(100, MINUTE_US);

    weir_store_key_init(&store, &PLAIN_KEY, &bucket, START_US, 10);
    assert_int_equal(weir_store_key_remaining(&store), 10);
    weir_store_key_init(&store, &PLAIN_KEY, &window, START_US, 10);
    assert_int_equal(weir_store_key_remaining(&store), 10);
    assert_int_equal(store.tokens, 90);
    store = (struct weir_store_key){0};
    expect_assert_failure(weir_store_key_advance(&store, &PLAIN_KEY, &bucket, START_US));
    expect_assert_failure(weir_store_key_init(&store, &PLAIN_KEY, &bucket, START_US, 101));
}

static void d02_asks_no_process_would_send_change_nothing(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const struct weir_ask good = ask_for(&plan, 0, 5);
    const struct weir_answer zero = {0};
    struct weir_ask bad[13];

    for (size_t i = 0; i < 13; i++) {
        bad[i] = good;
    }
    bad[0].want_units = 4;
    bad[1].least_units = 6;
    bad[2].id.sequence = 0;
    bad[3].flight_us = WEIR_FLIGHT_US_MIN - 1;
    bad[4].flight_us = WEIR_FLIGHT_US_MAX + 1;
    bad[5].flight_us = 1;
    bad[6].plan = (struct weir_plan){0};
    bad[7].plan.window_us = 0;
    bad[8].plan.capacity_units = UINT64_MAX;
    bad[9].plan.algorithm = WEIR_ALGORITHM_LOG + 1;
    bad[10].plan.trickle_period_us = 0;
    bad[11].plan.lease_period_us = 0;
    bad[12].plan.full_us++;
    for (size_t i = 0; i < 13; i++) {
        struct weir_answer answer = {.granted_units = 7};
        assert_int_equal(weir_take(&store, &records[0], &bad[i], START_US, &run, &answer),
                         WEIR_ERR_ARGUMENT);
        assert_memory_equal(&answer, &zero, sizeof answer);
        assert_int_equal(store.version, 0);
        assert_int_equal(records[0].id.sequence, 0);
    }
}

/* B01: more than is there is denied, and leaves what is there untouched. B03: so does any denial.
 */
static void b01_b03_a_denial_burns_nothing(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1, 10);

    assert_int_equal(take_units(&plan, 0, 8, START_US).granted_units, 8);
    const struct weir_answer denied = take_units(&plan, 0, 5, START_US);
    assert_int_equal(denied.granted_units, 0);
    assert_int_equal(denied.remaining_units, 2);
    /* there is no room for five before the eight have landed */
    assert_int_equal(denied.retry_us, START_US + 2 * WEIR_FLIGHT_US_MIN + 3 * SECOND_US);
    const struct weir_answer last = take_units(&plan, 0, 1, START_US);
    assert_int_equal(last.granted_units, 1);
    assert_int_equal(last.remaining_units, 1);
    assert_int_equal(take_units(&plan, 0, 100, START_US).granted_units, 0);
    assert_int_equal(tokens_at(&plan, START_US), 1);
}

/* B27, D11: the same ask again, after its answer was lost, has no effect and gets the same answer.
 */
static void b27_d11_a_repeated_ask_has_no_effect(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const struct weir_ask ask = ask_for(&plan, 0, 5);
    struct weir_answer first = take(&ask, START_US);
    const struct weir_store_key before = store;

    const struct weir_answer again = take(&ask, START_US + 700 * MS_US);

    assert_memory_equal(&store, &before, sizeof store);
    first.flags |= WEIR_ANSWER_REPEATED;
    assert_memory_equal(&again, &first, sizeof again);
    assert_int_equal(again.store_us, START_US);
}

/* D15: a number used again by another life, or by another process, is another ask. */
static void d15_an_ask_is_named_by_process_incarnation_and_sequence(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    struct weir_ask ask = ask_for(&plan, 0, 5);
    take(&ask, START_US);

    ask.id.incarnation++;
    assert_int_equal(take(&ask, START_US).flags & WEIR_ANSWER_REPEATED, 0);
    ask.id.sequence++;
    assert_int_equal(take(&ask, START_US).flags & WEIR_ANSWER_REPEATED, 0);
    records[0].id.process = 1;
    assert_int_equal(take(&ask, START_US).flags & WEIR_ANSWER_REPEATED, 0);
    assert_int_equal(tokens_at(&plan, START_US), 80);
}

/* B12: a refill polled often loses no fraction. */
static void b12_polling_often_loses_no_tokens(void **state)
{
    (void)state;
    static const uint64_t STEPS_US[] = {1, 3, 20 * MS_US, 999983};
    const struct weir_plan plan = bucket_plan(33, 1000);

    for (size_t i = 0; i < 4; i++) {
        const uint64_t polls = STEPS_US[i] < 10 ? 100000 : 500;
        const uint64_t end_us = START_US + polls * STEPS_US[i];
        struct weir_store_key once;
        weir_store_key_init(&once, &PLAIN_KEY, &plan, START_US, 0);
        weir_store_key_init(&store, &PLAIN_KEY, &plan, START_US, 0);
        for (uint64_t n = 1; n <= polls; n++) {
            weir_store_key_advance(&store, &PLAIN_KEY, &plan, START_US + n * STEPS_US[i]);
        }
        weir_store_key_advance(&once, &PLAIN_KEY, &plan, end_us);
        assert_int_equal(store.tokens, once.tokens);
        assert_int_equal(store.carry, once.carry);
        const uint64_t refilled = (end_us - START_US) * 33 / SECOND_US;
        assert_int_equal(store.tokens, refilled < 1000 ? refilled : 1000);
    }
}

static void a_full_bucket_keeps_no_fraction(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 5);

    weir_store_key_init(&store, &PLAIN_KEY, &plan, START_US, 4);
    weir_store_key_advance(&store, &PLAIN_KEY, &plan, START_US + 199999);
    assert_int_equal(store.tokens, 5);
    assert_int_equal(store.carry, 0);
    weir_store_key_advance(&store, &PLAIN_KEY, &plan, START_US + 1000 * MINUTE_US);
    assert_int_equal(store.tokens, 5);
}

static void a_bucket_asleep_for_centuries_is_full(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1000000000, 5000); /* 1000 in a microsecond */
    weir_store_key_init(&store, &PLAIN_KEY, &plan, START_US, 0);

    /* elapsed x rate is 384 modulo 2^64 */
    assert_int_equal(tokens_at(&plan, START_US + UINT64_C(18446744073709552)), 5000);
}

/* B17-B19: only the store's clock counts, and no step back of it, short or long, brings a token. */
static void b17_b18_b19_the_stores_clock_stepping_back_is_harmless(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1, 4);

    take_units(&plan, 0, 4, START_US);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(take_units(&plan, 1, 1, START_US - SECOND_US).granted_units, 0);
        assert_int_equal(take_units(&plan, 0, 1, START_US).granted_units, 0);
        assert_int_equal(take_units(&plan, 1, 1, START_US - 10 * SECOND_US).granted_units, 0);
        assert_int_equal(take_units(&plan, 0, 1, START_US).granted_units, 0);
    }
    assert_int_equal(tokens_at(&plan, START_US - 86400 * SECOND_US), 0);
    const uint64_t landed_us = START_US + 2 * WEIR_FLIGHT_US_MIN;
    assert_int_equal(take_units(&plan, 0, 1, landed_us + SECOND_US - 1).granted_units, 0);
    assert_int_equal(take_units(&plan, 0, 1, landed_us + SECOND_US).granted_units, 1);
}

static void a_window_does_not_come_back_when_the_clock_steps_back(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(10, MINUTE_US);

    take_units(&plan, 0, 10, START_US);
    assert_int_equal(take_units(&plan, 0, 6, START_US + MINUTE_US).granted_units, 6);
    assert_int_equal(take_units(&plan, 0, 6, START_US + MINUTE_US - 1).granted_units, 0);
    assert_int_equal(take_units(&plan, 0, 4, START_US + MINUTE_US - 1).granted_units, 4);
    assert_int_equal(take_units(&plan, 0, 1, START_US).granted_units, 0);
}

/* B31: the count starts again with the window, to the microsecond. B23: and with each boundary. */
static void b23_b31_a_window_starts_again_at_its_boundary(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(1, MINUTE_US);

    assert_int_equal(take_units(&plan, 0, 1, START_US + MINUTE_US - 5 * MS_US).granted_units, 1);
    const struct weir_answer denied = take_units(&plan, 1, 1, START_US + MINUTE_US - 1);
    assert_int_equal(denied.granted_units, 0);
    assert_int_equal(denied.retry_us, START_US + MINUTE_US);
    assert_int_equal(denied.lease_end_us, START_US + MINUTE_US);
    const struct weir_answer next = take_units(&plan, 1, 1, START_US + MINUTE_US);
    assert_int_equal(next.granted_units, 1);
    assert_int_equal(next.lease_end_us, START_US + 2 * MINUTE_US);
    assert_int_equal(take_units(&plan, 0, 1, START_US + 2 * MINUTE_US - 1).granted_units, 0);
}

static void window_boundaries_lie_in_the_keys_phase(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(1, MINUTE_US);
    struct weir_ask ask = ask_for(&plan, 0, 1);
    ask.key.high = 20 * SECOND_US;

    take(&ask, START_US + 39 * SECOND_US);
    ask.id.sequence++;
    const struct weir_answer denied = take(&ask, START_US + 40 * SECOND_US - 1);
    assert_int_equal(denied.granted_units, 0);
    assert_int_equal(denied.retry_us, START_US + 40 * SECOND_US);
    ask.id.sequence++;
    assert_int_equal(take(&ask, START_US + 40 * SECOND_US).granted_units, 1);
}

static void an_unlimited_plan_grants_whatever_is_needed(void **state)
{
    (void)state;
    const struct weir_plan plan = unlimited_plan();

    const struct weir_answer answer = take_units(&plan, 0, 1 << 30, START_US);

    assert_int_equal(answer.granted_units, 1 << 30);
    assert_int_equal(answer.remaining_units, UINT32_MAX);
    assert_int_equal(take_units(&plan, 0, 1 << 30, START_US).granted_units, 1 << 30);
}

/* B10, B21. */
static void b10_b21_what_is_never_refilled_is_never_worth_waiting_for(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 3);

    assert_int_equal(take_units(&plan, 0, 3, START_US).granted_units, 3);
    const struct weir_answer denied = take_units(&plan, 0, 1, START_US + 1000 * MINUTE_US);
    assert_int_equal(denied.granted_units, 0);
    assert_int_equal(denied.retry_us, UINT64_MAX);
}

/* Without a pace, those that wait for more than there is would wait for ever longer. */
static void the_simple_sizers_refuse_what_is_beyond_the_remainder(void **state)
{
    (void)state;
    const struct weir_plan plan = fixed_plan(bucket_plan(10, 10), 1);
    struct weir_ask ask = ask_for(&plan, 0, 25);
    ask.least_units = 5;

    const struct weir_answer answer = take(&ask, START_US);

    assert_int_equal(answer.granted_units, 10);
    assert_int_equal(answer.retry_us, START_US + 100 * MS_US);
}

/* B21: the retry time is the first microsecond at which the ask would be granted. */
static void b21_the_retry_time_is_exact(void **state)
{
    (void)state;
    static const struct {
        uint64_t rate_per_s, capacity;
        uint32_t spent, cost;
        uint64_t wait_us;
    } CASES[] = {
        {10, 10, 10, 3, 300 * MS_US}, {1, 10, 10, 1, SECOND_US},  {3, 10, 10, 1, 333334},
        {3, 10, 10, 2, 666667},       {7, 10, 9, 2, 142858},      {1000000, 10, 10, 1, 1},
        {1000, 10, 10, 10, 10000},    {2, 3, 3, 3, 1500 * MS_US},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct weir_plan plan = bucket_plan(CASES[i].rate_per_s, CASES[i].capacity);
        reset(NULL);
        struct weir_ask spend = ask_for(&plan, 0, CASES[i].spent);
        spend.flags = WEIR_ASK_SPEND;
        spend.flight_us = 0; /* spent there and then: nothing stays in flight */
        take(&spend, START_US);
        const struct weir_answer denied = take_units(&plan, 0, CASES[i].cost, START_US);
        assert_int_equal(denied.granted_units, 0);
        assert_int_equal(denied.retry_us, START_US + CASES[i].wait_us);
        assert_int_equal(take_units(&plan, 0, CASES[i].cost, denied.retry_us - 1).granted_units, 0);
        assert_int_equal(take_units(&plan, 0, CASES[i].cost, denied.retry_us).granted_units,
                         CASES[i].cost);
    }
}

/* B21: and takes into account that the bucket has no room for the refill while its grants are under
 * way. */
static void b21_the_retry_time_waits_for_what_is_in_flight(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 4);

    take_units(&plan, 0, 3, START_US + 100);
    for (uint32_t asked = 2; asked <= 4; asked++) {
        const struct weir_store_key before = store;
        const struct weir_answer denied = take_units(&plan, 0, asked, START_US + 200);
        assert_int_equal(denied.granted_units, 0);
        assert_int_equal(denied.retry_us,
                         START_US + 2 * WEIR_FLIGHT_US_MIN + (asked - 1) * 100 * MS_US);
        assert_int_equal(take_units(&plan, 0, asked, denied.retry_us).granted_units, asked);
        store = before;
    }
}

static void a_denial_says_whether_permits_are_out_elsewhere(void **state)
{
    (void)state;
    const struct weir_plan plan = fixed_plan(bucket_plan(1, 10), 10);
    struct weir_ask ask = ask_for(&plan, 0, 1);
    ask.want_units = 10;

    assert_int_equal(take(&ask, START_US).granted_units, 10);
    const struct weir_answer elsewhere = take_units(&plan, 1, 1, START_US);
    assert_int_equal(elsewhere.flags & WEIR_ANSWER_PARKED, WEIR_ANSWER_PARKED);
    assert_int_equal(elsewhere.outstanding_units, 10);
    struct weir_ask own = ask_for(&plan, 0, 10); /* all that is out is its own */
    own.held_units = 9;
    own.lease_end_us = START_US + 2 * MINUTE_US;
    const struct weir_answer at_home = take(&own, START_US + 2 * WEIR_FLIGHT_US_MIN);
    assert_int_equal(at_home.granted_units, 0);
    assert_int_equal(at_home.flags & WEIR_ANSWER_PARKED, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(a_key_never_seen_starts_full),
        TEST(a_key_can_be_started_with_less),
        TEST(d02_asks_no_process_would_send_change_nothing),
        TEST(b01_b03_a_denial_burns_nothing),
        TEST(b27_d11_a_repeated_ask_has_no_effect),
        TEST(d15_an_ask_is_named_by_process_incarnation_and_sequence),
        TEST(b12_polling_often_loses_no_tokens),
        TEST(a_full_bucket_keeps_no_fraction),
        TEST(a_bucket_asleep_for_centuries_is_full),
        TEST(b17_b18_b19_the_stores_clock_stepping_back_is_harmless),
        TEST(a_window_does_not_come_back_when_the_clock_steps_back),
        TEST(b23_b31_a_window_starts_again_at_its_boundary),
        TEST(window_boundaries_lie_in_the_keys_phase),
        TEST(an_unlimited_plan_grants_whatever_is_needed),
        TEST(b10_b21_what_is_never_refilled_is_never_worth_waiting_for),
        TEST(the_simple_sizers_refuse_what_is_beyond_the_remainder),
        TEST(b21_the_retry_time_is_exact),
        TEST(b21_the_retry_time_waits_for_what_is_in_flight),
        TEST(a_denial_says_whether_permits_are_out_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
