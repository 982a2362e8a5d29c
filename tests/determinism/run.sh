#!/usr/bin/env bash
# Usage: run.sh WEIR SCENARIO...
# Same scenario and seed, same bytes: builds the simulator with gcc and clang at -O0 and -O2 (WEIR, the program
# that ships, is that of gcc at -O2), runs each
# scenario on both kernels, with and without address space randomisation, and compares result.json.
# Trees are kept in build/determinism and reused.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: ${0##*/} WEIR SCENARIO..." >&2
    exit 64
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/build/determinism
shipped=$(realpath -- "$1")
shift
scenarios=$(realpath -- "$@")

build_tree() { # COMPILER OPTIMISATION
    local tree=$out/$1$2
    mkdir -p "$tree"
    if ! {
        cmake -S "$root" -B "$tree" -G Ninja -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=None \
            -DCMAKE_C_FLAGS="$2" -DWEIR_CORE_OPTIMIZE="$2" -DBUILD_TESTING=OFF &&
            cmake --build "$tree" --target weir
    } >"$tree/build.log" 2>&1; then
        echo "build of $1 $2 failed:"
        tail -n 30 "$tree/build.log"
        exit 1
    fi
}

run_one() { # TREE KERNEL LAYOUT SCENARIO
    local name status=0
    name=$(basename "$4" .json)
    local dir=$out/runs/$name/$1,$2,$3
    local program=$out/$1/sim/weir
    if [ "$1" = shipped ]; then
        program=$shipped
    fi
    local -a command=("$program" run "$4" --kernel "$2" --quiet --out "$dir" --plots none)
    if [ "$3" = aslr_off ]; then
        command=(setarch -R "${command[@]}")
    fi
    mkdir -p "$dir"
    "${command[@]}" >"$dir/stdout" 2>"$dir/stderr" </dev/null || status=$?
    echo "$status" >"$dir/status"
}
export -f run_one
export out shipped

rm -rf "$out/runs"
trees=(shipped)
for compiler in gcc clang; do
    if ! command -v "$compiler" >/dev/null; then
        echo "$compiler is not installed"
        exit 1
    fi
    for level in -O0 -O2; do
        if [ "$compiler$level" = gcc-O2 ]; then
            continue
        fi
        build_tree "$compiler" "$level"
        trees+=("$compiler$level")
    done
done
layouts=(aslr_on)
if setarch -R true 2>/dev/null; then
    layouts+=(aslr_off)
else
    echo "setarch -R is not permitted here: only the default address space layout is run"
fi

while IFS= read -r scenario; do
    for tree in "${trees[@]}"; do
        for kernel in heap simgrid; do
            for layout in "${layouts[@]}"; do
                printf '%s\0' "$tree" "$kernel" "$layout" "$scenario"
            done
        done
    done
done <<<"$scenarios" | xargs -0 -n 4 -P "$(nproc)" bash -c 'run_one "$@"' run_one

python3 "$root/tests/determinism/compare.py" "$out/runs"
