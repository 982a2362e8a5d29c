/* Circuit breakers: each change of state, what is sent meanwhile, and how often. */
#include "desk.h"

#define FAILURES 5

/* Two shards; a key's low half names its shard, as it does everywhere. */
static struct desk shard_desk(void)
{
    struct weir_plan plan = bucket_plan(100, 1000);

    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 10;
    static _Alignas(64) unsigned char memory[1 << 19];
    const struct weir_limiter_options options = {
        .process = 7,
        .incarnation = 8,
        .table_secret = 9,
        .key_capacity = 300,
        .plan_capacity = 1,
        .waiter_capacity = 300,
        .start_ns = DESK_START_NS,
        .shard_count = 2,
        .ask_capacity = 300,
    };
    struct desk desk = {.now_ns = DESK_START_NS};

    assert_int_equal(weir_limiter_init(&desk.limiter, memory, sizeof memory, &options), WEIR_OK);
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &plan), WEIR_OK);
    clock_learn(&desk.limiter->clock, DESK_START_NS - DESK_ROUND_TRIP_NS, DESK_START_NS, START_US);
    return desk;
}

/* The nth key of a shard. */
static uint64_t key_of(uint32_t shard, unsigned nth)
{
    uint64_t number = 0;

    for (unsigned found = 0; found <= nth;) {
        const struct weir_key key = desk_key(++number);
        found += weir_key_shard(&key, 2) == shard;
    }
    return number;
}

static void expire(struct desk *desk)
{
    while (weir_limiter_next_deadline_ns(desk->limiter) <= desk->now_ns) {
        weir_limiter_expire(desk->limiter, desk->now_ns);
    }
}

/* An ask of its own for the nth key, which fails. */
static void fail_once(struct desk *desk, uint32_t shard, unsigned nth)
{
    desk_wait(desk, key_of(shard, nth), 1);
    const struct weir_ask ask = desk_ask(desk);
    assert_int_equal(weir_limiter_ask_failed(desk->limiter, desk->now_ns, &ask.key, &ask.id,
                                             WEIR_FAILURE_REFUSED),
                     WEIR_OK);
}

static void fail_often(struct desk *desk)
{
    for (unsigned i = 0; i < FAILURES; i++) {
        fail_once(desk, 0, i);
    }
    assert_int_equal(weir_limiter_breaker(desk->limiter, 0), WEIR_BREAKER_OPEN);
}

/* The next probe; nothing else is sent. */
static struct weir_ask wait_for_probe(struct desk *desk)
{
    struct weir_ask ask;

    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t at_ns = weir_limiter_next_deadline_ns(desk->limiter);
        desk->now_ns = at_ns > desk->now_ns ? at_ns : desk->now_ns;
        expire(desk);
        if (weir_limiter_next_ask(desk->limiter, desk->now_ns, &ask)) {
            assert_int_equal(ask.flags, WEIR_ASK_PROBE);
            return ask;
        }
    }
    fail_msg("no probe");
    return ask;
}

static void hear_probe(struct desk *desk, const struct weir_ask *probe)
{
    const struct weir_answer answer = {
        .key = probe->key,
        .id = probe->id,
        .flags = WEIR_ANSWER_PROBED,
        .store_us = desk_store_us(desk),
    };

    desk_hear(desk, &answer);
}

static struct weir_answer lease_of(const struct desk *desk, const struct weir_ask *ask)
{
    struct weir_answer answer = desk_grant(desk, ask);

    answer.granted_units = 10;
    answer.lease_end_us = answer.store_us + 5 * SECOND_US;
    answer.reached_us = answer.store_us;
    return answer;
}

static void only_failures_in_a_row_open_it_and_only_their_shard(void **state)
{
    (void)state;
    struct desk desk = shard_desk();

    for (unsigned i = 0; i < FAILURES - 1; i++) {
        fail_once(&desk, 0, i);
    }
    desk_wait(&desk, key_of(0, 90), 1);
    const struct weir_ask good = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &good);
    desk_hear(&desk, &answer);
    for (unsigned i = 0; i < FAILURES - 1; i++) {
        fail_once(&desk, 0, 10 + i);
        assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_CLOSED);
    }
    fail_once(&desk, 0, 20);
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_OPEN);
    assert_int_equal(weir_limiter_breaker(desk.limiter, 1), WEIR_BREAKER_CLOSED);
    desk_wait(&desk, key_of(1, 0), 1); /* the other shard's keys ask as ever */
    desk_ask(&desk);
}

static void one_that_never_opens_never_does(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    desk.limiter->options.breaker_failures = UINT32_MAX;

    for (unsigned i = 0; i < 20; i++) {
        fail_once(&desk, 0, i);
    }
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_CLOSED);
}

