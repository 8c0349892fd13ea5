#!/bin/sh
# Installs memory-wire for one user: a private environment, one launcher, nothing else on the system touched.
#
#   get-memory-wire.sh [--db PATH] [--bank NAME] [--daemon] [--hosts a,b | --no-connect] [--uninstall]
#
#   --db PATH       where the store is; the server is started on it
#   --bank NAME     bank to write into the hosts' entries
#   --daemon        start the server now
#   --hosts a,b     wire these agent hosts; without it all that are found, on a terminal those that are chosen
#   --no-connect    wire none
#   --uninstall     take everything out again; the data stay
#
#   MW_REPO          OWNER/NAME of the repository whose releases are taken, or the URL of a folder that has a release's files
#   MW_LOCAL_ASSET   instead: a folder with a release's files, or one wheel with its .sha256 beside it
#   MW_VERSION       this version instead of the newest; also the only way to an older one
#   MW_INSTALL_DIR   folder of the launcher (~/.local/bin)
#   MW_PYTHON        interpreters to try, best first (python3.14 … python3.11, python3)
#
# A file is used when its sha256 is the published one. What was installed before stays in use until the new version has been installed beside
# it, has said its version and has been proved on a copy of the store.
set -eu

ROOT=${XDG_DATA_HOME:-$HOME/.local/share}/memory-wire
LAUNCHERS=${MW_INSTALL_DIR:-$HOME/.local/bin}
LAUNCHER=$LAUNCHERS/memory-wire
PROGRAM=$ROOT/bin/memory-wire
SCRATCH=

say() { printf '%s\n' "$*"; }
fail() { printf 'get-memory-wire: %s\n' "$*" >&2; exit 1; }
usage() { printf 'get-memory-wire: %s\n' "$*" >&2; exit 2; }
cleanup() { [ -z "$SCRATCH" ] || rm -rf "$SCRATCH"; }
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# files --------------------------------------------------------------------------------------------------------------------------------------

fetch() { # a file of the release, into the scratch folder; fails when it isn't there
  if [ -n "$LOCAL" ]; then cp "$LOCAL/$1" "$SCRATCH/assets/$1" 2>/dev/null
  elif command -v curl >/dev/null; then curl -fsSL --retry 2 -o "$SCRATCH/assets/$1" "$BASE/$1"
  elif command -v wget >/dev/null; then wget -q -O "$SCRATCH/assets/$1" "$BASE/$1"
  else fail "neither curl nor wget is here"
  fi
}

sum_of() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"
  elif command -v shasum >/dev/null; then shasum -a 256 "$1"
  else openssl dgst -sha256 -r "$1"
  fi | cut -c 1-64
}

checked() { # fetches a file and compares its sha256 with the published one
  fetch "$1" || { say "  $1 can't be had"; return 1; }
  fetch "$1.sha256" || fail "no sha256 is published for $1; nothing was changed"
  expected=$(cut -c 1-64 "$SCRATCH/assets/$1.sha256")
  [ "$(sum_of "$SCRATCH/assets/$1")" = "$expected" ] || fail "$1 is not what was published (sha256 differs); nothing was changed"
}

listed() { # names of the release's files, one a line
  if [ -n "$LOCAL" ]; then ls "$LOCAL"
  else fetch SHA256SUMS || fail "no release at $BASE"; sed 's/^[0-9a-f]* [ *]//' "$SCRATCH/assets/SHA256SUMS"
  fi
}

