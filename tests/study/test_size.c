/* The search for settings: what is chosen is the best of what was run, and what was run is enough.
 */
#include "study_case.h"

#include "result.h"
#include "size.h"

static struct study_size size;
static struct study_size wide; /* found under bounds that everything keeps */

/* Exactly: -Wfloat-equal is right elsewhere. */
static bool is_same(double left, double right)
{
    return !(left < right) && !(left > right);
}

static enum study_end search(struct study_size *made, double under_units, double asks_per_s,
                             const char *text)
{
    world_run_write(study_case_file(), text);
    *made = (struct study_size){
        .scenario = study_case_file(),
        .first_seed = 3,
        .seed_count = 3,
        .kernel = SIM_KERNEL_HEAP,
        .quiet = true,
    };
    made->is_bounded[STUDY_BOUND_UNDER_UNITS] = true;
    made->bounds[STUDY_BOUND_UNDER_UNITS] = under_units;
    made->is_bounded[STUDY_BOUND_ASKS] = true;
    made->bounds[STUDY_BOUND_ASKS] = asks_per_s;
    const enum study_end end = study_size_run(made);
    assert_int_equal(unlink(study_case_file()), 0);
    return end;
}

static void search_small(struct study_size *made, double under_units, double asks_per_s)
{
    assert_int_equal(search(made, under_units, asks_per_s, STUDY_CASE_TEXT("4", "")), STUDY_DONE);
}

static const struct study_candidate *named(const struct study_size *made, const char *name)
{
    size_t found = 0;

    while (found < made->candidate_count && strcmp(made->candidates[found].name, name) != 0) {
        found++;
    }
    assert_true(found < made->candidate_count);
    return &made->candidates[found];
}

static void the_worst_seed_counts(void **state)
{
    (void)state;
    search_small(&size, 1e9, 1e9);
    for (size_t i = 0; i < size.candidate_count; i++) {
        const struct study_candidate *candidate = &size.candidates[i];
        assert_int_equal(candidate->seed_count, 3);
        for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
            double worst = 0;
            for (size_t seed = 0; seed < 3; seed++) {
                double value = -1;
                assert_true(sim_result_number(candidate->results[seed],
                                              study_bound_texts[bound].path, &value));
                worst = value > worst ? value : worst;
            }
            assert_true(is_same(candidate->worst[bound], worst));
        }
        double first = 0;
        assert_true(sim_result_number(candidate->results[0], "seed", &first));
        assert_true(is_same(first, 3));
    }
    study_size_free(&size);
}

static void the_cheapest_that_keeps_all_is_chosen(void **state)
{
    (void)state;
    search_small(&size, 1e9, 1e9);
    const struct study_candidate *chosen = &size.candidates[size.chosen];
    for (size_t i = 0; i < size.candidate_count; i++) {
        assert_int_equal(size.candidates[i].misses, 0);
        assert_true(chosen->worst[STUDY_BOUND_ASKS] <= size.candidates[i].worst[STUDY_BOUND_ASKS]);
    }
    assert_true(chosen->is_efficient);
    assert_int_equal(size.chosen, 0); /* they are in order of asks */
    study_size_free(&size);
}

static void what_nothing_keeps_is_named(void **state)
{
    (void)state;
    search_small(&size, 0, 0.1);
    assert_int_equal(size.chosen, STUDY_SIZE_NOBODY);
    const size_t least = study_size_best(&size, STUDY_BOUND_ASKS);
    for (size_t i = 0; i < size.candidate_count; i++) {
        assert_true(size.candidates[i].worst[STUDY_BOUND_ASKS] >=
                    size.candidates[least].worst[STUDY_BOUND_ASKS]);
        assert_true((size.candidates[i].misses & 1u << STUDY_BOUND_ASKS) != 0);
    }
    /* with an ask per request nothing is parked, and the exact limiter is a round trip away */
    const size_t rest = study_size_best_of_others(&size, STUDY_BOUND_ASKS);
    if (rest != STUDY_SIZE_NOBODY) {
        assert_int_equal(size.candidates[rest].misses, 1u << STUDY_BOUND_ASKS);
    }
    study_size_free(&size);
}