static void while_it_is_open_requests_do_not_wait_and_asks_do(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    fail_often(&desk);

    assert_int_equal(desk_decide(&desk, key_of(0, 50), 1).mode, WEIR_MODE_DEGRADED);
    desk_no_ask(&desk);
    const uint32_t slot = table_find(desk.limiter, &(struct weir_key){.low = key_of(0, 50)});
    assert_int_equal(desk.limiter->cold[slot].link.queue, QUEUE_HELD + 0);
}

/* 50 ms, 100 ms ... 1 s, each of it at least half; none before the last was given up. */
static void probes_come_one_at_a_time_ever_more_rarely(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    fail_often(&desk);
    uint64_t last_ns = desk.now_ns;
    uint64_t backoff_ns = 50 * NS_PER_MS;
    uint64_t first_draw = 0;
    unsigned differ = 0;

    for (unsigned i = 0; i < 12; i++) {
        const struct weir_ask probe = wait_for_probe(&desk);
        assert_int_equal(weir_key_shard(&probe.key, 2), 0);
        assert_in_range(desk.now_ns - last_ns, backoff_ns / 2, backoff_ns);
        const uint64_t draw = (desk.now_ns - last_ns) * 1000 / backoff_ns;
        differ += i != 0 && draw != first_draw;
        first_draw = draw;
        last_ns = desk.now_ns + WEIR_ASK_TIMEOUT_NS;
        backoff_ns = backoff_ns * 2 < NS_PER_S ? backoff_ns * 2 : NS_PER_S;
        desk_no_ask(&desk);
    }
    assert_true(differ >= 9);
    assert_int_equal(desk.limiter->counts.probes, 12);
}

static void an_answered_probe_lets_one_ask_pass_then_twice_as_many(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    desk.limiter->options.wait_max_ns = 3600 * NS_PER_S;
    fail_often(&desk);
    for (unsigned i = 0; i < 130; i++) { /* all decided at once, and all want to ask */
        desk_decide(&desk, key_of(0, 10 + i), 1);
    }
    struct weir_ask asks[130];
    const struct weir_ask probe = wait_for_probe(&desk);

    hear_probe(&desk, &probe);
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_HALF_OPEN);
    assert_int_equal(desk.limiter->half_open_count, 1);
    unsigned in_flight = 0;
    for (unsigned allowed = 1; allowed <= 64; allowed *= 2) {
        while (weir_limiter_next_ask(desk.limiter, desk.now_ns, &asks[in_flight])) {
            in_flight++;
        }
        assert_int_equal(in_flight, allowed);
        assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_HALF_OPEN);
        const struct weir_answer answer = lease_of(&desk, &asks[--in_flight]);
        desk_hear(&desk, &answer);
        if (allowed == 1) {
            const struct weir_key *key = &answer.key;
            assert_int_equal(desk_decide(&desk, key->low, 1).mode, WEIR_MODE_PROBING);
        }
    }
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_CLOSED);
    assert_int_equal(desk.limiter->half_open_count, 0);
    unsigned rest = 0;
    while (weir_limiter_next_ask(desk.limiter, desk.now_ns, &asks[rest])) {
        rest++;
    }
    assert_true(rest + in_flight + 7 >= 130); /* nobody was forgotten */
}

static void a_failure_while_half_open_opens_it_again_for_longer(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    desk.limiter->options.wait_max_ns = 3600 * NS_PER_S;
    fail_often(&desk);
    const struct weir_ask probe = wait_for_probe(&desk);
    hear_probe(&desk, &probe);
    const struct weir_ask ask = desk_ask(&desk);

    assert_int_equal(
        weir_limiter_ask_failed(desk.limiter, desk.now_ns, &ask.key, &ask.id, WEIR_FAILURE_UNKNOWN),
        WEIR_OK);

    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_OPEN);
    assert_int_equal(desk.limiter->counts.breaker_openings, 2);
    const uint64_t opened_ns = desk.now_ns;
    wait_for_probe(&desk);
    assert_in_range(desk.now_ns - opened_ns, 50 * NS_PER_MS, 100 * NS_PER_MS);
}

static void a_late_answer_to_a_probe_is_as_good_but_not_one_to_an_older_ask(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    desk_wait(&desk, key_of(0, 60), 1);
    const struct weir_ask old = desk_ask(&desk);
    fail_often(&desk);
    const struct weir_ask probe = wait_for_probe(&desk);
    wait_for_probe(&desk);

    const struct weir_answer answer = lease_of(&desk, &old);
    desk_hear(&desk, &answer);
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_OPEN);
    hear_probe(&desk, &probe);
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_HALF_OPEN);
    const struct weir_answer again = {
        .key = probe.key, .id = probe.id, .flags = WEIR_ANSWER_PROBED, .store_us = 1};
    assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &again), WEIR_ERR_UNEXPECTED);
}

