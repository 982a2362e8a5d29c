/* The sliding window's arithmetic against the definition. */
#include "unit.h"

#include <stdbool.h>

#include "core_support.h"
#include "sliding.h"

static void the_window_before_counts_by_what_is_still_covered(void **state)
{
    (void)state;
    static const struct {
        uint64_t previous, elapsed_us, weighted;
    } CASES[] = {
        {60, 0, 60},        {60, MINUTE_US / 2, 30},    {60, MINUTE_US / 2 - 1, 31},
        {60, MINUTE_US, 0}, {60, MINUTE_US - 1, 1},     {0, 17, 0},
        {1, 1, 1},          {100000, SECOND_US, 98334},
    };
    const struct weir_plan plan = sliding_plan(100000, MINUTE_US);

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_int_equal(sliding_weighted_units(&plan, CASES[i].previous, CASES[i].elapsed_us),
                         CASES[i].weighted);
    }
}

static bool fits(const struct weir_plan *plan, uint64_t previous, uint64_t current, uint64_t need,
                 uint64_t after_us)
{
    const uint64_t window_us = plan->window_us;

    if (after_us < window_us) {
        return sliding_weighted_units(plan, previous, after_us) + current + need <=
               plan->limit_units;
    }
    if (after_us < 2 * window_us) {
        return sliding_weighted_units(plan, current, after_us - window_us) + need <=
               plan->limit_units;
    }
    return need <= plan->limit_units;
}

/* By trying every microsecond of two windows, for all counts of a small limit. */
static void ready_is_the_first_microsecond_at_which_it_fits(void **state)
{
    (void)state;
    const struct weir_plan plan = sliding_plan(7, 1000);
    unsigned waits = 0;

    for (uint64_t previous = 0; previous <= 9; previous++) {
        for (uint64_t current = 0; current <= 9; current++) {
            for (uint64_t need = 1; need <= 7; need++) {
                const uint64_t ready_us = sliding_ready_us(&plan, previous, current, need);
                assert_true(fits(&plan, previous, current, need, ready_us));
                for (uint64_t after_us = 0; after_us < ready_us; after_us++) {
                    assert_false(fits(&plan, previous, current, need, after_us));
                }
                waits += ready_us != 0;
            }
        }
    }
    assert_true(waits > 100);
}

static void more_than_the_limit_never_fits(void **state)
{
    (void)state;
    const struct weir_plan plan = sliding_plan(7, 1000);

    assert_int_equal(sliding_ready_us(&plan, 0, 0, 8), UINT64_MAX);
}

static void the_largest_exact_plan_does_not_overflow(void **state)
{
    (void)state;
    const uint64_t limit = (WEIR_EXACT_MAX - 1) / MINUTE_US;
    const struct weir_plan plan = sliding_plan(limit, MINUTE_US);

    assert_int_equal(sliding_weighted_units(&plan, limit, 0), limit);
    assert_int_equal(sliding_weighted_units(&plan, limit, MINUTE_US - 1), limit / MINUTE_US + 1);
    assert_int_equal(sliding_ready_us(&plan, limit, limit, limit), 2 * MINUTE_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_before_counts_by_what_is_still_covered),
        cmocka_unit_test(ready_is_the_first_microsecond_at_which_it_fits),
        cmocka_unit_test(more_than_the_limit_never_fits),
        cmocka_unit_test(the_largest_exact_plan_does_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
