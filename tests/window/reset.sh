#!/usr/bin/env bash
# The graphics driver is reset under the real program: reset.sh ATTNSCOPE WHERE BAD_DRIVER back|end. Nothing of the document
# is lost, the window comes back where it was with the picture that it had; and (end) when there is no other context to be
# had, what was not saved is kept.
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
await_look() { await "the picture of before" looks_like "$1"; }
looks_like() {
  look now
  cmp -s "$folder/now" "$folder/$1"
}

geometry() { xdotool getwindowgeometry --shell "$window" | grep -v WINDOW; }

lose_context() {
  touch "$folder/reset"
  xdotool mousemove 641 791
  await "the question whether the context is lost" is_asked
}
is_asked() { [[ ! -e $folder/reset ]]; }

await_new_window() { await "a new window" has_window; }

settle() {  # away from what is under the pointer
  xdotool windowfocus "$window" 2>/dev/null || true
  move_to 641 791
}

# Until two looks show the same: what fades in is there.
look_at_rest() {
  look "$1"
  await "a window at rest" is_at_rest "$1"
}
is_at_rest() {
  mv "$folder/$1" "$folder/before_it"
  sleep 0.5
  look "$1"
  cmp -s "$folder/$1" "$folder/before_it"
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

if [[ $4 == end ]]; then
  expect_end no_context
  expect_end always
  echo "reset: the program ended with a sentence, and what was not saved was kept"
  exit
fi

open_window lecture.json
drag_dropout
settle
title=$(xdotool getwindowname "$window")
place=$(geometry)
look_at_rest before
touch "$folder/no_context"  # for a moment only
lose_context
sleep 0.5  # for which the driver has none; sooner would do, too
rm "$folder/no_context"
await_new_window
[[ $(xdotool getwindowname "$window") == "$title" ]] || fail "the title is another: $(xdotool getwindowname "$window")"
[[ $(geometry) == "$place" ]] || fail "the window is elsewhere: $(geometry)"
settle
await_look before

# Text that is being typed is typed on.
click setup/seed
hit ctrl+a 4 7
lose_context
await_new_window
settle
hit 1 1 Return

# So is a window that fills the screen, and what it was before.
hit F11
settle
look_at_rest filling
lose_context
await_new_window
settle
await_look filling
hit F11
settle
hit ctrl+s
await_title "lecture.json – attnscope"
leave
/usr/bin/python3 - lecture.json <<'PYTHON' || fail "what was saved is not what was done"
import json, sys
document = json.load(open(sys.argv[1]))
assert 0.5 < document["dropout"] < 0.7, document["dropout"]
assert document["seed"] == 4711, document["seed"]
PYTHON
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"

echo "reset: the window came back as it was, and nothing was lost"
