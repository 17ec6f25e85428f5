#!/usr/bin/env bash
# The real program is made to end: ended.sh ATTNSCOPE WHERE HOW. By a signal, or by a display that is closed, what was not
# saved is on the disk at once, though the edit has only just ended; without an edit ("unchanged") nothing is kept.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"

printf '{"dropout": 0.1}\n' >lecture.json
"$where" lecture.json 1280 800 >"$folder/widgets"

# What was kept of an edit that ended when this was called; ends the program by the command that is given.
expect_kept() {  # status, what ends the program
  local status=0
  drag_dropout
  "${@:2}"
  wait "$pid" || status=$?
  [[ $status == "$1" ]] || fail "${*:2} ended the program with $status, not $1"
  local kept=$XDG_STATE_HOME/attnscope/autosave/$pid.json
  [[ -s $kept ]] || fail "${*:2}: nothing was kept"
  grep -q '"dropout": 0.[56]' "$kept" || fail "${*:2}: what was kept is not what was done"
  rm "$kept"
}

open_window lecture.json
case $3 in
  TERM | HUP)
    expect_kept $((128 + $(kill -l "$3"))) kill -"$3" "$pid"
    [[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
    ;;
  display) expect_kept 1 kill "$display" ;;
  unchanged)
    kill -TERM "$pid"
    wait "$pid" || true
    [[ -z $(compgen -G "$XDG_STATE_HOME/attnscope/autosave/*") ]] || fail "something is kept of a document that is saved"
    ;;
esac
echo "ended: $3"
