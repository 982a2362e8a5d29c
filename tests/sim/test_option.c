/* Values on the command line: what is one, and what is not. */
#include "unit.h"

#include "option.h"

static void numbers_are_digits_within_bounds(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "0",   "11",  "-1", "+5",
                                      "5 ", "5.0", "0x5", "x",  "99999999999999999999"};
    uint64_t number;

    assert_true(sim_option_number("10", 1, 10, &number));
    assert_int_equal(number, 10);
    assert_true(sim_option_number("18446744073709551615", 0, UINT64_MAX, &number));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(sim_option_number(bad[i], 1, 10, &number));
    }
}

static void reals_have_no_sign_and_no_exponent(void **state)
{
    (void)state;
    static const char *const bad[] = {"",  "-1",    "1e3", "nan", "inf",
                                      ".", "1.2.3", "1 ",  "0x1", "1000000000000001"};
    double number;

    assert_true(sim_option_real("0.25", &number));
    assert_true(number > 0.2499 && number < 0.2501);
    assert_true(sim_option_real("5000", &number));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(sim_option_real(bad[i], &number));
    }
}

static void kernels_and_plots_have_names(void **state)
{
    (void)state;
    enum sim_kernel_kind kernel;
    enum sim_plot_kind plots;

    assert_true(sim_option_kernel("heap", &kernel));
    assert_int_equal(kernel, SIM_KERNEL_HEAP);
    assert_true(sim_option_kernel("simgrid", &kernel));
    assert_int_equal(kernel, SIM_KERNEL_SIMGRID);
    assert_false(sim_option_kernel("Heap", &kernel));
    assert_true(sim_option_plots("png", &plots));
    assert_int_equal(plots, SIM_PLOT_PNG);
    assert_false(sim_option_plots("gif", &plots));
}

static void sets_are_joined_and_cut(void **state)
{
    (void)state;
    static const char *const sets[] = {"a=1", "b=2"};
    char text[20];
    char small[6];

    sim_option_join(text, sizeof text, sets, 2, "none");
    assert_string_equal(text, "a=1, b=2");
    sim_option_join(text, sizeof text, sets, 0, "none");
    assert_string_equal(text, "none");
    sim_option_join(small, sizeof small, sets, 2, "none");
    assert_string_equal(small, "a=1, ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_digits_within_bounds),
        cmocka_unit_test(reals_have_no_sign_and_no_exponent),
        cmocka_unit_test(kernels_and_plots_have_names),
        cmocka_unit_test(sets_are_joined_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
