#!/usr/bin/env bash
# Someone does anything at all in the real window: monkey.sh ATTNSCOPE WHERE [SECONDS [SEED]]. The program must live
# through it, say nothing to standard error, and end when it is asked to.
set -euo pipefail
monkey=$(realpath "$(dirname "$0")")/monkey.py
source "$(dirname "$0")/desktop.sh" "$1" "$2"

open_window
/usr/bin/python3 "$monkey" "$program" "$pid" "${3:-15}" "${4:-1}" || fail "it did not live through it"
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[[ $status == $((128 + 15)) ]] || fail "it ended with status $status"
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
