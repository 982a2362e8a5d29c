#!/usr/bin/env bash
# Usage: run.sh WEIR [SCENARIO...]
# Runs each scenario (default: all in and below scenarios/, but those of faults/, which faults.py runs, and claims/) on
# the heap kernel, two at a time, and prints one line of figures for each. Exit status 0 only if every one of them met all its expectations.
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "usage: ${0##*/} WEIR [SCENARIO...]" >&2
    exit 64
fi
weir=$(realpath -- "$1")
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
all=$(cd "$here/../../scenarios" && pwd)
if [ $# -eq 0 ]; then
    mapfile -d '' -t files < <(find "$all" \( -path "$all/faults" -o -path "$all/claims" \) -prune -o \
        -name '*.json' ! -name targets.json ! -name '*.schema.json' -print0 | sort -z)
    set -- "${files[@]}"
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export weir out all

run_one() { # SCENARIO
    local dir begin=$EPOCHREALTIME end status=0
    case $1 in
    "$all"/*) dir=$out/${1#"$all"/} ;;
    *) dir=$out/${1##*/} ;;
    esac
    mkdir -p "$dir"
    "$weir" run "$1" --kernel heap --quiet --out "$dir" --plots none 2>"$dir/stderr" </dev/null ||
        status=$?
    end=$EPOCHREALTIME
    # microseconds: the decimal separator depends on the locale
    echo "$status $((${end/[^0-9]/} - ${begin/[^0-9]/}))" >"$dir/status"
}
export -f run_one

# shellcheck disable=SC2016 # expanded by that bash
printf '%s\0' "$@" | xargs -0 -n 1 -P 2 bash -c 'run_one "$1"' run_one
python3 "$here/table.py" "$out"
