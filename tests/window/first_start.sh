#!/usr/bin/env bash
# The first start of the real program: first_start.sh ATTNSCOPE WHERE. Without settings a line says where to begin. It
# is there at the next start, too, until one click sends it away for good.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"
settings=$XDG_CONFIG_HOME/attnscope/settings.json

rm "$settings"
printf '{"dropout": 0.1}\n' >lecture.json
for _ in first second; do
  open_window lecture.json
  leave
  grep -q '"shows_start": true' "$settings" || fail "the line is not there: $(cat "$settings")"
done
"$where" lecture.json 1280 800 --start >"$folder/widgets"
open_window lecture.json
click start/close
leave
grep -q '"shows_start": false' "$settings" || fail "the line is still there: $(cat "$settings")"
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
echo "first start: a line that suggests where to begin stays until it is closed"
