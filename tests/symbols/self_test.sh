#!/usr/bin/env bash
# Usage: self_test.sh CHECK_COMMAND...: succeeds if the check fails for both reasons bad_core.c gives it.
set -euo pipefail

if output=$("$@" 2>&1); then
    echo "the check passed a bad archive"
    exit 1
fi
echo "$output"
grep -q '^needs malloc' <<<"$output"
grep -Eq '^floating point|^not x86-64' <<<"$output"
