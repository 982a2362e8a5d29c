/* Fingerprints against the reference vectors of SipHash-2-4 with 128-bit output: secret 00 01 ..
 * 0f, input 00 01 .. */
#include "unit.h"

#include <string.h>

#include "weir/key.h"

#define VECTOR_COUNT 64

static const struct weir_key VECTORS[VECTOR_COUNT] = {
    {UINT64_C(0xe6a825ba047f81a3), UINT64_C(0x930255c71472f66d)},
    {UINT64_C(0x44af996bd8c187da), UINT64_C(0x45fc229b11597634)},
    {UINT64_C(0xc75da4a48d227781), UINT64_C(0xe4ff0af6de8ba3fc)},
    {UINT64_C(0x4ea967520cb6709c), UINT64_C(0x51ed8529b0b6335f)},
    {UINT64_C(0xaf8f9c2dc16481f8), UINT64_C(0x7955cd7b7c6e0f7d)},
    {UINT64_C(0x886f778059876813), UINT64_C(0x27960e69077a5254)},
    {UINT64_C(0x1386208b33caee14), UINT64_C(0x5ea1d78f30a05e48)},
    {UINT64_C(0x53c1dbd8beebf1a1), UINT64_C(0x3982f01fa64ab8c0)},
    {UINT64_C(0x61f55862baa9623b), UINT64_C(0xb49714f364e2830f)},
    {UINT64_C(0xabbad90a06994426), UINT64_C(0xed716dbb028b7fc4)},
    {UINT64_C(0x56691478c30d1100), UINT64_C(0xbafbd0f3d34754c9)},
    {UINT64_C(0x77666b3868c55101), UINT64_C(0x18dce5816fdcb4a2)},
    {UINT64_C(0x58f35e9066b226d6), UINT64_C(0x25c13285f64d6382)},
    {UINT64_C(0x108bc0e947e26998), UINT64_C(0xf752b9c44f9329d0)},
    {UINT64_C(0x9cded766aceffc31), UINT64_C(0x024949e45f48c77e)},
    {UINT64_C(0x11a8b03399e99354), UINT64_C(0xd9c3cf970fec087e)},
    {UINT64_C(0xbb54b067caa4e26e), UINT64_C(0x77052385bf1533fd)},
    {UINT64_C(0x98b88d73e8063d47), UINT64_C(0x4077e47ac466c054)},
    {UINT64_C(0x8548bf23e4e526a4), UINT64_C(0x23f7aefe81a44d29)},
    {UINT64_C(0xb0fa65cf31770178), UINT64_C(0xb12e51528920d574)},
    {UINT64_C(0x7390223f83fc259e), UINT64_C(0xeb3938e8a544933e)},
    {UINT64_C(0x215a52be5a498e56), UINT64_C(0x121d073ecd14228a)},
    {UINT64_C(0x9a6bd15245b5294a), UINT64_C(0xae0aff8e52109c46)},
    {UINT64_C(0xe0f5a9d5dd84d1c9), UINT64_C(0x1c69bf9a9ae28ccf)},
    {UINT64_C(0xd850bd78ae79b42d), UINT64_C(0xad32618a178a2a88)},
    {UINT64_C(0x7b445e2d045fce8e), UINT64_C(0x6f8f8dcbeab95150)},
    {UINT64_C(0xe807c3b3b4530b9c), UINT64_C(0x661f147886e0ae7e)},
    {UINT64_C(0xe4eaa669af48f2ab), UINT64_C(0x94eb9e122febd3bf)},
    {UINT64_C(0x884b576816da6406), UINT64_C(0xf4ae587302f335b9)},
    {UINT64_C(0xe97d33bfc49d4baa), UINT64_C(0xb76a7c463cfdd40c)},
    {UINT64_C(0xde6baf1f477f5cea), UINT64_C(0x87226d68d4d71a2b)},
    {UINT64_C(0xfcfa233218b03929), UINT64_C(0x353dc4524fde2317)},
    {UINT64_C(0x3efcea5eca56397c), UINT64_C(0x68eb4665559d3e36)},
    {UINT64_C(0x321cf0467107c677), UINT64_C(0xcfffa94e5f9db6b6)},
    {UINT64_C(0xdf7e84b86c98a637), UINT64_C(0xde549b30f1f02509)},
    {UINT64_C(0xf9a8a99de6f005a7), UINT64_C(0xc88c3c922e1a2407)},
    {UINT64_C(0x4648c4291f7dc43d), UINT64_C(0x11674f90ed769e1e)},
    {UINT64_C(0x1a0efce601bf620d), UINT64_C(0x2b69d3c551473c0d)},
    {UINT64_C(0x9e667cca8b46038c), UINT64_C(0xb5e7be4b085efde4)},
    {UINT64_C(0x9c2caf3bb95b8a52), UINT64_C(0xd92bd2d0e5cc7344)},
    {UINT64_C(0xad5dc9951e306adf), UINT64_C(0xd83b91c6c80cae97)},
    {UINT64_C(0x397f852c90891180), UINT64_C(0xdbb6705e289135e7)},
    {UINT64_C(0xbb31c2c96a3417e6), UINT64_C(0x5b0ccacc34ae5036)},
    {UINT64_C(0xaa21b7ef3734d927), UINT64_C(0x89df5aecdc211840)},
    {UINT64_C(0x785e9ced9d7d2389), UINT64_C(0x4273cc66b1c9b1d8)},
    {UINT64_C(0x657d5ebf91806d4a), UINT64_C(0x4cb150a294fa8911)},
    {UINT64_C(0x89aee75560f9330e), UINT64_C(0x022949cf3d0efc3f)},
    {UINT64_C(0xd1190b722b431ce6), UINT64_C(0x1b1563dc4bd8c88e)},
    {UINT64_C(0xcf82f749f5aee5f7), UINT64_C(0x169b2608a6559037)},
    {UINT64_C(0x4fa5b7d00f038d43), UINT64_C(0x03641a20adf237a8)},
    {UINT64_C(0xe304bf4feed390a5), UINT64_C(0x3f4286f2270d7e24)},
    {UINT64_C(0xc493fe72a1c1e25f), UINT64_C(0x38f5f9ae7cd35cb1)},
    {UINT64_C(0x6eb306bd5c32972c), UINT64_C(0x7c013a8bd03d13b2)},
    {UINT64_C(0x94ca6b7a2214c892), UINT64_C(0x9ed32a009f65f09f)},
    {UINT64_C(0x8c32d80b1150e8dc), UINT64_C(0x871d91d64108d5fb)},
    {UINT64_C(0x1279dac78449f167), UINT64_C(0xda832592b52be348)},
    {UINT64_C(0xe94ed572cff23819), UINT64_C(0x362a1da96f16947e)},
    {UINT64_C(0xfe49ed46961e4874), UINT64_C(0x8e6904163024620f)},
    {UINT64_C(0xd8d6a998dea5fc57), UINT64_C(0x1d8a3d58d0386400)},
    {UINT64_C(0xbe1cdcef1cdeec9f), UINT64_C(0x595357d9743676d4)},
    {UINT64_C(0x53f128eb000c04e3), UINT64_C(0x40e772d8cb73ca66)},
    {UINT64_C(0xfe1d836a9a009776), UINT64_C(0x7a0f6793591ca9cc)},
    {UINT64_C(0xa067f52123545358), UINT64_C(0xbd5947f0a447d505)},
    {UINT64_C(0x4a83502f77d15051), UINT64_C(0x7cbd3f979a063e50)},
};

