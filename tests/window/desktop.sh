# What the scripts here share: a display of its own, a home of its own, and hands that wait until the window has followed.
# To be sourced with the paths of attnscope and where_widgets.
program=$(realpath "$1")
where=$(realpath "$2")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
  echo "$(basename "$0"): $1" >&2
  echo "--- the program's standard error:" >&2
  cat "$folder/stderr" >&2 || true
  exit 1
}

# Asks again and again, for two minutes at the most, until a command succeeds: await WHAT_IT_IS COMMAND...
await() {
  for _ in $(seq 1200); do
    "${@:2}" && return
    sleep 0.1
  done
  fail "$1 never came"
}

# Without -noreset it begins anew whenever its last client has gone, xdotool for one, and turns away who comes just then.
# A key that is held while the window is slow must not repeat.
exec 3<>"$folder/display"
Xvfb -displayfd 3 -noreset -ardelay 600000 -screen 0 1280x800x24 >/dev/null 2>&1 &
display=$!
has_display() { [[ $(wc -l <"$folder/display") -gt 0 ]]; }
await "the display" has_display
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

# Waits until the window has taken in all that was sent to it, and has built two frames since: a list or a dialog that was
# opened is in its place then.
coproc follower { exec /usr/bin/python3 "$here/followed.py"; }
followed() {
  for _ in 1 2 3; do
    echo "$window" >&"${follower[1]}"
    read -r -t 130 _ <&"${follower[0]}" || fail "the window does not answer"
  done
}

# Starts the program with these arguments; its window is then "$window", the first title that it was given "$first_title",
# its process "$pid".
open_window() {
  "$program" "$@" >"$folder/stdout" 2>"$folder/stderr" &
  pid=$!
  window=
  await "the window" has_window
  first_title=attnscope  # until the program has looked at what it shows
  await "a title" has_title
  xdotool windowraise "$window" windowfocus "$window" 2>/dev/null || true
  followed
}
has_window() {
  kill -0 "$pid" 2>/dev/null || fail "the program ended before its window came up"
  local found
  found=$(xdotool search --onlyvisible --pid "$pid" 2>/dev/null | head -n 1 || true)
  [[ -n $found && $found != "$window" ]] && window=$found
}
has_title() {
  first_title=$(xdotool getwindowname "$window")
  [[ $first_title != attnscope ]]
}
title_is() { [[ $(xdotool getwindowname "$window") == "$1" ]]; }
await_title() { await "the title “$1”" title_is "$1"; }

# Leaves the program by Ctrl+Q, and waits until it has ended, well.
leave() {
  xdotool keydown ctrl
  followed
  xdotool keydown q keyup q keyup ctrl
  await_end
}
has_ended() { ! kill -0 "$pid" 2>/dev/null; }
await_end() {
  await "the end of the program" has_ended
  wait "$pid" || fail "the program ended with status $?"
}

# Moves to a point of a widget: its name, and how far across it in per cent.
point_at() {
  read -r _ x0 y0 x1 y1 < <(grep "^$1 " "$folder/widgets" || true) || fail "no widget is called $1"
  move_to $((x0 + (x1 - x0) * $2 / 100)) $(((y0 + y1) / 2))
}
move_to() { xdotool mousemove "$1" "$2"; followed; }
press() { xdotool mousedown 1; followed; }
let_go() { xdotool mouseup 1; followed; }
click() { point_at "$1" 50; press; let_go; }

# Presses keys, one after the other: hit ctrl+a 4 7 Return.
hit() {
  local keys key
  for keys in "$@"; do
    for key in ${keys//+/ }; do xdotool keydown "$key"; followed; done
    for key in $(tac -s ' ' <<<"${keys//+/ } "); do xdotool keyup "$key"; followed; done
  done
}

# To 0.6: the slider's track ends where its number begins, at about two thirds of the widget.
drag_dropout() {
  point_at setup/dropout 8
  press
  for percent in 14 20 26 32 40; do point_at setup/dropout "$percent"; done
  let_go
}
