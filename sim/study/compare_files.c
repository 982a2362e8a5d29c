/* The files of a comparison. */
#include <inttypes.h>
#include <stdio.h>

#include "compare_report.h"
#include "json_value.h"
#include "result.h"

static json_t *side_json(const struct study_comparison *comparison, size_t side)
{
    const struct study_side *at = &comparison->compare->sides[side];
    json_t *sets = json_array();

    for (size_t i = 0; i < at->set_count; i++) {
        json_array_append_new(sets, json_string(at->sets[i]));
    }
    return json_pack("{s:s, s:o}", "scenario", at->scenario, "sets", sets);
}

static json_t *given_json(const struct study_divergence *divergence)
{
    static const char *const pairings[] = {"same", "same requests on other processes",
                                           "same requests, other faults", "other requests"};
    const struct study_given *given = divergence->given;

    return json_pack("{s:s, s:[I, I], s:[I, I], s:[i, i], s:b}", "pairing",
                     pairings[study_given_compare(&given[0], &given[1])], "requests",
                     (json_int_t)given[0].request_count, (json_int_t)given[1].request_count,
                     "units", (json_int_t)given[0].unit_count, (json_int_t)given[1].unit_count,
                     "faults", (int)given[0].fault_count, (int)given[1].fault_count,
                     "clients_react", given[0].reacts || given[1].reacts);
}

static json_t *gap_json(const struct study_compare *compare, size_t measure)
{
    static const char *const betters[] = {"less", "more", "neither"};
    const char *path = study_measures[measure].path;
    const struct study_gap *gap = &compare->gaps[measure];
    json_t *pairs = json_array();

    for (size_t i = 0; i < compare->seed_count; i++) {
        double a = 0;
        double b = 0;
        (void)sim_result_number(study_compare_pair(compare, 0, i)->result, path, &a);
        (void)sim_result_number(study_compare_pair(compare, 1, i)->result, path, &b);
        json_array_append_new(pairs, json_pack("[f, f]", a, b));
    }
    return json_pack("{s:s, s:s, s:[f, f], s:f, s:f, s:i, s:i, s:o}", "path", path, "better",
                     betters[study_measures[measure].better], "median", gap->medians[0],
                     gap->medians[1], "change_median", gap->change_median, "change_worst",
                     gap->change_worst, "b_better", (int)gap->better_count, "b_worse",
                     (int)gap->worse_count, "pairs", pairs);
}

static json_t *decision_json(const struct study_decision *decision)
{
    if (!decision->is_there) {
        return json_null();
    }
    return json_pack("{s:s, s:i, s:f, s:b}", "verdict",
                     decision->verdict == WEIR_VERDICT_ADMITTED ? "admitted" : "denied", "process",
                     (int)decision->process, "waited_us",
                     (double)(decision->decided_ns - decision->arrived_ns) / 1e3, "without_store",
                     decision->mode == WEIR_MODE_DEGRADED);
}

static json_t *divergence_json(const struct study_comparison *comparison)
{
    const struct study_divergence *divergence = comparison->divergence;
    const struct study_decision *first = &divergence->decisions[0];

    if (!divergence->found) {
        return json_null();
    }
    return json_pack("{s:I, s:I, s:s, s:i, s:o, s:o, s:I, s:I, s:i}", "seed",
                     (json_int_t)comparison->compare->first_seed, "at_ns",
                     (json_int_t)first->arrived_ns, "key",
                     study_divergence_key(divergence->scenarios[0], first->key).text, "cost_units",
                     (int)first->cost_units, "a", decision_json(&divergence->decisions[0]), "b",
                     decision_json(&divergence->decisions[1]), "second_requests",
                     (json_int_t)divergence->second_request_count, "second_differing",
                     (json_int_t)divergence->second_differing_count, "differing_seconds",
                     (int)divergence->differing_second_count);
}

json_t *study_compare_json(const struct study_comparison *comparison)
{
    const struct study_compare *compare = comparison->compare;
    json_t *measures = json_array();
    json_t *seeds = json_array();

    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        if (compare->gaps[i].is_there) {
            json_array_append_new(measures, gap_json(compare, i));
        }
    }
    for (size_t i = 0; i < compare->seed_count; i++) {
        json_array_append_new(seeds, integer(compare->first_seed + i));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "a", side_json(comparison, 0), "b",
                     side_json(comparison, 1), "seeds", seeds, "given",
                     given_json(comparison->divergence), "measures", measures, "first_difference",
                     divergence_json(comparison));
}

void study_compare_print_csv(FILE *file, const void *context)
{
    const struct study_comparison *comparison = context;
    const struct study_compare *compare = comparison->compare;

    fprintf(file, "measure,seed,a,b,change,b_is\n");
    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        for (size_t pair = 0; pair < compare->seed_count && compare->gaps[i].is_there; pair++) {
            static const char *const words[] = {"worse", "", "better"};
            const char *path = study_measures[i].path;
            double a = 0;
            double b = 0;
            (void)sim_result_number(study_compare_pair(compare, 0, pair)->result, path, &a);
            (void)sim_result_number(study_compare_pair(compare, 1, pair)->result, path, &b);
            fprintf(file, "%s,%" PRIu64 ",%.12g,%.12g,%.12g,%s\n", path, compare->first_seed + pair,
                    a, b, b - a, words[1 + study_measure_compare(&study_measures[i], b, a)]);
        }
    }
}
