/* Every status code has a text of its own. */
#include "unit.h"

#include <string.h>

#include "weir/status.h"

#define LAST_STATUS ((int)WEIR_ERR_UNEXPECTED)

static void codes_are_negative_and_without_gaps(void **state)
{
    (void)state;
    assert_int_equal(WEIR_OK, 0);
    assert_int_equal(LAST_STATUS, -10);
}

static void every_code_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int code = 0; code >= LAST_STATUS; code--) {
        const char *text = weir_status_text((enum weir_status)code);
        assert_non_null(text);
        assert_true(strlen(text) > 0);
        assert_string_not_equal(text, "unknown status");
        for (int other = 0; other > code; other--) {
            assert_string_not_equal(text, weir_status_text((enum weir_status)other));
        }
    }
}

static void texts_are_short_and_have_no_full_stop(void **state)
{
    (void)state;
    for (int code = 0; code >= LAST_STATUS; code--) {
        const char *text = weir_status_text((enum weir_status)code);
        assert_in_range(strlen(text), 1, 79);
        assert_int_not_equal(text[strlen(text) - 1], '.');
    }
}

static void a_code_nobody_defined_is_unknown(void **state)
{
    (void)state;
    assert_string_equal(weir_status_text((enum weir_status)1), "unknown status");
    assert_string_equal(weir_status_text((enum weir_status)(LAST_STATUS - 1)), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_negative_and_without_gaps),
        cmocka_unit_test(every_code_has_a_text_of_its_own),
        cmocka_unit_test(texts_are_short_and_have_no_full_stop),
        cmocka_unit_test(a_code_nobody_defined_is_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
