#!/usr/bin/env bash
# The real window with graphics drivers that are worse than the computer's own: worse_driver.sh ATTNSCOPE WHERE BAD_DRIVER.
# A window is no larger than what the driver draws into, what it has no room for does not end the program, and a driver
# without OpenGL 3.3 is named in one sentence.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"

expect_refused() {  # environment
  local status=0
  env "$@" "$program" >"$folder/stdout" 2>"$folder/stderr" || status=$?
  [[ $status == 1 ]] || fail "$*: the program ended with $status"
  [[ $(wc -l <"$folder/stderr") == 1 ]] && grep -q '^attnscope: .*\.$' "$folder/stderr" || fail "$*: not said in one line"
}
expect_refused MESA_GL_VERSION_OVERRIDE=2.1
expect_refused MESA_GL_VERSION_OVERRIDE=3.0
expect_refused LD_PRELOAD="$(realpath "$3")" BAD_DRIVER_ROOM=5000

printf '#!/bin/sh\nLD_PRELOAD=%q exec %q "$@"\n' "$(realpath "$3")" "$program" >"$folder/attnscope"
chmod +x "$folder/attnscope"
program=$folder/attnscope
printf '{"dropout": 0.1}\n' >lecture.json
for worse in BAD_DRIVER_SIDE=1024 BAD_DRIVER_MATRIX_ROOM=10; do
  export "$worse"
  open_window lecture.json
  width=$(xdotool getwindowgeometry --shell "$window" | sed -n 's/WIDTH=//p')
  [[ $worse != BAD_DRIVER_SIDE=* || $width == 1024 ]] || fail "the window is $width wide, more than the driver draws"
  leave
  [[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
  unset "${worse%%=*}"
done
echo "worse driver: what it cannot do is said, and the window is as large as it draws"
