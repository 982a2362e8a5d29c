#include "local_limit.h"

#include "catalog.h"
#include "weir/assert.h"
#include "weir/decision.h"

/* value x part / whole, rounded down; requires that this fits. */
__extension__ static unsigned __int128 part_of(unsigned __int128 value, uint64_t part,
                                               uint64_t whole)
{
    return value / whole * part + value % whole * part / whole;
}

static uint64_t part_units(const struct sim_local_limit *limit, uint64_t units)
{
    const uint64_t part = (uint64_t)part_of(units, limit->part.part, limit->part.whole);

    return part == 0 && units != 0 && limit->part.part != 0 ? 1 : part;
}

/* ---- buckets ---- */

__extension__ static unsigned __int128 unit_of(const struct sim_local_limit *limit,
                                               const struct weir_plan *plan)
{
    __extension__ unsigned __int128 period_ns = plan->rate_period_us * 1000;

    return period_ns * limit->part.whole;
}

__extension__ static unsigned __int128 capacity_of(const struct sim_local_limit *limit,
                                                   const struct weir_plan *plan)
{
    __extension__ unsigned __int128 period_ns = plan->rate_period_us * 1000;
    __extension__ unsigned __int128 capacity = period_ns * plan->capacity_units * limit->part.part;
    __extension__ unsigned __int128 least =
        part_units(limit, plan->capacity_units) == 0 ? 0 : unit_of(limit, plan);

    return capacity > least ? capacity : least;
}

static void refill(struct sim_local_limit *limit, const struct weir_plan *plan, uint64_t local_ns)
{
    __extension__ unsigned __int128 capacity = capacity_of(limit, plan);
    __extension__ unsigned __int128 speed = plan->rate_units;

    speed *= limit->part.part;
    if (local_ns <= limit->updated_ns) {
        return; /* the clock went back: it refills when it is there again */
    }
    const uint64_t elapsed_ns = local_ns - limit->updated_ns;
    limit->updated_ns = local_ns;
    limit->level = speed != 0 && elapsed_ns > (capacity - limit->level) / speed
                       ? capacity
                       : limit->level + speed * elapsed_ns;
}

static bool bucket_admit(struct sim_local_limit *limit, const struct weir_plan *plan,
                         uint64_t local_ns, uint32_t cost_units)
{
    __extension__ unsigned __int128 cost = unit_of(limit, plan) * cost_units;

    refill(limit, plan, local_ns);
    if (cost_units > plan->capacity_units || limit->level < cost) {
        return false;
    }
    limit->level -= cost;
    return true;
}

static uint64_t bucket_retry_ns(const struct sim_local_limit *limit, const struct weir_plan *plan,
                                uint32_t cost_units)
{
    __extension__ unsigned __int128 cost = unit_of(limit, plan) * cost_units;
    __extension__ unsigned __int128 speed = plan->rate_units;

    speed *= limit->part.part;
    if (cost_units > plan->capacity_units || cost > capacity_of(limit, plan) || speed == 0) {
        return WEIR_RETRY_NEVER;
    }
    return limit->level >= cost ? 1 : (uint64_t)((cost - limit->level - 1) / speed + 1);
}

/* ---- windows ---- */

uint64_t sim_local_window(const struct weir_key *key, const struct weir_plan *plan,
                          uint64_t local_ns)
{
    return (sim_wall_us(local_ns) + weir_key_phase_us(key, plan->window_us)) / plan->window_us;
}

uint64_t sim_local_window_left_ns(const struct weir_key *key, const struct weir_plan *plan,
                                  uint64_t local_ns)
{
    const uint64_t into_us =
        (sim_wall_us(local_ns) + weir_key_phase_us(key, plan->window_us)) % plan->window_us;

    return (plan->window_us - into_us) * 1000 - local_ns % 1000;
}

static bool window_admit(struct sim_local_limit *limit, const struct weir_plan *plan,
                         const struct weir_key *key, uint64_t local_ns, uint32_t cost_units)
{
    const uint64_t window = sim_local_window(key, plan, local_ns);

    if (window > limit->window) {
        limit->window = window;
        limit->used_units = 0;
    }
    if (limit->used_units + cost_units > part_units(limit, plan->limit_units)) {
        return false;
    }
    limit->used_units += cost_units;
    return true;
}

/* ---- both ---- */

void sim_local_limit_start(struct sim_local_limit *limit, const struct weir_plan *plan,
                           const struct weir_key *key, struct sim_part part, uint64_t used_units,
                           uint64_t local_ns)
{
    WEIR_ASSERT(part.part <= part.whole && part.whole != 0);
    *limit = (struct sim_local_limit){.part = part, .updated_ns = local_ns};
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        limit->window = sim_local_window(key, plan, local_ns);
        limit->used_units = (uint64_t)part_of(used_units, part.part, part.whole);
        return;
    }
    WEIR_ASSERT(plan->algorithm == WEIR_ALGORITHM_BUCKET);
    __extension__ unsigned __int128 used = plan->rate_period_us * 1000;
    used *= used_units;
    used *= part.part;
    limit->level = capacity_of(limit, plan);
    limit->level = limit->level > used ? limit->level - used : 0;
}

void sim_local_limit_set_part(struct sim_local_limit *limit, const struct weir_plan *plan,
                              struct sim_part part, uint64_t local_ns)
{
    WEIR_ASSERT(part.part <= part.whole && part.whole != 0);
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        refill(limit, plan, local_ns);
        limit->level = part_of(limit->level, part.whole, limit->part.whole);
    }
    limit->part = part;
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET && limit->level > capacity_of(limit, plan)) {
        limit->level = capacity_of(limit, plan);
    }
}

bool sim_local_limit_admit(struct sim_local_limit *limit, const struct weir_plan *plan,
                           const struct weir_key *key, uint64_t local_ns, uint32_t cost_units)
{
    if (cost_units == 0) {
        return true;
    }
    return plan->algorithm == WEIR_ALGORITHM_WINDOW
               ? window_admit(limit, plan, key, local_ns, cost_units)
               : bucket_admit(limit, plan, local_ns, cost_units);
}

uint64_t sim_local_limit_retry_ns(const struct sim_local_limit *limit, const struct weir_plan *plan,
                                  const struct weir_key *key, uint64_t local_ns,
                                  uint32_t cost_units)
{
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        return bucket_retry_ns(limit, plan, cost_units);
    }
    return cost_units > part_units(limit, plan->limit_units)
               ? WEIR_RETRY_NEVER
               : sim_local_window_left_ns(key, plan, local_ns);
}
