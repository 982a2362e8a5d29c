/* Clients that react, in a whole world of one process and one key, with hand-computed integers.
 *
 * With per_request coordination a request that reaches an idle store is decided there 260 us after
 * it came (250 us on the way, 10 us of service) and here 510 us after. */
#include "world_run.h"

#define FILE_NAME "test_world_clients.tmp.json"
#define US_NS UINT64_C(1000)
#define MS_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/* One unit a second, one at most, there at the start. Two requests at 0: the second is served 10 us
 * after the first, and denied at 520 us. */
#define TWO_AT_ONCE                                                                                \
    "{\"why\": \"w\", \"duration_s\": 3, \"fleet\": {\"processes\": 1},"                           \
    " \"store\": {\"round_trip_us\": 500}, \"limiter\": {\"coordination\": \"per_request\"},"      \
    " \"plans\": {\"p\": {\"rate_per_s\": 1, \"capacity_units\": 1}}, \"keys\": {\"k\": "          \
    "{\"plan\": \"p\"}},"                                                                          \
    " \"traffic\": {\"keys\": \"k\", \"pattern\": \"burst\", \"requests\": 2}}"

/* A minute's window of 1,000, begun some time before 0, for a process that leases. 1,001 requests
 * at 5 s. */
#define WINDOW                                                                                     \
    "{\"why\": \"w\", \"duration_s\": 70, \"fleet\": {\"processes\": 1},"                          \
    " \"store\": {\"round_trip_us\": 500}, \"plans\": {\"p\": {\"algorithm\": \"window\","         \
    " \"rate_per_min\": 1000}}, \"keys\": {\"k\": {\"plan\": \"p\"}}, \"traffic\": {\"keys\": "    \
    "\"k\", \"pattern\": \"burst\", \"requests\": 1001, \"from_s\": 5}}"

static void play(struct world_run *run, const char *text, const struct sim_on_denial *on_denial)
{
    world_run_load(&run->scenario, FILE_NAME, text);
    run->scenario.traffic[0].on_denial = *on_denial;
    world_run_be_patient(&run->scenario); /* three round trips are more than a request waits */
    world_run_start(run, SIM_KERNEL_HEAP);
}

static const struct sim_clientele_totals *totals(const struct world_run *run)
{
    return sim_clientele_totals(run->world.clientele);
}

static void who_ignores_is_denied_once(void **state)
{
    (void)state;
    const struct sim_on_denial ignore = {.kind = SIM_DENIAL_IGNORE, .attempts_max = 1};
    struct world_run run;

    play(&run, TWO_AT_ONCE, &ignore);

    assert_int_equal(run.world.metrics.requests, 2);
    assert_int_equal(run.world.metrics.denied, 1);
    assert_int_equal(totals(&run)->given_up, 1);
    assert_int_equal(run.world.ideal.given_up, 1);
    assert_int_equal(totals(&run)->retries, 0);
    assert_false(run.world.reacts);
    world_run_free(&run);
}

/* Attempt k = 2, 3, ... comes at 0.52 + 100 (k - 1) + 0.51 (k - 2) ms. The next unit is there 1 s
 * after the first was taken, at 1,000.26 ms: the eleventh attempt comes at 1,005.11 ms and is
 * admitted at 1,005.62 ms. With an ideal limiter it comes at 1,000 ms, and is admitted. */
static void check_a_hundred_milliseconds(const struct sim_on_denial *on_denial)
{
    struct world_run run;

    play(&run, TWO_AT_ONCE, on_denial);

    assert_int_equal(run.world.metrics.requests, 12);
    assert_int_equal(run.world.metrics.admitted, 2);
    assert_int_equal(totals(&run)->retries, 10);
    assert_int_equal(totals(&run)->given_up, 0);
    assert_int_equal(totals(&run)->recovered, 1);
    assert_int_equal(totals(&run)->recovery_max_ns, 1005620 * US_NS - 520 * US_NS);
    assert_int_equal(run.world.ideal.retries, 10);
    assert_int_equal(run.world.ideal.recovery_max_ns, SECOND_NS);
    assert_int_equal(run.result.all.admitted_units, 2);
    assert_int_equal(run.result.all.oracle_units, 2);
    world_run_free(&run);
}

static void who_retries_at_once_keeps_asking_until_there_is_a_unit(void **state)
{
    (void)state;
    const struct sim_on_denial at_once = {
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 1000, .delay_ns = 100 * MS_NS};

    check_a_hundred_milliseconds(&at_once);
}

