/* When a log's own entries end, as far as a process can tell: never too early, a slice too late at
 * most, and none twice. */
#include "spell.h"

#include "history.h"

/* of a minute: with what a clock may be fast */
#define SPAN_US (MINUTE_US + MINUTE_US / 4096 + 1)
#define SLICE_US ((SPAN_US + HISTORY_SLICES - 3) / (HISTORY_SLICES - 2))

static void log_of(uint64_t limit_units)
{
    with_plan(log_plan(limit_units, MINUTE_US), WEIR_DEGRADED_BOUNDED);
}

static uint64_t ended(uint64_t after_us)
{
    return history_ended_units(limiter, 0, at(after_us));
}

static void an_entry_ends_a_window_after_it_was_made(void **state)
{
    (void)state;

    for (uint64_t after_us = 0; after_us < 3 * SLICE_US; after_us += SLICE_US / 7) {
        log_of(1000);
        history_admitted(limiter, 0, at(after_us), 5);
        history_mark(limiter, 0, at(after_us));
        assert_int_equal(ended(after_us + MINUTE_US), 0);
        assert_int_equal(ended(after_us + SPAN_US + SLICE_US), 5);
        assert_int_equal(ended(after_us + 100 * MINUTE_US), 5);
    }
}

static void every_entry_ends_once(void **state)
{
    (void)state;
    log_of(1000);
    history_admitted(limiter, 0, at(0), 1);
    history_mark(limiter, 0, at(0));

    for (uint64_t second = 1; second < 200; second++) {
        history_admitted(limiter, 0, at(second * SECOND_US), 10);
        const uint64_t made = 1 + 10 * (second > 60 ? second - 60 : 0);
        assert_in_range(ended(second * SECOND_US), second > 61 ? made - 11 : 0,
                        second > 60 ? made : 0);
    }
    assert_int_equal(ended(300 * SECOND_US), 1 + 10 * 199);
}

static void what_may_have_ended_before_the_answer_is_not_counted(void **state)
{
    (void)state;
    log_of(1000);
    history_admitted(limiter, 0, at(0), 5);
    history_admitted(limiter, 0, at(5 * SECOND_US), 7);

    history_mark(limiter, 0, at(MINUTE_US + 1));

    assert_int_equal(ended(MINUTE_US + 3 * SECOND_US), 0);
    assert_int_equal(ended(MINUTE_US + 6 * SECOND_US), 7);
}

static void a_log_admits_in_place_of_what_ended(void **state)
{
    (void)state;
    log_of(1000);
    history_admitted(limiter, 0, at(0), 30);
    history_admitted(limiter, 0, at(10 * SECOND_US), 40);
    hot->spent_units = 70;
    answered(50, 20000, 100000); /* a share of 1/5 */

    assert_int_equal(admitted(0), 10);
    assert_int_equal(admitted(59 * SECOND_US), 0);
    assert_int_equal(admitted(62 * SECOND_US), 30 + 10);
    assert_int_equal(admitted(72 * SECOND_US), 40);
    assert_int_equal(admitted(124 * SECOND_US), 40);
    assert_int_equal(admitted(134 * SECOND_US), 40);
}

static void another_plan_or_key_has_no_past(void **state)
{
    (void)state;
    log_of(1000);
    history_admitted(limiter, 0, at(0), 30);
    struct weir_plan plan = log_plan(10, MINUTE_US);
    plan.version = 9;

    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_OK);
    assert_false(history_is_kept(limiter, 0));
    history_admitted(limiter, 0, at(0), 3);
    assert_true(history_is_kept(limiter, 0));
    table_remove(limiter, 0);
    (void)small_slot(limiter, 5);
    assert_false(history_is_kept(limiter, 0));
}

static void no_more_are_kept_than_there_is_room_for(void **state)
{
    (void)state;
    log_of(1000);
    for (uint32_t slot = 0; slot < 3; slot++) {
        slot == 0 ? (void)0 : (void)small_slot(limiter, slot);
        history_admitted(limiter, slot, at(0), 3);
    }

    assert_true(history_is_kept(limiter, 1));
    assert_false(history_is_kept(limiter, 2));
    table_remove(limiter, 1);
    history_admitted(limiter, 2, at(0), 3);
    assert_true(history_is_kept(limiter, 2));
}

static void other_plans_keep_none(void **state)
{
    (void)state;
    with_plan(sliding_plan(100, MINUTE_US), WEIR_DEGRADED_BOUNDED);

    history_admitted(limiter, 0, at(0), 3);

    assert_false(history_is_kept(limiter, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_ends_a_window_after_it_was_made),
        cmocka_unit_test(every_entry_ends_once),
        cmocka_unit_test(what_may_have_ended_before_the_answer_is_not_counted),
        cmocka_unit_test(a_log_admits_in_place_of_what_ended),
        cmocka_unit_test(another_plan_or_key_has_no_past),
        cmocka_unit_test(no_more_are_kept_than_there_is_room_for),
        cmocka_unit_test(other_plans_keep_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
