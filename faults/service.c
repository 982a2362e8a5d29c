/* What a shard does with an ask that reaches it, and what its clock reads. What happens to its
 * memory (failover, empty, evict, split) is its host's to do; while an emptied store is down, it is
 * silent here.
 *
 * An ask's fate is decided when it arrives: one that waits for its turn when an outage begins is
 * still carried out. A silent store says nothing, so nothing else can happen to the ask; a refused
 * one is not carried out, so there is no reply that could be lost. */
#include "fault.h"

#define PPM UINT64_C(1000000)

/* Lots of one ask that do not depend on each other, and not on those of its message. */
enum lot {
    LOT_REPLY = 2,
    LOT_DELAY = 3,
    LOT_COUNT = 4,
};

static bool happens(const struct fault *fault, uint64_t number)
{
    return fault_lot_hits(fault, number * LOT_COUNT + LOT_REPLY);
}

static bool concerns(const struct fault *fault, uint64_t time_ns, uint32_t shard)
{
    return fault_is_active(fault, time_ns) && fault_set_holds(&fault->shards, shard);
}

static bool is_silent(const struct fault *fault)
{
    return fault->kind == FAULT_STORE_OUTAGE || fault->kind == FAULT_STORE_EMPTY;
}

static enum fault_error error_of(const struct fault *fault, uint32_t process, uint64_t number)
{
    if (fault->kind == FAULT_STORE_ERROR && happens(fault, number)) {
        return fault->error;
    }
    if (fault->kind == FAULT_STORE_CONNECTIONS && process >= fault->limit) {
        return FAULT_ERROR_CONNECTIONS;
    }
    return FAULT_ERROR_NONE;
}

/* Saturating: a store a million times slower than one that is slow already never answers. */
static uint64_t slowed_ns(uint64_t service_ns, uint32_t factor_ppm)
{
    __extension__ const unsigned __int128 slowed = (unsigned __int128)service_ns * factor_ppm / PPM;

    return slowed > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)slowed;
}

/* Returns whether the fault did anything. */
static bool carry_out(const struct fault *fault, uint32_t process, uint64_t number,
                      struct fault_service *service)
{
    if (fault->kind == FAULT_STORE_SLOW) {
        service->service_ns = slowed_ns(service->service_ns, fault->factor_ppm);
        service->reply_delay_ns +=
            fault->added_ns + fault_lot_spread_ns(fault, number * LOT_COUNT + LOT_DELAY);
        return true;
    }
    if (fault->kind == FAULT_REPLY_LOST && fault_set_holds(&fault->processes, process) &&
        happens(fault, number)) {
        service->reply_is_lost = true;
        return true;
    }
    return false;
}

struct fault_service fault_service(const struct fault_list *list, uint64_t time_ns,
                                   uint32_t process, uint32_t shard, uint64_t number,
                                   uint64_t service_ns)
{
    struct fault_service service = {.service_ns = service_ns};

    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (is_silent(fault) && concerns(fault, time_ns, shard)) {
            service.silent = true;
            fault_struck(list, i);
        }
    }
    for (size_t i = 0; i < list->count && !service.silent; i++) {
        const struct fault *fault = &list->faults[i];
        const enum fault_error error =
            concerns(fault, time_ns, shard) ? error_of(fault, process, number) : FAULT_ERROR_NONE;
        if (error != FAULT_ERROR_NONE && service.error == FAULT_ERROR_NONE) {
            service.error = error;
            fault_struck(list, i);
        }
    }
    for (size_t i = 0; i < list->count && !service.silent && service.error == FAULT_ERROR_NONE;
         i++) {
        const struct fault *fault = &list->faults[i];
        if (concerns(fault, time_ns, shard) && carry_out(fault, process, number, &service)) {
            fault_struck(list, i);
        }
    }
    return service;
}

int64_t fault_store_step_ns(const struct fault_list *list, uint64_t time_ns, uint32_t shard)
{
    int64_t step_ns = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (fault->kind == FAULT_STORE_CLOCK && concerns(fault, time_ns, shard)) {
            step_ns += fault->step_ns;
            fault_struck(list, i);
        }
    }
    return step_ns;
}
