#!/usr/bin/env bash
# The real program in a real window: real_window.sh ATTNSCOPE WHERE. Drags the dropout slider, types a seed, drags an
# embedding, takes a screenshot, saves and quits, and checks what came of it.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"

printf '{"dropout": 0.1}\n' >lecture.json
"$where" lecture.json 1280 800 >"$folder/widgets"
open_window lecture.json
drag_dropout

click setup/seed
hit ctrl+a 4 7 1 1 Return

point_at tokens/0/0 50
press
for _ in 1 2; do
  xdotool mousemove_relative 10 0
  followed
done
let_go

move_to 640 790
hit F12
has_picture() { compgen -G "$folder/pictures/*.png" >/dev/null; }
await "the screenshot" has_picture
hit ctrl+s
await_title "lecture.json – attnscope"
leave

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
assert b"iTXtattnscope\0" in data, "the screenshot carries no document"
EOF
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
[[ $(ls "$folder/work") == lecture.json ]] || fail "something was written into the current folder: $(ls "$folder/work")"
echo "real window: the slider, the seed, the embedding and the screenshot are as they were done"
