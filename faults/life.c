/* When processes run, pause, die and come back.
 *
 * A process is up unless a fault keeps it down; what happens to it are the changes between the two.
 * So faults that overlap need no rule: each says when it keeps the process down, and of the changes
 * those that change nothing are dropped. Pauses likewise. */
#include <stdlib.h>

#include "fault.h"

static uint32_t member_count(const struct fault_set *set)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        count += fault_set_holds(set, i);
    }
    return count;
}

/* Members with a lower number. */
static uint32_t members_before(const struct fault_set *set, uint32_t number)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < number; i++) {
        count += fault_set_holds(set, i);
    }
    return count;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* From when to when, as [from, until); none: from == until. */
struct span {
    uint64_t from_ns;
    uint64_t until_ns;
};

/* When this fault keeps the process down. A process that others are added to for a while is down
 * before and after: spans[1]. */
static void down_spans(const struct fault *fault, uint32_t process, struct span spans[2])
{
    const bool is_target = fault_set_holds(&fault->processes, process);

    spans[0] = (struct span){0};
    spans[1] = (struct span){0};
    if (fault->kind == FAULT_FORK) {
        const uint32_t count = member_count(&fault->processes);
        if (process >= count && fault_set_holds(&fault->processes, process - count)) {
            spans[0].until_ns = fault->from_ns;
        }
    } else if (is_target && fault->kind == FAULT_CRASH) {
        spans[0] = (struct span){fault->from_ns, fault->until_ns};
    } else if (is_target && fault->kind == FAULT_DEPLOY) {
        const uint64_t turn = members_before(&fault->processes, process);
        const bool is_reached = fault->period_ns == 0 || turn <= UINT64_MAX / fault->period_ns;
        const uint64_t stop_ns =
            is_reached ? sum(fault->from_ns, turn * fault->period_ns) : UINT64_MAX;
        if (stop_ns < fault->until_ns) {
            spans[0] = (struct span){stop_ns, sum(stop_ns, fault->added_ns)};
        }
    } else if (is_target && fault->kind == FAULT_SCALE && fault->limit == 0) {
        spans[0] = (struct span){fault->from_ns, fault->until_ns};
    } else if (is_target && fault->kind == FAULT_SCALE) {
        spans[0].until_ns = fault->from_ns;
        spans[1] = (struct span){fault->until_ns, UINT64_MAX};
    }
}

static bool span_holds(const struct span *span, uint64_t time_ns)
{
    return time_ns >= span->from_ns && time_ns < span->until_ns;
}

bool fault_is_up(const struct fault_list *list, uint64_t time_ns, uint32_t process)
{
    for (size_t i = 0; i < list->count; i++) {
        struct span spans[2];
        down_spans(&list->faults[i], process, spans);
        if (span_holds(&spans[0], time_ns) || span_holds(&spans[1], time_ns)) {
            return false;
        }
    }
    return true;
}

bool fault_takes_requests(const struct fault_list *list, uint64_t time_ns, uint32_t process)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (fault->kind == FAULT_DRAIN && fault_is_active(fault, time_ns) &&
            fault_set_holds(&fault->processes, process)) {
            return false;
        }
    }
    return fault_is_up(list, time_ns, process);
}

/* ---- what happens, in order ---- */

struct lives {
    struct fault_life *list;
    size_t count;
    size_t capacity;
};

static void add(struct lives *lives, const struct fault_life *life)
{
    if (life->time_ns == UINT64_MAX) {
        return;
    }
    if (lives->count < lives->capacity) {
        lives->list[lives->count] = *life;
    }
    lives->count++;
}

static enum fault_life_kind down_kind(const struct fault *fault)
{
    return fault->kind == FAULT_CRASH ? FAULT_LIFE_KILL : FAULT_LIFE_STOP;
}

