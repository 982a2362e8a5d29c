#include "label_place.h"

#include <stdbool.h>

const char *const study_label_side_names[] = {"right", "left", "above", "below", "nowhere"};

struct box {
    double left;
    double right;
    double bottom;
    double top;
};

static struct box box_of(const struct study_label *label, enum study_label_side side,
                         const struct study_label_field *field)
{
    double left = label->x - label->width / 2;
    double bottom = label->y - field->text_height / 2;

    if (side == STUDY_LABEL_RIGHT) {
        left = label->x + field->distance;
    } else if (side == STUDY_LABEL_LEFT) {
        left = label->x - field->distance - label->width;
    } else if (side == STUDY_LABEL_ABOVE) {
        bottom = label->y + field->distance;
    } else {
        bottom = label->y - field->distance - field->text_height;
    }
    return (struct box){left, left + label->width, bottom, bottom + field->text_height};
}

static bool overlap(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->bottom < b->top && b->bottom < a->top;
}

static bool is_free(const struct study_label *labels, size_t count, size_t index,
                    const struct box *box, const struct study_label_field *field)
{
    const double reach = field->distance / 2; /* of a point */

    if (box->left < 0 || box->right > field->width || box->bottom < 0 || box->top > field->height) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct box point = {labels[i].x - reach, labels[i].x + reach, labels[i].y - reach,
                                  labels[i].y + reach};
        if (overlap(box, &point)) {
            return false;
        }
        if (i < index && labels[i].side != STUDY_LABEL_NOWHERE) {
            const struct box other = box_of(&labels[i], labels[i].side, field);
            if (overlap(box, &other)) {
                return false;
            }
        }
    }
    return true;
}

/* By how many lines. */
static int count_crossed(const struct box *box, const struct study_label_field *field)
{
    return (box->left <= field->line_x && field->line_x <= box->right) +
           (box->bottom <= field->line_y && field->line_y <= box->top);
}

void study_label_place(struct study_label *labels, size_t count,
                       const struct study_label_field *field)
{
    for (size_t i = 0; i < count; i++) {
        int fewest = 3;
        labels[i].side = STUDY_LABEL_NOWHERE;
        for (int side = STUDY_LABEL_RIGHT; side < STUDY_LABEL_NOWHERE; side++) {
            const struct box box = box_of(&labels[i], (enum study_label_side)side, field);
            const int crossed = count_crossed(&box, field);
            if (crossed < fewest && is_free(labels, count, i, &box, field)) {
                fewest = crossed;
                labels[i].side = (enum study_label_side)side;
            }
        }
    }
}
