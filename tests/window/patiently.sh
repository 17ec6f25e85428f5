#!/usr/bin/env bash
# Runs a script of a real window, and once more when it failed: patiently.sh SCRIPT ARGUMENTS. A hand on the mouse waits until
# the window has followed; these hands go by the clock, and a machine that stalls for a second makes them miss.
"$@" && exit
echo "$(basename "$1"): once more, in case the machine was only busy" >&2
exec "$@"
