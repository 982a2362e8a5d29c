/* What a store remembers of the asks that it carried out, and what of it nobody took. */
#include "unit.h"

#include "records.h"

#define SECOND_NS UINT64_C(1000000000)
#define NOW_US UINT64_C(1700000000000000)
#define KEY 7

struct office {
    struct sim_records records;
    uint64_t lost_units;
    uint64_t behind_us; /* the store's clock */
};

static void note_lost(void *context, const struct sim_record *record)
{
    ((struct office *)context)->lost_units += record->untaken_units;
}

static uint64_t clock_us(const void *context, uint32_t key, uint64_t now_ns)
{
    assert_int_equal(key, KEY);
    return NOW_US + now_ns / 1000 - ((const struct office *)context)->behind_us;
}

static void open_office(struct office *office)
{
    static const struct sim_records_owner owner = {.lost = note_lost, .clock_us = clock_us};

    office->lost_units = 0;
    office->behind_us = 0;
    sim_records_init(&office->records, &owner, office);
}

static void close_office(struct office *office)
{
    sim_records_deinit(&office->records);
}

static struct weir_ask ask_of(uint32_t process, uint32_t sequence, uint32_t flags)
{
    return (struct weir_ask){.id = {.process = process, .sequence = sequence, .incarnation = 100},
                             .flags = flags};
}

/* Carried out at done_ns, to be remembered for a second. */
static uint64_t add(struct office *office, const struct weir_ask *ask, uint64_t done_ns,
                    uint64_t units)
{
    const struct sim_record record = {
        .record = {.id = ask->id, .expires_us = NOW_US + done_ns / 1000 + 1000000},
        .arrived_ns = done_ns,
        .done_ns = done_ns,
        .dropped_ns = done_ns + 2 * SECOND_NS,
        .untaken_units = units,
        .key = KEY,
    };

    return sim_records_add(&office->records, &record, ask);
}

static uint32_t found(const struct office *office, const struct weir_ask *ask, uint64_t now_us)
{
    const struct sim_record *record = sim_records_find(&office->records, KEY, ask, now_us);

    return record == NULL ? 0 : record->record.id.sequence;
}

static void an_ask_that_comes_again_finds_its_record(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask ask = ask_of(1, 5, 0);
    open_office(&office);

    assert_int_equal(found(&office, &ask, NOW_US), 0);
    add(&office, &ask, 0, 10);
    assert_int_equal(found(&office, &ask, NOW_US + 999999), 5);
    assert_int_equal(found(&office, &ask, NOW_US + 1000000), 0); /* it has expired */
    close_office(&office);
}

static void other_keys_processes_and_incarnations_have_their_own(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask ask = ask_of(1, 5, 0);
    const struct weir_ask of_another = ask_of(2, 5, 0);
    struct weir_ask of_the_next = ask;
    of_the_next.id.incarnation = 101;
    open_office(&office);
    add(&office, &ask, 0, 10);

    assert_int_equal(found(&office, &of_another, NOW_US), 0);
    assert_int_equal(found(&office, &of_the_next, NOW_US), 0);
    assert_null(sim_records_find(&office.records, KEY + 1, &ask, NOW_US));
    close_office(&office);
}

static void the_newest_is_what_an_earlier_and_a_later_ask_find(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask before = ask_of(1, 5, 0);
    const struct weir_ask ask = ask_of(1, 6, 0);
    const struct weir_ask after = ask_of(1, 7, 0);
    open_office(&office);
    add(&office, &before, 0, 10);
    add(&office, &ask, 1, 10);

    assert_int_equal(found(&office, &before, NOW_US), 6);
    assert_int_equal(found(&office, &ask, NOW_US), 6);
    assert_int_equal(found(&office, &after, NOW_US), 6);
    close_office(&office);
}