/* A range that never exceeds the delay: every wait is the delay. */
static void who_backs_off_by_no_more_than_the_delay_waits_the_delay(void **state)
{
    (void)state;
    const struct sim_on_denial backoff = {.kind = SIM_DENIAL_BACKOFF,
                                          .attempts_max = 1000,
                                          .delay_ns = 100 * MS_NS,
                                          .first_ns = 100 * MS_NS,
                                          .longest_ns = 100 * MS_NS};

    check_a_hundred_milliseconds(&backoff);
}

static void who_has_no_attempts_left_gives_up(void **state)
{
    (void)state;
    const struct sim_on_denial at_once = {
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 10, .delay_ns = 100 * MS_NS};
    struct world_run run;

    play(&run, TWO_AT_ONCE, &at_once);

    assert_int_equal(run.world.metrics.requests, 11);
    assert_int_equal(totals(&run)->given_up, 1);
    assert_int_equal(totals(&run)->recovered, 0);
    assert_int_equal(run.world.ideal.given_up, 1);
    world_run_free(&run);
}

/* The third attempt of a client that waits 1.6 s would come after the end. */
static void an_attempt_after_the_end_is_not_made(void **state)
{
    (void)state;
    const struct sim_on_denial at_once = {
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 10, .delay_ns = 1600 * MS_NS};
    struct world_run run;

    world_run_load(&run.scenario, FILE_NAME, TWO_AT_ONCE);
    run.scenario.traffic[0].on_denial = at_once;
    run.scenario.traffic[0].request_count = 4;
    world_run_start(&run, SIM_KERNEL_HEAP);

    /* four at 0: one admitted; three at 1.6 s: one admitted; two would come at 3.2 s */
    assert_int_equal(run.world.metrics.requests, 7);
    assert_int_equal(totals(&run)->recovered, 1);
    assert_int_equal(totals(&run)->cut_off, 2);
    assert_int_equal(run.world.ideal.cut_off, 2);
    world_run_free(&run);
}

static void who_obeys_a_window_is_admitted_when_it_rolls(void **state)
{
    (void)state;
    const struct sim_on_denial obey = {
        .kind = SIM_DENIAL_OBEY, .attempts_max = 3, .delay_ns = MS_NS};
    struct world_run run;

    play(&run, WINDOW, &obey);
    const uint64_t roll_ns = sim_accuracy_interval_end_ns(&run.world.accuracy, 0, 0);
    const struct sim_cell *cells = run.world.accuracy.cells;

    assert_true(roll_ns > 5 * SECOND_NS && roll_ns < 69 * SECOND_NS);
    /* all wait for one answer; the denied one is told so when it comes */
    assert_int_equal(run.world.metrics.requests, 1002);
    assert_int_equal(cells[0].admitted_units, 1000);
    assert_int_equal(cells[1].demand_units, 1);
    assert_int_equal(cells[1].admitted_units, 1);
    assert_int_equal(totals(&run)->retries, 1);
    assert_int_equal(totals(&run)->recovered, 1);
    assert_int_equal(run.world.ideal.retries, 1);
    assert_int_equal(run.world.ideal.recovery_max_ns, roll_ns - 5 * SECOND_NS);
    /* The process knows the store's time give or take half a round trip, and 200 ppm: it admits
     * when the window has surely begun. */
    const uint64_t admitted_ns = 5 * SECOND_NS + totals(&run)->recovery_max_ns;
    assert_true(admitted_ns + MS_NS > roll_ns);
    assert_true(admitted_ns < roll_ns + 2 * 255 * US_NS + 2 * (roll_ns / 5000) + MS_NS);
    assert_int_equal(run.result.all.over_units_max, 0);
    assert_int_equal(run.result.all.under_units_max, 0);
    world_run_free(&run);
}

static void jitter_moves_the_obedient_away_from_the_roll(void **state)
{
    (void)state;
    const struct sim_on_denial jitter = {.kind = SIM_DENIAL_OBEY_JITTER,
                                         .attempts_max = 3,
                                         .delay_ns = MS_NS,
                                         .jitter_ns = SECOND_NS};
    struct world_run run;

    play(&run, WINDOW, &jitter);
    const uint64_t roll_ns = sim_accuracy_interval_end_ns(&run.world.accuracy, 0, 0);

    assert_int_equal(run.world.accuracy.cells[1].admitted_units, 1);
    assert_true(totals(&run)->recovery_max_ns > roll_ns + 20 * MS_NS - 5 * SECOND_NS);
    assert_true(totals(&run)->recovery_max_ns < roll_ns + SECOND_NS + 20 * MS_NS - 5 * SECOND_NS);
    /* the same client, the same draw: what differs is when each limiter said so, and the wait for
     * the answer */
    assert_true(totals(&run)->recovery_max_ns - run.world.ideal.recovery_max_ns < 20 * MS_NS);
    world_run_free(&run);
}

