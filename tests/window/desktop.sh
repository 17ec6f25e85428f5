# What the scripts here share: a display of its own, a home of its own, and hands. To be sourced with the paths of attnscope
# and where_widgets.
program=$(realpath "$1")
where=$(realpath "$2")
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
  echo "$(basename "$0"): $1" >&2
  echo "--- the program's standard error:" >&2
  cat "$folder/stderr" >&2 || true
  exit 1
}

# Without -noreset it begins anew whenever its last client has gone, xdotool for one, and turns away who comes just then.
exec 3<>"$folder/display"
Xvfb -displayfd 3 -noreset -screen 0 1280x800x24 >/dev/null 2>&1 &
display=$!
for _ in $(seq 100); do
  [[ $(wc -l <"$folder/display") -gt 0 ]] && break
  sleep 0.1
done
DISPLAY=:$(head -n 1 "$folder/display")
export DISPLAY
unset WAYLAND_DISPLAY
export EGL_LOG_LEVEL=fatal  # what the driver thinks of this display is not the program's word
export HOME=$folder/home XDG_CONFIG_HOME=$folder/config XDG_STATE_HOME=$folder/state XDG_RUNTIME_DIR=$folder/run
mkdir -m 700 "$XDG_RUNTIME_DIR"  # drivers warn where there is none
mkdir -p "$HOME" "$folder/work" "$folder/pictures" "$XDG_CONFIG_HOME/attnscope"
printf '{"screenshot_folder": "%s", "screenshot_scale": 2, "window_width": 1280, "window_height": 800, "show_setup": true}\n' \
  "$folder/pictures" >"$XDG_CONFIG_HOME/attnscope/settings.json"
cd "$folder/work"

# Starts the program with these arguments; its window is then "$window", the first title that it was given "$first_title",
# its process "$pid".
open_window() {
  "$program" "$@" >"$folder/stdout" 2>"$folder/stderr" &
  pid=$!
  for _ in $(seq 100); do
    window=$(xdotool search --onlyvisible --pid "$pid" 2>/dev/null | head -n 1 || true)
    [[ -n $window ]] && break
    kill -0 "$pid" 2>/dev/null || fail "the program ended before its window came up"
    sleep 0.1
  done
  [[ -n $window ]] || fail "no window came up"
  first_title=attnscope  # until the program has looked at what it shows
  for _ in $(seq 100); do
    [[ $first_title == attnscope ]] || break
    sleep 0.01
    first_title=$(xdotool getwindowname "$window")
  done
  xdotool windowraise "$window" windowfocus "$window" 2>/dev/null || true
  sleep 0.5
}

# Waits until the program has ended, well.
await_end() {
  for _ in $(seq 50); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -0 "$pid" 2>/dev/null && fail "Ctrl+Q did not end the program"
  wait "$pid" || fail "the program ended with status $?"
}

# Moves to a point of a widget: its name, and how far across it in per cent.
point_at() {
  read -r _ x0 y0 x1 y1 < <(grep "^$1 " "$folder/widgets" || true) || fail "no widget is called $1"
  xdotool mousemove $((x0 + (x1 - x0) * $2 / 100)) $(((y0 + y1) / 2))
  sleep 0.15
}
press() { xdotool mousedown 1; sleep 0.15; }
let_go() { xdotool mouseup 1; sleep 0.15; }
click() { point_at "$1" 50; press; let_go; }

# To 0.6: the slider's track ends where its number begins, at about two thirds of the widget.
drag_dropout() {
  point_at setup/dropout 8
  press
  for percent in 14 20 26 32 40; do point_at setup/dropout "$percent"; done
  let_go
}
