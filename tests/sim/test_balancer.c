/* Which process a request goes to, rule by rule. */
#include "unit.h"

#include <math.h>

#include "balancer.h"

#define PROCESS_COUNT 20
#define SAMPLE_COUNT 200000

static void processes_count(uint32_t counts[PROCESS_COUNT], const struct sim_balance *balance,
                            uint64_t time_ns, uint32_t key_index)
{
    struct sim_balancer balancer;
    struct sim_prng prng;

    for (uint32_t i = 0; i < PROCESS_COUNT; i++) {
        counts[i] = 0;
    }
    sim_balancer_init(&balancer, balance, PROCESS_COUNT, "customers");
    sim_prng_init(&prng, 1, "test", 0);
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        uint32_t process = sim_balancer_choose(&balancer, &prng, time_ns, key_index);

        assert_true(process < PROCESS_COUNT);
        counts[process]++;
    }
    sim_balancer_deinit(&balancer);
}

static void assert_near(uint32_t count, double probability)
{
    double mean = probability * SAMPLE_COUNT;

    assert_true(fabs((double)count - mean) <= 4.0 * sqrt(mean));
}

static void uniform_uses_all_processes_alike(void **state)
{
    (void)state;
    const struct sim_balance balance = {.flip_ns = UINT64_MAX};
    uint32_t counts[PROCESS_COUNT];

    processes_count(counts, &balance, 0, 0);
    for (uint32_t i = 0; i < PROCESS_COUNT; i++) {
        assert_near(counts[i], 1.0 / PROCESS_COUNT);
    }
}

static void zipf_ranks_start_at_the_first_process(void **state)
{
    (void)state;
    const struct sim_balance balance = {
        .before = {.kind = SIM_BALANCE_ZIPF, .exponent_ppm = 1100000, .first_process = 17},
        .flip_ns = UINT64_MAX,
    };
    uint32_t counts[PROCESS_COUNT];
    double sum = 0.0;

    processes_count(counts, &balance, 0, 0);
    for (uint32_t rank = 0; rank < PROCESS_COUNT; rank++) {
        sum += pow(rank + 1.0, -1.1);
    }
    for (uint32_t process = 0; process < PROCESS_COUNT; process++) {
        uint32_t rank = (process - 17 + PROCESS_COUNT) % PROCESS_COUNT;

        assert_near(counts[process], pow(rank + 1.0, -1.1) / sum);
    }
}

static void weights_are_followed(void **state)
{
    (void)state;
    uint64_t weights[PROCESS_COUNT] = {[3] = 250000, [4] = 500000, [19] = 1250000};
    const struct sim_balance balance = {
        .before = {.kind = SIM_BALANCE_WEIGHTS, .weights = weights},
        .flip_ns = UINT64_MAX,
    };
    uint32_t counts[PROCESS_COUNT];

    processes_count(counts, &balance, 0, 0);
    for (uint32_t i = 0; i < PROCESS_COUNT; i++) {
        assert_near(counts[i], (double)weights[i] / 2000000.0);
    }
}

static void sticky_key_uses_its_neighbours_alike(void **state)
{
    (void)state;
    const struct sim_balance balance = {
        .before = {.kind = SIM_BALANCE_STICKY, .process_count = 3},
        .flip_ns = UINT64_MAX,
    };
    uint32_t counts[PROCESS_COUNT];
    uint32_t used_count = 0;
    uint32_t first = 0;

    processes_count(counts, &balance, 0, 5);
    for (uint32_t i = 0; i < PROCESS_COUNT; i++) {
        used_count += counts[i] > 0;
        if (counts[i] > 0 && counts[(i + PROCESS_COUNT - 1) % PROCESS_COUNT] == 0) {
            first = i;
        }
    }
    assert_int_equal(used_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_near(counts[(first + i) % PROCESS_COUNT], 1.0 / 3.0);
    }
}

static void sticky_keys_are_spread_and_shift_with_the_first_process(void **state)
{
    (void)state;
    struct sim_balance balance = {
        .before = {.kind = SIM_BALANCE_STICKY, .process_count = 1},
        .after = {.kind = SIM_BALANCE_STICKY, .process_count = 1, .first_process = 7},
        .flip_ns = 100,
    };
    uint32_t counts[PROCESS_COUNT] = {0};
    struct sim_balancer balancer;
    struct sim_prng prng;

    sim_balancer_init(&balancer, &balance, PROCESS_COUNT, "customers");
    sim_prng_init(&prng, 1, "test", 0);
    for (uint32_t key = 0; key < SAMPLE_COUNT; key++) {
        uint32_t before = sim_balancer_choose(&balancer, &prng, 99, key);
        uint32_t after = sim_balancer_choose(&balancer, &prng, 100, key);

        counts[before]++;
        assert_int_equal(after, (before + 7) % PROCESS_COUNT);
    }
    for (uint32_t i = 0; i < PROCESS_COUNT; i++) {
        assert_near(counts[i], 1.0 / PROCESS_COUNT);
    }
    sim_balancer_deinit(&balancer);
}

static void sticky_home_depends_on_name_and_key_only(void **state)
{
    (void)state;
    const struct sim_balance balance = {
        .before = {.kind = SIM_BALANCE_STICKY, .process_count = 1},
        .flip_ns = UINT64_MAX,
    };
    struct sim_balancer one;
    struct sim_balancer other;
    struct sim_prng prng;
    uint32_t same_count = 0;

    sim_balancer_init(&one, &balance, PROCESS_COUNT, "customers");
    sim_balancer_init(&other, &balance, PROCESS_COUNT, "clients");
    for (uint32_t key = 0; key < 1000; key++) {
        sim_prng_init(&prng, key, "any stream", key);
        uint32_t home = sim_balancer_choose(&one, &prng, 0, key);

        assert_int_equal(sim_balancer_choose(&one, &prng, 5, key), home);
        same_count += sim_balancer_choose(&other, &prng, 0, key) == home;
    }
    assert_in_range(same_count, 20, 80);
}

static void flip_takes_effect_at_its_instant(void **state)
{
    (void)state;
    uint64_t weights[PROCESS_COUNT] = {[9] = 1000000};
    const struct sim_balance balance = {
        .before = {.kind = SIM_BALANCE_STICKY, .process_count = PROCESS_COUNT},
        .after = {.kind = SIM_BALANCE_WEIGHTS, .weights = weights},
        .flip_ns = 1000,
    };
    uint32_t counts[PROCESS_COUNT];

    processes_count(counts, &balance, 999, 0);
    assert_near(counts[9], 1.0 / PROCESS_COUNT);
    processes_count(counts, &balance, 1000, 0);
    assert_int_equal(counts[9], SAMPLE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_uses_all_processes_alike),
        cmocka_unit_test(zipf_ranks_start_at_the_first_process),
        cmocka_unit_test(weights_are_followed),
        cmocka_unit_test(sticky_key_uses_its_neighbours_alike),
        cmocka_unit_test(sticky_keys_are_spread_and_shift_with_the_first_process),
        cmocka_unit_test(sticky_home_depends_on_name_and_key_only),
        cmocka_unit_test(flip_takes_effect_at_its_instant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
