/* Where each unit of an error under faults is booked, on cases computed by hand. */
#include "accuracy_case.h"

#define RATE 60000 /* a minute: 1,000 units a second */

static struct fault faults[2];

/* The faults take part in judging only. */
static void begin(struct accuracy_case *played, uint64_t capacity_units, size_t fault_count)
{
    case_begin(played, RATE, capacity_units, 240, 1);
    played->scenario.faults = (struct fault_list){.faults = faults, .count = fault_count};
}

static void put_fault(size_t index, enum fault_kind kind, uint64_t from_s, uint64_t until_s)
{
    faults[index] = (struct fault){.kind = kind,
                                   .from_ns = from_s * SECOND_NS,
                                   .until_ns = until_s * SECOND_NS,
                                   .processes = {.count = 1},
                                   .shards = {.count = 1}};
}

static void lose(struct accuracy_case *played, enum sim_loss loss, uint64_t at_s, uint64_t units)
{
    sim_accuracy_lost(&played->accuracy, loss, 0, at_s * SECOND_NS, units);
}

static uint64_t cause(const struct accuracy_case *played, enum sim_cause which)
{
    return played->judgement.cause_units[which];
}

static uint64_t sum(const struct accuracy_case *played)
{
    uint64_t units = 0;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        units += played->judgement.cause_units[i];
    }
    return units;
}

/* A bucket of 1,000, of which 700 are asked for and 500 admitted at 59 s; 100 died with a process,
 * 60 were in an answer that got lost, 40 lie in another process. The store refills no more. */
static void what_died_and_what_got_lost_are_not_parked(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin(&played, 1000, 0);
    case_request(&played, 0, 59999999999, 500, true);
    case_request(&played, 0, 59999999999, 200, false);
    sim_accuracy_store(&played.accuracy, 0, 0, 300, 700);
    lose(&played, SIM_LOSS_DEAD, 59, 100);
    lose(&played, SIM_LOSS_REPLY, 59, 60);
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 200);
    assert_int_equal(cause(&played, SIM_CAUSE_DEAD_PROCESS), 100);
    assert_int_equal(cause(&played, SIM_CAUSE_LOST_REPLY), 60);
    assert_int_equal(cause(&played, SIM_CAUSE_PARKED), 40);
    assert_int_equal(sum(&played), 200);
    case_end(&played);
}

static void no_more_died_than_was_parked(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin(&played, 1000, 0);
    case_request(&played, 0, 59999999999, 500, true);
    case_request(&played, 0, 59999999999, 200, false);
    sim_accuracy_store(&played.accuracy, 0, 0, 450, 550); /* 150 were left, beyond the oracle's */
    lose(&played, SIM_LOSS_DEAD, 59, 100);                /* 50 of them taken long ago */
    case_judge(&played);

    assert_int_equal(cause(&played, SIM_CAUSE_DEAD_PROCESS), 50);
    assert_int_equal(cause(&played, SIM_CAUSE_UNCLAIMED), 150);
    assert_int_equal(sum(&played), 200);
    case_end(&played);
}

/* 600 are admitted without the store, which the oracle does not; the store still has its 1,000. */
static void what_was_admitted_without_the_store_is_degraded(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin(&played, 1000, 0);
    case_request(&played, 0, 59999999999, 1000, true);
    case_request(&played, 0, 59999999999, 600, true);
    lose(&played, SIM_LOSS_DEGRADED, 59, 1600);
    sim_accuracy_store(&played.accuracy, 0, 0, 1000, 0);
    case_judge(&played);

    assert_int_equal(case_over(&played, 0, 0), 600);
    assert_int_equal(cause(&played, SIM_CAUSE_DEGRADED), 600);
    assert_int_equal(sum(&played), 600);
    case_end(&played);
}

