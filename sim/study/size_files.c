/* The files of a search for settings. */
#include <inttypes.h>
#include <stdio.h>

#include "result.h"
#include "size_report.h"

static json_t *candidate_json(const struct study_candidate *candidate)
{
    json_t *sets = json_array();
    json_t *worst = json_object();
    json_t *misses = json_array();

    for (size_t i = 0; i < candidate->set_count; i++) {
        json_array_append_new(sets, json_string(candidate->sets[i]));
    }
    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        json_object_set_new(worst, study_bound_texts[bound].path,
                            json_real(candidate->worst[bound]));
        if ((candidate->misses & 1u << bound) != 0) {
            json_array_append_new(misses, json_string(study_bound_texts[bound].option));
        }
    }
    return json_pack("{s:s, s:o, s:i, s:o, s:o, s:b}", "name", candidate->name, "sets", sets,
                     "seeds", (int)candidate->seed_count, "worst", worst, "misses", misses,
                     "efficient", candidate->is_efficient);
}

json_t *study_size_json(const struct study_sizing *sizing)
{
    const struct study_size *size = sizing->size;
    const bool is_found = size->chosen != STUDY_SIZE_NOBODY;
    json_t *bounds = json_object();
    json_t *impossible = json_object();
    json_t *candidates = json_array();
    char text[600];

    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        if (!size->is_bounded[bound]) {
            continue;
        }
        json_object_set_new(bounds, study_bound_texts[bound].option,
                            json_real(size->bounds[bound]));
        if (!is_found) {
            study_size_explain(text, sizeof text, sizing, (enum study_bound_kind)bound);
            json_object_set_new(impossible, study_bound_texts[bound].option, json_string(text));
        }
    }
    for (size_t i = 0; i < size->candidate_count; i++) {
        if (size->candidates[i].seed_count > 0) {
            json_array_append_new(candidates, candidate_json(&size->candidates[i]));
        }
    }
    return json_pack(
        "{s:s, s:I, s:i, s:o, s:o, s:o, s:o, s:f}", "scenario", size->scenario, "first_seed",
        (json_int_t)size->first_seed, "seeds", (int)size->seed_count, "bounds", bounds, "chosen",
        is_found ? json_string(size->candidates[size->chosen].name) : json_null(), "impossible",
        impossible, "candidates", candidates, "asks_per_s_floor", study_size_asks_floor(sizing));
}

void study_size_print_csv(FILE *file, const void *context)
{
    const struct study_sizing *sizing = context;
    const struct study_size *size = sizing->size;

    fprintf(file, "settings,seed");
    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        fprintf(file, ",%s", study_bound_texts[bound].path);
    }
    fputc('\n', file);
    for (size_t i = 0; i < size->candidate_count; i++) {
        const struct study_candidate *candidate = &size->candidates[i];
        for (size_t seed = 0; seed < candidate->seed_count; seed++) {
            fprintf(file, "\"%s\",%" PRIu64, candidate->name, size->first_seed + seed);
            for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
                double value = 0;
                (void)sim_result_number(candidate->results[seed], study_bound_texts[bound].path,
                                        &value);
                fprintf(file, ",%.12g", value);
            }
            fputc('\n', file);
        }
    }
}
