#!/usr/bin/env bash
# What ./dev test makes of many tests that pass: their number, the ten slowest, and success.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source ./dev help >/dev/null
said=$(for ((i = 1; i <= 3000; ++i)); do
  printf '%4d/3000 Test #%d: Suite.NameThatIsAsLongAsMostNamesOfTests%d ....   Passed    %d.25 sec\n' $i $i $i $i
done | test_progress)
[[ $said == *"@3000 of 3000 tests passed"* ]]
[[ $(grep -c '^[0-9.]* s  Suite' <<<"$said") == 10 ]]
[[ $said == *$'The slowest tests:\n3000.25 s  Suite.NameThatIsAsLongAsMostNamesOfTests3000'* ]]
