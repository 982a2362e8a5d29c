#include "unit.h"

#include <stdlib.h>

#include "memory.h"

static void memory_is_zeroed(void **state)
{
    (void)state;
    uint64_t *numbers = sim_memory_new(1000, sizeof *numbers);

    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(numbers[i], 0);
    }
    free(numbers);
}

static void no_objects_are_not_out_of_memory(void **state)
{
    (void)state;
    void *nothing = sim_memory_new(0, 8);

    assert_non_null(nothing);
    free(nothing);
}

static void growing_keeps_what_is_there(void **state)
{
    (void)state;
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    size_t moves = 0;

    for (uint32_t i = 0; i < 100000; i++) {
        const size_t before = capacity;
        numbers = sim_memory_grow(numbers, i, &capacity, sizeof *numbers);
        moves += capacity != before;
        assert_true(i < capacity);
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_equal(numbers[i], i);
    }
    assert_in_range(moves, 2, 17);
    free(numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed),
        cmocka_unit_test(growing_keeps_what_is_there),
        cmocka_unit_test(no_objects_are_not_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
