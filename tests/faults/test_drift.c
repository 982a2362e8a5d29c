/* What processes' clocks read, against sums made by hand. */
#include "faults_support.h"

#define START_NS UINT64_C(1000000000000000)
#define PIECES 64

struct clock {
    struct fault_clock_piece pieces[PIECES];
    size_t count;
};

static struct clock clock_of(const struct fault_case *faults, int32_t drift_ppb)
{
    const struct fault_clock_own own = {.start_ns = START_NS, .drift_ppb = drift_ppb};
    struct clock clock;

    clock.count = fault_clock(&faults->list, 0, &own, 1000 * SECOND_NS, clock.pieces, PIECES);
    assert_in_range(clock.count, 1, PIECES);
    assert_int_equal(clock.pieces[0].from_ns, 0);
    return clock;
}

static int64_t off_ns(const struct clock *clock, uint64_t time_ns)
{
    size_t i = clock->count - 1;

    while (clock->pieces[i].from_ns > time_ns) {
        i--;
    }
    return (int64_t)(fault_clock_read(&clock->pieces[i], time_ns) - START_NS - time_ns);
}

static void without_faults_a_clock_is_one_piece(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CRASH, 1, 2);
    fault_case_add(&faults, FAULT_CLOCK_OFFSET, 1, 2)->step_ns = 5;
    fault_case_target(&faults, 3); /* not this one */

    const struct clock clock = clock_of(&faults, -500000);
    assert_int_equal(clock.count, 1);
    assert_int_equal(clock.pieces[0].fault, UINT32_MAX);
    assert_int_equal(off_ns(&clock, 0), 0);
    assert_int_equal(off_ns(&clock, 100 * SECOND_NS), -50000000);
}

static void an_offset_is_a_step_there_and_back(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CLOCK_OFFSET, 10, 20)->step_ns = -172800 * (int64_t)SECOND_NS;

    const struct clock clock = clock_of(&faults, 1000);
    assert_int_equal(clock.count, 3);
    assert_int_equal(off_ns(&clock, 10 * SECOND_NS - 1), 9999);
    assert_int_equal(off_ns(&clock, 10 * SECOND_NS), 10000 - 172800 * (int64_t)SECOND_NS);
    assert_int_equal(off_ns(&clock, 19 * SECOND_NS), 19000 - 172800 * (int64_t)SECOND_NS);
    assert_int_equal(off_ns(&clock, 20 * SECOND_NS), 20000);
    assert_int_equal(clock.pieces[1].fault, 0);
}

static void what_a_drift_gained_stays(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CLOCK_DRIFT, 10, 20)->drift_ppb = 200000;

    const struct clock clock = clock_of(&faults, 0);
    assert_int_equal(off_ns(&clock, 10 * SECOND_NS), 0);
    assert_int_equal(off_ns(&clock, 15 * SECOND_NS), 1000000);
    assert_int_equal(off_ns(&clock, 20 * SECOND_NS), 2000000);
    assert_int_equal(off_ns(&clock, 900 * SECOND_NS), 2000000);
}

static void a_square_wave_steps_in_every_second_half(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    struct fault *square = fault_case_add(&faults, FAULT_CLOCK_SQUARE, 10, 31);
    square->step_ns = 11 * (int64_t)SECOND_NS;
    square->period_ns = 10 * SECOND_NS;

    const struct clock clock = clock_of(&faults, 0);
    assert_int_equal(clock.count, 7);
    for (uint64_t time_s = 0; time_s < 40; time_s++) {
        const bool on = (time_s >= 15 && time_s < 20) || (time_s >= 25 && time_s < 30);
        assert_int_equal(off_ns(&clock, time_s * SECOND_NS), on ? square->step_ns : 0);
    }
}