/* B44: a store that is up for a second and down for the next, for a minute. */
static void b44_a_store_that_comes_and_goes_is_not_hammered(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    const uint64_t start_ns = desk.now_ns;
    unsigned sent_while_down = 0;
    struct weir_settled settled;
    struct weir_decision decision;

    while (desk.now_ns < start_ns + 60 * NS_PER_S) {
        struct weir_ask ask;
        const bool is_up = (desk.now_ns - start_ns) / NS_PER_S % 2 == 0;
        assert_int_equal(
            desk_try(&desk, key_of(0, (unsigned)(desk.now_ns / NS_PER_MS % 50)), 8, &decision),
            WEIR_OK);
        while (weir_limiter_next_ask(desk.limiter, desk.now_ns, &ask)) {
            sent_while_down += !is_up;
            if (!is_up) {
                continue;
            }
            if ((ask.flags & WEIR_ASK_PROBE) != 0) {
                hear_probe(&desk, &ask);
            } else {
                const struct weir_answer answer = lease_of(&desk, &ask);
                desk_hear(&desk, &answer);
            }
        }
        while (weir_limiter_next_settled(desk.limiter, &settled)) {
        }
        desk.now_ns += NS_PER_MS;
        expire(&desk);
    }
    /* with each flap what was asked before the fifth failure; and backoffs of a second, which do
     * not shrink */
    assert_in_range(sent_while_down, 30, 30 * (2 * FAILURES + 2));
    assert_in_range(desk.limiter->counts.probes, 30, 120);
}

static void fail_at(struct desk *desk, uint64_t sent_ns)
{
    const struct weir_key key = desk_key(key_of(0, 0));

    breaker_failed(desk->limiter, &key, sent_ns, desk->now_ns);
}

static void answer_at(struct desk *desk, uint64_t sent_ns)
{
    const struct weir_key key = desk_key(key_of(0, 0));

    breaker_answered(desk->limiter, &key, sent_ns, desk->now_ns);
}

static void open_at_once(struct desk *desk)
{
    for (unsigned i = 0; i < FAILURES; i++) {
        fail_at(desk, desk->now_ns);
    }
    assert_int_equal(weir_limiter_breaker(desk->limiter, 0), WEIR_BREAKER_OPEN);
}

static void half_open(struct desk *desk)
{
    const struct weir_ask probe = wait_for_probe(desk);

    hear_probe(desk, &probe);
    assert_int_equal(weir_limiter_breaker(desk->limiter, 0), WEIR_BREAKER_HALF_OPEN);
}

static void a_shard_was_lost_halfway_from_the_last_answer_to_the_first_failure(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    const struct weir_key key = desk_key(key_of(0, 0));
    const uint64_t start_ns = desk.now_ns;
    desk.now_ns += 1000;

    assert_int_equal(breaker_lost_ns(desk.limiter, &key, desk.now_ns), desk.now_ns);
    answer_at(&desk, start_ns + 100);
    answer_at(&desk, start_ns + 50); /* overtaken on its way */
    fail_at(&desk, start_ns + 300);
    fail_at(&desk, start_ns + 200);
    assert_int_equal(breaker_lost_ns(desk.limiter, &key, desk.now_ns), start_ns + 150);
    answer_at(&desk, start_ns + 150);
    assert_int_equal(breaker_lost_ns(desk.limiter, &key, desk.now_ns), start_ns + 175);
    answer_at(&desk, start_ns + 250); /* it was there all the time */
    assert_int_equal(breaker_lost_ns(desk.limiter, &key, desk.now_ns), desk.now_ns);
    fail_at(&desk, start_ns + 450);
    assert_int_equal(breaker_lost_ns(desk.limiter, &key, desk.now_ns), start_ns + 350);
    answer_at(&desk, start_ns + 460);
    fail_at(&desk, start_ns + 455); /* one that was lost before */
    assert_int_equal(breaker_lost_ns(desk.limiter, &key, desk.now_ns), desk.now_ns);
}

static void after_five_seconds_closed_it_is_probed_soon_again(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    open_at_once(&desk);
    for (unsigned i = 0; i < 4; i++) {
        wait_for_probe(&desk);
    }
    half_open(&desk);
    for (unsigned i = 0; i < 7; i++) {
        answer_at(&desk, desk.now_ns);
    }
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_CLOSED);

    desk.now_ns += 5 * NS_PER_S;
    open_at_once(&desk);
    const uint64_t opened_ns = desk.now_ns;
    wait_for_probe(&desk);
    assert_in_range(desk.now_ns - opened_ns, 25 * NS_PER_MS, 50 * NS_PER_MS);
}

