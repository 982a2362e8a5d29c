#!/usr/bin/env python3
"""The published schema against the reader. Usage: check.py SOURCE_DIR WEIR; exit status 1 if they differ.

scenarios/scenario.schema.json must accept what `weir check` accepts, and refuse what it refuses unless only
a program can see why: tests/schema/beyond.txt lists those cases of tests/bad, BEYOND below their messages.
Held against each other on the scenarios, on tests/schema/good, on tests/bad, and on some thousand mutants.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import jsonschema

from mutants import Mutator, properties_of, resolve, single_changes

RANDOM_MUTANTS = 1500
MUTANTS_MIN = 3000
REFUSED_MIN, ACCEPTED_MIN = 1500, 300  # or the mutations are too tame to tell anything

# What the schema may accept although the reader refuses it.
BEYOND = {
    # names that refer to something
    "a name of nothing": r"found unknown (plan|endpoint|population of keys|region|target) ",
    "no targets": r"allowed: a target only where a targets\.json stands",
    "an index of nothing": r"the index of one of the \d+ faults of this file",
    # arithmetic between values
    "more than there are processes":
        r"(\.first_process|(balance|before|after|regions\[\d+\])\.processes|\.connections|\.(processes|shards)\[\d+\]"
        r"|\.(first|count|by|key|bandwidth_bytes_per_s)): found \d+; allowed: an integer from ",
    "a weight for each process": r"found \d+ weights; allowed: exactly \d+, one per process",
    "after the end": r"\.(from_s|until_s|at_s): found \d\S*; allowed: a number from 0 to ",
    "longer than the run": r"\.for_s: found \d\S*; allowed: (a number above 0 up to |from_s \+ for_s no later than)",
    "at the end": r"\.(at_s|from_s): found \S+; allowed: a time before duration_s",
    "until before from": r"allowed: (from_s before until_s|a time after from_s)",
    "nothing after the end": r"allowed: (an end|all requests back|a restart|the last of \d+ processes back) before duration_s",
    "a lag before the start": r"allowed: no more than from_s: nothing was done before the run",
    "too many periods": r"allowed: at most \d+ of them from the fault's begin to its end",
    "a smear that runs back": r"allowed: a step no longer than the time it is smeared over",
    "wait above timeout": r"allowed: wait_ms \(default: 1\.5\) below ask_timeout_ms",
    "first above longest": r"allowed: first_s \(default: 0\.1\) no longer than longest_s",
    "a herd longer than the window": r"allowed: at most the window of the keys' plan",
    "inexact": r"must stay below 2\^53",
    "too long a log": r"which keeps each of them$",
    "a window of nothing": r"allowed: rate x window of at least 1 unit",
    "rounds to 0": r"found -?\d\S*e-\d+; allowed: a number (above 0 up to|other than 0, from) ",
    "a sum of 0": r"found (shares that sum to|a sum of) 0; allowed: at least one (weight )?above 0",
    "a part of no rate": r"found demand_ratio, a part of the plan's rate, for an unlimited plan",
    "names given twice": r"found a second fault of this id|allowed: a name that no region before has",
    "regions that overlap": r"allowed: regions that share none",
    "nobody on the other side": r"found all \d+ processes; allowed: all but at least one",
    "no number for a copy": r"found no number for the copy of process \d+",
    "two faults of one life": r"found process \d+ down or paused by faults\[\d+\] at the same time",
    "nothing to be faulty": r"allowed: (a (slow link|flip|fault of pushes) only where|a population of at least 2 keys)",
    "min above max": r"allowed: min no larger than max",
    "looser than the target": r"allowed: tighter than the target ",
    "too much in all": r"found (more than|about|\d+) .*(keys in all|requests|clients|polls up to here)",
    # JSON, and how numbers are written in it
    "a key twice": r"this key appears twice in its object",
    "not JSON": r": not JSON: |found bytes that are not UTF-8",
    "nested too deeply": r"nested too deeply",
    "an integer written otherwise": r"found -?\d+(\.0+|\.?\d*e\+\d+); allowed: an integer from ",
    "a number beyond all": r"(integer|number) too large; allowed: ",
    # other files
    "a trace's content": r"^trace\.csv:\d+: (row|header|time_s|key|cost_units): found ",
    "a trace's path": r"\.trace: .*; allowed: a readable file$",
    "targets.json": r"^targets\.json:\d+: ",
    "not a file": r": (is empty|is a folder); allowed: a ",
}


def validator_of(schema):
    """A validator that does not look twice at what it has accepted: mutants share most of what they hold."""
    accepted = set()

    def reference(validator, ref, instance, within):
        seen = (ref, json.dumps(instance))
        if seen in accepted:
            return
        is_good = True
        for error in by_reference(validator, ref, instance, within):
            is_good = False
            yield error
        if is_good:
            accepted.add(seen)

    by_reference = jsonschema.Draft202012Validator.VALIDATORS["$ref"]
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, {"$ref": reference})(schema)


def beyond_name(message):
    for name, pattern in BEYOND.items():
        if re.search(pattern, message):
            return name
    return None


def read_json(path):
    """The document, or None if it is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError):
        return None


def good_files(root):
    others = ("targets.json", ".schema.json", ".claim.json", "claims/report.json")
    files = [path for folder in ("scenarios", "tests/schema/good", "tests/determinism")
             for path in sorted((root / folder).rglob("*.json")) if not path.as_posix().endswith(others)]
    assert len(files) > 12
    return files


def check_good(validator, files):
    for path in files:
        for error in validator.iter_errors(read_json(path)):
            yield f"{path}: {error.json_path}: {error.message}"