/* What one fault does to one process, as if there were no others. */
static void add_of(struct lives *lives, const struct fault_list *list, uint32_t number,
                   uint32_t process)
{
    const struct fault *fault = &list->faults[number];
    struct fault_life life = {.process = process, .fault = number};
    struct span spans[2];

    down_spans(fault, process, spans);
    for (int i = 0; i < 2; i++) {
        if (spans[i].from_ns == spans[i].until_ns) {
            continue;
        }
        life.time_ns = spans[i].from_ns;
        life.kind = down_kind(fault);
        add(lives, &life);
        life.time_ns = spans[i].until_ns;
        life.kind = FAULT_LIFE_START;
        if (fault->kind == FAULT_FORK) {
            life.kind = FAULT_LIFE_FORK;
            life.parent = process - member_count(&fault->processes);
        }
        add(lives, &life);
    }
    if (fault_set_holds(&fault->processes, process) && fault->from_ns < fault->until_ns &&
        (fault->kind == FAULT_PAUSE || fault->kind == FAULT_PROCESS_COUNT)) {
        life.time_ns = fault->from_ns;
        life.kind = fault->kind == FAULT_PAUSE ? FAULT_LIFE_PAUSE : FAULT_LIFE_TOLD_COUNT;
        life.parent = fault->kind == FAULT_PAUSE ? 0 : fault->limit;
        add(lives, &life);
        life.time_ns = fault->until_ns;
        life.kind = fault->kind == FAULT_PAUSE ? FAULT_LIFE_RESUME : FAULT_LIFE_TOLD_COUNT;
        life.parent = 0;
        add(lives, &life);
    }
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* At one instant a beginning comes before an end, so that what is down all the time stays so; of
 * the fleet's sizes what is true again comes before what another fault says. */
static int by_time_and_kind(const struct fault_life *a, const struct fault_life *b)
{
    const int time = compare(a->time_ns, b->time_ns);
    const int kind = compare(a->kind, b->kind);
    const int parent = compare(a->parent, b->parent);

    return time != 0 ? time : kind != 0 ? kind : parent != 0 ? parent : compare(a->fault, b->fault);
}

static int by_process(const void *left, const void *right)
{
    const struct fault_life *a = left;
    const struct fault_life *b = right;
    const int process = compare(a->process, b->process);

    return process != 0 ? process : by_time_and_kind(a, b);
}

static int by_time(const void *left, const void *right)
{
    const struct fault_life *a = left;
    const struct fault_life *b = right;
    const int time = compare(a->time_ns, b->time_ns);
    const int process = compare(a->process, b->process);

    return time != 0 ? time : process != 0 ? process : by_time_and_kind(a, b);
}

/* Whether this one changes anything; down_count and paused_count: of faults that hold the process.
 */
static bool changes(const struct fault_life *life, uint32_t *down_count, uint32_t *paused_count)
{
    switch (life->kind) {
    case FAULT_LIFE_KILL:
    case FAULT_LIFE_STOP:
        return (*down_count)++ == 0 && life->time_ns != 0;
    case FAULT_LIFE_START:
    case FAULT_LIFE_FORK:
        return --*down_count == 0;
    case FAULT_LIFE_PAUSE:
        return (*paused_count)++ == 0;
    case FAULT_LIFE_RESUME:
        return --*paused_count == 0;
    case FAULT_LIFE_TOLD_COUNT:
        break;
    }
    return true;
}

/* Requires the order by_process. */
static size_t drop_what_changes_nothing(struct fault_life *lives, size_t count)
{
    uint32_t down_count = 0;
    uint32_t paused_count = 0;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (i == 0 || lives[i].process != lives[i - 1].process) {
            down_count = 0;
            paused_count = 0;
        }
        const struct fault_life life = lives[i];
        if (changes(&life, &down_count, &paused_count)) {
            lives[kept++] = life;
        }
    }
    return kept;
}

size_t fault_lives(const struct fault_list *list, uint32_t process_count, struct fault_life *array,
                   size_t capacity)
{
    struct lives lives = {.list = array, .capacity = capacity};

    for (uint32_t process = 0; process < process_count; process++) {
        for (uint32_t i = 0; i < list->count; i++) {
            add_of(&lives, list, i, process);
        }
    }
    if (lives.count > capacity || lives.count == 0) {
        return lives.count;
    }
    qsort(array, lives.count, sizeof *array, by_process);
    lives.count = drop_what_changes_nothing(array, lives.count);
    qsort(array, lives.count, sizeof *array, by_time);
    return lives.count;
}
