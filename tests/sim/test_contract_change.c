/* The contract across changes of the rule: by hand, against a recount that marks what was carried,
 * and against the oracle, which never breaks it. */
#include "unit.h"

#include <stdbool.h>

#include "contract.h"
#include "oracle_rules.h"
#include "prng.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)

static void change_limit(struct sim_contract *contract, enum sim_oracle_kind kind, uint64_t now_ns,
                         uint64_t limit_units)
{
    const struct sim_oracle_rule rule = rule_of_windows(kind, limit_units, MINUTE_NS, 0);

    sim_contract_change(contract, now_ns, &rule);
}

static void a_limit_below_what_was_spent_is_no_excess_until_more_is_spent(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const enum sim_oracle_kind kind = (enum sim_oracle_kind)(SIM_ORACLE_WINDOW + i);
        const struct sim_oracle_rule rule = rule_of_windows(kind, 10, MINUTE_NS, 0);
        struct sim_contract contract;

        sim_contract_init(&contract, &rule, 0);
        sim_contract_spend(&contract, 5 * SECOND_NS, 9);
        change_limit(&contract, kind, 20 * SECOND_NS, 4);
        assert_int_equal(sim_contract_excess_units(&contract), 0);
        sim_contract_spend(&contract, 20 * SECOND_NS, 1);
        assert_int_equal(sim_contract_excess_units(&contract), 1);
        sim_contract_spend(&contract, 21 * SECOND_NS, 1);
        assert_int_equal(sim_contract_excess_units(&contract), 2);
        /* raised again: 11 of 12 are spent, and 4 more are 3 too many */
        change_limit(&contract, kind, 22 * SECOND_NS, 12);
        sim_contract_spend(&contract, 22 * SECOND_NS, 4);
        assert_int_equal(sim_contract_excess_units(&contract), 3);
        sim_contract_deinit(&contract);
    }
}

static void carried_units_leave_the_account_as_any_others_do(void **state)
{
    (void)state;
    /* 9 spent at 5 s, the limit is 4 from 20 s on, and 3 spent at `again_s` are `excess` too many
     */
    static const struct {
        enum sim_oracle_kind kind;
        uint64_t again_s;
        uint64_t excess_units;
    } CASES[] = {
        {SIM_ORACLE_WINDOW, 59, 3},  {SIM_ORACLE_WINDOW, 60, 0},   {SIM_ORACLE_SLIDING, 60, 3},
        {SIM_ORACLE_SLIDING, 90, 3}, {SIM_ORACLE_SLIDING, 100, 2}, {SIM_ORACLE_SLIDING, 120, 0},
        {SIM_ORACLE_LOG, 64, 3},     {SIM_ORACLE_LOG, 65, 0},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct sim_oracle_rule rule = rule_of_windows(CASES[i].kind, 10, MINUTE_NS, 0);
        struct sim_contract contract;

        sim_contract_init(&contract, &rule, 0);
        sim_contract_spend(&contract, 5 * SECOND_NS, 9);
        change_limit(&contract, CASES[i].kind, 20 * SECOND_NS, 4);
        sim_contract_spend(&contract, CASES[i].again_s * SECOND_NS, 3);
        assert_int_equal(sim_contract_excess_units(&contract), CASES[i].excess_units);
        sim_contract_deinit(&contract);
    }
}

static void a_smaller_bucket_forgives_what_it_has_no_room_for(void **state)
{
    (void)state;
    const struct sim_oracle_rule large = rule_bucket(1, SECOND_NS, 10);
    const struct sim_oracle_rule small = rule_bucket(1, SECOND_NS, 4);
    struct sim_contract contract;

    sim_contract_init(&contract, &large, 0);
    sim_contract_spend(&contract, 0, 10);
    sim_contract_change(&contract, SECOND_NS / 2, &small);
    sim_contract_spend(&contract, SECOND_NS + SECOND_NS / 2, 1);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, 2 * SECOND_NS, 1); /* half a unit has drained */
    assert_int_equal(sim_contract_excess_units(&contract), 1);
}

static void without_a_plan_every_unit_is_one_too_many(void **state)
{
    (void)state;
    const struct sim_oracle_rule bucket = rule_bucket(1, SECOND_NS, 10);
    const struct sim_oracle_rule unlimited = rule_without_numbers(SIM_ORACLE_UNLIMITED);
    const struct sim_oracle_rule deleted = rule_without_numbers(SIM_ORACLE_DELETED);
    struct sim_contract contract;

    sim_contract_init(&contract, &bucket, 0);
    sim_contract_spend(&contract, 0, 10);
    sim_contract_change(&contract, 1, &unlimited);
    sim_contract_spend(&contract, 2, 1000);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_change(&contract, 3, &deleted);
    assert_int_equal(sim_contract_excess_units(&contract), 0);
    sim_contract_spend(&contract, 4, 2);
    sim_contract_spend(&contract, MINUTE_NS, 3);
    assert_int_equal(sim_contract_excess_units(&contract), 5);
    sim_contract_change(&contract, MINUTE_NS, &bucket); /* the 10 units have drained meanwhile */
    sim_contract_spend(&contract, MINUTE_NS, 10);
    assert_int_equal(sim_contract_excess_units(&contract), 5);
    sim_contract_spend(&contract, MINUTE_NS, 6);
    assert_int_equal(sim_contract_excess_units(&contract), 6);
}

/* ---- random changes */

#define CASE_COUNT 1000
#define END_NS 150

