#include "twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "world.h"

static uint64_t first_fault_ns(const struct sim_scenario *scenario)
{
    uint64_t first_ns = UINT64_MAX;

    for (size_t i = 0; i < scenario->faults.count; i++) {
        const uint64_t from_ns = scenario->faults.faults[i].from_ns;
        first_ns = from_ns < first_ns ? from_ns : first_ns;
    }
    return first_ns;
}

/* The journal moves out of the world. */
static void take(struct sim_twin *twin, struct sim_world *world)
{
    const struct sim_accuracy *accuracy = &world->accuracy;

    twin->journal = world->watch.journal;
    sim_journal_init(&world->watch.journal);
    twin->cell_count = accuracy->cell_count;
    twin->open_breakers = world->open_breakers;
    twin->error_units = sim_memory_new(twin->cell_count, sizeof(uint64_t));
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        const struct sim_key_accuracy *entry = &accuracy->keys[key];
        for (uint32_t i = 0; i < entry->cell_count; i++) {
            const int64_t error = sim_world_error(world, key, i);
            twin->error_units[entry->first_cell + i] = (uint64_t)(error < 0 ? -error : error);
        }
    }
}

static bool run(struct sim_twin *twin, const struct sim_scenario *scenario,
                enum sim_kernel_kind kind, char *error, size_t error_size)
{
    struct sim_scenario faultless = *scenario; /* borrows what it points to */
    struct sim_world world;

    faultless.faults = (struct fault_list){0};
    if (!sim_world_init(&world, &faultless, kind, error, (uint32_t)error_size)) {
        return false;
    }
    world.watch.journal.from_ns = first_fault_ns(scenario);
    const bool ran = sim_world_run(&world);
    if (ran) {
        take(twin, &world);
    } else {
        snprintf(error, error_size, "the fault-free run: its kernel failed");
    }
    sim_world_deinit(&world);
    return ran;
}

static bool write_all(FILE *file, const void *data, size_t count, size_t size)
{
    return fwrite(data, size, count, file) == count;
}

static void run_in_child(const struct sim_scenario *scenario, FILE *file)
{
    struct sim_twin twin = {0};
    char error[256];

    if (!run(&twin, scenario, SIM_KERNEL_SIMGRID, error, sizeof error)) {
        fprintf(stderr, "weir: %s\n", error);
        _exit(EXIT_FAILURE);
    }
    const bool written =
        write_all(file, &twin.cell_count, 1, sizeof twin.cell_count) &&
        write_all(file, &twin.journal.count, 1, sizeof twin.journal.count) &&
        write_all(file, &twin.open_breakers, 1, sizeof twin.open_breakers) &&
        write_all(file, twin.error_units, twin.cell_count, sizeof *twin.error_units) &&
        write_all(file, twin.journal.entries, twin.journal.count, sizeof *twin.journal.entries) &&
        fflush(file) == 0;
    _exit(written ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool read_all(FILE *file, void *data, size_t count, size_t size)
{
    return fread(data, size, count, file) == count;
}

static bool read_twin(struct sim_twin *twin, FILE *file)
{
    size_t entry_count;

    rewind(file);
    if (!read_all(file, &twin->cell_count, 1, sizeof twin->cell_count) ||
        !read_all(file, &entry_count, 1, sizeof entry_count) ||
        !read_all(file, &twin->open_breakers, 1, sizeof twin->open_breakers)) {
        return false;
    }
    twin->error_units = sim_memory_new(twin->cell_count, sizeof *twin->error_units);
    twin->journal.entries = sim_memory_new(entry_count, sizeof *twin->journal.entries);
    twin->journal.count = entry_count;
    twin->journal.capacity = entry_count;
    return read_all(file, twin->error_units, twin->cell_count, sizeof *twin->error_units) &&
           read_all(file, twin->journal.entries, entry_count, sizeof *twin->journal.entries);
}

static bool run_apart(struct sim_twin *twin, const struct sim_scenario *scenario)
{
    FILE *file = tmpfile();
    int status = -1;
    bool done = false;

    if (file == NULL) {
        return false;
    }
    fflush(NULL); /* or the child would write what the parent still has to */
    const pid_t child = fork();
    if (child == 0) {
        run_in_child(scenario, file);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) {
        done = read_twin(twin, file);
        twin->journal.from_ns = first_fault_ns(scenario);
    }
    fclose(file);
    return done;
}

bool sim_twin_run(struct sim_twin *twin, const struct sim_scenario *scenario, char *error,
                  size_t error_size)
{
    *twin = (struct sim_twin){0};
    sim_journal_init(&twin->journal);
    if (scenario->bandwidth_bytes_per_s == 0) {
        return run(twin, scenario, SIM_KERNEL_HEAP, error, error_size);
    }
    if (run_apart(twin, scenario)) {
        return true;
    }
    snprintf(error, error_size, "the fault-free run: its process failed");
    sim_twin_free(twin);
    return false;
}

void sim_twin_free(struct sim_twin *twin)
{
    sim_journal_deinit(&twin->journal);
    free(twin->error_units);
    *twin = (struct sim_twin){0};
}

void sim_twin_attach(const struct sim_twin *twin, struct sim_world *world)
{
    world->twin = twin;
    world->watch.journal.from_ns = twin->journal.from_ns;
}
