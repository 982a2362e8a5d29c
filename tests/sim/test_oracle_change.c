/* A change of the rule in mid-run: every pair of kinds by hand, then random changes against a
 * replay that goes through time nanosecond by nanosecond. */
#include "unit.h"

#include <stdbool.h>

#include "oracle.h"
#include "oracle_rules.h"
#include "prng.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define CHANGE_NS (112 * SECOND_NS + SECOND_NS / 2)

/* Windows of a minute start at -20 s, 40 s, 100 s ... */
static struct sim_oracle_rule old_rule(enum sim_oracle_kind kind)
{
    if (kind == SIM_ORACLE_BUCKET) {
        return rule_bucket(3, MINUTE_NS, 10);
    }
    return rule_of_windows(kind, 10, kind == SIM_ORACLE_LOG ? 65 * SECOND_NS : MINUTE_NS,
                           20 * SECOND_NS);
}

/* 5 units at 50 s, 2 at 105 s. At 112.5 s are held:
 *   bucket     10 - (10 - 5 + 2.75 - 2 + 0.375) = 3.875
 *   window     2
 *   sliding    5 x 47.5 / 60 = 3.96, and 2
 *   log        7, of which 5 leave at 115 s, and 2 at 170 s
 *   unlimited, deleted: the 3 they began with */
static void play_old(struct sim_oracle *oracle, enum sim_oracle_kind kind)
{
    const struct sim_oracle_rule rule = old_rule(kind);
    const bool limited = kind != SIM_ORACLE_UNLIMITED && kind != SIM_ORACLE_DELETED;

    sim_oracle_init(oracle, &rule, limited ? 0 : 3);
    assert_int_equal(sim_oracle_admit(oracle, 50 * SECOND_NS, 5), kind != SIM_ORACLE_DELETED);
    assert_int_equal(sim_oracle_admit(oracle, 105 * SECOND_NS, 2), kind != SIM_ORACLE_DELETED);
}

/* The rows are the old kinds, which hand over 4, 2, 6, 7, 3 and 3 units. */
struct pairs {
    struct sim_oracle_rule rule;
    uint64_t units[RULE_KIND_COUNT]; /* that remain right after the change */
    uint64_t later_ns;
    uint64_t later_units[RULE_KIND_COUNT];  /* that remain at later_ns, and */
    uint64_t before_units[RULE_KIND_COUNT]; /* a nanosecond before */
};

static void pairs_check(const struct pairs *pairs)
{
    for (int kind = 0; kind < RULE_KIND_COUNT; kind++) {
        struct sim_oracle oracle;

        play_old(&oracle, (enum sim_oracle_kind)kind);
        sim_oracle_change(&oracle, CHANGE_NS, &pairs->rule);
        assert_int_equal(sim_oracle_remaining_units(&oracle, CHANGE_NS), pairs->units[kind]);
        assert_int_equal(sim_oracle_remaining_units(&oracle, pairs->later_ns - 1),
                         pairs->before_units[kind]);
        assert_int_equal(sim_oracle_remaining_units(&oracle, pairs->later_ns),
                         pairs->later_units[kind]);
        sim_oracle_deinit(&oracle);
    }
}

static void any_rule_hands_its_used_units_to_a_bucket(void **state)
{
    (void)state;
    static const struct pairs PAIRS = {
        .rule = {.kind = SIM_ORACLE_BUCKET,
                 .rate_units = 1,
                 .period_ns = SECOND_NS,
                 .capacity_units = 6},
        .units = {2, 4, 0, 0, 3, 3},
        .later_ns = CHANGE_NS + SECOND_NS,
        .before_units = {2, 4, 0, 0, 3, 3},
        .later_units = {3, 5, 1, 1, 4, 4}, /* what the capacity had no room for is forgiven */
    };
    pairs_check(&PAIRS);
}

static void any_rule_hands_its_used_units_to_a_window(void **state)
{
    (void)state;
    static const struct pairs PAIRS = {
        .rule = {.kind = SIM_ORACLE_WINDOW, .limit_units = 5, .window_ns = 30 * SECOND_NS},
        .units = {1, 3, 0, 0, 2, 2},
        .later_ns = 120 * SECOND_NS,
        .before_units = {1, 3, 0, 0, 2, 2},
        .later_units = {5, 5, 5, 5, 5, 5},
    };
    pairs_check(&PAIRS);
}