source_of_files() { # LOCAL is a folder, or BASE an address
  LOCAL= BASE=
  mkdir -p "$SCRATCH/assets"
  if [ -n "${MW_LOCAL_ASSET:-}" ]; then
    if [ -d "$MW_LOCAL_ASSET" ]; then LOCAL=$MW_LOCAL_ASSET
    elif [ -f "$MW_LOCAL_ASSET" ]; then
      LOCAL=$SCRATCH/one && mkdir "$LOCAL" && cp "$MW_LOCAL_ASSET" "$LOCAL/"
      [ ! -f "$MW_LOCAL_ASSET.sha256" ] || cp "$MW_LOCAL_ASSET.sha256" "$LOCAL/"
    else fail "$MW_LOCAL_ASSET is neither a folder nor a file"
    fi
    return
  fi
  case ${MW_REPO:-} in
    "") usage "MW_REPO=OWNER/NAME says whose releases are taken, MW_LOCAL_ASSET=PATH takes files that are here" ;;
    *://*) BASE=$MW_REPO ;;
    */*) BASE=https://github.com/$MW_REPO/releases/${MW_VERSION:+download/v}${MW_VERSION:-latest/download} ;;
    *) usage "MW_REPO is OWNER/NAME or the URL of a folder" ;;
  esac
}

# candidates ---------------------------------------------------------------------------------------------------------------------------------

pythons() { # interpreters that can be used, best first
  for name in ${MW_PYTHON:-python3.14 python3.13 python3.12 python3.11 python3}; do
    "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && say "$name" || continue
  done
}

version_in() { # the version that a file's name tells
  say "$1" | sed -n 's/^memory_wire-\([^-]*\)-.*\.whl$/\1/p; s/^memory_wire-\(.*\)\.tar\.gz$/\1/p'
}

newest() { # the version to install, from the names on standard input
  "$1" -c '
import re, sys
def key(version):
    numbers = [int(part) for part in re.findall(r"\d+", re.match(r"[\d.]*", version)[0])]
    return numbers, not re.search(r"[a-z]", version)
found = {line.strip() for line in sys.stdin if line.strip()}
print(max(found, key=key) if found else "")'
}

candidates() { # the release's files for one interpreter and this machine, best first; $1: interpreter, $2: names, $3: version
  tag=$("$1" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  machine=$(uname -m)
  [ "$machine" != arm64 ] || [ "$(uname)" = Darwin ] || machine=aarch64
  case $(uname) in
    Darwin) kinds=macosx ;;
    *) kinds="manylinux linux_ musllinux" ;;
  esac
  for kind in $kinds; do
    for name in $2; do
      case $name in
        memory_wire-"$3"-"$tag"-*"$kind"*"$machine".whl | memory_wire-"$3"-"$tag"-*"$kind"*universal2.whl) say "$name" ;;
      esac
    done
  done
}

staged() { # installs a candidate where nobody looks and has it say its version; $1: interpreter, $2: file, $3: version
  rm -rf "$SCRATCH/stage" "$SCRATCH/wheels"
  "$1" -m venv "$SCRATCH/stage" >"$SCRATCH/log" 2>&1 || return 1
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$SCRATCH/stage/bin/python" -m pip wheel -q --no-input --wheel-dir "$SCRATCH/wheels" \
    ${LOCAL:+--find-links "$LOCAL"} "$SCRATCH/assets/$2" >"$SCRATCH/log" 2>&1 || return 1
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$SCRATCH/stage/bin/python" -m pip install -q --no-input --no-index --find-links "$SCRATCH/wheels" \
    "memory-wire==$3" >"$SCRATCH/log" 2>&1 || return 1
  [ "$("$SCRATCH/stage/bin/memory-wire" --version 2>"$SCRATCH/log")" = "memory-wire $3" ] || return 1
  for wheel in "$SCRATCH"/wheels/memory_wire-*.whl; do say "$(sum_of "$wheel")  $(basename "$wheel")" >"$wheel.sha256"; done
}

chosen() { # stages the first candidate that starts; $1: names, $2: version
  for python in $(pythons); do
    for name in $(candidates "$python" "$1" "$2"); do
      checked "$name" || continue
      if staged "$python" "$name" "$2"; then say "  $name"; return 0; fi
      say "  $name does not start here: $(tail -1 "$SCRATCH/log" 2>/dev/null)"
    done
  done
  archive=memory_wire-$2.tar.gz
  case " $(say "$1" | tr '\n' ' ') " in
    *" $archive "*)
      checked "$archive" || return 1
      for python in $(pythons); do
        if staged "$python" "$archive" "$2"; then say "  $archive, compiled here"; return 0; fi
        say "  $archive can't be built with $python: $(tail -1 "$SCRATCH/log" 2>/dev/null)"
      done ;;
  esac
  return 1
}

# steps --------------------------------------------------------------------------------------------------------------------------------------

install() {
  SCRATCH=$(mktemp -d)
  source_of_files
  first=$(pythons | head -1)
  [ -n "$first" ] || fail "no Python from 3.11 on with venv and pip is here (MW_PYTHON names one)"
  names=$(listed)
  wanted=${MW_VERSION:-$(for name in $names; do version_in "$name"; done | newest "$first")}
  [ -n "$wanted" ] || fail "no file of memory-wire in ${LOCAL:-$BASE}"
  before=$("$PROGRAM" --version 2>/dev/null | sed 's/^memory-wire //') || before=
  if [ -n "$before" ] && [ "$before" = "$wanted" ]; then say "memory-wire $wanted is in use already"; return; fi
  if [ -n "$before" ] && [ "$(printf '%s\n' "$before" "$wanted" | newest "$first")" = "$before" ]; then
    [ -n "${MW_VERSION:-}" ] || fail "memory-wire $before is in use and $wanted is older: MW_VERSION=$wanted goes back to it"
    say "going back from memory-wire $before to $wanted"
  else say "${before:+memory-wire $before is in use; }installing memory-wire $wanted"
  fi
  chosen "$names" "$wanted" || fail "no file of memory-wire $wanted starts here; ${before:-nothing} is in use as before"
  set -- update --into "$ROOT" --from "$SCRATCH/wheels" --version "$wanted"
  [ -z "$DB" ] || set -- "$@" --db "$DB"
  "$SCRATCH/stage/bin/memory-wire" "$@" || fail "memory-wire $wanted was not taken into use; ${before:-nothing} is in use as before"
}

launcher() {
  mkdir -p "$LAUNCHERS"
  if [ -e "$LAUNCHER" ] && [ "$(readlink "$LAUNCHER" || true)" != "$PROGRAM" ]; then
    fail "$LAUNCHER is something else; MW_INSTALL_DIR names another folder, $PROGRAM works as it is"
  fi
  ln -sf "$PROGRAM" "$LAUNCHER"
  case :$PATH: in
    *:"$LAUNCHERS":*) ;;
    *) say "$LAUNCHERS is not on the PATH: export PATH=\"$LAUNCHERS:\$PATH\"" ;;
  esac
}

menu() { # the hosts that are chosen on a terminal
  found=$("$PROGRAM" connect --list | sed -n 's/^\([^ ]*\) .*detected=yes.*/\1/p')
  [ -n "$found" ] || { say "no agent host found" >&2; return; }
  number=0
  for host in $found; do number=$((number + 1)); say "  $number  $host" >&2; done
  printf 'Wire which? Numbers, `all` or `none` [all]: ' >&2
  read -r answer || answer=none
  case $answer in
    "" | all) say "$found" ;;
    none) ;;
    *)
      for pick in $(say "$answer" | tr ',' ' '); do
        host=$(say "$found" | sed -n "${pick}p" 2>/dev/null) || host=
        [ -n "$host" ] && say "$host" || say "  no number $pick" >&2
      done ;;
  esac
}

