/* What the program hands over: whole files, and JSON, which looks alike in all of them. */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Write folder/NAME as a whole with `print`, which is given `context`. Returns false with errno
 * set. */
bool sim_output_write(const char *folder, const char *name,
                      void (*print)(FILE *file, const void *context), const void *context);

/* Write folder/NAME. Returns false with errno set. */
bool sim_output_write_json(const char *folder, const char *name, const json_t *json);

/* On standard output. */
void sim_output_print_json(const json_t *json);

#endif
