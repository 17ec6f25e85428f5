#!/usr/bin/env bash
# The real program in a real window: real_window.sh ATTNSCOPE WHERE. Drags the dropout slider, types a seed, drags an
# embedding, takes a screenshot, saves and quits, and checks what came of it.
set -euo pipefail
program=$(realpath "$1")
where=$(realpath "$2")
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
  echo "real window: $1" >&2
  echo "--- the program's standard error:" >&2
  cat "$folder/stderr" >&2 || true
  exit 1
}

# A display of its own.
exec 3<>"$folder/display"
Xvfb -displayfd 3 -screen 0 1280x800x24 >/dev/null 2>&1 &
for _ in $(seq 100); do
  [[ $(wc -l <"$folder/display") -gt 0 ]] && break
  sleep 0.1
done
DISPLAY=:$(head -n 1 "$folder/display")
export DISPLAY
unset WAYLAND_DISPLAY
export HOME=$folder/home XDG_CONFIG_HOME=$folder/config XDG_STATE_HOME=$folder/state
mkdir -p "$HOME" "$folder/work" "$folder/pictures" "$XDG_CONFIG_HOME/attnscope"
printf '{"screenshot_folder": "%s", "screenshot_scale": 2, "window_width": 1280, "window_height": 800}\n' \
  "$folder/pictures" >"$XDG_CONFIG_HOME/attnscope/settings.json"
printf '{"dropout": 0.1}\n' >"$folder/work/lecture.json"
"$where" "$folder/work/lecture.json" 1280 800 >"$folder/widgets"

cd "$folder/work"
"$program" lecture.json >"$folder/stdout" 2>"$folder/stderr" &
pid=$!
for _ in $(seq 100); do
  window=$(xdotool search --onlyvisible --pid "$pid" 2>/dev/null | head -n 1 || true)
  [[ -n $window ]] && break
  kill -0 "$pid" 2>/dev/null || fail "the program ended before its window came up"
  sleep 0.1
done
[[ -n $window ]] || fail "no window came up"
xdotool windowfocus "$window" 2>/dev/null || true
sleep 0.5

# Moves to a point of a widget: its name, and how far across it in per cent.
point_at() {
  read -r _ x0 y0 x1 y1 < <(grep "^$1 " "$folder/widgets" || true) || fail "no widget is called $1"
  xdotool mousemove $((x0 + (x1 - x0) * $2 / 100)) $(((y0 + y1) / 2))
  sleep 0.15
}
press() { xdotool mousedown 1; sleep 0.15; }
let_go() { xdotool mouseup 1; sleep 0.15; }
click() { point_at "$1" 50; press; let_go; }

point_at setup/dropout 12
press
for percent in 20 30 40 50 60; do point_at setup/dropout "$percent"; done
let_go

click setup/seed
sleep 0.4
xdotool key --delay 150 ctrl+a
sleep 0.4
xdotool type --delay 150 4711
sleep 0.4
xdotool key --delay 150 Return
sleep 0.4

point_at tokens/0/0 50
press
xdotool mousemove_relative 20 0
sleep 0.6
let_go

xdotool mousemove 640 790
xdotool key F12
for _ in $(seq 50); do
  compgen -G "$folder/pictures/*.png" >/dev/null && break
  sleep 0.1
done
sleep 0.4
xdotool key --delay 150 ctrl+s
sleep 1
xdotool key --delay 150 ctrl+q
for _ in $(seq 50); do
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
kill -0 "$pid" 2>/dev/null && fail "Ctrl+Q did not end the program"
wait "$pid" || fail "the program ended with status $?"

/usr/bin/python3 - "$folder" <<'EOF' || fail "what was saved is not what was done"
import glob, json, struct, sys
folder = sys.argv[1]
document = json.load(open(folder + "/work/lecture.json"))
assert 0.5 < document["dropout"] < 0.7, document["dropout"]
assert document["seed"] == 4711, document["seed"]
assert document["inputs"][0][0] > 0.43, document["inputs"][0]
assert document["inputs"][1] == [0.55, 0.87, 0.66], document["inputs"][1]
[picture] = glob.glob(folder + "/pictures/*.png")
data = open(picture, "rb").read()
assert struct.unpack(">II", data[16:24]) == (2560, 1600), struct.unpack(">II", data[16:24])
assert len(data) > 50_000, len(data)
EOF
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
[[ $(ls "$folder/work") == lecture.json ]] || fail "something was written into the current folder: $(ls "$folder/work")"
echo "real window: the slider, the seed, the embedding and the screenshot are as they were done"