static void what_was_sent_before_the_probe_neither_opens_nor_closes_it(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    const struct weir_key key = desk_key(key_of(0, 0));
    open_at_once(&desk);
    for (unsigned i = 0; i < 3; i++) { /* all decided at once, and all want to ask */
        desk_decide(&desk, key_of(0, 10 + i), 1);
    }
    half_open(&desk);
    desk_ask(&desk);
    desk_no_ask(&desk);

    answer_at(&desk, desk.now_ns - 1);
    assert_int_equal(desk.limiter->breakers[0].sent_count_max, 1);
    desk_no_ask(&desk);
    breaker_resolved(desk.limiter, 0);
    fail_at(&desk, desk.now_ns - 1);
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_HALF_OPEN);
    desk_ask(&desk); /* its place is free */
    breaker_resolved(desk.limiter, 0);
    breaker_unsettled(desk.limiter, &key);
    desk_ask(&desk);
}

/* Two probes, of which the second is due and not fetched. */
static struct weir_ask probe_with_another_due(struct desk *desk)
{
    const struct weir_ask probe = wait_for_probe(desk);

    while (desk->limiter->queues[QUEUE_SENDS].first == SLOT_NONE) {
        desk->now_ns = weir_limiter_next_deadline_ns(desk->limiter);
        weir_limiter_expire(desk->limiter, desk->now_ns);
    }
    return probe;
}

static struct weir_answer odd_answer(const struct desk *desk, const struct weir_ask *probe)
{
    return (struct weir_answer){
        .key = probe->key,
        .id = probe->id,
        .flags = WEIR_ANSWER_PROBED,
        .store_us = desk_store_us(desk) + SECOND_US, /* a step, if it is believed */
    };
}

static void a_late_answer_takes_back_the_next_probe_and_tells_no_time(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    open_at_once(&desk);
    const struct weir_ask probe = probe_with_another_due(&desk);
    const struct weir_answer answer = odd_answer(&desk, &probe);

    desk_hear(&desk, &answer);

    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_HALF_OPEN);
    assert_int_equal(desk.limiter->counts.clock_steps, 0);
    desk_no_ask(&desk);
}

static void a_probe_during_which_the_clock_stepped_tells_no_time(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    open_at_once(&desk);
    const struct weir_ask probe = wait_for_probe(&desk);
    const struct weir_answer answer = odd_answer(&desk, &probe);

    desk.limiter->stepped_ns = desk.now_ns + 1;
    desk_hear(&desk, &answer);

    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_HALF_OPEN);
    assert_int_equal(desk.limiter->counts.clock_steps, 0);
}

static void a_probe_of_another_life_is_none_of_ours(void **state)
{
    (void)state;
    struct desk desk = shard_desk();
    open_at_once(&desk);
    const struct weir_ask probe = wait_for_probe(&desk);
    struct weir_answer answer = odd_answer(&desk, &probe);

    answer.id.incarnation++;

    assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &answer), WEIR_ERR_UNEXPECTED);
    assert_int_equal(weir_limiter_breaker(desk.limiter, 0), WEIR_BREAKER_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_failures_in_a_row_open_it_and_only_their_shard),
        cmocka_unit_test(one_that_never_opens_never_does),
        cmocka_unit_test(while_it_is_open_requests_do_not_wait_and_asks_do),
        cmocka_unit_test(probes_come_one_at_a_time_ever_more_rarely),
        cmocka_unit_test(an_answered_probe_lets_one_ask_pass_then_twice_as_many),
        cmocka_unit_test(a_failure_while_half_open_opens_it_again_for_longer),
        cmocka_unit_test(a_late_answer_to_a_probe_is_as_good_but_not_one_to_an_older_ask),
        cmocka_unit_test(a_shard_was_lost_halfway_from_the_last_answer_to_the_first_failure),
        cmocka_unit_test(after_five_seconds_closed_it_is_probed_soon_again),
        cmocka_unit_test(what_was_sent_before_the_probe_neither_opens_nor_closes_it),
        cmocka_unit_test(a_late_answer_takes_back_the_next_probe_and_tells_no_time),
        cmocka_unit_test(a_probe_during_which_the_clock_stepped_tells_no_time),
        cmocka_unit_test(a_probe_of_another_life_is_none_of_ours),
        cmocka_unit_test(b44_a_store_that_comes_and_goes_is_not_hammered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
