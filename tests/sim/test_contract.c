/* The contract checker against brute force over all pairs of admissions. */
#include "unit.h"

#include "contract.h"
#include "oracle_rules.h"
#include "prng.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define DAY_NS (86400 * SECOND_NS)
#define CASE_COUNT 1000
#define ADMISSION_COUNT_MAX 40

static void check_bucket(struct sim_contract *contract, uint64_t rate_units, uint64_t period_ns,
                         uint64_t capacity_units)
{
    const struct sim_oracle_rule rule = rule_bucket(rate_units, period_ns, capacity_units);

    sim_contract_init(contract, &rule, 0);
}

static void check_window(struct sim_contract *contract, uint64_t limit_units, uint64_t window_ns,
                         uint64_t phase_ns, uint64_t used_units)
{
    const struct sim_oracle_rule rule =
        rule_of_windows(SIM_ORACLE_WINDOW, limit_units, window_ns, phase_ns);

    sim_contract_init(contract, &rule, used_units);
}

static void bucket_excess_is_counted_from_the_capacity(void **state)
{
    (void)state;
    struct sim_contract contract;

    check_bucket(&contract, 1, SECOND_NS, 10);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, 0, 10);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, SECOND_NS, 1);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, 2 * SECOND_NS, 4);
    assert_int_equal(sim_contract_excess_units(&contract), 3);
    sim_contract_spend(&contract, MINUTE_NS, 12);
    assert_int_equal(sim_contract_excess_units(&contract), 3);
}

static void part_of_a_unit_counts_as_a_unit(void **state)
{
    (void)state;
    struct sim_contract contract;

    check_bucket(&contract, 1, SECOND_NS, 10);
    sim_contract_spend(&contract, 0, 10);
    sim_contract_spend(&contract, SECOND_NS - 1, 1);
    assert_int_equal(sim_contract_excess_units(&contract), 1);
    sim_contract_spend(&contract, SECOND_NS - 1, 1);
    assert_int_equal(sim_contract_excess_units(&contract), 2);
}

static void window_excess_is_per_window(void **state)
{
    (void)state;
    struct sim_contract contract;

    /* windows start at -20 s, 40 s, 100 s ... */
    check_window(&contract, 10, MINUTE_NS, 20 * SECOND_NS, 4);
    sim_contract_spend(&contract, 40 * SECOND_NS - 1, 6);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, 40 * SECOND_NS, 10);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, 100 * SECOND_NS - 1, 3);
    assert_int_equal(sim_contract_excess_units(&contract), 3);
    sim_contract_spend(&contract, 100 * SECOND_NS, 12);
    assert_int_equal(sim_contract_excess_units(&contract), 3);
    sim_contract_spend(&contract, UINT64_MAX, 15);
    assert_int_equal(sim_contract_excess_units(&contract), 5);
}

static void largest_plans_and_longest_gaps_do_not_overflow(void **state)
{
    (void)state;
    const uint64_t largest_units = UINT64_C(1) << 53;
    struct sim_contract contract;

    check_bucket(&contract, largest_units, DAY_NS, largest_units);
    sim_contract_spend(&contract, 0, largest_units);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, 0, largest_units);
    assert_int_equal(sim_contract_excess_units(&contract), largest_units);
    sim_contract_spend(&contract, UINT64_MAX, largest_units);
    assert_int_equal(sim_contract_excess_units(&contract), largest_units);

    check_bucket(&contract, 0, 1, 0);
    sim_contract_spend(&contract, 0, UINT64_MAX);
    sim_contract_spend(&contract, 0, UINT64_MAX);
    assert_int_equal(sim_contract_excess_units(&contract), UINT64_MAX);
}

/* ---- brute force: the definition, over all pairs of admissions */

struct small_case {
    uint64_t rate_units;
    uint64_t period_ns;
    uint64_t capacity_units; /* window: the limit */
    uint64_t used_units;
    uint64_t window_ns;
    uint64_t phase_ns;
    size_t admission_count;
    uint64_t time_ns[ADMISSION_COUNT_MAX];
    uint64_t cost_units[ADMISSION_COUNT_MAX];
};

static void case_draw(struct small_case *drawn, struct sim_prng *prng)
{
    uint64_t now_ns = sim_prng_below(prng, 20);

    *drawn = (struct small_case){
        .rate_units = sim_prng_below(prng, 8),
        .period_ns = 1 + sim_prng_below(prng, 12),
        .capacity_units = sim_prng_below(prng, 60),
        .window_ns = 1 + sim_prng_below(prng, 60),
        .admission_count = 5 + sim_prng_below(prng, ADMISSION_COUNT_MAX - 4),
    };
    drawn->used_units = sim_prng_below(prng, drawn->capacity_units + 1);
    drawn->phase_ns = sim_prng_below(prng, drawn->window_ns);
    for (size_t i = 0; i < drawn->admission_count; i++) {
        drawn->time_ns[i] = now_ns;
        drawn->cost_units[i] = sim_prng_below(prng, 9);
        now_ns += sim_prng_below(prng, 5) == 0 ? 0 : sim_prng_below(prng, 10);
    }
}

static uint64_t bucket_excess_units(const struct small_case *given)
{
    uint64_t worst = 0; /* units x period */

    for (size_t first = 0; first < given->admission_count; first++) {
        uint64_t spent_units = 0;

        for (size_t last = first; last < given->admission_count; last++) {
            uint64_t elapsed_ns = given->time_ns[last] - given->time_ns[first];
            uint64_t allowed =
                given->capacity_units * given->period_ns + given->rate_units * elapsed_ns;

            spent_units += given->cost_units[last];
            if (spent_units * given->period_ns > allowed + worst) {
                worst = spent_units * given->period_ns - allowed;
            }
        }
    }
    return (worst + given->period_ns - 1) / given->period_ns;
}

