/* Text for one-line messages: a bounded builder that never overflows, never splits a character and
 * never lets a control character of somebody's file reach the terminal. */
#ifndef SIM_SCENARIO_TEXT_H
#define SIM_SCENARIO_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct sim_text {
    char *bytes;   /* always zero-terminated; owned by the caller */
    size_t size;   /* of `bytes` */
    size_t length; /* < size */
};

/* Requires size > 0. */
void sim_text_init(struct sim_text *text, char *bytes, size_t size);

/* Append; what does not fit is cut after the last whole character. */
void sim_text_add(struct sim_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append `string` on one line: control characters and bytes that are not UTF-8 are escaped; after
 * `shown_max` characters it says "...". */
void sim_text_add_escaped(struct sim_text *text, const char *string, size_t length,
                          size_t shown_max);

/* The same in double quotes, with quotes and backslashes escaped; at most 40 characters are shown.
 */
void sim_text_add_quoted(struct sim_text *text, const char *string, size_t length);

/* Append a file's path, escaped; of a long one the end is shown. */
void sim_text_add_file(struct sim_text *text, const char *path);

/* Append the shortest decimal that reads back as `value`. */
void sim_text_add_number(struct sim_text *text, double value);

/* Bytes of the UTF-8 character at `string` (at most `length` follow), or 0 if it is not one. */
size_t sim_text_character_size(const char *string, size_t length);

/* True if the character at `string`, `size` bytes long, is a control, a line break or a direction
 * override. */
bool sim_text_is_control(const char *string, size_t size);

#endif
