/* What becomes of asks and answers on their way. */
#include "faults_support.h"

#define MESSAGES 10000

/* A part of 10,000, give or take 5 standard deviations. */
#define ASSERT_A_FIFTH(count) assert_in_range(count, 2000 - 200, 2000 + 200)

static struct fault_fate fate_of(const struct fault_case *faults, uint64_t time_ns,
                                 enum fault_way way, uint64_t number)
{
    return fault_message(&faults->list, time_ns, way, 3, 1, number);
}

static unsigned lost_count(const struct fault_case *faults, enum fault_way way)
{
    unsigned lost = 0;

    for (uint64_t number = 0; number < MESSAGES; number++) {
        lost += fate_of(faults, SECOND_NS, way, number).lost;
    }
    return lost;
}

static void without_faults_messages_arrive_once_and_on_time(void **state)
{
    (void)state;
    const struct fault_case faults = {0};

    const struct fault_fate fate = fate_of(&faults, SECOND_NS, FAULT_TO_STORE, 1);
    assert_false(fate.lost || fate.doubled);
    assert_int_equal(fate.delay_ns + fate.copy_delay_ns, 0);
}

static void a_loss_takes_its_part_of_the_messages_of_both_ways(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_LOSS, 0, 10)->probability_ppm = 200000;

    const unsigned asks = lost_count(&faults, FAULT_TO_STORE);
    ASSERT_A_FIFTH(asks);
    assert_int_equal(faults.fired[0], asks);
    ASSERT_A_FIFTH(lost_count(&faults, FAULT_TO_PROCESS));
}

static void a_lost_request_is_an_ask(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_REQUEST_LOST, 0, 10)->probability_ppm = 200000;

    ASSERT_A_FIFTH(lost_count(&faults, FAULT_TO_STORE));
    assert_int_equal(lost_count(&faults, FAULT_TO_PROCESS), 0);
}

/* The shard loses it, after the ask took effect: here nothing happens. */
static void a_lost_reply_is_not_lost_on_its_way(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_REPLY_LOST, 0, 10);

    assert_int_equal(lost_count(&faults, FAULT_TO_STORE), 0);
    assert_int_equal(lost_count(&faults, FAULT_TO_PROCESS), 0);
    assert_int_equal(faults.fired[0], 0);
}

static void a_fault_is_over_at_its_end_and_concerns_its_targets_alone(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    static uint8_t shards[64] = {[1] = 1};
    fault_case_add(&faults, FAULT_LOSS, 10, 20)->shards.member = shards;
    fault_case_target(&faults, 3);

    assert_false(fate_of(&faults, 10 * SECOND_NS - 1, FAULT_TO_STORE, 1).lost);
    assert_true(fate_of(&faults, 10 * SECOND_NS, FAULT_TO_STORE, 1).lost);
    assert_true(fate_of(&faults, 20 * SECOND_NS - 1, FAULT_TO_STORE, 1).lost);
    assert_false(fate_of(&faults, 20 * SECOND_NS, FAULT_TO_STORE, 1).lost);
    assert_false(fault_message(&faults.list, 15 * SECOND_NS, FAULT_TO_STORE, 2, 1, 1).lost);
    assert_false(fault_message(&faults.list, 15 * SECOND_NS, FAULT_TO_STORE, 3, 0, 1).lost);
    assert_int_equal(faults.fired[0], 2);
}

static void a_partition_is_of_one_way_or_of_both(void **state)
{
    (void)state;
    for (unsigned way = FAULT_BOTH_WAYS; way <= FAULT_TO_PROCESS; way++) {
        struct fault_case faults = {0};
        fault_case_add(&faults, FAULT_PARTITION, 0, 10)->way = (enum fault_way)way;

        assert_int_equal(lost_count(&faults, FAULT_TO_STORE),
                         way == FAULT_TO_PROCESS ? 0 : MESSAGES);
        assert_int_equal(lost_count(&faults, FAULT_TO_PROCESS),
                         way == FAULT_TO_STORE ? 0 : MESSAGES);
    }
}

static void a_region_that_is_cut_off_reaches_no_shard(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_REGION_CUT, 0, 10)->shards.count = 0;
    fault_case_target(&faults, 3);

    assert_int_equal(lost_count(&faults, FAULT_TO_STORE), MESSAGES);
    assert_int_equal(lost_count(&faults, FAULT_TO_PROCESS), MESSAGES);
    assert_false(fault_message(&faults.list, 0, FAULT_TO_STORE, 4, 1, 1).lost);
}

