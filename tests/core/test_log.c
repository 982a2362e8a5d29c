/* The log: one entry per request, for exactly a window's length (and the flight). */
#include "unit.h"

#include <stdbool.h>

#include "core_support.h"
#include "store_step.h"
#include "weir/take.h"

#define LOG_ENTRIES 64

static struct weir_log_entry entries[LOG_ENTRIES];
static struct weir_store_key store;
static struct weir_plan plan;
static uint32_t last_sequence;

static int reset(void **state)
{
    (void)state;
    plan = log_plan(10, MINUTE_US);
    store = (struct weir_store_key){0};
    assert_null(weir_store_key_set_log(&store, entries, 11));
    last_sequence = 0;
    return 0;
}

static struct weir_ask spend_of(uint32_t units)
{
    return (struct weir_ask){
        .key = PLAIN_KEY,
        .id = {.process = 1, .sequence = ++last_sequence},
        .plan = plan,
        .flags = WEIR_ASK_SPEND,
        .need_units = units,
        .least_units = units,
        .want_units = units,
        .largest_units = units,
        .rate_share_period = UINT64_MAX,
    };
}

static struct weir_answer take(const struct weir_ask *ask, uint64_t now_us)
{
    return store_step(&store, ask, now_us);
}

static struct weir_answer spend(uint32_t units, uint64_t now_us)
{
    const struct weir_ask ask = spend_of(units);

    return take(&ask, now_us);
}

static void a_request_counts_for_exactly_one_window(void **state)
{
    (void)state;
    assert_int_equal(spend(4, START_US).granted_units, 4);
    assert_int_equal(spend(6, START_US + 1).granted_units, 6);

    assert_int_equal(spend(1, START_US + MINUTE_US - 1).granted_units, 0);
    assert_int_equal(spend(5, START_US + MINUTE_US).granted_units, 0);
    assert_int_equal(spend(4, START_US + MINUTE_US).granted_units, 4);
    assert_int_equal(spend(6, START_US + MINUTE_US + 1).granted_units, 6);
}

static void the_retry_time_is_when_enough_entries_have_left(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        spend(2, START_US + i * SECOND_US);
    }
    static const struct {
        uint32_t cost;
        uint64_t leaves_us;
    } CASES[] = {{1, 0}, {2, 0}, {3, SECOND_US}, {9, 4 * SECOND_US}, {10, 4 * SECOND_US}};

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct weir_answer denied = spend(CASES[i].cost, START_US + 5 * SECOND_US);
        assert_int_equal(denied.granted_units, 0);
        assert_int_equal(denied.retry_us, START_US + MINUTE_US + CASES[i].leaves_us);
    }
    assert_int_equal(spend(11, START_US + 5 * SECOND_US).retry_us, UINT64_MAX);
    assert_int_equal(spend(3, START_US + MINUTE_US + SECOND_US - 1).granted_units, 0);
    assert_int_equal(spend(3, START_US + MINUTE_US + SECOND_US).granted_units, 3);
}

/* Decided up to flight_us after the store step, it counts that much longer. */
static void the_time_an_answer_may_take_is_added(void **state)
{
    (void)state;
    struct weir_ask ask = spend_of(10);
    ask.flight_us = 4 * WEIR_FLIGHT_US_MIN;
    take(&ask, START_US);

    const struct weir_answer denied = spend(1, START_US + MINUTE_US);
    assert_int_equal(denied.granted_units, 0);
    assert_int_equal(denied.retry_us, START_US + MINUTE_US + 4 * WEIR_FLIGHT_US_MIN);
    assert_int_equal(spend(10, denied.retry_us).granted_units, 10);
}

static void a_log_without_enough_memory_is_refused(void **state)
{
    (void)state;
    store = (struct weir_store_key){0};
    assert_null(weir_store_key_set_log(&store, entries, 10));
    const struct weir_store_key before = store;
    const struct weir_ask ask = spend_of(1);
    struct weir_ask_record record = {0};
    struct weir_answer answer;

    assert_int_equal(weir_store_log_capacity(&plan), 11);
    assert_int_equal(weir_take(&store, &record, &ask, START_US, &the_run, &answer),
                     WEIR_ERR_MEMORY_SIZE);
    assert_memory_equal(&store, &before, sizeof before);
    assert_int_equal(answer.store_us, 0);
}

static void a_log_moves_to_larger_memory(void **state)
{
    (void)state;
    static struct weir_log_entry larger[LOG_ENTRIES];
    for (uint32_t i = 0; i < 15; i++) { /* the ring has turned */
        spend(1, START_US + i * 8 * SECOND_US);
    }

    assert_ptr_equal(weir_store_key_set_log(&store, larger, LOG_ENTRIES), entries);

    assert_int_equal(weir_store_key_remaining(&store), 10 - 8);
    assert_int_equal(spend(4, START_US + 14 * 8 * SECOND_US).retry_us,
                     START_US + MINUTE_US + 8 * 8 * SECOND_US);
}

/* Against the definition, by looking at all admissions. */
static void any_window_admits_at_most_the_limit_and_no_less_than_it_could(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        uint64_t times_us[400];
        uint32_t units[400];
        uint32_t count = 0;
        uint64_t now_us = START_US;
        reset(NULL);
        for (unsigned step = 0; step < 400; step++) {
            const uint32_t cost = 1 + (uint32_t)dice_below(&dice, 4);
            uint64_t sum = 0;
            now_us += dice_below(&dice, 2) * dice_below(&dice, 12 * SECOND_US);
            for (uint32_t i = 0; i < count; i++) {
                sum += times_us[i] + MINUTE_US > now_us ? units[i] : 0;
            }
            const bool admitted = spend(cost, now_us).granted_units == cost;
            assert_int_equal(admitted, sum + cost <= plan.limit_units);
            if (admitted) {
                times_us[count] = now_us;
                units[count++] = cost;
            }
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(a_request_counts_for_exactly_one_window),
        TEST(the_retry_time_is_when_enough_entries_have_left),
        TEST(the_time_an_answer_may_take_is_added),
        TEST(a_log_without_enough_memory_is_refused),
        TEST(a_log_moves_to_larger_memory),
        TEST(any_window_admits_at_most_the_limit_and_no_less_than_it_could),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
