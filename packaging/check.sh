#!/usr/bin/env bash
# Judges what ./dev package has made, with Debian's own tools, and says how large it is: check.sh FOLDER.
set -euo pipefail
cd "$1"
for package in *.deb; do
  lintian --fail-on error --tag-display-limit 0 "$package"
  rm -rf unpacked
  dpkg-deb -x "$package" unpacked
  desktop-file-validate unpacked/usr/share/applications/attnscope.desktop
  # Newer ones miss a homepage; older ones do not know that it can be missed.
  appstreamcli validate --no-net unpacked/usr/share/metainfo/*.xml ||
    appstreamcli validate --no-net --override=url-homepage-missing=info unpacked/usr/share/metainfo/*.xml
  echo "the program alone: $(stat -c %s unpacked/usr/bin/attnscope) bytes"
  rm -rf unpacked
done
du -h --apparent-size *
