/* Whole fleets whose asks and answers get lost, come twice and come late: what is admitted on the
 * store's word keeps the contract, nothing is carried out twice, and the books balance. */
#include "fleet.h"

#define SEEDS 12

struct totals {
    uint64_t spent_units;
    uint64_t unheard_units;
    struct weir_limiter_counts counts;
};

static void play(uint64_t seed, struct weir_plan plan, struct totals *totals)
{
    struct fleet *fleet = fleet_new(seed);
    const uint64_t gap_ns = MS_NS;

    fleet->delay_min_ns = 100 * US_NS;
    fleet->delay_max_ns = seed % 3 == 0 ? 8 * MS_NS : 300 * US_NS;
    fleet->loss_ppm = seed % 4 == 0 ? 300000 : 20000;
    fleet->copy_ppm = 50000;
    fleet->wait_max_ns = WEIR_WAIT_MAX_NS;
    fleet->ask_timeout_ns = WEIR_ASK_TIMEOUT_NS;
    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, seed * 777);
    fleet_add_key(fleet, 0, seed * 12345);
    fleet_start(fleet, 3, 4);
    while (fleet->now_ns < 20 * SECOND_NS) {
        fleet_run_for(fleet, dice_below(&fleet->dice, 2 * gap_ns));
        const uint32_t process = (uint32_t)dice_below(&fleet->dice, 3);
        fleet_request(fleet, process, (uint32_t)dice_below(&fleet->dice, 2),
                      1 + (uint32_t)dice_below(&fleet->dice, 3));
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(fleet->keys[i].over_units, 0);
    }
    fleet->loss_ppm =
        1; /* next to nothing: else last words expire before a breaker lets them pass */
    fleet_run_for(fleet, 5 * SECOND_NS);
    fleet_shutdown(fleet);
    totals->spent_units += fleet->spent_units;
    totals->unheard_units += fleet_unheard_units(fleet);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        struct weir_limiter_counts counts;
        weir_limiter_counts(fleet_limiter(fleet, i), &counts);
        totals->counts.asks_repeated += counts.asks_repeated;
        totals->counts.asks_expired += counts.asks_expired;
        totals->counts.breaker_openings += counts.breaker_openings;
        totals->counts.probes += counts.probes;
    }
    fleet_free(fleet);
}

static void whatever_gets_lost_the_contract_holds_and_the_books_balance(void **state)
{
    (void)state;
    struct totals totals = {0};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        play(seed, bucket_plan(400, 500), &totals);
        play(seed, window_plan(2000, 5 * SECOND_US), &totals);
    }
    assert_true(totals.spent_units > SEEDS * 5000);
    assert_true(totals.counts.asks_repeated > SEEDS * 20);
    assert_true(totals.counts.breaker_openings > SEEDS);
    assert_true(totals.counts.probes >= totals.counts.breaker_openings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_gets_lost_the_contract_holds_and_the_books_balance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
