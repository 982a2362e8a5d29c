/* Plain commands on counters and locks, to the microsecond. */
#include "unit.h"

#include "counters.h"

#define S UINT64_C(1000000)
#define START (1000 * S)

struct cupboard {
    struct sim_counters counters;
    struct sim_keyspace keyspace;
};

static void open_cupboard(struct cupboard *cupboard)
{
    cupboard->counters = (struct sim_counters){0};
    sim_keyspace_init(&cupboard->keyspace, START, 10 * S);
}

static void close_cupboard(struct cupboard *cupboard)
{
    sim_counters_deinit(&cupboard->counters);
    sim_keyspace_deinit(&cupboard->keyspace);
}

/* At a second after the start; about window 5, with a time to live of 4 s. */
static struct sim_exchange serve(struct cupboard *cupboard, uint64_t second,
                                 enum sim_exchange_kind kind, uint64_t units)
{
    struct sim_exchange exchange = {
        .kind = kind, .add_window = 5, .add_units = units, .ttl_us = 4 * S};

    sim_counters_serve(&cupboard->counters, &cupboard->keyspace, &exchange, START + second * S);
    return exchange;
}

static uint64_t count(const struct cupboard *cupboard, uint64_t second)
{
    return sim_counters_count(&cupboard->counters, 5, START + second * S);
}

static void a_counter_of_a_script_lives_from_its_first_addition(void **state)
{
    (void)state;
    struct cupboard cupboard;

    open_cupboard(&cupboard);
    assert_int_equal(serve(&cupboard, 1, SIM_EXCHANGE_ADD, 3).add_count, 3);
    assert_int_equal(serve(&cupboard, 4, SIM_EXCHANGE_ADD, 4).add_count, 7);
    assert_int_equal(sim_counters_count(&cupboard.counters, 5, START + 5 * S - 1), 7);
    assert_int_equal(count(&cupboard, 5), 0);
    assert_int_equal(serve(&cupboard, 5, SIM_EXCHANGE_ADD, 2).add_count, 2);
    assert_int_equal(cupboard.keyspace.reborn_count, 1);
    assert_int_equal(cupboard.keyspace.reborn_units, 7);
    close_cupboard(&cupboard);
}

static void a_set_starts_the_time_to_live_anew(void **state)
{
    (void)state;
    struct cupboard cupboard;

    open_cupboard(&cupboard);
    assert_int_equal(serve(&cupboard, 0, SIM_EXCHANGE_GET, 0).add_count, 0);
    assert_int_equal(serve(&cupboard, 1, SIM_EXCHANGE_SET, 8).add_count, 8);
    assert_int_equal(serve(&cupboard, 4, SIM_EXCHANGE_SET, 6).add_count, 6);
    assert_int_equal(serve(&cupboard, 7, SIM_EXCHANGE_GET, 0).add_count, 6);
    assert_int_equal(serve(&cupboard, 8, SIM_EXCHANGE_GET, 0).add_count, 0);
    close_cupboard(&cupboard);
}

static void without_a_time_to_live_a_counter_stays_until_it_is_given_one(void **state)
{
    (void)state;
    struct cupboard cupboard;

    open_cupboard(&cupboard);
    (void)serve(&cupboard, 1, SIM_EXCHANGE_EXPIRE, 0); /* of nothing */
    assert_int_equal(cupboard.keyspace.without_ttl, 0);
    (void)serve(&cupboard, 1, SIM_EXCHANGE_INCREMENT, 3);
    assert_int_equal(cupboard.keyspace.without_ttl, 1);
    assert_int_equal(count(&cupboard, 1000), 3);
    (void)serve(&cupboard, 2, SIM_EXCHANGE_EXPIRE, 0);
    assert_int_equal(cupboard.keyspace.without_ttl, 0);
    assert_int_equal(count(&cupboard, 5), 3);
    assert_int_equal(count(&cupboard, 6), 0);
    close_cupboard(&cupboard);
}

/* Alive at 2, 3, 4 and 5 s, and a second one from 7 s to the end: 8 counters in 11 looks. */
static void how_many_there_are_is_counted_each_second(void **state)
{
    (void)state;
    struct cupboard cupboard;
    struct sim_keyspace_figures figures;

    open_cupboard(&cupboard);
    (void)serve(&cupboard, 2, SIM_EXCHANGE_ADD, 1);
    (void)serve(&cupboard, 7, SIM_EXCHANGE_INCREMENT, 1);
    sim_keyspace_figures(&cupboard.keyspace, &figures);

    assert_int_equal(figures.max, 1);
    assert_int_equal(figures.at_end, 1);
    assert_true(figures.mean > 8.0 / 11 - 1e-9 && figures.mean < 8.0 / 11 + 1e-9);
    close_cupboard(&cupboard);
}

static bool lock(struct cupboard *cupboard, uint64_t second, uint64_t value, uint32_t process)
{
    struct sim_exchange exchange = {
        .kind = SIM_EXCHANGE_LOCK, .lock_value = value, .process = process, .ttl_us = 2 * S};

    sim_counters_serve(&cupboard->counters, &cupboard->keyspace, &exchange, START + second * S);
    return exchange.is_locked;
}

