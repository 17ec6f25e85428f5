#!/usr/bin/env bash
# The real program is killed and started again: crash.sh ATTNSCOPE WHERE. What was not saved is offered and restored, while
# another window of the program is open.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"

printf '{"dropout": 0.1}\n' >lecture.json
"$where" lecture.json 1280 800 >"$folder/widgets"
open_window
other=$pid
open_window lecture.json
drag_dropout
move_to 640 790
kept=$XDG_STATE_HOME/attnscope/autosave/$pid.json
await "what is kept" test -s "$kept"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
[[ $(cat lecture.json) == '{"dropout": 0.1}' ]] || fail "the document's own file was touched"
[[ -s $kept ]] || fail "nothing was kept of what the killed program had"
kill -0 "$other" || fail "the other window ended too"

"$where" lecture.json 1280 800 "$XDG_STATE_HOME/attnscope" >"$folder/widgets"
grep -q '^restore/0/restore ' "$folder/widgets" || fail "the changes are not offered"
grep -q '^restore/1/' "$folder/widgets" && fail "more is offered than was lost"
open_window
click restore/0/restore
await_title "• lecture.json – attnscope"
hit ctrl+s
await_title "lecture.json – attnscope"
leave

/usr/bin/python3 - lecture.json <<'EOF' || fail "what was restored is not what was done"
import json, sys
assert 0.5 < json.load(open(sys.argv[1]))["dropout"] < 0.7
EOF
kill "$other"
wait "$other" 2>/dev/null || true
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
[[ -z $(compgen -G "$XDG_STATE_HOME/attnscope/autosave/*.json") ]] || fail "something is left to restore"
echo "crash: what was not saved was offered, restored and saved"
