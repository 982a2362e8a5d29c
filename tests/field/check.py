#!/usr/bin/env python3
"""docs/FIELD-FAULTS.md against the tests it names, and the tests named after faults against it."""
import pathlib
import re
import sys

ROW = re.compile(r"^\| ([BD]\d\d) \|.*\| ([^|]*) \|$", re.MULTILINE)
TEST = re.compile(r"^static void (\w+)\(void \*\*", re.MULTILINE)
NAMED = re.compile(r"^(?:[bd]\d\d_)+")


def named_tests(root):
    """Path below tests, and name, of each."""
    for path in sorted(root.glob("tests/*/test_*.c")):
        for name in TEST.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root / 'tests')}:{name}"


def ids_of(test):
    prefix = NAMED.match(test.split(":")[1])
    return {fault.upper() for fault in re.findall(r"[bd]\d\d", prefix.group())} if prefix else set()


def complaints(page, tests, has_file):
    """What is wrong with the page; has_file says whether a path exists."""
    rows = ROW.findall(page)
    cited = {}
    for fault, cell in rows:
        names = re.findall(r"`([^`]+)`", cell)
        if not names:
            yield f"{fault} names no test"
        if fault in cited:
            yield f"{fault} is there twice"
        cited[fault] = set(names)
        for name in names:
            if (":" in name and name not in tests) or (":" not in name and not has_file(name)):
                yield f"{fault}: there is no {name}"
    for test in tests:
        for fault in sorted(ids_of(test)):
            if test not in cited.get(fault, ()):
                yield f"{test} is not named for {fault}"


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/FIELD-FAULTS.md").read_text(encoding="utf-8")
    found = list(complaints(page, set(named_tests(root)), lambda name: (root / name).exists()))
    # and what is wrong must be seen
    bad = "| B01 | x | y | `core/test_x.c:b01_gone` |\n| B02 | x | y | `gone.json` |\n| B03 | x | y |  |\n"
    seen = list(complaints(bad, {"core/test_x.c:b01_b04_here"}, lambda _: False))
    if len(seen) != 5:
        found.append(f"of 5 mistakes only these are seen: {seen}")
    for line in sorted(found):
        print(f"docs/FIELD-FAULTS.md: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
