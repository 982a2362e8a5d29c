#!/usr/bin/env python3
"""House rules that no compiler checks. Usage: tidy.py SOURCE_DIR; exit status 1 if a rule is broken.

Only names and shapes are looked at: comments and strings are blanked before code rules apply.
"""
import pathlib
import re
import sys

FOLDERS = ("core", "faults", "adapters", "sim", "tests", "bench")
EXAMPLES = "tests/symbols/bad_core.c"  # breaks the rules on purpose
COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 500

PURE_FOLDERS = ("core", "faults")
BANNED = (
    (r"\b(?:m|c|re)alloc\b", "allocates: the caller owns all memory"),
    (r"\bfree\s*\(", "allocates: the caller owns all memory"),
    (r"\b\w*printf\b", "does I/O"),
    (r"\btime\s*\(", "reads a clock: now_ns is a parameter"),
    (r"\bs?rand\s*\(", "has hidden state: pass a stream"),
    (r"\berrno\b", "is hidden state: return a status"),
    (r"\bdouble\b", "is floating point: count in integers"),
    (r"\bfloat\b", "is floating point: count in integers"),
)
C_LIBRARY = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign"
    " stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time"
    " uchar wchar wctype unistd sched poll".split()
)
LEXEME = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)


def blank(text):
    """The text with comments and literals replaced by spaces; line numbers stay."""
    return LEXEME.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def check_lines(text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}"
        if "\t" in line:
            yield number, "tab"
        if line != line.rstrip():
            yield number, "white space at the end of the line"
        if "FIXME" in line:
            yield number, "FIXME: fix it, or say in a TODO why not yet"
        todo = re.search(r"\bTODO\b(.*)", line)
        if todo and not re.match(r":\s*\S+\s+\S+", todo.group(1)):
            yield number, "TODO without a reason: write `TODO: what, and why not now`"
    line_count = text.count("\n")
    if line_count >= FILE_LINES_MAX:
        yield line_count, f"{line_count} lines, less than {FILE_LINES_MAX} please"
    if not text.endswith("\n"):
        yield line_count + 1, "no newline at the end of the file"


def check_functions(text):
    """A function opens with { in column 1 (Linux braces) and closes with } in column 1."""
    lines = blank(text).split("\n")
    begin = None
    for index, line in enumerate(lines):
        if line.rstrip() == "{":
            begin = index
            while begin > 0 and re.match(r"[\w\s*(),\[\].]+$", lines[begin - 1]):
                if not lines[begin - 1].strip():
                    break
                begin -= 1
        elif line.rstrip() == "}" and begin is not None:
            count = index - begin + 1
            if count > FUNCTION_LINES_MAX:
                yield begin + 1, f"function of {count} lines, at most {FUNCTION_LINES_MAX}"
            begin = None


def check_guard(path, text):
    stem = re.sub(r"\W", "_", pathlib.PurePath(path).stem).upper()
    code = [line for line in blank(text).split("\n") if line.strip()]
    first = re.match(r"#ifndef (\w+_H)\s*$", code[0]) if code else None
    if not first or len(code) < 3 or code[1].split() != ["#define", first.group(1)]:
        yield 1, "no include guard: #ifndef X_H, #define X_H first"
        return
    if not first.group(1).endswith(stem + "_H"):
        yield 1, f"include guard {first.group(1)} is not named after the file"
    if code[-1].strip() != "#endif":
        yield text.count("\n"), "code after the include guard ends"
    # Headers included as "weir/assert.h" cannot capture <assert.h>.
    if pathlib.PurePath(path).stem in C_LIBRARY and "/include/weir/" not in path:
        yield 1, "the name of a C library header"


def check_banned(text):
    for number, line in enumerate(blank(text).split("\n"), 1):
        if re.match(r"\s*#\s*include", line):
            continue
        for pattern, reason in BANNED:
            found = re.search(pattern, line)
            if found:
                yield number, f"`{found.group().strip()}` {reason}"


def check_file(path, text):
    """All rules that need one file only. Yields (line, message)."""
    yield from check_lines(text)
    yield from check_functions(text)
    if path.endswith(".h"):
        yield from check_guard(path, text)
    if path.split("/")[0] in PURE_FOLDERS:
        yield from check_banned(text)


def read_exceptions(text):
    """Lines of `path: reason`; # starts a comment."""
    exceptions = {}
    for line in text.split("\n"):
        path, separator, reason = line.partition(":")
        if separator and not line.startswith("#") and reason.strip():
            exceptions[path.strip()] = reason.strip()
    return exceptions


def is_tested(path, files):
    """take.c by test_take.c or test_take_replay.c; scenario_plan.c also by test_scenario.c."""
    folder, stem = pathlib.PurePath(path).parent.name, pathlib.PurePath(path).stem + "_"
    for other in files:
        test = re.match(rf"tests/{folder}/test_(\w+)\.c$", other)
        if test and (stem.startswith(test.group(1) + "_") or test.group(1).startswith(stem)):
            return True
    return False


def is_listed(path, files):
    """In the CMakeLists.txt of its own folder or of one above; tests may be listed by bare name."""
    name = pathlib.PurePath(path).name
    words = {name, re.sub(r"^test_(.*)\.c$", r"\1", name)}
    for parent in pathlib.PurePath(path).parents:
        text = files.get(f"{parent}/CMakeLists.txt")
        if text is not None:
            found = re.split(r"[\s()]+", re.sub(r"#.*", "", text))
            return any(word.split("/")[-1] in words for word in found)
    return False


def check_tree(files):
    """Rules between files; `files` maps path to text. Yields (path, message)."""
    exceptions = read_exceptions(files.get("tests/tidy/untested.txt", ""))
    included = set()
    for path, text in files.items():
        for name in re.findall(r'#\s*include\s*[<"]([^>"]+)[>"]', text):
            if pathlib.PurePath(name).name != pathlib.PurePath(path).name:
                included.add(pathlib.PurePath(name).name)
    headers = {}
    for path in sorted(files):
        name = pathlib.PurePath(path).name
        if path.endswith(".h"):
            if name in headers:
                yield path, f"same name as {headers[name]}"
            headers[name] = path
            if name not in included:
                yield path, "nobody includes it"
        if path.endswith(".c"):
            if not is_listed(path, files):
                yield path, "not in the CMakeLists.txt of its folder"
            is_part = not path.startswith(("tests/", "bench/"))
            if is_part and path not in exceptions and not is_tested(path, files):
                yield path, "no tests/*/test_*.c, and not in tests/tidy/untested.txt"
    for path in exceptions:
        if path not in files:
            yield "tests/tidy/untested.txt", f"{path} does not exist"
        elif is_tested(path, files):
            yield "tests/tidy/untested.txt", f"{path} has a test of its own now"


def read_tree(root):
    wanted = re.compile(r"(\.[ch]|/CMakeLists\.txt|/untested\.txt)$")
    files = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_file() and wanted.search(name):
                files[name] = path.read_text(encoding="utf-8")
    return files


def main():
    if len(sys.argv) != 2:
        print("usage: tidy.py SOURCE_DIR", file=sys.stderr)
        return 64
    files = read_tree(pathlib.Path(sys.argv[1]))
    problems = [f"{path}: {message}" for path, message in check_tree(files)]
    for path, text in files.items():
        if path.endswith((".c", ".h")) and path != EXAMPLES:
            problems += [f"{path}:{line}: {message}" for line, message in check_file(path, text)]
    print("\n".join(problems + [f"{len(files)} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