static void any_rule_hands_its_used_units_to_a_sliding_window(void **state)
{
    (void)state;
    /* the window [90 s, 120 s) holds them; in the next they count by their part */
    static const struct pairs PAIRS = {
        .rule = {.kind = SIM_ORACLE_SLIDING, .limit_units = 5, .window_ns = 30 * SECOND_NS},
        .units = {1, 3, 0, 0, 2, 2},
        .later_ns = 135 * SECOND_NS,
        .before_units = {2, 3, 1, 1, 3, 3}, /* 2.0...1 are not 2 */
        .later_units = {3, 4, 2, 1, 3, 3},
    };
    pairs_check(&PAIRS);
}

static void any_rule_hands_its_used_units_to_a_log(void **state)
{
    (void)state;
    static const struct pairs PAIRS = {
        .rule = {.kind = SIM_ORACLE_LOG, .limit_units = 5, .window_ns = 30 * SECOND_NS},
        .units = {1, 3, 0, 0, 2, 2},
        .later_ns = CHANGE_NS + 30 * SECOND_NS,
        .before_units = {1, 3, 0, 0, 2, 2},
        .later_units = {5, 5, 5, 5, 5, 5},
    };
    pairs_check(&PAIRS);
}

static void while_there_is_no_limit_or_no_plan_the_rule_before_forgets(void **state)
{
    (void)state;
    static const struct sim_oracle_rule window = {
        .kind = SIM_ORACLE_WINDOW, .limit_units = 20, .window_ns = 30 * SECOND_NS};
    /* a minute later: 0.875 of the bucket; a new window; 2 x 47.5 / 60; the log is empty */
    static const uint64_t units[RULE_KIND_COUNT] = {19, 20, 18, 20, 17, 17};

    for (int i = 0; i < 2 * RULE_KIND_COUNT; i++) {
        const enum sim_oracle_kind between = i % 2 == 0 ? SIM_ORACLE_UNLIMITED : SIM_ORACLE_DELETED;
        const struct sim_oracle_rule none = rule_without_numbers(between);
        struct sim_oracle oracle;

        play_old(&oracle, (enum sim_oracle_kind)(i / 2));
        sim_oracle_change(&oracle, CHANGE_NS, &none);
        assert_int_equal(sim_oracle_admit(&oracle, CHANGE_NS, 1000000),
                         between == SIM_ORACLE_UNLIMITED);
        sim_oracle_change(&oracle, CHANGE_NS + MINUTE_NS, &window);
        assert_int_equal(sim_oracle_remaining_units(&oracle, CHANGE_NS + MINUTE_NS), units[i / 2]);
        sim_oracle_deinit(&oracle);
    }
}

static void buckets_of_one_period_carry_the_fraction(void **state)
{
    (void)state;
    static const struct {
        struct sim_oracle_rule rule;
        uint64_t units;
        uint64_t next_ns; /* until one more */
    } CASES[] = {
        {{.rate_units = 3, .period_ns = MINUTE_NS, .capacity_units = 6}, 2, 17500},
        {{.rate_units = 6, .period_ns = MINUTE_NS, .capacity_units = 20}, 16, 8750},
        {{.rate_units = 3, .period_ns = MINUTE_NS, .capacity_units = 3}, 0, 20000},
        {{.rate_units = 1, .period_ns = 20 * SECOND_NS, .capacity_units = 6}, 2, 20000},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct sim_oracle oracle;

        play_old(&oracle, SIM_ORACLE_BUCKET);
        sim_oracle_change(&oracle, CHANGE_NS, &CASES[i].rule);
        assert_int_equal(sim_oracle_remaining_units(&oracle, CHANGE_NS), CASES[i].units);
        assert_int_equal(sim_oracle_retry_ns(&oracle, CHANGE_NS, CASES[i].units + 1),
                         CHANGE_NS + CASES[i].next_ns * 1000000);
    }
}

static void a_window_keeps_what_was_consumed_when_its_limit_changes(void **state)
{
    (void)state;
    static const uint64_t limits[] = {1, 2, 12};
    static const uint64_t units[] = {0, 0, 10};

    for (int i = 0; i < 3; i++) {
        const struct sim_oracle_rule rule =
            rule_of_windows(SIM_ORACLE_WINDOW, limits[i], MINUTE_NS, 20 * SECOND_NS);
        struct sim_oracle oracle;

        play_old(&oracle, SIM_ORACLE_WINDOW);
        sim_oracle_change(&oracle, CHANGE_NS, &rule);
        assert_int_equal(sim_oracle_remaining_units(&oracle, CHANGE_NS), units[i]);
        assert_true(sim_oracle_admit(&oracle, CHANGE_NS, 0));
        assert_int_equal(sim_oracle_remaining_units(&oracle, 160 * SECOND_NS - 1), units[i]);
        assert_int_equal(sim_oracle_remaining_units(&oracle, 160 * SECOND_NS), limits[i]);
    }
}