def check_bad(validator, root):
    """Each case of tests/bad is refused by the schema or listed, never both."""
    listed, seen, used = {}, set(), set()
    for line in (root / "tests/schema/beyond.txt").read_text(encoding="utf-8").splitlines():
        name, separator, reason = line.partition(":")
        if separator and not line.startswith("#") and reason.strip():
            listed[name] = reason.strip()
    for folder in sorted((root / "tests/bad").iterdir()):
        document = read_json(folder / "scenario.json")
        is_refused = document is not None and not validator.is_valid(document)
        message = (folder / "error").read_text(encoding="utf-8", errors="replace").strip()
        seen.add(folder.name)
        used.add(beyond_name(message))
        if folder.name in listed:
            if is_refused:
                yield f"tests/schema/beyond.txt: {folder.name}: the schema does refuse it: drop it from the list"
            if beyond_name(message) is None:
                yield f"tests/bad/{folder.name}: its message is none of BEYOND: {message}"
        elif not is_refused:
            yield f"tests/bad/{folder.name}: the schema accepts it; refuse it, or list it with a reason"
    for name in sorted(set(listed) - seen):
        yield f"tests/schema/beyond.txt: {name}: no such case in tests/bad"
    for name in sorted(set(BEYOND) - used - {"no targets"}):  # tests/bad has targets above it
        yield f"BEYOND: no case of tests/bad for {name!r}"


def check_documentation(schema, root, good):
    """Keys say what they are, what they default to or that they must be there, and what they look like;
    each is in the manual and in some good file."""
    manual = (root / "docs/SCENARIOS.md").read_text(encoding="utf-8")
    keys, strings = set(), set()

    def collect(value):
        if isinstance(value, dict):
            keys.update(value)
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            collect(item)
        if isinstance(value, str):
            strings.add(value)

    for path in good:
        collect(read_json(path))
    for where, name, sub in properties_of(schema):
        full = resolve(schema, sub)
        for word in ("description", "examples"):
            if word not in full:
                yield f"schema: {where}.{name}: no {word}"
        for key in ("default", "examples"):
            for value in [full[key]] if key == "default" and key in full else full.get(key, []):
                validator = jsonschema.Draft202012Validator({**sub, "$defs": schema["$defs"]})
                for error in validator.iter_errors(value):
                    yield f"schema: {where}.{name}: its own {key} {value!r}: {error.message}"
        if not re.search(rf"`(clock\.)?{re.escape(name)}`", manual):
            yield f"docs/SCENARIOS.md: no `{name}`, which the schema has in {where or 'the top level'}"
        if name not in keys:
            yield f"tests/schema/good: no file has the key {name!r}"
        for value in full.get("enum", []):
            if value not in strings:
                yield f"tests/schema/good: no file has {name} {value!r}"
            if f'"{value}"' not in manual and f"`{value}`" not in manual:
                yield f"docs/SCENARIOS.md: no {value!r}, which the schema allows for {name}"


def reader_errors(weir, folder):
    """What the reader says of each bad mutant, by its number: as it would from within the mutant's folder."""
    run = subprocess.run([weir, "check", "--quiet", "."], cwd=folder, capture_output=True, check=False)
    errors = {}
    for line in run.stdout.decode("utf-8").splitlines():
        found = re.match(r"\./(\d+)/", line)
        if not found:
            raise SystemExit(f"weir check: unexpected: {line}")
        errors[int(found.group(1))] = line.replace(found.group(), "")
    if run.returncode not in (0, 64) or run.stderr:
        raise SystemExit(f"weir check: exit status {run.returncode}: {run.stderr.decode()}")
    return errors


def check_mutants(validator, schema, root, files, weir):
    parents = {path: read_json(path) for path in files}
    mutants = [*(mutant for path, document in parents.items() if path.parent.name == "good"
                 for mutant in single_changes(document, schema)),
               *Mutator([*parents.values()], schema).mutants(RANDOM_MUTANTS)]
    accepted, refused = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(root / "scenarios/targets.json", folder)
        for number, document in enumerate(mutants):
            mutant = folder / f"{number:05}"
            mutant.mkdir()
            (mutant / "scenario.json").write_text(json.dumps(document), encoding="utf-8")
            if "trace.csv" in json.dumps(document):
                shutil.copy(root / "tests/schema/good/trace.csv", mutant)
        errors = reader_errors(weir, folder)
    for number, document in enumerate(mutants):
        message = errors.get(number)
        accepted += message is None
        refused += message is not None
        if message is None and not validator.is_valid(document):
            error = jsonschema.exceptions.best_match(validator.iter_errors(document))
            yield (f"the schema refuses what the reader accepts: {error.json_path}: {error.message[:200]}: "
                   f"{json.dumps(document)[:3000]}")
        if message is not None and beyond_name(message) is None and validator.is_valid(document):
            yield f"the schema accepts what the reader refuses: {message}"
    if len(mutants) < MUTANTS_MIN or accepted < ACCEPTED_MIN or refused < REFUSED_MIN:
        yield f"mutants: {accepted} accepted, {refused} refused: too few to compare"
    print(f"{len(mutants)} mutants of {len(parents)} files: {accepted} accepted, {refused} refused")


def main():
    if len(sys.argv) != 3:
        print("usage: check.py SOURCE_DIR WEIR", file=sys.stderr)
        return 64
    root, weir = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    schema = read_json(root / "scenarios/scenario.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = validator_of(schema)
    files = good_files(root)
    problems = [*check_good(validator, files), *check_bad(validator, root),
                *check_documentation(schema, root, files),
                *check_mutants(validator, schema, root, files, weir)]
    print("\n".join(problems + [f"{len(files)} good files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
