#!/usr/bin/env python3
"""The figures of several runs as one table. Usage: table.py DIR, where each NAME.json/ in and below DIR
holds result.json, stderr and status ("EXIT_STATUS MICROSECONDS"). Exit status 1 unless every run's was 0."""
import json
import pathlib
import sys

HEADINGS = ("scenario", "verdict", "over %", "under %", "contract %", "asks/s", "req/ask", "p99 us",
            "wall s")


def figures_of(result):
    accuracy, store = result["accuracy"], result["store"]
    return (
        f"{accuracy['over_pct']['max']:.3f}",
        f"{accuracy['under_pct']['max']:.3f}",
        f"{accuracy['contract_over_pct']['max']:.3f}",
        f"{store['asks_per_s']['mean']:.1f}",
        f"{store['requests_per_ask']:.2f}",
        f"{result['latency_us']['p99']:.0f}",
    )


def misses_of(result):
    for entry in result["expectations"]:
        if not entry["pass"]:
            bounds = ", ".join(f"{side} {bound:g}" for side, bound in entry["bound"].items())
            yield f"{entry['path']} is {entry['value']}, allowed: {bounds} {entry['target']}".rstrip()


def read_run(folder, name):
    """The row of one run, and what went wrong with it."""
    status, wall_us = map(int, (folder / "status").read_text().split())
    wall = f"{wall_us / 1e6:.1f}"
    try:
        result = json.loads((folder / "result.json").read_text())
    except (OSError, json.JSONDecodeError):  # it did not get as far as a result
        row = (name, f"exit {status}", *["-"] * 6, wall)
        return row, [f"{name}: exit status {status}: {(folder / 'stderr').read_text().strip()}"]
    problems = [f"{name}: {miss}" for miss in misses_of(result)]
    if status != 0:
        problems.append(f"{name}: exit status {status}: {(folder / 'stderr').read_text().strip()}")
    return (name, result["verdict"], *figures_of(result), wall), problems


def main():
    if len(sys.argv) != 2:
        print("usage: table.py DIR", file=sys.stderr)
        return 64
    rows, problems = [HEADINGS], []
    top = pathlib.Path(sys.argv[1])
    for folder in sorted(status.parent for status in top.rglob("status")):
        row, faults = read_run(folder, folder.relative_to(top).as_posix().removesuffix(".json"))
        rows.append(row)
        problems += faults
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        texts = [text.ljust(width) if column < 2 else text.rjust(width)
                 for column, (text, width) in enumerate(zip(row, widths))]
        print("  ".join(texts).rstrip())
    print("\n".join(["", *problems]) if problems else f"\n{len(rows) - 1} scenarios passed")
    return 1 if problems or len(rows) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
