#include "output.h"

#define PATH_SIZE 4400
#define JSON_FORM (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

bool sim_output_write(const char *folder, const char *name,
                      void (*print)(FILE *file, const void *context), const void *context)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    print(file, context);
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

bool sim_output_write_json(const char *folder, const char *name, const json_t *json)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return json_dump_file(json, path, JSON_FORM) == 0;
}

void sim_output_print_json(const json_t *json)
{
    (void)json_dumpf(json, stdout, JSON_FORM);
    putchar('\n');
}
