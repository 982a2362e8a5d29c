/* Which slot a key has.
 *
 * Open addressing with linear probing over 32-bit slot numbers, at most 4/5 full; removal shifts
 * followers back (Knuth, TAOCP 3, 6.4, algorithm R), so there are no tombstones. The index hash is
 * private to the process: knowing the fleet's fingerprints does not tell where keys collide here.
 */
#include "history.h"
#include "limiter_private.h"
#include "weir/assert.h"

#define EVICTION_SAMPLE 16

static uint32_t home_of(const struct weir_limiter *limiter, const struct weir_key *key)
{
    uint64_t mixed = (key->low ^ limiter->options.table_secret) * UINT64_C(0x9e3779b97f4a7c15);

    mixed ^= mixed >> 32;
    mixed = (mixed ^ key->high) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(mixed >> 32) & limiter->index_mask;
}

uint32_t table_find(const struct weir_limiter *limiter, const struct weir_key *key)
{
    for (uint32_t place = home_of(limiter, key);; place = (place + 1) & limiter->index_mask) {
        const uint32_t entry = limiter->index[place];
        if (entry == 0) {
            return SLOT_NONE;
        }
        if (keys_equal(&limiter->hot[entry - 1].key, key)) {
            return entry - 1;
        }
    }
}

void table_prefetch_index(const struct weir_limiter *limiter, const struct weir_key *key)
{
#if defined(__GNUC__)
    __builtin_prefetch(&limiter->index[home_of(limiter, key)]);
#else
    (void)limiter;
    (void)key;
#endif
}

void table_prefetch_slot(const struct weir_limiter *limiter, const struct weir_key *key)
{
#if defined(__GNUC__)
    /* the key itself is a probe or two further if another one shares its home: not worth a look */
    const uint32_t entry = limiter->index[home_of(limiter, key)];
    if (entry != 0) {
        __builtin_prefetch(&limiter->hot[entry - 1], 1);
    }
#else
    (void)limiter;
    (void)key;
#endif
}

uint32_t table_insert(struct weir_limiter *limiter, const struct weir_key *key)
{
    uint32_t slot = limiter->free_slot;

    if (slot != SLOT_NONE) {
        limiter->free_slot = limiter->cold[slot].link.next;
    } else {
        WEIR_ASSERT(limiter->used_slots < limiter->options.key_capacity);
        slot = limiter->used_slots++;
    }
    uint32_t place = home_of(limiter, key);
    while (limiter->index[place] != 0) {
        place = (place + 1) & limiter->index_mask;
    }
    limiter->index[place] = slot + 1;
    limiter->hot[slot] = (struct hot){.key = *key, .flags = HOT_USED, .deny_units = UINT32_MAX};
    limiter->cold[slot] = (struct cold){
        .deadline_ns = NEVER,
        .rate_share_period = NEVER,
        .life = ++limiter->lives,
        .wait_last = SLOT_NONE,
    };
    degraded_start(limiter, slot);
    return slot;
}

void table_remove(struct weir_limiter *limiter, uint32_t slot)
{
    uint32_t hole = home_of(limiter, &limiter->hot[slot].key);

    while (limiter->index[hole] != slot + 1) {
        WEIR_ASSERT(limiter->index[hole] != 0);
        hole = (hole + 1) & limiter->index_mask;
    }
    for (uint32_t next = (hole + 1) & limiter->index_mask; limiter->index[next] != 0;
         next = (next + 1) & limiter->index_mask) {
        const uint32_t home = home_of(limiter, &limiter->hot[limiter->index[next] - 1].key);
        if (((next - home) & limiter->index_mask) >= ((next - hole) & limiter->index_mask)) {
            limiter->index[hole] = limiter->index[next];
            hole = next;
        }
    }
    limiter->index[hole] = 0;
    history_forget(limiter, slot);
    limiter->hot[slot].flags = 0;
    limiter->cold[slot].link.next = limiter->free_slot;
    limiter->free_slot = slot;
}

uint32_t table_coldest(struct weir_limiter *limiter, uint64_t now_ns)
{
    const uint32_t now_ms = local_ms(limiter, now_ns);
    const unsigned busy = HOT_IN_FLIGHT | HOT_QUEUED;
    uint32_t coldest = SLOT_NONE;
    uint32_t coldest_age = 0;

    for (uint32_t i = 0; i < EVICTION_SAMPLE; i++) {
        const uint32_t slot = limiter->evict_hand;
        limiter->evict_hand = slot + 1 < limiter->used_slots ? slot + 1 : 0;
        const struct hot *hot = &limiter->hot[slot];
        if ((hot->flags & HOT_USED) == 0 || hot->flags & busy ||
            limiter->cold[slot].wait_last != SLOT_NONE) {
            continue;
        }
        const uint32_t age = now_ms - hot->touched_ms;
        if (coldest == SLOT_NONE || age > coldest_age) {
            coldest = slot;
            coldest_age = age;
        }
    }
    return coldest;
}
