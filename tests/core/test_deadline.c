/* Slots by the time they want attention: the heap always has the earliest first. */
#include "small_limiter.h"

static struct weir_limiter *limiter_with(uint32_t slots)
{
    const struct weir_plan plan = bucket_plan(10, 100);
    struct weir_limiter *limiter = small_limiter(&plan);

    for (uint32_t i = 0; i < slots; i++) {
        small_slot(limiter, i);
    }
    return limiter;
}

static void nothing_is_due_when_nothing_was_set(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with(2);

    assert_int_equal(weir_limiter_next_deadline_ns(limiter), UINT64_MAX);
    deadline_set(limiter, 0, NEVER);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), UINT64_MAX);
}

static void the_earliest_comes_first(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with(3);

    deadline_set(limiter, 0, 30);
    deadline_set(limiter, 1, 10);
    deadline_set(limiter, 2, 20);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), 10);
    deadline_set(limiter, 1, 40);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), 20);
    deadline_set(limiter, 0, 5);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), 5);
    deadline_set(limiter, 0, NEVER);
    deadline_set(limiter, 2, NEVER);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), 40);
    deadline_set(limiter, 1, NEVER);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), UINT64_MAX);
}

static void ties_are_broken_by_slot(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with(4);

    for (uint32_t i = 4; i-- > 0;) {
        deadline_set(limiter, i, 10);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(limiter->heap[0], i);
        deadline_set(limiter, i, NEVER);
    }
}

/* Property: against the minimum of an array, through random changes. */
static void the_heap_agrees_with_an_array(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with(SMALL_KEYS);
    struct dice dice = {1};
    uint64_t deadlines[SMALL_KEYS];

    for (unsigned i = 0; i < SMALL_KEYS; i++) {
        deadlines[i] = NEVER;
    }
    for (unsigned step = 0; step < 50000; step++) {
        const uint32_t slot = (uint32_t)dice_below(&dice, SMALL_KEYS);
        deadlines[slot] = dice_below(&dice, 4) == 0 ? NEVER : dice_below(&dice, 300);
        deadline_set(limiter, slot, deadlines[slot]);
        uint32_t count = 0;
        uint64_t earliest = NEVER;
        for (unsigned i = 0; i < SMALL_KEYS; i++) {
            earliest = deadlines[i] < earliest ? deadlines[i] : earliest;
            count += deadlines[i] != NEVER ? 1 : 0;
        }
        assert_int_equal(weir_limiter_next_deadline_ns(limiter), earliest);
        assert_int_equal(limiter->heap_size, count);
    }
    for (uint32_t i = 0; i < limiter->heap_size; i++) {
        assert_int_equal(limiter->cold[limiter->heap[i]].deadline_place, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_due_when_nothing_was_set),
        cmocka_unit_test(the_earliest_comes_first),
        cmocka_unit_test(ties_are_broken_by_slot),
        cmocka_unit_test(the_heap_agrees_with_an_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
