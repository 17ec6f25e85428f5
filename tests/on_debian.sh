#!/usr/bin/env bash
# on_debian.sh SUITE PRESET [ARGS]: builds a preset, such as release, on another Debian, such as trixie, with its compiler
# and its libraries, and runs the tests that need neither a window nor much time. ARGS go to ctest.
suite=${1:?on_debian.sh SUITE PRESET, such as trixie release}
preset=${2:?on_debian.sh SUITE PRESET, such as trixie release}
name=$suite
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/debian_system.sh
enter "$@"
shift 2

# Half a gigabyte each; the tests that want them are skipped with a sentence where they are missing.
readonly left_out='python3-torch|texlive-latex-base'
packages() { ./dev packages run test | grep -vxE "$left_out"; }

compile() {
  inside "$root" sh -c "cd $sources && cmake --preset $preset -DATTNSCOPE_TESTS=ON -DATTNSCOPE_WERROR=OFF &&
    cmake --build --preset $preset"
}

run_tests() {
  inside "$root" sh -c 'cd "$0" && exec ctest --preset "$@" --parallel "$(nproc)" --label-exclude "slow|window"' \
    "$sources" "$preset" "$@" | grep -vE '^ *(Start|[0-9]+/[0-9]+ Test .*Passed)'
}

open_system
part "building" compile
start=$SECONDS
echo "$suite: running the tests ..."
run_tests "$@"
echo "$suite: running the tests: $((SECONDS - start)) s"
