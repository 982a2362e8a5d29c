/* What clients do about a denial, and when: every decision is made by hand. */
#include "unit.h"

#include <string.h>

#include "clientele.h"
#include "weir/decision.h"

#define MS_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/* One key, one burst of `requests` at 1 s, a process or more, 100 s. */
struct fixture {
    struct sim_plan plan;
    struct sim_endpoint endpoint;
    struct sim_endpoint_share mix;
    struct sim_population population;
    struct sim_traffic_spec specs[2];
    struct sim_scenario scenario;
    struct sim_clientele *clientele;
};

static void fixture_init(struct fixture *fixture, uint64_t requests,
                         const struct sim_on_denial *on_denial)
{
    *fixture = (struct fixture){
        .plan = {.rate_units = 100, .rate_period_us = 1000000, .window_us = 1000000},
        .endpoint = {.weight_units = 7},
        .mix = {.share_ppm = 1000000},
        .population = {.name = "keys", .key_count = 1, .balance.flip_ns = UINT64_MAX},
        .specs = {{.pattern = SIM_PATTERN_BURST,
                   .request_count = requests,
                   .from_ns = SECOND_NS,
                   .until_ns = 100 * SECOND_NS,
                   .on_denial = *on_denial}},
    };
    fixture->specs[1] = fixture->specs[0];
    fixture->scenario = (struct sim_scenario){
        .seed = 1,
        .duration_ns = 100 * SECOND_NS,
        .process_count = 1,
        .plans = &fixture->plan,
        .plan_count = 1,
        .endpoints = &fixture->endpoint,
        .endpoint_count = 1,
        .populations = &fixture->population,
        .population_count = 1,
        .traffic = fixture->specs,
        .traffic_count = 1,
    };
}

static void begin(struct fixture *fixture, uint64_t requests, const struct sim_on_denial *on_denial)
{
    fixture_init(fixture, requests, on_denial);
    fixture->clientele = sim_clientele_new(&fixture->scenario);
}

static struct sim_arrival next(struct fixture *fixture)
{
    struct sim_arrival arrival;

    assert_true(sim_clientele_next(fixture->clientele, UINT64_MAX, &arrival));
    return arrival;
}

static void assert_no_more(struct fixture *fixture)
{
    struct sim_arrival arrival;

    assert_false(sim_clientele_next(fixture->clientele, UINT64_MAX, &arrival));
}

/* Deny it `after_ns` after it came; the time from there to the next attempt. */
static uint64_t wait_after_denial(struct fixture *fixture, struct sim_arrival *arrival,
                                  uint64_t after_ns, uint64_t retry_after_ns)
{
    const uint64_t denied_ns = arrival->time_ns + after_ns;

    sim_clientele_denied(fixture->clientele, arrival->job, denied_ns, retry_after_ns);
    *arrival = next(fixture);
    return arrival->time_ns - denied_ns;
}

static const struct sim_clientele_totals *totals(const struct fixture *fixture)
{
    return sim_clientele_totals(fixture->clientele);
}

static void who_ignores_a_denial_does_not_come_back(void **state)
{
    (void)state;
    const struct sim_on_denial ignore = {.kind = SIM_DENIAL_IGNORE, .attempts_max = 5};
    struct fixture fixture;

    begin(&fixture, 1, &ignore);
    const struct sim_arrival arrival = next(&fixture);
    sim_clientele_denied(fixture.clientele, arrival.job, arrival.time_ns, 1);

    assert_true(arrival.job == SIM_JOB_NONE);
    assert_no_more(&fixture);
    assert_int_equal(totals(&fixture)->given_up, 1);
    assert_int_equal(totals(&fixture)->retries, 0);
    assert_true(sim_clientele_reaction_ns(&fixture.scenario) == UINT64_MAX);
    sim_clientele_free(fixture.clientele);
}