static void with_lock(struct cupboard *cupboard, uint64_t second, enum sim_exchange_kind kind,
                      uint64_t value)
{
    struct sim_exchange exchange = {
        .kind = kind, .lock_value = value, .add_window = 5, .add_units = 1, .ttl_us = 2 * S};

    sim_counters_serve(&cupboard->counters, &cupboard->keyspace, &exchange, START + second * S);
}

static void a_lock_keeps_out_others_until_it_is_given_up(void **state)
{
    (void)state;
    struct cupboard cupboard;

    open_cupboard(&cupboard);
    assert_true(lock(&cupboard, 1, 11, 0));
    assert_false(lock(&cupboard, 1, 22, 1));
    with_lock(&cupboard, 1, SIM_EXCHANGE_UNLOCK, 22); /* not its own */
    assert_false(lock(&cupboard, 2, 22, 1));
    with_lock(&cupboard, 2, SIM_EXCHANGE_SET, 11);
    with_lock(&cupboard, 2, SIM_EXCHANGE_UNLOCK, 11);
    assert_true(lock(&cupboard, 2, 22, 1));
    assert_int_equal(cupboard.keyspace.lock_count, 2);
    assert_int_equal(cupboard.keyspace.lock_miss_count, 2);
    assert_int_equal(cupboard.keyspace.lock_ran_out, 0);
    assert_int_equal(cupboard.keyspace.stale_writes, 0);
    close_cupboard(&cupboard);
}

static void whoever_is_late_writes_although_another_has_the_lock(void **state)
{
    (void)state;
    struct cupboard cupboard;

    open_cupboard(&cupboard);
    assert_true(lock(&cupboard, 1, 11, 0));
    assert_true(lock(&cupboard, 3, 22, 1));
    assert_int_equal(cupboard.keyspace.lock_ran_out, 1);
    with_lock(&cupboard, 3, SIM_EXCHANGE_SET, 11);
    assert_int_equal(cupboard.keyspace.stale_writes, 1);
    assert_int_equal(count(&cupboard, 3), 1); /* all the same */
    with_lock(&cupboard, 3, SIM_EXCHANGE_UNLOCK, 11);
    assert_false(lock(&cupboard, 4, 33, 1));
    close_cupboard(&cupboard);
}

static void a_lock_of_the_dead_is_held_to_its_end(void **state)
{
    (void)state;
    struct cupboard cupboard;

    open_cupboard(&cupboard);
    assert_true(lock(&cupboard, 1, 11, 3));
    sim_counters_holder_died(&cupboard.counters, &cupboard.keyspace, 3, 1, START + S); /* not it */
    assert_int_equal(cupboard.keyspace.dead_locks, 0);
    sim_counters_holder_died(&cupboard.counters, &cupboard.keyspace, 3, 0, START + S + S / 2);
    assert_int_equal(cupboard.keyspace.dead_locks, 1);
    assert_int_equal(cupboard.keyspace.dead_lock_us, S * 3 / 2);
    close_cupboard(&cupboard);
}

static void a_store_that_forgets_has_nothing_left(void **state)
{
    (void)state;
    struct cupboard cupboard;
    struct sim_keyspace_figures figures;

    open_cupboard(&cupboard);
    assert_false(sim_counters_forget(&cupboard.counters, &cupboard.keyspace, START));
    (void)serve(&cupboard, 1, SIM_EXCHANGE_INCREMENT, 3);
    assert_true(lock(&cupboard, 1, 11, 3));
    assert_true(sim_counters_forget(&cupboard.counters, &cupboard.keyspace, START + 2 * S));
    sim_keyspace_figures(&cupboard.keyspace, &figures);

    assert_int_equal(count(&cupboard, 2), 0);
    assert_true(lock(&cupboard, 2, 22, 3));
    assert_int_equal(cupboard.keyspace.without_ttl, 0);
    assert_int_equal(figures.max, 1);
    assert_int_equal(figures.at_end, 0);
    close_cupboard(&cupboard);
}

/* Those that are gone make room, those that live do not. */
static void many_windows_are_kept_apart(void **state)
{
    (void)state;
    struct cupboard cupboard;

    open_cupboard(&cupboard);
    for (uint64_t window = 0; window < 100; window++) {
        struct sim_exchange exchange = {.kind = SIM_EXCHANGE_ADD,
                                        .add_window = window,
                                        .add_units = window + 1,
                                        .ttl_us = 20 * S};
        sim_counters_serve(&cupboard.counters, &cupboard.keyspace, &exchange, START + window * S);
        assert_int_equal(exchange.add_count, window + 1);
    }
    for (uint64_t window = 80; window < 100; window++) {
        assert_int_equal(sim_counters_count(&cupboard.counters, window, START + 99 * S),
                         window + 1);
    }
    assert_true(cupboard.counters.capacity <= 32);
    close_cupboard(&cupboard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_of_a_script_lives_from_its_first_addition),
        cmocka_unit_test(a_set_starts_the_time_to_live_anew),
        cmocka_unit_test(without_a_time_to_live_a_counter_stays_until_it_is_given_one),
        cmocka_unit_test(how_many_there_are_is_counted_each_second),
        cmocka_unit_test(a_lock_keeps_out_others_until_it_is_given_up),
        cmocka_unit_test(whoever_is_late_writes_although_another_has_the_lock),
        cmocka_unit_test(a_lock_of_the_dead_is_held_to_its_end),
        cmocka_unit_test(a_store_that_forgets_has_nothing_left),
        cmocka_unit_test(many_windows_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
