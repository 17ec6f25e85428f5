#!/usr/bin/env bash
# validity.sh ATTNSCOPE MADE: the desktop file and the metainfo are valid, have the program's version, and every library
# that the program is linked with has its terms in --licenses.
set -euo pipefail
program=$(realpath "$1")
made=$(realpath "$2")
packaging=$(realpath "$(dirname "$0")/../../packaging")
fail() {
  echo "validity: $1" >&2
  exit 1
}
version=$("$program" --version | cut -d ' ' -f 2)

grep -q "<release version=\"$version\" " "$made"/*.metainfo.xml || fail "the metainfo is not of version $version"
grep -q "^attnscope ($version" "$made/changelog" || fail "the package's changelog is not of version $version"

mapfile -t words < <("$program" --licenses | sed -n 's/^ *shared: //p' | tr ' ' '\n')
((${#words[@]} > 20)) || fail "--licenses names only ${#words[@]} libraries"
is_named() {
  local word
  for word in "${words[@]}"; do
    if [[ $1 == "$word"* ]]; then return 0; fi
  done
  return 1
}
mapfile -t libraries < <(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
((${#libraries[@]} > 10)) || fail "the program is linked with ${#libraries[@]} libraries"
for library in "${libraries[@]}"; do
  # Sanitizers are in no program that is passed on.
  if [[ $library =~ ^lib([alut]san|ubsan)\.so ]]; then continue; fi
  is_named "$library" || fail "--licenses does not name $library"
done
if is_named libnobody.so.1; then fail "every library is taken to be named"; fi

for tool in desktop-file-validate appstreamcli; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
desktop-file-validate "$packaging/attnscope.desktop"
# There is no homepage: newer ones miss it, older ones do not know that it can be missed.
appstreamcli validate --no-net "$made"/*.metainfo.xml ||
  appstreamcli validate --no-net --override=url-homepage-missing=info "$made"/*.metainfo.xml