static void
who_retries_at_once_comes_a_delay_after_the_decision_until_the_last_attempt(void **state)
{
    (void)state;
    const struct sim_on_denial at_once = {
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 3, .delay_ns = 2 * MS_NS};
    struct fixture fixture;

    begin(&fixture, 1, &at_once);
    struct sim_arrival arrival = next(&fixture);

    assert_int_equal(arrival.time_ns, SECOND_NS);
    assert_int_equal(wait_after_denial(&fixture, &arrival, 500, SECOND_NS), 2 * MS_NS);
    assert_int_equal(arrival.time_ns, SECOND_NS + 500 + 2 * MS_NS);
    assert_int_equal(wait_after_denial(&fixture, &arrival, 700, WEIR_RETRY_NEVER), 2 * MS_NS);
    sim_clientele_denied(fixture.clientele, arrival.job, arrival.time_ns, 1);
    assert_no_more(&fixture);
    assert_int_equal(totals(&fixture)->retries, 2);
    assert_int_equal(totals(&fixture)->given_up, 1);
    assert_int_equal(sim_clientele_reaction_ns(&fixture.scenario), 2 * MS_NS);
    sim_clientele_free(fixture.clientele);
}

static void an_attempt_is_the_same_request_again(void **state)
{
    (void)state;
    const struct sim_on_denial at_once = {
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 2, .delay_ns = MS_NS};
    struct fixture fixture;

    fixture_init(&fixture, 1, &at_once);
    fixture.population.mix = &fixture.mix;
    fixture.population.mix_count = 1;
    fixture.clientele = sim_clientele_new(&fixture.scenario);
    struct sim_arrival arrival = next(&fixture);
    (void)wait_after_denial(&fixture, &arrival, 0, 1);

    assert_int_equal(arrival.key, 0);
    assert_int_equal(arrival.cost_units, 7);
    assert_int_equal(arrival.endpoint, 0);
    assert_int_equal(arrival.process, 0);
    sim_clientele_free(fixture.clientele);
}

static void who_obeys_waits_as_long_as_told_but_at_least_the_delay(void **state)
{
    (void)state;
    const struct sim_on_denial obey = {
        .kind = SIM_DENIAL_OBEY, .attempts_max = 9, .delay_ns = 2 * MS_NS};
    struct fixture fixture;

    begin(&fixture, 1, &obey);
    struct sim_arrival arrival = next(&fixture);

    assert_int_equal(wait_after_denial(&fixture, &arrival, 0, 12345678), 12345678);
    assert_int_equal(wait_after_denial(&fixture, &arrival, 0, 1), 2 * MS_NS);
    sim_clientele_denied(fixture.clientele, arrival.job, arrival.time_ns, WEIR_RETRY_NEVER);
    assert_no_more(&fixture);
    assert_int_equal(totals(&fixture)->given_up, 1);
    sim_clientele_free(fixture.clientele);
}

/* Of 1,000 clients denied at once: the least, largest and mean time to their second attempt. */
static void waits_of_many(const struct sim_on_denial *on_denial, uint64_t retry_after_ns,
                          unsigned denials, uint64_t waits_ns[3])
{
    struct fixture fixture;
    static struct sim_arrival arrivals[1000];
    uint64_t denied_ns = 0;

    begin(&fixture, 1000, on_denial);
    for (unsigned round = 0; round <= denials; round++) {
        waits_ns[0] = UINT64_MAX;
        waits_ns[1] = 0;
        waits_ns[2] = 0;
        for (int i = 0; i < 1000; i++) {
            arrivals[i] = next(&fixture);
            const uint64_t waited_ns = arrivals[i].time_ns - denied_ns;
            waits_ns[0] = waited_ns < waits_ns[0] ? waited_ns : waits_ns[0];
            waits_ns[1] = waited_ns > waits_ns[1] ? waited_ns : waits_ns[1];
            waits_ns[2] += waited_ns / 1000;
        }
        denied_ns = arrivals[999].time_ns;
        for (int i = 0; i < 1000 && round < denials; i++) {
            sim_clientele_denied(fixture.clientele, arrivals[i].job, denied_ns, retry_after_ns);
        }
    }
    sim_clientele_free(fixture.clientele);
}

