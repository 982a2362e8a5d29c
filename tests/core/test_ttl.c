/* B28: a state has an end, and forgetting it then changes no answer. */
#include "unit.h"

#include "store_faults.h"

static struct store_desk desk;

/* Random asks; then nothing, until the state may be forgotten. A new one grants the same. */
static void b28_what_is_forgotten_was_worth_nothing(void **state)
{
    (void)state;
    static const enum weir_algorithm KINDS[] = {WEIR_ALGORITHM_BUCKET, WEIR_ALGORITHM_WINDOW,
                                                WEIR_ALGORITHM_SLIDING, WEIR_ALGORITHM_LOG};
    struct weir_log_entry entries[2][51];

    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct dice dice = {seed};
        const struct weir_plan plan = seed % 4 == 0 ? bucket_plan(1 + dice_below(&dice, 20), 50)
                                                    : windowed_plan(KINDS[seed % 4], 50, MINUTE_US);
        uint64_t now_us = START_US;
        desk = (struct store_desk){.run = {.id = 5}};
        (void)weir_store_key_set_log(&desk.store, entries[0], 51);
        for (unsigned step = 0; step < 40; step++) {
            const uint32_t process = (uint32_t)dice_below(&dice, 3);
            struct weir_ask ask = desk_ask(&desk, &plan, process, (uint32_t)dice_below(&dice, 9));
            now_us += dice_below(&dice, 3 * SECOND_US);
            ask.want_units += (uint32_t)dice_below(&dice, 20);
            ask.charge_units = dice_below(&dice, 6) == 0 ? 40 : 0;
            ask.charge_from_us = now_us - SECOND_US;
            ask.charge_until_us = now_us;
            desk.heard[process] = desk_send(&desk, &ask, now_us);
        }
        const uint64_t ttl_us = weir_store_key_ttl_us(&desk.store);
        assert_in_range(ttl_us, 2 * WEIR_SHARE_US, 5 * MINUTE_US);

        struct store_desk fresh = {.run = {.id = 5}};
        (void)weir_store_key_set_log(&fresh.store, entries[1], 51);
        const struct weir_answer kept = desk_take(&desk, &plan, 4, 50, now_us + ttl_us);
        const struct weir_answer anew = desk_take(&fresh, &plan, 4, 50, now_us + ttl_us);

        assert_int_equal(kept.granted_units, 50);
        assert_int_equal(anew.granted_units, kept.granted_units);
        assert_int_equal(anew.remaining_units, kept.remaining_units);
        assert_int_equal(anew.outstanding_units, kept.outstanding_units);
        assert_int_equal(anew.active_processes, kept.active_processes);
        assert_int_equal(anew.lease_end_us, kept.lease_end_us);
    }
}

static void a_debt_is_not_forgotten(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1, 100);
    desk = (struct store_desk){.run = {.id = 5}};

    (void)desk_charge(&desk, &plan, 0, 150, START_US, START_US, START_US);

    assert_int_equal(desk.store.debt_units, 50);
    assert_int_equal(weir_store_key_ttl_us(&desk.store), 150 * SECOND_US);
}

static void what_is_never_refilled_is_kept_for_ever(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    desk = (struct store_desk){.run = {.id = 5}};

    (void)desk_take(&desk, &plan, 0, 1, START_US);

    assert_int_equal(weir_store_key_ttl_us(&desk.store), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b28_what_is_forgotten_was_worth_nothing),
        cmocka_unit_test(a_debt_is_not_forgotten),
        cmocka_unit_test(what_is_never_refilled_is_kept_for_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
