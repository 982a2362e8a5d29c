#include "weir/snapshot.h"

#include "limiter_private.h"

bool weir_limiter_snapshot(const struct weir_limiter *limiter, uint64_t now_ns,
                           const struct weir_key *key, struct weir_snapshot *snapshot)
{
    const uint32_t slot = table_find(limiter, key);
    const uint64_t local_ns = local_time_read(limiter, now_ns);

    *snapshot = (struct weir_snapshot){0};
    if (limiter->clock.known) {
        snapshot->store_ns = clock_store_ns(&limiter->clock, local_ns);
        snapshot->clock_error_ns = clock_error_ns(&limiter->clock, local_ns);
    }
    if (slot == SLOT_NONE) {
        return false;
    }
    const struct hot *hot = &limiter->hot[slot];
    const struct cold *cold = &limiter->cold[slot];
    snapshot->spendable_units = weir_limiter_spendable_units(limiter, now_ns, key);
    snapshot->held_units = weir_limiter_held_units(limiter, key);
    snapshot->lease_end_us = lease_is_held(limiter, slot) ? cold->lease_end_us : 0;
    snapshot->answered_us = cold->answered_us;
    snapshot->remaining_units = cold->remaining_units;
    snapshot->outstanding_units = cold->outstanding_units;
    snapshot->global_rate_milli = cold->global_rate_milli;
    const struct degraded *degraded = &limiter->degraded[slot];
    snapshot->is_alone = degraded->in_spell;
    snapshot->share_ppm = degraded->in_spell ? degraded->fraction_ppm : degraded->share_ppm;
    snapshot->alone_units = degraded->window_units;
    if (cold->retry_us != 0 && hot->deny_units != UINT32_MAX &&
        (cold->retry_us == NEVER ||
         clock_early_ns(&limiter->clock, local_ns) < cold->retry_us * NS_PER_US)) {
        snapshot->denied_units = hot->deny_units;
        snapshot->denied_until_us = cold->retry_us;
    }
    return true;
}