static void each_ask_of_which_there_may_be_many_has_its_own(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {WEIR_ASK_SPEND, WEIR_ASK_RETURN};

    for (unsigned i = 0; i < 2; i++) {
        struct office office;
        const struct weir_ask lease = ask_of(1, 4, 0);
        const struct weir_ask first = ask_of(1, 5, kinds[i]);
        const struct weir_ask second = ask_of(1, 6, kinds[i]);
        const struct weir_ask third = ask_of(1, 7, kinds[i]);
        open_office(&office);
        add(&office, &lease, 0, 1);
        add(&office, &second, 0, 1);
        add(&office, &first, 0, 1);

        assert_int_equal(found(&office, &first, NOW_US), 5);
        assert_int_equal(found(&office, &second, NOW_US), 6);
        assert_int_equal(found(&office, &third, NOW_US), 0);
        assert_int_equal(found(&office, &lease, NOW_US), 4); /* and does not replace a lease's */
        close_office(&office);
    }
}

static void what_was_taken_is_not_lost_and_taken_once(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask taken = ask_of(1, 5, WEIR_ASK_SPEND);
    const struct weir_ask lost = ask_of(1, 6, WEIR_ASK_SPEND);
    open_office(&office);
    const uint64_t number = add(&office, &taken, 0, 10);
    add(&office, &lost, 0, 3);

    assert_int_equal(sim_records_taken(&office.records, KEY, &taken, number), 10);
    assert_int_equal(sim_records_taken(&office.records, KEY, &taken, number), 0);
    sim_records_finish(&office.records);
    assert_int_equal(office.lost_units, 3);
    assert_int_equal(office.records.count, 0);
    close_office(&office);
}

/* The process evicted the key and came back to it before the first answer. */
static void an_answer_on_its_way_can_be_taken_after_the_next_ask(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask before = ask_of(1, 5, 0);
    const struct weir_ask ask = ask_of(1, 6, 0);
    open_office(&office);
    const uint64_t number = add(&office, &before, 0, 10);
    add(&office, &ask, 1, 4);

    assert_int_equal(office.records.count, 2);
    assert_int_equal(sim_records_taken(&office.records, KEY, &before, number), 10);
    assert_int_equal(office.records.count, 1); /* of no use any more */
    sim_records_finish(&office.records);
    assert_int_equal(office.lost_units, 4);
    close_office(&office);
}

static void hide(const void *context, struct sim_record *record)
{
    (void)context;
    record->is_hidden = true;
}

/* The ask is carried out a second time: both have their answer, and one may be taken. */
static void what_the_store_forgot_may_still_be_taken(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask ask = ask_of(1, 5, 0);
    open_office(&office);
    const uint64_t first = add(&office, &ask, 0, 10);

    sim_records_change(&office.records, hide, NULL);
    assert_int_equal(found(&office, &ask, NOW_US), 0);
    const uint64_t second = add(&office, &ask, 1, 8);
    assert_int_not_equal(second, first);
    assert_int_equal(found(&office, &ask, NOW_US), 5);
    assert_int_equal(sim_records_taken(&office.records, KEY, &ask, first), 10);
    sim_records_finish(&office.records);
    assert_int_equal(office.lost_units, 8);
    close_office(&office);
}

/* A shard with a queue carries asks out long after they arrive, and after another shard's answers
 * have been taken or lost. */
static void a_long_queue_elsewhere_makes_nothing_late(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask ask = ask_of(1, 5, 0);
    open_office(&office);
    const uint64_t number = add(&office, &ask, 0, 10);

    for (uint32_t i = 1; i <= 2000; i++) {
        const struct weir_ask queued = ask_of(2, i, WEIR_ASK_SPEND);
        const struct sim_record record = {
            .record = {.id = queued.id, .expires_us = NOW_US + 1000 * SECOND_NS / 1000},
            .arrived_ns = i,
            .done_ns = 500 * SECOND_NS,
            .dropped_ns = 1000 * SECOND_NS,
            .key = KEY,
        };
        (void)sim_records_add(&office.records, &record, &queued);
    }
    assert_int_equal(sim_records_taken(&office.records, KEY, &ask, number), 10);
    close_office(&office);
}