/* A minute later they are charged; 30 requests are then denied though 30 permits are out. */
static void a_charge_is_no_error_by_itself(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin(&played, RATE, 0);
    case_request(&played, 0, 59999999999, RATE, true);
    lose(&played, SIM_LOSS_DEGRADED, 59, RATE);
    sim_accuracy_store(&played.accuracy, 0, 0, RATE, 0); /* it was full all the time */
    lose(&played, SIM_LOSS_CHARGED, 61, RATE);
    case_request(&played, 0, 119999999999, 30, false);
    /* of a minute's refill, that had room only as the charge was for 60 s ago, 30 are leased */
    sim_accuracy_store(&played.accuracy, 0, 1, RATE - 30, 30);
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0) + case_over(&played, 0, 0), 0);
    assert_int_equal(case_under(&played, 0, 1), 30);
    int64_t part[SIM_CAUSE_COUNT];
    sim_cause_split(&played.accuracy, 0, 1, 30, part);
    assert_int_equal(part[SIM_CAUSE_PARKED], 0); /* not -RATE, made up for by withheld refill */
    assert_int_equal(part[SIM_CAUSE_WITHHELD], 30);
    assert_int_equal(cause(&played, SIM_CAUSE_DEGRADED), 0);
    assert_int_equal(sum(&played), 30);
    case_end(&played);
}

/* 800 taken and spent; then the store forgets, and the same 800 are spent again. */
static void forget(struct accuracy_case *played)
{
    case_request(played, 0, 59999999999, 1000, true);
    case_request(played, 0, 59999999999, 800, true);
    sim_accuracy_store(&played->accuracy, 0, 0, 0, 1800);
    case_judge(played);
}

static void what_a_store_forgot_is_data_lost(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_STORE_FAILOVER, FAULT_STORE_EMPTY,
                                            FAULT_STORE_EVICT, FAULT_STORE_SPLIT};

    for (int i = 0; i < 4; i++) {
        struct accuracy_case played;
        put_fault(0, kinds[i], 30, 31);
        begin(&played, 1000, 1);
        forget(&played);

        assert_int_equal(case_over(&played, 0, 0), 800);
        assert_int_equal(cause(&played, SIM_CAUSE_DATA_LOST), 800);
        assert_int_equal(sum(&played), 800);
        case_end(&played);
    }
}

static void where_the_stores_clock_steps_the_rest_is_clock(void **state)
{
    (void)state;
    struct accuracy_case played;

    put_fault(0, FAULT_STORE_CLOCK, 30, 31);
    begin(&played, 1000, 1);
    forget(&played);

    assert_int_equal(cause(&played, SIM_CAUSE_CLOCK), 800);
    case_end(&played);
}

static void a_fault_explains_its_shard_its_interval_and_the_next_one_only(void **state)
{
    (void)state;
    static const uint64_t forgotten[] = {800, 800, 0};

    for (uint32_t i = 0; i < 3; i++) {
        struct accuracy_case played;
        put_fault(0, FAULT_STORE_FAILOVER, 30, 31);
        begin(&played, 1000, 1);
        for (uint32_t cell = 0; cell < i; cell++) {
            sim_accuracy_store(&played.accuracy, 0, cell, 1000, 0);
        }
        case_request(&played, 0, (i + 1) * MINUTE_NS - 1, 1000, true);
        case_request(&played, 0, (i + 1) * MINUTE_NS - 1, 800, true);
        sim_accuracy_store(&played.accuracy, 0, i, 0, 1800);
        case_judge(&played);

        assert_int_equal(cause(&played, SIM_CAUSE_DATA_LOST), forgotten[i]);
        assert_int_equal(sum(&played), 800);
        case_end(&played);
    }
    struct accuracy_case played;
    static uint8_t none[1] = {0};
    put_fault(0, FAULT_STORE_FAILOVER, 30, 31);
    faults[0].shards.member = none;
    begin(&played, 1000, 1);
    forget(&played);
    assert_int_equal(cause(&played, SIM_CAUSE_DATA_LOST), 0);
    case_end(&played);
}

