/* Sorting by time: into order, and equal times as they were, by insertion and by digits. */
#include "unit.h"

#include <stdbool.h>

#include "prng.h"
#include "time_sort.h"

#define COUNT_MAX 5000u

struct event {
    uint64_t time_ns;
    uint64_t number;
};

/* Times from..from + width, numbered as they come. */
static void sort_and_check(size_t count, uint64_t from, uint64_t width)
{
    static struct event events[COUNT_MAX];
    static bool seen[COUNT_MAX];
    struct sim_prng prng;

    sim_prng_init(&prng, 1 + count, "times", width);
    for (size_t i = 0; i < count; i++) {
        events[i] = (struct event){from + sim_prng_below(&prng, width), i};
        seen[i] = false;
    }

    sim_time_sort(events, count);

    for (size_t i = 0; i < count; i++) {
        assert_in_range(events[i].number, 0, count - 1);
        assert_false(seen[events[i].number]);
        seen[events[i].number] = true;
        assert_true(i == 0 || events[i - 1].time_ns < events[i].time_ns ||
                    (events[i - 1].time_ns == events[i].time_ns &&
                     events[i - 1].number < events[i].number));
    }
}

static void few_and_many_are_put_in_order_and_equal_ones_stay(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 1000, COUNT_MAX};
    static const uint64_t widths[] = {1, 2, 10, 255, 256, 257, 100000, UINT64_C(1) << 40};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (size_t j = 0; j < sizeof widths / sizeof widths[0]; j++) {
            sort_and_check(counts[i], 0, widths[j]);
            sort_and_check(counts[i], UINT64_C(86400000000000) - 3, widths[j]);
            sort_and_check(counts[i], UINT64_MAX - widths[j], widths[j]);
        }
    }
}

/* A digit in which none differs is skipped; the next is not. */
static void times_that_differ_in_their_highest_digit_alone(void **state)
{
    (void)state;
    struct event events[64];

    for (uint64_t i = 0; i < 64; i++) {
        events[i] = (struct event){(63 - i) << 58 | 7, i};
    }
    sim_time_sort(events, 64);

    for (uint64_t i = 0; i < 64; i++) {
        assert_int_equal(events[i].number, 63 - i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_and_many_are_put_in_order_and_equal_ones_stay),
        cmocka_unit_test(times_that_differ_in_their_highest_digit_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