wire() {
  if [ "$DAEMON" = 1 ] || [ -n "$DB" ]; then "$PROGRAM" daemon start ${DB:+--db "$DB"}; fi
  [ "$CONNECT" = 1 ] || return 0
  if [ -n "$HOSTS" ]; then chosen_hosts=$(say "$HOSTS" | tr ',' ' ')
  elif [ -t 0 ] && [ -t 2 ]; then chosen_hosts=$(menu) && [ -n "$chosen_hosts" ] || return 0
  else chosen_hosts=
  fi
  # shellcheck disable=SC2086
  "$PROGRAM" connect $chosen_hosts ${BANK:+--bank "$BANK"} || say "not every host could be wired; \`memory-wire connect --list\` shows which are"
}

uninstall() {
  if [ -x "$PROGRAM" ]; then
    "$PROGRAM" disconnect || say "not every host could be unwired"
    "$PROGRAM" daemon stop || true
  fi
  [ "$(readlink "$LAUNCHER" || true)" != "$PROGRAM" ] || rm -f "$LAUNCHER"
  rm -rf "$ROOT/versions" "$ROOT/current" "$PROGRAM" "$ROOT/update.lock" "$ROOT/update.json"
  rmdir "$ROOT/bin" 2>/dev/null || true
  say "memory-wire is removed; the data stay in $ROOT"
}

DB= BANK= HOSTS= DAEMON=0 CONNECT=1 UNINSTALL=0
while [ $# -gt 0 ]; do
  case $1 in
    --db | --bank | --hosts) [ $# -gt 1 ] || usage "$1 needs a value" ;;
  esac
  case $1 in
    --db) DB=$2; shift ;;
    --bank) BANK=$2; shift ;;
    --hosts) HOSTS=$2; shift ;;
    --daemon) DAEMON=1 ;;
    --connect) CONNECT=1 ;;
    --no-connect) CONNECT=0 ;;
    --uninstall) UNINSTALL=1 ;;
    -h | --help) sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//;p;}' "$0"; exit 0 ;;
    *) usage "unexpected argument $1" ;;
  esac
  shift
done
[ -z "$HOSTS" ] || [ "$CONNECT" = 1 ] || usage "--hosts and --no-connect exclude each other"
if [ "$UNINSTALL" = 1 ]; then uninstall; exit 0; fi
install
launcher
wire
say "memory-wire $("$PROGRAM" --version | sed 's/^memory-wire //') is installed: $LAUNCHER"
