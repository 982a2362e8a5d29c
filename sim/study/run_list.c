#include "run_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define SEED_SET_SIZE 32

static void make_room(struct study_run_list *list)
{
    if (list->count < list->room) {
        return;
    }
    list->room = list->room == 0 ? 16 : 2 * list->room;
    struct study_run *runs = sim_memory_new(list->room, sizeof *runs);
    void **sets = sim_memory_new(list->room, sizeof *sets);
    if (list->count > 0) {
        memcpy(runs, list->runs, list->count * sizeof *runs);
        memcpy(sets, list->sets, list->count * sizeof *sets);
    }
    free(list->runs);
    free(list->sets);
    list->runs = runs;
    list->sets = sets;
}

void study_run_list_add(struct study_run_list *list, const struct study_run *run,
                        const char *const *more, size_t more_count, const uint64_t *seed)
{
    const size_t set_count = run->set_count + more_count + (seed != NULL);
    const size_t texts_size = set_count * sizeof(char *);
    char *block = sim_memory_new(texts_size + SEED_SET_SIZE, 1); /* the texts, then the seed's */
    const char **sets = (const char **)(void *)block;
    char *seed_set = block + texts_size;
    size_t count = 0;

    for (size_t i = 0; i < run->set_count; i++) {
        sets[count++] = run->sets[i];
    }
    for (size_t i = 0; i < more_count; i++) {
        sets[count++] = more[i];
    }
    if (seed != NULL) {
        snprintf(seed_set, SEED_SET_SIZE, "seed=%" PRIu64, *seed);
        sets[count++] = seed_set;
    }
    make_room(list);
    list->sets[list->count] = block;
    list->runs[list->count] = *run;
    list->runs[list->count].sets = sets;
    list->runs[list->count].set_count = count;
    list->count++;
}

void study_run_list_free(struct study_run_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->sets[i]);
    }
    free(list->sets);
    free(list->runs);
    *list = (struct study_run_list){0};
}
