#!/usr/bin/env bash
# Searches for new crashes with libFuzzer, SECONDS_EACH seconds a target. Needs clang with its runtime.
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=${SCRATCH:-$(mktemp -d)}
mkdir -p "$OUT"
for source in fuzz/fuzz_*.c; do
  name=$(basename "${source%.c}")
  clang -std=c11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I. "$source" ./*.c -lm -o "$OUT/$name"
  mkdir -p "$OUT/corpus/$name"
  "$OUT/$name" -max_total_time="${SECONDS_EACH:-60}" -artifact_prefix="$OUT/$name-" "$OUT/corpus/$name" "fuzz/corpus/${name#fuzz_}"
done
