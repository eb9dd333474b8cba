#!/usr/bin/env bash
# Builds all fuzz targets and puts the programs into a folder (fuzz/target/programs unless told), to be run by fuzz/run.sh,
# also on another machine: fuzz/build.sh [FOLDER]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
programs=$(realpath -m "${1:-$here/target/programs}")
tools=$here/../target/tools/bin
PATH=$tools:$PATH
if ! rustup run nightly rustc --version > /dev/null 2>&1; then
  echo "fuzzing needs the nightly compiler: rustup toolchain install nightly" >&2
  exit 1
fi
if ! command -v cargo-fuzz > /dev/null; then
  echo "fuzzing needs cargo-fuzz: cargo install cargo-fuzz --root target/tools" >&2
  exit 1
fi
cd "$here"
host=$(rustup run nightly rustc -vV | sed -n 's/^host: //p')
# libFuzzer is C++: its library goes into the programs, so that they run where no compiler is installed.
static=$(c++ -print-file-name=libstdc++.a)
if [ -e "$static" ]; then
  mkdir -p target/static && ln -sf "$static" target/static/libstdc++.a
  export CXXSTDLIB=static=stdc++ RUSTFLAGS="${RUSTFLAGS:-} -L native=$here/target/static"
fi
cargo +nightly fuzz build --release
mkdir -p "$programs"
for source in fuzz_targets/*.rs; do
  name=$(basename "$source" .rs)
  cp "target/$host/release/$name" "$programs/$name"
  strip "$programs/$name"
done
du -sh "$programs"
