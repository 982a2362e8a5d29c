/* What becomes of the traffic. Lots are named by the request's number, so that each request's fate
 * stands for itself. */
#include "fault.h"

#define SECOND_NS UINT64_C(1000000000)

static bool is_of(const struct fault *fault, enum fault_kind kind, uint64_t time_ns)
{
    return fault->kind == kind && fault_is_active(fault, time_ns);
}

/* ---- where to ---- */

static uint32_t flipped(const struct fault_list *list, uint64_t time_ns, uint32_t process,
                        uint32_t process_count)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (is_of(fault, FAULT_FLIP, time_ns) && fault->limit % process_count != 0) {
            process = (uint32_t)(((uint64_t)process + fault->limit) % process_count);
            fault_struck(list, i);
        }
    }
    return process;
}

/* A drain that keeps requests from the process fires. */
static void fire_drains(const struct fault_list *list, uint64_t time_ns, uint32_t process)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (is_of(fault, FAULT_DRAIN, time_ns) && fault_set_holds(&fault->processes, process)) {
            fault_struck(list, i);
        }
    }
}

static uint32_t taking_count(const struct fault_list *list, uint64_t time_ns,
                             uint32_t process_count)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < process_count; i++) {
        count += fault_takes_requests(list, time_ns, i);
    }
    return count;
}

uint32_t fault_reroute(const struct fault_list *list, uint64_t time_ns, uint32_t process,
                       uint32_t process_count, uint64_t number)
{
    if (list->count == 0) {
        return process;
    }
    process = flipped(list, time_ns, process, process_count);
    if (fault_takes_requests(list, time_ns, process)) {
        return process;
    }
    fire_drains(list, time_ns, process);
    const uint32_t count = taking_count(list, time_ns, process_count);
    if (count == 0) {
        return FAULT_NO_PROCESS;
    }
    /* any fault's lots will do: the place of those that cannot take it is no fault's own */
    uint64_t lot = fault_lot(&list->faults[0], ~number, count);
    for (process = 0; lot != 0 || !fault_takes_requests(list, time_ns, process); process++) {
        lot -= fault_takes_requests(list, time_ns, process);
    }
    return process;
}

/* ---- when, and to which key ---- */

uint64_t fault_arrival_ns(const struct fault_list *list, uint64_t time_ns, uint64_t number)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (is_of(fault, FAULT_RETRY, time_ns)) {
            const uint64_t later_ns = fault_lot_spread_ns(fault, number);
            fault_struck(list, i);
            return later_ns > UINT64_MAX - fault->until_ns ? UINT64_MAX
                                                           : fault->until_ns + later_ns;
        }
    }
    return time_ns;
}

uint32_t fault_churn(const struct fault_list *list, uint64_t time_ns, uint32_t population,
                     uint32_t key_index, uint32_t key_count)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (is_of(fault, FAULT_CHURN, time_ns) && fault->population == population) {
            const uint64_t into_ns = time_ns - fault->from_ns;
            const uint64_t periods = fault->period_ns == 0 ? 0 : into_ns / fault->period_ns;
            key_index = (uint32_t)((key_index + periods % key_count + 1) % key_count);
            fault_struck(list, i);
        }
    }
    return key_index;
}

/* The hot key's fault that is in force; SIZE_MAX: none. */
static size_t hot_fault(const struct fault_list *list, uint64_t time_ns, uint32_t population,
                        uint32_t key_index)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (is_of(fault, FAULT_HOT_KEY, time_ns) && fault->population == population &&
            fault->key_index == key_index) {
            return i;
        }
    }
    return SIZE_MAX;
}

uint32_t fault_extra_count(const struct fault_list *list, uint64_t time_ns, uint32_t population,
                           uint32_t key_index)
{
    const size_t hot = hot_fault(list, time_ns, population, key_index);

    return hot == SIZE_MAX || list->faults[hot].limit < 2 ? 0 : list->faults[hot].limit - 1;
}

uint64_t fault_extra_ns(const struct fault_list *list, uint64_t time_ns, uint32_t population,
                        uint32_t key_index, uint64_t number, uint32_t nth)
{
    const size_t hot = hot_fault(list, time_ns, population, key_index);

    if (hot == SIZE_MAX) {
        return UINT64_MAX;
    }
    const struct fault *fault = &list->faults[hot];
    const uint64_t arrival_ns = time_ns + fault_lot(fault, number * fault->limit + nth, SECOND_NS);
    if (arrival_ns >= fault->until_ns) {
        return UINT64_MAX;
    }
    fault_struck(list, hot);
    return arrival_ns;
}