/* An answer that took many times as long as it is remembered is an answer all the same. */
static void what_was_granted_can_be_taken_however_late(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask ask = ask_of(1, 5, WEIR_ASK_SPEND);
    open_office(&office);
    const uint64_t number = add(&office, &ask, 0, 10);

    for (uint32_t i = 1; i <= 2000; i++) {
        const struct weir_ask later = ask_of(2, i, WEIR_ASK_SPEND);
        add(&office, &later, 100 * SECOND_NS, 0);
    }
    assert_int_equal(office.lost_units, 0);
    assert_int_equal(sim_records_taken(&office.records, KEY, &ask, number), 10);
    close_office(&office);
}

/* The store's clock steps back by ten seconds just after the ask was carried out. So it expires ten
 * seconds later, and until then a copy of it must be known. */
static void a_record_outlives_a_step_back_of_its_clock(void **state)
{
    (void)state;
    struct office office;
    const struct weir_ask ask = ask_of(1, 5, WEIR_ASK_SPEND);
    open_office(&office);
    add(&office, &ask, 0, 0);
    office.behind_us = 10000000;

    for (uint32_t i = 1; i <= 2000; i++) {
        const struct weir_ask later = ask_of(2, i, WEIR_ASK_SPEND);
        add(&office, &later, 11 * SECOND_NS - 1000, 0);
    }
    assert_int_equal(found(&office, &ask, NOW_US + 999999), 5);
    for (uint32_t i = 2001; i <= 4000; i++) {
        const struct weir_ask later = ask_of(2, i, WEIR_ASK_SPEND);
        add(&office, &later, 11 * SECOND_NS, 0);
    }
    assert_int_equal(found(&office, &ask, NOW_US), 0); /* and not for ever */
    close_office(&office);
}

/* 1,000 asks a second, each remembered for two, one in a hundred never taken: not many more than
 * those are kept, all that the store must know are known, and each is taken or lost. */
static void memory_follows_what_is_remembered(void **state)
{
    (void)state;
    struct office office;
    uint64_t taken_units = 0;
    open_office(&office);

    for (uint32_t i = 1; i <= 100000; i++) {
        const struct weir_ask ask = ask_of(i % 50, i, WEIR_ASK_SPEND);
        const uint64_t now_ns = i * (SECOND_NS / 1000);
        const uint64_t number = add(&office, &ask, now_ns, 3);
        if (i % 100 != 0) {
            taken_units += sim_records_taken(&office.records, KEY, &ask, number);
        }
        if (i > 900) {
            const struct weir_ask before = ask_of((i - 900) % 50, i - 900, WEIR_ASK_SPEND);
            assert_int_equal(found(&office, &before, NOW_US + now_ns / 1000), i - 900);
        }
        assert_true(office.records.count <= 8000 + i / 100);
    }
    sim_records_finish(&office.records);
    assert_int_equal(taken_units, 297000);
    assert_int_equal(office.lost_units, 3000);
    close_office(&office);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_that_comes_again_finds_its_record),
        cmocka_unit_test(other_keys_processes_and_incarnations_have_their_own),
        cmocka_unit_test(the_newest_is_what_an_earlier_and_a_later_ask_find),
        cmocka_unit_test(each_ask_of_which_there_may_be_many_has_its_own),
        cmocka_unit_test(what_was_taken_is_not_lost_and_taken_once),
        cmocka_unit_test(an_answer_on_its_way_can_be_taken_after_the_next_ask),
        cmocka_unit_test(what_the_store_forgot_may_still_be_taken),
        cmocka_unit_test(a_long_queue_elsewhere_makes_nothing_late),
        cmocka_unit_test(what_was_granted_can_be_taken_however_late),
        cmocka_unit_test(a_record_outlives_a_step_back_of_its_clock),
        cmocka_unit_test(memory_follows_what_is_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
