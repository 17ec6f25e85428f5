#!/usr/bin/env bash
# Runs every fuzzer for a while, one after the other: run.sh [SECONDS_EACH] [NAME...]. A reader that takes more than
# 10 seconds, 256 MB in one piece or 1 GB beside the fuzzer's own 1 GB fails, too. Findings stay in build/fuzz; a corpus that grew goes into the tests by
# fuzz_NAME -merge=1 into an empty folder and pack_corpus.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-120}
shift || true
names=("$@")
if ((${#names[@]} == 0)); then names=(npy npz safetensors pth csv tokenizer model checkpoint params document model_document viewing png svg pdf gif lesson typed); fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${names[@]/#/fuzz_}" >/dev/null
status=0
for name in "${names[@]}"; do
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  echo "$name: $seconds seconds"
  build/fuzz/tests/fuzz/fuzz_"$name" "$corpus" build/fuzz/tests/fuzz/seeds/"$name" \
    -max_total_time="$seconds" -timeout=10 -malloc_limit_mb=256 -rss_limit_mb=2048 -max_len=20000 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix=build/fuzz/"$name"- || status=1
done
exit $status
