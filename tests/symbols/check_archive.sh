#!/usr/bin/env bash
# Usage: check_archive.sh NM OBJDUMP ALLOWED ARCHIVE
# Refuses an archive that needs a symbol outside itself and the list, or (x86-64) computes in floating point.
set -euo pipefail
export LC_ALL=C

nm=$1 objdump=$2 allowed=$3 archive=$4
status=0

defined=$("$nm" --defined-only --extern-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u)
undefined=$("$nm" --undefined-only "$archive" | awk 'NF == 2 { print $2 }' | sort -u)
# _GLOBAL_OFFSET_TABLE_ is made by the linker, not by a library.
foreign=$(comm -23 <(echo "$undefined") \
    <({ echo "$defined"; echo _GLOBAL_OFFSET_TABLE_; grep -v '^#' "$allowed"; } | sort -u))
for symbol in $foreign; do
    users=$("$nm" --undefined-only --print-file-name "$archive" |
        awk -v symbol="$symbol" '$NF == symbol { sub(/:$/, "", $1); print $1 }' | sort -u)
    printf 'needs %s, which is not in %s: %s\n' "$symbol" "${allowed##*/}" "${users//$'\n'/ }"
    status=1
done

case $("$objdump" -f "$archive") in
*elf64-x86-64*)
    # Moves and shuffles through xmm registers copy memory and are fine; arithmetic, conversion and
    # comparison of floating point numbers are not, nor is the x87 unit.
    "$objdump" -d --no-show-raw-insn "$archive" | awk -F'\t' '
        / file format / { member = $0; sub(/:.*/, "", member) }
        /^[0-9a-f]+ <.*>:$/ { function_name = $0; sub(/^[0-9a-f]+ /, "", function_name) }
        {
            split($2, word, " ")
            if (word[1] ~ /^v?(add|sub|mul|div|sqrt|min|max|rcp|rsqrt|round|dp|hadd|hsub)[sp][sd]$/ ||
                word[1] ~ /^v?(cvt|u?comis[sd]|cmp[a-z]*[sp][sd]$|fn?m(add|sub))/ ||
                word[1] ~ /^f(i?ld|i?st|i?add|i?sub|i?mul|i?div|i?u?com|abs|chs|sqrt|xch|rndint)/) {
                print "floating point in " member " " function_name " " $2
                found = 1
            }
        }
        END { exit found }' || status=1
    ;;
*)
    echo "not x86-64: instructions not checked"
    ;;
esac
exit "$status"
