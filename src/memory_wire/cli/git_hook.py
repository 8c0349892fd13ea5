"""The git hooks that look at the sources a commit or merge changed. They never fail or hold up git; what else a hook does stays."""

from __future__ import annotations

import os
import stat

from memory_wire.cli.show import line
from memory_wire.errors import Invalid
from memory_wire.hosts import files
from memory_wire.hosts.base import Refused
from memory_wire.hosts.fence import Fence
from memory_wire.sources import git

FENCE = Fence("# >>> memory-wire >>>", "# <<< memory-wire <<<")
SHELL = "#!/bin/sh\n"
RUN = "command -v memory-wire >/dev/null 2>&1 && memory-wire verify-sources --quiet --changed {} </dev/null 2>/dev/null || :"
HOOKS = {"post-commit": "HEAD~1", "post-merge": "ORIG_HEAD"}


def change(root: str, action: str) -> int:
    """Installs or removes both hooks. Raises Invalid where there is no repository or a hook is no shell script."""
    done = git.git(root, "rev-parse", "--git-path", "hooks")
    if done is None or done.returncode:
        raise Invalid("git-hook", f"{root} is in no git repository")
    folder = os.path.join(root, os.fsdecode(done.stdout).rstrip("\n"))
    if action == "install" and not own(root, folder):
        raise Invalid("git-hook", f"{folder} serves other repositories as well; add to its hooks: {RUN.format('HEAD~1')}")
    for name, commit in HOOKS.items():
        path = os.path.join(folder, name)
        try:
            said = install(path, RUN.format(commit)) if action == "install" else remove(path)
        except Refused as error:
            raise Invalid("git-hook", f"{path}: {error}") from None
        except files.Raced:
            raise Invalid("git-hook", f"{path} changed meanwhile; try again") from None
        line(f"{said:<10} {path}")
    return 0


def own(root: str, folder: str) -> bool:
    """Whether a folder of hooks belongs to this repository: it lies in its work tree or in its git folder."""
    done = git.git(root, "rev-parse", "--git-common-dir")
    homes = [root] if done is None or done.returncode else [root, os.path.join(root, os.fsdecode(done.stdout).rstrip("\n"))]
    real = os.path.realpath(folder)
    return any(os.path.commonpath([real, home]) == home for home in map(os.path.realpath, homes))


def read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def install(path: str, command: str) -> str:
    """Puts our lines at the hook's end, or behind its first line where it ends early; makes it if there is none."""
    before = read(path)
    if before and not before.startswith(("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env sh", "#!/usr/bin/env bash", "#!/bin/dash")):
        raise Invalid("git-hook", f"{path} is no shell script; add this line to it: {command}")
    first, mark, rest = (before or "").partition("\n")
    if mark and FENCE.start not in rest and any(line.split()[:1] in (["exit"], ["exec"]) for line in rest.splitlines()):
        after = first + mark + FENCE.put(None, command) + rest
    else:
        after = FENCE.put(before or SHELL, command)
    if after == before:
        return "unchanged"
    files.replace(path, None if before is None else before.encode(), after.encode(), 0o755)
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
        files.replace(path, before.encode(), after.encode(), 0o755)
    return "removed"
