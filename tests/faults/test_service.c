/* What a shard does with an ask. */
#include "faults_support.h"

#define ASKS 10000
#define SERVICE_NS 10000

/* A part of 10,000, give or take 5 standard deviations. */
#define ASSERT_A_FIFTH(count) assert_in_range(count, 2000 - 200, 2000 + 200)

static struct fault_service service_of(const struct fault_case *faults, uint64_t time_ns,
                                       uint64_t number)
{
    return fault_service(&faults->list, time_ns, 3, 1, number, SERVICE_NS);
}

static void without_faults_every_ask_is_served_as_usual(void **state)
{
    (void)state;
    const struct fault_case faults = {0};

    const struct fault_service service = service_of(&faults, SECOND_NS, 1);
    assert_false(service.silent || service.reply_is_lost);
    assert_int_equal(service.error, FAULT_ERROR_NONE);
    assert_int_equal(service.service_ns, SERVICE_NS);
    assert_int_equal(service.reply_delay_ns, 0);
}

static void a_store_that_is_out_is_silent(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_STORE_OUTAGE, 10, 20);
    fault_case_add(&faults, FAULT_STORE_ERROR, 10, 20)->error = FAULT_ERROR_OOM;

    assert_false(service_of(&faults, 10 * SECOND_NS - 1, 1).silent);
    assert_true(service_of(&faults, 10 * SECOND_NS, 1).silent);
    assert_int_equal(service_of(&faults, 10 * SECOND_NS, 1).error, FAULT_ERROR_NONE);
    assert_false(service_of(&faults, 20 * SECOND_NS, 1).silent);
    assert_int_equal(faults.fired[0], 2);
    assert_int_equal(faults.fired[1], 0);
}

static void a_flapping_store_comes_and_goes(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    struct fault *outage = fault_case_add(&faults, FAULT_STORE_OUTAGE, 10, 20);
    outage->period_ns = 2 * SECOND_NS;
    outage->on_ppm = 250000;

    for (unsigned i = 0; i < 40; i++) { /* quarters of a second: down in the first two of eight */
        assert_int_equal(service_of(&faults, 10 * SECOND_NS + i * SECOND_NS / 4, i).silent,
                         i % 8 < 2);
    }
}

static void only_the_target_shards_are_out(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    static uint8_t shards[64] = {[1] = 1};
    fault_case_add(&faults, FAULT_STORE_OUTAGE, 0, 20)->shards.member = shards;

    assert_true(fault_service(&faults.list, 0, 3, 1, 1, SERVICE_NS).silent);
    assert_false(fault_service(&faults.list, 0, 3, 0, 1, SERVICE_NS).silent);
}

static void a_store_that_loses_its_keys_is_down_meanwhile(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_STORE_EMPTY, 10, 20);

    assert_true(service_of(&faults, 15 * SECOND_NS, 1).silent);
    assert_false(service_of(&faults, 20 * SECOND_NS, 1).silent);
}

static void slowness_multiplies_and_adds(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_STORE_SLOW, 0, 20)->factor_ppm = 2500000;
    struct fault *late = fault_case_add(&faults, FAULT_STORE_SLOW, 0, 20);
    late->factor_ppm = 2000000;
    late->added_ns = 700;
    late->spread_ns = 100;

    uint64_t sum_ns = 0;
    for (uint64_t number = 0; number < ASKS; number++) {
        const struct fault_service service = service_of(&faults, SECOND_NS, number);
        assert_int_equal(service.service_ns, 5 * SERVICE_NS);
        assert_in_range(service.reply_delay_ns, 700, 800);
        sum_ns += service.reply_delay_ns;
    }
    assert_in_range(sum_ns / ASKS, 748, 752);
    assert_int_equal(faults.fired[0], ASKS);
}

static void the_slowest_store_has_an_end(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    for (unsigned i = 0; i < 5; i++) {
        fault_case_add(&faults, FAULT_STORE_SLOW, 0, 20)->factor_ppm = UINT32_MAX;
    }

    const struct fault_service service =
        fault_service(&faults.list, 0, 3, 1, 1, UINT64_C(1000000000000));
    assert_int_equal(service.service_ns, UINT64_MAX / 4);
}

