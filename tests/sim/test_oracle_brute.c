/* The oracle against brute force: no levels, counters or logs, only the definitions over all
 * intervals, all windows and all admissions before. */
#include "unit.h"

#include <stdbool.h>

#include "oracle.h"
#include "oracle_rules.h"
#include "prng.h"

#define CASE_COUNT 1000
#define ARRIVAL_COUNT_MAX 40

struct small_case {
    uint64_t rate_units;
    uint64_t period_ns;
    uint64_t capacity_units; /* window: the limit */
    uint64_t fill_units;
    uint64_t window_ns;
    uint64_t phase_ns;
    size_t arrival_count;
    uint64_t time_ns[ARRIVAL_COUNT_MAX];
    uint64_t cost_units[ARRIVAL_COUNT_MAX];
    bool admitted[ARRIVAL_COUNT_MAX];
};

/* Small numbers, so that boundaries are hit often; about a fifth of the gaps are zero. */
static void case_draw(struct small_case *drawn, struct sim_prng *prng)
{
    uint64_t now_ns = sim_prng_below(prng, 20);

    *drawn = (struct small_case){
        .rate_units = sim_prng_below(prng, 8),
        .period_ns = 1 + sim_prng_below(prng, 12),
        .capacity_units = sim_prng_below(prng, 25),
        .window_ns = 1 + sim_prng_below(prng, 30),
        .arrival_count = 5 + sim_prng_below(prng, ARRIVAL_COUNT_MAX - 4),
    };
    drawn->fill_units = sim_prng_below(prng, drawn->capacity_units + 1);
    drawn->phase_ns = sim_prng_below(prng, drawn->window_ns);
    for (size_t i = 0; i < drawn->arrival_count; i++) {
        drawn->time_ns[i] = now_ns;
        drawn->cost_units[i] = sim_prng_below(prng, 9);
        now_ns += sim_prng_below(prng, 5) == 0 ? 0 : sim_prng_below(prng, 10);
    }
}

/* For every interval that ends at arrival `last`, and the one from time 0 with the start fill. */
static bool bucket_is_admissible(const struct small_case *given, size_t last)
{
    uint64_t spent_units = given->cost_units[last];
    uint64_t allowed;

    for (size_t i = last + 1; i-- > 0;) {
        if (i < last && !given->admitted[i]) {
            continue;
        }
        if (i < last) {
            spent_units += given->cost_units[i];
        }
        allowed = given->capacity_units * given->period_ns +
                  given->rate_units * (given->time_ns[last] - given->time_ns[i]);
        if (spent_units * given->period_ns > allowed) {
            return false;
        }
    }
    allowed = given->fill_units * given->period_ns + given->rate_units * given->time_ns[last];
    return spent_units * given->period_ns <= allowed;
}

static bool window_is_admissible(const struct small_case *given, size_t last)
{
    uint64_t index = (given->time_ns[last] + given->phase_ns) / given->window_ns;
    uint64_t used_units = index == 0 ? given->capacity_units - given->fill_units : 0;

    for (size_t i = 0; i < last; i++) {
        if (given->admitted[i] &&
            (given->time_ns[i] + given->phase_ns) / given->window_ns == index) {
            used_units += given->cost_units[i];
        }
    }
    return used_units + given->cost_units[last] <= given->capacity_units ||
           given->cost_units[last] == 0;
}

/* The units of admitted arrivals before `last` in the window of that index. */
static uint64_t units_in_window(const struct small_case *given, size_t last, uint64_t index)
{
    uint64_t units = index == 0 ? given->capacity_units - given->fill_units : 0;

    for (size_t i = 0; i < last; i++) {
        if (given->admitted[i] &&
            (given->time_ns[i] + given->phase_ns) / given->window_ns == index) {
            units += given->cost_units[i];
        }
    }
    return units;
}

