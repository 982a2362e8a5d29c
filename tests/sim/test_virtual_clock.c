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
    assert_int_equal(sim_virtual_clock_when(&clock, 0, START_NS + DAY_NS), DAY_NS);
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
            assert_int_equal(sim_virtual_clock_when(&clock, 0, local_ns),
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
            assert_int_equal(sim_virtual_clock_when(&clock, 0, local_ns + later_ns),
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

    assert_int_equal(sim_virtual_clock_when(&clock, 0, 0), 0);
    assert_int_equal(sim_virtual_clock_when(&clock, 0, START_NS), 0);
}

static void never_stays_never(void **state)
{
    (void)state;
    const struct sim_virtual_clock clock = {.start_ns = START_NS, .drift_ppb = 200000};

    assert_true(sim_virtual_clock_when(&clock, 0, UINT64_MAX) == UINT64_MAX);
}

/* 40 ns less in [100, 150), frozen in [200, 260), half as fast again in [300, 900). */
static void faulty_clock(struct sim_virtual_clock *clock)
{
    static struct fault faults[] = {
        {.kind = FAULT_CLOCK_OFFSET, .from_ns = 100, .until_ns = 150, .step_ns = -40},
        {.kind = FAULT_CLOCK_FROZEN, .from_ns = 200, .until_ns = 260},
        {.kind = FAULT_CLOCK_DRIFT, .from_ns = 300, .until_ns = 900, .drift_ppb = 500000000},
    };
    for (size_t i = 0; i < 3; i++) {
        faults[i].processes.count = 1;
    }
    const struct fault_list list = {.faults = faults, .count = 3};

    *clock = (struct sim_virtual_clock){.start_ns = 1000};
    sim_virtual_clock_add_faults(clock, &list, 0, DAY_NS);
}

static void a_faulty_clock_reads_what_its_faults_make_of_it(void **state)
{
    (void)state;
    struct sim_virtual_clock clock;

    faulty_clock(&clock);
    assert_int_equal(sim_virtual_clock_read(&clock, 99), 1099);
    assert_int_equal(sim_virtual_clock_read(&clock, 100), 1060);
    assert_int_equal(sim_virtual_clock_read(&clock, 150), 1150);
    assert_int_equal(sim_virtual_clock_read(&clock, 259), 1200);
    assert_int_equal(sim_virtual_clock_read(&clock, 260), 1260);
    assert_int_equal(sim_virtual_clock_read(&clock, 400), 1450);
    assert_int_equal(sim_virtual_clock_read(&clock, 1000), 2300);
    sim_virtual_clock_deinit(&clock);
}

static void when_is_the_first_time_from_now_on_whatever_the_clock_did(void **state)
{
    (void)state;
    struct sim_virtual_clock clock;

    faulty_clock(&clock);
    for (uint64_t now_ns = 0; now_ns < 1000; now_ns += 7) {
        for (uint64_t local_ns = 900; local_ns < 2600; local_ns++) {
            assert_int_equal(sim_virtual_clock_when(&clock, now_ns, local_ns),
                             first_by_looking(&clock, now_ns, local_ns));
        }
    }
    sim_virtual_clock_deinit(&clock);
}

static void a_clock_that_stops_for_ever_never_reads_more(void **state)
{
    (void)state;
    static struct fault fault = {.kind = FAULT_CLOCK_FROZEN,
                                 .from_ns = 100,
                                 .until_ns = UINT64_MAX,
                                 .processes = {.count = 2}};
    const struct fault_list list = {.faults = &fault, .count = 1};
    struct sim_virtual_clock clock = {.start_ns = 1000};

    sim_virtual_clock_add_faults(&clock, &list, 2, DAY_NS);
    assert_null(clock.pieces); /* not one of the fault's targets */
    sim_virtual_clock_add_faults(&clock, &list, 1, DAY_NS);
    assert_int_equal(sim_virtual_clock_when(&clock, 0, 1100), 100);
    assert_true(sim_virtual_clock_when(&clock, 0, 1101) == UINT64_MAX);
    sim_virtual_clock_deinit(&clock);
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
        cmocka_unit_test(a_faulty_clock_reads_what_its_faults_make_of_it),
        cmocka_unit_test(when_is_the_first_time_from_now_on_whatever_the_clock_did),
        cmocka_unit_test(a_clock_that_stops_for_ever_never_reads_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
