#!/usr/bin/env bash
# Makes an archive that runs from any folder of any Linux with glibc as new as this one's, a driver for OpenGL and X11's
# libraries: archive.sh BUILD FOLDER. It brings the other libraries that the program is linked with, and its fonts.
set -euo pipefail
build=$(realpath "$1")
output=$(realpath "$2")
version=$("$build/attnscope" --version | cut -d ' ' -f 2)
name=attnscope-$version-linux-$(uname -m)
tree=$output/$name
rm -rf "$tree"
cmake --install "$build" --prefix "$tree" --strip >/dev/null

# What belongs to the system's C library, to its compiler, to its OpenGL and what that stands on, and to its display.
is_of_the_system() {
  case $1 in
    linux-vdso.* | ld-linux* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libstdc++.so.* | \
      libgcc_s.so.* | libGL*.so.* | libEGL.so.* | libOpenGL.so.* | libdrm.so.* | libz.so.* | libexpat.so.* | \
      libX11.so.* | libXau.so.* | libXdmcp.so.* | libXext.so.* | libxcb.so.* | libbsd.so.* | libmd.so.*) return 0 ;;
  esac
  return 1
}

# The terms of a file's package, as Debian has them.
add_terms() {
  local package
  package=$(dpkg-query -S "*/$(basename "$(realpath "$1")")" | sed -n '1s/[:,].*//p')
  cp "/usr/share/doc/$package/copyright" "$tree/share/doc/attnscope/licenses/$package"
}

# Whether the program's own table has the terms of a library: its file begins with a word of a line "shared: …".
is_named() {
  local word
  for word in $known; do
    if [[ $1 == "$word"* ]]; then return 0; fi
  done
  return 1
}

mkdir -p "$tree/lib" "$tree/share/doc/attnscope/licenses" "$tree/share/attnscope/fonts"
known=$("$build/attnscope" --licenses | sed -n 's/^ *shared: //p')
while read -r library path; do
  if is_of_the_system "$library"; then continue; fi
  is_named "$library" || { echo "archive.sh: attnscope --licenses does not name $library" >&2; exit 1; }
  cp -L "$path" "$tree/lib/$library"
  add_terms "$path"
done < <(ldd "$build/attnscope" | awk '$2 == "=>" {print $1, $3}')
# An older kind of path, since it holds for the libraries' own libraries, too.
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$tree/bin/attnscope"

for face in "Inter:regular" "Inter:semibold" "JetBrains Mono:regular" "DejaVu Sans:regular"; do
  file=$(fc-match --format '%{file}' "$face")
  cp "$file" "$tree/share/attnscope/fonts/"
  add_terms "$file"
done
cp "$(dirname "$0")/fonts.conf" "$tree/share/attnscope/fonts/"

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(stat -c %Y "$tree/bin/attnscope")" \
  -C "$output" -cf - "$name" | gzip -9n >"$output/$name.tar.gz"
rm -rf "$tree"
