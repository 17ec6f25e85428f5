#!/usr/bin/env bash
# Judges what ./dev package has made, with Debian's own tools, and says how large it is: check.sh FOLDER. There is no
# homepage to name.
set -euo pipefail
cd "$1"
for package in *.deb; do
  lintian --fail-on error --tag-display-limit 0 "$package"
  rm -rf unpacked
  dpkg-deb -x "$package" unpacked
  desktop-file-validate unpacked/usr/share/applications/attnscope.desktop
  appstreamcli validate --no-net --override=url-homepage-missing=info unpacked/usr/share/metainfo/*.xml
  echo "the program alone: $(stat -c %s unpacked/usr/bin/attnscope) bytes"
  rm -rf unpacked
done
du -h --apparent-size *
