/* Counting what was decided without the store. */
#include "unit.h"

#include "degradation.h"

#define SECOND_NS UINT64_C(1000000000)

static void nothing_degraded_is_nothing(void **state)
{
    (void)state;
    struct sim_degradation degradation;

    sim_degradation_init(&degradation, 5 * SECOND_NS, 3);
    assert_int_equal(degradation.admitted + degradation.denied + degradation.units, 0);
    assert_true(degradation.first_ns == UINT64_MAX && degradation.last_ns == UINT64_MAX);
    assert_int_equal(sim_degradation_processes_max(&degradation), 0);
    assert_int_equal(sim_degradation_seconds(&degradation), 0);
    sim_degradation_deinit(&degradation);
}

/* More than 64 processes, the last of them too, and decisions out of order. */
static void processes_are_counted_by_second(void **state)
{
    (void)state;
    struct sim_degradation degradation;

    sim_degradation_init(&degradation, 5 * SECOND_NS / 2, 130);
    sim_degradation_admitted(&degradation, 129, 2 * SECOND_NS, 7);
    sim_degradation_admitted(&degradation, 64, 2 * SECOND_NS + 1, 5);
    sim_degradation_denied(&degradation, 64, 2 * SECOND_NS + 1);
    sim_degradation_denied(&degradation, 0, 2 * SECOND_NS + 2);
    sim_degradation_denied(&degradation, 1, SECOND_NS - 1);
    sim_degradation_denied(&degradation, 2, 3 * SECOND_NS); /* after the end: in no second */

    assert_int_equal(degradation.admitted, 2);
    assert_int_equal(degradation.denied, 4);
    assert_int_equal(degradation.units, 12);
    assert_int_equal(degradation.first_ns, SECOND_NS - 1);
    assert_int_equal(degradation.last_ns, 3 * SECOND_NS);
    assert_int_equal(degradation.second_count, 3);
    assert_int_equal(degradation.by_second[0], 1);
    assert_int_equal(degradation.by_second[1], 0);
    assert_int_equal(degradation.by_second[2], 4);
    assert_int_equal(sim_degradation_processes_max(&degradation), 3);
    assert_int_equal(sim_degradation_seconds(&degradation), 2);
    sim_degradation_deinit(&degradation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_degraded_is_nothing),
        cmocka_unit_test(processes_are_counted_by_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
