/* Assertions ship, whatever the build, and can be provoked on the archive that ships. */
#include "unit.h"

#include "weir/assert.h"
#include "weir/key.h"

static unsigned evaluated_count;

static int evaluate(int value)
{
    evaluated_count++;
    return value;
}

static void a_true_condition_is_evaluated_once_and_goes_on(void **state)
{
    (void)state;
    evaluated_count = 0;

    WEIR_ASSERT(evaluate(1));
    WEIR_ASSERT(evaluate(-1));

    assert_int_equal(evaluated_count, 2);
}

static void a_false_condition_is_evaluated_once_and_stops(void **state)
{
    (void)state;
    evaluated_count = 0;

    expect_assert_failure(WEIR_ASSERT(evaluate(0)));

    assert_int_equal(evaluated_count, 1);
}

static void an_assertion_is_one_expression_of_a_branch(void **state)
{
    (void)state;
    unsigned branch = 0;

    if (evaluate(0))
        WEIR_ASSERT(0);
    else
        branch = 2;

    assert_int_equal(branch, 2);
}

static void the_archive_asserts_through_the_hook_of_the_program(void **state)
{
    (void)state;
    const struct weir_key key = {0};

    expect_assert_failure(weir_key_phase_us(&key, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_condition_is_evaluated_once_and_goes_on),
        cmocka_unit_test(a_false_condition_is_evaluated_once_and_stops),
        cmocka_unit_test(an_assertion_is_one_expression_of_a_branch),
        cmocka_unit_test(the_archive_asserts_through_the_hook_of_the_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
