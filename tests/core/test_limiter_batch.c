/* A batch decides what so many single calls would: twins are given the same requests, one in
 * batches, and compared in all that can be seen of them. */
#include "core_support.h"

#include <stdlib.h>
#include <string.h>

#include "limiter_private.h"
#include "weir/take.h"

#define KEYS 40
#define BATCH_MAX 100
#define START_NS (UINT64_C(1000) * NS_PER_S)

struct twin {
    struct weir_limiter *limiter;
    void *memory; /* owned */
    struct weir_store_key store[KEYS];
};

static struct twin *twin_new(enum weir_full_table full_table)
{
    struct twin *twin = calloc(1, sizeof *twin);
    const struct weir_limiter_options options = {
        .process = 1,
        .incarnation = 2,
        .table_secret = 3,
        .key_capacity = 30,
        .plan_capacity = 3,
        .endpoint_capacity = 1,
        .waiter_capacity = 50,
        .start_ns = START_NS,
        .full_table = full_table,
    };
    const struct weir_plan plans[] = {bucket_plan(500, 300), window_plan(200, SECOND_US),
                                      unlimited_plan()};
    const size_t size = (weir_limiter_size(&options) + 63) / 64 * 64;

    assert_non_null(twin);
    twin->memory = aligned_alloc(64, size);
    assert_non_null(twin->memory);
    memset(twin->memory, 0, size);
    assert_int_equal(weir_limiter_init(&twin->limiter, twin->memory, size, &options), WEIR_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(weir_limiter_set_plan(twin->limiter, i, &plans[i]), WEIR_OK);
    }
    return twin;
}

static void twin_free(struct twin *twin)
{
    free(twin->memory);
    free(twin);
}

static void decide_one_by_one(struct weir_limiter *limiter, uint64_t now_ns,
                              const struct weir_request *requests, size_t count,
                              struct weir_decision *decisions, enum weir_status *statuses)
{
    for (size_t i = 0; i < count; i++) {
        statuses[i] = weir_limiter_decide(limiter, now_ns, &requests[i], &decisions[i]);
    }
}

static void draw_requests(struct dice *dice, struct weir_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = dice_below(dice, 1 + dice_below(dice, KEYS));
        requests[i] = (struct weir_request){
            .key = {.low = key, .high = key * 17},
            .plan_index = (uint32_t)(key % 3),
            .endpoint = WEIR_NO_ENDPOINT,
            .cost = (uint32_t)dice_below(dice, 6),
        };
        if (dice_below(dice, 50) == 0) {
            requests[i].plan_index = 9; /* an error among them */
        }
    }
}

/* Structs have padding: member by member. */
static void assert_decisions_equal(const struct weir_decision *a, const struct weir_decision *b)
{
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->ticket, b->ticket);
    assert_int_equal(a->retry_after_ns, b->retry_after_ns);
}

static void assert_asks_equal(const struct weir_ask *a, const struct weir_ask *b)
{
    assert_int_equal(a->key.low, b->key.low);
    assert_int_equal(a->id.sequence, b->id.sequence);
    assert_int_equal(a->plan.algorithm, b->plan.algorithm);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->need_units, b->need_units);
    assert_int_equal(a->least_units, b->least_units);
    assert_int_equal(a->want_units, b->want_units);
    assert_int_equal(a->largest_units, b->largest_units);
    assert_int_equal(a->flight_us, b->flight_us);
    assert_int_equal(a->lease_end_us, b->lease_end_us);
    assert_int_equal(a->held_units, b->held_units);
    assert_int_equal(a->spent_units, b->spent_units);
    assert_int_equal(a->returned_units, b->returned_units);
    assert_int_equal(a->expired_units, b->expired_units);
    assert_int_equal(a->unused_units, b->unused_units);
    assert_int_equal(a->rate_milli, b->rate_milli);
}

static void assert_reports_equal(const struct weir_report *a, const struct weir_report *b)
{
    assert_int_equal(a->key.low, b->key.low);
    assert_int_equal(a->window_index, b->window_index);
    assert_int_equal(a->life, b->life);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->spent_units, b->spent_units);
    assert_int_equal(a->sealed, b->sealed);
}

