#!/usr/bin/env python3
"""The five limiters of scenarios/five on their one traffic. Usage: five.py WEIR [README]

Runs each, checks that all five see the same requests at the same processes, and prints as a table what
each admits in the phases where they disagree, and its price. With README: that file must hold this very
table. Exit status 1 if anything is amiss."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "scenarios/five"
# what is asked, from when until when in seconds
PHASES = (
    ("steady, 0.8 x the limit: 8,800", 0, 118),
    ("6,000 in 1 s, before a window ends", 236, 238),
    ("6,000 in 1 s, after it ended", 238, 241),
    ("6,000 in 1 s, half a minute later", 268, 270),
    ("3,000 in 1 s, after 91 s of silence", 360, 362),
    ("179 s of 1.5 x the limit: 26,850", 479, 659),
    ("on/off, the first minute: 5,400", 720, 778),
    ("on/off, the second minute: 5,400", 778, 840),
)
OVER_LIMIT_S = range(479, 658)
SHARED = ("seed", "duration_s", "fleet", "store", "keys", "traffic")


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run_all(weir, scenarios, out):
    """Result, timeline and processes of each."""
    for path in scenarios:
        folder = pathlib.Path(out) / path.stem
        run = subprocess.run([weir, "run", path, "--kernel", "heap", "--quiet", "--out", folder,
                              "--plots", "none"], check=False)
        if run.returncode != 0:
            raise SystemExit(f"{path.name}: exit status {run.returncode}")
        yield (json.loads((folder / "result.json").read_text(encoding="utf-8")),
               {int(row["time_s"]): row for row in read_table(folder / "timeline.csv")},
               read_table(folder / "processes.csv"))


def differences(scenarios, runs):
    """Where the others' requests are not those of the first."""
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in scenarios]
    for path, document, (result, _, processes) in zip(scenarios, documents, runs):
        for key in SHARED:
            if document[key] != documents[0][key]:
                yield f"{path.name}: {key} is not that of {scenarios[0].name}"
        if result["units"]["demand"] != runs[0][0]["units"]["demand"]:
            yield f"{path.name}: {result['units']['demand']} units are asked for"
        if [row["demand_units"] for row in processes] != [row["demand_units"] for row in runs[0][2]]:
            yield f"{path.name}: the processes are asked for other units"


def admitted_units(timeline, from_s, until_s):
    return sum(int(timeline[second]["admitted_units_per_s"]) for second in range(from_s, until_s))


def rows_of(scenarios, runs):
    results, timelines = [run[0] for run in runs], [run[1] for run in runs]
    yield ("units admitted of", *(path.stem[2:].replace("-", " ") for path in scenarios))
    yield ("---", *["--:"] * len(runs))
    for name, from_s, until_s in PHASES:
        yield (name, *(f"{admitted_units(line, from_s, until_s):,}" for line in timelines))
    yield ("**all 67,450**", *(f"**{result['units']['admitted']:,}**" for result in results))
    yield ("seconds of those 179 that admit nobody",
           *(str(sum(line[second]["admitted_units_per_s"] == "0" for second in OVER_LIMIT_S))
             for line in timelines))
    yield ("asks of the store", *(f"{result['store']['asks']:,}" for result in results))
    yield ("in the busiest second", *(f"{result['store']['asks_per_s']['max_1s']:,.0f}" for result in results))
    yield ("admitted requests that waited for it",
           *(f"{result['latency_us']['waited_pct']:.0f} %" for result in results))
    for name, key in (("microseconds added to them, p50", "p50"), ("the longest", "max")):
        yield (name, *(f"{result['latency_us'][key]:.0f}" for result in results))


def main():
    if len(sys.argv) not in (2, 3):
        print("usage: five.py WEIR [README]", file=sys.stderr)
        return 64
    scenarios = sorted(FOLDER.glob("*.json"))
    with tempfile.TemporaryDirectory() as out:
        runs = list(run_all(pathlib.Path(sys.argv[1]).resolve(), scenarios, out))
    problems = list(differences(scenarios, runs))
    if len(scenarios) != 5:
        problems.append(f"{FOLDER}: {len(scenarios)} scenarios")
    for result, timeline, _ in runs:
        counted = sum(admitted_units(timeline, from_s, until_s) for _, from_s, until_s in PHASES)
        if counted != result["units"]["admitted"]:
            problems.append(f"{result['scenario']}: the phases hold {counted} of its units")
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows_of(scenarios, runs))
    print(table, end="")
    if len(sys.argv) == 3 and table not in pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"):
        problems.append(f"{sys.argv[2]}: does not hold this table")
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
