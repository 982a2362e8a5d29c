#!/usr/bin/env bash
# Usage: same_archive.sh ARCHIVE COMPILE_COMMANDS RECORD...
# The core is compiled once, and every program recorded at link time the digest of this very archive.
set -euo pipefail

archive=$1 commands=$2
shift 2
status=0

twice=$(sed -n 's/.*"file": "\(.*\/core\/[^/]*\.c\)".*/\1/p' "$commands" |
    grep -v '/tests/core/' | sort | uniq -d)
if [ -n "$twice" ]; then
    printf 'compiled more than once:\n%s\n' "$twice"
    status=1
fi
digest=$(sha256sum <"$archive")
for record in "$@"; do
    read -r linked _ <"$record"
    if [ "$linked" != "${digest%% *}" ]; then
        echo "linked with another core: ${record%.core.sha256}"
        status=1
    fi
done
echo "$# programs, core ${digest:0:16}"
exit "$status"
