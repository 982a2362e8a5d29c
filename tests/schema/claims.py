#!/usr/bin/env python3
"""Claims against their published schema. Usage: claims.py SOURCE_DIR; exit status 1 if one does not fit.

Each scenarios/claims/*.claim.json must be valid, and no longer be once any of its keys has a stray letter. That weir reads them all
is for weir report --check to say."""
import copy
import json
import pathlib
import sys

import jsonschema

FREE = ("runs", "measures", "when")  # whose keys are names


def misspelt(node, whole, is_free=False):
    """Copies of the whole with one key misspelt."""
    if isinstance(node, list):
        for item in node:
            yield from misspelt(item, whole)
    elif isinstance(node, dict):
        for key in list(node):
            if not is_free:
                node["x" + key] = node.pop(key)
                yield copy.deepcopy(whole)
                node[key] = node.pop("x" + key)
            yield from misspelt(node[key], whole, key in FREE)


def main():
    folder = pathlib.Path(sys.argv[1]) / "scenarios/claims"
    schema = json.loads((folder / "claim.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    files = sorted(folder.glob("*.claim.json"))
    problems = [] if files else ["no claims"]
    mutant_count = 0
    for file in files:
        claim = json.loads(file.read_text())
        problems += [f"{file}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(claim)]
        for mutant in misspelt(claim, claim):
            mutant_count += 1
            if validator.is_valid(mutant):
                problems.append(f"{file}: valid although a key is misspelt: {json.dumps(mutant)[:300]}")
    print("\n".join(problems))
    print(f"{len(files)} claims, {mutant_count} misspelt ones, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