static void jitter_comes_on_top_of_what_was_told(void **state)
{
    (void)state;
    const struct sim_on_denial jitter = {.kind = SIM_DENIAL_OBEY_JITTER,
                                         .attempts_max = 9,
                                         .delay_ns = MS_NS,
                                         .jitter_ns = 8 * SECOND_NS};
    uint64_t waits_ns[3];

    waits_of_many(&jitter, 5 * SECOND_NS, 1, waits_ns);

    assert_true(waits_ns[0] >= 5 * SECOND_NS && waits_ns[0] < 5 * SECOND_NS + 80 * MS_NS);
    assert_true(waits_ns[1] <= 13 * SECOND_NS && waits_ns[1] > 13 * SECOND_NS - 80 * MS_NS);
    /* 9 s give or take four standard errors of 8 / sqrt(12 x 1,000) s */
    assert_true(waits_ns[2] > 9 * SECOND_NS - 300 * MS_NS);
    assert_true(waits_ns[2] < 9 * SECOND_NS + 300 * MS_NS);
}

/* Uniform in [0, first x 2^n]: 1 s, 2 s, 4 s, then no longer than 5 s; and never below the delay.
 */
static void backing_off_doubles_the_range_up_to_the_longest(void **state)
{
    (void)state;
    const struct sim_on_denial backoff = {.kind = SIM_DENIAL_BACKOFF,
                                          .attempts_max = 9,
                                          .delay_ns = 100 * MS_NS,
                                          .first_ns = SECOND_NS,
                                          .longest_ns = 5 * SECOND_NS};
    static const uint64_t ranges_ns[] = {SECOND_NS, 2 * SECOND_NS, 4 * SECOND_NS, 5 * SECOND_NS,
                                         5 * SECOND_NS};

    for (unsigned n = 0; n < 5; n++) {
        uint64_t waits_ns[3];

        waits_of_many(&backoff, 77, n + 1, waits_ns);

        assert_int_equal(waits_ns[0], 100 * MS_NS); /* at least a fiftieth of 1,000 fall below */
        assert_true(waits_ns[1] <= ranges_ns[n] && waits_ns[1] > ranges_ns[n] / 100 * 99);
        assert_true(waits_ns[2] > ranges_ns[n] / 100 * 46);
        assert_true(waits_ns[2] < ranges_ns[n] / 100 * 56);
    }
}

static void a_recovery_is_measured_from_the_first_denial_to_the_admission(void **state)
{
    (void)state;
    const struct sim_on_denial at_once = {
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 9, .delay_ns = MS_NS};
    struct fixture fixture;

    begin(&fixture, 2, &at_once);
    struct sim_arrival first = next(&fixture);
    const struct sim_arrival second = next(&fixture);
    sim_clientele_admitted(fixture.clientele, second.job, second.time_ns); /* never denied */
    (void)wait_after_denial(&fixture, &first, 10, 1);
    (void)wait_after_denial(&fixture, &first, 20, 1);
    sim_clientele_admitted(fixture.clientele, first.job, first.time_ns + 30);

    assert_int_equal(totals(&fixture)->recovered, 1);
    assert_true(totals(&fixture)->recovery_sum_ns == 2 * MS_NS + 20 + 30);
    assert_int_equal(totals(&fixture)->recovery_max_ns, 2 * MS_NS + 20 + 30);
    assert_no_more(&fixture);
    sim_clientele_free(fixture.clientele);
}

static void an_attempt_due_at_the_end_is_cut_off(void **state)
{
    (void)state;
    const struct sim_on_denial obey = {
        .kind = SIM_DENIAL_OBEY, .attempts_max = 9, .delay_ns = MS_NS};
    struct fixture fixture;

    begin(&fixture, 2, &obey);
    struct sim_arrival arrival = next(&fixture);
    const struct sim_arrival other = next(&fixture);
    sim_clientele_denied(fixture.clientele, other.job, SECOND_NS, 99 * SECOND_NS);
    assert_int_equal(wait_after_denial(&fixture, &arrival, 0, 99 * SECOND_NS - 1),
                     99 * SECOND_NS - 1);

    assert_no_more(&fixture);
    assert_int_equal(totals(&fixture)->cut_off, 1);
    assert_int_equal(totals(&fixture)->given_up, 0);
    sim_clientele_free(fixture.clientele);
}

