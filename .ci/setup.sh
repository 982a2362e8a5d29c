# shellcheck shell=bash disable=SC2034
# Sourced by ./run, ./test: packages, quiet builds. Not a program. Everything said goes to standard error.

run_packages=(build-essential cmake ninja-build pkg-config libsimgrid-dev libjansson-dev gnuplot-nox
    fonts-dejavu-core)
test_packages=(clang libcmocka-dev python3 python3-jsonschema binutils util-linux parallel)

say() {
    printf '%s\n' "$@" >&2
}

# Is what the package is for here already, from whatever source?
is_present() { # PACKAGE
    case $1 in
    build-essential) command -v cc && command -v ar && echo '#include <stdio.h>' | cc -E - ;;
    cmake) [ "$(printf '%s\n' 3.25 "$(cmake --version | awk 'NR == 1 { print $3 }')" |
        sort -V | head -n 1)" = 3.25 ] ;;
    ninja-build) command -v ninja ;;
    pkg-config) command -v pkg-config ;;
    libsimgrid-dev) pkg-config --exists 'simgrid >= 3.32' ;;
    libjansson-dev) pkg-config --exists 'jansson >= 2.13' ;;
    libcmocka-dev) pkg-config --exists cmocka ;;
    gnuplot-nox) command -v gnuplot ;;
    fonts-dejavu-core) [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] ||
        fc-list | grep -q DejaVuSans ;;
    clang) command -v clang ;;
    parallel) parallel --version | grep GNU ;;
    python3) command -v python3 ;;
    python3-jsonschema) # for the interpreter that runs the test
        local python=/usr/bin/python3
        "$([ -x "$python" ] && echo "$python" || echo python3)" -c 'import jsonschema' ;;
    binutils) command -v nm && command -v objdump ;;
    util-linux) command -v setarch ;;
    *) dpkg-query -W -f '${Status}' "$1" | grep -q 'ok installed' ;;
    esac >/dev/null 2>&1
}

list_missing() { # PACKAGE...
    local package
    for package in "$@"; do
        is_present "$package" || printf '%s\n' "$package"
    done
}

# Installs what is missing, or says how and exits 69.
need_packages() { # LOG PACKAGE...
    local log=$1 failed=0
    shift
    local -a missing as_root=()
    mapfile -t missing < <(list_missing "$@")
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi
    local by_hand="sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo -n)
    fi
    if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
        say "missing packages; install them with (Debian 12 or later):" "" "  $by_hand"
        exit 69
    fi
    say "installing ${missing[*]} (log: $log)"
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120)
    {
        "${as_root[@]}" update &&
            "${as_root[@]}" install -y --no-install-recommends "${missing[@]}"
    } </dev/null >"$log" 2>&1 || failed=1
    mapfile -t missing < <(list_missing "$@")
    if [ "$failed" -ne 0 ] || [ ${#missing[@]} -ne 0 ]; then
        tail -n 20 "$log" >&2
        say "the installation failed; by hand:" "" "  $by_hand"
        exit 69
    fi
}

# On a terminal, shows ninja's [done/all]; always keeps the full text in LOG.
keep_log() { # LOG
    if [ -t 2 ]; then
        tee -a "$1" | awk '/^\[[0-9]+\/[0-9]+\]/ { printf "\r  %s ", $1 > "/dev/stderr" }
            END { printf "\r                    \r" > "/dev/stderr" }'
    else
        cat >>"$1"
    fi
}

# Configures if need be and builds; on failure prints the end of the log and returns 1.
build_preset() { # LOG PRESET TARGET CMAKE_OPTION...
    local log=$1 preset=$2 target=$3
    shift 3
    : >"$log"
    say "building $preset (log: $log)"
    if ! {
        cmake --preset "$preset" "$@" && cmake --build --preset "$preset" --target "$target"
    } </dev/null 2>&1 | keep_log "$log"; then
        tail -n 40 "$log" >&2
        say "the $preset build failed; full log: $log"
        return 1
    fi
}
