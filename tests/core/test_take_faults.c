/* Asks that come again, late or in the wrong order, and probes: each is carried out once or never.
 */
#include "unit.h"

#include <stdbool.h>

#include "store_faults.h"

static struct store_desk desk;
static struct weir_plan plan; /* of rate 0: what is taken stays taken */

static int reset(void **state)
{
    (void)state;
    desk = (struct store_desk){.run = {.id = 5}};
    plan = bucket_plan(0, 1000);
    return 0;
}

static void assert_unchanged(const struct weir_store_key *before)
{
    assert_memory_equal(&desk.store, before, sizeof *before);
}

/* B27, D11: carried out, the answer lost, sent again: neither granted nor debited twice. */
static void b27_d11_an_ask_sent_again_has_one_effect(void **state)
{
    (void)state;
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 10);
    ask.expires_us = START_US + 500 * MS_US;
    ask.charge_units = 30;
    ask.charge_from_us = START_US;
    const struct weir_answer first = desk_send(&desk, &ask, START_US);
    const struct weir_store_key before = desk.store;

    struct weir_answer again = desk_send(&desk, &ask, START_US + 499 * MS_US);

    assert_int_equal(first.granted_units, 10);
    assert_int_equal(first.remaining_units, 960);
    assert_int_equal(again.flags, first.flags | WEIR_ANSWER_REPEATED);
    again.flags = first.flags;
    assert_memory_equal(&again, &first, sizeof again);
    assert_unchanged(&before);
}

static void an_ask_is_carried_out_before_it_expires_or_never(void **state)
{
    (void)state;
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 10);
    ask.expires_us = START_US;
    const struct weir_store_key before = desk.store;

    const struct weir_answer late = desk_send(&desk, &ask, START_US);

    assert_int_equal(late.flags, WEIR_ANSWER_EXPIRED);
    assert_int_equal(late.granted_units, 0);
    assert_int_equal(late.store_us, START_US);
    assert_int_equal(late.run_id, 5);
    assert_int_equal(late.id.sequence, ask.id.sequence);
    assert_unchanged(&before);
    assert_int_equal(desk.records[0].id.sequence, 0);
    assert_int_equal(desk_send(&desk, &ask, START_US - 1).granted_units, 10);
    /* and its record is forgotten when it cannot come again */
    assert_int_equal(desk_send(&desk, &ask, START_US).flags, WEIR_ANSWER_EXPIRED);
    assert_int_equal(weir_store_key_remaining(&desk.store), 990);
}

static void an_ask_without_an_end_is_remembered_for_a_second(void **state)
{
    (void)state;
    const struct weir_ask ask = desk_ask(&desk, &plan, 0, 10);

    (void)desk_send(&desk, &ask, START_US);

    assert_int_equal(desk.records[0].expires_us, START_US + WEIR_RECORD_US);
    assert_true(desk_send(&desk, &ask, START_US + WEIR_RECORD_US - 1).flags & WEIR_ANSWER_REPEATED);
}

static void an_ask_overtaken_by_a_later_one_is_not_carried_out(void **state)
{
    (void)state;
    const struct weir_ask early = desk_ask(&desk, &plan, 0, 10);
    const struct weir_ask late = desk_ask(&desk, &plan, 0, 20);
    struct weir_ask spend = desk_ask(&desk, &plan, 0, 1);

    assert_int_equal(desk_send(&desk, &late, START_US).granted_units, 20);
    const struct weir_store_key before = desk.store;

    assert_int_equal(desk_send(&desk, &early, START_US + 1).flags, WEIR_ANSWER_EXPIRED);
    assert_unchanged(&before);
    assert_true(desk_send(&desk, &late, START_US + 2).flags & WEIR_ANSWER_REPEATED);
    /* requests that the store decides one by one may come in any order */
    spend.id.sequence = early.id.sequence;
    spend.flags = WEIR_ASK_SPEND;
    assert_int_equal(desk_send(&desk, &spend, START_US + 3).granted_units, 1);
}

static void sequence_numbers_go_round(void **state)
{
    (void)state;
    desk.last_sequence = UINT32_MAX - 1;
    const struct weir_ask last = desk_ask(&desk, &plan, 0, 1);
    desk.last_sequence = 0;
    const struct weir_ask first = desk_ask(&desk, &plan, 0, 2);

    assert_int_equal(desk_send(&desk, &last, START_US).granted_units, 1);
    assert_int_equal(desk_send(&desk, &first, START_US).granted_units, 2);
    assert_int_equal(desk_send(&desk, &last, START_US).flags, WEIR_ANSWER_EXPIRED);
}

/* D15: a new process with an old one's number is another: its asks are no repetitions, whatever
 * their sequence, and overtake nothing. */