/* Two orders of handing in the same denials: the same attempts, to the nanosecond and the process.
 */
static void nothing_depends_on_the_order_in_which_decisions_come_in(void **state)
{
    (void)state;
    const struct sim_on_denial jitter = {
        .kind = SIM_DENIAL_OBEY_JITTER, .attempts_max = 9, .delay_ns = MS_NS, .jitter_ns = 1000};
    static struct sim_arrival attempts[2][100];

    for (int order = 0; order < 2; order++) {
        struct fixture fixture;
        struct sim_arrival arrivals[100];

        fixture_init(&fixture, 50, &jitter);
        fixture.scenario.traffic_count = 2;
        fixture.scenario.process_count = 40;
        fixture.clientele = sim_clientele_new(&fixture.scenario);
        for (int i = 0; i < 100; i++) {
            arrivals[i] = next(&fixture);
        }
        for (int i = 0; i < 100; i++) {
            const struct sim_arrival *arrival = &arrivals[order == 0 ? i : 99 - i];
            sim_clientele_denied(fixture.clientele, arrival->job, 2 * SECOND_NS, 1);
        }
        for (int i = 0; i < 100; i++) {
            attempts[order][i] = next(&fixture);
            attempts[order][i].job = 0; /* a handle */
        }
        sim_clientele_free(fixture.clientele);
    }

    assert_memory_equal(attempts[0], attempts[1], sizeof attempts[0]);
    assert_true(attempts[0][0].time_ns != attempts[0][99].time_ns);
    assert_true(attempts[0][0].process != attempts[0][1].process ||
                attempts[0][1].process != attempts[0][2].process);
}

/* ---- closed loops ---- */

static void closed_init(struct fixture *fixture, uint32_t clients, uint64_t think_ns)
{
    const struct sim_on_denial ignore = {.kind = SIM_DENIAL_IGNORE};

    fixture_init(fixture, 1, &ignore);
    fixture->population.key_count = 3;
    fixture->specs[0].pattern = SIM_PATTERN_CLOSED;
    fixture->specs[0].client_count = clients;
    fixture->specs[0].think_ns = think_ns;
    fixture->clientele = sim_clientele_new(&fixture->scenario);
}

static void each_client_of_each_key_begins_within_the_first_think_time(void **state)
{
    (void)state;
    struct fixture fixture;
    unsigned by_key[3] = {0};
    uint64_t latest_ns = 0;
    uint64_t earliest_ns = UINT64_MAX;

    closed_init(&fixture, 100, 10 * SECOND_NS);
    for (int i = 0; i < 300; i++) {
        const struct sim_arrival arrival = next(&fixture);
        by_key[arrival.key]++;
        latest_ns = arrival.time_ns;
        earliest_ns = arrival.time_ns < earliest_ns ? arrival.time_ns : earliest_ns;
    }

    assert_no_more(&fixture); /* until one of them is decided */
    for (int key = 0; key < 3; key++) {
        assert_int_equal(by_key[key], 100);
    }
    assert_true(earliest_ns >= SECOND_NS && earliest_ns < SECOND_NS + SECOND_NS / 2);
    assert_true(latest_ns < 11 * SECOND_NS && latest_ns > 10 * SECOND_NS + SECOND_NS / 2);
    assert_int_equal(sim_clientele_reaction_ns(&fixture.scenario), MS_NS);
    sim_clientele_free(fixture.clientele);
}

