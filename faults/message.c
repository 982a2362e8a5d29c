/* What happens to asks and answers on their way. */
#include "fault.h"

#define PPM UINT64_C(1000000)

/* Lots about one message: which is for what. */
enum lot {
    LOT_STRIKES = 0,
    LOT_SPREAD,
    LOTS,
};

static uint64_t lot_number(uint64_t number, enum fault_way way, enum lot lot)
{
    return (number * 2 + (way == FAULT_TO_PROCESS)) * LOTS + lot;
}

static bool strikes(const struct fault *fault, enum fault_way way, uint64_t number)
{
    return fault->probability_ppm >= PPM ||
           fault_lot(fault, lot_number(number, way, LOT_STRIKES), PPM) < fault->probability_ppm;
}

static uint64_t spread_ns(const struct fault *fault, enum fault_way way, uint64_t number)
{
    return fault->spread_ns == 0
               ? 0
               : fault_lot(fault, lot_number(number, way, LOT_SPREAD), fault->spread_ns + 1);
}

static bool goes_its_way(const struct fault *fault, enum fault_way way)
{
    return fault->way == FAULT_BOTH_WAYS || fault->way == way;
}

/* Whether the fault did anything to the message. */
static bool apply(const struct fault *fault, enum fault_way way, uint64_t number,
                  struct fault_fate *fate)
{
    if (fault->kind == FAULT_REGION_CUT ||
        (fault->kind == FAULT_PARTITION && goes_its_way(fault, way))) {
        fate->lost = true;
    } else if ((fault->kind == FAULT_LOSS && goes_its_way(fault, way)) ||
               (fault->kind == FAULT_REQUEST_LOST && way == FAULT_TO_STORE)) {
        if (!strikes(fault, way, number)) {
            return false;
        }
        fate->lost = true;
    } else if (fault->kind == FAULT_DELAY && goes_its_way(fault, way)) {
        fate->delay_ns += fault->added_ns + spread_ns(fault, way, number);
    } else if (fault->kind == FAULT_DUPLICATE && way == FAULT_TO_STORE &&
               strikes(fault, way, number)) {
        fate->doubled = true;
        fate->copy_delay_ns = spread_ns(fault, way, number);
    } else {
        return false;
    }
    return true;
}

struct fault_fate fault_message(const struct fault_list *list, uint64_t time_ns, enum fault_way way,
                                uint32_t process, uint32_t shard, uint64_t number)
{
    struct fault_fate fate = {0};

    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (fault_is_active(fault, time_ns) && fault_set_holds(&fault->processes, process) &&
            fault_set_holds(&fault->shards, shard)) {
            list->fired_count[i] += apply(fault, way, number, &fate);
        }
    }
    return fate;
}
