#!/usr/bin/env bash
# Replays every fuzz corpus, and runs the C tests, under AddressSanitizer and UBSan with the system's compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=${SCRATCH:-$(mktemp -d)}
CC=${CC:-cc}
FLAGS="-std=c11 -O1 -g -Wall -Wextra -Werror -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined -I."
mkdir -p "$OUT"
objects=()
for source in *.c; do
  $CC $FLAGS -c "$source" -o "$OUT/${source%.c}.o"
  objects+=("$OUT/${source%.c}.o")
done
for source in fuzz/fuzz_*.c; do
  name=$(basename "${source%.c}")
  $CC $FLAGS "$source" fuzz/driver.c "${objects[@]}" -lm -o "$OUT/$name"
  corpus=(fuzz/corpus/"${name#fuzz_}"/*)
  [ -e "${corpus[0]}" ] || { echo "$name has no corpus"; exit 1; }
  "$OUT/$name" "${corpus[@]}"
  echo "$name: ${#corpus[@]} files"
done
for source in tests/test_*.c; do
  [ -e "$source" ] || continue
  name=$(basename "${source%.c}")
  $CC $FLAGS "$source" "${objects[@]}" -lm -o "$OUT/$name"
  "$OUT/$name"
  echo "$name: passed"
done
