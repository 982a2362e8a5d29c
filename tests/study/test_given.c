/* What two runs are given: the same requests and faults, or what differs. */
#include "study_case.h"

#include "given.h"

/* Two scenarios, compared. */
struct pair {
    struct sim_scenario scenarios[2];
    struct study_given given[2];
};

static enum study_pairing compare(struct pair *pair, const char *a, const char *b)
{
    world_run_load(&pair->scenarios[0], study_case_file(), a);
    world_run_load(&pair->scenarios[1], study_case_file(), b);
    study_given_survey(&pair->given[0], &pair->scenarios[0]);
    study_given_survey(&pair->given[1], &pair->scenarios[1]);
    return study_given_compare(&pair->given[0], &pair->given[1]);
}

static void forget(struct pair *pair)
{
    sim_scenario_free(&pair->scenarios[0]);
    sim_scenario_free(&pair->scenarios[1]);
}

static void another_limiter_is_given_the_same(void **state)
{
    (void)state;
    struct pair pair;

    assert_int_equal(compare(&pair, STUDY_CASE_TEXT("4", ""),
                             STUDY_CASE_TEXT("4", ", \"limiter\": {\"sizer\": \"fixed\"}")),
                     STUDY_PAIRED);
    assert_true(pair.given[0].request_count > 100);
    assert_int_equal(pair.given[0].unit_count, pair.given[0].request_count);
    assert_false(pair.given[0].reacts);
    forget(&pair);
}

static void another_seed_or_demand_is_another_traffic(void **state)
{
    (void)state;
    struct pair pair;

    assert_int_equal(
        compare(&pair, STUDY_CASE_TEXT("4", ""), STUDY_CASE_TEXT("4", ", \"seed\": 2")),
        STUDY_UNPAIRED);
    forget(&pair);
    assert_int_equal(compare(&pair, STUDY_CASE_TEXT("4", ""), STUDY_CASE_TEXT("5", "")),
                     STUDY_UNPAIRED);
    assert_string_equal(study_given_difference(&pair.scenarios[0], &pair.scenarios[1]), "traffic");
    forget(&pair);
}

static void the_part_that_differs_has_a_name(void **state)
{
    (void)state;
    struct pair pair;

    assert_int_equal(compare(&pair, STUDY_CASE_TEXT("4", ""), STUDY_CASE_TEXT("4", "")),
                     STUDY_PAIRED);
    struct sim_scenario *b = &pair.scenarios[1];
    b->plans[0].rate_units *= 2;
    assert_non_null(strstr(study_given_difference(&pair.scenarios[0], b), "rates"));
    b->populations[1].key_count++;
    assert_string_equal(study_given_difference(&pair.scenarios[0], b), "keys");
    b->duration_ns++;
    assert_string_equal(study_given_difference(&pair.scenarios[0], b), "duration_s");
    forget(&pair);
}

static void another_balance_leads_elsewhere(void **state)
{
    (void)state;
    struct pair pair;
    static const char *const moved =
        "{\"why\": \"w\", \"duration_s\": 20, \"fleet\": {\"processes\": 3},"
        " \"plans\": {\"gold\": {\"rate_per_s\": 2, \"capacity_units\": 10}},"
        " \"keys\": {\"one\": {\"plan\": \"gold\"}, \"many\": {\"plan\": \"gold\", \"count\": 3}},"
        " \"traffic\": [{\"keys\": \"one\", \"demand_ratio\": 4},"
        " {\"keys\": \"many\", \"demand_ratio\": 4}]}";

    assert_int_equal(compare(&pair, STUDY_CASE_TEXT("4", ""), moved), STUDY_PAIRED_ELSEWHERE);
    forget(&pair);
}

static void faults_are_told_apart(void **state)
{
    (void)state;
    struct pair pair;
    static const char *const five = STUDY_CASE_TEXT(
        "4", ", \"faults\": [{\"kind\": \"store_outage\", \"from_s\": 5, \"for_s\": 5}]");
    static const char *const six = STUDY_CASE_TEXT(
        "4", ", \"faults\": [{\"kind\": \"store_outage\", \"from_s\": 5, \"for_s\": 6}]");
    static const char *const hot = STUDY_CASE_TEXT(
        "4", ", \"faults\": [{\"kind\": \"hot_key\", \"from_s\": 5, \"keys\": \"many\","
             " \"times\": 3}]");

    assert_int_equal(compare(&pair, five, five), STUDY_PAIRED);
    forget(&pair);
    assert_int_equal(compare(&pair, five, six), STUDY_PAIRED_BUT_FAULTS);
    forget(&pair);
    assert_int_equal(compare(&pair, five, STUDY_CASE_TEXT("4", "")), STUDY_PAIRED_BUT_FAULTS);
    forget(&pair);
    /* a fault of demand makes other requests */
    assert_int_equal(compare(&pair, hot, STUDY_CASE_TEXT("4", "")), STUDY_UNPAIRED);
    forget(&pair);
}

static void clients_that_try_again_react(void **state)
{
    (void)state;
    struct pair pair;
    static const char *const retrying =
        "{\"why\": \"w\", \"duration_s\": 20, \"fleet\": {\"processes\": 2},"
        " \"plans\": {\"gold\": {\"rate_per_s\": 2, \"capacity_units\": 10}},"
        " \"keys\": {\"one\": {\"plan\": \"gold\"}},"
        " \"traffic\": [{\"keys\": \"one\", \"demand_ratio\": 4,"
        " \"on_denial\": {\"kind\": \"obey\"}}]}";

    assert_int_equal(compare(&pair, retrying, retrying), STUDY_PAIRED);
    assert_true(pair.given[0].reacts);
    assert_true(pair.given[0].request_count > 100);
    forget(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_limiter_is_given_the_same),
        cmocka_unit_test(another_seed_or_demand_is_another_traffic),
        cmocka_unit_test(the_part_that_differs_has_a_name),
        cmocka_unit_test(another_balance_leads_elsewhere),
        cmocka_unit_test(faults_are_told_apart),
        cmocka_unit_test(clients_that_try_again_react),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
