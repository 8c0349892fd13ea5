"""The git hooks that look at the sources a commit or merge changed: in the background, so that git never waits for them nor fails by them.

What was found stands in `memory-wire.log` of the repository's git folder; the records' marks show it to whoever searches.
"""

from __future__ import annotations

import os
import shlex
import stat

from memory_wire.cli.show import line
from memory_wire.errors import MemoryWireError
from memory_wire.hosts import files
from memory_wire.hosts.base import Environment, Refused
from memory_wire.hosts.fence import Fence
from memory_wire.hosts.launcher import launcher
from memory_wire.sources import git

FENCE = Fence("# >>> memory-wire >>>", "# <<< memory-wire <<<")
SHELL = "#!/bin/sh\n"
SHELLS = ("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env sh", "#!/usr/bin/env bash", "#!/bin/dash")
# What the commit is compared with is found out at once, later HEAD may be another; git's own variables are of the commit being made.
RUN = (
    "if mw=$(git rev-parse --quiet --verify {since}); then (log=$(git rev-parse --git-path memory-wire.log);"
    ' unset $(git rev-parse --local-env-vars); exec {program} verify-sources --quiet --changed $mw{pinned} >"$log" 2>&1)'
    " </dev/null >/dev/null 2>&1 & fi"
)
HOOKS = {"post-commit": "HEAD~1", "post-merge": "ORIG_HEAD"}


class HookRefused(MemoryWireError):
    """The hooks can't be put there; the message says why and what to do."""

    code = "hook_refused"


def change(root: str, action: str, pinned: list[str]) -> int:
    """Installs or removes both hooks; `pinned` are words that they say again. Raises HookRefused, NoLauncher."""
    done = git.git(root, "rev-parse", "--git-path", "hooks")
    if done is None or done.returncode:
        raise HookRefused(f"{root} is in no git repository; run this inside of one, or name it: --root FOLDER")
    folder = os.path.join(root, os.fsdecode(done.stdout).rstrip("\n"))
    words = command(pinned) if action == "install" else dict.fromkeys(HOOKS, "")
    if action == "install" and not own(root, folder):
        raise HookRefused(f"{folder} serves other repositories as well; put this line into its post-commit: {words['post-commit']}")
    for name in HOOKS:
        path = os.path.join(folder, name)
        try:
            said = install(path, words[name]) if action == "install" else remove(path)
        except Refused as error:
            raise HookRefused(f"{path}: {error}; take out the lines between them by hand, then try again") from None
        except files.Raced:
            raise HookRefused(f"{path} changed meanwhile; try again") from None
        line(f"{said:<10} {path}")
    return 0


def command(pinned: list[str]) -> dict[str, str]:
    """The line of each hook. Raises NoLauncher."""
    program, more = shlex.quote(launcher(Environment.current())), "".join(f" {shlex.quote(word)}" for word in pinned)
    return {name: RUN.format(since=since, program=program, pinned=more) for name, since in HOOKS.items()}


def own(root: str, folder: str) -> bool:
    """Whether a folder of hooks belongs to this repository: it lies in its work tree or in its git folder."""
    done = git.git(root, "rev-parse", "--git-common-dir")
    homes = [root] if done is None or done.returncode else [root, os.path.join(root, os.fsdecode(done.stdout).rstrip("\n"))]
    real = os.path.realpath(folder)
    return any(os.path.commonpath([real, home]) == home for home in map(os.path.realpath, homes))


def read(path: str) -> str | None:
    """A hook as text, whatever its bytes are; `bytes_of` gives them back. None when there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def install(path: str, command: str) -> str:
    """Puts our line behind the hook's first one, as the hook may end early, or where it stands; makes the hook if there is none."""
    before = read(path) or SHELL
    first, mark, rest = before.partition("\n")
    if not before.startswith(SHELLS):
        raise HookRefused(f"{path} is no shell script; add this line to it: {command}")
    if first.endswith("\r"):
        raise HookRefused(f"{path} has line ends of Windows, git can't run it; `git config core.autocrlf` may say why")
    after = FENCE.put(before, command) if FENCE.span(before) or not rest else first + mark + FENCE.put(None, command) + rest
    found = read(path)
    if after == found:
        return "unchanged"
    files.replace(path, None if found is None else bytes_of(found), bytes_of(after), 0o755)
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | 0o111)
    return "installed"


def remove(path: str) -> str:
    """Takes our lines out; a hook that was ours alone goes."""
    before = read(path)
    if before is None or FENCE.start not in before:
        return "not there"
    after = FENCE.take(before)
    if after is None or after == SHELL:
        os.unlink(path)
    else:
        files.replace(path, bytes_of(before), bytes_of(after), 0o755)
    return "removed"