/* Whatever the clients do, each unit of error has a cause, and the contract holds. */
static void check_books(const struct sim_on_denial *on_denial, enum sim_pattern pattern)
{
    static const char text[] =
        "{\"why\": \"w\", \"duration_s\": 30, \"fleet\": {\"processes\": 5},"
        " \"store\": {\"jitter_us\": 100}, \"plans\": {\"b\": {\"rate_per_min\": 60000,"
        " \"capacity_units\": 2000}, \"w\": {\"algorithm\": \"window\", \"rate_per_min\": 60000,"
        " \"window_s\": 6}}, \"keys\": {\"b\": {\"plan\": \"b\"}, \"w\": {\"plan\": \"w\"}},"
        " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 1.5},"
        " {\"keys\": \"w\", \"demand_ratio\": 1.5}]}";
    struct world_run run;

    world_run_load(&run.scenario, FILE_NAME, text);
    for (int i = 0; i < 2; i++) {
        run.scenario.traffic[i].pattern = pattern;
        run.scenario.traffic[i].client_count = 300;
        run.scenario.traffic[i].think_ns = 200 * MS_NS;
        run.scenario.traffic[i].on_denial = *on_denial;
    }
    world_run_start(&run, SIM_KERNEL_HEAP);

    assert_true(run.world.reacts);
    assert_true(run.world.metrics.requests > 40000);
    assert_true(run.world.metrics.denied > 1000);
    assert_int_equal(run.world.metrics.unanswered, 0);
    /* a few wait too long for their answers, and are decided without the store */
    assert_in_range(run.result.all.contract_over_units_max, 0, run.world.watch.degradation.units);
    assert_int_equal(run.result.all.cause_units[SIM_CAUSE_UNEXPLAINED], 0);
    assert_int_equal(run.world.same_arrivals.cause_units[SIM_CAUSE_UNEXPLAINED], 0);
    world_run_free(&run);
}

static void every_unit_has_a_cause_whatever_clients_do(void **state)
{
    (void)state;
    for (enum sim_denial_kind kind = SIM_DENIAL_IGNORE; kind <= SIM_DENIAL_BACKOFF; kind++) {
        const struct sim_on_denial on_denial = {.kind = kind,
                                                .attempts_max = 5,
                                                .delay_ns = 5 * MS_NS,
                                                .jitter_ns = 2 * SECOND_NS,
                                                .first_ns = 10 * MS_NS,
                                                .longest_ns = SECOND_NS};
        if (kind != SIM_DENIAL_IGNORE) {
            check_books(&on_denial, SIM_PATTERN_POISSON);
        }
        check_books(&on_denial, SIM_PATTERN_CLOSED);
    }
}

/* At 0, 1.51, 3.02, ... ms: 1,987 of them in 3 s. Without latency, every millisecond. */
static void a_closed_loop_waits_for_its_answer_before_it_thinks(void **state)
{
    (void)state;
    const struct sim_on_denial ignore = {.kind = SIM_DENIAL_IGNORE, .attempts_max = 1};
    struct world_run run;

    world_run_load(&run.scenario, FILE_NAME, TWO_AT_ONCE);
    run.scenario.plans[0].rate_units = 1000000;
    run.scenario.plans[0].capacity_units = 1000000;
    run.scenario.traffic[0].pattern = SIM_PATTERN_CLOSED;
    run.scenario.traffic[0].client_count = 1;
    run.scenario.traffic[0].think_ns = 1; /* a millisecond then */
    run.scenario.traffic[0].on_denial = ignore;
    world_run_start(&run, SIM_KERNEL_HEAP);

    assert_int_equal(run.world.metrics.requests, 1987);
    assert_int_equal(run.world.metrics.admitted, 1987);
    assert_int_equal(run.result.all.oracle_units, 3000);
    assert_int_equal(run.world.same_arrivals.under_units_max, 0);
    assert_int_equal(run.result.all.under_units_max, 3000 - 1987);
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_ignores_is_denied_once),
        cmocka_unit_test(who_retries_at_once_keeps_asking_until_there_is_a_unit),
        cmocka_unit_test(who_backs_off_by_no_more_than_the_delay_waits_the_delay),
        cmocka_unit_test(who_has_no_attempts_left_gives_up),
        cmocka_unit_test(an_attempt_after_the_end_is_not_made),
        cmocka_unit_test(who_obeys_a_window_is_admitted_when_it_rolls),
        cmocka_unit_test(jitter_moves_the_obedient_away_from_the_roll),
        cmocka_unit_test(every_unit_has_a_cause_whatever_clients_do),
        cmocka_unit_test(a_closed_loop_waits_for_its_answer_before_it_thinks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
