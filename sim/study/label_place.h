/* Where the names of points go in a picture, so that none lies on another or on a point. */
#ifndef STUDY_LABEL_PLACE_H
#define STUDY_LABEL_PLACE_H

#include <stddef.h>

enum study_label_side {
    STUDY_LABEL_RIGHT = 0,
    STUDY_LABEL_LEFT,
    STUDY_LABEL_ABOVE,
    STUDY_LABEL_BELOW,
    STUDY_LABEL_NOWHERE, /* there is no room */
};

/* "right" ..., as pictures' scripts are told. */
extern const char *const study_label_side_names[];

/* In a picture's own units, the origin at the lower left. */
struct study_label {
    double x; /* of its point */
    double y;
    double width;               /* of its text */
    enum study_label_side side; /* filled in */
};

/* How large the picture is, a line of text is high, and how far a text is from its point. */
struct study_label_field {
    double width;
    double height;
    double text_height;
    double distance;
    double line_x; /* an upright line, outside the field if there is none */
    double line_y; /* a level one */
};

/* Labels that come first are placed first: on a side on which they are within the field and clear
 * of all points and of labels placed before; of such sides, the first that the fewest lines cross.
 */
void study_label_place(struct study_label *labels, size_t count,
                       const struct study_label_field *field);

#endif
