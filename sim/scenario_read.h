/* Typed, strict readers over a parsed JSON file: every one of them either yields a value within its
 * rule or fills the document's error with one line that says where, what was found and what is
 * allowed.
 *
 * Private to the readers of scenarios and targets. Returning false means: the error is filled, give
 * up. */
#ifndef SIM_SCENARIO_READ_H
#define SIM_SCENARIO_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario_document.h"

enum sim_presence {
    SIM_REQUIRED = 0,
    SIM_OPTIONAL,
};

struct sim_integer_rule {
    const char *key;
    uint64_t minimum;
    uint64_t maximum;
    enum sim_presence presence;
    uint64_t fallback;
};

/* A decimal number, kept as the integer nearest to value x scale. */
struct sim_decimal_rule {
    const char *key;
    double minimum;
    double maximum;
    double scale;
    bool positive; /* 0 is refused, and so is what rounds to it */
    enum sim_presence presence;
    uint64_t fallback; /* already scaled */
};

struct sim_choice_rule {
    const char *key;
    const char *const *names; /* the result is the index of one of these */
    size_t name_count;
    enum sim_presence presence;
    size_t fallback;
};

/* A key of an object, and the kinds of that object (a bit each) it belongs to. */
struct sim_key_use {
    const char *key;
    uint64_t kinds;
};

/* An object or an array, present; `allowed` says what is. */
bool sim_read_is_object(const struct sim_node *node, const char *allowed);
bool sim_read_is_array(const struct sim_node *node, const char *allowed);

/* Every key of the object is one of `uses`, or a comment: "//" with one line of text. */
bool sim_read_keys(const struct sim_node *object, const struct sim_key_use *uses, size_t count);
/* Every key of the object belongs to `kind`; kind_text names it ("pattern \"herd\""). */
bool sim_read_keys_of_kind(const struct sim_node *object, const struct sim_key_use *uses,
                           size_t count, uint64_t kind, const char *kind_text);
/* Exactly one of the keys is present: *chosen is its index. */
bool sim_read_one_of(const struct sim_node *object, const char *const *keys, size_t count,
                     size_t *chosen);

bool sim_read_integer(const struct sim_node *object, const struct sim_integer_rule *rule,
                      uint64_t *result);
bool sim_read_integer32(const struct sim_node *object, const struct sim_integer_rule *rule,
                        uint32_t *result);
bool sim_read_decimal(const struct sim_node *object, const struct sim_decimal_rule *rule,
                      uint64_t *result);
bool sim_read_decimal32(const struct sim_node *object, const struct sim_decimal_rule *rule,
                        uint32_t *result);
/* The value itself rather than a member. */
bool sim_read_decimal_value(const struct sim_node *node, const struct sim_decimal_rule *rule,
                            uint64_t *result);
/* A member of either sign and not 0, required: *result is the integer nearest to value x scale. The
 * rule's minimum and maximum are those of its size. */
bool sim_read_signed(const struct sim_node *object, const struct sim_decimal_rule *rule,
                     int64_t *result);
/* true or false; absent: false. */
bool sim_read_truth(const struct sim_node *object, const char *key, bool *result);
/* Any finite number; *result is untouched if it is absent. */
bool sim_read_bound(const struct sim_node *object, const char *key, double *result);
bool sim_read_choice(const struct sim_node *object, const struct sim_choice_rule *rule,
                     size_t *result);
/* A string of one line, 1 to bytes_max bytes; `what` names it. Borrowed from the document. */
bool sim_read_line(const struct sim_node *node, const char *what, size_t bytes_max,
                   const char **result);

/* The node's key as the name of a plan, population, endpoint or target; its string as that of a
 * region or fault. */
bool sim_read_entry_name(const struct sim_node *node, char name[SIM_NAME_SIZE]);
bool sim_read_name(const struct sim_node *node, char name[SIM_NAME_SIZE]);
/* The node's string as the name of one of `count` structs whose first member is their name,
 * `stride` bytes apart. */
bool sim_read_reference(const struct sim_node *node, const char *what, const void *names,
                        size_t stride, size_t count, uint32_t *result);
bool sim_read_reference_text(const struct sim_node *node, const char *found, const char *what,
                             const void *names, size_t stride, size_t count, uint32_t *result);

#endif
