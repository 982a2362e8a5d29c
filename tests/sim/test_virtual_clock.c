/* A process's clock: reading it, and when it will read a given time, are inverse. */
#include "unit.h"

#include <stdint.h>

#include "virtual_clock.h"

#define DAY_NS UINT64_C(86400000000000)
#define START_NS UINT64_C(1000000000000000)

/* 100,000 ppm is the most a scenario may name. */
static const int64_t drifts_ppb[] = {0,      1,       -1,        200000,    -200000,
                                     500000, -500000, 100000000, -100000000};

enum {
    DRIFT_COUNT = sizeof drifts_ppb / sizeof drifts_ppb[0],
};

static void an_even_clock_reads_true_time_and_its_offset(void **state)
{
    (void)state;
    const struct sim_virtual_clock clock = {.start_ns = START_NS};

    assert_int_equal(sim_virtual_clock_read(&clock, 0), START_NS);
    assert_int_equal(sim_virtual_clock_read(&clock, DAY_NS), START_NS + DAY_NS);
    assert_int_equal(sim_virtual_clock_when(&clock, START_NS + DAY_NS), DAY_NS);
}

static void a_drift_is_an_exact_part_of_true_time(void **state)
{
    (void)state;
    const struct sim_virtual_clock fast = {.start_ns = 7, .drift_ppb = 500000};
    const struct sim_virtual_clock slow = {.start_ns = 7, .drift_ppb = -500000};

    assert_int_equal(sim_virtual_clock_read(&fast, 1999), 7 + 1999);
    assert_int_equal(sim_virtual_clock_read(&fast, 2000), 7 + 2001);
    assert_int_equal(sim_virtual_clock_read(&slow, 1999), 7 + 1999);
    assert_int_equal(sim_virtual_clock_read(&slow, 2000), 7 + 1999);
    assert_int_equal(sim_virtual_clock_read(&fast, DAY_NS), 7 + DAY_NS + 43200000000);
    assert_int_equal(sim_virtual_clock_read(&slow, DAY_NS), 7 + DAY_NS - 43200000000);
}

/* The first true time from `begin_ns` on at which the clock reads local_ns, by looking at all. */
static uint64_t first_by_looking(const struct sim_virtual_clock *clock, uint64_t begin_ns,
                                 uint64_t local_ns)
{
    uint64_t true_ns = begin_ns;

    while (sim_virtual_clock_read(clock, true_ns) < local_ns) {
        true_ns++;
    }
    return true_ns;
}

static void when_is_the_first_time_that_reads_it_from_the_start_on(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DRIFT_COUNT; i++) {
        const struct sim_virtual_clock clock = {.start_ns = 20, .drift_ppb = drifts_ppb[i]};

        for (uint64_t local_ns = 0; local_ns < 700; local_ns++) {
            assert_int_equal(sim_virtual_clock_when(&clock, local_ns),
                             first_by_looking(&clock, 0, local_ns));
        }
    }
}

static void when_is_the_first_time_that_reads_it_after_a_day(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DRIFT_COUNT; i++) {
        const struct sim_virtual_clock clock = {.start_ns = START_NS, .drift_ppb = drifts_ppb[i]};
        const uint64_t begin_ns = DAY_NS - 1000;
        const uint64_t local_ns = sim_virtual_clock_read(&clock, begin_ns);

        for (uint64_t later_ns = 1; later_ns < 90; later_ns++) {
            assert_int_equal(sim_virtual_clock_when(&clock, local_ns + later_ns),
                             first_by_looking(&clock, begin_ns, local_ns + later_ns));
        }
    }
}

static void a_clock_never_goes_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DRIFT_COUNT; i++) {
        const struct sim_virtual_clock clock = {.start_ns = START_NS, .drift_ppb = drifts_ppb[i]};

        for (uint64_t true_ns = UINT64_C(999999500); true_ns < UINT64_C(1000000500); true_ns++) {
            assert_true(sim_virtual_clock_read(&clock, true_ns + 1) >=
                        sim_virtual_clock_read(&clock, true_ns));
        }
    }
}

static void what_it_read_before_the_run_is_at_its_beginning(void **state)
{
    (void)state;
    const struct sim_virtual_clock clock = {.start_ns = START_NS, .drift_ppb = -200000};

    assert_int_equal(sim_virtual_clock_when(&clock, 0), 0);
    assert_int_equal(sim_virtual_clock_when(&clock, START_NS), 0);
}

static void never_stays_never(void **state)
{
    (void)state;
    const struct sim_virtual_clock clock = {.start_ns = START_NS, .drift_ppb = 200000};

    assert_true(sim_virtual_clock_when(&clock, UINT64_MAX) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_even_clock_reads_true_time_and_its_offset),
        cmocka_unit_test(a_drift_is_an_exact_part_of_true_time),
        cmocka_unit_test(when_is_the_first_time_that_reads_it_from_the_start_on),
        cmocka_unit_test(when_is_the_first_time_that_reads_it_after_a_day),
        cmocka_unit_test(a_clock_never_goes_back),
        cmocka_unit_test(what_it_read_before_the_run_is_at_its_beginning),
        cmocka_unit_test(never_stays_never),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
