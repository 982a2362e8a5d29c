/* What happens to asks and answers on their way between processes and shards.
 *
 * A message's fate is decided when it leaves: what is on its way when a partition begins arrives.
 * What is lost is not delayed or doubled as well, and a copy shares the fate of what it is a copy
 * of but for its delay. Times only ever grow, so that nobody who runs ahead is overtaken. */
#include "fault.h"

/* Lots of one message that do not depend on each other. */
enum lot {
    LOT_HAPPENS = 0,
    LOT_DELAY,
    LOT_COUNT = 4,
};

static bool happens(const struct fault *fault, uint64_t number)
{
    return fault_lot_hits(fault, number * LOT_COUNT + LOT_HAPPENS);
}

static uint64_t spread_ns(const struct fault *fault, uint64_t number)
{
    return fault_lot_spread_ns(fault, number * LOT_COUNT + LOT_DELAY);
}

static bool concerns(const struct fault *fault, uint64_t time_ns, uint32_t process, uint32_t shard)
{
    return fault_is_active(fault, time_ns) && fault_set_holds(&fault->processes, process) &&
           (fault->kind == FAULT_REGION_CUT || fault_set_holds(&fault->shards, shard));
}

static bool loses(const struct fault *fault, enum fault_way way, uint64_t number)
{
    if (fault->kind == FAULT_PARTITION) {
        return fault->way == FAULT_BOTH_WAYS || fault->way == way;
    }
    return fault->kind == FAULT_REGION_CUT ||
           ((fault->kind == FAULT_LOSS ||
             (fault->kind == FAULT_REQUEST_LOST && way == FAULT_TO_STORE)) &&
            happens(fault, number));
}

/* Returns whether the fault did anything. */
static bool delay(const struct fault *fault, enum fault_way way, uint64_t number,
                  struct fault_fate *fate)
{
    if (fault->kind == FAULT_DELAY) {
        fate->delay_ns += fault->added_ns + spread_ns(fault, number);
        return true;
    }
    if (fault->kind == FAULT_DUPLICATE && way == FAULT_TO_STORE && happens(fault, number)) {
        fate->doubled = true;
        fate->copy_delay_ns += spread_ns(fault, number);
        return true;
    }
    return false;
}

struct fault_fate fault_message(const struct fault_list *list, uint64_t time_ns, enum fault_way way,
                                uint32_t process, uint32_t shard, uint64_t number)
{
    struct fault_fate fate = {0};

    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (concerns(fault, time_ns, process, shard) && loses(fault, way, number)) {
            fate.lost = true;
            fault_struck(list, i);
        }
    }
    for (size_t i = 0; i < list->count && !fate.lost; i++) {
        const struct fault *fault = &list->faults[i];
        if (concerns(fault, time_ns, process, shard) && delay(fault, way, number, &fate)) {
            fault_struck(list, i);
        }
    }
    fate.copy_delay_ns = fate.doubled ? fate.copy_delay_ns + fate.delay_ns : 0;
    return fate;
}
