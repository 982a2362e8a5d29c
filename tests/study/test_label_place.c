/* Names of points: beside them, and never on one another. */
#include "unit.h"

#include "label_place.h"

static const struct study_label_field field = {
    .width = 100, .height = 100, .text_height = 10, .distance = 4, .line_x = -1, .line_y = -1};

static void a_lone_label_is_at_the_right(void **state)
{
    (void)state;
    struct study_label label = {.x = 50, .y = 50, .width = 20};

    study_label_place(&label, 1, &field);
    assert_int_equal(label.side, STUDY_LABEL_RIGHT);
}

static void no_label_leaves_the_field(void **state)
{
    (void)state;
    static const struct {
        double x;
        double y;
        double width;
        enum study_label_side side;
    } cases[] = {
        {90, 50, 20, STUDY_LABEL_LEFT},  {50, 50, 60, STUDY_LABEL_ABOVE},
        {50, 95, 60, STUDY_LABEL_BELOW}, {50, 50, 120, STUDY_LABEL_NOWHERE},
        {50, 2, 20, STUDY_LABEL_ABOVE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct study_label label = {.x = cases[i].x, .y = cases[i].y, .width = cases[i].width};
        study_label_place(&label, 1, &field);
        assert_int_equal(label.side, cases[i].side);
    }
}

static void labels_give_way_to_points_and_to_those_before(void **state)
{
    (void)state;
    struct study_label labels[] = {
        {.x = 50, .y = 50, .width = 20}, /* the second point is at its right */
        {.x = 60, .y = 50, .width = 20},
        {.x = 60,
         .y = 58,
         .width = 20}, /* the second label is at its right, the first at its left */
    };

    study_label_place(labels, 3, &field);
    assert_int_equal(labels[0].side, STUDY_LABEL_LEFT);
    assert_int_equal(labels[1].side, STUDY_LABEL_RIGHT);
    assert_int_equal(labels[2].side, STUDY_LABEL_ABOVE);
}

static void labels_avoid_lines_if_they_can(void **state)
{
    (void)state;
    struct study_label_field crossed = field;
    struct study_label label = {.x = 50, .y = 50, .width = 20};

    crossed.line_x = 60;
    study_label_place(&label, 1, &crossed);
    assert_int_equal(label.side, STUDY_LABEL_LEFT);
    crossed.line_y = 50;
    study_label_place(&label, 1, &crossed);
    assert_int_equal(label.side, STUDY_LABEL_LEFT); /* by one, as above and below; right by two */
}

static void where_all_is_taken_there_is_none(void **state)
{
    (void)state;
    struct study_label labels[12];
    size_t placed = 0;

    for (size_t i = 0; i < 12; i++) {
        labels[i] = (struct study_label){.x = 50, .y = 50, .width = 6};
    }
    study_label_place(labels, 12, &field);
    for (size_t i = 0; i < 12; i++) {
        placed += labels[i].side != STUDY_LABEL_NOWHERE;
    }
    assert_int_equal(placed, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_label_is_at_the_right),
        cmocka_unit_test(no_label_leaves_the_field),
        cmocka_unit_test(labels_give_way_to_points_and_to_those_before),
        cmocka_unit_test(labels_avoid_lines_if_they_can),
        cmocka_unit_test(where_all_is_taken_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
