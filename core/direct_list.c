/* The requests that the store decides one by one, by the time since which they wait: the oldest has
 * waited too long first. */
#include "limiter_private.h"

void direct_init(struct weir_limiter *limiter)
{
    limiter->direct_count = 0;
    limiter->direct_oldest = SLOT_NONE;
    limiter->direct_newest = SLOT_NONE;
    limiter->directs_deadline_ns = NEVER;
}

static void set_deadline(struct weir_limiter *limiter)
{
    const uint32_t oldest = limiter->direct_oldest;

    deadline_set(limiter, ASK_DIRECT,
                 oldest == SLOT_NONE ? NEVER
                                     : saturating_add(limiter->waiters[oldest].since_ns,
                                                      limiter->options.wait_max_ns));
}

/* Mostly it is the newest; but not one that has waited in its slot's list. */
void direct_enlist(struct weir_limiter *limiter, uint32_t place)
{
    struct direct *direct = &limiter->directs[place];
    uint32_t older = limiter->direct_newest;
    uint32_t newer = SLOT_NONE;

    while (older != SLOT_NONE &&
           limiter->waiters[older].since_ns > limiter->waiters[place].since_ns) {
        newer = older;
        older = limiter->directs[older].older;
    }
    direct->older = older;
    direct->newer = newer;
    *(older == SLOT_NONE ? &limiter->direct_oldest : &limiter->directs[older].newer) = place;
    *(newer == SLOT_NONE ? &limiter->direct_newest : &limiter->directs[newer].older) = place;
    limiter->direct_count++;
    set_deadline(limiter);
}

void direct_leave(struct weir_limiter *limiter, uint32_t place)
{
    const uint32_t older = limiter->directs[place].older;
    const uint32_t newer = limiter->directs[place].newer;

    *(older == SLOT_NONE ? &limiter->direct_oldest : &limiter->directs[older].newer) = newer;
    *(newer == SLOT_NONE ? &limiter->direct_newest : &limiter->directs[newer].older) = older;
    limiter->direct_count--;
    set_deadline(limiter);
}

uint64_t direct_unused_units(const struct weir_limiter *limiter, const struct weir_key *key)
{
    uint64_t units = 0;

    for (uint32_t place = limiter->direct_oldest; place != SLOT_NONE;
         place = limiter->directs[place].newer) {
        const struct direct *direct = &limiter->directs[place];
        units +=
            direct->key.low == key->low && direct->key.high == key->high ? direct->unused_units : 0;
    }
    return units;
}
