/* Windows and sliding windows in the store: what is counted in which window, and when there is room
 * again. Plain windows: test_take.c. */
#include "unit.h"

#include "core_support.h"
#include "store_step.h"
#include "weir/take.h"

static struct weir_store_key store;
static struct weir_plan plan;
static uint32_t last_sequence;

static int reset(void **state)
{
    (void)state;
    store = (struct weir_store_key){0};
    plan = sliding_plan(100, MINUTE_US);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 1;
    last_sequence = 0;
    return 0;
}

static struct weir_ask ask_for(uint32_t need)
{
    return (struct weir_ask){
        .key = PLAIN_KEY,
        .id = {.process = 1, .sequence = ++last_sequence},
        .plan = plan,
        .need_units = need,
        .least_units = need,
        .want_units = need,
        .largest_units = 1,
        .flight_us = WEIR_FLIGHT_US_MIN,
        .rate_share_period = UINT64_MAX,
    };
}

static struct weir_answer take(const struct weir_ask *ask, uint64_t now_us)
{
    return store_step(&store, ask, now_us);
}

static struct weir_answer take_units(uint32_t need, uint64_t now_us)
{
    const struct weir_ask ask = ask_for(need);

    return take(&ask, now_us);
}

static void the_window_before_weighs_on_this_one(void **state)
{
    (void)state;
    assert_int_equal(take_units(80, START_US + 50 * SECOND_US).granted_units, 80);

    assert_int_equal(take_units(21, START_US + MINUTE_US).granted_units, 0);
    assert_int_equal(take_units(20, START_US + MINUTE_US).granted_units, 20);
    assert_int_equal(take_units(1, START_US + MINUTE_US).granted_units, 0);
    /* a quarter of the window later a quarter of 80 has come back */
    assert_int_equal(take_units(20, START_US + MINUTE_US + 15 * SECOND_US).granted_units, 20);
    assert_int_equal(take_units(1, START_US + MINUTE_US + 15 * SECOND_US).granted_units, 0);
    assert_int_equal(take_units(60, START_US + 2 * MINUTE_US - 1).granted_units, 0);
    assert_int_equal(take_units(59, START_US + 2 * MINUTE_US - 1).granted_units, 59);
}

static void the_window_before_the_last_is_forgotten(void **state)
{
    (void)state;
    take_units(100, START_US);

    assert_int_equal(take_units(100, START_US + 2 * MINUTE_US).granted_units, 100);
}

static void the_retry_time_of_a_sliding_window_is_exact(void **state)
{
    (void)state;
    take_units(80, START_US);
    take_units(10, START_US + MINUTE_US);
    const struct weir_answer denied = take_units(25, START_US + MINUTE_US);
    assert_int_equal(denied.granted_units, 0);
    /* 80 (60 - e) / 60 + 10 + 25 <= 100: e >= 11.25 s */
    assert_int_equal(denied.retry_us, START_US + MINUTE_US + 11250 * MS_US);

    assert_int_equal(take_units(25, denied.retry_us - 1).granted_units, 0);
    assert_int_equal(take_units(25, denied.retry_us).granted_units, 25);
}

static void a_retry_time_may_lie_in_the_window_after(void **state)
{
    (void)state;
    take_units(90, START_US);
    const struct weir_answer denied = take_units(40, START_US + SECOND_US);
    /* 90 (60 - e) / 60 + 40 <= 100 in the next window: e >= 20 s */
    assert_int_equal(denied.retry_us, START_US + MINUTE_US + 20 * SECOND_US);

    assert_int_equal(take_units(40, denied.retry_us - 1).granted_units, 0);
    assert_int_equal(take_units(40, denied.retry_us).granted_units, 40);
}

/* A lease ends with its window; what it did not spend is known in the next, and weighs no more. */
static void unspent_permits_of_the_window_before_come_back(void **state)
{
    (void)state;
    struct weir_ask ask = ask_for(0);
    ask.want_units = 60;
    const struct weir_answer leased = take(&ask, START_US);
    assert_int_equal(leased.granted_units, 60);
    assert_int_equal(leased.lease_end_us, START_US + MINUTE_US);

    ask = ask_for(100);
    ask.lease_end_us = leased.lease_end_us;
    ask.spent_units = 15;
    ask.returned_units = 45;
    ask.expired_units = 5; /* of an older lease still */
    const struct weir_answer next = take(&ask, START_US + MINUTE_US);

    assert_int_equal(next.previous_units, 20);
    assert_int_equal(next.remaining_units, 80);
}

static void leases_are_out_until_their_window_ends(void **state)
{
    (void)state;
    struct weir_ask ask = ask_for(0);
    ask.want_units = 60;
    take(&ask, START_US);

    assert_int_equal(weir_store_key_out(&store), 60);
    weir_store_key_advance(&store, &PLAIN_KEY, &plan, START_US + MINUTE_US);
    assert_int_equal(weir_store_key_out(&store), 0);
}

/* One process of a property world: it is granted, spends now or later, gives back. */
struct holder {
    uint64_t lease_end_us;
    uint32_t held, leased, returned;
};

static void spend_and_check(uint64_t counts[2], uint64_t *window, uint64_t now_us, uint64_t units)
{
    const uint64_t index = now_us / MINUTE_US;

    if (index != *window) {
        counts[0] = index == *window + 1 ? counts[1] : 0;
        counts[1] = 0;
        *window = index;
    }
    counts[1] += units;
    /* the contract, without a division */
    assert_true(counts[0] * (MINUTE_US - now_us % MINUTE_US) + counts[1] * MINUTE_US <=
                plan.limit_units * MINUTE_US);
}

static void what_is_spent_never_breaks_the_contract_whatever_is_leased(void **state)
{
    (void)state;
    uint64_t spent = 0;

    for (unsigned seed = 1; seed <= 100; seed++) {
        struct dice dice = {seed};
        struct holder holders[3] = {0};
        uint64_t counts[2] = {0};
        uint64_t window = 0;
        uint64_t now_us = START_US;
        reset(NULL);
        for (unsigned step = 0; step < 1000; step++) {
            struct holder *holder = &holders[dice_below(&dice, 3)];
            now_us += dice_below(&dice, UINT64_C(1) << dice_below(&dice, 25));
            if (now_us >= holder->lease_end_us) {
                holder->returned += holder->held;
                holder->leased -= holder->held;
                holder->held = 0;
            }
            if (holder->held != 0 && dice_below(&dice, 2) == 0) {
                const uint32_t units = 1 + (uint32_t)dice_below(&dice, holder->held);
                spend_and_check(counts, &window, now_us, units);
                holder->held -= units;
                spent += units;
                continue;
            }
            struct weir_ask ask = ask_for(0);
            ask.want_units = (uint32_t)dice_below(&dice, 40);
            ask.lease_end_us = holder->lease_end_us;
            ask.held_units = holder->held;
            ask.spent_units = holder->leased - holder->held;
            ask.returned_units = holder->returned;
            const struct weir_answer answer = take(&ask, now_us);
            holder->held += answer.granted_units;
            holder->leased = holder->held;
            holder->returned = 0;
            holder->lease_end_us = answer.lease_end_us;
        }
    }
    assert_true(spent > 20000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(the_window_before_weighs_on_this_one),
        TEST(the_window_before_the_last_is_forgotten),
        TEST(the_retry_time_of_a_sliding_window_is_exact),
        TEST(a_retry_time_may_lie_in_the_window_after),
        TEST(unspent_permits_of_the_window_before_come_back),
        TEST(leases_are_out_until_their_window_ends),
        TEST(what_is_spent_never_breaks_the_contract_whatever_is_leased),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
