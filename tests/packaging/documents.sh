#!/usr/bin/env bash
# documents.sh ATTNSCOPE MADE: a desktop takes a document for one, whatever its name, no other file, and opens it with attnscope.
set -euo pipefail
program=$(realpath "$1")
packaging=$(realpath "$(dirname "$0")/../../packaging")
for tool in update-mime-database update-desktop-database gio; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C.UTF-8 HOME=$folder XDG_CONFIG_HOME=$folder/config XDG_DATA_HOME=$folder/data
mkdir -p "$XDG_DATA_HOME"/{mime/packages,applications} "$folder/bin"
cp "$packaging/attnscope.mime.xml" "$XDG_DATA_HOME/mime/packages/attnscope.xml"
cp "$packaging/attnscope.desktop" "$XDG_DATA_HOME/applications/"
update-mime-database "$XDG_DATA_HOME/mime"
update-desktop-database "$XDG_DATA_HOME/applications"
ln -s "$program" "$folder/bin/attnscope"
export PATH=$folder/bin:$PATH

expect() {  # type, file
  local found
  found=$(gio info -a standard::content-type "$2" | sed -n 's/.*standard::content-type: //p')
  [[ $found == "$1" ]] || { echo "documents: $(basename "$2") is taken for $found, not for $1" >&2; exit 1; }
}
type=application/x-attnscope+json
printf '{}' >"$folder/lecture.attnscope"
printf '{"dropout": 0.5}' >"$folder/lecture.attnscope.json"
printf '{"anything": "else", "format": "other"}\n' >"$folder/other.json"
"$program" weights - -o "$folder/weights.safetensors" <<<'{}'
"$program" import "$folder/weights.safetensors" -o "$folder/lecture.json"
"$program" figure - -o "$folder/figure.png" <<<'{}'
expect $type "$folder/lecture.attnscope"
expect $type "$folder/lecture.attnscope.json"
expect $type "$folder/lecture.json"
expect application/json "$folder/other.json"
expect image/png "$folder/figure.png"
gio mime $type | grep "^Default.*attnscope.desktop" >/dev/null || { echo "documents: attnscope does not open them" >&2; exit 1; }
