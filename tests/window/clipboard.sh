#!/usr/bin/env bash
# Pictures in the clipboard of a real desktop: clipboard.sh ATTNSCOPE WHERE. Copies the window and a figure, takes them out
# of the clipboard as another program would, and gives them to the command line; they stay when the program has ended.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"
command -v xclip >/dev/null || fail "xclip is missing, install the package xclip"

# What the clipboard holds, as a file: paste_to NAME [OTHER], once it is another picture than OTHER.
paste_to() { await "a picture for $1" has_pasted "$1" "${2:-none}"; }
has_pasted() {
  timeout 5 xclip -selection clipboard -t image/png -o >"$folder/$1" 2>/dev/null || true
  [[ -s $folder/$1 ]] && ! cmp -s "$folder/$1" "$folder/$2"
}

printf '{"dropout": 0.5, "seed": 9, "weights": {"out_proj.bias": [0.5, -0.25]}}\n' >lecture.json
"$program" eval lecture.json >"$folder/numbers"
open_window lecture.json
move_to 640 790
hit ctrl+shift+c
paste_to window.png
hit ctrl+e
"$where" lecture.json 1280 800 --figure >"$folder/widgets"
click figure/copy
paste_to figure.png window.png
"$program" figure lecture.json -o "$folder/expected.png" --size slide-16x9 --head 2
cmp -s "$folder/figure.png" "$folder/expected.png" || fail "the copied figure is another than that of the command line"
click dialog/cancel
leave
paste_to after.png
cmp -s "$folder/after.png" "$folder/figure.png" || fail "the picture left the clipboard with the program"

for picture in window figure; do
  "$program" eval "$folder/$picture.png" | cmp -s - "$folder/numbers" || fail "the copied $picture is not the document"
done
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
[[ $(ls) == lecture.json ]] || fail "something was written into the current folder: $(ls)"
echo "clipboard: window and figure were copied, stayed, and are the document"
