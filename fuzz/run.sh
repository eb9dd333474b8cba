#!/usr/bin/env bash
# Runs fuzz targets that were built before, and says how many inputs each has seen. It needs the binaries and the corpus
# alone: no compiler.
#
#   fuzz/run.sh BINARIES SECONDS [JOBS] [TARGET ...]
#
# BINARIES is a folder with one program for each target. Every target runs SECONDS seconds in JOBS processes (all cores
# unless told). New inputs that reach new code go to fuzz/found, inputs that fail to fuzz/artifacts. The exit code is 1 if
# there are such.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binaries=${1:?"usage: fuzz/run.sh BINARIES SECONDS [JOBS] [TARGET ...]"}
seconds=${2:?"usage: fuzz/run.sh BINARIES SECONDS [JOBS] [TARGET ...]"}
jobs=${3:-$(nproc)}
shift $(($# < 3 ? $# : 3))
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for source in "$here"/fuzz_targets/*.rs; do targets+=("$(basename "$source" .rs)"); done
fi
artifacts=$here/artifacts
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
mkdir -p "$artifacts"

# One process after another until the time is over: an input that fails ends a process, not the search.
job() { # target number
  local end=$((SECONDS + seconds)) left round=0
  while left=$((end - SECONDS)) && [ "$left" -gt 0 ]; do
    "$binaries/$1" "$here/found/$1" "$here/corpus/$1" -max_total_time="$left" -seed=$((1 + $2 * 1000 + round)) \
      -print_final_stats=1 -timeout=20 -rss_limit_mb=1024 -malloc_limit_mb=512 -max_len=8192 -verbosity=1 \
      -artifact_prefix="$artifacts/$1-" > "$logs/$1-$2-$round.log" 2>&1 || true
    round=$((round + 1))
  done
}

# The executions of all processes of a target. One that ends by a failure prints no statistics before it.
executed() { # target
  cat "$logs/$1"-*.log | awk '/stat::number_of_executed_units/ { sum += $2 } END { printf "%d", sum }'
}

total=0
before=$(find "$artifacts" -type f | wc -l)
for target in "${targets[@]}"; do
  mkdir -p "$here/found/$target"
  for number in $(seq "$jobs"); do job "$target" "$number" & done
  wait
  count=$(executed "$target")
  total=$((total + count))
  failures=$(find "$artifacts" -type f -name "$target-*" | wc -l)
  printf '%-14s %14d executions %6d failures\n' "$target" "$count" "$failures"
  if [ "$count" -eq 0 ]; then tail -5 "$logs/$target-1-0.log"; fi
done
printf '%-14s %14d executions\n' "all" "$total"
after=$(find "$artifacts" -type f | wc -l)
if [ "$after" -gt "$before" ]; then
  echo "inputs that fail are in $artifacts"
  exit 1
fi
