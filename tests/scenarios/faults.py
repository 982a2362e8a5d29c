#!/usr/bin/env python3
"""The failure-injection suite: every scenario of scenarios/faults, on both kernels.

Prints a table: what broke, how often it struck, what it changed, and how the limiter did. Exit status 1
if a scenario misses what it expects, or if the two kernels differ by a single byte of the result."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "scenarios/faults"
VERDICTS = {0: "pass", 1: "FAIL", 2: "INCONCLUSIVE", 3: "NOT RECOVERED", 4: "NOT DETERMINISTIC"}
UNPROTECTED = ("without-", "policy-")  # what they lack may be what a recovery takes
COLUMNS = ("scenario", "fault", "fired", "changed", "over %", "under %", "answered %", "p99 ms",
           "recovery s", "verdict")


def run(weir, path, kernel):
    """Exit status and result; None if the scenario could not be run."""
    done = subprocess.run([weir, "run", path, "--kernel", kernel, "--json"], check=False,
                          capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout), done.stderr
    except json.JSONDecodeError:
        return done.returncode, None, done.stderr


def is_contended(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    return any(name.startswith("bandwidth") for name in document.get("store", {}))


def same(one, other):
    """The two results but for the name of the kernel."""
    return all(one[name] == other[name] for name in one if name not in ("kernel", "replay"))


def row(path, status, result, verdict):
    if result is None:
        return (path.stem, "", "", "", "", "", "", "", "", verdict)
    faults = result.get("faults", [])
    recovery = result.get("liveness", {}).get("recovery_s")
    kinds = list(dict.fromkeys(fault["kind"] for fault in faults))
    return (path.stem,
            kinds[0] + f" + {len(kinds) - 1} more" if len(kinds) > 2 else " + ".join(kinds),
            f"{sum(fault['fired_count'] for fault in faults):,}",
            f"{sum(fault['changed_count'] for fault in faults):,}",
            f"{result['accuracy']['over_pct']['max']:.3f}",
            f"{result['accuracy']['under_pct']['max']:.3f}",
            f"{result['availability']['answered_pct']:.3f}",
            f"{result['latency_us']['p99'] / 1000:.2f}",
            "" if recovery is None else f"{recovery:.1f}",
            verdict)


def failures(result):
    for entry in result.get("expectations", []) if result else []:
        if not entry["pass"]:
            yield f"    {entry['path']} is {entry['value']}, allowed {entry['bound']}"


def judge(weir, path):
    """One scenario: its row of the table, and what is wrong with it."""
    status, result, error = run(weir, path, "simgrid")
    verdict = VERDICTS.get(status, f"exit {status}")
    complaints = []
    if status == 3 and path.stem.startswith(UNPROTECTED) and not list(failures(result)):
        verdict = "as bad as expected"
    elif status != 0:
        complaints.append(f"{path.stem}: {verdict}; weir run {path.relative_to(FOLDER.parents[1])}")
        complaints.extend(failures(result))
        complaints.extend(f"    {line}" for line in error.splitlines()[:5])
    if status in (0, 3) and not complaints and not is_contended(path):
        other_status, other, _ = run(weir, path, "heap")
        if other_status != status or not same(result, other):
            verdict = "KERNELS DIFFER"
            complaints.append(f"{path.stem}: simgrid and heap give different results")
    return row(path, status, result, verdict), complaints


def table_of(rows):
    widths = [max(len(row[i]) for row in [COLUMNS, *rows]) for i in range(len(COLUMNS))]
    for line in [COLUMNS, *rows]:
        cells = [cell.ljust(width) if i in (0, 1, len(COLUMNS) - 1) else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(line, widths))]
        yield "  ".join(cells).rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weir", help="the program")
    parser.add_argument("--table", type=pathlib.Path, help="write the table into this file, too")
    parser.add_argument("words", nargs="*", metavar="NAME", help="only scenarios with this in their name")
    options = parser.parse_args()
    words = options.words
    paths = [path for path in sorted(FOLDER.glob("*.json"))
             if not words or any(word in path.stem for word in words)]
    if not paths:
        raise SystemExit(f"no scenario in {FOLDER} has {' or '.join(words)} in its name")
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = []
        for number, outcome in enumerate(pool.map(lambda path: judge(options.weir, path), paths), 1):
            judged.append(outcome)
            if sys.stderr.isatty():
                print(f"\r{number} of {len(paths)} scenarios", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    complaints = [line for outcome in judged for line in outcome[1]]
    lines = [*table_of([outcome[0] for outcome in judged]), "",
             f"{len(paths)} scenarios in {time.monotonic() - begin:.0f} s, "
             f"{sum(bool(outcome[1]) for outcome in judged)} not as expected", *complaints]
    print("\n".join(lines))
    if options.table:
        options.table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
