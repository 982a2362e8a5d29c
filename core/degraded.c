/* Deciding without the store. */
#include "limiter_private.h"

static struct weir_decision refused(void)
{
    return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                  .reason = WEIR_REASON_DEGRADED_CAP,
                                  .mode = WEIR_MODE_DEGRADED,
                                  .retry_after_ns = NS_PER_S};
}

struct weir_decision degraded_decide(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                                     uint32_t cost)
{
    (void)limiter;
    (void)slot;
    (void)now_ns;
    (void)cost;
    return refused();
}

struct weir_decision degraded_decide_without_slot(struct weir_limiter *limiter, uint64_t now_ns,
                                                  uint32_t plan_index, uint32_t cost)
{
    (void)limiter;
    (void)now_ns;
    (void)plan_index;
    (void)cost;
    return refused();
}

void degraded_answered(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                       const struct weir_answer *answer)
{
    (void)limiter;
    (void)slot;
    (void)now_ns;
    (void)answer;
}

bool degraded_has_charge(const struct weir_limiter *limiter, uint32_t slot)
{
    (void)limiter;
    (void)slot;
    return false;
}

void degraded_charge(struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask)
{
    (void)limiter;
    (void)slot;
    (void)ask;
}

uint32_t degraded_covered(struct weir_limiter *limiter, uint32_t slot, uint32_t units)
{
    (void)limiter;
    (void)slot;
    return units;
}

void degraded_uncharge(struct weir_limiter *limiter, uint32_t slot, const struct weir_ask *ask)
{
    (void)limiter;
    (void)slot;
    (void)ask;
}
