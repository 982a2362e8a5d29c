/* The trace hash: what happened when, whatever the order of simulation, and where two runs part. */
#include "unit.h"

#include "trace_hash.h"

#define SECOND_NS UINT64_C(1000000000)

struct event {
    uint64_t time_ns;
    uint32_t actor;
    uint64_t what;
    uint64_t amount;
};

static const struct event base[] = {
    {100, 0, 1, 5}, {100, 1, 1, 5}, {SECOND_NS, 0, 2, 6}, {2 * SECOND_NS + 7, 3, 0, 0}};

enum {
    EVENT_COUNT = sizeof base / sizeof base[0],
};

/* Of three seconds and the one that begins with the end. */
static void play(struct sim_trace_hash *trace, const struct event *events, unsigned first)
{
    sim_trace_hash_init(trace, 3 * SECOND_NS);
    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        const struct event *event = &events[(first + i) % EVENT_COUNT];

        sim_trace_hash_add(trace, event->time_ns, event->actor, event->what, event->amount);
    }
}

static void the_order_of_adding_does_not_matter(void **state)
{
    (void)state;
    struct sim_trace_hash a;
    struct sim_trace_hash b;

    play(&a, base, 0);
    play(&b, base, 2);

    assert_int_equal(a.second_count, 4);
    for (size_t second = 0; second < 4; second++) {
        assert_int_equal(sim_trace_hash_value(&a, second), sim_trace_hash_value(&b, second));
    }
    sim_trace_hash_deinit(&a);
    sim_trace_hash_deinit(&b);
}

static void every_part_of_an_event_matters(void **state)
{
    (void)state;
    const struct event others[] = {
        {101, 0, 1, 5}, {100, 2, 1, 5}, {100, 0, 2, 5}, {100, 0, 1, 4}, {101, 1, 1, 5}};
    struct sim_trace_hash expected;

    play(&expected, base, 0);
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct event changed[EVENT_COUNT] = {others[i], base[1], base[2], base[3]};
        struct sim_trace_hash trace;

        play(&trace, changed, 0);
        assert_int_not_equal(sim_trace_hash_value(&trace, 3), sim_trace_hash_value(&expected, 3));
        sim_trace_hash_deinit(&trace);
    }
    sim_trace_hash_deinit(&expected);
}

static void the_ladder_differs_from_the_first_different_second_on(void **state)
{
    (void)state;
    struct event changed[EVENT_COUNT] = {base[0], base[1], base[2], base[3]};
    struct sim_trace_hash a;
    struct sim_trace_hash b;

    changed[2].amount++;
    play(&a, base, 0);
    play(&b, changed, 0);

    assert_int_equal(sim_trace_hash_value(&a, 0), sim_trace_hash_value(&b, 0));
    for (size_t second = 1; second < 4; second++) {
        assert_int_not_equal(sim_trace_hash_value(&a, second), sim_trace_hash_value(&b, second));
    }
    sim_trace_hash_deinit(&a);
    sim_trace_hash_deinit(&b);
}

static void what_happens_after_the_end_counts_in_the_last_second(void **state)
{
    (void)state;
    struct sim_trace_hash a;
    struct sim_trace_hash b;

    play(&a, base, 0);
    play(&b, base, 0);
    sim_trace_hash_add(&b, 900 * SECOND_NS, 0, 1, 1);

    assert_int_equal(sim_trace_hash_value(&a, 2), sim_trace_hash_value(&b, 2));
    assert_int_not_equal(sim_trace_hash_value(&a, 3), sim_trace_hash_value(&b, 3));
    assert_int_equal(sim_trace_hash_value(&b, 3), sim_trace_hash_value(&b, 1000));
    sim_trace_hash_deinit(&a);
    sim_trace_hash_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_adding_does_not_matter),
        cmocka_unit_test(every_part_of_an_event_matters),
        cmocka_unit_test(the_ladder_differs_from_the_first_different_second_on),
        cmocka_unit_test(what_happens_after_the_end_counts_in_the_last_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