static void a_sliding_window_keeps_both_counters_when_its_limit_changes(void **state)
{
    (void)state;
    const struct sim_oracle_rule rule =
        rule_of_windows(SIM_ORACLE_SLIDING, 8, MINUTE_NS, 20 * SECOND_NS);
    struct sim_oracle oracle;

    play_old(&oracle, SIM_ORACLE_SLIDING);
    sim_oracle_change(&oracle, CHANGE_NS, &rule);
    assert_int_equal(sim_oracle_remaining_units(&oracle, CHANGE_NS), 2);
    assert_int_equal(sim_oracle_remaining_units(&oracle, 130 * SECOND_NS), 3); /* 2.5 + 2 */
    assert_int_equal(sim_oracle_remaining_units(&oracle, 160 * SECOND_NS), 6);
}

static void a_log_keeps_its_entries_when_its_limit_changes(void **state)
{
    (void)state;
    const struct sim_oracle_rule rule = rule_of_windows(SIM_ORACLE_LOG, 6, 65 * SECOND_NS, 0);
    struct sim_oracle oracle;

    play_old(&oracle, SIM_ORACLE_LOG);
    sim_oracle_change(&oracle, CHANGE_NS, &rule);
    assert_int_equal(sim_oracle_remaining_units(&oracle, CHANGE_NS), 0);
    assert_int_equal(sim_oracle_retry_ns(&oracle, CHANGE_NS, 4), 115 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, CHANGE_NS, 5), 170 * SECOND_NS);
    sim_oracle_deinit(&oracle);
}

static void a_change_forgets_when_nothing_was_held_only_if_nothing_is(void **state)
{
    (void)state;
    const struct sim_oracle_rule window = rule_of_windows(SIM_ORACLE_WINDOW, 10, MINUTE_NS, 0);
    struct sim_oracle oracle;

    play_old(&oracle, SIM_ORACLE_BUCKET); /* full until 50 s */
    sim_oracle_change(&oracle, CHANGE_NS, &window);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, CHANGE_NS), 50 * SECOND_NS);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 121 * SECOND_NS), 120 * SECOND_NS);

    const struct sim_oracle_rule bucket = rule_bucket(1, SECOND_NS, 1);
    sim_oracle_change(&oracle, 125 * SECOND_NS, &bucket);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 125 * SECOND_NS), 125 * SECOND_NS);
}

/* ---- replay */

#define CASE_COUNT 2000
#define END_NS 150

struct replay {
    struct sim_oracle_rule rule;
    enum sim_oracle_kind kind;    /* in force */
    uint64_t time_ns[4 * END_NS]; /* admissions; what was carried in is one of them */
    uint64_t units[4 * END_NS];
    size_t count;
    uint64_t tokens; /* bucket: units x period */
    uint64_t carried;
};

static uint64_t replay_used(const struct replay *replay, uint64_t now_ns)
{
    const struct sim_oracle_rule *rule = &replay->rule;
    uint64_t weighted = 0;

    if (rule->kind == SIM_ORACLE_BUCKET) {
        const uint64_t used = rule->capacity_units * rule->period_ns - replay->tokens;
        return used / rule->period_ns + (used % rule->period_ns != 0);
    }
    if (rule->kind == SIM_ORACLE_UNLIMITED || rule->kind == SIM_ORACLE_DELETED) {
        return replay->carried;
    }
    for (size_t i = 0; i < replay->count; i++) {
        const uint64_t window_ns = rule->window_ns;
        const uint64_t index = (now_ns + rule->phase_ns) / window_ns;
        const uint64_t its = (replay->time_ns[i] + rule->phase_ns) / window_ns;
        uint64_t weight = its == index ? window_ns : 0;

        if (rule->kind == SIM_ORACLE_SLIDING && its + 1 == index) {
            weight = window_ns - (now_ns + rule->phase_ns) % window_ns;
        }
        if (rule->kind == SIM_ORACLE_LOG) {
            weight = now_ns < replay->time_ns[i] + window_ns ? window_ns : 0;
        }
        weighted += replay->units[i] * weight;
    }
    return (weighted + rule->window_ns - 1) / rule->window_ns;
}

static bool is_alike(const struct sim_oracle_rule *a, const struct sim_oracle_rule *b)
{
    return a->kind == b->kind && a->kind != SIM_ORACLE_UNLIMITED && a->kind != SIM_ORACLE_DELETED &&
           (a->kind == SIM_ORACLE_BUCKET ? a->period_ns == b->period_ns
                                         : a->window_ns == b->window_ns);
}

