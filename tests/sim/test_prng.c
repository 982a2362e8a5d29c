/* Streams against the published generators, and the distributions drawn from them. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prng.h"

#define SAMPLE_COUNT 1000000

/* Output of the reference implementations (Vigna, prng.di.unimi.it). */
static void mix_is_splitmix64(void **state)
{
    (void)state;
    static const uint64_t EXPECTED[] = {
        UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821),
    };

    for (uint64_t i = 0; i < 5; i++) {
        assert_true(sim_prng_mix(1234567 + i * UINT64_C(0x9e3779b97f4a7c15)) == EXPECTED[i]);
    }
}

static void next_is_xoshiro256starstar(void **state)
{
    (void)state;
    static const uint64_t EXPECTED[] = {
        UINT64_C(11520),
        UINT64_C(0),
        UINT64_C(1509978240),
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
        UINT64_C(10595114339597558777),
        UINT64_C(2904607092377533576),
    };
    struct sim_prng prng = {.state = {1, 2, 3, 4}};

    for (size_t i = 0; i < 10; i++) {
        assert_true(sim_prng_next(&prng) == EXPECTED[i]);
    }
}

static void hash_text_is_fnv_1a(void **state)
{
    (void)state;

    assert_true(sim_prng_hash_text("") == UINT64_C(0xcbf29ce484222325));
    assert_true(sim_prng_hash_text("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(sim_prng_hash_text("foobar") == UINT64_C(0x85944171f73967e8));
}

static uint64_t first_of_stream(uint64_t seed, const char *purpose, uint64_t index)
{
    struct sim_prng prng;

    sim_prng_init(&prng, seed, purpose, index);
    return sim_prng_next(&prng);
}

static void streams_differ_in_seed_purpose_and_index(void **state)
{
    (void)state;
    uint64_t first = first_of_stream(1, "keys", 0);

    assert_true(first == first_of_stream(1, "keys", 0));
    assert_true(first != first_of_stream(2, "keys", 0));
    assert_true(first != first_of_stream(1, "times", 0));
    assert_true(first != first_of_stream(1, "keys", 1));
    assert_true(first_of_stream(0, "", 0) != first_of_stream(0, "", 1));
}

static void golden_stream_does_not_change(void **state)
{
    (void)state;

    /* Every scenario's results hang on these: a change moves all golden traces. */
    assert_true(first_of_stream(1, "golden", 7) == UINT64_C(16535592028409753990));
}

static void below_is_uniform(void **state)
{
    (void)state;
    static const uint64_t BOUNDS[] = {1, 2, 3, 10, 1000};
    uint32_t counts[1000];
    struct sim_prng prng;

    for (size_t i = 0; i < sizeof BOUNDS / sizeof BOUNDS[0]; i++) {
        double mean = (double)SAMPLE_COUNT / (double)BOUNDS[i];

        memset(counts, 0, sizeof counts);
        sim_prng_init(&prng, 3, "test", i);
        for (uint32_t j = 0; j < SAMPLE_COUNT; j++) {
            counts[sim_prng_below(&prng, BOUNDS[i])]++;
        }
        for (uint64_t j = 0; j < BOUNDS[i]; j++) {
            assert_true(fabs((double)counts[j] - mean) <= 4.5 * sqrt(mean));
        }
    }
}

/* With bound 3 x 2^62, multiplying without rejection would give every third value twice as often
 * as the others. */
static void below_has_no_modulo_bias(void **state)
{
    (void)state;
    const uint64_t bound = UINT64_C(3) << 62;
    uint32_t multiple_of_three_count = 0;
    struct sim_prng prng;

    sim_prng_init(&prng, 4, "test", 0);
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        uint64_t value = sim_prng_below(&prng, bound);

        assert_true(value < bound);
        multiple_of_three_count += value % 3 == 0;
    }
    assert_true(abs((int)multiple_of_three_count - SAMPLE_COUNT / 3) < 2000);
}

static void exponential_has_its_moments(void **state)
{
    (void)state;
    const double count = SAMPLE_COUNT;
    double sum = 0.0;
    double square_sum = 0.0;
    struct sim_prng prng;

    sim_prng_init(&prng, 5, "test", 0);
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        double value = sim_prng_exponential(&prng);

        sum += value;
        square_sum += value * value;
    }
    assert_true(fabs(sum - count) < 4.0 * sqrt(count));
    /* E[X^2] = 2, Var[X^2] = 4! - 2^2 = 20 */
    assert_true(fabs(square_sum - 2.0 * count) < 4.0 * sqrt(20.0 * count));
}