/* One of two sizes asks too much and the other errs too much: something in between is tried. */
static void sizes_in_between_are_tried(void **state)
{
    (void)state;
    static const char *const sizes[] = {"fixed, 1 unit", "fixed, 2 units", "fixed, 5 units",
                                        "fixed, 10 units", "fixed, 20 units"};
    bool tried = false;

    search_small(&wide, 1e9, 1e9);
    for (size_t i = 1; i + 1 < sizeof sizes / sizeof sizes[0] && !tried; i++) {
        const struct study_candidate *low = named(&wide, sizes[i]);
        const struct study_candidate *high = named(&wide, sizes[i + 1]);
        double asks[2];
        double under[2];
        assert_true(sim_result_number(low->results[0], "store.asks_per_s.mean", &asks[0]));
        assert_true(sim_result_number(high->results[0], "store.asks_per_s.mean", &asks[1]));
        assert_true(sim_result_number(low->results[0], "accuracy.under_units.max", &under[0]));
        assert_true(sim_result_number(high->results[0], "accuracy.under_units.max", &under[1]));
        if (asks[0] > asks[1] && under[0] < under[1]) {
            search_small(&size, (under[0] + under[1]) / 2, (asks[0] + asks[1]) / 2);
            assert_true(size.candidate_count > wide.candidate_count);
            study_size_free(&size);
            tried = true;
        }
    }
    assert_true(tried);
    study_size_free(&wide);
}

static void settings_replace_those_of_the_scenario(void **state)
{
    (void)state;
    static const char own[] = STUDY_CASE_TEXT(
        "4", ", \"limiter\": {\"sizer\": \"fixed\", \"fixed_lease_units\": 7, \"wait_ms\": 2}");

    assert_int_equal(search(&size, 1e9, 1e9, own), STUDY_DONE);
    const struct study_candidate *tapered = named(&size, "tapered");
    assert_int_equal(tapered->set_count, 1);
    assert_string_equal(tapered->sets[0], "limiter={\"wait_ms\":2,\"sizer\":\"tapered\"}");
    assert_false(tapered->is_refused);
    study_size_free(&size);
}

static void faults_bring_the_ways_of_doing_without_the_store(void **state)
{
    (void)state;
    static const char outage[] = STUDY_CASE_TEXT(
        "4", ", \"faults\": [{\"kind\": \"store_outage\", \"from_s\": 5, \"for_s\": 5}]");

    assert_int_equal(search(&size, 1e9, 1e9, outage), STUDY_DONE);
    const struct study_candidate *open = named(&size, "tapered, degraded open");
    assert_int_equal(open->seed_count, 3);
    assert_string_equal(open->sets[1], "limiter.degraded=open");
    assert_int_equal(named(&size, "an ask per request")->seed_count, 3);
    study_size_free(&size);
}

static void what_cannot_suffer_the_fault_is_not_run(void **state)
{
    (void)state;
    static const char told[] = STUDY_CASE_TEXT(
        "4", ", \"faults\": [{\"kind\": \"process_count\", \"from_s\": 5, \"for_s\": 5,"
             " \"processes_told\": 2}]");

    assert_int_equal(search(&size, 1e9, 1e9, told), STUDY_DONE);
    assert_false(named(&size, "tapered")->is_refused);
    /* who asks for each request knows no size of the fleet */
    assert_true(named(&size, "an ask per request")->is_refused);
    assert_int_equal(named(&size, "an ask per request")->seed_count, 0);
    study_size_free(&size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_seed_counts),
        cmocka_unit_test(the_cheapest_that_keeps_all_is_chosen),
        cmocka_unit_test(what_nothing_keeps_is_named),
        cmocka_unit_test(sizes_in_between_are_tried),
        cmocka_unit_test(settings_replace_those_of_the_scenario),
        cmocka_unit_test(faults_bring_the_ways_of_doing_without_the_store),
        cmocka_unit_test(what_cannot_suffer_the_fault_is_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
