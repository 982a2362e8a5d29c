/* Runs with the sets they have. */
#include "unit.h"

#include "run_list.h"

static void each_run_has_its_sets_and_its_seed(void **state)
{
    (void)state;
    static const char *const own[] = {"a=1", "b=2"};
    static const char *const more[] = {"c=3"};
    const struct study_run run = {
        .scenario = "x.json", .sets = own, .set_count = 2, .kernel = SIM_KERNEL_HEAP};
    const uint64_t seed = UINT64_C(9223372036854775807);
    struct study_run_list list = {0};

    study_run_list_add(&list, &run, more, 1, &seed);
    study_run_list_add(&list, &run, NULL, 0, NULL);

    assert_int_equal(list.count, 2);
    assert_string_equal(list.runs[0].scenario, "x.json");
    assert_int_equal(list.runs[0].kernel, SIM_KERNEL_HEAP);
    assert_int_equal(list.runs[0].set_count, 4);
    assert_string_equal(list.runs[0].sets[0], "a=1");
    assert_string_equal(list.runs[0].sets[2], "c=3");
    assert_string_equal(list.runs[0].sets[3], "seed=9223372036854775807");
    assert_int_equal(list.runs[1].set_count, 2);
    study_run_list_free(&list);
}

static void sets_stay_where_they_are_as_the_list_grows(void **state)
{
    (void)state;
    const struct study_run run = {.scenario = "x.json"};
    struct study_run_list list = {0};
    const uint64_t first = 1;

    study_run_list_add(&list, &run, NULL, 0, &first);
    const char *set = list.runs[0].sets[0];
    for (uint64_t seed = 2; seed <= 100; seed++) {
        study_run_list_add(&list, &run, NULL, 0, &seed);
    }
    assert_int_equal(list.count, 100);
    assert_ptr_equal(list.runs[0].sets[0], set);
    assert_string_equal(list.runs[99].sets[0], "seed=100");
    study_run_list_free(&list);
    assert_null(list.runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_run_has_its_sets_and_its_seed),
        cmocka_unit_test(sets_stay_where_they_are_as_the_list_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
