/* Numbers with their units, as people write them. */
#ifndef STUDY_AMOUNT_H
#define STUDY_AMOUNT_H

/* Returned by value, as of readable.h. */
struct study_amount {
    char text[80];
};

/* Three digits that count, larger numbers in full with grouped digits, long times in ms or s, many
 * bytes in MB, and one of what there is one of: "1 unit", "1.02 ms". Units are plural; "": none. */
struct study_amount study_amount(double value, const char *unit);

/* The number alone, in that very unit. */
struct study_amount study_amount_number(double value);

/* "1, 2.5, 4 units": of one size of unit, that of the most. Requires least <= middle <= most. */
struct study_amount study_amount_range(double least, double middle, double most, const char *unit);

#endif