static void a_part_of_the_asks_is_refused(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned refused = 0;
    struct fault *oom = fault_case_add(&faults, FAULT_STORE_ERROR, 0, 20);
    oom->probability_ppm = 200000;
    oom->error = FAULT_ERROR_OOM;

    for (uint64_t number = 0; number < ASKS; number++) {
        const struct fault_service service = service_of(&faults, SECOND_NS, number);
        assert_true(service.error == FAULT_ERROR_NONE || service.error == FAULT_ERROR_OOM);
        refused += service.error == FAULT_ERROR_OOM;
    }
    ASSERT_A_FIFTH(refused);
    assert_int_equal(faults.fired[0], refused);
}

static void the_processes_of_the_lowest_numbers_are_connected(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_STORE_CONNECTIONS, 0, 20)->limit = 3;

    assert_int_equal(fault_service(&faults.list, 0, 2, 1, 1, SERVICE_NS).error, FAULT_ERROR_NONE);
    assert_int_equal(fault_service(&faults.list, 0, 3, 1, 1, SERVICE_NS).error,
                     FAULT_ERROR_CONNECTIONS);
    assert_int_equal(faults.fired[0], 1);
}

static void a_reply_is_lost_after_the_ask_was_carried_out(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned lost = 0;
    fault_case_add(&faults, FAULT_REPLY_LOST, 0, 20)->probability_ppm = 200000;
    fault_case_target(&faults, 3);

    for (uint64_t number = 0; number < ASKS; number++) {
        const struct fault_service service = service_of(&faults, SECOND_NS, number);
        assert_false(service.silent);
        assert_int_equal(service.error, FAULT_ERROR_NONE);
        lost += service.reply_is_lost;
        assert_false(fault_service(&faults.list, 0, 4, 1, number, SERVICE_NS).reply_is_lost);
    }
    ASSERT_A_FIFTH(lost);
    assert_int_equal(faults.fired[0], lost);
}

static void a_refused_ask_has_no_reply_to_lose(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_REPLY_LOST, 0, 20);
    fault_case_add(&faults, FAULT_STORE_ERROR, 0, 20)->error = FAULT_ERROR_BUSY;

    const struct fault_service service = service_of(&faults, 0, 1);
    assert_int_equal(service.error, FAULT_ERROR_BUSY);
    assert_false(service.reply_is_lost);
    assert_int_equal(faults.fired[0], 0);
}

static void steps_of_the_clock_add_up(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    static uint8_t shards[64] = {[1] = 1};
    fault_case_add(&faults, FAULT_STORE_CLOCK, 0, 20)->step_ns = 5000;
    struct fault *back = fault_case_add(&faults, FAULT_STORE_CLOCK, 10, 20);
    back->step_ns = -7000;
    back->shards.member = shards;

    assert_int_equal(fault_store_step_ns(&faults.list, 5 * SECOND_NS, 1), 5000);
    assert_int_equal(fault_store_step_ns(&faults.list, 15 * SECOND_NS, 1), -2000);
    assert_int_equal(fault_store_step_ns(&faults.list, 15 * SECOND_NS, 0), 5000);
    assert_int_equal(fault_store_step_ns(&faults.list, 20 * SECOND_NS, 1), 0);
    assert_int_equal(faults.fired[0], 3);
    assert_int_equal(faults.fired[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_every_ask_is_served_as_usual),
        cmocka_unit_test(a_store_that_is_out_is_silent),
        cmocka_unit_test(a_flapping_store_comes_and_goes),
        cmocka_unit_test(only_the_target_shards_are_out),
        cmocka_unit_test(a_store_that_loses_its_keys_is_down_meanwhile),
        cmocka_unit_test(slowness_multiplies_and_adds),
        cmocka_unit_test(the_slowest_store_has_an_end),
        cmocka_unit_test(a_part_of_the_asks_is_refused),
        cmocka_unit_test(the_processes_of_the_lowest_numbers_are_connected),
        cmocka_unit_test(a_reply_is_lost_after_the_ask_was_carried_out),
        cmocka_unit_test(a_refused_ask_has_no_reply_to_lose),
        cmocka_unit_test(steps_of_the_clock_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
