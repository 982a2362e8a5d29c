/* Which slot a key has, through any order of insertions and removals; and which key makes room. */
#include "small_limiter.h"

static struct weir_limiter *empty_table(void)
{
    const struct weir_plan plan = bucket_plan(10, 100);

    return small_limiter(&plan);
}

static void a_key_is_found_in_the_slot_it_was_given(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    const struct weir_key key = small_key(5);
    const struct weir_key same_low = {.low = key.low, .high = key.high + 1};
    const struct weir_key same_high = {.low = key.low + 1, .high = key.high};

    assert_int_equal(table_find(limiter, &key), SLOT_NONE);
    const uint32_t slot = table_insert(limiter, &key);
    assert_int_equal(table_find(limiter, &key), slot);
    assert_int_equal(table_find(limiter, &same_low), SLOT_NONE);
    assert_int_equal(table_find(limiter, &same_high), SLOT_NONE);
    table_remove(limiter, slot);
    assert_int_equal(table_find(limiter, &key), SLOT_NONE);
}

static void a_slot_starts_blank_and_every_stay_is_another_life(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    const struct weir_key key = small_key(5);
    uint32_t slot = table_insert(limiter, &key);
    limiter->hot[slot].held_units = 77;
    limiter->cold[slot].returned_units = 77;
    assert_int_equal(limiter->cold[slot].life, 1);
    table_remove(limiter, slot);

    slot = table_insert(limiter, &key);

    assert_int_equal(limiter->hot[slot].held_units, 0);
    assert_int_equal(limiter->hot[slot].flags, HOT_USED);
    assert_int_equal(limiter->hot[slot].deny_units, UINT32_MAX);
    assert_int_equal(limiter->cold[slot].returned_units, 0);
    assert_int_equal(limiter->cold[slot].deadline_ns, NEVER);
    assert_int_equal(limiter->cold[slot].rate_share_period, UINT64_MAX);
    assert_int_equal(limiter->cold[slot].wait_last, SLOT_NONE);
    assert_int_equal(limiter->cold[slot].life, 2);
}

static void a_full_table_takes_no_more(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    const struct weir_key one_more = small_key(1000);

    for (uint64_t i = 0; i < SMALL_KEYS; i++) {
        small_slot(limiter, i);
    }
    expect_assert_failure(table_insert(limiter, &one_more));
    assert_int_equal(table_find(limiter, &one_more), SLOT_NONE);
}

/* Property: the table agrees with a plain array, however its chains grow and are cut. */
static void insertions_and_removals_never_lose_a_key(void **state)
{
    (void)state;
    enum { NUMBERS = 400 };
    struct weir_limiter *limiter = empty_table();
    struct dice dice = {1};
    uint32_t slots[NUMBERS];
    unsigned held = 0;

    for (unsigned i = 0; i < NUMBERS; i++) {
        slots[i] = SLOT_NONE;
    }
    for (unsigned step = 0; step < 20000; step++) {
        const uint64_t number = dice_below(&dice, NUMBERS);
        if (slots[number] != SLOT_NONE) {
            table_remove(limiter, slots[number]);
            slots[number] = SLOT_NONE;
            held--;
        } else if (held < SMALL_KEYS) {
            slots[number] = small_slot(limiter, number);
            held++;
        }
        for (unsigned i = step % 7; i < NUMBERS; i += 7) {
            const struct weir_key key = small_key(i);
            assert_int_equal(table_find(limiter, &key), slots[i]);
        }
    }
    assert_int_equal(limiter->used_slots, SMALL_KEYS);
}

static void removing_what_is_not_there_is_noticed(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    const uint32_t slot = small_slot(limiter, 5);
    table_remove(limiter, slot);

    expect_assert_failure(table_remove(limiter, slot));
}

static void b67_the_coldest_of_a_sample_makes_room(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    for (uint32_t i = 0; i < 10; i++) {
        limiter->hot[small_slot(limiter, i)].touched_ms = 100 + i * 7 % 10;
    }

    assert_int_equal(table_coldest(limiter, SMALL_START_NS + NS_PER_S), 0);
    limiter->hot[0].touched_ms = 500;
    assert_int_equal(table_coldest(limiter, SMALL_START_NS + NS_PER_S), 3); /* 21 % 10 = 1 */
}

/* To find the coldest of all would take the longer the larger the table is. */
static void d32_no_more_than_a_sample_is_looked_at(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    for (uint32_t i = 0; i < SMALL_KEYS; i++) {
        limiter->hot[small_slot(limiter, i)].touched_ms = 500 - i;
    }

    const uint32_t slot = table_coldest(limiter, SMALL_START_NS + NS_PER_S);

    assert_int_equal(slot, 15); /* the coldest of sixteen, and not the last one */
    assert_true(slot < SMALL_KEYS - 1);
}

static void ages_are_compared_across_the_turn_of_the_millisecond_count(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    const uint64_t now_ns = SMALL_START_NS + ((UINT64_C(1) << 32) + 50) * NS_PER_MS;
    limiter->hot[small_slot(limiter, 0)].touched_ms = 10;             /* 40 ms ago */
    limiter->hot[small_slot(limiter, 1)].touched_ms = UINT32_MAX - 9; /* 60 ms ago */

    assert_int_equal(table_coldest(limiter, now_ns), 1);
}

static void keys_with_something_under_way_do_not_make_room(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    for (uint32_t i = 0; i < 5; i++) {
        limiter->hot[small_slot(limiter, i)].touched_ms = i;
    }
    limiter->hot[0].flags |= HOT_IN_FLIGHT;
    limiter->hot[1].flags |= HOT_QUEUED;
    limiter->cold[2].wait_last = 0;

    assert_int_equal(table_coldest(limiter, SMALL_START_NS + NS_PER_S), 3);
    table_remove(limiter, 3);
    assert_int_equal(table_coldest(limiter, SMALL_START_NS + NS_PER_S), 4);
    limiter->hot[4].flags |= HOT_IN_FLIGHT;
    assert_int_equal(table_coldest(limiter, SMALL_START_NS + NS_PER_S), SLOT_NONE);
}

static void the_sample_moves_on_through_the_table(void **state)
{
    (void)state;
    struct weir_limiter *limiter = empty_table();
    bool seen[SMALL_KEYS] = {false};
    unsigned count = 0;
    for (uint32_t i = 0; i < SMALL_KEYS; i++) {
        small_slot(limiter, i);
    }

    for (unsigned i = 0; i < SMALL_KEYS; i++) {
        const uint32_t slot = table_coldest(limiter, SMALL_START_NS);
        count += seen[slot] ? 0 : 1;
        seen[slot] = true;
    }
    assert_true(count > 20); /* all are equally cold: the first of each sample */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_found_in_the_slot_it_was_given),
        cmocka_unit_test(a_slot_starts_blank_and_every_stay_is_another_life),
        cmocka_unit_test(a_full_table_takes_no_more),
        cmocka_unit_test(insertions_and_removals_never_lose_a_key),
        cmocka_unit_test(removing_what_is_not_there_is_noticed),
        cmocka_unit_test(b67_the_coldest_of_a_sample_makes_room),
        cmocka_unit_test(d32_no_more_than_a_sample_is_looked_at),
        cmocka_unit_test(ages_are_compared_across_the_turn_of_the_millisecond_count),
        cmocka_unit_test(keys_with_something_under_way_do_not_make_room),
        cmocka_unit_test(the_sample_moves_on_through_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
