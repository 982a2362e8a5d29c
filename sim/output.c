#include "output.h"

#include "draft.h"

#define PATH_SIZE 4400
#define JSON_FORM (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

bool sim_output_write(const char *folder, const char *name,
                      void (*print)(FILE *file, const void *context), const void *context)
{
    char path[PATH_SIZE];
    struct sim_draft draft;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!sim_draft_open(&draft, path)) {
        return false;
    }
    print(draft.file, context);
    return sim_draft_done(&draft, true);
}

bool sim_output_write_json(const char *folder, const char *name, const json_t *json)
{
    char path[PATH_SIZE];
    struct sim_draft draft;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return sim_draft_open(&draft, path) &&
           sim_draft_done(&draft, json_dumpf(json, draft.file, JSON_FORM) == 0);
}

void sim_output_print_json(const json_t *json)
{
    (void)json_dumpf(json, stdout, JSON_FORM);
    putchar('\n');
}
