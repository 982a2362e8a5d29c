/* Words that are printed for a shell are what the shell reads. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell_word.h"

static void a_shell_reads_back_what_was_printed(void **state)
{
    (void)state;
    static const char *const words[] = {"plain", "a=1", "",      "two words",
                                        "it's",  "'",   "$HOME", "limiter={\"sizer\":\"fixed\"}",
                                        "a\\b",  "*",   "-n"};
    char read[200];

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        FILE *script = fopen("test_shell_word.tmp", "w");
        assert_non_null(script);
        fprintf(script, "printf %%s");
        sim_shell_word_print(script, words[i]);
        assert_int_equal(fclose(script), 0);
        FILE *shell = popen("sh ./test_shell_word.tmp", "r");
        assert_non_null(shell);
        read[fread(read, 1, sizeof read - 1, shell)] = '\0';
        assert_int_equal(pclose(shell), 0);
        assert_string_equal(read, words[i]);
    }
    assert_int_equal(remove("test_shell_word.tmp"), 0);
}

static void plain_words_are_not_quoted(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    sim_shell_word_print(file, "fleet.processes=20");
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, " fleet.processes=20");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shell_reads_back_what_was_printed),
        cmocka_unit_test(plain_words_are_not_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