static uint8_t long_input[WEIR_KEY_BYTES_MAX + 1];

static struct weir_key hash(const void *bytes, size_t size)
{
    uint8_t secret[WEIR_KEY_SECRET_SIZE];

    for (size_t i = 0; i < sizeof secret; i++) {
        secret[i] = (uint8_t)i;
    }
    return weir_key_hash(secret, bytes, size);
}

static void assert_key_equal(struct weir_key actual, struct weir_key expected)
{
    assert_int_equal(actual.low, expected.low);
    assert_int_equal(actual.high, expected.high);
}

static void fingerprints_are_those_of_the_reference(void **state)
{
    (void)state;
    uint8_t input[VECTOR_COUNT];

    for (size_t i = 0; i < VECTOR_COUNT; i++) {
        input[i] = (uint8_t)i;
        assert_key_equal(hash(input, i), VECTORS[i]);
    }
}

static void the_longest_key_is_hashed_in_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof long_input; i++) {
        long_input[i] = (uint8_t)(i * 7 + 3);
    }

    assert_key_equal(hash(long_input, WEIR_KEY_BYTES_MAX),
                     (struct weir_key){.low = UINT64_C(0x4bdcbfda29356c3b),
                                       .high = UINT64_C(0x5f9e3eb213f0c5ec)});
    expect_assert_failure(hash(long_input, WEIR_KEY_BYTES_MAX + 1));
}

