/* Which entries one run has and another has not. */
#include "unit.h"

#include "journal.h"

static void begin(struct sim_journal *journal)
{
    sim_journal_init(journal);
    journal->from_ns = 100;
}

static uint64_t missing(struct sim_journal *journal, struct sim_journal *other)
{
    sim_journal_finish(journal);
    sim_journal_finish(other);
    return sim_journal_missing_count(journal, other, 100, 1000);
}

static void equal_runs_in_another_order_have_no_difference(void **state)
{
    (void)state;
    struct sim_journal one;
    struct sim_journal other;

    begin(&one);
    begin(&other);
    for (uint32_t i = 0; i < 10000; i++) {
        const uint32_t back = 9999 - i;
        sim_journal_decision(&one, 100 + i % 800, i % 7, 1, i % 2, 0);
        sim_journal_decision(&other, 100 + back % 800, back % 7, 1, back % 2, 0);
    }
    assert_int_equal(one.count, 10000);
    assert_int_equal(missing(&one, &other), 0);
    sim_journal_deinit(&one);
    sim_journal_deinit(&other);
}

/* Every field matters, and an answer is no decision. */
static void what_differs_in_anything_is_missing(void **state)
{
    (void)state;
    struct sim_journal one;
    struct sim_journal other;

    begin(&one);
    begin(&other);
    sim_journal_decision(&one, 200, 3, 5, 1, 2);
    sim_journal_answer(&one, 200, 3, 5, 1);
    sim_journal_decision(&other, 201, 3, 5, 1, 2);
    sim_journal_decision(&other, 200, 4, 5, 1, 2);
    sim_journal_decision(&other, 200, 3, 6, 1, 2);
    sim_journal_decision(&other, 200, 3, 5, 0, 2);
    sim_journal_decision(&other, 200, 3, 5, 1, 1);
    sim_journal_answer(&other, 201, 3, 5, 1);
    sim_journal_answer(&other, 200, 4, 5, 1);
    sim_journal_answer(&other, 200, 3, 6, 1);
    sim_journal_answer(&other, 200, 3, 5, 2);
    assert_int_equal(missing(&one, &other), 2);
    assert_int_equal(sim_journal_missing_count(&other, &one, 100, 1000), 9);
    sim_journal_deinit(&one);
    sim_journal_deinit(&other);
}

static void the_same_twice_is_more_than_once(void **state)
{
    (void)state;
    struct sim_journal one;
    struct sim_journal other;

    begin(&one);
    begin(&other);
    for (int i = 0; i < 3; i++) {
        sim_journal_decision(&one, 200, 3, 5, 1, 2);
    }
    sim_journal_decision(&other, 200, 3, 5, 1, 2);
    assert_int_equal(missing(&one, &other), 2);
    assert_int_equal(sim_journal_missing_count(&other, &one, 100, 1000), 0);
    sim_journal_deinit(&one);
    sim_journal_deinit(&other);
}

static void only_what_falls_into_the_time_counts(void **state)
{
    (void)state;
    struct sim_journal one;
    struct sim_journal other;

    begin(&one);
    begin(&other);
    for (uint64_t time_ns = 0; time_ns < 300; time_ns++) {
        sim_journal_answer(&one, time_ns, 0, 0, 1);
    }
    assert_int_equal(one.count, 200); /* from 100 on */
    assert_int_equal(missing(&one, &other), 200);
    assert_int_equal(sim_journal_missing_count(&one, &other, 150, 170), 20);
    assert_int_equal(sim_journal_missing_count(&one, &other, 290, 310), 10);
    sim_journal_deinit(&one);
    sim_journal_deinit(&other);
}

static void a_journal_that_was_not_asked_for_keeps_nothing(void **state)
{
    (void)state;
    struct sim_journal journal;

    sim_journal_init(&journal);
    sim_journal_decision(&journal, 5, 0, 1, 0, 0);
    assert_int_equal(journal.count, 0);
    sim_journal_finish(&journal);
    sim_journal_deinit(&journal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_in_another_order_have_no_difference),
        cmocka_unit_test(what_differs_in_anything_is_missing),
        cmocka_unit_test(the_same_twice_is_more_than_once),
        cmocka_unit_test(only_what_falls_into_the_time_counts),
        cmocka_unit_test(a_journal_that_was_not_asked_for_keeps_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
