"""Wheels of this program: which one a folder or the package index has for this Python, its sha256, and pip, which does the work."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import msgspec

from memory_wire.cli.layout import UpdateFailed
from memory_wire.cli.proof import apart

NAME = "memory-wire"
SUMS = "SHA256SUMS"
RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)(.*)")
PIP_SECONDS = 1_800


def offered(folder: str | None, version: str | None) -> tuple[str, str, str]:
    """(version, address, sha256 or "") of the wheel that a folder or the index has for this Python. Raises UpdateFailed."""
    where = ["--no-index", "--find-links", os.path.abspath(folder)] if folder else []
    if folder is not None and not os.path.isdir(folder):
        raise UpdateFailed(f"{folder} is no folder")
    wanted = f"{NAME}=={version}" if version else NAME
    words = ["install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:", "--report", "-"]
    report = msgspec.json.decode(pip(*words, *where, wanted))
    try:
        found = report["install"][0]
        info = found["download_info"]
        return found["metadata"]["version"], info["url"], (info.get("archive_info") or {}).get("hashes", {}).get("sha256", "")
    except (KeyError, IndexError, TypeError):
        raise UpdateFailed("pip reports no wheel") from None


def pip(*words: str) -> bytes:
    """What pip prints: this environment's, else the interpreter's own. Raises UpdateFailed with its last word."""
    environ = apart() | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    for program in (sys.executable, getattr(sys, "_base_executable", sys.executable)):
        command = [program, "-m", "pip"]
        if subprocess.run([*command, "--version"], capture_output=True, env=environ, timeout=PIP_SECONDS, check=False).returncode:
            continue
        done = subprocess.run([*command, *words], capture_output=True, env=environ, timeout=PIP_SECONDS, check=False)
        if done.returncode:
            raise UpdateFailed(last_line(done.stderr or done.stdout))
        return done.stdout
    raise UpdateFailed(f"{sys.executable} has no pip: `{sys.executable} -m ensurepip` installs it")


def sum_beside(wheel: str) -> str:
    """The sha256 that a file beside the wheel names: its own, or the folder's list. Raises UpdateFailed when there is none."""
    name = os.path.basename(wheel)
    for path in (f"{wheel}.sha256", os.path.join(os.path.dirname(wheel), SUMS)):
        try:
            with open(path, encoding="ascii") as file:
                rows = [row.split() for row in file.read().splitlines() if row.strip()]
        except (OSError, UnicodeDecodeError):
            continue
        for row in rows:
            if len(row[0]) == 64 and (len(row) == 1 or row[1].lstrip("*") == name):
                return row[0].lower()
    raise UpdateFailed(f"no sha256 beside {name}: expected {name}.sha256 or {SUMS}")


def key(version: str) -> tuple[list[int], bool]:
    """Orders versions by their release numbers, one that is no final release before the final one."""
    found = RELEASE.match(version)
    if found is None:
        return [], False
    numbers = [int(part) for part in found[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers, not re.match(r"[-_.]?(a|b|c|rc|alpha|beta|pre|dev)", found[2].lower())


def last_line(text: bytes) -> str:
    rows = [row for row in text.decode(errors="replace").splitlines() if row.strip()]
    errors = [row for row in rows if row.startswith("ERROR")]
    return (errors or rows or ["no word"])[-1].removeprefix("ERROR: ")
