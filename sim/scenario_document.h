/* A parsed JSON file that remembers where everything came from: a line of the file, or a --set of
 * the command line.
 *
 * Private to the readers of scenarios and targets. A function that returns false has filled the
 * document's error with one line "file:line: path: what was found; what is allowed"; the caller
 * gives up, so the first error wins. */
#ifndef SIM_SCENARIO_DOCUMENT_H
#define SIM_SCENARIO_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "json_position.h"
#include "scenario.h"

enum {
    SIM_PATH_STEPS_MAX = 16,
    SIM_JSON_BYTES_MAX = 16 * 1024 * 1024,
};

/* A value that came from the command line. */
struct sim_override {
    struct sim_json_step steps[SIM_PATH_STEPS_MAX];
    size_t step_count;
    const char *text; /* PATH=VALUE as given; borrowed */
    char *path;       /* what `steps` point into; owned */
};

struct sim_document {
    const char *file; /* as given; borrowed */
    char *text;
    size_t text_size;
    json_t *root;
    struct sim_override *overrides;
    size_t override_count;
    struct sim_error *error; /* borrowed */
};

/* A value and the way to it. Lives on the stack; parents outlive children. */
struct sim_node {
    const struct sim_document *document;
    const struct sim_node *parent; /* NULL: the top level */
    const char *key;               /* NULL: an element, or the top level */
    size_t index;
    json_t *value; /* NULL: absent */
};

/* Read and parse; on failure nothing is left to close. */
bool sim_document_open(struct sim_document *document, const char *file, struct sim_error *error);
void sim_document_close(struct sim_document *document);
struct sim_node sim_document_root(const struct sim_document *document);

/* Fill the document's error with "file:line: path: message". Always returns false. */
bool sim_read_fail(const struct sim_node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fail with "found WHAT IS THERE; allowed: MESSAGE". */
bool sim_read_refuse(const struct sim_node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct sim_node sim_read_member(const struct sim_node *object, const char *key);
struct sim_node sim_read_element(const struct sim_node *array, size_t index);

#endif
