#include "claim_measure.h"

#include <math.h>

#include "memory.h"
#include "path.h"
#include "scenario_read.h"

enum {
    TEXT_BYTES_MAX = 400,
    UNIT_BYTES_MAX = 30,
};

/* What a measure is, by the one key it has of these; in the order of enum study_claim_measure_kind.
 */
static const char *const kind_keys[] = {
    "run", "value", "table", "ratio", "difference", "sum", "product", "max", "min",
};

#define KIND_COUNT (sizeof kind_keys / sizeof kind_keys[0])

static const struct sim_key_use measure_keys[] = {
    {"unit", UINT64_MAX},
    {"text", UINT64_MAX},
    {"run", 1u << STUDY_MEASURE_RUN},
    {"path", 1u << STUDY_MEASURE_RUN},
    {"seeds", 1u << STUDY_MEASURE_RUN},
    {"value", 1u << STUDY_MEASURE_VALUE},
    {"table", 1u << STUDY_MEASURE_CELL},
    {"heading", 1u << STUDY_MEASURE_CELL},
    {"row", 1u << STUDY_MEASURE_CELL},
    {"column", 1u << STUDY_MEASURE_CELL},
    {"ratio", 1u << STUDY_MEASURE_RATIO},
    {"difference", 1u << STUDY_MEASURE_DIFFERENCE},
    {"sum", 1u << STUDY_MEASURE_SUM},
    {"product", 1u << STUDY_MEASURE_PRODUCT},
    {"max", 1u << STUDY_MEASURE_MAX},
    {"min", 1u << STUDY_MEASURE_MIN},
};

static bool read_of_run(const struct sim_node *node, const struct study_claim *claim,
                        struct study_claim_measure *measure)
{
    static const char *const names[] = {"median", "max", "min"};
    static const struct sim_choice_rule rule = {
        .key = "seeds", .names = names, .name_count = 3, .presence = SIM_OPTIONAL};
    const struct sim_node run = sim_read_member(node, "run");
    const struct sim_node path = sim_read_member(node, "path");
    size_t seeds = 0;

    if (!sim_read_reference(&run, "run", claim->runs, sizeof *claim->runs, claim->run_count,
                            &measure->run) ||
        !sim_read_line(&path, "a number's path in the result", TEXT_BYTES_MAX, &measure->path) ||
        !sim_read_choice(node, &rule, &seeds)) {
        return false;
    }
    measure->seeds = (enum study_seeds)seeds;
    return true;
}

static bool read_value(const struct sim_node *node, struct study_claim_measure *measure)
{
    const struct sim_node value = sim_read_member(node, "value");

    measure->value = json_number_value(value.value);
    return (json_is_number(value.value) && fabs(measure->value) <= STUDY_FIGURE_MAX) ||
           sim_read_refuse(&value, "a number from -1e15 to 1e15");
}

static bool read_cell(const struct sim_node *node, const struct study_claim *claim,
                      struct study_claim_measure *measure)
{
    const struct sim_node file = sim_read_member(node, "table");
    const struct sim_node heading = sim_read_member(node, "heading");
    const struct sim_node row = sim_read_member(node, "row");
    const struct sim_node column = sim_read_member(node, "column");
    const char *name = NULL;

    if (!sim_read_line(&file, "a file of tables in Markdown", TEXT_BYTES_MAX, &name) ||
        !sim_read_line(&heading, "how the heading above it begins", TEXT_BYTES_MAX,
                       &measure->heading) ||
        !sim_read_line(&row, "the first cell of a row", TEXT_BYTES_MAX, &measure->row) ||
        !sim_read_line(&column, "the title of a column", TEXT_BYTES_MAX, &measure->column)) {
        return false;
    }
    measure->file = study_path_beside(claim->file, name);
    return true;
}

/* Names of earlier measures: what has to be known first is. */
static bool read_operands(const struct sim_node *node, const struct study_claim *claim,
                          struct study_claim_measure *measure)
{
    const struct sim_node list = sim_read_member(node, kind_keys[measure->kind]);
    const bool is_pair =
        measure->kind == STUDY_MEASURE_RATIO || measure->kind == STUDY_MEASURE_DIFFERENCE;
    const size_t count = json_array_size(list.value);

    if (count == 0 || (is_pair && count != 2)) {
        return sim_read_refuse(&list, is_pair ? "an array of two names of measures"
                                              : "an array of names of measures");
    }
    measure->operands = sim_memory_new(count, sizeof *measure->operands);
    for (; measure->operand_count < count; measure->operand_count++) {
        const struct sim_node name = sim_read_element(&list, measure->operand_count);
        if (!sim_read_reference(&name, "earlier measure", claim->measures, sizeof *claim->measures,
                                claim->measure_count, &measure->operands[measure->operand_count])) {
            return false;
        }
    }
    return true;
}

static bool read_measure(const struct sim_node *node, const struct study_claim *claim,
                         struct study_claim_measure *measure)
{
    const struct sim_node text = sim_read_member(node, "text");
    const struct sim_node unit = sim_read_member(node, "unit");
    size_t kind = 0;

    if (!sim_read_entry_name(node, measure->name) ||
        !sim_read_is_object(node, "an object with unit, text and what it is") ||
        !sim_read_keys(node, measure_keys, sizeof measure_keys / sizeof measure_keys[0]) ||
        !sim_read_one_of(node, kind_keys, KIND_COUNT, &kind) ||
        !sim_read_keys_of_kind(node, measure_keys, sizeof measure_keys / sizeof measure_keys[0],
                               UINT64_C(1) << kind, "this kind of measure") ||
        (text.value != NULL &&
         !sim_read_line(&text, "what it is", TEXT_BYTES_MAX, &measure->text))) {
        return false;
    }
    measure->unit = json_string_value(unit.value);
    if (measure->unit == NULL || json_string_length(unit.value) > UNIT_BYTES_MAX) {
        return sim_read_refuse(&unit, "a unit, at most %d bytes; \"\": none", UNIT_BYTES_MAX);
    }
    measure->kind = (enum study_claim_measure_kind)kind;
    switch (measure->kind) {
    case STUDY_MEASURE_RUN:
        return read_of_run(node, claim, measure);
    case STUDY_MEASURE_VALUE:
        return read_value(node, measure);
    case STUDY_MEASURE_CELL:
        return read_cell(node, claim, measure);
    case STUDY_MEASURE_RATIO:
    case STUDY_MEASURE_DIFFERENCE:
    case STUDY_MEASURE_SUM:
    case STUDY_MEASURE_PRODUCT:
    case STUDY_MEASURE_MAX:
    case STUDY_MEASURE_MIN:
        break;
    }
    return read_operands(node, claim, measure);
}

bool study_claim_read_measures(const struct sim_node *root, struct study_claim *claim)
{
    const struct sim_node list = sim_read_member(root, "measures");
    const char *name;
    json_t *value;

    if (!sim_read_is_object(&list, "an object of measures") || json_object_size(list.value) == 0) {
        return sim_read_refuse(&list, "an object with at least one measure");
    }
    claim->measures = sim_memory_new(json_object_size(list.value), sizeof *claim->measures);
    json_object_foreach(list.value, name, value)
    {
        const struct sim_node node = sim_read_member(&list, name);
        struct study_claim_measure *measure = &claim->measures[claim->measure_count];
        const bool good = read_measure(&node, claim, measure);

        claim->measure_count++; /* also of a bad one, which is to be freed */
        if (!good) {
            return false;
        }
    }
    return true;
}