static void d15_another_incarnation_has_records_of_its_own(void **state)
{
    (void)state;
    const struct weir_ask old = desk_ask(&desk, &plan, 0, 10);
    struct weir_ask young = old;
    young.id.incarnation = 8;
    struct weir_ask_record records[2] = {0};
    struct weir_answer answer;

    for (unsigned i = 0; i < 2; i++) {
        const struct weir_ask *ask = i == 0 ? &old : &young;
        assert_int_equal(weir_take(&desk.store, &records[i], ask, START_US, &desk.run, &answer),
                         WEIR_OK);
        assert_int_equal(answer.granted_units, 10);
    }
    assert_int_equal(weir_take(&desk.store, &records[0], &old, START_US + 1, &desk.run, &answer),
                     WEIR_OK);
    assert_true(answer.flags & WEIR_ANSWER_REPEATED);
    assert_int_equal(weir_store_key_remaining(&desk.store), 980);
    /* a record that was found by the number alone is no record */
    assert_int_equal(weir_take(&desk.store, &records[1], &old, START_US + 1, &desk.run, &answer),
                     WEIR_OK);
    assert_int_equal(answer.flags & (WEIR_ANSWER_REPEATED | WEIR_ANSWER_EXPIRED), 0);
}

static void a_probe_changes_nothing(void **state)
{
    (void)state;
    struct weir_ask probe = desk_ask(&desk, &plan, 0, 10);
    probe.flags = WEIR_ASK_PROBE;
    const struct weir_store_key never_seen = desk.store;

    const struct weir_answer answer = desk_send(&desk, &probe, START_US);

    assert_int_equal(answer.flags, WEIR_ANSWER_PROBED);
    assert_int_equal(answer.store_us, START_US);
    assert_int_equal(answer.run_id, 5);
    assert_int_equal(answer.version, 0);
    assert_int_equal(answer.granted_units, 0);
    assert_unchanged(&never_seen);
    assert_int_equal(desk.records[0].id.sequence, 0);
    (void)desk_take(&desk, &plan, 0, 10, START_US);
    const struct weir_store_key seen = desk.store;
    assert_int_equal(desk_send(&desk, &probe, START_US + 1).flags, WEIR_ANSWER_PROBED);
    assert_unchanged(&seen);
}

/* D34: what expired was refilled; what comes back of it at the same time is not credited too. */
static void d34_an_expired_refund_is_not_credited(void **state)
{
    (void)state;
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 0);
    ask.want_units = 100;
    ask.flight_us = 0;
    const struct weir_answer lease = desk_send(&desk, &ask, START_US);
    struct weir_ask refund = desk_ask(&desk, &plan, 0, 0);
    refund.flags = WEIR_ASK_RETURN;
    refund.lease_end_us = lease.lease_end_us;
    refund.returned_units = lease.granted_units;
    assert_true(lease.granted_units != 0);

    (void)desk_send(&desk, &refund, lease.lease_end_us);

    assert_int_equal(weir_store_key_remaining(&desk.store), 1000 - lease.granted_units);
    assert_int_equal(weir_store_key_out(&desk.store), 0);
}

/* Whatever is lost, repeated, late or out of order: what is granted, as the processes could know at
 * the best, is what is missing from the bucket. */
static void no_fault_on_the_way_grants_or_debits_twice(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct dice dice = {seed};
        struct weir_ask sent[256];
        bool applied[256] = {0};
        uint64_t granted = 0;
        uint32_t count = 0;
        uint64_t now_us = START_US;
        desk = (struct store_desk){.run = {.id = 5}};
        plan = bucket_plan(0, 1000);
        for (unsigned step = 0; step < 400; step++) {
            now_us += dice_below(&dice, 2 * MS_US);
            const uint32_t recent = count < 12 ? count : 12;
            uint32_t which = count - recent + (uint32_t)dice_below(&dice, recent + 1);
            if (which == count && count < 256) {
                const uint32_t process = (uint32_t)dice_below(&dice, 4);
                sent[count] = desk_ask(&desk, &plan, process, 1 + (uint32_t)dice_below(&dice, 9));
                sent[count++].expires_us = now_us + dice_below(&dice, 400 * MS_US);
            } else if (which == count) {
                which--;
            }
            const struct weir_answer answer = desk_send(&desk, &sent[which], now_us);
            if (answer.flags & (WEIR_ANSWER_REPEATED | WEIR_ANSWER_EXPIRED)) {
                assert_true(applied[which] || answer.flags & WEIR_ANSWER_EXPIRED);
                continue;
            }
            assert_false(applied[which]);
            assert_true(now_us < sent[which].expires_us);
            applied[which] = true;
            granted += answer.granted_units;
        }
        assert_true(granted > 100);
        assert_int_equal(weir_store_key_remaining(&desk.store), 1000 - granted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(b27_d11_an_ask_sent_again_has_one_effect, reset),
        cmocka_unit_test_setup(an_ask_is_carried_out_before_it_expires_or_never, reset),
        cmocka_unit_test_setup(an_ask_without_an_end_is_remembered_for_a_second, reset),
        cmocka_unit_test_setup(an_ask_overtaken_by_a_later_one_is_not_carried_out, reset),
        cmocka_unit_test_setup(sequence_numbers_go_round, reset),
        cmocka_unit_test_setup(d15_another_incarnation_has_records_of_its_own, reset),
        cmocka_unit_test_setup(a_probe_changes_nothing, reset),
        cmocka_unit_test_setup(d34_an_expired_refund_is_not_credited, reset),
        cmocka_unit_test_setup(no_fault_on_the_way_grants_or_debits_twice, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