static void what_the_oracle_admits_keeps_the_contract_through_all_changes(void **state)
{
    (void)state;
    struct sim_prng prng;
    unsigned admitted_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        struct sim_oracle oracle;
        struct sim_contract contract;

        sim_prng_init(&prng, 1, "changes", i);
        struct sim_oracle_rule rule = rule_draw(&prng);
        sim_oracle_init(&oracle, &rule, 0);
        sim_contract_init(&contract, &rule, 0);
        for (uint64_t now_ns = 0; now_ns < END_NS; now_ns++) {
            const uint64_t cost_units = sim_prng_below(&prng, 9);
            if (sim_prng_below(&prng, 25) == 0) {
                rule = rule_draw(&prng);
                sim_oracle_change(&oracle, now_ns, &rule);
                sim_contract_change(&contract, now_ns, &rule);
            }
            if (sim_oracle_admit(&oracle, now_ns, cost_units)) {
                sim_contract_spend(&contract, now_ns, cost_units);
                admitted_count++;
            }
            assert_int_equal(sim_contract_excess_units(&contract), 0);
        }
        sim_oracle_deinit(&oracle);
        sim_contract_deinit(&contract);
    }
    assert_true(admitted_count > 50 * CASE_COUNT);
}

struct recount {
    struct sim_oracle_rule rule;
    uint64_t time_ns[2 * END_NS];
    uint64_t units[2 * END_NS];
    size_t count;
    size_t carried_count; /* the first ones were there at the change */
};

/* In units x window, of the first `end` admissions. */
static uint64_t level_of(const struct recount *recount, uint64_t now_ns, size_t end)
{
    const struct sim_oracle_rule *rule = &recount->rule;
    const uint64_t window_ns = rule->window_ns;
    const uint64_t index = (now_ns + rule->phase_ns) / window_ns;
    uint64_t level = 0;

    for (size_t i = 0; i < end; i++) {
        const uint64_t its = (recount->time_ns[i] + rule->phase_ns) / window_ns;
        uint64_t weight = its == index ? window_ns : 0;

        if (rule->kind == SIM_ORACLE_SLIDING && its + 1 == index) {
            weight = window_ns - (now_ns + rule->phase_ns) % window_ns;
        }
        if (rule->kind == SIM_ORACLE_LOG) {
            weight = now_ns < recount->time_ns[i] + window_ns ? window_ns : 0;
        }
        level += recount->units[i] * weight;
    }
    return level;
}

static void recount_change(struct recount *recount, uint64_t now_ns,
                           const struct sim_oracle_rule *rule)
{
    if (rule->kind != recount->rule.kind || rule->window_ns != recount->rule.window_ns) {
        const uint64_t window_ns = recount->rule.window_ns;
        recount->units[0] = (level_of(recount, now_ns, recount->count) + window_ns - 1) / window_ns;
        recount->time_ns[0] = now_ns;
        recount->count = 1;
    }
    recount->carried_count = recount->count;
    recount->rule = *rule;
}

static uint64_t recount_excess(const struct recount *recount, uint64_t now_ns)
{
    const uint64_t limit = recount->rule.limit_units * recount->rule.window_ns;
    const uint64_t carried = level_of(recount, now_ns, recount->carried_count);
    const uint64_t allowed = carried > limit ? carried : limit;
    const uint64_t level = level_of(recount, now_ns, recount->count);

    return level > allowed
               ? (level - allowed + recount->rule.window_ns - 1) / recount->rule.window_ns
               : 0;
}

/* Buckets keep no list of admissions: they are in the tests above. */
static struct sim_oracle_rule windows_draw(struct sim_prng *prng)
{
    struct sim_oracle_rule rule = rule_draw(prng);

    rule.kind = (enum sim_oracle_kind)(SIM_ORACLE_WINDOW + sim_prng_below(prng, 3));
    rule.limit_units += 10; /* so that some cases keep the contract */
    return rule;
}

static void excess_equals_a_recount_that_knows_what_was_carried(void **state)
{
    (void)state;
    struct sim_prng prng;
    unsigned broken_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        struct recount recount = {.count = 0};
        struct sim_contract contract;
        uint64_t worst_units = 0;

        sim_prng_init(&prng, 1, "changes of windows", i);
        recount.rule = windows_draw(&prng);
        sim_contract_init(&contract, &recount.rule, 0);
        for (uint64_t now_ns = 0; now_ns < END_NS; now_ns++) {
            if (sim_prng_below(&prng, 40) == 0) {
                const struct sim_oracle_rule rule = windows_draw(&prng);
                recount_change(&recount, now_ns, &rule);
                sim_contract_change(&contract, now_ns, &rule);
            }
            if (sim_prng_below(&prng, 10) == 0) {
                const uint64_t cost_units = sim_prng_below(&prng, 9);
                recount.time_ns[recount.count] = now_ns;
                recount.units[recount.count++] = cost_units;
                const uint64_t excess_units = recount_excess(&recount, now_ns);
                worst_units = excess_units > worst_units ? excess_units : worst_units;
                sim_contract_spend(&contract, now_ns, cost_units);
            }
            assert_int_equal(sim_contract_excess_units(&contract), worst_units);
        }
        broken_count += worst_units > 0;
        sim_contract_deinit(&contract);
    }
    assert_in_range(broken_count, CASE_COUNT / 5, CASE_COUNT * 4 / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_below_what_was_spent_is_no_excess_until_more_is_spent),
        cmocka_unit_test(carried_units_leave_the_account_as_any_others_do),
        cmocka_unit_test(a_smaller_bucket_forgives_what_it_has_no_room_for),
        cmocka_unit_test(without_a_plan_every_unit_is_one_too_many),
        cmocka_unit_test(what_the_oracle_admits_keeps_the_contract_through_all_changes),
        cmocka_unit_test(excess_equals_a_recount_that_knows_what_was_carried),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
