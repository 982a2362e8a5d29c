#!/usr/bin/env python3
"""Compare result.json of all runs of each scenario byte by byte, after removing the kernel's name.

Usage: compare.py RUNS_DIR, laid out as RUNS_DIR/scenario/variant/{result.json,status,stderr}.
"""
import hashlib
import json
import pathlib
import re
import sys

KERNEL_FIELD = re.compile(rb'"kernel"\s*:\s*"(?:heap|simgrid)"\s*,?\s*')
STATUS_RECOVERY = 3  # 0 to 3 are verdicts about the scenario; above, the run itself went wrong


def read_run(folder):
    """Returns (bytes without the kernel's name, problem or None)."""
    status = int((folder / "status").read_text())
    result = folder / "result.json"
    if status > STATUS_RECOVERY or not result.is_file():
        lines = (folder / "stderr").read_text(errors="replace").strip().splitlines()
        return b"", f"exit status {status}: {lines[-1] if lines else 'no result.json'}"
    text, count = KERNEL_FIELD.subn(b"", result.read_bytes())  # and once more, for a replay
    if count == 0:
        return b"", "result.json does not name the kernel"
    return text + b"exit status %d\n" % status, None


def first_difference(reference, other):
    """Where two runs part: the simulated second if the ladders tell, else the line."""
    ladders = []
    for text in (reference, other):
        ladders.append(json.loads(text[: text.rindex(b"exit status")]).get("trace_ladder") or [])
    for second, pair in enumerate(zip(*ladders)):
        if pair[0] != pair[1]:
            return f"trace_ladder differs first at second {second}: {pair[0]} and {pair[1]}"
    if len(ladders[0]) != len(ladders[1]):
        return f"trace_ladder has {len(ladders[0])} and {len(ladders[1])} seconds"
    pairs = zip(reference.splitlines(), other.splitlines())
    for number, (left, right) in enumerate(pairs, 1):
        if left != right:
            at = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), 0)
            window = slice(max(0, at - 40), at + 40)
            return (f"same ladder; line {number} differs: "
                    f"{left[window].decode()!r} and {right[window].decode()!r}")
    return "same ladder; one result is longer"


def compare_scenario(folder):
    """Prints one line per variant; returns the number of variants that differ or failed."""
    reference = None
    bad_count = 0
    print(f"{folder.name}")
    for variant in sorted(path for path in folder.iterdir() if path.is_dir()):
        text, problem = read_run(variant)
        if problem is None and reference is None:
            reference = text
        if problem is None and text != reference:
            problem = first_difference(reference, text)
        bad_count += problem is not None
        compiler, kernel, layout = variant.name.split(",")
        digest = hashlib.sha256(text).hexdigest()[:16] if text else "-" * 16
        print(f"  {compiler:10} {kernel:8} {layout:9} {digest}  {problem or 'same'}")
    return bad_count


def main():
    folders = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir())
    bad_count = sum(compare_scenario(folder) for folder in folders)
    print("determinism: " + (f"BROKEN in {bad_count} runs" if bad_count else "holds"))
    return 1 if bad_count or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
