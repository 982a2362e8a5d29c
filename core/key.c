#include "weir/key.h"

#include "weir/assert.h"

struct sip_state {
    uint64_t v0;
    uint64_t v1;
    uint64_t v2;
    uint64_t v3;
};

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static void sip_rounds(struct sip_state *s, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate_left(s->v1, 13) ^ s->v0;
        s->v3 = rotate_left(s->v3, 16) ^ s->v2;
        s->v0 = rotate_left(s->v0, 32);
        s->v2 += s->v1;
        s->v0 += s->v3;
        s->v1 = rotate_left(s->v1, 17) ^ s->v2;
        s->v3 = rotate_left(s->v3, 21) ^ s->v0;
        s->v2 = rotate_left(s->v2, 32);
    }
}

/* Little-endian on every machine: the fingerprint is shared by the whole fleet. */
static uint64_t load_little_endian(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;

    for (size_t i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

struct weir_key weir_key_hash(const uint8_t secret[WEIR_KEY_SECRET_SIZE], const void *bytes,
                              size_t size)
{
    WEIR_ASSERT(size <= WEIR_KEY_BYTES_MAX);
    WEIR_ASSERT(bytes != NULL || size == 0);
    const uint8_t *input = bytes;
    const uint64_t k0 = load_little_endian(secret, 8);
    const uint64_t k1 = load_little_endian(secret + 8, 8);
    struct sip_state s = {
        .v0 = k0 ^ UINT64_C(0x736f6d6570736575),
        .v1 = k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee, /* 0xee: 128-bit output */
        .v2 = k0 ^ UINT64_C(0x6c7967656e657261),
        .v3 = k1 ^ UINT64_C(0x7465646279746573),
    };
    size_t done = 0;

    for (; size - done >= 8; done += 8) {
        const uint64_t word = load_little_endian(input + done, 8);
        s.v3 ^= word;
        sip_rounds(&s, 2);
        s.v0 ^= word;
    }
    uint64_t last = (uint64_t)(size & 0xff) << 56;
    if (size > done) {
        last |= load_little_endian(input + done, size - done);
    }
    s.v3 ^= last;
    sip_rounds(&s, 2);
    s.v0 ^= last;

    struct weir_key key;
    s.v2 ^= 0xee;
    sip_rounds(&s, 4);
    key.low = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    s.v1 ^= 0xdd;
    sip_rounds(&s, 4);
    key.high = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    return key;
}

uint64_t weir_key_phase_us(const struct weir_key *key, uint64_t window_us)
{
    WEIR_ASSERT(window_us > 0);
    return key->high % window_us;
}

uint32_t weir_key_shard(const struct weir_key *key, uint32_t shard_count)
{
    WEIR_ASSERT(shard_count > 0);
    return (uint32_t)(key->low % shard_count);
}
