/* Asks of a limiter that does not know the store's time yet. */
#include "flight_desk.h"

/* An answer across a step of the host's clock teaches no time; but for the first one, by which what
 * it grants has to be judged. The next may say better. */
static void a_first_answer_across_a_step_teaches_time_with_doubt(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &ask);
    desk.limiter->clock = (struct clock_offset){0};

    desk.now_ns -= NS_PER_S;
    desk_hear(&desk, &answer);

    assert_true(desk.limiter->clock.known);
    assert_true(desk.limiter->clock.error_ns > desk.limiter->options.ask_timeout_ns);
}

/* An ask that says no time can be repeated for a second only, and blocks its key until it is
 * written off: it charges nothing, so that no charge gets lost with it. */
static void a_charge_waits_until_the_stores_time_is_known(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk.limiter->clock = (struct clock_offset){0};
    desk.limiter->plans[0].degraded = WEIR_DEGRADED_OPEN;
    desk_wait(&desk, 1, 1);
    const struct weir_ask first = desk_ask(&desk);
    struct weir_ask ask = first;

    for (unsigned i = 0; i < 2; i++) {
        const uint64_t sent_ns = desk.now_ns;
        const uint32_t sequence = ask.id.sequence;
        while (ask.id.sequence == sequence) {
            next_deadline(&desk);
            (void)weir_limiter_next_ask(desk.limiter, desk.now_ns, &ask);
        }
        assert_in_range(desk.now_ns - sent_ns, NS_PER_S, NS_PER_S + NS_PER_MS);
        assert_int_equal(ask.expires_us, 0);
        assert_int_equal(ask.charge_units, 0);
    }
    assert_int_equal(counts_of(&desk).degraded_admitted, 1);

    desk.now_ns += DESK_ROUND_TRIP_NS;
    desk_hear(&desk, &(struct weir_answer){.key = ask.key, .id = ask.id, .store_us = START_US});
    ask = desk_ask(&desk);
    assert_int_equal(ask.charge_units, 1);
    assert_true(ask.expires_us > START_US + 59 * WEIR_RECORD_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_answer_across_a_step_teaches_time_with_doubt),
        cmocka_unit_test(a_charge_waits_until_the_stores_time_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