static void exponential_is_right_in_both_tails(void **state)
{
    (void)state;
    static const double BOUNDS[] = {1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 3.0, 7.0, 9.0, 11.0};
    enum { BOUND_COUNT = sizeof BOUNDS / sizeof BOUNDS[0] };
    uint32_t below_counts[BOUND_COUNT] = {0};
    struct sim_prng prng;

    sim_prng_init(&prng, 6, "test", 0);
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        double value = sim_prng_exponential(&prng);

        for (size_t j = 0; j < BOUND_COUNT; j++) {
            below_counts[j] += value < BOUNDS[j];
        }
    }
    for (size_t j = 0; j < BOUND_COUNT; j++) {
        double probability = -expm1(-BOUNDS[j]);
        double mean = probability * SAMPLE_COUNT;

        assert_true(fabs((double)below_counts[j] - mean) < 4.0 * sqrt(mean * (1.0 - probability)));
    }
}

/* State {1, 1, 1, 0} gives 5760 first: 51 leading zero bits leave too few for a mantissa. */
static void exponential_takes_a_whole_mantissa_also_in_the_tail(void **state)
{
    (void)state;
    struct sim_prng prng = {.state = {1, 1, 1, 0}};
    struct sim_prng copy = prng;
    double value = sim_prng_exponential(&prng);

    assert_int_equal(sim_prng_next(&copy), 5760);
    double fraction = ldexp((double)(sim_prng_next(&copy) << 1 >> 12), -52);

    assert_true(fabs(value - (52.0 * log(2.0) - log1p(fraction))) < 1e-13);
}

/* State {1, 0, 0, 0} gives 0 first, then goes on as above: the tail has no end at 64 zero bits. */
static void exponential_has_no_upper_end(void **state)
{
    (void)state;
    struct sim_prng prng = {.state = {1, 0, 0, 0}};
    struct sim_prng shorter = {.state = {1, 1, 1, 0}};
    double value = sim_prng_exponential(&prng);

    assert_true(fabs(value - sim_prng_exponential(&shorter) - 64.0 * log(2.0)) < 1e-13);
}

static void exponential_ns_rounds_down_and_saturates(void **state)
{
    (void)state;
    struct sim_prng prng;
    struct sim_prng copy;
    struct sim_prng tail = {.state = {1, 0, 0, 0}};

    sim_prng_init(&prng, 7, "test", 0);
    for (uint32_t i = 0; i < 1000; i++) {
        copy = prng;
        assert_int_equal(sim_prng_exponential_ns(&prng, 1000),
                         (uint64_t)(1000.0 * sim_prng_exponential(&copy)));
    }
    assert_int_equal(sim_prng_exponential_ns(&prng, 0), 0);
    assert_true(sim_prng_exponential_ns(&tail, UINT64_MAX) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mix_is_splitmix64),
        cmocka_unit_test(next_is_xoshiro256starstar),
        cmocka_unit_test(hash_text_is_fnv_1a),
        cmocka_unit_test(streams_differ_in_seed_purpose_and_index),
        cmocka_unit_test(golden_stream_does_not_change),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(below_has_no_modulo_bias),
        cmocka_unit_test(exponential_has_its_moments),
        cmocka_unit_test(exponential_is_right_in_both_tails),
        cmocka_unit_test(exponential_takes_a_whole_mantissa_also_in_the_tail),
        cmocka_unit_test(exponential_has_no_upper_end),
        cmocka_unit_test(exponential_ns_rounds_down_and_saturates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