static void delays_add_up_and_are_spread_evenly(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    uint64_t sum_ns = 0;
    fault_case_add(&faults, FAULT_DELAY, 0, 10)->added_ns = 1000;
    struct fault *spread = fault_case_add(&faults, FAULT_DELAY, 0, 10);
    spread->added_ns = 500;
    spread->spread_ns = 2000;

    for (uint64_t number = 0; number < MESSAGES; number++) {
        const struct fault_fate fate = fate_of(&faults, 0, FAULT_TO_PROCESS, number);
        assert_in_range(fate.delay_ns, 1500, 3500);
        sum_ns += fate.delay_ns;
    }
    assert_in_range(sum_ns / MESSAGES, 2500 - 30, 2500 + 30);
    assert_int_equal(faults.fired[0], MESSAGES);
}

static void a_doubled_ask_comes_again_after_a_while(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned doubled = 0;
    struct fault *duplicate = fault_case_add(&faults, FAULT_DUPLICATE, 0, 10);
    duplicate->probability_ppm = 200000;
    duplicate->spread_ns = 1000;
    fault_case_add(&faults, FAULT_DELAY, 0, 10)->added_ns = 70;

    for (uint64_t number = 0; number < MESSAGES; number++) {
        const struct fault_fate fate = fate_of(&faults, 0, FAULT_TO_STORE, number);
        assert_int_equal(fate.delay_ns, 70);
        assert_in_range(fate.copy_delay_ns, fate.doubled ? 70 : 0, fate.doubled ? 1070 : 0);
        doubled += fate.doubled;
        assert_false(fate_of(&faults, 0, FAULT_TO_PROCESS, number).doubled);
    }
    ASSERT_A_FIFTH(doubled);
    assert_int_equal(faults.fired[0], doubled);
}

static void what_is_lost_is_neither_late_nor_doubled(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_DUPLICATE, 0, 10);
    fault_case_add(&faults, FAULT_PARTITION, 0, 10);
    fault_case_add(&faults, FAULT_DELAY, 0, 10)->added_ns = 70;

    const struct fault_fate fate = fate_of(&faults, 0, FAULT_TO_STORE, 1);
    assert_true(fate.lost);
    assert_false(fate.doubled);
    assert_int_equal(fate.delay_ns + fate.copy_delay_ns, 0);
    assert_int_equal(faults.fired[0], 0);
    assert_int_equal(faults.fired[1], 1);
    assert_int_equal(faults.fired[2], 0);
}

static void a_fault_does_not_shift_the_lots_of_another(void **state)
{
    (void)state;
    struct fault_case alone = {0};
    struct fault_case both = {0};
    fault_case_add(&alone, FAULT_LOSS, 0, 10)->probability_ppm = 200000;
    fault_case_add(&both, FAULT_LOSS, 0, 10)->probability_ppm = 200000;
    fault_case_add(&both, FAULT_REQUEST_LOST, 0, 10)->probability_ppm = 200000;

    (void)lost_count(&alone, FAULT_TO_STORE);
    const unsigned lost = lost_count(&both, FAULT_TO_STORE);
    assert_int_equal(both.fired[0], alone.fired[0]);
    ASSERT_A_FIFTH(both.fired[1]);
    assert_true(lost < both.fired[0] + both.fired[1]); /* some by both */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_messages_arrive_once_and_on_time),
        cmocka_unit_test(a_loss_takes_its_part_of_the_messages_of_both_ways),
        cmocka_unit_test(a_lost_request_is_an_ask),
        cmocka_unit_test(a_lost_reply_is_not_lost_on_its_way),
        cmocka_unit_test(a_fault_is_over_at_its_end_and_concerns_its_targets_alone),
        cmocka_unit_test(a_partition_is_of_one_way_or_of_both),
        cmocka_unit_test(a_region_that_is_cut_off_reaches_no_shard),
        cmocka_unit_test(delays_add_up_and_are_spread_evenly),
        cmocka_unit_test(a_doubled_ask_comes_again_after_a_while),
        cmocka_unit_test(what_is_lost_is_neither_late_nor_doubled),
        cmocka_unit_test(a_fault_does_not_shift_the_lots_of_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
