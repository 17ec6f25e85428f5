#!/usr/bin/env bash
# The graphics driver is reset under the real program: reset.sh ATTNSCOPE WHERE BAD_DRIVER. Nothing of the document is lost,
# the window comes back where it was with the picture that it had, and when there is no other context to be had, what was
# not saved is kept.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"

printf '#!/bin/sh\nLD_PRELOAD=%q exec %q "$@"\n' "$(realpath "$3")" "$program" >"$folder/attnscope"
chmod +x "$folder/attnscope"
program=$folder/attnscope
export BAD_DRIVER_RESET=$folder/reset BAD_DRIVER_ALWAYS_RESET=$folder/always BAD_DRIVER_NO_CONTEXT=$folder/no_context
printf '{"dropout": 0.1}\n' >lecture.json
"$where" lecture.json 1280 800 >"$folder/widgets"

# What the window shows above its line of messages, as a file.
look() {
  timeout 20 /usr/bin/python3 - "$window" "$folder/$1" <<'PYTHON'
import ctypes, sys
x11 = ctypes.CDLL("libX11.so.6")
class XImage(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.POINTER(ctypes.c_char)), ("order", ctypes.c_int * 5), ("bytes_per_line", ctypes.c_int)]
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XGetImage.restype = ctypes.POINTER(XImage)
x11.XGetImage.argtypes = [ctypes.c_void_p, ctypes.c_ulong] + [ctypes.c_int] * 2 + [ctypes.c_uint] * 2 + [ctypes.c_ulong, ctypes.c_int]
image = x11.XGetImage(x11.XOpenDisplay(None), int(sys.argv[1]), 0, 0, 1280, 800, 0xFFFFFFFF, 2).contents
open(sys.argv[2], "wb").write(ctypes.string_at(image.data, image.bytes_per_line * 770))
PYTHON
}

# Until the window shows what is in this file: await_look FILE.
await_look() {
  for _ in $(seq 60); do
    look now
    cmp -s "$folder/now" "$folder/$1" && return
    sleep 0.2
  done
  fail "the window shows another picture than before"
}

geometry() { xdotool getwindowgeometry --shell "$window" | grep -v WINDOW; }

lose_context() {
  touch "$folder/reset"
  xdotool mousemove 641 791
  for _ in $(seq 100); do
    [[ -e $folder/reset ]] || return 0
    sleep 0.1
  done
  fail "the program never asked whether the context is lost"
}

await_new_window() {
  local old=$window
  for _ in $(seq 100); do
    window=$(xdotool search --onlyvisible --pid "$pid" 2>/dev/null | head -n 1 || true)
    [[ -n $window && $window != "$old" ]] && return
    kill -0 "$pid" 2>/dev/null || fail "the program ended"
    sleep 0.1
  done
  fail "no new window came up"
}

settle() {  # away from what is under the pointer
  xdotool windowfocus "$window" 2>/dev/null || true
  xdotool mousemove 641 791
  sleep 1
}

# Ends with one sentence and what was not saved kept, once there is this file: expect_end FILE.
expect_end() {
  local status=0
  printf '{"dropout": 0.1}\n' >lecture.json
  open_window lecture.json
  drag_dropout
  touch "$folder/$1" "$folder/reset"
  xdotool mousemove 641 791
  wait "$pid" || status=$?
  rm -f "$folder/$1" "$folder/reset"
  [[ $status == 1 ]] || fail "with $1 the program ended with $status"
  [[ $(wc -l <"$folder/stderr") == 1 ]] && grep -q '^attnscope: .*\.$' "$folder/stderr" || fail "$1 is not said in one line"
  grep -q '"dropout": 0.[56]' "$XDG_STATE_HOME/attnscope/autosave/$pid.json" || fail "$1: what was not saved is not kept"
  rm "$XDG_STATE_HOME/attnscope/autosave/$pid.json"
}

open_window lecture.json
drag_dropout
settle
title=$(xdotool getwindowname "$window")
place=$(geometry)
look before
touch "$folder/no_context"  # for a moment only
lose_context
sleep 0.5
rm "$folder/no_context"
await_new_window
[[ $(xdotool getwindowname "$window") == "$title" ]] || fail "the title is another: $(xdotool getwindowname "$window")"
[[ $(geometry) == "$place" ]] || fail "the window is elsewhere: $(geometry)"
settle
await_look before

# Text that is being typed is typed on.
click setup/seed
sleep 0.4
xdotool key --delay 150 ctrl+a
sleep 0.4
xdotool type --delay 150 47
sleep 0.4
lose_context
await_new_window
settle
xdotool type --delay 150 11
sleep 0.4
xdotool key --delay 150 Return
sleep 0.4

# So is a window that fills the screen, and what it was before.
xdotool key --delay 150 F11
settle
look filling
lose_context
await_new_window
settle
await_look filling
xdotool key --delay 150 F11
settle
xdotool key --delay 150 ctrl+s
sleep 1
xdotool key --delay 150 ctrl+q
await_end
/usr/bin/python3 - lecture.json <<'PYTHON' || fail "what was saved is not what was done"
import json, sys
document = json.load(open(sys.argv[1]))
assert 0.5 < document["dropout"] < 0.7, document["dropout"]
assert document["seed"] == 4711, document["seed"]
PYTHON
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"

expect_end no_context
expect_end always
echo "reset: the window came back as it was, and nothing was lost"
