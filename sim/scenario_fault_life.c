/* Whether faults leave each process one life: what is down cannot crash, and what was never started
 * cannot be paused. */
#include "scenario_fault.h"

#define KINDS_OF_LIFE (KIND(CRASH) | KIND(DEPLOY) | KIND(PAUSE) | KIND(FORK) | KIND(SCALE))

/* When a fault has its hands on a process. */
struct hold {
    uint64_t from_ns;
    uint64_t until_ns;
};

/* A fault, walked through process by process. */
struct walk {
    const struct fault *fault;
    uint32_t member_count;
    uint32_t turn; /* members before the present process */
};

static struct walk walk_of(const struct fault *fault)
{
    struct walk walk = {.fault = fault};

    for (uint32_t i = 0; i < fault->processes.count; i++) {
        walk.member_count += fault_set_holds(&fault->processes, i);
    }
    return walk;
}

/* Writes the one or two times at which the fault holds the process; returns how many. */
static size_t holds_of(struct walk *walk, uint32_t process, struct hold holds[2])
{
    const struct fault *fault = walk->fault;
    const bool is_target = fault_set_holds(&fault->processes, process);

    if (fault->kind == FAULT_FORK && process >= walk->member_count &&
        fault_set_holds(&fault->processes, process - walk->member_count)) {
        holds[0] = (struct hold){0, fault->from_ns + 1}; /* the copy: it does not run before */
        return 1;
    }
    if (!is_target) {
        return 0;
    }
    if (fault->kind == FAULT_DEPLOY) {
        const uint64_t stop_ns = fault->from_ns + walk->turn++ * fault->period_ns;
        holds[0] = (struct hold){stop_ns, stop_ns + fault->added_ns};
        return 1;
    }
    if (fault->kind == FAULT_SCALE && fault->limit != 0) { /* out: runs in between only */
        holds[0] = (struct hold){0, fault->from_ns};
        holds[1] = (struct hold){fault->until_ns, UINT64_MAX};
        return 2;
    }
    holds[0] = (struct hold){fault->from_ns, fault->until_ns};
    return 1;
}

static bool overlap(struct walk *walk, struct walk *other, uint32_t process)
{
    struct hold holds[2];
    struct hold others[2];
    const size_t count = holds_of(walk, process, holds);
    const size_t other_count = holds_of(other, process, others);

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < other_count; k++) {
            if (holds[i].from_ns < others[k].until_ns && others[k].from_ns < holds[i].until_ns) {
                return true;
            }
        }
    }
    return false;
}

/* The first process that both hold at a time; process_count: none. */
static uint32_t first_held_twice(const struct fault *fault, const struct fault *other,
                                 uint32_t process_count)
{
    struct walk walk = walk_of(fault);
    struct walk other_walk = walk_of(other);
    uint32_t process = 0;

    if ((KINDS_OF_LIFE & sim_kind_of(fault)) == 0 || (KINDS_OF_LIFE & sim_kind_of(other)) == 0) {
        return process_count;
    }
    while (process < process_count && !overlap(&walk, &other_walk, process)) {
        process++;
    }
    return process;
}

bool sim_scenario_check_lives(const struct sim_node *faults, const struct sim_scenario *scenario)
{
    const struct fault_list *list = &scenario->faults;

    for (size_t i = 0; i < list->count; i++) {
        struct sim_node node = sim_read_element(faults, i);

        for (size_t k = 0; k < i; k++) {
            const uint32_t process =
                first_held_twice(&list->faults[i], &list->faults[k], scenario->process_count);

            if (process < scenario->process_count) {
                return sim_read_fail(&node,
                                     "found process %lu down or paused by faults[%zu] at the same "
                                     "time; allowed: one of them at a time",
                                     (unsigned long)process, k);
            }
        }
    }
    return true;
}