/* A window's 60,000 are admitted, and 500 more from leases of the window before. */
static void spend_the_window_before(struct accuracy_case *played)
{
    const uint64_t end_ns = sim_accuracy_interval_end_ns(&played->accuracy, 0, 0);

    sim_accuracy_store(&played->accuracy, 0, 0, RATE - 500, 500);
    case_request(played, 0, end_ns, RATE, true);
    case_request(played, 0, end_ns, 500, true);
    sim_accuracy_store(&played->accuracy, 0, 1, 0, RATE);
    case_judge(played);
    assert_int_equal(case_over(played, 0, 1), 500);
}

static void a_wrong_clock_spends_what_was_taken_for_another_window(void **state)
{
    (void)state;
    struct accuracy_case played;

    put_fault(0, FAULT_CLOCK_FROZEN, 30, 100);
    begin(&played, 0, 1);
    spend_the_window_before(&played);
    assert_int_equal(cause(&played, SIM_CAUSE_CLOCK), 500);
    case_end(&played);

    begin(&played, 0, 0); /* and with right clocks it is what it is: spent here, taken before */
    spend_the_window_before(&played);
    assert_int_equal(cause(&played, SIM_CAUSE_CLOCK), 0);
    assert_int_equal(cause(&played, SIM_CAUSE_PARKED), 500);
    case_end(&played);
}

/* By the store's clock the window is over early: what it gives for the next one is spent in this
 * one, and lacks there. */
static void where_the_stores_clock_is_off_its_windows_are_not_the_true_ones(void **state)
{
    (void)state;
    struct accuracy_case played;

    put_fault(0, FAULT_STORE_CLOCK, 30, 100);
    begin(&played, 0, 1);
    spend_the_window_before(&played);
    assert_int_equal(cause(&played, SIM_CAUSE_CLOCK), 500);
    case_end(&played);

    begin(&played, 0, 1);
    const uint64_t end_ns = sim_accuracy_interval_end_ns(&played.accuracy, 0, 1);
    case_request(&played, 0, end_ns, RATE - 500, true);
    case_request(&played, 0, end_ns, 500, false);
    sim_accuracy_store(&played.accuracy, 0, 1, 0, RATE);
    case_judge(&played);
    assert_int_equal(cause(&played, SIM_CAUSE_CLOCK), 500);
    assert_int_equal(cause(&played, SIM_CAUSE_PARKED), 0);
    case_end(&played);
}

/* Not in the store, not out, not spent: the window's own numbers
 * do not show where it is. */
static void a_permit_that_vanished_from_a_window_has_no_innocent_cause(void **state)
{
    (void)state;
    struct accuracy_case played;

    put_fault(0, FAULT_STORE_OUTAGE, 30, 40);
    begin(&played, 0, 1);
    case_request(&played, 0, 10 * SECOND_NS, RATE, true);
    case_request(&played, 0, 10 * SECOND_NS, 1, false);
    /* the oracle's window is used up, and so is the store's; one was not spent, and not taken */
    sim_accuracy_store(&played.accuracy, 0, 0, 0, RATE);
    played.accuracy.cells[0].admitted_units--;
    played.accuracy.cells[0].charged_units--;
    played.accuracy.cells[0].store_taken--;
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 1);
    assert_int_equal(cause(&played, SIM_CAUSE_UNEXPLAINED), 1);
    case_end(&played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_died_and_what_got_lost_are_not_parked),
        cmocka_unit_test(no_more_died_than_was_parked),
        cmocka_unit_test(what_was_admitted_without_the_store_is_degraded),
        cmocka_unit_test(a_charge_is_no_error_by_itself),
        cmocka_unit_test(what_a_store_forgot_is_data_lost),
        cmocka_unit_test(where_the_stores_clock_steps_the_rest_is_clock),
        cmocka_unit_test(a_fault_explains_its_shard_its_interval_and_the_next_one_only),
        cmocka_unit_test(a_wrong_clock_spends_what_was_taken_for_another_window),
        cmocka_unit_test(where_the_stores_clock_is_off_its_windows_are_not_the_true_ones),
        cmocka_unit_test(a_permit_that_vanished_from_a_window_has_no_innocent_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
