#!/usr/bin/env bash
# Formatting, clang-tidy, and what kernels include. Needs a configured build/release for the compile commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
failures=0

fail() {
  echo "lint: $1" >&2
  failures=$((failures + 1))
}

mapfile -t sources < <(git ls-files '*.cpp' '*.h')
clang-format --dry-run --Werror "${sources[@]}" || fail "run ./dev format"

# What is compiled for one instruction set may share no template with the rest of the program.
kernels=(core/kernels/*.inl core/kernels/{kernels,simd,tile}.h)
if grep -hn '#include *<' "${kernels[@]}" | grep -vE '<(cstddef|cstdint|immintrin\.h)>'; then
  fail "a kernel includes more than integers and intrinsics"
fi
if grep -n '#include "core/' "${kernels[@]}" | grep -vE '"core/kernels/'; then
  fail "a kernel includes another part of core"
fi

# What is compiled as one is checked as one: most of the time goes into the headers that its files share.
units() { grep -oE "\"file\": \"$PWD/(build/release/)?(core|app)/[^\"]*" build/release/compile_commands.json | cut -d '"' -f 4 | grep -v '/cmake_pch\.'; }
# clang-tidy cannot read the headers that GCC has precompiled.
mkdir -p build/release/lint
sed -E 's/ -Winvalid-pch -include [^ ]+//' build/release/compile_commands.json >build/release/lint/compile_commands.json
units | xargs -P "$(nproc)" -n 1 clang-tidy -p build/release/lint --quiet --extra-arg=-Wno-unknown-warning-option \
  --extra-arg=-Wno-unused-command-line-argument 2>/dev/null ||
  fail "clang-tidy"

if ((failures > 0)); then exit 1; fi
echo "lint: clean"