static void a_frozen_clock_stands_still_and_jumps_to_where_it_would_be(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CLOCK_FROZEN, 10, 20);
    fault_case_add(&faults, FAULT_CLOCK_FROZEN, 15, 25); /* frozen at 10 s all the same */
    fault_case_add(&faults, FAULT_CLOCK_OFFSET, 12, 30)->step_ns = 7;

    const struct clock clock = clock_of(&faults, 0);
    assert_int_equal(off_ns(&clock, 10 * SECOND_NS), 0);
    assert_int_equal(off_ns(&clock, 13 * SECOND_NS), -3 * (int64_t)SECOND_NS);
    assert_int_equal(off_ns(&clock, 25 * SECOND_NS - 1), -15 * (int64_t)SECOND_NS + 1);
    assert_int_equal(off_ns(&clock, 25 * SECOND_NS), 7);
    assert_int_equal(off_ns(&clock, 30 * SECOND_NS), 0);
}

static void a_smear_gains_evenly_and_exactly(void **state)
{
    (void)state;
    static const int64_t steps_ns[] = {1000000000, -1000000000, 7, -7};

    for (size_t i = 0; i < sizeof steps_ns / sizeof steps_ns[0]; i++) {
        struct fault_case faults = {0};
        fault_case_add(&faults, FAULT_CLOCK_SMEAR, 100, 800)->step_ns = steps_ns[i];
        const struct clock clock = clock_of(&faults, 0);
        const int64_t half_ns = off_ns(&clock, 450 * SECOND_NS);
        assert_true(half_ns - steps_ns[i] / 2 < 1000 && half_ns - steps_ns[i] / 2 > -1000);
        assert_int_equal(off_ns(&clock, 100 * SECOND_NS), 0);
        assert_int_equal(off_ns(&clock, 800 * SECOND_NS), steps_ns[i]);
        assert_int_equal(off_ns(&clock, 999 * SECOND_NS), steps_ns[i]);
    }
}

static void faults_of_a_clock_add_up(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CLOCK_OFFSET, 0, 20)->step_ns = 1000;
    fault_case_add(&faults, FAULT_CLOCK_DRIFT, 10, 30)->drift_ppb = 100;
    fault_case_add(&faults, FAULT_CLOCK_DRIFT, 20, 40)->drift_ppb = 10;

    const struct clock clock = clock_of(&faults, 1);
    assert_int_equal(clock.pieces[0].fault, 0);
    assert_int_equal(off_ns(&clock, 0), 1000);
    assert_int_equal(off_ns(&clock, 19 * SECOND_NS), 1000 + 19 + 900);
    assert_int_equal(off_ns(&clock, 20 * SECOND_NS), 20 + 1000);
    assert_int_equal(off_ns(&clock, 30 * SECOND_NS), 30 + 2000 + 100);
    assert_int_equal(off_ns(&clock, 50 * SECOND_NS), 50 + 2000 + 200);
}

static void no_clock_reads_less_than_0_and_pieces_end_with_the_run(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    struct fault *square = fault_case_add(&faults, FAULT_CLOCK_SQUARE, 0, UINT64_MAX);
    square->step_ns = INT64_MIN / 2;
    square->period_ns = 100 * SECOND_NS;

    const struct clock clock = clock_of(&faults, 0);
    assert_int_equal(clock.count, 20);
    assert_int_equal(fault_clock_read(&clock.pieces[1], 51 * SECOND_NS), SECOND_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_a_clock_is_one_piece),
        cmocka_unit_test(an_offset_is_a_step_there_and_back),
        cmocka_unit_test(what_a_drift_gained_stays),
        cmocka_unit_test(a_square_wave_steps_in_every_second_half),
        cmocka_unit_test(a_frozen_clock_stands_still_and_jumps_to_where_it_would_be),
        cmocka_unit_test(a_smear_gains_evenly_and_exactly),
        cmocka_unit_test(faults_of_a_clock_add_up),
        cmocka_unit_test(no_clock_reads_less_than_0_and_pieces_end_with_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
