#!/usr/bin/env bash
# web.sh: builds the page, build/web/attnscope.html, by Emscripten within Debian 13, which is made in the user's cache and
# kept there; and beside it, for tests, the page's fonts and engine_bits.txt, what a program says about the engine within
# node.
suite=trixie
name=trixie-web
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/debian_system.sh
enter "$@"

# What Emscripten compiles for the page, too; of older Debian where a mirror has not the newest.
readonly from_source='zlib libpng1.6 giflib fribidi freetype pcre2 imgui expat libzip'
readonly older=bookworm

packages() { ./dev packages web; }

complete() { part "getting the libraries' sources" get_sources "$from_source" "$older"; }

get_sources() {  # names, an older Debian
  local folder=/usr/src/attnscope list=$new/etc/apt/sources.list
  sed -n 's/^deb /deb-src /p' "$list" >"$new/etc/apt/sources.list.d/sources.list"
  sed -n "s/^deb-src \(.*\) $suite /deb-src \1 $2 /p" "$new/etc/apt/sources.list.d/sources.list" >>"$list"
  mkdir -p "$new$folder"
  inside "$new" apt-get update
  inside "$new" sh -ec "cd $folder; for package in $1; do
      apt-get source --tar-only \$package || apt-get source --tar-only \$package/$2
    done
    for archive in *.orig.tar.?z; do tar xf \$archive; done"
}

compile() {
  inside "$root" sh -ec "cd $sources
    cmake -S . -B build/web -G Ninja -DCMAKE_BUILD_TYPE=Release -DATTNSCOPE_OPENMP=OFF -DATTNSCOPE_TESTS=OFF \
      -DCMAKE_TOOLCHAIN_FILE=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake
    cmake --build build/web --target attnscope_page engine_bits
    node build/web/tests/web/engine_bits.js >build/web/engine_bits.txt"
}

open_system
part "building the page" compile
mkdir -p build/web/fonts
cp "$root$sources"/build/web/{attnscope.html,engine_bits.txt} build/web/
cp "$root$sources"/build/web/assets/*.[ot]tf build/web/fonts/
chown -R --reference=dev build/web  # who is no root builds more beside it
chown --reference=dev build
echo "build/web/attnscope.html: $(stat -c %s build/web/attnscope.html) bytes"