/* Both sides' asks are the same and are answered the same, by a store of their own each. */
static void exchange(struct twin *one, struct twin *other, uint64_t now_ns)
{
    struct weir_ask ask;
    struct weir_ask same;

    while (weir_limiter_next_ask(one->limiter, now_ns, &ask)) {
        struct twin *const twins[] = {one, other};
        assert_true(weir_limiter_next_ask(other->limiter, now_ns, &same));
        assert_asks_equal(&ask, &same);
        for (unsigned i = 0; i < 2; i++) {
            struct weir_ask_record record = {0};
            struct weir_answer answer;
            const uint64_t store_us = START_US + (now_ns - START_NS) / NS_PER_US;
            assert_int_equal(weir_take(&twins[i]->store[ask.key.low], &record, &ask, store_us,
                                       &the_run, &answer),
                             WEIR_OK);
            const enum weir_status status =
                weir_limiter_answer(twins[i]->limiter, now_ns + 200 * NS_PER_US, &answer);
            assert_true(status == WEIR_OK || status == WEIR_ERR_UNEXPECTED);
        }
    }
    assert_false(weir_limiter_next_ask(other->limiter, now_ns, &same));
}

static void compare(struct twin *one, struct twin *other)
{
    struct weir_settled settled[2];
    struct weir_report reports[2];

    while (weir_limiter_next_settled(one->limiter, &settled[0])) {
        assert_true(weir_limiter_next_settled(other->limiter, &settled[1]));
        assert_int_equal(settled[0].ticket, settled[1].ticket);
        assert_decisions_equal(&settled[0].decision, &settled[1].decision);
    }
    assert_false(weir_limiter_next_settled(other->limiter, &settled[1]));
    while (weir_limiter_next_report(one->limiter, &reports[0])) {
        assert_true(weir_limiter_next_report(other->limiter, &reports[1]));
        assert_reports_equal(&reports[0], &reports[1]);
    }
    assert_false(weir_limiter_next_report(other->limiter, &reports[1]));
    for (uint64_t key = 0; key < KEYS; key++) {
        const struct weir_key fingerprint = {.low = key, .high = key * 17};
        assert_int_equal(weir_limiter_held_units(one->limiter, &fingerprint),
                         weir_limiter_held_units(other->limiter, &fingerprint));
    }
    assert_int_equal(weir_limiter_next_deadline_ns(one->limiter),
                     weir_limiter_next_deadline_ns(other->limiter));
}

/* Returns how many requests were decided at once. */
static uint64_t play(enum weir_full_table full_table, uint64_t seed)
{
    static struct weir_request requests[BATCH_MAX];
    static struct weir_decision decisions[2][BATCH_MAX];
    static enum weir_status statuses[2][BATCH_MAX];
    struct twin *single = twin_new(full_table);
    struct twin *batched = twin_new(full_table);
    struct dice dice = {.seed = seed};
    uint64_t now_ns = START_NS;
    uint64_t at_once_count = 0;

    for (unsigned turn = 0; turn < 300; turn++) {
        const size_t count = dice_below(&dice, BATCH_MAX + 1);
        draw_requests(&dice, requests, count);
        decide_one_by_one(single->limiter, now_ns, requests, count, decisions[0], statuses[0]);
        const size_t decided_count = weir_limiter_decide_batch(batched->limiter, now_ns, requests,
                                                               count, decisions[1], statuses[1]);

        size_t good_count = 0;
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(statuses[0][i], statuses[1][i]);
            assert_decisions_equal(&decisions[0][i], &decisions[1][i]);
            good_count += statuses[1][i] == WEIR_OK;
            at_once_count +=
                statuses[1][i] == WEIR_OK && decisions[1][i].verdict != WEIR_VERDICT_PENDING;
        }
        assert_int_equal(decided_count, good_count);
        exchange(single, batched, now_ns);
        compare(single, batched);
        now_ns += 200 * NS_PER_US + dice_below(&dice, 20 * NS_PER_MS);
        weir_limiter_expire(single->limiter, now_ns);
        weir_limiter_expire(batched->limiter, now_ns);
    }
    twin_free(single);
    twin_free(batched);
    return at_once_count;
}

static void random_batches_decide_as_single_calls_do(void **state)
{
    (void)state;
    uint64_t at_once_count = 0;

    for (uint64_t seed = 1; seed <= 5; seed++) {
        at_once_count += play(WEIR_FULL_TABLE_EVICT, seed);
        at_once_count += play(WEIR_FULL_TABLE_PER_REQUEST, seed);
    }
    assert_true(at_once_count > 50000);
}

static void an_empty_batch_decides_nothing(void **state)
{
    (void)state;
    struct twin *twin = twin_new(WEIR_FULL_TABLE_EVICT);

    assert_int_equal(weir_limiter_decide_batch(twin->limiter, START_NS, NULL, 0, NULL, NULL), 0);
    twin_free(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_batches_decide_as_single_calls_do),
        cmocka_unit_test(an_empty_batch_decides_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
