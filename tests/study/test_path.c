/* Paths without steps up and down again. */
#include "unit.h"

#include <stdlib.h>

#include "path.h"

static void steps_that_undo_each_other_are_left_out(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"scenarios/claims/A1.claim.json", "steady.json", "scenarios/claims/steady.json"},
        {"scenarios/claims/A1.claim.json", "../faults/x.json", "scenarios/faults/x.json"},
        {"scenarios/claims/A1.claim.json", "../../bench/x.md", "bench/x.md"},
        {"A1.claim.json", "../x.json", "../x.json"},
        {"../claims/A1.claim.json", "../../x.json", "../../x.json"},
        {"a/A1.claim.json", "./x//y.json", "a/x/y.json"},
        {"/a/b.json", "../x.json", "/x.json"},
        {"a/b.json", "/c/../d.json", "/d.json"},
        {"", "a/./b.json", "a/b.json"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = study_path_beside(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_undo_each_other_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
