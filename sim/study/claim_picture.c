#include "claim_picture.h"

#include <string.h>

#include "claim.h"
#include "memory.h"
#include "scenario_read.h"

enum {
    TEXT_BYTES_MAX = 120,
};

static const char *const kind_names[] = {"bars", "stacks", "points"};
static const char *const tone_names[] = {"plain", "good", "bad"};

#define BARS 1u
#define STACKS 2u
#define POINTS 4u
#define ALL (BARS | STACKS | POINTS)

static const struct sim_key_use picture_keys[] = {
    {"kind", ALL},      {"title", ALL},      {"axis", ALL},     {"rows", ALL},
    {"limit", ALL},     {"limit_text", ALL}, {"log", BARS},     {"floor", ALL},
    {"y_axis", POINTS}, {"x_floor", POINTS}, {"parts", STACKS},
};

static const struct sim_key_use row_keys[] = {
    {"label", ALL},
    {"measure", BARS},
    {"tone", BARS},
    {"measures", STACKS | POINTS},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool read_text(const struct sim_node *object, const char *key, const char **text)
{
    const struct sim_node node = sim_read_member(object, key);

    return sim_read_line(&node, key, TEXT_BYTES_MAX, text);
}

static bool read_measure(const struct sim_node *node, const struct study_claim *claim,
                         struct study_picture_row *row)
{
    return sim_read_reference(node, "measure", claim->measures, sizeof *claim->measures,
                              claim->measure_count, &row->measures[row->measure_count++]);
}

static bool read_measures(const struct sim_node *object, const struct study_claim *claim,
                          size_t least, size_t most, struct study_picture_row *row)
{
    const struct sim_node list = sim_read_member(object, "measures");
    const size_t count = json_array_size(list.value);

    if (count < least || count > most) {
        return sim_read_refuse(&list, "an array of %zu to %zu names of measures", least, most);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sim_node node = sim_read_element(&list, i);
        if (!read_measure(&node, claim, row)) {
            return false;
        }
    }
    return true;
}

static bool read_row(const struct sim_node *node, const struct study_claim *claim,
                     const struct study_claim_picture *picture, struct study_picture_row *row)
{
    static const struct sim_choice_rule tone_rule = {.key = "tone",
                                                     .names = tone_names,
                                                     .name_count = COUNT(tone_names),
                                                     .presence = SIM_OPTIONAL};
    const struct sim_node measure = sim_read_member(node, "measure");
    size_t tone = 0;

    if (!sim_read_is_object(node, "an object with a label and what it shows") ||
        !sim_read_keys(node, row_keys, COUNT(row_keys)) ||
        !sim_read_keys_of_kind(node, row_keys, COUNT(row_keys), 1u << picture->kind,
                               kind_names[picture->kind]) ||
        !read_text(node, "label", &row->label) || !sim_read_choice(node, &tone_rule, &tone)) {
        return false;
    }
    row->tone = (enum study_tone)tone;
    switch (picture->kind) {
    case STUDY_PICTURE_STACKS:
        return read_measures(node, claim, picture->part_count, picture->part_count, row);
    case STUDY_PICTURE_POINTS:
        return read_measures(node, claim, 2, 3, row);
    case STUDY_PICTURE_BARS:
    case STUDY_PICTURE_KIND_COUNT:
        break;
    }
    return read_measure(&measure, claim, row);
}

static bool read_rows(const struct sim_node *node, const struct study_claim *claim,
                      struct study_claim_picture *picture)
{
    const struct sim_node list = sim_read_member(node, "rows");
    const size_t count = json_array_size(list.value);

    if (count == 0) {
        return sim_read_refuse(&list, "an array of rows");
    }
    picture->rows = sim_memory_new(count, sizeof *picture->rows);
    for (; picture->row_count < count; picture->row_count++) {
        const struct sim_node row = sim_read_element(&list, picture->row_count);
        if (!read_row(&row, claim, picture, &picture->rows[picture->row_count])) {
            return false;
        }
    }
    return true;
}

static bool read_parts(const struct sim_node *node, struct study_claim_picture *picture)
{
    const struct sim_node list = sim_read_member(node, "parts");
    const size_t count = json_array_size(list.value);

    if (count == 0 || count > STUDY_PICTURE_PARTS_MAX) {
        return sim_read_refuse(&list, "an array of 1 to %d names", STUDY_PICTURE_PARTS_MAX);
    }
    for (; picture->part_count < count; picture->part_count++) {
        const struct sim_node part = sim_read_element(&list, picture->part_count);
        if (!sim_read_line(&part, "a name", TEXT_BYTES_MAX, &picture->parts[picture->part_count])) {
            return false;
        }
    }
    return true;
}

static bool read_limit(const struct sim_node *node, struct study_claim_picture *picture)
{
    picture->has_limit = sim_read_member(node, "limit").value != NULL;
    return !picture->has_limit || (sim_read_bound(node, "limit", &picture->limit) &&
                                   read_text(node, "limit_text", &picture->limit_text));
}

static bool read_axes(const struct sim_node *node, struct study_claim_picture *picture)
{
    const bool is_points = picture->kind == STUDY_PICTURE_POINTS;
    const struct sim_node floor = sim_read_member(node, "floor");
    const struct sim_node x_floor = sim_read_member(node, "x_floor");

    picture->floor = 0.001;
    picture->x_floor = 1;
    if (!read_text(node, "axis", &picture->axis) ||
        (is_points && !read_text(node, "y_axis", &picture->y_axis)) ||
        !sim_read_truth(node, "log", &picture->is_log) ||
        !sim_read_bound(node, "floor", &picture->floor) ||
        !sim_read_bound(node, "x_floor", &picture->x_floor)) {
        return false;
    }
    return (picture->floor > 0 || sim_read_refuse(&floor, "a number above 0")) &&
           (picture->x_floor > 0 || sim_read_refuse(&x_floor, "a number above 0"));
}

static bool read_picture(const struct sim_node *node, const struct study_claim *claim,
                         struct study_claim_picture *picture)
{
    static const struct sim_choice_rule kind_rule = {
        .key = "kind", .names = kind_names, .name_count = STUDY_PICTURE_KIND_COUNT};
    size_t kind = 0;

    if (!sim_read_is_object(node, "an object with kind, title, axis and rows") ||
        !sim_read_keys(node, picture_keys, COUNT(picture_keys)) ||
        !sim_read_choice(node, &kind_rule, &kind) ||
        !sim_read_keys_of_kind(node, picture_keys, COUNT(picture_keys), 1u << kind,
                               kind_names[kind]) ||
        !read_text(node, "title", &picture->title)) {
        return false;
    }
    picture->kind = (enum study_picture_kind)kind;
    return read_axes(node, picture) && read_limit(node, picture) &&
           (picture->kind != STUDY_PICTURE_STACKS || read_parts(node, picture)) &&
           read_rows(node, claim, picture);
}

bool study_claim_read_picture(const struct sim_node *root, const struct study_claim *claim,
                              struct study_claim_picture *picture)
{
    const struct sim_node node = sim_read_member(root, "picture");

    return node.value == NULL || read_picture(&node, claim, picture);
}

void study_claim_picture_name(char *name, size_t size, const struct study_claim *claim)
{
    snprintf(name, size, "claim_%s", claim->id);
}
