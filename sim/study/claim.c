#include "claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claim_measure.h"
#include "memory.h"
#include "path.h"
#include "scenario_expect.h"
#include "scenario_read.h"

enum {
    TEXT_BYTES_MAX = 2000,
    SEEDS_MAX = 1000,
    ID_BYTES_MAX = 20,
};

const char *const study_sections[] = {
    "Coordination",
    "Leases",
    "Windows and algorithms",
    "Clocks",
    "Without the store",
    "Clients",
    "Scale",
    "Accounting",
    "Critiques and revisions",
    "Five limiters on the same traffic",
    "The accuracy budget by cause",
    "The field compared",
    "Where the alternatives win",
    "Targets",
};
const size_t study_section_count = sizeof study_sections / sizeof study_sections[0];

static const char *const outcome_names[] = {"holds", "holds if", "refuted", "met", "missed"};

_Static_assert(sizeof outcome_names / sizeof outcome_names[0] == STUDY_OUTCOME_COUNT,
               "a name for each outcome");

const char *study_outcome_name(enum study_outcome outcome)
{
    return outcome_names[outcome];
}

size_t study_claim_find(const struct study_claim *claim, const char *name, size_t length)
{
    size_t at = 0;

    while (at < claim->measure_count && (strncmp(claim->measures[at].name, name, length) != 0 ||
                                         claim->measures[at].name[length] != '\0')) {
        at++;
    }
    return at;
}

static bool read_text(const struct sim_node *object, const char *key, const char **text)
{
    const struct sim_node node = sim_read_member(object, key);

    return sim_read_line(&node, key, TEXT_BYTES_MAX, text);
}

static bool read_sets(const struct sim_node *object, struct study_claim_run *run)
{
    const struct sim_node sets = sim_read_member(object, "set");

    if (sets.value == NULL) {
        return true;
    }
    if (!sim_read_is_array(&sets, "an array of PATH=VALUE, as of weir run --set")) {
        return false;
    }
    const size_t count = json_array_size(sets.value);
    run->sets = sim_memory_new(count + 1, sizeof *run->sets);
    for (; run->set_count < count; run->set_count++) {
        const struct sim_node set = sim_read_element(&sets, run->set_count);
        if (!sim_read_line(&set, "PATH=VALUE", TEXT_BYTES_MAX, &run->sets[run->set_count])) {
            return false;
        }
    }
    return true;
}

static bool read_run(const struct sim_node *node, const char *file, struct study_claim_run *run)
{
    static const struct sim_key_use uses[] = {
        {"scenario", 1}, {"set", 1}, {"seeds", 1}, {"kernel", 1}};
    static const char *const kernels[] = {"heap", "simgrid"};
    static const struct sim_choice_rule kernel_rule = {
        .key = "kernel", .names = kernels, .name_count = 2, .presence = SIM_OPTIONAL};
    static const struct sim_integer_rule seeds_rule = {
        .key = "seeds", .minimum = 1, .maximum = SEEDS_MAX, .presence = SIM_OPTIONAL};
    const char *scenario = NULL;
    size_t kernel = 0;

    if (!sim_read_entry_name(node, run->name) ||
        !sim_read_is_object(node, "an object with a scenario") ||
        !sim_read_keys(node, uses, sizeof uses / sizeof uses[0]) ||
        !read_text(node, "scenario", &scenario) || !read_sets(node, run) ||
        !sim_read_integer32(node, &seeds_rule, &run->seed_count) ||
        !sim_read_choice(node, &kernel_rule, &kernel)) {
        return false;
    }
    run->kernel = kernel == 0 ? SIM_KERNEL_HEAP : SIM_KERNEL_SIMGRID;
    run->scenario = study_path_beside(file, scenario);
    return true;
}

static bool read_runs(const struct sim_node *root, struct study_claim *claim)
{
    const struct sim_node runs = sim_read_member(root, "runs");
    const char *name;
    json_t *value;

    if (runs.value == NULL) {
        return true;
    }
    if (!sim_read_is_object(&runs, "an object of runs")) {
        return false;
    }
    claim->runs = sim_memory_new(json_object_size(runs.value) + 1, sizeof *claim->runs);
    json_object_foreach(runs.value, name, value)
    {
        const struct sim_node node = sim_read_member(&runs, name);
        if (!read_run(&node, claim->file, &claim->runs[claim->run_count++])) {
            return false;
        }
    }
    return true;
}

static bool find_measure(const struct sim_node *node, const char *name,
                         const struct study_claim *claim, uint32_t *measure)
{
    return sim_read_reference_text(node, name, "measure", claim->measures, sizeof *claim->measures,
                                   claim->measure_count, measure);
}

