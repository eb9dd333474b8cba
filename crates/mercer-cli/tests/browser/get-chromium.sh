#!/usr/bin/env bash
# Finds a Chromium for the tests that open pages, or unpacks Debian's into a folder, without root and without
# installing it. Usage: get-chromium.sh FOLDER. FOLDER/chromium then starts the browser; where none can be had the
# script says why, and the tests are skipped.
set -euo pipefail

folder=$1
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

for name in chromium chromium-browser google-chrome; do
    if path=$(command -v "$name"); then
        ln -sf "$path" "$folder/chromium"
        exit 0
    fi
done

if ! { command -v apt-get && command -v dpkg-deb; } >/dev/null; then
    echo "No Chromium and no apt-get: tests of pages in a browser will be skipped."
    exit 0
fi

apt=(apt-get --quiet --quiet
    -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o Debug::NoLocking=true
    -o APT::Sandbox::User="$(id -un)")
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
if ! { "${apt[@]}" update && "${apt[@]}" install --yes --no-install-recommends --download-only chromium; }; then
    echo "Chromium cannot be fetched: tests of pages in a browser will be skipped."
    exit 0
fi
for package in "$folder"/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$folder/root"
done
rm -rf "$folder/lists" "$folder/cache"
cat >"$folder/chromium" <<WRAPPER
#!/bin/sh
libraries=\$(find "$folder/root" -type d -path '*/lib/*-linux-gnu*' | tr '\n' ':')
LD_LIBRARY_PATH="\$libraries" exec "$folder/root/usr/lib/chromium/chromium" "\$@"
WRAPPER
chmod +x "$folder/chromium"