/* 3,000 thoughts of 10 s in the mean: give or take four standard errors, 0.73 s. */
static void a_client_thinks_an_exponential_time_after_an_admission_and_after_giving_up(void **state)
{
    (void)state;
    struct fixture fixture;
    uint64_t ended_ns[3] = {0};
    uint64_t sum_ns = 0;
    unsigned count = 0;

    closed_init(&fixture, 1, 10 * SECOND_NS);
    sim_clientele_free(fixture.clientele);
    fixture.scenario.duration_ns = 10000 * SECOND_NS;
    fixture.specs[0].until_ns = 10000 * SECOND_NS;
    fixture.clientele = sim_clientele_new(&fixture.scenario);
    for (struct sim_arrival arrival; sim_clientele_next(fixture.clientele, UINT64_MAX, &arrival);) {
        if (ended_ns[arrival.key] != 0) {
            const uint64_t thought_ns = arrival.time_ns - ended_ns[arrival.key];
            assert_true(thought_ns >= MS_NS);
            sum_ns += thought_ns;
            count++;
        }
        ended_ns[arrival.key] = arrival.time_ns + MS_NS;
        if (arrival.key == 1) {
            sim_clientele_denied(fixture.clientele, arrival.job, ended_ns[1], 1);
        } else {
            sim_clientele_admitted(fixture.clientele, arrival.job, ended_ns[arrival.key]);
        }
    }

    assert_true(count > 2700 && count < 3300);
    assert_true(sum_ns / count > 9200 * MS_NS && sum_ns / count < 10800 * MS_NS);
    assert_int_equal(totals(&fixture)->retries, 0);
    assert_true(totals(&fixture)->given_up > 900);
    assert_int_equal(totals(&fixture)->cut_off, 0);
    sim_clientele_free(fixture.clientele);
}

static void a_client_leaves_when_its_time_is_up_but_ends_the_job_it_has(void **state)
{
    (void)state;
    const struct sim_on_denial at_once = {
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 9, .delay_ns = SECOND_NS};
    struct fixture fixture;

    fixture_init(&fixture, 1, &at_once);
    fixture.specs[0].pattern = SIM_PATTERN_CLOSED;
    fixture.specs[0].client_count = 1;
    fixture.specs[0].think_ns = 1; /* a millisecond then */
    fixture.specs[0].until_ns = SECOND_NS + 5 * MS_NS / 2;
    fixture.clientele = sim_clientele_new(&fixture.scenario);
    struct sim_arrival arrival = next(&fixture);
    assert_int_equal(arrival.time_ns, SECOND_NS);
    sim_clientele_admitted(fixture.clientele, arrival.job, SECOND_NS);
    arrival = next(&fixture);
    assert_int_equal(arrival.time_ns, SECOND_NS + MS_NS);
    assert_int_equal(wait_after_denial(&fixture, &arrival, 0, 1), SECOND_NS);
    sim_clientele_admitted(fixture.clientele, arrival.job, arrival.time_ns);

    assert_no_more(&fixture);
    sim_clientele_free(fixture.clientele);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_ignores_a_denial_does_not_come_back),
        cmocka_unit_test(
            who_retries_at_once_comes_a_delay_after_the_decision_until_the_last_attempt),
        cmocka_unit_test(an_attempt_is_the_same_request_again),
        cmocka_unit_test(who_obeys_waits_as_long_as_told_but_at_least_the_delay),
        cmocka_unit_test(jitter_comes_on_top_of_what_was_told),
        cmocka_unit_test(backing_off_doubles_the_range_up_to_the_longest),
        cmocka_unit_test(a_recovery_is_measured_from_the_first_denial_to_the_admission),
        cmocka_unit_test(an_attempt_due_at_the_end_is_cut_off),
        cmocka_unit_test(nothing_depends_on_the_order_in_which_decisions_come_in),
        cmocka_unit_test(each_client_of_each_key_begins_within_the_first_think_time),
        cmocka_unit_test(
            a_client_thinks_an_exponential_time_after_an_admission_and_after_giving_up),
        cmocka_unit_test(a_client_leaves_when_its_time_is_up_but_ends_the_job_it_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
