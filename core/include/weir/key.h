/* Keys: any bytes, reduced to a 128-bit keyed fingerprint, so that two keys never share a budget.
 *
 * SipHash-2-4 with 128-bit output (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
 * INDOCRYPT 2012, and the authors' 128-bit variant). The secret is the same on every process of the
 * fleet: the fingerprint names the key in the store and fixes its window phase. Without the secret
 * nobody can construct colliding keys. */
#ifndef WEIR_KEY_H
#define WEIR_KEY_H

#include <stddef.h>
#include <stdint.h>

#define WEIR_KEY_SECRET_SIZE 16   /* bytes */
#define WEIR_KEY_BYTES_MAX 65536u /* longest key accepted by weir_key_hash */

struct weir_key {
    uint64_t low;
    uint64_t high;
};

/* Fingerprint of `size` bytes. Requires size <= WEIR_KEY_BYTES_MAX; size 0 is a valid key. Pure;
 * thread-safe. */
struct weir_key weir_key_hash(const uint8_t secret[WEIR_KEY_SECRET_SIZE], const void *bytes,
                              size_t size);

/* The key's phase within a window of window_us, in [0, window_us): window boundaries of different
 * keys do not coincide. Requires window_us > 0. */
uint64_t weir_key_phase_us(const struct weir_key *key, uint64_t window_us);

/* The store shard that holds the key, of shard_count > 0. */
uint32_t weir_key_shard(const struct weir_key *key, uint32_t shard_count);

#endif