/* Each {NAME} is a measure; so is each {#NAME}, and not of a time, whose unit depends on it. */
static bool check_words(const struct sim_node *node, const char *words,
                        const struct study_claim *claim)
{
    for (const char *open = strchr(words, '{'); open != NULL; open = strchr(open + 1, '{')) {
        char name[SIM_NAME_SIZE] = "";
        const bool is_bare = open[1] == STUDY_WORDS_BARE;
        const char *begin = open + 1 + is_bare;
        const size_t length = strcspn(begin, "}");
        uint32_t measure;

        if (begin[length] == '\0' || length >= sizeof name) {
            return sim_read_fail(node, "found \"{\" without \"}\"; allowed: {NAME} for a measure");
        }
        memcpy(name, begin, length);
        if (!find_measure(node, name, claim, &measure)) {
            return false;
        }
        const char *unit = claim->measures[measure].unit;
        if (is_bare && (strcmp(unit, "us") == 0 || strcmp(unit, "ms") == 0)) {
            return sim_read_fail(node, "found {#%s}, a time; allowed: {%s}", name, name);
        }
    }
    return true;
}

static bool read_conditions(const struct sim_node *object, const struct study_claim *claim,
                            struct study_verdict *verdict)
{
    static const struct sim_key_use uses[] = {{"min", 1}, {"max", 1}};
    const struct sim_node when = sim_read_member(object, "when");
    const char *name;
    json_t *value;

    if (when.value == NULL) {
        return true;
    }
    if (!sim_read_is_object(&when, "an object of measures with min, max or both")) {
        return false;
    }
    verdict->conditions =
        sim_memory_new(json_object_size(when.value) + 1, sizeof *verdict->conditions);
    json_object_foreach(when.value, name, value)
    {
        const struct sim_node node = sim_read_member(&when, name);
        struct study_condition *condition = &verdict->conditions[verdict->condition_count++];

        condition->minimum = -(double)INFINITY;
        condition->maximum = (double)INFINITY;
        if (!find_measure(&node, name, claim, &condition->measure) ||
            !sim_read_is_object(&node, "an object with min, max or both") ||
            !sim_read_keys(&node, uses, sizeof uses / sizeof uses[0]) ||
            !sim_read_range(&node, SIM_REQUIRED, &condition->minimum, &condition->maximum)) {
            return false;
        }
    }
    return true;
}

static bool read_verdict(const struct sim_node *node, const struct study_claim *claim, bool is_last,
                         struct study_verdict *verdict)
{
    static const struct sim_key_use uses[] = {{"is", 1}, {"when", 1}, {"words", 1}};
    const bool is_target = strcmp(study_sections[claim->section], "Targets") == 0;
    const size_t first = is_target ? STUDY_MET : STUDY_HOLDS;
    const struct sim_choice_rule rule = {
        .key = "is", .names = outcome_names + first, .name_count = is_target ? 2 : 3};
    const struct sim_node words = sim_read_member(node, "words");
    const struct sim_node when = sim_read_member(node, "when");
    size_t outcome = 0;

    if (!sim_read_is_object(node, "an object with is, when and words") ||
        !sim_read_keys(node, uses, sizeof uses / sizeof uses[0]) ||
        !sim_read_choice(node, &rule, &outcome) ||
        !sim_read_line(&words, "a sentence", TEXT_BYTES_MAX, &verdict->words) ||
        !check_words(&words, verdict->words, claim) || !read_conditions(node, claim, verdict)) {
        return false;
    }
    verdict->outcome = (enum study_outcome)(first + outcome);
    if (is_last && verdict->condition_count > 0) {
        return sim_read_fail(&when, "found conditions of the last verdict; allowed: none, so that "
                                    "there is always one");
    }
    return is_last || verdict->condition_count > 0 ||
           sim_read_fail(node, "found no conditions before the last verdict; required: when");
}

static bool read_verdicts(const struct sim_node *root, struct study_claim *claim)
{
    const struct sim_node list = sim_read_member(root, "verdict");
    const size_t count = json_array_size(list.value);

    if (count == 0) {
        return sim_read_refuse(&list, "an array of verdicts, the last one without conditions");
    }
    claim->verdicts = sim_memory_new(count, sizeof *claim->verdicts);
    for (size_t i = 0; i < count; i++) {
        const struct sim_node node = sim_read_element(&list, i);
        claim->verdict_count++;
        if (!read_verdict(&node, claim, i + 1 == count, &claim->verdicts[i])) {
            return false;
        }
    }
    return true;
}

