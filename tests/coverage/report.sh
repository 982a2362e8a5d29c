#!/usr/bin/env bash
# Usage: report.sh BUILD_DIR SOURCE_DIR: lines run by the tests so far, per source file, lowest first.
set -euo pipefail

build=$(realpath -- "$1") source=$(realpath -- "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
find "$build/core" "$build/sim" -name '*.gcno' -exec gcov -n {} + 2>/dev/null |
    awk -v root="$source/" '
        /^File / { file = $2; gsub(/\x27/, "", file); ours = index(file, root) == 1 && file ~ /\.c$/ }
        /^Lines executed/ && ours {
            percent = $2; sub(/executed:/, "", percent); sub(/%/, "", percent)
            printf "%6.1f %% of %5d  %s\n", percent, $4, substr(file, length(root) + 1)
            run += percent * $4 / 100; all += $4; ours = 0
        }
        END { if (all) printf "%6.1f %% of %5d  all\n", 100 * run / all, all }' | sort -n
