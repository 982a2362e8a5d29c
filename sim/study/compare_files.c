/* The files of a comparison. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare_report.h"
#include "plot_script.h"
#include "readable.h"
#include "result.h"

#define PANELS_MAX 6

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
        json_array_append_new(seeds, json_integer((json_int_t)(compare->first_seed + i)));
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

void study_compare_find(char *text, size_t size, const struct study_comparison *comparison)
{
    const struct study_compare *compare = comparison->compare;
    size_t better = 0;
    size_t worse = 0;
    size_t judged = 0;

    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        const struct study_gap *gap = &compare->gaps[i];
        judged += gap->is_there && study_measures[i].better != STUDY_BETTER_NEITHER;
        better += gap->better_count > 0 && gap->worse_count == 0;
        worse += gap->worse_count > 0 && gap->better_count == 0;
    }
    if (better + worse == 0) {
        snprintf(text, size, "Neither side is the better one in any of %zu measures", judged);
    } else if (better == 0 || worse == 0) {
        snprintf(text, size, "B is %s in %zu of %zu measures, and %s in none",
                 worse == 0 ? "better" : "worse", better + worse, judged,
                 worse == 0 ? "worse" : "better");
    } else {
        snprintf(text, size, "B is better in %zu of %zu measures, and worse in %zu", better, judged,
                 worse);
    }
}

/* The first that differ, of those of which one way is good; if none does, the first. */
static size_t choose_panels(const struct study_compare *compare, size_t panels[PANELS_MAX])
{
    size_t count = 0;

    for (int differing = 1; differing >= 0 && count == 0; differing--) {
        for (size_t i = 0; i < STUDY_MEASURE_COUNT && count < PANELS_MAX; i++) {
            const struct study_gap *gap = &compare->gaps[i];
            if (gap->is_there && study_measures[i].better != STUDY_BETTER_NEITHER &&
                (gap->differing_count > 0) == (differing > 0)) {
                panels[count++] = i;
            }
        }
    }
    return count;
}

/* A panel's lines have a blank line between, and two end it. */
static void print_panel(FILE *script, const struct study_compare *compare, size_t panel)
{
    const struct study_measure *measure = &study_measures[panel];

    for (size_t pair = 0; pair < compare->seed_count; pair++) {
        double a = 0;
        double b = 0;
        (void)sim_result_number(study_compare_pair(compare, 0, pair)->result, measure->path, &a);
        (void)sim_result_number(study_compare_pair(compare, 1, pair)->result, measure->path, &b);
        const int better = study_measure_compare(measure, b, a);
        fprintf(script, "0\t%.9g\t%d\n1\t%.9g\t%d\n\n", a, better, b, better);
    }
    fputc('\n', script);
}

void study_compare_print_plot(FILE *script, const void *context, const char *kind)
{
    const struct study_comparison *comparison = context;
    const struct study_compare *compare = comparison->compare;
    size_t panels[PANELS_MAX];
    char finding[400];
    char text[400];
    char cut[2][80];
    const size_t count = choose_panels(compare, panels);

    study_compare_find(finding, sizeof finding, comparison);
    snprintf(text, sizeof text,
             "%.100s, %zu seed%s; a line for each: B is better (green) or worse (orange)",
             comparison->title, compare->seed_count, compare->seed_count == 1 ? "" : "s");
    sim_plot_script_frame(script, &(struct sim_plot_frame){"compare", kind, finding, text});
    for (size_t side = 0; side < 2; side++) {
        sim_readable_cut(cut[side], sizeof cut[side], comparison->names[side], 70);
        snprintf(text, sizeof text, "%c: %s", side == 0 ? 'A' : 'B', cut[side]);
        sim_plot_script_text(script, side == 0 ? "side_a" : "side_b", text);
    }
    fprintf(script, "array names[%zu]\n", count);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "names[%zu]", i + 1);
        sim_plot_script_text(script, text, study_measures[panels[i]].name);
    }
    fprintf(script, "panel_count = %zu\n$data << EOD\n", count);
    for (size_t i = 0; i < count; i++) {
        print_panel(script, compare, panels[i]);
    }
    fprintf(script, "EOD\n");
    sim_plot_script_load(script, "compare");
}
