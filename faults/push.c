/* What becomes of configuration pushes and of reports to billing. */
#include "fault.h"

/* Lots of one delivery, for different purposes. */
#define LOTS 2u
#define LOT_WHETHER 0u
#define LOT_DELAY 1u

static bool hits(const struct fault_list *list, size_t i, uint64_t time_ns, uint32_t process,
                 uint64_t number)
{
    const struct fault *fault = &list->faults[i];

    return fault_is_active(fault, time_ns) && fault_set_holds(&fault->processes, process) &&
           fault_lot_hits(fault, number * LOTS + LOT_WHETHER);
}

static uint64_t delay_ns(const struct fault *fault, uint64_t number)
{
    return fault->added_ns + fault_lot_spread_ns(fault, number * LOTS + LOT_DELAY);
}

/* What a push and a report have in common; a kind that a delivery does not know is
 * FAULT_KIND_COUNT. */
struct kinds {
    enum fault_kind lost;
    enum fault_kind delayed;
    enum fault_kind doubled;
};

static struct fault_fate fate(const struct fault_list *list, const struct kinds *kinds,
                              uint64_t time_ns, uint32_t process, uint64_t number)
{
    struct fault_fate fate = {0};

    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        const enum fault_kind kind = fault->kind;
        if ((kind != kinds->lost && kind != kinds->delayed && kind != kinds->doubled) ||
            !hits(list, i, time_ns, process, number)) {
            continue;
        }
        fault_struck(list, i);
        if (kind == kinds->lost) {
            fate.lost = true;
        } else if (kind == kinds->delayed) {
            fate.delay_ns += delay_ns(fault, number);
        } else {
            fate.doubled = true;
            fate.copy_delay_ns += delay_ns(fault, number);
        }
    }
    return fate;
}

struct fault_fate fault_push(const struct fault_list *list, uint64_t time_ns, uint32_t process,
                             uint64_t number)
{
    static const struct kinds kinds = {
        .lost = FAULT_PUSH_LOST, .delayed = FAULT_PUSH_DELAYED, .doubled = FAULT_KIND_COUNT};

    return fate(list, &kinds, time_ns, process, number);
}

struct fault_fate fault_report(const struct fault_list *list, uint64_t time_ns, uint32_t process,
                               uint64_t number)
{
    static const struct kinds kinds = {.lost = FAULT_REPORT_LOST,
                                       .delayed = FAULT_REPORT_DELAYED,
                                       .doubled = FAULT_REPORT_DUPLICATE};

    return fate(list, &kinds, time_ns, process, number);
}
