#!/usr/bin/env bash
# Formatting, clang-tidy, and the one-way folders. Needs a configured build/release for the compile commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
failures=0

fail() {
  echo "lint: $1" >&2
  failures=$((failures + 1))
}

mapfile -t sources < <(git ls-files '*.cpp' '*.h')
clang-format --dry-run --Werror "${sources[@]}" || fail "run ./dev format"

# core, document and compute know nothing of windows and graphics; views know no OpenGL and no window system.
gui='#include *[<"](imgui|GLFW|glad|EGL|backends/imgui|views/|render/|platform/|session/|shell/)'
if grep -nE "$gui" core/*.{h,cpp} core/*/* app/{document,compute,interchange,look,figure}/*.{h,cpp}; then
  fail "a folder below the views includes a GUI header"
fi
if grep -nE '#include *[<"](GLFW|glad|EGL|backends/|render/|platform/|session/|shell/)' app/views/*.{h,cpp}; then
  fail "a view includes OpenGL, GLFW, or a folder above it"
fi
if grep -nE '#include *"(document|compute|interchange|figure)/|#include *<(fmt|nlohmann)' core/*.{h,cpp} core/*/*; then
  fail "core includes more than Eigen and OpenMP"
fi

# What is compiled for one instruction set may share no template with the rest of the program.
kernels=(core/kernels/*.inl core/kernels/{kernels,tables,simd,tile,words,draws}.h)
if grep -hn '#include *<' "${kernels[@]}" | grep -vE '<(cstddef|cstdint|immintrin\.h)>'; then
  fail "a kernel includes more than integers and intrinsics"
fi
if grep -n '#include "core/' "${kernels[@]}" | grep -vE '"core/(kernels/|mask_route)'; then
  fail "a kernel includes another part of core"
fi

printf '%s\n' core/*.cpp core/*/*.cpp app/*.cpp app/*/*.cpp | xargs -P "$(nproc)" -n 4 clang-tidy -p build/release --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null ||
  fail "clang-tidy"

if ((failures > 0)); then exit 1; fi
echo "lint: clean"