static uint64_t window_excess_units(const struct small_case *given)
{
    uint64_t worst_units = 0;

    for (size_t first = 0; first < given->admission_count; first++) {
        uint64_t index = (given->time_ns[first] + given->phase_ns) / given->window_ns;
        uint64_t spent_units = index == 0 ? given->used_units : 0;

        for (size_t i = 0; i < given->admission_count; i++) {
            if ((given->time_ns[i] + given->phase_ns) / given->window_ns == index) {
                spent_units += given->cost_units[i];
            }
        }
        if (spent_units > given->capacity_units + worst_units) {
            worst_units = spent_units - given->capacity_units;
        }
    }
    return worst_units;
}

/* Before `end`, in the window of that index; what was used before time 0 is in window 0. */
static uint64_t units_in_window(const struct small_case *given, size_t end, uint64_t index)
{
    uint64_t units = index == 0 ? given->used_units : 0;

    for (size_t i = 0; i < end; i++) {
        if ((given->time_ns[i] + given->phase_ns) / given->window_ns == index) {
            units += given->cost_units[i];
        }
    }
    return units;
}

static uint64_t sliding_excess_units(const struct small_case *given)
{
    const uint64_t allowed = given->capacity_units * given->window_ns;
    uint64_t worst = 0; /* units x window */

    for (size_t i = 0; i < given->admission_count; i++) {
        const uint64_t index = (given->time_ns[i] + given->phase_ns) / given->window_ns;
        const uint64_t elapsed_ns = (given->time_ns[i] + given->phase_ns) % given->window_ns;
        const uint64_t before = index == 0 ? 0 : units_in_window(given, i, index - 1);
        const uint64_t level = before * (given->window_ns - elapsed_ns) +
                               units_in_window(given, i + 1, index) * given->window_ns;
        if (level > allowed + worst) {
            worst = level - allowed;
        }
    }
    return (worst + given->window_ns - 1) / given->window_ns;
}

/* The sum in a span of a window's length is largest for one that ends at an admission. */
static uint64_t log_excess_units(const struct small_case *given)
{
    uint64_t worst_units = 0;

    for (size_t last = 0; last < given->admission_count; last++) {
        const uint64_t end_ns = given->time_ns[last];
        uint64_t units = end_ns < given->window_ns ? given->used_units : 0;

        for (size_t i = 0; i <= last; i++) {
            if (given->time_ns[i] + given->window_ns > end_ns) {
                units += given->cost_units[i];
            }
        }
        if (units > given->capacity_units + worst_units) {
            worst_units = units - given->capacity_units;
        }
    }
    return worst_units;
}

static void case_spend(struct sim_contract *contract, const struct small_case *given)
{
    for (size_t i = 0; i < given->admission_count; i++) {
        sim_contract_spend(contract, given->time_ns[i], given->cost_units[i]);
    }
}

static void bucket_excess_equals_brute_force_over_all_pairs(void **state)
{
    (void)state;
    struct small_case given;
    struct sim_contract contract;
    struct sim_prng prng;
    size_t broken_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        sim_prng_init(&prng, 1, "bucket cases", i);
        case_draw(&given, &prng);
        check_bucket(&contract, given.rate_units, given.period_ns, given.capacity_units);
        case_spend(&contract, &given);
        assert_int_equal(sim_contract_excess_units(&contract), bucket_excess_units(&given));
        broken_count += sim_contract_excess_units(&contract) > 0;
    }
    assert_in_range(broken_count, CASE_COUNT / 5, CASE_COUNT * 4 / 5);
}

static void windows_check(enum sim_oracle_kind kind, const char *purpose,
                          uint64_t (*excess_units)(const struct small_case *given))
{
    struct small_case given;
    struct sim_contract contract;
    struct sim_prng prng;
    size_t broken_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        sim_prng_init(&prng, 1, purpose, i);
        case_draw(&given, &prng);
        const struct sim_oracle_rule rule =
            rule_of_windows(kind, given.capacity_units, given.window_ns, given.phase_ns);
        sim_contract_init(&contract, &rule, given.used_units);
        case_spend(&contract, &given);
        assert_int_equal(sim_contract_excess_units(&contract), excess_units(&given));
        broken_count += sim_contract_excess_units(&contract) > 0;
        sim_contract_deinit(&contract);
    }
    assert_in_range(broken_count, CASE_COUNT / 5, CASE_COUNT * 9 / 10);
}

static void window_excess_equals_brute_force_over_all_windows(void **state)
{
    (void)state;
    windows_check(SIM_ORACLE_WINDOW, "window cases", window_excess_units);
}

static void sliding_excess_equals_a_recount_at_every_admission(void **state)
{
    (void)state;
    windows_check(SIM_ORACLE_SLIDING, "sliding cases", sliding_excess_units);
}

static void log_excess_equals_brute_force_over_all_spans_of_a_window(void **state)
{
    (void)state;
    windows_check(SIM_ORACLE_LOG, "log cases", log_excess_units);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bucket_excess_is_counted_from_the_capacity),
        cmocka_unit_test(part_of_a_unit_counts_as_a_unit),
        cmocka_unit_test(window_excess_is_per_window),
        cmocka_unit_test(largest_plans_and_longest_gaps_do_not_overflow),
        cmocka_unit_test(bucket_excess_equals_brute_force_over_all_pairs),
        cmocka_unit_test(window_excess_equals_brute_force_over_all_windows),
        cmocka_unit_test(sliding_excess_equals_a_recount_at_every_admission),
        cmocka_unit_test(log_excess_equals_brute_force_over_all_spans_of_a_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