static bool read_measure_name(const struct sim_node *object, const char *key,
                              const struct study_claim *claim, uint32_t *measure)
{
    const struct sim_node node = sim_read_member(object, key);

    return sim_read_reference(&node, "measure", claim->measures, sizeof *claim->measures,
                              claim->measure_count, measure);
}

static bool read_check(const struct sim_node *node, const struct study_claim *claim,
                       struct study_check *check)
{
    static const struct sim_key_use uses[] = {
        {"measure", 1}, {"against", 1}, {"within_pct", 1}, {"within_units", 1}};
    static const char *const bounds[] = {"within_pct", "within_units"};
    size_t chosen = 0;

    if (!sim_read_is_object(node, "an object with measure, against and within_pct") ||
        !sim_read_keys(node, uses, sizeof uses / sizeof uses[0]) ||
        !read_measure_name(node, "measure", claim, &check->measure) ||
        !read_measure_name(node, "against", claim, &check->against) ||
        !sim_read_one_of(node, bounds, 2, &chosen) ||
        !sim_read_bound(node, bounds[chosen], &check->within)) {
        return false;
    }
    const struct sim_node within = sim_read_member(node, bounds[chosen]);
    check->is_percent = chosen == 0;
    return check->within >= 0 || sim_read_refuse(&within, "a number of at least 0");
}

static bool read_checks(const struct sim_node *root, struct study_claim *claim)
{
    const struct sim_node list = sim_read_member(root, "checks");

    if (list.value == NULL) {
        return true;
    }
    if (!sim_read_is_array(&list, "an array of checks")) {
        return false;
    }
    const size_t count = json_array_size(list.value);
    claim->checks = sim_memory_new(count + 1, sizeof *claim->checks);
    for (size_t i = 0; i < count; i++) {
        const struct sim_node node = sim_read_element(&list, i);
        if (!read_check(&node, claim, &claim->checks[claim->check_count++])) {
            return false;
        }
    }
    return true;
}

/* It names files. */
static bool read_id(const struct sim_node *root, struct study_claim *claim)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const struct sim_node id = sim_read_member(root, "id");

    if (!sim_read_line(&id, "an id", TEXT_BYTES_MAX, &claim->id)) {
        return false;
    }
    const size_t length = strlen(claim->id);
    return (length <= ID_BYTES_MAX && strspn(claim->id, letters) == length) ||
           sim_read_refuse(&id, "up to %d letters and digits, such as \"L7\"", ID_BYTES_MAX);
}

static bool read_claim(const struct sim_node *root, struct study_claim *claim)
{
    static const struct sim_key_use uses[] = {
        {"$schema", 1}, {"id", 1},       {"section", 1}, {"claim", 1},  {"source", 1},
        {"runs", 1},    {"measures", 1}, {"verdict", 1}, {"checks", 1}, {"picture", 1}};
    const struct sim_choice_rule section_rule = {
        .key = "section", .names = study_sections, .name_count = study_section_count};

    return sim_read_keys(root, uses, sizeof uses / sizeof uses[0]) && read_id(root, claim) &&
           sim_read_choice(root, &section_rule, &claim->section) &&
           read_text(root, "claim", &claim->claim) && read_text(root, "source", &claim->source) &&
           read_runs(root, claim) && study_claim_read_measures(root, claim) &&
           read_verdicts(root, claim) && read_checks(root, claim) &&
           study_claim_read_picture(root, claim, &claim->picture);
}

bool study_claim_load(struct study_claim *claim, const char *file, struct sim_error *error)
{
    struct sim_document document;

    *claim = (struct study_claim){0};
    if (!sim_document_open(&document, file, error)) {
        return false;
    }
    const struct sim_node root = sim_document_root(&document);
    claim->file = study_path_beside("", file);
    claim->root = json_incref(document.root);
    const bool good = read_claim(&root, claim);
    sim_document_close(&document);
    if (!good) {
        study_claim_free(claim);
    }
    return good;
}

void study_claim_free(struct study_claim *claim)
{
    for (size_t i = 0; i < claim->run_count; i++) {
        free(claim->runs[i].scenario);
        free(claim->runs[i].sets);
    }
    for (size_t i = 0; i < claim->measure_count; i++) {
        free(claim->measures[i].operands);
        free(claim->measures[i].file);
    }
    for (size_t i = 0; i < claim->verdict_count; i++) {
        free(claim->verdicts[i].conditions);
    }
    free(claim->file);
    free(claim->runs);
    free(claim->measures);
    free(claim->verdicts);
    free(claim->checks);
    free(claim->picture.rows);
    json_decref(claim->root);
    *claim = (struct study_claim){0};
}
