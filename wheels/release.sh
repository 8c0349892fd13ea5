#!/usr/bin/env bash
# Builds what a release ships from one Linux machine: the source archive and a wheel for each CPython and C library, a .sha256 beside each.
#
#   wheels/release.sh [--check] [--upload TAG] [--only "sdist cp311-* cp312-manylinux"]
#
#   --check        say what would be built and what keeps it from being released; build nothing
#   --upload TAG   put the files into the release of that tag (gh)
#   --only LIST    these alone: sdist, cp311-manylinux, cp311-musllinux …, patterns too; without it everything has to be there
#
# With a container engine cibuildwheel builds them all; without one, manylinux wheels are built by the interpreters that are here (python3.11 …,
# or those that PYTHONS names). Refused: changes that aren't committed, a tag that is not the version's, a set that is not whole and not declared.
set -euo pipefail
cd "$(dirname "$0")/.."
export DIST=${DIST:-$PWD/dist}
TAGS="cp311 cp312 cp313 cp314"
PYTHON=${PYTHON:-python3}
CHECK= TAG= ONLY= PROBLEMS=0

say() { printf '%s\n' "$*"; }
problem() { printf 'release: %s\n' "$*" >&2; PROBLEMS=$((PROBLEMS + 1)); }
usage() { printf 'release: %s\n' "$*" >&2; exit 2; }

while [ $# -gt 0 ]; do
  case $1 in
    --check) CHECK=1 ;;
    --upload) TAG=${2:-}; [ -n "$TAG" ] || usage "--upload needs a tag"; shift ;;
    --only) ONLY=${2:-}; [ -n "$ONLY" ] || usage "--only needs names"; shift ;;
    *) usage "unexpected argument $1" ;;
  esac
  shift
done

VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

targets() { # all that a release has, one a line
  say sdist
  for tag in $TAGS; do for libc in manylinux musllinux; do say "$tag-$libc"; done; done
}

wanted() { # those that are asked for
  set -f
  for target in $(targets); do
    [ -n "$ONLY" ] || { say "$target"; continue; }
    for pattern in $ONLY; do
      # shellcheck disable=SC2254
      case $target in $pattern) say "$target"; break ;; esac
    done
  done
}

engine() { docker info >/dev/null 2>&1 || podman info >/dev/null 2>&1; } # a command whose service is away builds nothing

interpreter() { # for a tag: the one that PYTHONS names, or python3.N
  for name in ${PYTHONS:-} "python3.${1#cp3}"; do
    if [ "$("$name" -c 'import sys; print("cp%d%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; then say "$name"; return; fi
  done
}

missing() { # what is wanted and can't be built here, with the reason
  for target in $(wanted); do
    case $target in
      sdist) ;;
      *-musllinux) engine || say "$target (needs a container engine)" ;;
      *) engine || [ -n "$(interpreter "${target%-*}")" ] || say "$target (no python3.${target:3:2} here)" ;;
    esac
  done
}

examine() {
  [ -n "$(wanted)" ] || problem "--only \"$ONLY\" names nothing of: $(targets | tr '\n' ' ')"
  [ -z "$(git status --porcelain)" ] || problem "there are changes that aren't committed: $(git status --porcelain | head -3 | tr '\n' ' ')"
  [ "$VERSION" = "$(sed -n 's/^__version__ = "\(.*\)"/\1/p' src/memory_wire/__init__.py)" ] || problem "pyproject.toml and __init__.py differ on the version"
  grep -q "^## $VERSION\b" .github/CHANGELOG.md || problem "the changelog has no section $VERSION"
  [ -z "$TAG" ] || [ "$TAG" = "v$VERSION" ] || problem "the tag $TAG is not v$VERSION, which is the version"
  [ -z "$TAG" ] || command -v gh >/dev/null || problem "gh, which uploads, is not here"
  local left
  left=$(missing)
  [ -z "$left" ] || problem "not to be built here: $(say "$left" | tr '\n' ',' | sed 's/,$//; s/,/, /g'); --only declares a part"
}

build() {
  mkdir -p "$DIST"
  rm -f "$DIST"/memory_wire-* "$DIST"/SHA256SUMS
  bash wheels/build.sh sdist
  local scratch
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' RETURN
  if engine; then
    cp "$DIST"/*.tar.gz "$scratch/"
    DIST=$scratch CIBW_BUILD="$(wanted | sed -n 's/^\(cp.*\)-\(.*\)/\1-\2_*/p' | tr '\n' ' ')" bash wheels/build.sh matrix
    mv "$scratch"/*.whl "$DIST/"
  else
    for target in $(wanted | grep -- -manylinux || true); do
      rm -rf "$scratch/dist" && mkdir "$scratch/dist" && cp "$DIST"/*.tar.gz "$scratch/dist/"
      DIST=$scratch/dist PYTHON=$(interpreter "${target%-*}") bash wheels/build.sh wheel
      mv "$scratch"/dist/*.whl "$DIST/"
    done
  fi
  case " $(wanted | tr '\n' ' ') " in *" sdist "*) ;; *) rm -f "$DIST"/*.tar.gz ;; esac
}

sums() { # a .sha256 beside each file, and all of them in one
  (cd "$DIST" && for file in memory_wire-*; do sha256sum "$file" >"$file.sha256"; cat "$file.sha256"; done) >"$DIST/.sums"
  mv "$DIST/.sums" "$DIST/SHA256SUMS"
  cp wheels/get-memory-wire.sh "$DIST/"
}

upload() {
  gh release view "$TAG" >/dev/null 2>&1 || gh release create "$TAG" --verify-tag --draft --title "memory-wire $VERSION" --notes-file .github/CHANGELOG.md
  gh release upload "$TAG" "$DIST"/memory_wire-* "$DIST"/SHA256SUMS "$DIST"/get-memory-wire.sh
}

say "memory-wire $VERSION for $(uname -m): $(wanted | tr '\n' ' ')"
say "not here: wheels for macOS, which need its own compiler and SDK; wheels for other processors, which are built on such a machine"
examine
[ "$PROBLEMS" = 0 ] || exit 1
if [ -n "$CHECK" ]; then say "nothing keeps it from being released"; exit 0; fi
build
sums
[ -z "$TAG" ] || upload
ls -l "$DIST"