static bool sliding_is_admissible(const struct small_case *given, size_t last)
{
    const uint64_t index = (given->time_ns[last] + given->phase_ns) / given->window_ns;
    const uint64_t elapsed_ns = (given->time_ns[last] + given->phase_ns) % given->window_ns;
    const uint64_t previous = index == 0 ? 0 : units_in_window(given, last, index - 1);
    const uint64_t current = units_in_window(given, last, index) + given->cost_units[last];

    return previous * (given->window_ns - elapsed_ns) + current * given->window_ns <=
           given->capacity_units * given->window_ns;
}

/* What was used before time 0 counts as admitted at it. */
static bool log_is_admissible(const struct small_case *given, size_t last)
{
    const uint64_t time_ns = given->time_ns[last];
    uint64_t units = given->cost_units[last];

    units += time_ns < given->window_ns ? given->capacity_units - given->fill_units : 0;
    for (size_t i = 0; i < last; i++) {
        if (given->admitted[i] && time_ns < given->time_ns[i] + given->window_ns) {
            units += given->cost_units[i];
        }
    }
    return units <= given->capacity_units;
}

static size_t case_check(struct sim_oracle *oracle, struct small_case *given, uint64_t case_index,
                         bool (*is_admissible)(const struct small_case *given, size_t last))
{
    size_t refused_count = 0;

    for (size_t i = 0; i < given->arrival_count; i++) {
        given->admitted[i] = is_admissible(given, i);
        refused_count += !given->admitted[i];
        if (sim_oracle_admit(oracle, given->time_ns[i], given->cost_units[i]) !=
            given->admitted[i]) {
            fail_msg("case %u, arrival %zu", (unsigned)case_index, i);
        }
    }
    return refused_count;
}

static void bucket_agrees_with_brute_force_over_all_intervals(void **state)
{
    (void)state;
    struct small_case given;
    struct sim_oracle oracle;
    struct sim_prng prng;
    size_t refused_count = 0;
    size_t arrival_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        sim_prng_init(&prng, 1, "bucket cases", i);
        case_draw(&given, &prng);
        start_bucket(&oracle, given.rate_units, given.period_ns, given.capacity_units,
                     given.fill_units);
        refused_count += case_check(&oracle, &given, i, bucket_is_admissible);
        arrival_count += given.arrival_count;
    }
    assert_in_range(refused_count, arrival_count / 5, arrival_count * 4 / 5);
}

static void windows_check(enum sim_oracle_kind kind, const char *purpose,
                          bool (*is_admissible)(const struct small_case *given, size_t last))
{
    struct small_case given;
    struct sim_oracle oracle;
    struct sim_prng prng;
    size_t refused_count = 0;
    size_t arrival_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        sim_prng_init(&prng, 1, purpose, i);
        case_draw(&given, &prng);
        const struct sim_oracle_rule rule =
            rule_of_windows(kind, given.capacity_units, given.window_ns, given.phase_ns);
        sim_oracle_init(&oracle, &rule, given.capacity_units - given.fill_units);
        refused_count += case_check(&oracle, &given, i, is_admissible);
        arrival_count += given.arrival_count;
        sim_oracle_deinit(&oracle);
    }
    assert_in_range(refused_count, arrival_count / 5, arrival_count * 4 / 5);
}

static void window_agrees_with_brute_force_over_all_windows(void **state)
{
    (void)state;
    windows_check(SIM_ORACLE_WINDOW, "window cases", window_is_admissible);
}

static void sliding_agrees_with_a_recount_of_both_windows(void **state)
{
    (void)state;
    windows_check(SIM_ORACLE_SLIDING, "sliding cases", sliding_is_admissible);
}

static void log_agrees_with_a_recount_of_its_last_window(void **state)
{
    (void)state;
    windows_check(SIM_ORACLE_LOG, "log cases", log_is_admissible);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bucket_agrees_with_brute_force_over_all_intervals),
        cmocka_unit_test(window_agrees_with_brute_force_over_all_windows),
        cmocka_unit_test(sliding_agrees_with_a_recount_of_both_windows),
        cmocka_unit_test(log_agrees_with_a_recount_of_its_last_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
