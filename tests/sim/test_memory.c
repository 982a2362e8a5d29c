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

static void what_grows_keeps_what_it_holds(void **state)
{
    (void)state;
    uint32_t *numbers = NULL;
    size_t capacity = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        numbers = sim_memory_grow(numbers, i, &capacity, sizeof *numbers);
        assert_true(i < capacity);
        numbers[i] = i;
    }
    assert_true(capacity < 2 * 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(numbers[i], i);
    }
    free(numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed),
        cmocka_unit_test(no_objects_are_not_out_of_memory),
        cmocka_unit_test(what_grows_keeps_what_it_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
