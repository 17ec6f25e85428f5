#!/usr/bin/env bash
# Attention that must be unpacked, in a real window: reading.sh ATTNSCOPE WHERE. `attnscope view` opens its window first
# and reads then; meanwhile the window does what it is told, and can be left.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"

/usr/bin/python3 - <<'EOF'
import io, numpy, zipfile
weights = numpy.random.default_rng(3).integers(0, 255, (10, 2300, 2300)).astype("float32") / 255
with zipfile.ZipFile("packed.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
    data = io.BytesIO()
    numpy.save(data, weights)
    archive.writestr("attn.npy", data.getvalue())
EOF
title() { xdotool getwindowname "$window"; }

open_window view packed.npz
[[ $first_title == "untitled – attnscope" ]] || fail "the window came up after the file was read: $first_title"
printf '{"dropout": 0.1}\n' >"$folder/plain.json"
"$where" "$folder/plain.json" 1280 800 >"$folder/widgets"
[[ -z ${ATTNSCOPE_LOOK:-} ]] || import -window "$window" "$ATTNSCOPE_LOOK"
for _ in $(seq 300); do
  [[ $(title) == "packed.npz – attnscope" ]] && break
  sleep 0.1
done
[[ $(title) == "packed.npz – attnscope" ]] || fail "the file never came: $(title)"
xdotool key --delay 150 ctrl+q
await_end
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"

open_window view packed.npz
xdotool key --delay 150 ctrl+q
await_end
echo "real window: it came before the file was read, showed it then, and could be left meanwhile"