static void replay_change(struct replay *replay, uint64_t now_ns,
                          const struct sim_oracle_rule *rule)
{
    uint64_t used = replay_used(replay, now_ns);
    const uint64_t capacity = rule->capacity_units * rule->period_ns;

    replay->kind = rule->kind;
    if (rule->kind == SIM_ORACLE_UNLIMITED || rule->kind == SIM_ORACLE_DELETED) {
        return;
    }
    if (!is_alike(&replay->rule, rule)) {
        replay->time_ns[0] = now_ns;
        replay->units[0] = used;
        replay->count = 1;
        replay->carried = used;
        used *= rule->period_ns;
    } else {
        used = replay->rule.capacity_units * replay->rule.period_ns - replay->tokens;
    }
    replay->tokens = used < capacity ? capacity - used : 0;
    replay->rule = *rule;
}

static bool replay_admits(struct replay *replay, uint64_t now_ns, uint64_t cost_units)
{
    const struct sim_oracle_rule *rule = &replay->rule;

    if (replay->kind == SIM_ORACLE_UNLIMITED || replay->kind == SIM_ORACLE_DELETED) {
        return replay->kind == SIM_ORACLE_UNLIMITED;
    }
    if ((rule->kind == SIM_ORACLE_BUCKET && cost_units * rule->period_ns > replay->tokens) ||
        (rule->kind != SIM_ORACLE_BUCKET && cost_units != 0 &&
         replay_used(replay, now_ns) + cost_units > rule->limit_units)) {
        return false;
    }
    if (rule->kind == SIM_ORACLE_BUCKET) {
        replay->tokens -= cost_units * rule->period_ns;
    } else {
        replay->time_ns[replay->count] = now_ns;
        replay->units[replay->count++] = cost_units;
    }
    return true;
}

static void replay_tick(struct replay *replay)
{
    const uint64_t capacity = replay->rule.capacity_units * replay->rule.period_ns;

    replay->tokens += replay->rule.rate_units;
    replay->tokens = replay->tokens < capacity ? replay->tokens : capacity;
}

static void changes_agree_with_a_replay_by_nanoseconds(void **state)
{
    (void)state;
    struct sim_prng prng;
    unsigned pairs[RULE_KIND_COUNT][RULE_KIND_COUNT] = {{0}};
    unsigned decided[2] = {0};

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        struct replay replay = {.count = 0};
        struct sim_oracle oracle;

        sim_prng_init(&prng, 1, "changes", i);
        replay.rule = rule_draw(&prng);
        replay.kind = replay.rule.kind;
        replay.tokens = replay.rule.capacity_units * replay.rule.period_ns;
        sim_oracle_init(&oracle, &replay.rule, 0);
        for (uint64_t now_ns = 0; now_ns < END_NS; now_ns++) {
            while (sim_prng_below(&prng, 25) == 0) {
                const struct sim_oracle_rule rule = rule_draw(&prng);
                pairs[replay.kind][rule.kind]++;
                replay_change(&replay, now_ns, &rule);
                sim_oracle_change(&oracle, now_ns, &rule);
            }
            while (sim_prng_below(&prng, 3) == 0 && replay.count < 3 * END_NS) {
                const uint64_t cost_units = sim_prng_below(&prng, 9);
                const bool admitted = replay_admits(&replay, now_ns, cost_units);
                assert_int_equal(sim_oracle_admit(&oracle, now_ns, cost_units), admitted);
                decided[admitted]++;
            }
            replay_tick(&replay);
        }
        sim_oracle_deinit(&oracle);
    }
    for (int i = 0; i < RULE_KIND_COUNT * RULE_KIND_COUNT; i++) {
        assert_true(pairs[i / RULE_KIND_COUNT][i % RULE_KIND_COUNT] > 50);
    }
    assert_true(decided[0] > 20000 && decided[1] > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_rule_hands_its_used_units_to_a_bucket),
        cmocka_unit_test(any_rule_hands_its_used_units_to_a_window),
        cmocka_unit_test(any_rule_hands_its_used_units_to_a_sliding_window),
        cmocka_unit_test(any_rule_hands_its_used_units_to_a_log),
        cmocka_unit_test(while_there_is_no_limit_or_no_plan_the_rule_before_forgets),
        cmocka_unit_test(buckets_of_one_period_carry_the_fraction),
        cmocka_unit_test(a_window_keeps_what_was_consumed_when_its_limit_changes),
        cmocka_unit_test(a_sliding_window_keeps_both_counters_when_its_limit_changes),
        cmocka_unit_test(a_log_keeps_its_entries_when_its_limit_changes),
        cmocka_unit_test(a_change_forgets_when_nothing_was_held_only_if_nothing_is),
        cmocka_unit_test(changes_agree_with_a_replay_by_nanoseconds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
