#!/usr/bin/env python3
"""The tidy rules against bad examples: each must be refused for the reason given, good code passed."""
import unittest

import tidy

HEADER = "/* Doc. */\n#ifndef WEIR_X_H\n#define WEIR_X_H\nint weir_x;\n#endif\n"
LONG_FUNCTION = "int f(int a,\n      int b)\n{\n" + "    a++;\n" * 67 + "}\n"
BAD_FILES = (  # path, text, expected message
    ("core/x.c", "int a;" + " " * 90 + "/* wide */\n", "106 columns"),
    ("core/x.c", "\tint a;\n", "tab"),
    ("core/x.c", "int a; \n", "white space"),
    ("core/x.c", "int a;", "no newline"),
    ("core/x.c", "/* FIXME */\n", "FIXME"),
    ("core/x.c", "/* TODO */\n", "TODO without"),
    ("core/x.c", "int a;\n" * 500, "500 lines"),
    ("core/x.c", LONG_FUNCTION, "function of 71 lines"),
    ("core/x.c", "void *p = malloc(3);\n", "`malloc`"),
    ("core/x.c", "free (p);\n", "`free (`"),
    ("faults/x.c", 'snprintf(a, 3, "x");\n', "`snprintf`"),
    ("core/x.c", "now = time(NULL);\n", "`time(`"),
    ("core/x.c", "now = rand();\n", "`rand(`"),
    ("core/x.c", "if (errno == 3) {\n", "`errno`"),
    ("core/x.h", HEADER.replace("int weir_x", "double weir_x"), "`double`"),
    ("core/x.c", "static float x;\n", "`float`"),
    ("core/x.h", "int x;\n", "no include guard"),
    ("core/y.h", HEADER, "not named after the file"),
    ("core/x.h", HEADER + "int y;\n", "code after"),
    ("core/time.h", HEADER.replace("WEIR_X_H", "WEIR_TIME_H"), "C library header"),
)
GOOD_FILES = (
    ("core/x.h", HEADER),
    ("core/include/weir/time.h", HEADER.replace("WEIR_X_H", "WEIR_TIME_H")),
    ("core/x.c", "/* double counting, malloc, time(x) */\n"),
    ("core/x.c", 'const char *x = "float // \\" rand()";\n'),
    ("core/x.c", "uint64_t weir_time(void);\nvoid weir_x_free(void);\n"),
    ("core/x.c", "/* TODO: merge with take, once windows are stored there too */\n"),
    ("core/x.c", LONG_FUNCTION.replace("    a++;\n", "", 1)),
    ("sim/x.c", "double x = 1.0;\nvoid *p = malloc(3);\n"),
)
GOOD_TREE = {
    "core/CMakeLists.txt": "add_library(weir_core STATIC\n    x.c\n)\n",
    "core/x.c": '#include "x.h"\n',
    "core/x.h": HEADER,
    "tests/CMakeLists.txt": "set(core_tests\n    x\n)\n",
    "tests/core/test_x.c": '#include "x.h"\n',
    "tests/tidy/untested.txt": "# none\n",
}
BAD_TREES = (  # changes to GOOD_TREE, expected message
    ({"core/CMakeLists.txt": "# x.c\n"}, "not in the CMakeLists.txt"),
    ({"tests/CMakeLists.txt": "\n"}, "not in the CMakeLists.txt"),
    ({"tests/core/test_x.c": None}, "no tests/"),
    ({"core/y.h": HEADER}, "nobody includes"),
    ({"core/include/weir/x.h": HEADER}, "same name"),
    ({"tests/tidy/untested.txt": "core/y.c: gone\n"}, "does not exist"),
    ({"tests/tidy/untested.txt": "core/x.c: program\n"}, "has a test of its own"),
)


class Tidy(unittest.TestCase):
    def test_bad_files_are_refused(self):
        for path, text, expected in BAD_FILES:
            with self.subTest(expected=expected):
                messages = [message for _, message in tidy.check_file(path, text)]
                self.assertTrue(any(expected in message for message in messages), messages)

    def test_good_files_pass(self):
        for path, text in GOOD_FILES:
            with self.subTest(text=text):
                self.assertEqual(list(tidy.check_file(path, text)), [])

    def test_good_tree_passes(self):
        self.assertEqual(list(tidy.check_tree(GOOD_TREE)), [])

    def test_untested_file_passes_with_a_reason(self):
        tree = dict(GOOD_TREE, **{"tests/tidy/untested.txt": "core/x.c: a program\n"})
        del tree["tests/core/test_x.c"]
        self.assertEqual(list(tidy.check_tree(tree)), [])

    def test_family_is_tested_by_one_file(self):
        for path, expected in (("sim/scenario_plan.c", True), ("sim/scenarios.c", False)):
            with self.subTest(path=path):
                self.assertEqual(tidy.is_tested(path, ["tests/sim/test_scenario.c"]), expected)

    def test_bad_trees_are_refused(self):
        for changes, expected in BAD_TREES:
            with self.subTest(expected=expected):
                tree = {k: v for k, v in dict(GOOD_TREE, **changes).items() if v is not None}
                messages = [message for _, message in tidy.check_tree(tree)]
                self.assertTrue(any(expected in message for message in messages), messages)


if __name__ == "__main__":
    unittest.main()
