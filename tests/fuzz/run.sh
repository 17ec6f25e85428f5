#!/usr/bin/env bash
# Runs every fuzzer for a while, one after the other: run.sh [SECONDS_EACH] [NAME...]. Findings stay in build/fuzz; a corpus
# that grew goes into the tests by fuzz_NAME -merge=1 into an empty folder and pack_corpus.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-600}
shift || true
names=("$@")
if ((${#names[@]} == 0)); then names=(npy npz safetensors csv document viewing png svg pdf gif); fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${names[@]/#/fuzz_}" >/dev/null
for name in "${names[@]}"; do
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus" tests/fuzz/findings
  build/fuzz/tests/fuzz/fuzz_"$name" "$corpus" build/fuzz/tests/fuzz/seeds/"$name" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=20000 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/"$name"-
done
