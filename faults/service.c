/* What a shard does with an ask. What becomes of its memory is for the host to carry out: it begins
 * and ends with the fault. */
#include "fault.h"

#define PPM UINT64_C(1000000)

enum lot {
    LOT_STRIKES = 0,
    LOT_SPREAD,
    LOTS,
};

static bool strikes(const struct fault *fault, uint64_t number)
{
    return fault->probability_ppm >= PPM ||
           fault_lot(fault, number * LOTS + LOT_STRIKES, PPM) < fault->probability_ppm;
}

static uint64_t slowed_ns(uint64_t service_ns, uint32_t factor_ppm)
{
    return service_ns / PPM * factor_ppm + service_ns % PPM * factor_ppm / PPM;
}

static bool is_down(const struct fault *fault)
{
    return fault->kind == FAULT_STORE_OUTAGE || fault->kind == FAULT_STORE_EMPTY ||
           fault->kind == FAULT_STORE_FAILOVER;
}

/* Whether the fault did anything to the ask. */
static bool apply(const struct fault *fault, uint32_t process, uint64_t number,
                  struct fault_service *service)
{
    if (is_down(fault)) {
        service->silent = true;
    } else if (fault->kind == FAULT_STORE_SLOW) {
        service->service_ns = slowed_ns(service->service_ns, fault->factor_ppm);
        service->reply_delay_ns += fault->added_ns;
        if (fault->spread_ns != 0) {
            service->reply_delay_ns +=
                fault_lot(fault, number * LOTS + LOT_SPREAD, fault->spread_ns + 1);
        }
    } else if (fault->kind == FAULT_STORE_ERROR && strikes(fault, number)) {
        service->error = fault->error;
    } else if (fault->kind == FAULT_STORE_CONNECTIONS && process >= fault->limit) {
        service->error = FAULT_ERROR_CONNECTIONS;
    } else if (fault->kind == FAULT_REPLY_LOST && strikes(fault, number)) {
        service->reply_is_lost = true;
    } else {
        return false;
    }
    return true;
}

/* Of these only asks of the target processes. */
static bool has_processes(const struct fault *fault)
{
    return fault->kind == FAULT_REPLY_LOST;
}

struct fault_service fault_service(const struct fault_list *list, uint64_t time_ns,
                                   uint32_t process, uint32_t shard, uint64_t number,
                                   uint64_t service_ns)
{
    struct fault_service service = {.service_ns = service_ns};

    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (fault_is_active(fault, time_ns) && fault_set_holds(&fault->shards, shard) &&
            (!has_processes(fault) || fault_set_holds(&fault->processes, process))) {
            list->fired_count[i] += apply(fault, process, number, &service);
        }
    }
    return service;
}

int64_t fault_store_step_ns(const struct fault_list *list, uint64_t time_ns, uint32_t shard)
{
    int64_t step_ns = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct fault *fault = &list->faults[i];
        if (fault->kind == FAULT_STORE_CLOCK && fault_is_active(fault, time_ns) &&
            fault_set_holds(&fault->shards, shard)) {
            step_ns += fault->step_ns;
            list->fired_count[i]++;
        }
    }
    return step_ns;
}
