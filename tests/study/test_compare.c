/* Pairs of runs: each under one seed on both sides, and what is counted of them. */
#include "study_case.h"

#include "compare.h"
#include "result.h"

static const char *const fixed[] = {"limiter.sizer=fixed", "limiter.fixed_lease_units=5"};

/* Exactly: -Wfloat-equal is right elsewhere. */
static bool is_same(double left, double right)
{
    return !(left < right) && !(left > right);
}

static int set_up(void **state)
{
    (void)state;
    world_run_write(study_case_file(), STUDY_CASE_TEXT("4", ""));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(study_case_file());
}

static void make(struct study_compare *compare, size_t b_set_count)
{
    *compare = (struct study_compare){
        .sides = {{.scenario = study_case_file()},
                  {.scenario = study_case_file(), .sets = fixed, .set_count = b_set_count}},
        .first_seed = 7,
        .seed_count = 4,
        .kernel = SIM_KERNEL_HEAP,
        .quiet = true,
    };
    assert_int_equal(study_compare_run(compare), STUDY_DONE);
}

static double number_of(const struct study_compare *compare, size_t side, size_t pair,
                        const char *path)
{
    double number = -1;

    assert_true(sim_result_number(study_compare_pair(compare, side, pair)->result, path, &number));
    return number;
}

static void a_pair_has_one_seed(void **state)
{
    (void)state;
    struct study_compare compare;

    make(&compare, 2);
    for (size_t pair = 0; pair < 4; pair++) {
        for (size_t side = 0; side < 2; side++) {
            assert_true(is_same(number_of(&compare, side, pair, "seed"), (double)(7 + pair)));
        }
        assert_true(is_same(number_of(&compare, 0, pair, "units.demand"),
                            number_of(&compare, 1, pair, "units.demand")));
    }
    study_compare_free(&compare);
}

static void changes_are_those_of_the_pairs(void **state)
{
    (void)state;
    struct study_compare compare;

    make(&compare, 2);
    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        const struct study_gap *gap = &compare.gaps[i];
        const struct study_measure *measure = &study_measures[i];
        double worst = 0;
        double changes[4];
        size_t better = 0;
        assert_true(gap->is_there);
        for (size_t pair = 0; pair < 4; pair++) {
            const double a = number_of(&compare, 0, pair, measure->path);
            const double b = number_of(&compare, 1, pair, measure->path);
            changes[pair] = b - a;
            better += study_measure_compare(measure, b, a) > 0;
            if (measure->better == STUDY_BETTER_LESS && (pair == 0 || b - a > worst)) {
                worst = b - a;
            }
        }
        assert_int_equal(gap->better_count, better);
        assert_true(is_same(gap->change_median, study_median(changes, 4)));
        if (measure->better == STUDY_BETTER_LESS) {
            assert_true(is_same(gap->change_worst, worst));
        }
    }
    study_compare_free(&compare);
}

static void a_side_against_itself_is_the_same(void **state)
{
    (void)state;
    struct study_compare compare;

    make(&compare, 0);
    assert_int_equal(compare.batch.made_count, 4);
    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        assert_int_equal(compare.gaps[i].differing_count, 0);
        assert_int_equal(compare.gaps[i].better_count + compare.gaps[i].worse_count, 0);
        assert_true(is_same(compare.gaps[i].change_median, 0));
    }
    study_compare_free(&compare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pair_has_one_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(changes_are_those_of_the_pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_side_against_itself_is_the_same, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