static void an_empty_key_needs_no_bytes(void **state)
{
    (void)state;
    assert_key_equal(hash(NULL, 0), VECTORS[0]);
    expect_assert_failure(hash(NULL, 1));
}

static void alignment_does_not_matter(void **state)
{
    (void)state;
    uint8_t buffer[32 + 8];

    for (size_t shift = 0; shift < 8; shift++) {
        for (size_t i = 0; i < 31; i++) {
            buffer[shift + i] = (uint8_t)i;
        }
        assert_key_equal(hash(buffer + shift, 31), VECTORS[31]);
    }
}

/* B61, D04: bytes that break other limiters are bytes like any other, and no two keys are the same.
 */
static void b61_d04_any_bytes_are_a_key_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
    } KEYS[] = {
        {"empty", "", 0},
        {"one NUL", "\0", 1},
        {"two NULs", "\0\0", 2},
        {"space", " ", 1},
        {"CR LF", "\r\n", 2},
        {"braces", "{}", 2},
        {"colon", "::1", 3},
        {"0xFF", "\xff", 1},
        {"joined one way", "a_b|c", 5},
        {"joined another way", "a|b_c", 5},
        {"NUL inside", "a\0b", 3},
        {"cut at NUL", "a", 1},
        {"eight bytes", "12345678", 8},
        {"eight and a NUL", "12345678", 9},
    };
    const size_t count = sizeof KEYS / sizeof KEYS[0];

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct weir_key a = hash(KEYS[i].bytes, KEYS[i].size);
            const struct weir_key b = hash(KEYS[j].bytes, KEYS[j].size);
            assert_true(a.low != b.low && a.high != b.high);
        }
    }
}

static void every_bit_of_secret_and_key_counts(void **state)
{
    (void)state;
    uint8_t secret[WEIR_KEY_SECRET_SIZE] = {0};
    uint8_t bytes[9] = {0};
    const struct weir_key plain = weir_key_hash(secret, bytes, sizeof bytes);

    for (size_t bit = 0; bit < 8 * sizeof secret; bit++) {
        secret[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        const struct weir_key other = weir_key_hash(secret, bytes, sizeof bytes);
        assert_true(other.low != plain.low && other.high != plain.high);
        secret[bit / 8] = 0;
    }
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        const struct weir_key other = weir_key_hash(secret, bytes, sizeof bytes);
        assert_true(other.low != plain.low && other.high != plain.high);
        bytes[bit / 8] = 0;
    }
}

static void phases_lie_within_the_window_and_spread(void **state)
{
    (void)state;
    enum { WINDOW_US = 60000000, TENTHS = 10, KEYS = 1000 };
    unsigned counts[TENTHS] = {0};

    for (uint32_t i = 0; i < KEYS; i++) {
        const struct weir_key key = hash(&i, sizeof i);
        const uint64_t phase_us = weir_key_phase_us(&key, WINDOW_US);
        assert_in_range(phase_us, 0, WINDOW_US - 1);
        assert_int_equal(phase_us, key.high % WINDOW_US);
        counts[phase_us / (WINDOW_US / TENTHS)]++;
    }

    for (size_t i = 0; i < TENTHS; i++) {
        assert_in_range(counts[i], 60, 140);
    }
}

static void a_window_of_one_has_phase_zero_and_a_window_of_zero_is_refused(void **state)
{
    (void)state;
    const struct weir_key key = {.low = 1, .high = UINT64_MAX};

    assert_int_equal(weir_key_phase_us(&key, 1), 0);
    assert_int_equal(weir_key_phase_us(&key, UINT64_MAX), 0);
    expect_assert_failure(weir_key_phase_us(&key, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprints_are_those_of_the_reference),
        cmocka_unit_test(the_longest_key_is_hashed_in_full),
        cmocka_unit_test(an_empty_key_needs_no_bytes),
        cmocka_unit_test(alignment_does_not_matter),
        cmocka_unit_test(b61_d04_any_bytes_are_a_key_of_their_own),
        cmocka_unit_test(every_bit_of_secret_and_key_counts),
        cmocka_unit_test(phases_lie_within_the_window_and_spread),
        cmocka_unit_test(a_window_of_one_has_phase_zero_and_a_window_of_zero_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
